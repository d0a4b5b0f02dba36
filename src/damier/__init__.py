"""damier: play, understand and solve small board games.

A game with its options is a `Rules`; a `Position` knows what is legal, a `Turn` where it leads, and
a `Game` also its history, which decides about repetition. docs/python.md shows them at work.
"""

from damier.errors import DamierError
from damier.games import GAMES
from damier.history import Game
from damier.position import Position, Result, Rules, Step, Turn, game

__version__ = "0.1.0"
__all__ = [
    "GAMES", "DamierError", "Game", "Position", "Result", "Rules", "Step", "Turn", "game",
]  # fmt: skip
