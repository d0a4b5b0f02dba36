"""Evaluation of Seega: material first, then the cells, threats and mobility of the pawns."""

from damier.games.constants import WHITE, group_and_cell
from damier.jit import Buffer, kernel, lowest, popcount

from .rules import (
    ALL,
    BACK,
    CAPTURE_FREE,
    CENTRE,
    COUNT,
    COUNT_BIT,
    DISPLACE,
    FIRST_MOVES,
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

# SE-13: kinds of cells for each size: corners, other border cells, middles of the border, cells
# next to the centre, the centre. All remaining cells have no weight.
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

# Phase 1 on 5×5: the pawns around the centre decide which side can step and capture first in
# phase 2. Each shape is four cells, as files and ranks relative to the centre, and applies in all
# its images under symmetries.
_Cells = tuple[tuple[int, int], ...]
_SHAPES: dict[str, _Cells] = {
    "ring": ((0, -1), (1, 0), (0, 1), (-1, 0)),
    "line": ((-2, 0), (-1, 0), (1, 0), (2, 0)),
    "elbow": ((-2, 0), (-1, 0), (0, -1), (0, -2)),
    "tee": ((0, -1), (0, -2), (-1, -1), (1, -1)),
}
SHAPE = 4  # cells
STATES = 3**SHAPE  # each cell is empty, of the player who opens phase 2, or of the other


def _images(cells: _Cells) -> list[_Cells]:
    """Return the images of some cells under the eight symmetries of the board."""
    return [
        tuple((p * y, q * x) if swap else (p * x, q * y) for x, y in cells)
        for p in (1, -1)
        for q in (1, -1)
        for swap in (False, True)
    ]


def _names(shape: str, cells: _Cells) -> list[str]:
    """Return a name for each state of a shape; symmetric states have the same name."""
    same = [image for image in _images(cells) if set(image) == set(cells)]
    orders = [[cells.index(cell) for cell in image] for image in same]
    states = (f"{a}{b}{c}{d}" for d in ".12" for c in ".12" for b in ".12" for a in ".12")
    return [f"{shape} {max(''.join(s[k] for k in order) for order in orders)}" for s in states]


_STATES = [name for shape, cells in _SHAPES.items() for name in _names(shape, cells)]
_KINDS = ("corner", "border", "middle", "near", "centre")
NAMES = (
    "pawn", "share", *_KINDS, "free", "catches", "their catches", "grips", "their grips",
    "to move", *(f"first {k}" for k in _KINDS), "first shots", "first grips",
    *(f"second {k}" for k in _KINDS), "second shots", "second grips", "first", "opening",
    *dict.fromkeys(_STATES),
)  # fmt: skip  # compact list
# Indices of weights of phase 1. On 7×7: the first weight of the player who will open phase 2, the
# first weight of the other player, and the opener's advantage. On 5×5: the opener's advantage.
FIRST, SECOND, FIRST_MOVE, OPENING = (
    NAMES.index(name) for name in ("first corner", "second corner", "first", "opening")
)
# The index of the weight of each state of each shape, then the shape and the cells of each image.
WEIGHT = tuple(NAMES.index(name) for name in _STATES)
_IMAGES = [
    (shape, image)
    for shape, cells in enumerate(_SHAPES.values())
    for image in {frozenset(image): image for image in _images(cells)}.values()
]
IMAGES = len(_IMAGES)
IMAGE_SHAPE = tuple(shape for shape, _ in _IMAGES)
IMAGE_CELLS = tuple(5 * (2 + y) + 2 + x for _, image in _IMAGES for x, y in image)
FUTILITY_DEPTH, FUTILITY_MARGIN = 2, 150


@kernel
def placing_value(own: int, enemy: int, r: int, weights: Buffer, first: int) -> int:
    """Return the value of a side's pawns in phase 1; `first` is the index of its first weight."""
    size = (r >> SIZE_BIT) & 1
    value = 0
    for k in range(KINDS):
        value += weights[first + k] * popcount(own & KIND[KINDS * size + k])
    # The first captures of phase 2 are made from the centre.
    value += weights[first + KINDS] * popcount(captured(own, enemy, r, lowest(CENTRE[size])))
    return value + weights[first + KINDS + 1] * popcount(sandwiching(own, enemy, r))


@kernel
def shape_value(x: int, y: int, weights: Buffer) -> int:
    """Return the value of the shapes around the centre for side `x`, which will open phase 2."""
    value = 0
    for k in range(IMAGES):
        state, power = 0, 1
        for j in range(SHAPE * k, SHAPE * k + SHAPE):
            state += power * ((x >> IMAGE_CELLS[j] & 1) + 2 * (y >> IMAGE_CELLS[j] & 1))
            power *= 3
        value += weights[WEIGHT[STATES * IMAGE_SHAPE[k] + state]]
    return value


@kernel
def evaluate(w: int, b: int, r: int, weights: Buffer) -> int:
    """Return a static evaluation for the side to move, between moves."""
    side = r & 1
    own, enemy = (w, b) if side == WHITE else (b, w)
    size = (r >> SIZE_BIT) & 1
    n, m = popcount(own) + hand(r, side), popcount(enemy) + hand(r, 1 - side)
    value = weights[0] * (n - m) + weights[1] * ((n - m) * 100 // (n + m)) + weights[12]
    if r & HANDS:
        # SE-3: the player who opens phase 2 has an advantage, and needs other cells than the
        # opponent.
        opener = WHITE if r & FIRST_MOVES else 1 - WHITE
        x, y = (w, b) if opener == WHITE else (b, w)
        if size:
            opening = placing_value(x, y, r, weights, FIRST) - placing_value(
                y, x, r, weights, SECOND
            )
            opening += weights[FIRST_MOVE]
        else:
            opening = shape_value(x, y, weights) + weights[OPENING]
        return value + (opening if side == opener else -opening)
    empty = ALL[size] & ~(w | b)
    for k in range(KINDS):
        mask = KIND[KINDS * size + k]
        value += weights[2 + k] * (popcount(own & mask) - popcount(enemy & mask))
    around = neighbours(empty, size)
    value += weights[7] * (popcount(own & around) - popcount(enemy & around))
    grips, their_grips = empty & sandwiching(own, enemy, r), empty & sandwiching(enemy, own, r)
    value += weights[8] * popcount(grips & neighbours(own, size))
    value += weights[9] * popcount(their_grips & neighbours(enemy, size))
    return value + weights[10] * popcount(grips) + weights[11] * popcount(their_grips)


@kernel
def move_order(w: int, b: int, r: int, step: int) -> int:
    """Return the score for move ordering: the pawns that a capture takes."""
    group, cell = group_and_cell(step)
    if group < DISPLACE or group >= DISPLACE + 4:
        return 0
    own, enemy = (w, b) if r & 1 == WHITE else (b, w)
    target = target_of(r, group, cell)
    own ^= (1 << cell) | (1 << target)
    return popcount(captured(own, enemy, r, target))


@kernel
def hash_rest(w: int, b: int, r: int) -> int:
    """Return the third word for the hash key.

    The count of moves without capture is left out unless it may soon end the game.
    """
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
def quiescence_depth(r: int) -> int:
    """Return how deep quiescence goes, in moves."""
    return 8


@kernel
def may_stand_pat(w: int, b: int, r: int, legal: Buffer) -> bool:
    """Return whether the mover may stand pat: not if they must capture."""
    return r & HANDS != 0 or r & CAPTURE_FREE != 0 or catching(w, b, r) == 0


@kernel
def keep_noisy(w: int, b: int, r: int, legal: Buffer) -> bool:
    """Keep only the captures; return whether there are any."""
    if r & HANDS or not catching(w, b, r):
        return False
    size = (r >> SIZE_BIT) & 1
    cells = catching(w, b, r)
    for axis in range(2):
        k = 2 * size + axis
        legal[DISPLACE + axis] &= (cells >> SHIFT[k]) & FORE[k]
        legal[DISPLACE + 2 + axis] &= (cells << SHIFT[k]) & BACK[k]
    return True
