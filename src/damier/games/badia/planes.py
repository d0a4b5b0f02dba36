"""Observation planes of Badia.

The marks (BA-6) have a plane for each side. A lifted pawn (BA-8, BA-9) has a plane if the mover
drops their own and one if they put the enemy's, and each of these one more for a marked pawn.
"""

from damier.games.board import ORTHOGONAL
from damier.games.constants import WHITE
from damier.games.planes import flag
from damier.jit import Buffer, kernel, popcount

from .rules import AIR_BIT, DROP, MARKED, PAWNS, PUTTING, mark

NAMES = (
    "own pawns",
    "enemy pawns",
    "Black to move",
    "the mover places a pawn",
    "own marked pawn",
    "enemy marked pawn",
    "the mover drops their lifted pawn",
    "the pawn to drop is marked",
    "the mover puts an enemy pawn",
    "the pawn to put is marked",
)
DIRECTIONS = (None, *ORTHOGONAL, None)
SINGLE = 0


@kernel
def put_planes(w: int, b: int, r: int, out: Buffer) -> None:
    """Write the planes of a position to `out`."""
    side = r & 1
    own, enemy = (w, b) if side == WHITE else (b, w)
    out[0], out[1] = own, enemy
    out[2] = flag(side)
    out[3] = flag(1 if not r & (DROP | PUTTING) and popcount(own) < PAWNS else 0)
    for k in range(2):
        cell_and_1 = mark(r, side ^ k)
        out[4 + k] = 1 << (cell_and_1 - 1) if cell_and_1 else 0
    out[6] = flag(r & DROP)
    out[7] = flag(1 if (r & DROP) >> AIR_BIT == MARKED else 0)
    out[8] = flag(r & PUTTING)
    out[9] = flag(1 if (r & PUTTING) >> (AIR_BIT + 2) == MARKED else 0)
