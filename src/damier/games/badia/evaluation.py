"""Badia: how many turns each side would need alone; swaps and pushes are left to the search."""

from functools import cache

from damier.games.alone import (  # noqa: F401  what is alike in these games
    FUTILITY_DEPTH,
    FUTILITY_MARGIN,
    LMR_AFTER,
    NAMES,
    contempt,
    distances,
    evaluate,
    hash_rest,
    move_order,
    quiescence_depth,
)
from damier.games.terms import WHITE
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
    return distances(
        BLOCKS,
        lambda five: (
            five ^ 1 << i ^ 1 << j
            for i in near if five >> i & 1
            for j in near[i] if not five >> j & 1
        ),
        PAWNS,
        NORMAL,
    )  # fmt: skip


@kernel
def may_stand_pat(w: int, b: int, r: int, legal: Buffer) -> bool:
    """Tell whether the mover may stand pat: not with a pawn in the air."""
    return r & DROP == 0


@kernel
def keep_noisy(w: int, b: int, r: int, legal: Buffer) -> bool:
    """Keep the displacements that win at once; tell whether there are any."""
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
