"""How many turns a side would need if it were alone on the board: the pattern games' yardstick.

For games that are won by arranging up to five pawns on 5×5 cells. The distance of a set of pawns
from the nearest winning arrangement, the enemy forgotten, is found once by going back from the
winning arrangements, and kept in a table by the number of the set among all sets of its size.
What else the evaluations of these games have in common is here too.
"""

from collections.abc import Callable, Iterable
from itertools import combinations
from math import comb

from damier.games.terms import WHITE
from damier.jit import Buffer, kernel, lowest

MOST = 5  # pawns in a set
FARTHEST = 15  # larger distances are not told apart
# How many sets of j + 1 cells lie below each cell: entry 5 * cell + j.
CHOOSE = tuple(comb(cell, j + 1) for cell in range(25) for j in range(MOST))
# Where the sets of each size begin.
OFFSET = tuple(sum(comb(25, j) for j in range(k)) for k in range(MOST + 1))

NAMES = (
    *(f"own {d}" for d in range(FARTHEST + 1)),
    *(f"their {d}" for d in range(FARTHEST + 1)),
)
OWN, THEIR, TABLE = 0, FARTHEST + 1, 2 * (FARTHEST + 1)
FUTILITY_DEPTH, FUTILITY_MARGIN = 0, 0
LMR_AFTER = 4096  # never: it does not pay


@kernel
def number_of(cells: int) -> int:
    """Return the number of a set of cells among all sets of at most MOST of 25 cells."""
    number, size = 0, 0
    while cells:
        number += CHOOSE[5 * lowest(cells) + size]
        cells &= cells - 1
        size += 1
    return number + OFFSET[size]


@kernel
def evaluate(w: int, b: int, r: int, weights: Buffer) -> int:
    """Return a static evaluation for the side to move, between turns."""
    own, enemy = (w, b) if r & 1 == WHITE else (b, w)
    return (
        weights[OWN + weights[TABLE + number_of(own)]]
        + weights[THEIR + weights[TABLE + number_of(enemy)]]
    )


@kernel
def move_order(w: int, b: int, r: int, step: int) -> int:
    """Return the score for move ordering: 0, so that history decides."""
    return 0


@kernel
def hash_rest(w: int, b: int, r: int) -> int:
    """Return the third word as the hash key has it: all of it matters."""
    return r


@kernel
def contempt(own: int, enemy: int, r: int) -> int:
    """Return how much less a position is worth to a player who must win: nothing."""
    return 0


@kernel
def quiescence_depth(r: int) -> int:
    """Return how deep quiescence goes, in turns."""
    return 3


@kernel
def may_stand_pat(w: int, b: int, r: int, legal: Buffer) -> bool:
    """Tell whether the mover may stand pat."""
    return True


def distances(
    wins: Iterable[int],
    before: Callable[[int], Iterable[int]],
    pawns: int,
    places: int,
) -> tuple[int, ...]:
    """Return the table of distances.

    `before` gives the sets from which one displacement leads to a set; while fewer than `pawns`
    are placed, a turn puts one on any of the `places`.
    """
    table = [FARTHEST] * (OFFSET[pawns] + comb(25, pawns))
    near = dict.fromkeys(wins, 0)
    front = list(near)
    for distance in range(1, FARTHEST):
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
    # Placing: as far as the best set with one pawn more, and a turn.
    for size in range(pawns - 1, -1, -1) if places else ():
        for chosen in combinations(free, size):
            cells = sum(chosen)
            best = min(table[number_of(cells | cell)] for cell in free if not cells & cell)
            table[number_of(cells)] = min(best + 1, FARTHEST)
    return tuple(table)
