"""Players: objects that choose a move. One line of text names each: `random`, `level:3` …

player = damier.players.player("level:5", seed=1)
move = player.choose(game)
player.search_stats  # SearchStats(depth=4, nodes=1792, seconds=0.0041, hasty=False)
"""

from __future__ import annotations

import random
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from damier.errors import DamierError
from damier.gameplay import Game
from damier.position import Move, Position

if TYPE_CHECKING:
    from damier.search.limits import SearchStats

__all__ = ["Player", "RandomPlayer", "player"]


class Player(Protocol):
    """Player: an object that chooses a move in a game that is not over."""

    @property
    def search_stats(self) -> SearchStats | None:
        """How deep and how much was searched before the last choice; None: it does not search."""

    def choose(self, game: Game) -> Move:
        """Return one of the game's legal moves."""


MAX_LISTED = 20_000  # moves among which one is chosen; some positions have far more


class RandomPlayer:
    """Player that chooses a legal move at random, with equal probability.

    If there are too many moves to list, it chooses each step with equal probability.
    """

    search_stats = None

    def __init__(self, seed: int | None = None) -> None:
        self._random = random.Random(seed)

    def choose(self, game: Game) -> Move:
        """Return one of the game's legal moves."""
        if game.over:
            raise DamierError("over")
        try:
            return self._random.choice(game.legal_moves(MAX_LISTED))
        except DamierError as error:
            if error.key != "too-many-turns":
                raise
        move = self._by_steps(game.position)
        while game.forbids(move.words):
            move = self._by_steps(game.position)
        return move

    def _by_steps(self, position: Position) -> Move:
        """Return a move whose steps are chosen one by one."""
        steps: list[int] = []
        reached = position
        while not steps or reached.unfinished:
            steps.append(self._random.choice(reached.steps()).number)
            reached = reached.step(steps[-1])
        return position.move_from_steps(steps)


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
    "perfect": "damier.search.perfect:perfect_player",
    "cmd": "damier.search.external:command_player",
}


def player(text: str, seed: int | None = None) -> Player:
    """Return the player that a text such as `random` or `level:3` names."""
    name, _, argument = text.partition(":")
    if name not in _KINDS:
        raise DamierError("player", name=name, players=", ".join(_KINDS))
    module, _, function = _KINDS[name].partition(":")
    made: Player = getattr(import_module(module), function)(argument, seed)
    return made
