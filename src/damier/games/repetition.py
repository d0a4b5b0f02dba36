"""Default of a game's `repetition.py`: what is known about steps that bring positions back.

It makes histories of many games smaller and faster, and never changes a result. Everything in it
follows from the rules; the defaults claim nothing.
"""

from damier.jit import Buffer, kernel

# Whether no position from before a capture that counts for repetition can come back after it.
FINAL_CAPTURES = False

# Parts of a position, as bits.
WHITE_PAWNS, BLACK_PAWNS, OCCUPIED = 1, 2, 4


@kernel
def may_repeat(w: int, b: int, r: int, seen: int, steps: Buffer) -> None:
    """Remove from `steps`, sets of cells for each group, those that cannot lead to a repetition.

    `seen` has the parts of the position that an earlier position with the other side to move had
    too. A step can be removed if it leads to positions with the other side to move alone, and all
    of them keep one part of this position that has not been seen. By default none is removed.
    """
