"""The computer opponent: one search for all games, its judgement of each, and levels of play."""

from damier.search.engine import Engine, Limits, Stop, ready, warm

__all__ = ["Engine", "Limits", "Stop", "ready", "warm"]
