"""The perfect player: it never gives a value away, and in a drawn game it sets traps.

Winning, it takes the shortest way; losing, the longest. Where several turns keep a draw, it plays
for the opponent's mistake: the more of his replies lose, the better; then the more of them would
lose after a further turn of its own; and it does not go round in circles.
"""

from __future__ import annotations

import random
from functools import cache
from typing import Any

from damier.errors import DamierError
from damier.history import Game
from damier.position import Position, Rules, Turn
from damier.solve.link import linked
from damier.solve.tables import probing
from damier.solve.tables.answers import probe_turns
from damier.solve.tables.table import Table, find

# Where no turn sets a trap, a second look is taken two turns deeper: at so many turns, after so
# many replies to each, with so many turns then. Few, so that plain Python answers in a second.
SECOND_LOOKS, REPLIES, NEXT = 4, 3, 6


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
        return self._trap(game, table, same, chance)

    def _trap(self, game: Game, table: Table, turns: list[Turn], chance: random.Random) -> Turn:
        """Return the drawing turn after which the opponent is most likely to go wrong."""
        chance.shuffle(turns)
        weighed = [
            (game.occurrences(turn.after), -_risk(table, turn.after), k)
            for k, turn in enumerate(turns)
        ]
        weighed.sort()
        _, risk, k = weighed[0]
        if risk < 0:
            return turns[k]
        # No trap is at hand: look where one may be laid next.
        chances = [
            (seen, -self._second_look(table, game.position.side, turns[k], chance), k)
            for seen, _, k in weighed[:SECOND_LOOKS]
        ]
        return turns[min(chances)[2]]

    def _second_look(self, table: Table, side: str, turn: Turn, chance: random.Random) -> float:
        """Return what part of the replies a next turn can make losing, after likely replies."""
        if turn.after.side == side:
            return 0.0
        total = 0.0
        for reply in _some(turn.after, REPLIES, chance):
            kept = [next_ for next_ in _some(reply.after, NEXT, chance) if _keeps(table, next_)]
            total += max((_risk(table, next_.after) for next_ in kept), default=0.0)
        return total


def _some(position: Position, most: int, chance: random.Random) -> list[Turn]:
    """Return a few turns of a position."""
    turns = position.turns()
    return chance.sample(turns, min(most, len(turns)))


def _keeps(table: Table, turn: Turn) -> bool:
    """Tell whether a turn does not lose."""
    value = table.probe(turn.after)
    return value is not None and value.outcome != "win"


def _risk(table: Table, position: Position) -> float:
    """Return what part of a position's turns lose."""
    store, t, loops, legal, room = _probing(table, position.rules, position.rules.compiled)
    turns, losing = loops.replies(*position.words, store, t, legal, room)
    return float(losing / turns) if turns else 0.0


@cache
def _probing(table: Table, rules: Rules, compiled: bool) -> tuple[Any, ...]:
    """Return what the loops need to probe a table, kept for the next time."""
    loops = linked(probing, rules, compiled)
    _, store, t = table.kernel() if compiled else table.plain()
    return store, t, loops, loops.buffer(rules.file.GROUPS), loops.walk.new_room()


def player(seed: int | None = 0) -> PerfectPlayer:
    """Return a perfect player."""
    return PerfectPlayer(seed)


def perfect_player(argument: str, seed: int | None) -> PerfectPlayer:
    """Return the player that the text `perfect` names."""
    if argument:
        raise DamierError("player-argument", name="perfect", argument=argument)
    return PerfectPlayer(seed)
