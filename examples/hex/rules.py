"""Hex: join your two sides of the board with a chain of pawns.

The players place pawns in turn. White joins the lower side with the upper one, Black the left side
with the right one; one of them always succeeds. Invented by Piet Hein in 1942 and by John Nash in
1948.
"""

from damier.games.board import HEXAGONAL, Board
from damier.games.constants import OWN_REASON, choice, group_and_cell, won
from damier.games.steps import Action
from damier.jit import Buffer, kernel

NAME = "hex"
OPTIONS = (choice("size", 1, "5x5", "4x4", "3x3"),)
PRESETS = {"small": {}, "tiny": {"size": "3x3"}}
REASONS, JOINED = ("joined",), OWN_REASON
PLACE, GROUPS, FINAL = 0, 1, 1


def _rhombus(size: int) -> Board:
    """Return a board of hexagons; a half-turn keeps each player's sides."""
    first, last = sum(1 << size * k for k in range(size)), (1 << size) - 1
    sides = first | first << size - 1
    ends = last | last << size * (size - 1)
    places = {"corner": ends & sides, "white": ends & ~sides, "black": sides & ~ends}
    return Board(size, size, places=places, hexagonal=True, symmetry=("half-turn",))


BOARDS = (_rhombus(5), _rhombus(4), _rhombus(3))
ALL = tuple(board.cells for board in BOARDS)
# By size, White's side to start from and to reach, then Black's.
SIDES = tuple(
    side
    for n in (5, 4, 3)
    for low in ((1 << n) - 1,)
    for left in (sum(1 << n * k for k in range(n)),)
    for side in (low, low << n * (n - 1), left, left << n - 1)
)
SHIFT = tuple(board.shift(way) for board in BOARDS for way in HEXAGONAL[:3])
MASK = tuple(board.mask(way) for board in BOARDS for way in HEXAGONAL[:3])


def board(r: int) -> Board:
    """Return the board."""
    return BOARDS[r >> 1 & 3]


def start(r: int) -> tuple[int, int, int]:
    """Return the empty board."""
    return 0, 0, r


@kernel
def joined(pawns: int, side: int, size: int) -> bool:
    """Tell whether a player's pawns join the two sides, by spreading from one of them."""
    reached, before = pawns & SIDES[4 * size + 2 * side], 0
    while reached != before:
        before = reached
        for k in range(3 * size, 3 * size + 3):
            reached |= (reached & MASK[k]) << SHIFT[k] & pawns
            reached |= reached >> SHIFT[k] & MASK[k] & pawns
    return reached & SIDES[4 * size + 2 * side + 1] != 0


@kernel
def legal(w: int, b: int, r: int, out: Buffer) -> int:
    """Return how the game has ended; or 0, and in `out` the empty cells."""
    side, size = r & 1, r >> 1 & 3
    if joined(b if side == 0 else w, 1 - side, size):
        return won(1 - side, JOINED)
    out[PLACE] = ALL[size] & ~(w | b)
    return 0


@kernel
def play(w: int, b: int, r: int, step: int) -> tuple[int, int, int]:
    """Return the position after a legal step."""
    _, cell = group_and_cell(step)
    if r & 1:
        return w, b | 1 << cell, r ^ 1
    return w | 1 << cell, b, r ^ 1


def describe(w: int, b: int, r: int, step: int) -> Action:
    """Return what a legal step does."""
    return Action("place", target=group_and_cell(step)[1])


def hands(w: int, b: int, r: int) -> tuple[int, int]:
    """Return how many pawns each side may still have to place."""
    half = board(r).size // 2
    return half + board(r).size % 2 - w.bit_count(), half - b.bit_count()


def shown(w: int, b: int, r: int, judgement: int) -> int:
    """Return the winner's pawns that are joined to their side."""
    pawns, side, size = (b, 1, r >> 1 & 3) if judgement & 3 == 2 else (w, 0, r >> 1 & 3)
    reached = pawns & SIDES[4 * size + 2 * side]
    near = board(r).near
    for _ in range(board(r).size):
        for i in range(board(r).size):
            reached |= near[i] & pawns if reached >> i & 1 else 0
    return reached
