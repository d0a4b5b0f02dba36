"""Stands where a numbering would be, for a proof with rules alone: it holds no position."""

from damier.jit import Buffer, kernel


@kernel
def probe_code(w: int, b: int, r: int, store: Buffer, t: Buffer) -> int:
    """Return -1: the position is not held."""
    return -1


@kernel
def uncounted(r: int) -> int:
    """Return the third word as it is: whatever it counts matters."""
    return r
