"""Dense numbers for arrangements of pawns: combinatorial ranking and symmetries of a board.

An arrangement is a pair of sets of cells: the pawns of the first and of the second side. Sets of
the same size are ranked in the order of their bits read as a number. Of the images of an
arrangement under the board's symmetries one is the canonical representative: the first set is
mapped to the lowest of its images; if several symmetries do that, the second set decides.

A tier is all arrangements with the same two counts. Numbers within a tier are `class of the first
set * number of second sets + rank of the second set among the free cells`.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from math import comb
from typing import Any, TypeAlias

from damier.games.board import Board
from damier.jit import Buffer, Runtime, kernel, lowest, popcount

# Lookup tables of the kernels below: closed cells and board size; binomial coefficients; by count
# of pawns, the index of its first set; by set, its class and the symmetry that maps it to the first
# set of the class; by class, that set and the symmetries that keep it, as bits; the symmetries as
# permutations; by tier, its first number, first class and number of second sets.
Lookup = tuple[Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer]

WordArray: TypeAlias = "array[int]"  # of 64 bits each

WIDTH = 64  # a row of the tables of binomials and permutations
COUNTS = 32  # counts of pawns of a side: 0 to 31


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
    """Write the sets of the lowest free cells to `lows`, by their size."""
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
def cells_image(cells: int, symmetry: int, permutations: Buffer) -> int:
    """Return the image of a set of cells under a symmetry."""
    image = 0
    row = WIDTH * symmetry
    while cells:
        image |= 1 << permutations[row + lowest(cells)]
        cells &= cells - 1
    return image


@kernel
def pair_rank(first: int, second: int, t: Lookup) -> tuple[int, int]:
    """Return the number of an arrangement, and a symmetry that maps it to its representative."""
    board, binomial, sets, classes, symmetries, firsts, keepers, permutations, tiers = t
    closed = board[0]
    count = popcount(first)
    at = sets[count] + rank_among(first, closed, binomial)
    class_, symmetry = classes[at], symmetries[at]
    taken = firsts[class_] | closed
    image = cells_image(second, symmetry, permutations)
    keeping = keepers[class_]
    best, least = 0, image  # sets of the same size are ranked in the order of their bits
    while keeping:
        keeper = lowest(keeping)
        keeping &= keeping - 1
        other = cells_image(image, keeper, permutations)
        if other < least:
            least, best = other, keeper
    rank = rank_among(least, taken, binomial)
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
    """Return the symmetries except the identity that keep a class's first set, as bits."""
    board, binomial, sets, classes, _, _, keepers, _, _ = t
    return keepers[classes[sets[popcount(first)] + rank_among(first, board[0], binomial)]]


@kernel
def keepers_at(number: int, first_count: int, second_count: int, t: Lookup) -> int:
    """Return `keepers_of` for the first set of the arrangement of a tier with this number."""
    keepers, tiers = t[6], t[8]
    tier = 3 * (COUNTS * first_count + second_count)
    return keepers[tiers[tier + 1] + (number - tiers[tier]) // tiers[tier + 2]]


def tiers_of(a_side: int, in_all: int, cells: int) -> Iterator[tuple[int, int]]:
    """Yield the tiers within limits of pawns per side, pawns in all and cells, lowest first."""
    for total in range(2, min(in_all, 2 * a_side, cells) + 1):
        for a in range(1, total // 2 + 1):
            b = total - a
            if b <= a_side:
                yield a, b
                if a != b:
                    yield b, a


class Pairs:
    """Lookup tables that number the arrangements of some tiers on a board."""

    def __init__(self, board: Board, closed: int, tiers: Iterable[tuple[int, int]]) -> None:
        self.board = board
        self.closed = closed | ~board.cells & ((1 << board.size) - 1)
        self.free = board.size - self.closed.bit_count()
        self.tiers = list(tiers)
        self.starts: dict[tuple[int, int], int] = {}
        self._by_runtime: dict[Runtime, Any] = {}
        self._build()

    def _build(self) -> None:
        counts = sorted({tier[0] for tier in self.tiers})
        sets, first_class, classes_of = words(COUNTS), {}, {}
        classes, symmetries, firsts, keepers = words(), words(), words(), words()
        for count in counts:
            sets[count], first_class[count] = len(classes), len(firsts)
            of_count = _classes(subsets(self.board.size, self.closed, count), self.board.symmetries)
            classes.extend(len(firsts) + class_ for class_ in of_count[0])
            symmetries.extend(of_count[1])
            firsts.extend(of_count[2])
            keepers.extend(of_count[3])
            classes_of[count] = len(of_count[2])
        tiers = words(3 * COUNTS * COUNTS)
        self.size = 0
        self.sizes: dict[tuple[int, int], int] = {}
        for a, b in self.tiers:
            each, at = comb(self.free - a, b), 3 * (COUNTS * a + b)
            tiers[at], tiers[at + 1], tiers[at + 2] = self.size, first_class[a], each
            self.starts[a, b], self.sizes[a, b] = self.size, classes_of[a] * each
            self.size += classes_of[a] * each
        self.arrays = (
            self._products(),
            binomials(),
            sets,
            classes,
            symmetries,
            firsts,
            keepers,
            self._permutations(),
            tiers,
        )

    def _products(self) -> WordArray:
        """Return closed cells, board size, and the product of every two symmetries."""
        group = self.board.symmetries
        made = words(2 + 64)
        made[0], made[1] = self.closed, self.board.size
        for g, one in enumerate(group):
            for h, other in enumerate(group):
                made[2 + 8 * g + h] = group.index(tuple(other[i] for i in one))  # first g, then h
        return made

    def _permutations(self) -> WordArray:
        made = words(WIDTH * len(self.board.symmetries))
        for g, one in enumerate(self.board.symmetries):
            for cell, to in enumerate(one):
                made[WIDTH * g + cell] = to
        return made

    def lookup(self, runtime: Runtime) -> Any:
        """Return the lookup tables for kernels of a runtime."""
        if runtime not in self._by_runtime:
            self._by_runtime[runtime] = tuple(runtime.array(array) for array in self.arrays)
        return self._by_runtime[runtime]


def _classes(
    masks: list[int], group: Sequence[Sequence[int]]
) -> tuple[WordArray, WordArray, WordArray, WordArray]:
    """Return the symmetry classes of sets of cells.

    The result has four arrays: by set, its class and the first symmetry that maps it to the class's
    first set; by class, its first set and the symmetries except the identity that keep it, as bits.
    A set that is in no class yet is the first of a new class, together with its images.
    """
    rank = {mask: k for k, mask in enumerate(masks)}
    classes, symmetries = array("q", [-1]) * len(masks), words(len(masks))
    firsts, keepers = words(), words()
    identity = tuple(range(len(group[0])))
    inverse = [
        next(h for h, back in enumerate(group) if tuple(back[i] for i in one) == identity)
        for one in group
    ]
    # In this order the last symmetry written for a set is the first that maps it to the first set.
    order = sorted(range(len(group)), key=lambda g: -inverse[g])
    bits = [(g, inverse[g], [1 << to for to in group[g]]) for g in order]
    for k, mask in enumerate(masks):
        if classes[k] >= 0:
            continue
        cells = [cell for cell in identity if mask >> cell & 1]
        keeping = 0
        for g, back, to in bits:
            at = rank[sum([to[cell] for cell in cells])]
            classes[at], symmetries[at] = len(firsts), back
            if at == k and g:
                keeping |= 1 << g
        firsts.append(mask)
        keepers.append(keeping)
    return classes, symmetries, firsts, keepers


def words(size: int = 0) -> WordArray:
    """Return an array of 64-bit integers, all 0."""
    return array("q", bytes(8 * size))


def binomials(rows: int = COUNTS) -> WordArray:
    """Return a table: row i, column n is the number of sets of i + 1 elements among n."""
    most = (1 << 62) - 1
    return array("q", [min(comb(n, i + 1), most) for i in range(rows) for n in range(WIDTH)])


def subsets(size: int, closed: int, count: int) -> list[int]:
    """Return all sets of `count` open cells, in ascending order."""
    highest_first = [1 << i for i in range(size - 1, -1, -1) if not closed >> i & 1]
    return [sum(bits) for bits in combinations(highest_first, count)][::-1]
