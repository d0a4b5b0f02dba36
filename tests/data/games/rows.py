"""Rows: on 4×4 cells, each in turn places a pawn; who has a row of three, or of four, wins."""

from damier.games.board import Board
from damier.games.constants import LINE, STALLED, choice, drawn, won
from damier.games.steps import Action
from damier.jit import Buffer, kernel

NAME = "rows"
GROUPS = 1
SIDE = 4
BOARD = Board(SIDE, SIDE)
ALL = BOARD.cells
OPTIONS = (choice("length", 1, "three", "four"),)
FOUR = 1 << 1


def rows(length: int) -> tuple[int, ...]:
    """Return all rows of so many cells: across, up and both diagonals."""
    return tuple(
        sum(1 << x + k * dx + SIDE * (y + k * dy) for k in range(length))
        for x in range(SIDE)
        for y in range(SIDE)
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1))
        if x + (length - 1) * dx < SIDE and 0 <= y + (length - 1) * dy < SIDE
    )


THREES, FOURS = rows(3), rows(4)


@kernel
def complete(cells: int, r: int) -> bool:
    """Tell whether pawns stand in a row."""
    if r & FOUR:
        for row in FOURS:
            if cells & row == row:
                return True
        return False
    for row in THREES:
        if cells & row == row:
            return True
    return False


def board(r: int) -> Board:
    return BOARD


def start(r: int) -> tuple[int, int, int]:
    return 0, 0, r


@kernel
def legal(w: int, b: int, r: int, out: Buffer) -> int:
    if complete(w, r):
        return won(0, LINE)
    if complete(b, r):
        return won(1, LINE)
    out[0] = ALL & ~(w | b)
    return 0 if out[0] else drawn(STALLED)


@kernel
def play(w: int, b: int, r: int, step: int) -> tuple[int, int, int]:
    if r & 1:
        return w, b | 1 << step, r ^ 1
    return w | 1 << step, b, r ^ 1


def describe(w: int, b: int, r: int, step: int) -> Action:
    return Action("place", target=step)
