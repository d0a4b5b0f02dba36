"""Solo distance: the number of moves that a side would need to win without an opponent.

For games that are won by a pattern of up to five pawns on 5×5 cells. The distances of all sets of
pawns to the nearest winning pattern are computed backward from the patterns, and stored in a table
by the number of the set. The evaluation of these games is a weight for each distance.
"""

from collections.abc import Callable, Iterable
from itertools import combinations
from math import comb

from damier.games.constants import WHITE
from damier.jit import Buffer, kernel, lowest

MAX_PAWNS = 5  # in a set
MAX_DISTANCE = 15  # larger distances count as this one
# How many sets of j + 1 cells lie below each cell: entry 5 * cell + j.
CHOOSE = tuple(comb(cell, j + 1) for cell in range(25) for j in range(MAX_PAWNS))
# Where the sets of each size begin.
OFFSET = tuple(sum(comb(25, j) for j in range(k)) for k in range(MAX_PAWNS + 1))

NAMES = (
    *(f"own {d}" for d in range(MAX_DISTANCE + 1)),
    *(f"their {d}" for d in range(MAX_DISTANCE + 1)),
)
OWN, THEIR, TABLE = 0, MAX_DISTANCE + 1, 2 * (MAX_DISTANCE + 1)


@kernel
def number_of(cells: int) -> int:
    """Return the number of a set of cells among all sets of at most MAX_PAWNS of 25 cells."""
    number, size = 0, 0
    while cells:
        number += CHOOSE[5 * lowest(cells) + size]
        cells &= cells - 1
        size += 1
    return number + OFFSET[size]


@kernel
def evaluate(w: int, b: int, r: int, weights: Buffer) -> int:
    """Return a static evaluation for the side to move, between moves."""
    own, enemy = (w, b) if r & 1 == WHITE else (b, w)
    return (
        weights[OWN + weights[TABLE + number_of(own)]]
        + weights[THEIR + weights[TABLE + number_of(enemy)]]
    )


@kernel
def move_order(w: int, b: int, r: int, step: int) -> int:
    """Return the score for move ordering: 0, so that history decides."""
    return 0


def distance_table(
    wins: Iterable[int],
    before: Callable[[int], Iterable[int]],
    pawns: int,
    places: int,
) -> tuple[int, ...]:
    """Return the table of distances.

    `before` returns the sets from which one displacement leads to a set. While fewer than `pawns`
    pawns are placed, a move places one on any of the `places`.
    """
    table = [MAX_DISTANCE] * (OFFSET[pawns] + comb(25, pawns))
    near = dict.fromkeys(wins, 0)
    front = list(near)
    for distance in range(1, MAX_DISTANCE):
        later = []
        for cells in front:
            for earlier in before(cells):
                if earlier not in near:
                    near[earlier] = distance
                    later.append(earlier)
        front = later
    for cells, distance in near.items():
        table[number_of(cells)] = distance
    free = [1 << i for i in range(25) if places >> i & 1]
    # Placement: one move more than the best set with one more pawn.
    for size in range(pawns - 1, -1, -1) if places else ():
        for chosen in combinations(free, size):
            cells = sum(chosen)
            best = min(table[number_of(cells | cell)] for cell in free if not cells & cell)
            table[number_of(cells)] = min(best + 1, MAX_DISTANCE)
    return tuple(table)
