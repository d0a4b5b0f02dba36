"""Kernels that compare two tables of one game under different options, position by position.

A template: `space` is the module that numbers the game's positions. Each kind of numbering has a
kernel of its own, because each decodes numbers in its own way.
"""

from typing import Any

from damier.jit import Buffer, kernel, placeholder
from damier.solve.numbering.pairs import keepers_of, pair_of, pair_rank
from damier.solve.value_codes import win_of

space: Any = placeholder()
Store = Any
Tables = Any

# The other table: its values, its numbering, the bits of the options, and the word of its options.
Other = tuple[Store, Tables, int, int]
# Indices of a tally: positions in both tables; those with another outcome; those with the same
# outcome at another distance.
BOTH, OUTCOME, DISTANCE = 0, 1, 2


@kernel
def outcome_of(code: int) -> int:
    """Return 0 for a draw, 1 for a loss and 2 for a win."""
    return 0 if code == 0 else 1 + win_of(code)


@kernel
def add(w: int, b: int, r: int, images: int, one: int, other: Other, tally: Buffer) -> None:
    """Add a position with its code in the first table to a tally."""
    two = space.probe_code(w, b, (r & ~other[2]) | other[3], other[0], other[1])
    if one >= 0 and two >= 0:
        tally[BOTH] += images
        if outcome_of(one) != outcome_of(two):
            tally[OUTCOME] += images
        elif one != two:
            tally[DISTANCE] += images


@kernel
def compare_whole(
    low: int, high: int, word: int, store: Store, t: Tables, other: Other, tally: Buffer
) -> None:
    """Compare the positions of a range of numbers, for a numbering of all positions."""
    for number in range(low, high):
        if space.canonical(number, t):
            w, b, r = space.position_of(number, word, t)
            code = space.probe_code(w, b, r, store, t)
            add(w, b, r, space.orbit(number, t), code, other, tally)


@kernel
def compare_listed(
    low: int, high: int, word: int, store: Store, t: Tables, other: Other, tally: Buffer
) -> None:
    """Compare the positions of a range of numbers, for a list of positions up to symmetry."""
    for number in range(low, high):
        w, b, r = space.position_at(number, store[1], t)
        add(w, b, r, 1, int(store[0][number]), other, tally)


@kernel
def compare_tier(
    low: int, high: int, word: int, store: Store, t: Tables, other: Other, tier: int, tally: Buffer
) -> None:
    """Compare the positions of a range of numbers in a tier, 64 times White's pawns plus Black's.

    White is to move, and no moves without capture are counted.
    """
    for number in range(low, high):
        w, b = pair_of(number, tier >> 6, tier & 63, t[0])
        if keepers_of(w, t[0]) == 0 or pair_rank(w, b, t[0])[0] == number:
            add(w, b, word, 1, space.probe_code(w, b, word, store, t), other, tally)
