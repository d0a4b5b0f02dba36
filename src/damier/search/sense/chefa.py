"""Chefa: how many turns each side would need alone; swaps are left to the search."""

from functools import cache

from damier.games.chefa import (
    BOARD,
    CENTRE,
    PAWNS,
    complete,
    play,
)
from damier.games.chefa import GROUPS as GROUPS_OF_STEPS
from damier.games.terms import WHITE, step_of
from damier.jit import Buffer, kernel, lowest
from damier.search.sense.alone import (  # noqa: F401  what is alike in these games
    FUTILE_DEPTH,
    FUTILE_MARGIN,
    LATE,
    NAMES,
    content,
    distances,
    dullness,
    evaluate,
    fingerprint,
    promise,
    quiet_turns,
)


@cache
def tables() -> tuple[int, ...]:
    """Return the distances of all sets of pawns. Lines with gaps count as lines."""
    cells = [i for i in range(25) if i != 12]
    lines = [sum(1 << (5 * k + i) for i in range(5)) for k in range(5)]
    lines += [sum(1 << (5 * i + k) for i in range(5)) for k in range(5)]
    wins = {line & ~(1 << i) for line in lines for i in range(25) if line >> i & 1}
    wins |= {0b1100011 << i for i in range(19) if i % 5 < 4}
    near = [[j for j in cells if abs(i % 5 - j % 5) + abs(i // 5 - j // 5) == 1] for i in range(25)]
    return distances(
        (four for four in wins if not four & CENTRE),
        lambda four: (
            four ^ 1 << i ^ 1 << j
            for i in cells if four >> i & 1
            for j in near[i] if not four >> j & 1
        ),
        PAWNS,
        BOARD.cells & ~CENTRE,
    )  # fmt: skip


@kernel
def loud(w: int, b: int, r: int, legal: Buffer) -> bool:
    """Keep the steps that win at once; tell whether there are any."""
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
