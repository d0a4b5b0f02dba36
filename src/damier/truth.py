"""Exact labels of positions, from tables: see `Truth` and docs/research.md."""

from damier.research.truth import DRAW, LOSS, UNKNOWN, WIN, Labels, Regret, Truth

__all__ = ["DRAW", "LOSS", "UNKNOWN", "WIN", "Labels", "Regret", "Truth"]
