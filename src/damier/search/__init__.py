"""Computer opponent: one search for all games, levels of play, and analysis.

`Engine` searches within `Limits`; `LevelPlayer` and `EnginePlayer` choose moves; `analyse` values
every legal move of a position, and `review` every move of a game. `warm` compiles the kernels
beforehand.
"""

from typing import Any

from damier.deprecation import warn_deprecated
from damier.search.analysis import Analysis, MoveValue, analyse
from damier.search.engine import Engine
from damier.search.explanations import Explanation, explain
from damier.search.game_review import MoveReview, review
from damier.search.levels import EnginePlayer, LevelPlayer
from damier.search.limits import Limits, SearchStats, Stop
from damier.search.root import RootMove, SearchResult
from damier.search.warmup import ready, warm

__all__ = [
    "Analysis",
    "Engine",
    "EnginePlayer",
    "Explanation",
    "LevelPlayer",
    "Limits",
    "MoveReview",
    "MoveValue",
    "RootMove",
    "SearchResult",
    "SearchStats",
    "Stop",
    "analyse",
    "explain",
    "ready",
    "review",
    "warm",
]

_DEPRECATED = {"Looked": SearchStats, "Reviewed": MoveReview, "Valued": MoveValue}


def __getattr__(name: str) -> Any:
    """Return a class by its deprecated name, with a warning."""
    if name not in _DEPRECATED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warn_deprecated(f"damier.search.{name}", f"damier.search.{_DEPRECATED[name].__name__}")
    return _DEPRECATED[name]
