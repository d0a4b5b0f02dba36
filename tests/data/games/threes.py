"""Three Men's Morris on a board with diagonals: place three pawns, then move to a neighbour.

A player with three in a row wins; who cannot move loses. `repetition` says whether a move may bring
back an earlier position, `lines` whether diagonals count as rows.
"""

from damier.games.board import Board
from damier.games.constants import BLOCKED, LINE, choice, group_and_cell, won
from damier.games.steps import Action
from damier.jit import Buffer, kernel, lowest, popcount

NAME = "threes"
GROUPS = 10  # placing, and moving to each of the nine cells by the cell of origin
BOARD = Board(3, 3)
PAWNS = 3
OPTIONS = (choice("repetition", 1, "draw", "forbidden"), choice("lines", 2, "all", "straight"))
ROWS = (0b111, 0b111000, 0b111000000, 0b1001001, 0b10010010, 0b100100100, 0b100010001, 0b1010100)
NEXT = tuple(
    sum(
        1 << (3 * y + x)
        for y in range(3)
        for x in range(3)
        if (x, y) != (i % 3, i // 3)
        and abs(x - i % 3) < 2
        and abs(y - i // 3) < 2
        and (i % 2 == 0 or (x - i % 3) * (y - i // 3) == 0)
    )
    for i in range(9)
)


def board(r: int) -> Board:
    """Return the board."""
    return BOARD


def start(r: int) -> tuple[int, int, int]:
    """Return the empty board."""
    return 0, 0, r


def pawns(r: int) -> int:
    """Return how many pawns a side has."""
    return PAWNS


def hands(w: int, b: int, r: int) -> tuple[int, int]:
    """Return how many pawns each side has still to place."""
    return PAWNS - w.bit_count(), PAWNS - b.bit_count()


@kernel
def legal(w: int, b: int, r: int, out: Buffer) -> int:
    """Return the judgement on a position, or put its legal steps."""
    own, last = (b, w) if r & 1 else (w, b)
    for k in range(6 if r & 4 else 8):
        if last & ROWS[k] == ROWS[k]:
            return won(1 - (r & 1), LINE)
    empty = 511 & ~(w | b)
    for group in range(GROUPS):
        out[group] = 0
    if popcount(own) < PAWNS:
        out[0] = empty
        return 0
    able = 0
    while empty:
        cell = lowest(empty)
        empty &= empty - 1
        out[1 + cell] = own & NEXT[cell]
        able |= out[1 + cell]
    return 0 if able else won(1 - (r & 1), BLOCKED)


@kernel
def play(w: int, b: int, r: int, step: int) -> tuple[int, int, int]:
    """Return the position after a legal step."""
    group, cell = group_and_cell(step)
    change = 1 << cell if group == 0 else 1 << cell | 1 << (group - 1)
    if r & 1:
        return w, b ^ change, r ^ 1
    return w ^ change, b, r ^ 1


@kernel
def superko(r: int) -> bool:
    """Tell whether a move must not bring back a position of the game."""
    return r & 2 != 0


def describe(w: int, b: int, r: int, step: int) -> Action:
    """Return what a legal step does."""
    group, cell = group_and_cell(step)
    if group == 0:
        return Action("place", target=cell)
    return Action("move", origin=cell, target=group - 1)
