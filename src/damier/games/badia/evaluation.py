"""Evaluation of Badia: the solo distances of both sides.

Swaps and pushes are not evaluated; the search finds them.
"""

from functools import cache

from damier.games.constants import WHITE
from damier.games.solo_distance import (  # noqa: F401  re-exported: parts of this evaluation
    NAMES,
    distance_table,
    evaluate,
    move_order,
)
from damier.jit import Buffer, kernel, lowest

from .rules import (
    BLOCKS,
    CELLS,
    DISPLACE,
    DROP,
    FAR,
    NEAR,
    NORMAL,
    PAWNS,
    PUT,
    complete,
    target_of,
)


@cache
def tables() -> tuple[int, ...]:
    """Return the distances of all sets of pawns."""
    near = {
        i: [target_of(DISPLACE + d, i) for d in range(4) if (NEAR[d] | FAR[d]) >> i & 1]
        for i in range(25)
        if CELLS >> i & 1
    }
    return distance_table(
        BLOCKS,
        lambda five: (
            five ^ 1 << i ^ 1 << j
            for i in near
            if five >> i & 1
            for j in near[i]
            if not five >> j & 1
        ),
        PAWNS,
        NORMAL,
    )


@kernel
def may_stand_pat(w: int, b: int, r: int, legal: Buffer) -> bool:
    """Return whether the mover may stand pat: not while one of their pawns waits to be dropped."""
    return r & DROP == 0


@kernel
def keep_noisy(w: int, b: int, r: int, legal: Buffer) -> bool:
    """Keep only the displacements that win at once; return whether there are any."""
    some = False
    own = w if r & 1 == WHITE else b
    for group in range(DISPLACE, PUT):
        cells, wins = legal[group], 0
        while cells:
            low = lowest(cells)
            cells &= cells - 1
            if complete(own ^ 1 << low ^ 1 << target_of(group, low)):
                wins |= 1 << low
                some = True
        legal[group] = wins
    legal[0] = 0
    return some
