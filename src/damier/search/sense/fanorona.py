"""Fanorona: pawns above all, the more so the fewer are left; then freedom and threats.

Where captures are forced, which makes another game, pawns are judged by the shapes that they form
as long as there are many: hardly a position is quiet then, and what stands on nine cells says more
of the captures to come than any count of them.
"""

from functools import cache
from itertools import product

from damier.games.board import Board, ahead, behind
from damier.games.fanorona import ALL as CELLS
from damier.games.fanorona import (
    APPROACH,
    BACK,
    BOARD_BIT,
    BOARDS,
    CAPTURE_FORCED,
    COUNT,
    COUNT_BIT,
    ENDGAME_BIT,
    FORE,
    SHIFT,
    STALL_BIT,
    STOP,
    WITHDRAW,
    along,
    row,
)
from damier.games.terms import WHITE, group_and_cell
from damier.jit import Buffer, kernel, popcount
from damier.search.weights import read_shapes

# FA-1: where diagonals meet, and the border.
STRONG = tuple(
    sum(1 << i for i in range(b.size) if (i % b.files + i // b.files) % 2 == 0) for b in BOARDS
)
EDGE = tuple(
    sum(
        1 << i
        for i in range(b.size)
        if i % b.files in (0, b.files - 1) or i // b.files in (0, b.ranks - 1)
    )
    for b in BOARDS
)

# Where captures are forced each weight depends on how many pawns there are in all, up to so many.
# With few pawns it depends on who has more, too.
FEW, MANY = (4, 6, 8), (11, 16, 24, 32, 63)
_RELATIONS = ("behind", "level", "ahead")
# Cells are alike that are as far from the border: those of a quarter of the usual board, and on
# larger boards those still farther inside.
QUARTER = (5, 3)  # files and ranks
KINDS = QUARTER[0] * QUARTER[1]
_CELLS = tuple(f"{file}{rank}" for rank in "123" for file in "abcde")
_WITH_FEW = (
    "to move", "pawn", "share", "steps", "captures", "their captures", "room", "their room",
    "reach", "their reach", *_CELLS,
)  # fmt: skip
_WITH_MANY = ("to move", "pawn", *_CELLS)
_FREE = ("pawn", "share", "strong", "edge", "steps", "captures", "their captures", "to move")
NAMES = (
    *_FREE,
    *(
        f"forced, {relation}, up to {most}: {name}"
        for most in FEW
        for relation in _RELATIONS
        for name in _WITH_FEW
    ),
    *(f"forced, up to {most}: {name}" for most in MANY for name in _WITH_MANY),
)
WITH_FEW, FEW_GROUP = len(_FREE), len(_WITH_FEW)
WITH_MANY, MANY_GROUP = WITH_FEW + FEW_GROUP * 3 * len(FEW), len(_WITH_MANY)
LOOKED_UP = len(NAMES)
# A player who must win and has no more pawns than the other wants so many to be left. Chosen by
# hand: 200 games against `uct:` gave 89.8 %, 106 without it 87.7 %, which tells little.
LIVELY, DULL = 12, 50
FUTILE_DEPTH, FUTILE_MARGIN = 2, 180
LATE = 3

# A shape is what stands on 3×3 cells: each is empty, the mover's or the other's. It weighs as much
# wherever it stands, turned and mirrored, but diagonals meet in its middle or not.
SHAPES = 3**9
TERNARY: tuple[int, ...] = tuple(
    sum(3**k for k in range(9) if cells >> k & 1) for cells in range(512)
)
RANKS, FILES = tuple(b.ranks for b in BOARDS), tuple(b.files for b in BOARDS)


@cache
def shape_kinds() -> tuple[int, ...]:
    """Return a number for each shape, from 0 on, the same for those that turn into each other."""
    cells = [(x, y) for y in range(3) for x in range(3)]
    images = []
    for flip, mirror, swap in product((0, 2), (0, 2), (False, True)):
        numbers = [0]
        for x, y in cells:
            to = abs(x - flip), abs(y - mirror)
            unit = 3 ** cells.index(to[::-1] if swap else to)
            numbers = [number + state * unit for state in range(3) for number in numbers]
        images.append(numbers)
    least = list(map(min, *images))
    kinds = {shape: k for k, shape in enumerate(sorted(set(least)))}
    return tuple(kinds[shape] for shape in least)


@cache
def tables() -> tuple[int, ...]:
    """Return what `evaluate` looks up behind the weights: that of every shape, stage by stage."""
    return tuple(weights[kind] for weights in read_shapes().values() for kind in shape_kinds())


def _kinds(board: Board) -> list[int]:
    """Return the cells of each kind."""
    masks = [0] * KINDS
    for i in range(board.size):
        file, rank = i % board.files, i // board.files
        file = min(file, board.files - 1 - file, QUARTER[0] - 1)
        rank = min(rank, board.ranks - 1 - rank, QUARTER[1] - 1)
        masks[QUARTER[0] * rank + file] |= 1 << i
    return masks


KIND = tuple(mask for board in BOARDS for mask in _kinds(board))
STAGE = tuple(next(k for k, most in enumerate(FEW + MANY) if n <= most) for n in range(64))
STAGES_WITH_FEW = len(FEW)


@kernel
def evaluate(w: int, b: int, r: int, weights: Buffer) -> int:
    """Return an estimate for the side to move, between turns."""
    own, enemy = (w, b) if r & 1 == WHITE else (b, w)
    board = (r >> BOARD_BIT) & 31
    n, m = popcount(own), popcount(enemy)
    if r & CAPTURE_FORCED and STAGE[n + m] >= STAGES_WITH_FEW:
        return crowded(own, enemy, board, weights)
    empty = CELLS[board] & ~(w | b)
    steps, captures, threats = 0, 0, 0
    for axis in range(4):
        k = 4 * board + axis
        f, a, d, g, c, e = along(own, enemy, empty, k)
        steps += popcount(f) + popcount(g)
        captures += popcount(a | d) + popcount(c | e)
        f, a, d, g, c, e = along(enemy, own, empty, k)
        steps -= popcount(f) + popcount(g)
        threats += popcount(a | d) + popcount(c | e)
    share = (n - m) * 100 // (n + m)
    if not r & CAPTURE_FORCED:
        strong, edge = STRONG[board], EDGE[board]
        return (
            weights[0] * (n - m)
            + weights[1] * share
            + weights[2] * (popcount(own & strong) - popcount(enemy & strong))
            + weights[3] * (popcount(own & edge) - popcount(enemy & edge))
            + weights[4] * steps
            + weights[5] * captures
            + weights[6] * threats
            + weights[7]
        )
    k = WITH_FEW + FEW_GROUP * (3 * STAGE[n + m] + (n >= m) + (n > m))
    room, their_room = widened(own, board), widened(enemy, board)
    reach, their_reach = widened(room, board), widened(their_room, board)
    return (
        weights[k]
        + weights[k + 1] * (n - m)
        + weights[k + 2] * share
        + weights[k + 3] * steps
        + weights[k + 4] * captures
        + weights[k + 5] * threats
        + weights[k + 6] * popcount(room)
        + weights[k + 7] * popcount(their_room)
        + weights[k + 8] * popcount(reach)
        + weights[k + 9] * popcount(their_reach)
        + in_place(own, enemy, board, weights, k + 10)
    )


@kernel
def crowded(own: int, enemy: int, board: int, weights: Buffer) -> int:
    """Return an estimate where many pawns are left: by their cells and by all their shapes."""
    n, m = popcount(own), popcount(enemy)
    stage = STAGE[n + m] - STAGES_WITH_FEW
    k = WITH_MANY + MANY_GROUP * stage
    value = weights[k] + weights[k + 1] * (n - m)
    value += in_place(own, enemy, board, weights, k + 2)
    files = FILES[board]
    first = LOOKED_UP + 2 * SHAPES * stage
    for rank in range(RANKS[board] - 2):
        low, their_low = own >> files * rank, enemy >> files * rank
        for file in range(files - 2):
            shape = shape_of(low >> file, their_low >> file, files)
            value += weights[first + SHAPES * ((rank + file) & 1) + shape]
    return value


@kernel
def in_place(own: int, enemy: int, board: int, weights: Buffer, first: int) -> int:
    """Return what the cells are worth on which pawns stand, by the weights from `first` on."""
    value = 0
    for kind in range(KINDS):
        cells = KIND[KINDS * board + kind]
        value += weights[first + kind] * (popcount(own & cells) - popcount(enemy & cells))
    return value


@kernel
def shape_of(own: int, enemy: int, files: int) -> int:
    """Return the shape on the 3×3 cells whose corner is the lowest cell."""
    mine = own & 7 | (own >> files & 7) << 3 | (own >> 2 * files & 7) << 6
    theirs = enemy & 7 | (enemy >> files & 7) << 3 | (enemy >> 2 * files & 7) << 6
    return TERNARY[mine] + 2 * TERNARY[theirs]


@kernel
def widened(cells: int, board: int) -> int:
    """Return some cells and all that are one step away."""
    wide = cells
    for k in range(4 * board, 4 * board + 4):
        wide |= ahead(cells, SHIFT[k], FORE[k]) | behind(cells, SHIFT[k], BACK[k])
    return wide


@kernel
def promise(w: int, b: int, r: int, step: int) -> int:
    """Rank captures by the pawns they take."""
    group, cell = group_and_cell(step)
    if group < APPROACH or group == STOP:
        return 0
    own, enemy = (w, b) if r & 1 == WHITE else (b, w)
    pawns = enemy & ~own
    d = group & 7
    if group < WITHDRAW:
        shift = SHIFT[4 * ((r >> BOARD_BIT) & 31) + (d & 3)]
        target = cell + shift if d < 4 else cell - shift
        return popcount(row(pawns, target, d, r))
    return popcount(row(pawns, cell, d ^ 4, r))


@kernel
def fingerprint(w: int, b: int, r: int) -> int:
    """Drop the count of turns without capture while no draw by it is near."""
    count = (r & COUNT) >> COUNT_BIT
    endgame, stall = (r >> ENDGAME_BIT) & 4095, (r >> STALL_BIT) & 4095
    if endgame and popcount(w) < 5 and popcount(b) < 5:
        return r
    if stall and count + 30 > stall:
        return r
    return r & ~COUNT


@kernel
def dullness(own: int, enemy: int, r: int) -> int:
    """Return how much less a position is worth to a player who must win: few pawns mostly draw."""
    n, m = popcount(own), popcount(enemy)
    if not r & CAPTURE_FORCED or n > m or n + m >= LIVELY:
        return 0
    return DULL * (LIVELY - n - m)


@kernel
def quiet_turns(r: int) -> int:
    """Return how many turns the quiet search goes.

    Where captures are forced it finds few positions without any: it is better to look deeper.
    """
    return 1 if r & CAPTURE_FORCED else 2


@kernel
def content(w: int, b: int, r: int, legal: Buffer) -> bool:
    """Tell whether the mover may leave the position as it stands: not if he must capture."""
    if not r & CAPTURE_FORCED:
        return True
    captures = 0
    for group in range(APPROACH, STOP):
        captures |= legal[group]
    return captures == 0


@kernel
def loud(w: int, b: int, r: int, legal: Buffer) -> bool:
    """Keep the captures; tell whether there are any."""
    captures = 0
    for group in range(APPROACH):
        legal[group] = 0
    for group in range(APPROACH, STOP):
        captures |= legal[group]
    return captures != 0
