"""Observation planes of Fanorona.

Inside a chain (FA-7) three planes show the capturing pawn, the cells it must not return to, and the
cell that it would reach by going on in the last direction. The counts of moves without capture
(FA-10, FA-11) have eight planes each: one more for each eighth of the limit.
"""

from damier.games.board import AXES
from damier.games.constants import WHITE
from damier.games.planes import PARTS, flag, put_counter
from damier.jit import Buffer, kernel

from .rules import (
    BACK,
    BOARD_BIT,
    COUNT,
    COUNT_BIT,
    FORE,
    MIDTURN,
    PAWN,
    PAWN_BIT,
    STALL_BIT,
    STOP,
    closed_direction,
    endgame_limit,
    target_of,
)

NAMES = (
    "own pawns",
    "enemy pawns",
    "Black to move",
    "capturing pawn",
    "cells that the pawn must not return to",
    "cell in the direction that is closed",
    *(f"count of the endgame at least {k + 1}/{PARTS}" for k in range(PARTS)),
    *(f"count at least {k + 1}/{PARTS}" for k in range(PARTS)),
)
_EIGHT = (*AXES, *((-right, -up) for right, up in AXES))
DIRECTIONS = (*_EIGHT, *_EIGHT, *_EIGHT, None)
SINGLE = 1 << STOP


@kernel
def put_planes(w: int, b: int, r: int, out: Buffer) -> None:
    """Write the planes of a position to `out`."""
    closed = w & b
    own, enemy = (w, b) if r & 1 == WHITE else (b, w)
    out[0], out[1] = own & ~closed, enemy & ~closed
    out[2] = flag(r & 1)
    out[3], out[4], out[5] = 0, closed, 0
    if r & MIDTURN:
        cell = (r & PAWN) >> PAWN_BIT
        out[3] = 1 << cell
        d = closed_direction(r)
        if d >= 0:
            k = 4 * ((r >> BOARD_BIT) & 31) + (d & 3)
            if (FORE[k] if d < 4 else BACK[k]) >> cell & 1:
                out[5] = 1 << target_of(r, d, cell)
    count = (r & COUNT) >> COUNT_BIT
    put_counter(count, endgame_limit(w, b, r), out, 6)
    put_counter(count, (r >> STALL_BIT) & 4095, out, 6 + PARTS)
