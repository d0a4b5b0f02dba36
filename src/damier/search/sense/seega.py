"""Seega: pawns above all, then where they stand, what they threaten and whether they can step."""

from damier.games.seega import (
    ALL,
    BACK,
    CAPTURE_FREE,
    CENTRE,
    COUNT,
    COUNT_BIT,
    DISPLACE,
    FORE,
    HANDS,
    SHIFT,
    SIZE_BIT,
    SIZES,
    STALL_BIT,
    captured,
    hand,
    neighbours,
    sandwiching,
    target_of,
)
from damier.games.terms import WHITE, group_and_cell
from damier.jit import Buffer, kernel, lowest, popcount

# SE-13: kinds of cells, for each size: corners, other border cells, middles of the border, cells
# next to the centre, the centre; what is left is the plain inside.
KINDS = 5
_KIND = {
    n: [
        sum(1 << i for i in range(n * n) if test(i % n, i // n, n - 1, n // 2))
        for test in (
            lambda f, k, e, m: f in (0, e) and k in (0, e),
            lambda f, k, e, m: (f in (0, e)) != (k in (0, e)) and m not in (f, k),
            lambda f, k, e, m: (f in (0, e)) != (k in (0, e)) and m in (f, k),
            lambda f, k, e, m: abs(f - m) + abs(k - m) == 1,
            lambda f, k, e, m: f == k == m,
        )
    ]
    for n in SIZES
}
KIND = tuple(mask for n in SIZES for mask in _KIND[n])

NAMES = (
    "pawn", "share", "corner", "border", "middle", "near", "centre",
    "placed corner", "placed border", "placed middle", "placed near", "placed centre",
    "free", "catches", "their catches", "shots", "their shots", "to move",
)  # fmt: skip
FUTILE_DEPTH, FUTILE_MARGIN = 2, 150
QUIET_TURNS = 8  # how far the quiet search goes


def tables() -> tuple[int, ...]:
    """Return what `evaluate` looks up behind the weights: here nothing."""
    return ()


@kernel
def evaluate(w: int, b: int, r: int, weights: Buffer) -> int:
    """Return an estimate for the side to move, between turns."""
    side = r & 1
    own, enemy = (w, b) if side == WHITE else (b, w)
    size = (r >> SIZE_BIT) & 1
    empty = ALL[size] & ~(w | b)
    n, m = popcount(own) + hand(r, side), popcount(enemy) + hand(r, 1 - side)
    value = weights[0] * (n - m) + weights[1] * ((n - m) * 100 // (n + m)) + weights[17]
    first = 7 if r & HANDS else 2
    for k in range(KINDS):
        mask = KIND[KINDS * size + k]
        value += weights[first + k] * (popcount(own & mask) - popcount(enemy & mask))
    if r & HANDS:
        # The first captures of phase 2 are made from the centre.
        centre = lowest(CENTRE[size])
        value += weights[15] * popcount(captured(own, enemy, r, centre))
        return value + weights[16] * popcount(captured(enemy, own, r, centre))
    around = neighbours(empty, size)
    value += weights[12] * (popcount(own & around) - popcount(enemy & around))
    value += weights[13] * popcount(empty & sandwiching(own, enemy, r) & neighbours(own, size))
    threats = empty & sandwiching(enemy, own, r) & neighbours(enemy, size)
    return value + weights[14] * popcount(threats)


@kernel
def promise(w: int, b: int, r: int, step: int) -> int:
    """Rank captures by the pawns they take."""
    group, cell = group_and_cell(step)
    if group < DISPLACE or group >= DISPLACE + 4:
        return 0
    own, enemy = (w, b) if r & 1 == WHITE else (b, w)
    target = target_of(r, group, cell)
    own ^= (1 << cell) | (1 << target)
    return popcount(captured(own, enemy, r, target))


@kernel
def fingerprint(w: int, b: int, r: int) -> int:
    """Drop the count of turns without capture while no end by it is near."""
    stall = (r >> STALL_BIT) & 4095
    if stall and ((r & COUNT) >> COUNT_BIT) + 25 > stall:
        return r
    return r & ~COUNT


@kernel
def catching(w: int, b: int, r: int) -> int:
    """Return the cells on which the mover can capture."""
    own, enemy = (w, b) if r & 1 == WHITE else (b, w)
    size = (r >> SIZE_BIT) & 1
    return ALL[size] & ~(w | b) & sandwiching(own, enemy, r) & neighbours(own, size)


@kernel
def content(w: int, b: int, r: int, legal: Buffer) -> bool:
    """Tell whether the mover may leave the position as it stands: not if he must capture."""
    return r & HANDS != 0 or r & CAPTURE_FREE != 0 or catching(w, b, r) == 0


@kernel
def loud(w: int, b: int, r: int, legal: Buffer) -> bool:
    """Keep the captures; tell whether there are any."""
    if r & HANDS or not catching(w, b, r):
        return False
    size = (r >> SIZE_BIT) & 1
    cells = catching(w, b, r)
    for axis in range(2):
        k = 2 * size + axis
        legal[DISPLACE + axis] &= (cells >> SHIFT[k]) & FORE[k]
        legal[DISPLACE + 2 + axis] &= (cells << SHIFT[k]) & BACK[k]
    return True
