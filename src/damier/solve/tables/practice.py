"""What turns that a table calls drawn are worth in practice: how easily the opponent goes wrong.

A draw is a draw only for who plays on without a mistake. Of turns that keep it, one is better than
another if more of the opponent's replies lose; where none lose, if more of them would lose after a
further turn; and one that brings back a position is worse than one that goes somewhere.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from damier.history import THIRD, Game
from damier.position import Position, Turn
from damier.solve.tables.table import Table

# Where no turn sets a trap, a second look is taken two turns deeper: at so many turns, after so
# many replies to each, with so many turns then. Few, so that plain Python answers in a second.
SECOND_LOOKS, REPLIES, NEXT = 4, 3, 6
# How many replies are looked at in all, and without a compiler: some positions have very many.
MOST_REPLIES, MOST_REPLIES_PLAIN = 300_000, 30_000


@dataclass(frozen=True, order=True)
class Practice:
    """What a drawn turn is worth in practice; the best sorts first.

    `seen` is how often the position that it leads to has been there. `risk` is which part of the
    opponent's replies lose, less than 0, and `later` which part would after a further turn.
    """

    seen: int
    minus_risk: float
    minus_later: float = 0.0
    looked: bool = field(default=True, compare=False)

    @property
    def risk(self) -> float | None:
        """Which part of the opponent's replies lose, from 0 to 1; None if none were looked at."""
        return -self.minus_risk if self.looked else None


def by_practice(
    game: Game, table: Table, turns: Sequence[Turn], chance: random.Random | None = None
) -> list[tuple[Turn, Practice]]:
    """Return turns of equal value with what they are worth in practice, the best first.

    Which replies are looked at is left to chance; without one it is the same each time.
    """
    chance = chance or random.Random(f"{game.ply} {game.position}")
    mixed = list(turns)
    chance.shuffle(mixed)
    left = MOST_REPLIES if game.rules.compiled else MOST_REPLIES_PLAIN
    side, found = game.position.side, []
    for turn in mixed:
        seen, risk = game.times(turn.words), 0.0
        looked = left > 0 and turn.after.side != side
        if looked and seen + 1 < THIRD:  # else there is no reply: the game is over
            replies, losing = table.replies(turn.after)
            left -= replies
            # A drawn turn leaves a reply that does not lose, if only by what came before.
            risk = min(losing, replies - 1) / replies if replies else 0.0
        found.append((Practice(seen, -risk, looked=looked), turn))
    found.sort(key=lambda pair: pair[0])
    if found and found[0][0].minus_risk == 0:  # no trap is at hand: look where one may be laid
        second = [
            (replace(p, minus_later=-_later(table, side, turn, chance)), turn)
            for p, turn in found[:SECOND_LOOKS]
        ]
        found[:SECOND_LOOKS] = sorted(second, key=lambda pair: pair[0])
    return [(turn, practice) for practice, turn in found]


def _later(table: Table, side: str, turn: Turn, chance: random.Random) -> float:
    """Return what part of the replies a next turn can make losing, after likely replies."""
    if turn.after.side == side:
        return 0.0
    total = 0.0
    for reply in _some(turn.after, REPLIES, chance):
        kept = [next_ for next_ in _some(reply.after, NEXT, chance) if _keeps(table, next_)]
        total += max((_risk(table, next_.after) for next_ in kept), default=0.0)
    return total


def _risk(table: Table, position: Position) -> float:
    """Return which part of a position's turns lose."""
    turns, losing = table.replies(position)
    return losing / turns if turns else 0.0


def _some(position: Position, most: int, chance: random.Random) -> list[Turn]:
    """Return a few turns of a position."""
    turns = position.turns()
    return chance.sample(turns, min(most, len(turns)))


def _keeps(table: Table, turn: Turn) -> bool:
    """Tell whether a turn does not lose."""
    value = table.probe(turn.after)
    return value is not None and value.outcome != "win"
