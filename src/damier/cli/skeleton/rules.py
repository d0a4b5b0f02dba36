"""Mygame: be the first to have three pawns in a row.

This is a whole game: play it, then change it into yours. White and Black place a pawn each in turn
on an empty cell of a board of 3 × 3. Three in a row wins; a full board is a draw.

The first line above is shown wherever games are listed, and all of this text is the page of rules
until you write page.en.md and page.fr.md.
"""

from damier.games.board import Board
from damier.games.steps import Action
from damier.games.terms import LINE, OWN_REASON, WHITE, drawn, group_and_cell, won
from damier.jit import Buffer, kernel

NAME = "mygame"  # by which everything finds it: one word in small letters

# A board of cells, which are numbered from a1 = 0 along the ranks: b1 = 1, c1 = 2, a2 = 3 …
# A set of cells is one integer, whose bit i is set if cell i belongs to it.
BOARD = Board(3, 3)
ALL = BOARD.cells
ROWS = BOARD.rows(3)  # all straight rows of three cells

# A step is 64 * group + cell. Number the kinds of steps of your game as groups: here there is one.
PLACE = 0
GROUPS = 1
FINAL = 1 << PLACE  # the groups whose steps end a turn, as bits

# Why a game can end, beside the reasons that many games have (see damier.games.terms).
REASONS, FULL = ("full",), OWN_REASON

COLOUR_SWAP = True  # both sides have the same rules


def board(r: int) -> Board:
    """Return the board."""
    return BOARD


def start(r: int) -> tuple[int, int, int]:
    """Return the start: White's pawns, Black's pawns, and a word for the rest.

    Bit 0 of the word is the side to move, 0 for White. `r` has the options of the game, if it has
    any: keep them.
    """
    return 0, 0, r


# What is marked @kernel is compiled for the search and the solver: it computes with integers,
# tuples of integers and other kernels alone. No value is negative or reaches 2**63.


@kernel
def in_a_row(pawns: int) -> bool:
    """Tell whether three pawns are in a row."""
    for k in range(len(ROWS)):
        if pawns & ROWS[k] == ROWS[k]:
            return True
    return False


@kernel
def legal(w: int, b: int, r: int, out: Buffer) -> int:
    """Return how the game has ended; or 0, and put into `out` the legal steps of every group."""
    side = r & 1
    if in_a_row(b if side == WHITE else w):  # the other side has just placed its third
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
    """Return what a legal step does: its text, its arrow, its animation are made from this."""
    _, cell = group_and_cell(step)
    return Action("place", target=cell)
