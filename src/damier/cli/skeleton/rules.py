"""Mygame: be the first to have three pawns in a row.

This is a complete game: play it, then change it into your own. White and Black in turn place a pawn
on an empty cell of a 3 × 3 board. Three pawns in a row win; a full board is a draw.

Lists of games show the first line of this text. The whole text is the page of rules until you write
page.en.md and page.fr.md.
"""

from damier.games.board import Board
from damier.games.constants import LINE, OWN_REASON, WHITE, drawn, group_and_cell, won
from damier.games.steps import Action
from damier.jit import Buffer, kernel

NAME = "mygame"  # identifies the game everywhere: one word in lower case

# Cells are numbered from a1 = 0 along the ranks: b1 = 1, c1 = 2, a2 = 3 …
# A set of cells is an integer: bit i is set if cell i belongs to the set.
BOARD = Board(3, 3)
ALL = BOARD.cells
ROWS = BOARD.rows(3)  # all straight rows of three cells

# A step is the integer 64 * group + cell. Each kind of step of your game is a group; this game has
# one.
PLACE = 0
GROUPS = 1
FINAL = 1 << PLACE  # the groups whose steps always end a move, as bits

# Reasons for the end of a game, in addition to the common ones in damier.games.constants.
REASONS, FULL = ("full",), OWN_REASON

COLOUR_SWAP = True  # both sides have the same rules


def board(r: int) -> Board:
    """Return the board."""
    return BOARD


def start(r: int) -> tuple[int, int, int]:
    """Return the starting position: White's pawns, Black's pawns, and a word for everything else.

    Bit 0 of the word is the side to move, 0 for White. `r` contains the options of the game, if it
    has any, and the returned word must contain them too.
    """
    return 0, 0, r


# Functions marked @kernel are compiled for the search and the solver. They may use only integers,
# tuples of integers and other kernels. All values must be from 0 to 2**63 - 1.


@kernel
def in_a_row(pawns: int) -> bool:
    """Return whether three pawns are in a row."""
    for k in range(len(ROWS)):
        if pawns & ROWS[k] == ROWS[k]:
            return True
    return False


@kernel
def legal(w: int, b: int, r: int, out: Buffer) -> int:
    """Return how the game has ended, or 0 after writing the legal steps of each group to `out`."""
    side = r & 1
    if in_a_row(b if side == WHITE else w):  # the other side has just completed a row
        return won(1 - side, LINE)
    empty = ALL & ~(w | b)
    if not empty:
        return drawn(FULL)
    out[PLACE] = empty
    return 0


@kernel
def play(w: int, b: int, r: int, step: int) -> tuple[int, int, int]:
    """Return the position after a legal step."""
    _, cell = group_and_cell(step)
    if r & 1 == WHITE:
        return w | 1 << cell, b, r ^ 1
    return w, b | 1 << cell, r ^ 1


def describe(w: int, b: int, r: int, step: int) -> Action:
    """Return what a legal step does; its text, arrow and animation are made from this."""
    _, cell = group_and_cell(step)
    return Action("place", target=cell)
