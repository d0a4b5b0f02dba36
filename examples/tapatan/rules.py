"""Tapatan: place three pawns, then slide them until they stand in a row.

A game of the Philippines, as Stewart Culin describes it in "Philippine Games" (American
Anthropologist, 1900, p. 648). The board has nine points, joined along its sides, through its middle
and along both diagonals. White and Black, three pawns each, first place them in turn on empty
points. Then a move slides one pawn along a line to the next point, if that is empty. A player with
three pawns in a row along a line wins at once, also while placing.

Culin does not say how an endless game ends. Here the third occurrence of a position is a draw, as
in all games that do not say otherwise. No player can be blocked.
"""

from damier.games.board import Board
from damier.games.constants import LINE, WHITE, group_and_cell, won
from damier.games.steps import Action
from damier.jit import Buffer, kernel, popcount

NAME = "tapatan"
PAWNS = 3
COLOUR_SWAP = True  # both sides have the same rules

BOARD = Board.lined(3, 3)
ALL = BOARD.cells
NEAR = BOARD.near  # for each point, the points that a pawn on it can slide to
ROWS = BOARD.rows(3)

# Groups of steps: group 0 places a pawn on the step's cell; group 1 + c slides the pawn on point c
# to the step's cell.
PLACE, SLIDE = 0, 1
GROUPS = SLIDE + BOARD.size
FINAL = (1 << GROUPS) - 1  # every move is one step
ONE_STEP_UNIQUE = True  # no two moves reach the same position


def start(r: int) -> tuple[int, int, int]:
    """Return the starting position, an empty board."""
    return 0, 0, r


@kernel
def in_a_row(pawns: int) -> bool:
    """Return whether three pawns of a side are in a row."""
    for k in range(len(ROWS)):
        if pawns & ROWS[k] == ROWS[k]:
            return True
    return False


@kernel
def legal(w: int, b: int, r: int, out: Buffer) -> int:
    """Return how the game has ended, or 0; then `out` has the legal steps of each group."""
    own, enemy = (w, b) if r & 1 == WHITE else (b, w)
    if in_a_row(enemy):
        return won(1 - (r & 1), LINE)
    if in_a_row(own):
        return won(r & 1, LINE)
    empty = ALL & ~(w | b)
    placing = popcount(own) < PAWNS
    out[PLACE] = empty if placing else 0
    for cell in range(len(NEAR)):
        slides = not placing and own >> cell & 1
        out[SLIDE + cell] = NEAR[cell] & empty if slides else 0
    return 0


@kernel
def play(w: int, b: int, r: int, step: int) -> tuple[int, int, int]:
    """Return the position after a legal step, with the other side to move."""
    group, cell = group_and_cell(step)
    change = 1 << cell
    if group != PLACE:
        change |= 1 << (group - SLIDE)
    if r & 1 == WHITE:
        return w ^ change, b, r ^ 1
    return w, b ^ change, r ^ 1


def describe(w: int, b: int, r: int, step: int) -> Action:
    """Return the action that a step performs."""
    group, cell = group_and_cell(step)
    if group == PLACE:
        return Action("place", target=cell)
    return Action("move", origin=group - SLIDE, target=cell)


def hands(w: int, b: int, r: int) -> tuple[int, int]:
    """Return how many pawns each side has still to place."""
    return PAWNS - popcount(w), PAWNS - popcount(b)
