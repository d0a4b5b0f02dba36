"""Evaluation of Chefa: the solo distances of both sides.

Swaps are not evaluated; the search finds them.
"""

from functools import cache
from itertools import combinations

from damier.games.constants import WHITE, step_of
from damier.games.solo_distance import (  # noqa: F401  re-exported: parts of this evaluation
    NAMES,
    distance_table,
    evaluate,
    move_order,
)
from damier.jit import Buffer, kernel, lowest

from .rules import (
    BOARD,
    CENTRE,
    PAWNS,
    complete,
    play,
)
from .rules import GROUPS as GROUPS_OF_STEPS


@cache
def tables() -> tuple[int, ...]:
    """Return the distances of all sets of pawns under the default rules: lines may have gaps."""
    cells = [i for i in range(25) if not CENTRE >> i & 1]
    fours = (sum(1 << i for i in four) for four in combinations(cells, PAWNS))
    near = [[j for j in cells if abs(i % 5 - j % 5) + abs(i // 5 - j // 5) == 1] for i in range(25)]
    return distance_table(
        (four for four in fours if complete(four, 0)),
        lambda four: (
            four ^ 1 << i ^ 1 << j
            for i in cells
            if four >> i & 1
            for j in near[i]
            if not four >> j & 1
        ),
        PAWNS,
        BOARD.cells & ~CENTRE,
    )


@kernel
def keep_noisy(w: int, b: int, r: int, legal: Buffer) -> bool:
    """Keep only the steps that win at once; return whether there are any."""
    some = False
    for group in range(GROUPS_OF_STEPS):
        cells, wins = legal[group], 0
        while cells:
            low = lowest(cells)
            cells &= cells - 1
            w2, b2, _ = play(w, b, r, step_of(group, low))
            if complete(w2 if r & 1 == WHITE else b2, r):
                wins |= 1 << low
                some = True
        legal[group] = wins
    return some
