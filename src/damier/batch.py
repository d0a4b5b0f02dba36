"""Batches of games in arrays, for learning programs: see `Batch` and docs/research.md."""

from damier.research.batch import NO_STEP, Batch, layout, plane_names, symmetries

__all__ = ["NO_STEP", "Batch", "layout", "plane_names", "symmetries"]
