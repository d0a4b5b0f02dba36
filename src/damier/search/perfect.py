"""Perfect player: it never gives a value away, and sets traps in drawn positions.

If it wins, it takes the shortest way; if it loses, the longest. Among moves that keep a draw, it
chooses the one that is most difficult for the opponent (see `draw_ranking`). Where the rules forbid
repetition, the table proves only some wins; among the other moves a search chooses.
"""

from __future__ import annotations

import random

from damier.errors import DamierError
from damier.gameplay import Game
from damier.position import Move
from damier.search.levels import TRAP_NODES, EnginePlayer
from damier.search.limits import Limits
from damier.solve.tables.draw_ranking import rank_drawn_moves
from damier.solve.tables.queries import probe_moves
from damier.solve.tables.table import find


class PerfectPlayer:
    """Player that chooses moves from a table; the same seed gives the same moves."""

    search_stats = None

    def __init__(self, seed: int | None = None) -> None:
        self._seed = 0 if seed is None else seed

    def choose(self, game: Game) -> Move:
        """Return a move that keeps the position's value; raise DamierError without a table."""
        if game.over:
            raise DamierError("over")
        table = find(game.rules)
        valued = probe_moves(game)
        rng = random.Random(f"{self._seed} {game.ply} {game.position}")
        if table is None or not valued:
            raise DamierError("perfect-no-table", game=game.rules.name)
        best = valued[0][1]
        same = [move for move, value in valued if value.rank == best.rank]
        if best.bound:
            return EnginePlayer(Limits(nodes=TRAP_NODES), tables=True).choose(game)
        if best.outcome != "draw" or len(same) == 1:
            return rng.choice(same)
        return rank_drawn_moves(game, table, same, rng)[0][0]


def player(seed: int | None = 0) -> PerfectPlayer:
    """Return a perfect player."""
    return PerfectPlayer(seed)


def perfect_player(argument: str, seed: int | None) -> PerfectPlayer:
    """Return the player that the text `perfect` names."""
    if argument:
        raise DamierError("player-argument", name="perfect", argument=argument)
    return PerfectPlayer(seed)
