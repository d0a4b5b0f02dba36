"""Teeko: four pawns each in a row or in a square of four.

The players place four pawns each, then one pawn goes to a neighbouring cell, also diagonally.
The game is John Scarne's, of 1937 and later.
"""

from damier.games.board import AXES, Board
from damier.games.constants import BLOCKED, LINE, SQUARE, group_and_cell, won
from damier.games.steps import Action
from damier.jit import Buffer, kernel, popcount

NAME = "teeko"
BOARD = Board(5, 5)
PAWNS = 4
COLOUR_SWAP = True
# Steps: placing; going in eight directions, by the cell of origin.
WAYS = tuple(AXES) + tuple((-x, -y) for x, y in AXES)
PLACE, MOVE, GROUPS = 0, 1, 9
FINAL = (1 << GROUPS) - 1
SHIFT = tuple(BOARD.shift(way) for way in WAYS)
MASK = tuple(BOARD.mask(way) for way in WAYS)
ROWS = BOARD.rows(4)
SQUARES = tuple(0b1100011 << i for i in range(BOARD.size) if BOARD.mask((1, 1)) >> i & 1)


def start(r: int) -> tuple[int, int, int]:
    return 0, 0, r


def hands(w: int, b: int, r: int) -> tuple[int, int]:
    return PAWNS - w.bit_count(), PAWNS - b.bit_count()


@kernel
def legal(w: int, b: int, r: int, out: Buffer) -> int:
    side = r & 1
    own, enemy = (b, w) if side else (w, b)
    if popcount(enemy) == PAWNS:
        for row in ROWS:
            if enemy == row:
                return won(1 - side, LINE)
        for square in SQUARES:
            if enemy == square:
                return won(1 - side, SQUARE)
    for group in range(GROUPS):
        out[group] = 0
    empty = BOARD_CELLS & ~(w | b)
    if popcount(own) < PAWNS:
        out[PLACE] = empty
        return 0
    some = 0
    for way in range(8):
        shift = SHIFT[way]
        near = empty >> shift if shift > 0 else empty << -shift
        out[MOVE + way] = own & near & MASK[way]
        some |= out[MOVE + way]
    return 0 if some else won(1 - side, BLOCKED)


BOARD_CELLS = BOARD.cells


@kernel
def play(w: int, b: int, r: int, step: int) -> tuple[int, int, int]:
    group, cell = group_and_cell(step)
    change = 1 << cell
    if group != PLACE:
        change |= 1 << cell + SHIFT[group - MOVE]
    if r & 1:
        return w, b ^ change, r ^ 1
    return w ^ change, b, r ^ 1


def describe(w: int, b: int, r: int, step: int) -> Action:
    group, cell = group_and_cell(step)
    if group == PLACE:
        return Action("place", target=cell)
    return Action("move", cell, cell + SHIFT[group - MOVE])
