"""Fated: four pawns are placed, wherever; the option `ending` says what happens then.

No move matters, so every figure of a report is known. With `never` the board is cleared and the
game goes on without end.
"""

from damier.games.board import Board
from damier.games.constants import LINE, STALLED, choice, drawn, won
from damier.games.steps import Action
from damier.jit import Buffer, kernel, popcount

NAME = "fated"
GROUPS = 1
BOARD = Board(3, 3)
OPTIONS = (choice("ending", 1, "first", "second", "draw", "never"),)
MOVES = 4


def board(r: int) -> Board:
    """Return the board."""
    return BOARD


def start(r: int) -> tuple[int, int, int]:
    """Return the empty board."""
    return 0, 0, r


@kernel
def legal(w: int, b: int, r: int, out: Buffer) -> int:
    """Return the judgement on a position, or put its legal steps."""
    ending = r >> 1 & 3
    if popcount(w | b) == MOVES and ending < 3:
        return drawn(STALLED) if ending == 2 else won(ending, LINE)
    out[0] = 511 & ~(w | b)
    return 0


@kernel
def play(w: int, b: int, r: int, step: int) -> tuple[int, int, int]:
    """Return the position after a legal step."""
    if popcount(w | b) == MOVES:
        w, b = 0, 0
    if r & 1:
        return w, b | 1 << step, r ^ 1
    return w | 1 << step, b, r ^ 1


@kernel
def repeatable(w: int, b: int, r: int) -> bool:
    """Tell whether a position counts as repeated: none does."""
    return False


def describe(w: int, b: int, r: int, step: int) -> Action:
    """Return what a legal step does."""
    return Action("place", target=step)
