"""damier: play, analyse and solve small board games.

`load_rules` returns the `Rules` of a game with its options. A `Position` lists its legal moves, a
`Move` leads to the next position, and a `Game` keeps the history that repetition rules need.
docs/python.md is the tutorial.
"""

from typing import Any

from damier.deprecation import warn_deprecated
from damier.errors import DamierError
from damier.gameplay import Game
from damier.games import GAMES
from damier.position import Move, Position, Result, Rules, Step, load_rules

__version__ = "0.2.0"
__all__ = [
    "GAMES",
    "DamierError",
    "Game",
    "Move",
    "Position",
    "Result",
    "Rules",
    "Step",
    "load_rules",
]

_DEPRECATED = {"Turn": "Move", "game": "load_rules"}


def __getattr__(name: str) -> Any:
    """Return what a deprecated name of the public API stands for, with a warning."""
    if name not in _DEPRECATED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warn_deprecated(f"damier.{name}", f"damier.{_DEPRECATED[name]}")
    return globals()[_DEPRECATED[name]]
