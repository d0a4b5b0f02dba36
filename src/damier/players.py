"""Players: whoever can choose a turn. One line of text names each: `random`, `level:3` …

player = damier.players.player("level:5", seed=1)
turn = player.choose(game)
player.looked  # Looked(depth=4, nodes=1792, seconds=0.0041, hasty=False)
"""

from __future__ import annotations

import random
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from damier.errors import DamierError
from damier.history import Game
from damier.position import Position, Turn

if TYPE_CHECKING:
    from damier.search.limits import Looked


class Player(Protocol):
    """Whoever can choose a turn in a game that is not over."""

    @property
    def looked(self) -> Looked | None:
        """How deep and how much was searched before the last choice; None: it does not search."""

    def choose(self, game: Game) -> Turn:
        """Return one of the game's legal turns."""


MOST_LISTED = 20_000  # turns among which one is chosen; some positions have far more


class RandomPlayer:
    """Chooses among the legal turns, each as likely as the others.

    Where they are too many to be listed it chooses step by step, each as likely as the others.
    """

    looked = None

    def __init__(self, seed: int | None = None) -> None:
        self._random = random.Random(seed)

    def choose(self, game: Game) -> Turn:
        """Return one of the game's legal turns."""
        if game.over:
            raise DamierError("over")
        try:
            return self._random.choice(game.turns(MOST_LISTED))
        except DamierError as error:
            if error.key != "too-many-turns":
                raise
        turn = self._by_steps(game.position)
        while game.bars(turn.words):
            turn = self._by_steps(game.position)
        return turn

    def _by_steps(self, position: Position) -> Turn:
        """Return a turn made of steps that were drawn one by one."""
        steps: list[int] = []
        reached = position
        while not steps or reached.unfinished:
            steps.append(self._random.choice(reached.steps()).number)
            reached = reached.step(steps[-1])
        return position.turn_of(steps)


def random_player(argument: str, seed: int | None) -> Player:
    """Return the player that `random` names."""
    if argument:
        raise DamierError("player-argument", name="random", argument=argument)
    return RandomPlayer(seed)


# What makes each kind of player, as module:function, imported when asked for.
_KINDS = {
    "random": "damier.players:random_player",
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
