"""How a value is kept in one number, win, draw or loss (WDL) and the distance together.

A draw is 0, a loss in d turns 2d + 1, a win in d turns 2d + 2: one byte holds distances up to 126.
While an analysis is at work, 0 also means "not decided yet": what stays so is a draw, because play
that never ends is one.
"""

from damier.jit import kernel

DRAW = 0
LONGEST = 126  # the longest distance that a byte holds
HOLDING = 10_000  # stands for the distance of a win that needs no more than holding on


@kernel
def code_of(distance: int, win: int) -> int:
    """Return the code of a win (1) or a loss (0) in a number of turns."""
    return 2 * distance + 1 + win


@kernel
def distance_of(code: int) -> int:
    """Return the number of turns to the end that a code of a win or a loss means."""
    return (code - 1) >> 1


@kernel
def win_of(code: int) -> int:
    """Return 1 if a code other than 0 means a win, else 0."""
    return (code - 1) & 1


@kernel
def judged(judgement: int, side: int) -> int:
    """Return the code of a finished position for the side to move; `judgement` is not 0."""
    outcome = judgement & 3
    if outcome == 3:
        return DRAW
    return code_of(0, 1 if outcome == 1 + side else 0)
