"""Konane: jump over enemy pawns until the other player cannot.

The board is full. Each player first takes one own pawn off: White a corner or a middle one,
Black one beside the gap. Then a pawn jumps over an enemy pawn beside it to the empty cell
beyond, capturing it, and may go on jumping in the same direction. Who cannot jump loses. An old
game of Hawaii.
"""

from damier.games.board import ORTHOGONAL, Board, toward
from damier.games.constants import BLOCKED, choice, group_and_cell, won
from damier.games.steps import STOP, Action
from damier.jit import Buffer, kernel, popcount

NAME = "konane"
OPTIONS = (choice("size", 1, "6", "4"),)
PRESETS = {"large": {}, "small": {"size": "4"}}
COLOUR_SWAP = CAPTURES = True
BOARDS = (Board(6, 6), Board(4, 4))
# Steps: jumping in four directions, by the cell of origin; ending a chain; removing.
END, REMOVE, GROUPS = 4, 5, 6
FINAL = 1 << END | 1 << REMOVE
# The third word: inside a chain, the pawn's cell and the direction.
CHAIN, CELL_BIT, WAY_BIT = 1 << 2, 3, 9
CELL, WAY = 63 << CELL_BIT, 3 << WAY_BIT
MIDTURN = CHAIN | CELL | WAY
SHIFT = tuple(board.shift(way) for board in BOARDS for way in ORTHOGONAL)
NEAR = tuple(board.mask(way) for board in BOARDS for way in ORTHOGONAL)
FAR = tuple(board.mask((2 * x, 2 * y)) for board in BOARDS for x, y in ORTHOGONAL)
ALL = tuple(board.cells for board in BOARDS)
FIRST = (
    BOARDS[0].bits("a1", "f1", "a6", "f6", "c3", "d3", "c4", "d4"),
    BOARDS[1].bits("a1", "d1", "a4", "d4", "b2", "c2", "b3", "c3"),
)


def board(r: int) -> Board:
    return BOARDS[r >> 1 & 1]


def start(r: int) -> tuple[int, int, int]:
    files = board(r).files
    white = sum(1 << i for i in range(files * files) if (i % files + i // files) % 2 == 0)
    return white, board(r).cells & ~white, r


@kernel
def jumps(own: int, enemy: int, size: int, way: int) -> int:
    """Return the pawns that can jump in a direction."""
    k = 4 * size + way
    over = toward(enemy, SHIFT[k], NEAR[k])
    return own & over & toward(ALL[size] & ~(own | enemy), 2 * SHIFT[k], FAR[k])


@kernel
def legal(w: int, b: int, r: int, out: Buffer) -> int:
    side, size = r & 1, r >> 1 & 1
    own, enemy = (b, w) if side else (w, b)
    for group in range(GROUPS):
        out[group] = 0
    empty = ALL[size] & ~(w | b)
    if r & CHAIN:
        way, cell = (r & WAY) >> WAY_BIT, (r & CELL) >> CELL_BIT
        out[way] = jumps(own, enemy, size, way) & 1 << cell
        out[END] = 1 << cell
        return 0
    if popcount(empty) < 2:
        if empty:
            for way in range(4):
                out[REMOVE] |= own & toward(empty, SHIFT[4 * size + way], NEAR[4 * size + way])
        else:
            out[REMOVE] = own & FIRST[size]
        return 0
    some = 0
    for way in range(4):
        out[way] = jumps(own, enemy, size, way)
        some |= out[way]
    return 0 if some else won(1 - side, BLOCKED)


@kernel
def play(w: int, b: int, r: int, step: int) -> tuple[int, int, int]:
    group, cell = group_and_cell(step)
    size = r >> 1 & 1
    own, enemy = (b, w) if r & 1 else (w, b)
    after = r & ~MIDTURN ^ 1
    if group == REMOVE:
        own ^= 1 << cell
    elif group != END:
        shift = SHIFT[4 * size + group]
        there = cell + 2 * shift
        own ^= 1 << cell | 1 << there
        enemy ^= 1 << cell + shift
        if jumps(own, enemy, size, group) >> there & 1:
            after = r & ~MIDTURN | CHAIN | there << CELL_BIT | group << WAY_BIT
    return (enemy, own, after) if r & 1 else (own, enemy, after)


def describe(w: int, b: int, r: int, step: int) -> Action:
    group, cell = group_and_cell(step)
    if group == REMOVE:
        return Action("remove", cell)
    if group == END:
        return STOP
    shift = SHIFT[4 * (r >> 1 & 1) + group]
    return Action("move", cell, cell + 2 * shift, takes=1 << cell + shift)
