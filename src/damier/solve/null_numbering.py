"""Numbering that holds no position.

It replaces a game's numbering in kernel templates that run without a table.
"""

from damier.jit import Buffer, kernel


@kernel
def probe_code(w: int, b: int, r: int, store: Buffer, t: Buffer) -> int:
    """Return -1: no table holds the position."""
    return -1


@kernel
def uncounted(r: int) -> int:
    """Return the third word unchanged, with any count of moves in it."""
    return r
