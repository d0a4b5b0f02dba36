"""Observation planes of Fraha.

The colours have different goals, so the side to move has a plane. Inside a move, one plane has the
displaced pawn and one the enemy pawns that are still to be teleported (FR-5).
"""

from damier.games.board import ORTHOGONAL
from damier.games.constants import WHITE
from damier.games.planes import flag
from damier.jit import Buffer, kernel, lowest

from .rules import MIDTURN, PAWN_BIT, SHIFT, TOUCHED_BIT

NAMES = (
    "own pawns",
    "enemy pawns",
    "Black to move",
    "displaced pawn",
    "pawns still to be teleported",
)
DIRECTIONS = (*ORTHOGONAL, *ORTHOGONAL)
SINGLE = 0


@kernel
def put_planes(w: int, b: int, r: int, out: Buffer) -> None:
    """Write the planes of a position to `out`."""
    out[0], out[1] = (w, b) if r & 1 == WHITE else (b, w)
    out[2] = flag(r & 1)
    out[3], out[4] = 0, 0
    if r & MIDTURN:
        pawn = (r >> PAWN_BIT) & 31
        out[3] = 1 << pawn
        touched = (r & MIDTURN) >> TOUCHED_BIT
        while touched:
            out[4] |= 1 << (pawn + SHIFT[lowest(touched)])
            touched &= touched - 1
