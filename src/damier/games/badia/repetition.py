"""Steps of Badia that cannot repeat a position, because they keep a part that is new."""

from damier.games.board import toward
from damier.games.constants import WHITE
from damier.games.repetition import OCCUPIED
from damier.jit import Buffer, kernel

from .rules import CELLS, DISPLACE, DROP, FAR, GROUPS, NEAR, NORMAL, PUTTING, SHIFT


@kernel
def may_repeat(w: int, b: int, r: int, seen: int, steps: Buffer) -> None:
    """Remove the steps that cannot lead to an earlier position.

    BA-7: a displacement to an empty cell keeps the enemy's pawns, and a swap keeps the occupied
    cells. BA-8, BA-9: putting an enemy pawn keeps the mover's own. After a drop (BA-9) the same
    side moves.
    """
    side = r & 1
    own, enemy = (w, b) if side == WHITE else (b, w)
    if r & PUTTING:
        if not seen >> side & 1:
            for group in range(GROUPS):
                steps[group] = 0
        return
    if r & DROP:
        return
    kept = 0  # targets of displacements that cannot repeat
    if not seen >> (1 - side) & 1:
        kept = CELLS & ~(own | enemy)
    if not seen & OCCUPIED:
        kept |= enemy & NORMAL
    for d in range(4):
        steps[DISPLACE + d] &= ~(
            toward(kept, SHIFT[d], NEAR[d]) | toward(kept, 2 * SHIFT[d], FAR[d])
        )
