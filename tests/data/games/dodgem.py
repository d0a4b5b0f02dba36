"""Dodgem: drive your cars off the far side; who leaves the other player no move loses.

On a board of n × n, White's n - 1 cars start on the left and leave on the right, Black's start
at the bottom and leave at the top. A car goes one cell ahead or to either side, never back. The
game is Colin Vout's, of 1972. The sides differ, so no symmetry of the board is preserved.
"""

from damier.games.board import Board
from damier.games.constants import BLOCKED, OWN_REASON, choice, group_and_cell, won
from damier.games.steps import Action
from damier.jit import Buffer, kernel

NAME = "dodgem"
OPTIONS = (choice("size", 1, "3", "4", "5"),)
PRESETS = {"small": {}, "large": {"size": "4"}, "huge": {"size": "5"}}
REASONS, ALL_OFF = ("off",), OWN_REASON
BOARDS = tuple(Board(n, n, symmetry="none") for n in (3, 4, 5))
# Steps: ahead, left and right as the driver sees it, by the cell of origin; off the board.
AHEAD, LEFT, RIGHT, OFF = 0, 1, 2, 3
GROUPS = 4
FINAL = 0b1111
ONE_STEP_UNIQUE = True
# By size, side and group: the directions, their shifts, and the cells that have a neighbour there.
WAYS = (((1, 0), (0, 1), (0, -1)), ((0, 1), (-1, 0), (1, 0)))
SHIFT = tuple(board.shift(way) for board in BOARDS for ways in WAYS for way in ways)
MASK = tuple(board.mask(way) for board in BOARDS for ways in WAYS for way in ways)
LAST = tuple(board.cells & ~board.mask(ways[AHEAD]) for board in BOARDS for ways in WAYS)


def board(r: int) -> Board:
    return BOARDS[r >> 1 & 3]


def start(r: int) -> tuple[int, int, int]:
    size = 3 + (r >> 1 & 3)
    return sum(1 << size * k for k in range(1, size)), sum(1 << k for k in range(1, size)), r


@kernel
def legal(w: int, b: int, r: int, out: Buffer) -> int:
    side, size = r & 1, r >> 1 & 3
    own, enemy = (b, w) if side else (w, b)
    if not enemy:
        return won(1 - side, ALL_OFF)
    some = 0
    for way in range(3):
        k = 6 * size + 3 * side + way
        taken = w | b
        free = ~(taken >> SHIFT[k]) if SHIFT[k] > 0 else ~(taken << -SHIFT[k])
        out[way] = own & MASK[k] & free
        some |= out[way]
    out[OFF] = own & LAST[2 * size + side]
    # A blocked player wins.
    return 0 if some | out[OFF] else won(side, BLOCKED)


@kernel
def play(w: int, b: int, r: int, step: int) -> tuple[int, int, int]:
    way, cell = group_and_cell(step)
    change = 1 << cell
    if way != OFF:
        change |= 1 << cell + SHIFT[6 * (r >> 1 & 3) + 3 * (r & 1) + way]
    if r & 1:
        return w, b ^ change, r ^ 1
    return w ^ change, b, r ^ 1


def describe(w: int, b: int, r: int, step: int) -> Action:
    way, cell = group_and_cell(step)
    if way == OFF:
        return Action("remove", cell)
    return Action("move", cell, cell + SHIFT[6 * (r >> 1 & 3) + 3 * (r & 1) + way])
