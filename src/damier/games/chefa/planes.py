"""Observation planes of Chefa.

The swap that the ko forbids (CH-7) has two planes: the cell of the mover's pawn and the cell of the
enemy pawn. How many pawns are still in hand follows from the pawns on the board.
"""

from damier.games.board import ORTHOGONAL
from damier.games.constants import WHITE, group_and_cell
from damier.games.planes import flag
from damier.jit import Buffer, kernel, popcount

from .rules import KO, KO_BIT, PAWNS, swap_partner

NAMES = (
    "own pawns",
    "enemy pawns",
    "Black to move",
    "the mover places a pawn",
    "own pawn of the forbidden swap",
    "enemy pawn of the forbidden swap",
)
DIRECTIONS = (None, *ORTHOGONAL, *ORTHOGONAL)
SINGLE = 0


@kernel
def put_planes(w: int, b: int, r: int, out: Buffer) -> None:
    """Write the planes of a position to `out`."""
    own, enemy = (w, b) if r & 1 == WHITE else (b, w)
    out[0], out[1] = own, enemy
    out[2] = flag(r & 1)
    out[3] = flag(1 if popcount(own) < PAWNS else 0)
    out[4], out[5] = 0, 0
    ko = (r & KO) >> KO_BIT
    if ko:
        group, cell = group_and_cell(ko)
        out[4], out[5] = 1 << cell, 1 << swap_partner(enemy, group, cell)
