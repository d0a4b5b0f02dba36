"""The perfect player: it never gives a value away, and in a drawn game it sets traps.

Winning, it takes the shortest way; losing, the longest. Where several turns keep a draw, it plays
for the opponent's mistake (see `practice`).
"""

from __future__ import annotations

import random

from damier.errors import DamierError
from damier.history import Game
from damier.position import Turn
from damier.solve.tables.answers import probe_turns
from damier.solve.tables.practice import by_practice
from damier.solve.tables.table import find


class PerfectPlayer:
    """Chooses turns from a table, the same ones under the same seed."""

    looked = None

    def __init__(self, seed: int | None = None) -> None:
        self._seed = 0 if seed is None else seed

    def choose(self, game: Game) -> Turn:
        """Return a turn that keeps the position's value, or raise DamierError without a table."""
        if game.over:
            raise DamierError("over")
        table = find(game.rules)
        valued = probe_turns(game)
        chance = random.Random(f"{self._seed} {game.ply} {game.position}")
        if table is None or not valued:
            raise DamierError("perfect-no-table", game=game.rules.name)
        best = valued[0][1]
        same = [turn for turn, value in valued if value.rank == best.rank]
        if best.outcome != "draw" or len(same) == 1:
            return chance.choice(same)
        return by_practice(game, table, same, chance)[0][0]


def player(seed: int | None = 0) -> PerfectPlayer:
    """Return a perfect player."""
    return PerfectPlayer(seed)


def perfect_player(argument: str, seed: int | None) -> PerfectPlayer:
    """Return the player that the text `perfect` names."""
    if argument:
        raise DamierError("player-argument", name="perfect", argument=argument)
    return PerfectPlayer(seed)
