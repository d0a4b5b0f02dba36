"""The default numbering: a position's number is its place in the sorted list of all positions.

The list is that of the positions between turns that play reaches from the start, and is part of the
table: of each position its three words, in three arrays. Images under symmetries are listed apart.
"""

from collections.abc import Mapping
from typing import Any

from damier.jit import Buffer, Home, kernel
from damier.position import Rules

VERSION = 1  # of the list; which rules made it, `version_of` adds
IGNORED: tuple[str, ...] = ()
ARRAYS = ("values", "white", "black", "rest")

Tables = Buffer  # nothing is looked up but the list itself
Store = tuple[Buffer, Buffer, Buffer, Buffer]


class Space:
    """As many numbers as the list has positions."""

    def __init__(self, size: int) -> None:
        self.size = size

    def lookup(self, home: Home) -> Any:
        """Return what the kernels look up beside the table: nothing."""
        return home.zeros(1)


def space_for(rules: Rules, header: Mapping[str, Any]) -> Space:
    """Return the numbers that a table uses."""
    return Space(int(header["positions"]))


@kernel
def before(w: int, b: int, r: int, number: int, store: Store) -> bool:
    """Tell whether the position with a number comes before another in the list."""
    _, white, black, rest = store
    if int(white[number]) != w:
        return int(white[number]) < w
    if int(black[number]) != b:
        return int(black[number]) < b
    return int(rest[number]) < r


@kernel
def number_of(w: int, b: int, r: int, store: Store) -> int:
    """Return the number of a position, or -1 if it is not listed."""
    low, high = 0, len(store[1])
    while low < high:
        middle = (low + high) // 2
        if before(w, b, r, middle, store):
            low = middle + 1
        else:
            high = middle
    if low == len(store[1]):
        return -1
    if int(store[1][low]) != w or int(store[2][low]) != b or int(store[3][low]) != r:
        return -1
    return low


@kernel
def probe_code(w: int, b: int, r: int, store: Store, t: Tables) -> int:
    """Return the code of a position between turns, or -1 if it is not listed."""
    number = number_of(w, b, r, store)
    return int(store[0][number]) if number >= 0 else -1


@kernel
def value_at(w: int, b: int, r: int, store: Store, t: Tables) -> int:
    """Return the code of a position that is listed."""
    return probe_code(w, b, r, store, t)
