"""Evaluation of Fraha: the solo distances of both sides.

Teleportations are not evaluated; the search finds them.
"""

from functools import cache

from damier.games.constants import WHITE
from damier.games.solo_distance import (  # noqa: F401  re-exported: parts of this evaluation
    MAX_DISTANCE,
    OFFSET,
    distance_table,
    move_order,
    number_of,
)
from damier.jit import Buffer, kernel, lowest

from .rules import (
    CELLS,
    DISPLACE,
    FIGURES,
    INNER,
    LINES,
    OUTER,
    PAWNS,
    SHIFT,
    TELEPORT,
    complete,
)

SIDES = ("white to move", "black waits", "black to move", "white waits")
NAMES = tuple(f"{side} {d}" for side in SIDES for d in range(MAX_DISTANCE + 1))
TABLE = 4 * (MAX_DISTANCE + 1)
# Index of the first distance of Black's sets, which follow White's.
BLACK_TABLE = TABLE + OFFSET[PAWNS] + 12650


@cache
def tables() -> tuple[int, ...]:
    """Return the distances of all sets of pawns, White's and then Black's.

    FR-7: only straight lines win, as in the default rules.
    """
    near = [
        [j for j in range(25) if abs(i % 5 - j % 5) + abs(i // 5 - j // 5) == 1 and CELLS >> j & 1]
        for i in range(25)
    ]

    def side_table(wins: tuple[int, ...], track: int) -> tuple[int, ...]:
        return distance_table(
            wins,
            lambda four: (  # FR-3 reversed: a pawn on its own track came from either track
                four ^ 1 << i ^ 1 << j
                for i in range(25)
                if four & track & 1 << i
                for j in near[i]
                if not four >> j & 1
            ),
            PAWNS,
            0,
        )

    return side_table(LINES, OUTER) + side_table(FIGURES, INNER)


@kernel
def evaluate(w: int, b: int, r: int, weights: Buffer) -> int:
    """Return a static evaluation for the side to move, between moves."""
    white = weights[TABLE + number_of(w)]
    black = weights[BLACK_TABLE + number_of(b)]
    if r & 1 == WHITE:
        return weights[white] + weights[MAX_DISTANCE + 1 + black]
    return weights[2 * (MAX_DISTANCE + 1) + black] + weights[3 * (MAX_DISTANCE + 1) + white]


@kernel
def keep_noisy(w: int, b: int, r: int, legal: Buffer) -> bool:
    """Keep only the displacements that win at once; return whether there are any."""
    some = False
    side = r & 1
    for group in range(DISPLACE, TELEPORT):
        cells, wins = legal[group], 0
        while cells:
            low = lowest(cells)
            cells &= cells - 1
            moved = 1 << low | 1 << (low + SHIFT[group])
            if (
                complete(w ^ moved, b, r, side)
                if side == WHITE
                else complete(w, b ^ moved, r, side)
            ):
                wins |= 1 << low
                some = True
        legal[group] = wins
    return some
