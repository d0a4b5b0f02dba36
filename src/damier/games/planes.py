"""Default observation planes: pawns, side to move, and where a step can be played.

A kernel template, like every game's `planes.py`: `rules` stands for the game's rules. A plane is a
set of cells as bits. Planes are seen from the side to move and follow the board's symmetries: the
planes of a position's image are the images of its planes.

A third word that holds more than the side to move and the unfinished move is not visible here; a
game that has such a word needs its own planes.
"""

from damier.games.board import Direction
from damier.games.constants import WHITE
from damier.games.contract import RulesKernels
from damier.jit import Buffer, buffer, kernel, placeholder

rules: RulesKernels = placeholder()

NAMES = (
    "own pawns",
    "enemy pawns",
    "Black to move",
    "inside a move",
    "cells that name a legal step",
)
# The direction that each group of steps goes to, by which the symmetries of the board map steps.
# Empty: the groups are unknown, and only the identity maps steps.
DIRECTIONS: tuple[Direction | None, ...] = ()
SINGLE = 0  # the groups whose only step is named by cell 0, which is no cell of the board; as bits

EVERYWHERE = (1 << 63) - 1
PARTS = 8  # planes of a counter


@kernel
def put_planes(w: int, b: int, r: int, out: Buffer) -> None:
    """Write the planes of a position to `out`."""
    out[0], out[1] = (w, b) if r & 1 == WHITE else (b, w)
    out[2] = flag(r & 1)
    out[3] = flag(r & rules.MIDTURN)
    legal, cells = buffer(rules.GROUPS), 0
    if not rules.legal(w, b, r, legal):
        for group in range(rules.GROUPS):
            cells |= legal[group]
    out[4] = cells


@kernel
def flag(bits: int) -> int:
    """Return the plane of a condition: every cell if any bit is set, else none."""
    return EVERYWHERE if bits else 0


@kernel
def put_counter(count: int, most: int, out: Buffer, at: int) -> None:
    """Write the planes of a counter to `out`: plane k is set from (k + 1) / 8 of the limit on.

    A limit of 0 stands for no limit; then no plane is set.
    """
    for k in range(PARTS):
        out[at + k] = flag(1 if most and count * PARTS >= (k + 1) * most else 0)
