"""Players: whoever can choose a turn. One line of text names each: `random`, `level:3` …"""

import random
from importlib import import_module
from typing import Protocol

from damier.errors import DamierError
from damier.history import Game
from damier.position import Turn


class Player(Protocol):
    """Whoever can choose a turn in a game that is not over."""

    def choose(self, game: Game) -> Turn:
        """Return one of the game's legal turns."""


class RandomPlayer:
    """Chooses among the legal turns, each as likely as the others."""

    def __init__(self, seed: int | None = None) -> None:
        self._random = random.Random(seed)

    def choose(self, game: Game) -> Turn:
        """Return one of the game's legal turns."""
        if game.over:
            raise DamierError("over")
        return self._random.choice(game.turns())


def _random_player(argument: str, seed: int | None) -> Player:
    if argument:
        raise DamierError("player-argument", name="random", argument=argument)
    return RandomPlayer(seed)


# What makes each kind of player, as module:function, imported when asked for.
_KINDS = {
    "random": "damier.players:_random_player",
    "level": "damier.search.levels:level_player",
    "engine": "damier.search.levels:engine_player",
    "uct": "damier.search.uct:uct_player",
    "perfect": "damier.solve.tables.perfect:perfect_player",
    "cmd": "damier.search.protocol:command_player",
}


def player(text: str, seed: int | None = None) -> Player:
    """Return the player that a text such as `random` or `level:3` names."""
    name, _, argument = text.partition(":")
    if name not in _KINDS:
        raise DamierError("player", name=name, players=", ".join(_KINDS))
    module, _, function = _KINDS[name].partition(":")
    made: Player = getattr(import_module(module), function)(argument, seed)
    return made
