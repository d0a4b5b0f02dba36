"""damier: play, understand and solve Fraha, Chefa, Badia, Seega and Fanorona.

>>> import damier
>>> chefa = damier.game("chefa")
>>> position = chefa.start().play("b2").play("d4")
>>> len(position.turns())
22
"""

from damier.errors import DamierError
from damier.games import GAMES
from damier.history import Game
from damier.position import Position, Result, Rules, Step, Turn, game

__version__ = "0.1.0"
__all__ = [
    "GAMES", "DamierError", "Game", "Position", "Result", "Rules", "Step", "Turn", "game",
]  # fmt: skip
