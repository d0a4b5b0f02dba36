"""Fraha's positions between turns as dense numbers, and the turns that lead to a position.

A template, as `damier.kernels`. Each colour has its own track and aim, so both sides to move are
numbered: all positions with White to move first. Of the arrangements only those are numbered in
which each side has at most one pawn on the other's track (FR-5).
"""

from functools import cache
from itertools import accumulate, compress
from typing import Any

from damier.games.terms import WHITE, step_of
from damier.jit import Buffer, Home, buffer, kernel, lowest, popcount
from damier.solve.numbering.pairs import Pairs, rank_among, subsets, turned

from . import rules

VERSION = 1  # to be raised when the rules or the numbering change: old tables are refused then
IGNORED = ("first",)  # options that change no position's value
ARRAYS = ("values",)
CLOSED = (1 << 25) - 1 & ~rules.CELLS


class Space:
    """The tables that number Fraha's positions."""

    def __init__(self) -> None:
        pairs = Pairs(rules.BOARD, CLOSED, [(4, 4)])
        board, binomial, sets, classes, symmetries, firsts, keepers, permutations, _ = pairs.arrays
        masks = subsets(25, CLOSED, 4)
        white = [(m & rules.INNER).bit_count() < 2 for m in firsts]
        black = [(m & rules.OUTER).bit_count() < 2 for m in masks]
        # Classes of White's sets that can be, renumbered; -1 for the others.
        renumbered = _numbers(white)
        self.classes, self.seconds = sum(white), sum(black)
        self.size = 2 * self.classes * self.seconds
        self._arrays = (
            board, binomial, sets, [renumbered[class_] for class_ in classes], symmetries,
            list(compress(firsts, white)), list(compress(keepers, white)), permutations,
            [self.classes, self.seconds], _numbers(black), list(compress(masks, black)),
        )  # fmt: skip
        self._held: dict[Home, Any] = {}
        self.ranges = [("play", 0, self.size)]

    def lookup(self, home: Home) -> Any:
        """Return the tables for the kernels that live somewhere."""
        if home not in self._held:
            self._held[home] = tuple(home.array(array) for array in self._arrays)
        return self._held[home]


def _numbers(chosen: list[bool]) -> list[int]:
    """Return the numbers of those that are chosen, one after the other; -1 for the others."""
    return [k - 1 if one else -1 for one, k in zip(chosen, accumulate(chosen), strict=True)]


@cache
def space() -> Space:
    """Return the numbering, made once."""
    return Space()


def space_for(rules: Any, header: Any) -> Space:
    """Return the numbering that a table uses: it is always the same."""
    return space()


Tables = tuple[Buffer, ...]
Store = Buffer  # the values


@kernel
def number_of(w: int, b: int, r: int, t: Tables) -> int:
    """Return the number of a position, or -1 if it has none."""
    binomial, classes, symmetries, keepers = t[1], t[3], t[4], t[6]
    permutations, sizes, second_of = t[7], t[8], t[9]
    if popcount(w) != 4 or popcount(b) != 4:
        return -1
    at = rank_among(w, CLOSED, binomial)
    class_ = classes[at]
    if class_ < 0:
        return -1
    image = turned(b, symmetries[at], permutations)
    rank = second_of[rank_among(image, CLOSED, binomial)]
    keeping = keepers[class_]
    while keeping:
        other = turned(image, lowest(keeping), permutations)
        keeping &= keeping - 1
        rank = min(rank, second_of[rank_among(other, CLOSED, binomial)])
    if rank < 0 or w & b:
        return -1
    return ((r & 1) * sizes[0] + class_) * sizes[1] + rank


@kernel
def position_of(number: int, word: int, t: Tables) -> tuple[int, int, int]:
    """Return the position with a number; its pawns may overlap, then no position has it."""
    firsts, sizes, seconds = t[5], t[8], t[10]
    class_ = number // sizes[1]
    side = class_ // sizes[0]
    return firsts[class_ - side * sizes[0]], seconds[number % sizes[1]], word | side


@kernel
def canonical(number: int, t: Tables) -> bool:
    """Tell whether a number is that of a position, the representative of its images."""
    w, b, r = position_of(number, 0, t)
    if w & b:
        return False
    class_ = number // t[8][1] % t[8][0]
    return t[6][class_] == 0 or number_of(w, b, r, t) == number


@kernel
def orbit(number: int, t: Tables) -> int:
    """Return how many positions a number stands for, its images under symmetries."""
    _, b, _ = position_of(number, 0, t)
    same = 1
    keeping = t[6][number // t[8][1] % t[8][0]]
    while keeping:
        if turned(b, lowest(keeping), t[7]) == b:
            same += 1
        keeping &= keeping - 1
    return 8 // same


@kernel
def probe_code(w: int, b: int, r: int, store: Store, t: Tables) -> int:
    """Return the code of a position between turns, or -1 if it has no number."""
    number = number_of(w, b, r, t)
    return int(store[number]) if number >= 0 else -1


@kernel
def value_at(w: int, b: int, r: int, values: Buffer, t: Tables) -> int:
    """Return the code of a position that has a number."""
    return int(values[number_of(w, b, r, t)])


@kernel
def reaches(
    w: int, b: int, r: int, step: int, w_end: int, b_end: int, room: tuple[Buffer, Buffer]
) -> bool:
    """Tell whether some turn that begins with a step leads to an arrangement.

    No walk through all turns (see `damier.solve.walk`): only steps that lead there are followed.
    """
    legal, stack = room
    w, b, r = rules.play(w, b, r, step)
    if not r & rules.MIDTURN:
        return w == w_end and b == b_end
    # Every pawn that is put somewhere stays there until the end of the turn.
    goal = b_end if r & 1 == WHITE else w_end
    stack[0], stack[1], stack[2] = w, b, r
    top = 1
    while top:
        top -= 1
        w, b, r = stack[3 * top], stack[3 * top + 1], stack[3 * top + 2]
        rules.legal(w, b, r, legal)
        # `legal` is used up at once: what it says is pushed as positions.
        for group in range(rules.TELEPORT, rules.GROUPS):
            cells = legal[group] & goal
            while cells:
                w2, b2, r2 = rules.play(w, b, r, step_of(group, lowest(cells)))
                cells &= cells - 1
                if r2 & rules.MIDTURN:
                    stack[3 * top], stack[3 * top + 1], stack[3 * top + 2] = w2, b2, r2
                    top += 1
                elif w2 == w_end and b2 == b_end:
                    return True
    return False


@kernel
def near(cell: int) -> int:
    """Return the cells next to a cell."""
    cells = 0
    for d in range(4):
        if rules.MASK[d] >> cell & 1:
            cells |= 1 << (cell + rules.SHIFT[d])
    return cells & rules.CELLS


@kernel
def parents(w: int, b: int, r: int, out: Buffer, t: Tables) -> int:
    """Put the positions from which one turn leads to a position into `out`; return their number.

    A turn displaces one pawn and may have put up to three pawns of the other side, which stood
    next to where it came, elsewhere: all that may have been is tried, the rules tell what was.
    """
    room = buffer(rules.GROUPS), buffer(3 * 64)
    side = 1 - (r & 1)  # who moved
    mover, other = (w, b) if side == WHITE else (b, w)
    track = rules.OUTER if side == WHITE else rules.INNER
    count = 0
    came = mover & track
    while came:
        to = lowest(came)
        came &= came - 1
        around = near(to)
        for d in range(4):
            if not rules.MASK[d] >> to & 1:
                continue
            from_ = to + rules.SHIFT[d]
            if not (rules.CELLS & ~mover) >> from_ & 1:
                continue
            before = mover ^ (1 << to) ^ (1 << from_)
            step = step_of(rules.DISPLACE + (d + 2) % 4, from_)
            free = around & ~(mover | other | 1 << from_)
            # `taken` came from next to the pawn, `put` is where they are now.
            taken = free
            while True:
                size = popcount(taken)
                put = other
                while True:
                    if popcount(put) == size and not (other & ~put) >> from_ & 1:
                        was = other ^ put | taken
                        if popcount(was & track) < 2 or not taken:
                            w1, b1 = (before, was) if side == WHITE else (was, before)
                            if reaches(w1, b1, r ^ 1, step, w, b, room):
                                out[3 * count] = w1
                                out[3 * count + 1] = b1
                                out[3 * count + 2] = r ^ 1
                                count += 1
                    if put == 0:
                        break
                    put = (put - 1) & other
                if taken == 0:
                    break
                taken = (taken - 1) & free
    return count
