"""Dense numbers for arrangements of pawns: combinatorial ranking and the symmetries of a board.

An arrangement is a pair of sets of cells, the first one's and the second one's pawns. Sets of the
same size are ranked in the order of their bits read as a number. Of all the images of an
arrangement under the board's symmetries one is the canonical representative: the first set is
turned into the lowest of its images, and where several symmetries do that, the second set decides.

A tier is all arrangements with the same two counts. Its numbers are `class of the first set *
sets that the second can be + rank of the second among the cells left`.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from damier.games.board import Board
from damier.jit import Buffer, kernel, lowest, popcount

# What the kernels below look up: closed cells and the size of the board; binomial coefficients;
# for each count of pawns where its sets begin; of each set its class and the symmetry that leads
# to the class's first set; of each class that set and the symmetries that keep it, as bits; the
# symmetries as permutations; of each tier where its numbers begin.
Lookup = tuple[Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer]

WIDTH = 64  # a row of the tables of binomials and permutations
COUNTS = 32  # pawns a side, at most one less


@kernel
def rank_among(cells: int, taken: int, binomial: Buffer) -> int:
    """Return the rank of a set of cells among the sets of its size that avoid `taken`."""
    rank, row = 0, 0
    while cells:
        cell = lowest(cells)
        rank += binomial[row + cell - popcount(taken & ((1 << cell) - 1))]
        row += WIDTH
        cells &= cells - 1
    return rank


@kernel
def set_among(rank: int, count: int, taken: int, size: int, binomial: Buffer) -> int:
    """Return the set of `count` cells that has this rank among those that avoid `taken`."""
    cells = 0
    free = size - popcount(taken)
    row = WIDTH * (count - 1)
    cell = size
    while row >= 0:
        cell -= 1
        if taken >> cell & 1:
            continue
        free -= 1
        if binomial[row + free] <= rank:
            rank -= binomial[row + free]
            cells |= 1 << cell
            row -= WIDTH
    return cells


@kernel
def put_lows(taken: int, lows: Buffer) -> None:
    """Put the sets of the lowest cells that are not taken into `lows`, by their size."""
    cells, free = 0, ~taken
    for count in range(len(lows)):
        lows[count] = cells
        cells |= free & -free
        free &= free - 1


@kernel
def next_among(cells: int, taken: int, lows: Buffer) -> int:
    """Return the set that follows a set in rank, among those of its size that avoid `taken`."""
    carried = ((cells | taken) + (cells & -cells)) & ~taken
    return carried | lows[popcount(cells & ~carried) - 1]


@kernel
def turned(cells: int, symmetry: int, permutations: Buffer) -> int:
    """Return the image of a set of cells under a symmetry."""
    image = 0
    row = WIDTH * symmetry
    while cells:
        image |= 1 << permutations[row + lowest(cells)]
        cells &= cells - 1
    return image


@kernel
def pair_rank(first: int, second: int, t: Lookup) -> tuple[int, int]:
    """Return the number of an arrangement, and a symmetry that leads to its representative."""
    board, binomial, sets, classes, symmetries, firsts, keepers, permutations, tiers = t
    closed = board[0]
    count = popcount(first)
    at = sets[count] + rank_among(first, closed, binomial)
    class_, symmetry = classes[at], symmetries[at]
    taken = firsts[class_] | closed
    image = turned(second, symmetry, permutations)
    rank = rank_among(image, taken, binomial)
    keeping = keepers[class_]
    best = 0
    while keeping:
        keeper = lowest(keeping)
        keeping &= keeping - 1
        other = rank_among(turned(image, keeper, permutations), taken, binomial)
        if other < rank:
            rank, best = other, keeper
    if best:
        symmetry = board[2 + 8 * symmetry + best]
    tier = 3 * (COUNTS * count + popcount(second))
    return tiers[tier] + (class_ - tiers[tier + 1]) * tiers[tier + 2] + rank, symmetry


@kernel
def pair_of(number: int, first_count: int, second_count: int, t: Lookup) -> tuple[int, int]:
    """Return the arrangement of a tier that has this number."""
    board, binomial, _, _, _, firsts, _, _, tiers = t
    tier = 3 * (COUNTS * first_count + second_count)
    number -= tiers[tier]
    class_ = number // tiers[tier + 2]
    first = firsts[tiers[tier + 1] + class_]
    rank = number - class_ * tiers[tier + 2]
    return first, set_among(rank, second_count, first | board[0], board[1], binomial)


@kernel
def keepers_of(first: int, t: Lookup) -> int:
    """Return the symmetries but the identity that keep a class's first set, as bits."""
    board, binomial, sets, classes, _, _, keepers, _, _ = t
    return keepers[classes[sets[popcount(first)] + rank_among(first, board[0], binomial)]]


def tiers_of(a_side: int, in_all: int, cells: int) -> Iterator[tuple[int, int]]:
    """Yield the tiers with at most so many pawns a side, in all, and on the board, lowest first."""
    for total in range(2, min(in_all, 2 * a_side, cells) + 1):
        for a in range(1, total // 2 + 1):
            b = total - a
            if b <= a_side:
                yield a, b
                if a != b:
                    yield b, a


class Pairs:
    """The tables that number the arrangements of some tiers on a board."""

    def __init__(self, board: Board, closed: int, tiers: Iterable[tuple[int, int]]) -> None:
        self.board = board
        self.closed = closed | ~board.cells & ((1 << board.size) - 1)
        self.free = board.size - self.closed.bit_count()
        self.tiers = list(tiers)
        self.starts: dict[tuple[int, int], int] = {}
        self._build()

    def _build(self) -> None:
        group = self.board.symmetries
        counts = sorted({tier[0] for tier in self.tiers})
        sets, first_class = np.zeros(COUNTS, np.int64), {}
        parts: list[tuple[NDArray[np.int64], ...]] = []
        at = classes_before = 0
        for count in counts:
            masks = subsets(self.board.size, self.closed, count)
            images = [turned_all(masks, symmetry) for symmetry in group]
            ranks = np.searchsorted(masks, np.array(images))
            lowest_ = ranks.argmin(axis=0)
            class_ranks, class_ = np.unique(ranks.min(axis=0), return_inverse=True)
            firsts = masks[class_ranks]
            kept = (ranks[1:, class_ranks] == class_ranks) << np.arange(1, len(group))[:, None]
            parts.append((class_ + classes_before, lowest_, firsts, kept.sum(axis=0)))
            sets[count], first_class[count] = at, classes_before
            at += len(masks)
            classes_before += len(firsts)
        classes, symmetries, firsts, keepers = (
            np.concatenate([part[k] for part in parts]).astype(np.int64) for k in range(4)
        )
        tiers = np.zeros(3 * COUNTS * COUNTS, np.int64)
        start = 0
        self.sizes: dict[tuple[int, int], int] = {}
        for a, b in self.tiers:
            each = comb(self.free - a, b)
            number = len(parts[counts.index(a)][2])
            tiers[3 * (COUNTS * a + b) :][:3] = start, first_class[a], each
            self.starts[a, b], self.sizes[a, b] = start, number * each
            start += number * each
        self.size = start
        products = np.zeros(2 + 64, np.int64)
        products[:2] = self.closed, self.board.size
        for g, one in enumerate(group):
            for h, other in enumerate(group):
                composed = tuple(other[i] for i in one)  # first g, then h
                products[2 + 8 * g + h] = group.index(composed)
        permutations = np.zeros(WIDTH * len(group), np.int64)
        for g, one in enumerate(group):
            permutations[WIDTH * g : WIDTH * g + len(one)] = one
        self.arrays = (
            products, binomials(), sets, classes, symmetries, firsts, keepers, permutations, tiers,
        )  # fmt: skip

    @cached_property
    def lists(self) -> tuple[list[int], ...]:
        """The same tables for plain Python, which is faster with lists of its own integers."""
        return tuple(array.tolist() for array in self.arrays)

    def lookup(self, compiled: bool) -> Any:
        """Return the tables for compiled or for plain kernels."""
        return self.arrays if compiled else self.lists


def binomials(rows: int = COUNTS) -> NDArray[np.int64]:
    """Return, in row i and column n, how many sets of i + 1 there are among n; 0 if too many."""
    most = (1 << 62) - 1
    table = [min(comb(n, i + 1), most) for i in range(rows) for n in range(WIDTH)]
    return np.array(table, np.int64)


def subsets(size: int, closed: int, count: int) -> NDArray[np.int64]:
    """Return all sets of `count` cells that are not closed, in rising order."""
    cells = [i for i in range(size) if not closed >> i & 1]
    # found[k] holds the sets of k among the cells looked at so far.
    found = [np.zeros(1, np.int64)] + [np.zeros(0, np.int64)] * count
    for cell in cells:
        for k in range(count, 0, -1):
            found[k] = np.concatenate((found[k], found[k - 1] | 1 << cell))
    return found[count]


def turned_all(masks: NDArray[np.int64], symmetry: Sequence[int]) -> NDArray[np.int64]:
    """Return the images of many sets under a symmetry."""
    images = np.zeros_like(masks)
    for cell, to in enumerate(symmetry):
        images |= (masks >> cell & 1) << to
    return images
