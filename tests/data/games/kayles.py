"""Kayles on a board: place a pawn away from all others; who cannot place loses.

On 4×4 cells the second player wins by copying each move, turned by 180 degrees.
"""

from damier.games.board import Board
from damier.games.constants import BLOCKED, won
from damier.games.steps import Action
from damier.jit import Buffer, kernel

NAME = "kayles"
GROUPS = 1
BOARD = Board(4, 4)
COLOUR_SWAP = True
ALL, LEFT, RIGHT = BOARD.cells, 0x1111, 0x8888


def board(r: int) -> Board:
    """Return the board."""
    return BOARD


def start(r: int) -> tuple[int, int, int]:
    """Return the empty board."""
    return 0, 0, r


@kernel
def legal(w: int, b: int, r: int, out: Buffer) -> int:
    """Return the judgement on a position, or put its legal steps."""
    taken = w | b
    near = taken | taken << 4 | taken >> 4 | (taken & ~RIGHT) << 1 | (taken & ~LEFT) >> 1
    out[0] = ALL & ~near
    return 0 if out[0] else won(1 - (r & 1), BLOCKED)


@kernel
def play(w: int, b: int, r: int, step: int) -> tuple[int, int, int]:
    """Return the position after a legal step."""
    if r & 1:
        return w, b | 1 << step, r ^ 1
    return w | 1 << step, b, r ^ 1


def describe(w: int, b: int, r: int, step: int) -> Action:
    """Return what a legal step does."""
    return Action("place", target=step)
