"""Fraha: how many turns each side would need alone; teleportations are left to the search."""

from functools import cache

from damier.games.alone import (  # noqa: F401  what is alike in these games
    FARTHEST,
    FUTILITY_DEPTH,
    FUTILITY_MARGIN,
    LMR_AFTER,
    OFFSET,
    contempt,
    distances,
    hash_rest,
    may_stand_pat,
    move_order,
    number_of,
    quiescence_depth,
)
from damier.games.terms import WHITE
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
NAMES = tuple(f"{side} {d}" for side in SIDES for d in range(FARTHEST + 1))
TABLE = 4 * (FARTHEST + 1)
# Where the distances of Black's sets begin, after White's.
BLACK_TABLE = TABLE + OFFSET[PAWNS] + 12650


@cache
def tables() -> tuple[int, ...]:
    """Return the distances of all sets of pawns, White's and then Black's. FR-7: straight lines."""
    near = [
        [j for j in range(25) if abs(i % 5 - j % 5) + abs(i // 5 - j // 5) == 1 and CELLS >> j & 1]
        for i in range(25)
    ]

    def alone(wins: tuple[int, ...], track: int) -> tuple[int, ...]:
        return distances(
            wins,
            lambda four: (  # FR-3: a pawn arrives on its own track, from either
                four ^ 1 << i ^ 1 << j
                for i in range(25) if four & track & 1 << i
                for j in near[i] if not four >> j & 1
            ),
            PAWNS,
            0,
        )  # fmt: skip

    return alone(LINES, OUTER) + alone(FIGURES, INNER)


@kernel
def evaluate(w: int, b: int, r: int, weights: Buffer) -> int:
    """Return a static evaluation for the side to move, between turns."""
    white = weights[TABLE + number_of(w)]
    black = weights[BLACK_TABLE + number_of(b)]
    if r & 1 == WHITE:
        return weights[white] + weights[FARTHEST + 1 + black]
    return weights[2 * (FARTHEST + 1) + black] + weights[3 * (FARTHEST + 1) + white]


@kernel
def keep_noisy(w: int, b: int, r: int, legal: Buffer) -> bool:
    """Keep the displacements that win at once; tell whether there are any."""
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
