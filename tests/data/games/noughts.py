"""Noughts and crosses: three in a row on an empty board of nine.

`reward` says what the third occurrence of a position would be; none ever occurs.
"""

from damier.games.board import Board
from damier.games.constants import LINE, REPETITION, STALLED, choice, drawn, won
from damier.games.steps import Action
from damier.jit import Buffer, kernel

NAME = "noughts"
GROUPS = 1
BOARD = Board(3, 3)
OPTIONS = (choice("reward", 1, "draw", "win"),)
ROWS = (0b111, 0b111000, 0b111000000, 0b1001001, 0b10010010, 0b100100100, 0b100010001, 0b1010100)


def board(r: int) -> Board:
    """Return the board."""
    return BOARD


def start(r: int) -> tuple[int, int, int]:
    """Return the empty board."""
    return 0, 0, r


def hands(w: int, b: int, r: int) -> tuple[int, int]:
    """Return how many pawns each side has still to place."""
    return 5 - w.bit_count(), 4 - b.bit_count()


@kernel
def legal(w: int, b: int, r: int, out: Buffer) -> int:
    """Return the judgement on a position, or put its legal steps."""
    last = w if r & 1 else b
    for k in range(len(ROWS)):
        if last & ROWS[k] == ROWS[k]:
            return won(1 - (r & 1), LINE)
    out[0] = 511 & ~(w | b)
    return 0 if out[0] else drawn(STALLED)


@kernel
def play(w: int, b: int, r: int, step: int) -> tuple[int, int, int]:
    """Return the position after a legal step."""
    if r & 1:
        return w, b | 1 << step, r ^ 1
    return w | 1 << step, b, r ^ 1


@kernel
def repeated(w: int, b: int, r: int) -> int:
    """Return the judgement on a third occurrence."""
    return won(0, REPETITION) if r & 2 else drawn(REPETITION)


def describe(w: int, b: int, r: int, step: int) -> Action:
    """Return what a legal step does."""
    return Action("place", target=step)
