"""Crosses: noughts and crosses whose options are known to matter, or not.

With `diagonals=no` three in a diagonal do not win; `ink` means nothing; with `full=second` a full
board is won by the second player.
"""

from damier.games.board import Board
from damier.games.constants import LINE, STALLED, choice, drawn, won
from damier.games.steps import Action
from damier.jit import Buffer, kernel

NAME = "crosses"
GROUPS = 1
BOARD = Board(3, 3)
OPTIONS = (
    choice("diagonals", 1, "yes", "no"),
    choice("ink", 2, "black", "blue"),
    choice("full", 3, "draw", "second"),
)
PRESETS: dict[str, dict[str, str]] = {"usual": {}}
ROWS = (0b111, 0b111000, 0b111000000, 0b1001001, 0b10010010, 0b100100100, 0b100010001, 0b1010100)
COLOUR_SWAP = False


def board(r: int) -> Board:
    """Return the board."""
    return BOARD


def start(r: int) -> tuple[int, int, int]:
    """Return the empty board."""
    return 0, 0, r


@kernel
def complete(cells: int, r: int) -> bool:
    """Tell whether pawns stand in a row."""
    for k in range(6 if r & 2 else 8):
        if cells & ROWS[k] == ROWS[k]:
            return True
    return False


@kernel
def legal(w: int, b: int, r: int, out: Buffer) -> int:
    """Return the judgement on a position, or put its legal steps."""
    if complete(w, r):
        return won(0, LINE)
    if complete(b, r):
        return won(1, LINE)
    out[0] = 511 & ~(w | b)
    if out[0]:
        return 0
    return won(1, STALLED) if r & 8 else drawn(STALLED)


@kernel
def play(w: int, b: int, r: int, step: int) -> tuple[int, int, int]:
    """Return the position after a legal step."""
    if r & 1:
        return w, b | 1 << step, r ^ 1
    return w | 1 << step, b, r ^ 1


def describe(w: int, b: int, r: int, step: int) -> Action:
    """Return what a legal step does."""
    return Action("place", target=step)
