"""The computer opponent: one search for all games, levels of play, and analysis.

`Engine` searches within `Limits`; `LevelPlayer` and `EnginePlayer` choose turns; `analyse` says
what every legal turn is worth, `review` where a game went wrong. `warm` compiles beforehand what
they need.
"""

from damier.search.analysis import Analysis, Valued, analyse
from damier.search.engine import Engine
from damier.search.hindsight import Reviewed, review
from damier.search.levels import EnginePlayer, LevelPlayer
from damier.search.limits import Limits, Looked, Stop
from damier.search.root import RootTurn, SearchResult
from damier.search.warmup import ready, warm

__all__ = [
    "Analysis",
    "Engine",
    "EnginePlayer",
    "LevelPlayer",
    "Limits",
    "Looked",
    "Reviewed",
    "RootTurn",
    "SearchResult",
    "Stop",
    "Valued",
    "analyse",
    "ready",
    "review",
    "warm",
]
