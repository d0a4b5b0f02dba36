"""Teeko's positions as dense numbers, from the side of the player to move.

The rules are the same for both colours, so the mover's pawns come first. A tier has the same counts
of pawns: equal ones, or one pawn less for the mover while pawns are placed.
"""

from functools import cache
from typing import Any

from damier.jit import Buffer, kernel, lowest, popcount
from damier.solve.numbering.pairs import (
    COUNTS,
    Lookup,
    Pairs,
    cells_image,
    keepers_of,
    pair_of,
    pair_rank,
)

from . import rules

VERSION = 1  # increased when rules or numbering change, so that old tables are rejected
IGNORED: tuple[str, ...] = ()
ARRAYS = ("values",)
# By tier: the mover's pawns, and the other side's.
TIERS = tuple((k - extra, k) for k in range(rules.PAWNS + 1) for extra in (1, 0) if k >= extra)
# For each cell, the cells beside it, also diagonally.
NEAR = tuple(
    sum(1 << cell + rules.SHIFT[way] for way in range(8) if rules.MASK[way] >> cell & 1)
    for cell in range(rules.BOARD.size)
)


class TeekoSpace(Pairs):
    """Number space of Teeko's positions."""

    def __init__(self) -> None:
        super().__init__(rules.BOARD, 0, TIERS)
        self.ranges = [("play", 0, self.size)]


@cache
def space() -> TeekoSpace:
    """Return the number space, created once."""
    return TeekoSpace()


def space_for(ruleset: Any, header: Any) -> TeekoSpace:
    """Return the number space of a table, which is always the same."""
    return space()


@kernel
def number_of(w: int, b: int, r: int, t: Lookup) -> int:
    """Return the number of a position, or -1 if it has none."""
    own, enemy = (b, w) if r & 1 else (w, b)
    count, most = popcount(own), popcount(enemy)
    if most > rules.PAWNS or count > most or count + 1 < most or own & enemy:
        return -1
    return pair_rank(own, enemy, t)[0]


@kernel
def counts_of(number: int, t: Lookup) -> tuple[int, int]:
    """Return the counts of pawns of a number's tier: the mover's, and the other side's."""
    tiers, count, most = t[8], rules.PAWNS, rules.PAWNS
    while number < tiers[3 * (COUNTS * count + most)]:
        if count == most:
            count -= 1
        else:
            most -= 1
    return count, most


@kernel
def position_of(number: int, word: int, t: Lookup) -> tuple[int, int, int]:
    """Return the canonical position with a number, with White to move."""
    count, most = counts_of(number, t)
    own, enemy = pair_of(number, count, most, t)
    return own, enemy, word


@kernel
def canonical(number: int, t: Lookup) -> bool:
    """Return whether a number belongs to a canonical position; others are not used."""
    own, enemy, _ = position_of(number, 0, t)
    return pair_rank(own, enemy, t)[0] == number


@kernel
def orbit(number: int, t: Lookup) -> int:
    """Return how many positions a number represents: its images, in both colours."""
    own, enemy, _ = position_of(number, 0, t)
    same, keeping = 1, keepers_of(own, t)
    while keeping:
        if cells_image(enemy, lowest(keeping), t[7]) == enemy:
            same += 1
        keeping &= keeping - 1
    return 16 // same


@kernel
def probe_code(w: int, b: int, r: int, store: Buffer, t: Lookup) -> int:
    """Return the code of a position between moves, or -1 if it has no number."""
    number = number_of(w, b, r, t)
    return int(store[number]) if number >= 0 else -1


@kernel
def put(own: int, enemy: int, r: int, out: Buffer, count: int) -> int:
    """Append a position, given the mover's pawns; return the new count."""
    w, b = (enemy, own) if r & 1 else (own, enemy)
    out[3 * count], out[3 * count + 1], out[3 * count + 2] = w, b, r
    return count + 1


@kernel
def parents(w: int, b: int, r: int, out: Buffer, t: Lookup) -> int:
    """Write the positions one move before a position to `out`; return how many."""
    mover, other = (w, b) if r & 1 else (b, w)
    pawns, count = mover, 0
    while pawns:
        cell = lowest(pawns)
        pawns &= pawns - 1
        before = mover ^ 1 << cell
        count = put(before, other, r ^ 1, out, count)
        if popcount(mover) == rules.PAWNS:
            origins = NEAR[cell] & ~(w | b)
            while origins:
                count = put(before | origins & -origins, other, r ^ 1, out, count)
                origins &= origins - 1
    return count
