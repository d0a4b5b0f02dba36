"""Value codes: win, draw or loss (WDL) and distance of a position in one number.

A draw is 0, a loss in d moves 2d + 1, a win in d moves 2d + 2: one byte holds distances up to 126.
During an analysis 0 also means "not decided yet"; positions that stay undecided are draws, because
endless play is a draw.
"""

from damier.jit import kernel

DRAW = 0
MAX_DISTANCE = 126  # the greatest distance that fits in a byte
HOLDING = 10_000  # distance of a win that needs no action: the count of moves runs out


@kernel
def code_of(distance: int, win: int) -> int:
    """Return the code of a win (1) or a loss (0) in a number of moves."""
    return 2 * distance + 1 + win


@kernel
def distance_of(code: int) -> int:
    """Return the number of moves to the end for the code of a win or a loss."""
    return (code - 1) >> 1


@kernel
def win_of(code: int) -> int:
    """Return 1 if a code, not 0, is a win, else 0."""
    return (code - 1) & 1


@kernel
def terminal_code(judgement: int, side: int) -> int:
    """Return the code of a finished position for the side to move; `judgement` is not 0."""
    outcome = judgement & 3
    if outcome == 3:
        return DRAW
    return code_of(0, 1 if outcome == 1 + side else 0)
