"""Evaluation of Fanorona: material, relative to the number of pawns left; mobility and threats.

If captures are forced, a small neural network evaluates the shapes that the pawns form instead.
Few positions are quiet then, and the pattern on nine cells predicts the next captures better than
counting the possible captures.
"""

from functools import cache
from itertools import product

from damier.games.board import Board
from damier.games.constants import WHITE, group_and_cell
from damier.jit import Buffer, kernel, lowest, popcount

from . import shapes
from .rules import ALL as CELLS
from .rules import (
    APPROACH,
    BOARD_BIT,
    BOARDS,
    CAPTURE_FORCED,
    COUNT,
    COUNT_BIT,
    STALL_BIT,
    STOP,
    along,
    captured,
    endgame_limit,
)

NAMES = ("pawn", "share", "strong", "edge", "steps", "captures", "their captures", "to move")
# FA-1: the cells where diagonals meet, and the cells of the border.
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
# With fewer pawns than this in all, a position is worth less to a player who must win and does not
# have more pawns than the opponent. Chosen by hand, before the network existed: 200 games against
# `uct:` gave 89.8 %, 106 games without this term 87.7 %, which is not a significant difference.
CONTEMPT_PAWNS, CONTEMPT_PER_PAWN = 12, 50
FUTILITY_DEPTH, FUTILITY_MARGIN = 2, 180
LMR_AFTER = 3

# The network. A shape is the content of 3×3 cells: each is empty, the mover's or the opponent's.
# Shapes that differ only by a symmetry or by their place on the board are of the same kind, but
# those with diagonals through their middle are distinguished from those without. Each shape on the
# board and each pawn adds a row of numbers to the hidden units. A unit's sum, limited to 0 to FULL,
# is multiplied by its weight and added to the evaluation. The weights depend on the stage, which
# follows from the number of pawns on the board; STAGES has the greatest number of each stage.
SHAPES, SHAPE_KINDS = 3**9, 2862
UNITS, FULL = 18, 1024
STAGES = (4, 6, 8, 11, 16, 24, 32, 63)
STAGE = tuple(next(k for k, most in enumerate(STAGES) if n <= most) for n in range(64))
# Kinds of cells, by their distance from the borders: the cells of a quarter of the usual board. On
# larger boards, cells farther inside count as the innermost kind.
QUARTER = (5, 3)  # files and ranks
CELL_KINDS = QUARTER[0] * QUARTER[1]
# The rows: shapes around a cell where diagonals meet, other shapes, the mover's pawns by the kind
# of their cell, the opponent's pawns likewise, and the initial values (biases) of the units.
OWN_ROW = 2 * SHAPE_KINDS
ENEMY_ROW = OWN_ROW + CELL_KINDS
FIRST_ROW = ENEMY_ROW + CELL_KINDS
ROWS = FIRST_ROW + 1
# Three numbers of a row are packed into one word and added at once (SIMD within a register). No
# number may be negative or carry into the next: OFFSET is added to each, and at most 98 rows
# (35 shapes, 62 pawns and the biases) are summed.
LANES, LANE_BITS, OFFSET = 3, 20, 5000
LANE = (1 << LANE_BITS) - 1
WORDS = UNITS // LANES
# Values that are used to compute an index are masked. This does not change them, but shows the
# compiler that no index is negative, so it omits the check for counting from the end.
ANY_SHAPE, ANY_KIND, ANY_CELL, ANY_STAGE = 32767, 4095, 15, 7
# Indices after the named weights: the row of each shape, the rows, the weights of the units.
ROW_OF_SHAPE = len(NAMES)
ROW_WORDS = ROW_OF_SHAPE + SHAPES
UNIT_WEIGHTS = ROW_WORDS + WORDS * ROWS
TERNARY: tuple[int, ...] = tuple(
    sum(3**k for k in range(9) if cells >> k & 1) for cells in range(512)
)
RANKS, FILES = tuple(b.ranks for b in BOARDS), tuple(b.files for b in BOARDS)


def _kinds(board: Board) -> list[int]:
    """Return the kind of each cell."""
    kinds = [0] * 64
    for i in range(board.size):
        file, rank = i % board.files, i // board.files
        file = min(file, board.files - 1 - file, QUARTER[0] - 1)
        rank = min(rank, board.ranks - 1 - rank, QUARTER[1] - 1)
        kinds[i] = QUARTER[0] * rank + file
    return kinds


KIND_OF_CELL = tuple(kind for board in BOARDS for kind in _kinds(board))


@cache
def shape_kinds() -> tuple[int, ...]:
    """Return the kind of each shape, numbered from 0; symmetric shapes are of the same kind."""
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
    """Return the numbers that `evaluate` finds after the weights."""
    return pack(shapes.read())


def pack(network: tuple[int, ...]) -> tuple[int, ...]:
    """Return a network in the packed form that `evaluate` reads: kinds, rows, weights."""
    words = tuple(
        sum((network[at + k] + OFFSET) << LANE_BITS * k for k in range(LANES))
        for at in range(0, ROWS * UNITS, LANES)
    )
    return *shape_kinds(), *words, *network[ROWS * UNITS :]


@kernel
def evaluate(w: int, b: int, r: int, weights: Buffer) -> int:
    """Return a static evaluation for the side to move, between moves."""
    own, enemy = (w, b) if r & 1 == WHITE else (b, w)
    board = (r >> BOARD_BIT) & 31
    if r & CAPTURE_FORCED:
        return by_shapes(own, enemy, board, weights)
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
    n, m = popcount(own), popcount(enemy)
    strong, edge = STRONG[board], EDGE[board]
    return (
        weights[0] * (n - m)
        + weights[1] * ((n - m) * 100 // (n + m))
        + weights[2] * (popcount(own & strong) - popcount(enemy & strong))
        + weights[3] * (popcount(own & edge) - popcount(enemy & edge))
        + weights[4] * steps
        + weights[5] * captures
        + weights[6] * threats
        + weights[7]
    )


@kernel
def by_shapes(own: int, enemy: int, board: int, weights: Buffer) -> int:
    """Return the network's evaluation of a position."""
    i = ROW_WORDS + WORDS * FIRST_ROW
    a, b, c = weights[i], weights[i + 1], weights[i + 2]
    d, e, f = weights[i + 3], weights[i + 4], weights[i + 5]
    files, ranks = FILES[board], RANKS[board]
    for rank in range(ranks - 2):
        low, their_low = own >> files * rank, enemy >> files * rank
        for file in range(files - 2):
            shape = shape_of(low >> file, their_low >> file, files)
            kind = weights[ROW_OF_SHAPE + shape] & ANY_KIND
            i = ROW_WORDS + WORDS * (kind + SHAPE_KINDS * ((rank + file) & 1))
            a, b, c = a + weights[i], b + weights[i + 1], c + weights[i + 2]
            d, e, f = d + weights[i + 3], e + weights[i + 4], f + weights[i + 5]
    left = own | enemy
    while left:
        cell = lowest(left)
        left &= left - 1
        kind = KIND_OF_CELL[64 * board + cell] & ANY_CELL
        i = ROW_WORDS + WORDS * (kind + (OWN_ROW if own >> cell & 1 else ENEMY_ROW))
        a, b, c = a + weights[i], b + weights[i + 1], c + weights[i + 2]
        d, e, f = d + weights[i + 3], e + weights[i + 4], f + weights[i + 5]
    pawns = popcount(own | enemy)
    offset = OFFSET * ((ranks - 2) * (files - 2) + pawns + 1)
    at = UNIT_WEIGHTS + (UNITS + 1) * (STAGE[pawns] & ANY_STAGE)
    value = (
        weighted_sum(a, offset, weights, at)
        + weighted_sum(b, offset, weights, at + LANES)
        + weighted_sum(c, offset, weights, at + 2 * LANES)
        + weighted_sum(d, offset, weights, at + 3 * LANES)
        + weighted_sum(e, offset, weights, at + 4 * LANES)
        + weighted_sum(f, offset, weights, at + 5 * LANES)
    )
    return weights[at + UNITS] + value // FULL


@kernel
def weighted_sum(word: int, offset: int, weights: Buffer, at: int) -> int:
    """Return the contribution of a word's units to the evaluation, times FULL."""
    value = 0
    for k in range(LANES):
        unit = (word >> LANE_BITS * k & LANE) - offset
        value += weights[at + k] * min(max(unit, 0), FULL)
    return value


@kernel
def shape_of(own: int, enemy: int, files: int) -> int:
    """Return the shape on the 3×3 cells whose lowest corner is cell 0."""
    mine = own & 7 | (own >> files & 7) << 3 | (own >> 2 * files & 7) << 6
    theirs = enemy & 7 | (enemy >> files & 7) << 3 | (enemy >> 2 * files & 7) << 6
    return (TERNARY[mine] + 2 * TERNARY[theirs]) & ANY_SHAPE


@kernel
def move_order(w: int, b: int, r: int, step: int) -> int:
    """Return the score for move ordering: the pawns that a capture takes."""
    group, _ = group_and_cell(step)
    if group < APPROACH or group == STOP:
        return 0
    own, enemy = (w, b) if r & 1 == WHITE else (b, w)
    return popcount(captured(own, enemy, r, step))


@kernel
def hash_rest(w: int, b: int, r: int) -> int:
    """Return the third word for the hash key.

    The count of moves without capture is left out unless it may soon make a draw.
    """
    count, stall = (r & COUNT) >> COUNT_BIT, (r >> STALL_BIT) & 4095
    if endgame_limit(w, b, r) or (stall and count + 30 > stall):
        return r
    return r & ~COUNT


@kernel
def contempt(own: int, enemy: int, r: int) -> int:
    """Return how much less a position is worth to a player who must win.

    Positions with few pawns are mostly drawn.
    """
    n, m = popcount(own), popcount(enemy)
    if not r & CAPTURE_FORCED or n > m or n + m >= CONTEMPT_PAWNS:
        return 0
    return CONTEMPT_PER_PAWN * (CONTEMPT_PAWNS - n - m)


@kernel
def quiescence_depth(r: int) -> int:
    """Return how deep quiescence goes, in moves.

    With forced captures few positions are quiet, so the nodes are better spent on the main search.
    """
    return 1 if r & CAPTURE_FORCED else 2


@kernel
def may_stand_pat(w: int, b: int, r: int, legal: Buffer) -> bool:
    """Return whether the mover may stand pat: not if they must capture."""
    if not r & CAPTURE_FORCED:
        return True
    captures = 0
    for group in range(APPROACH, STOP):
        captures |= legal[group]
    return captures == 0


@kernel
def keep_noisy(w: int, b: int, r: int, legal: Buffer) -> bool:
    """Keep only the captures; return whether there are any."""
    captures = 0
    for group in range(APPROACH):
        legal[group] = 0
    for group in range(APPROACH, STOP):
        captures |= legal[group]
    return captures != 0
