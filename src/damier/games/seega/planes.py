"""Observation planes of Seega.

Pawns in hand follow from the pawns on the board while none has been captured; with captures during
placement, the number of placements left has planes of its own. The count of moves without capture
(SE-10) has eight planes: one more for each eighth of the limit.
"""

from damier.games.board import ORTHOGONAL
from damier.games.constants import WHITE
from damier.games.planes import PARTS, flag, put_counter
from damier.jit import Buffer, kernel

from .rules import (
    COUNT,
    COUNT_BIT,
    HANDS,
    MIDTURN,
    PASS,
    PASSED,
    PAWN_BIT,
    PAWNS,
    PLACING,
    SIZE_BIT,
    STALL_BIT,
    STATE,
    hand,
)

NAMES = (
    "own pawns",
    "enemy pawns",
    "Black to move",
    "the mover places a pawn",
    "first move after placing",
    "the opponent has passed",
    "pawn that continues, or that was placed first",
    *(f"own hand at least {k + 1}/{PARTS}" for k in range(PARTS)),
    *(f"count at least {k + 1}/{PARTS}" for k in range(PARTS)),
)
DIRECTIONS = (None, *ORTHOGONAL, None)
SINGLE = 1 << PASS


@kernel
def put_planes(w: int, b: int, r: int, out: Buffer) -> None:
    """Write the planes of a position to `out`."""
    out[0], out[1] = (w, b) if r & 1 == WHITE else (b, w)
    out[2] = flag(r & 1)
    out[3] = flag(r & HANDS)
    out[4] = flag(1 if r & STATE == PLACING and not r & HANDS else 0)
    out[5] = flag(1 if r & STATE == PASSED else 0)
    out[6] = 1 << (((r & MIDTURN) >> PAWN_BIT) - 1) if r & MIDTURN else 0
    put_counter(hand(r, r & 1), PAWNS[(r >> SIZE_BIT) & 1], out, 7)
    put_counter((r & COUNT) >> COUNT_BIT, (r >> STALL_BIT) & 4095, out, 7 + PARTS)
