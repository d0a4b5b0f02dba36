"""Fraha's positions between moves as dense numbers, and the predecessors of a position.

A kernel template, like `damier.kernels`. Each colour has its own track and goal, so positions with
either side to move are numbered: all with White to move first. Only arrangements in which each side
has at most one pawn on the other's track are numbered (FR-5).
"""

from functools import cache
from itertools import accumulate, compress
from typing import Any

from damier.games.constants import WHITE, step_of
from damier.jit import Buffer, Runtime, buffer, kernel, lowest, popcount
from damier.solve.numbering.pairs import Pairs, cells_image, rank_among, subsets

from . import rules

VERSION = 1  # increased when rules or numbering change, so that old tables are rejected
IGNORED = ("first",)  # options that do not change the value of any position
ARRAYS = ("values",)
CLOSED = (1 << 25) - 1 & ~rules.CELLS


class FrahaSpace:
    """Number space of Fraha's positions."""

    def __init__(self) -> None:
        pairs = Pairs(rules.BOARD, CLOSED, [(4, 4)])
        board, binomial, sets, classes, symmetries, firsts, keepers, permutations, _ = pairs.arrays
        masks = subsets(25, CLOSED, 4)
        white = [(m & rules.INNER).bit_count() < 2 for m in firsts]
        black = [(m & rules.OUTER).bit_count() < 2 for m in masks]
        # Possible classes of White's sets, renumbered; -1 for the others.
        renumbered = _numbers(white)
        self.classes, self.seconds = sum(white), sum(black)
        self.size = 2 * self.classes * self.seconds
        self._arrays = (
            board,
            binomial,
            sets,
            [renumbered[class_] for class_ in classes],
            symmetries,
            list(compress(firsts, white)),
            list(compress(keepers, white)),
            permutations,
            [self.classes, self.seconds],
            _numbers(black),
            list(compress(masks, black)),
        )
        self._by_runtime: dict[Runtime, Any] = {}
        self.ranges = [("play", 0, self.size)]

    def lookup(self, runtime: Runtime) -> Any:
        """Return the lookup tables for kernels of a runtime."""
        if runtime not in self._by_runtime:
            self._by_runtime[runtime] = tuple(runtime.array(array) for array in self._arrays)
        return self._by_runtime[runtime]


def _numbers(chosen: list[bool]) -> list[int]:
    """Return consecutive numbers for the chosen items; -1 for the others."""
    return [
        k - 1 if is_chosen else -1 for is_chosen, k in zip(chosen, accumulate(chosen), strict=True)
    ]


@cache
def space() -> FrahaSpace:
    """Return the number space, created once."""
    return FrahaSpace()


def space_for(rules: Any, header: Any) -> FrahaSpace:
    """Return the number space of a table, which is always the same."""
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
    image = cells_image(b, symmetries[at], permutations)
    rank = second_of[rank_among(image, CLOSED, binomial)]
    keeping = keepers[class_]
    while keeping:
        other = cells_image(image, lowest(keeping), permutations)
        keeping &= keeping - 1
        rank = min(rank, second_of[rank_among(other, CLOSED, binomial)])
    if rank < 0 or w & b:
        return -1
    return ((r & 1) * sizes[0] + class_) * sizes[1] + rank


@kernel
def position_of(number: int, word: int, t: Tables) -> tuple[int, int, int]:
    """Return the position with a number; if its pawns overlap, the number is not used."""
    firsts, sizes, seconds = t[5], t[8], t[10]
    class_ = number // sizes[1]
    side = class_ // sizes[0]
    return firsts[class_ - side * sizes[0]], seconds[number % sizes[1]], word | side


@kernel
def canonical(number: int, t: Tables) -> bool:
    """Return whether a number belongs to a canonical position."""
    w, b, r = position_of(number, 0, t)
    if w & b:
        return False
    class_ = number // t[8][1] % t[8][0]
    return t[6][class_] == 0 or number_of(w, b, r, t) == number


@kernel
def orbit(number: int, t: Tables) -> int:
    """Return how many positions a number represents, its images under symmetries."""
    _, b, _ = position_of(number, 0, t)
    same = 1
    keeping = t[6][number // t[8][1] % t[8][0]]
    while keeping:
        if cells_image(b, lowest(keeping), t[7]) == b:
            same += 1
        keeping &= keeping - 1
    return 8 // same


@kernel
def probe_code(w: int, b: int, r: int, store: Store, t: Tables) -> int:
    """Return the code of a position between moves, or -1 if it has no number."""
    number = number_of(w, b, r, t)
    return int(store[number]) if number >= 0 else -1


@kernel
def reaches(
    w: int, b: int, r: int, step: int, w_end: int, b_end: int, workspace: tuple[Buffer, Buffer]
) -> bool:
    """Return whether some move that begins with a step leads to an arrangement.

    Unlike `damier.solve.move_kernels` this follows only the steps that can lead there.
    """
    legal, stack = workspace
    w, b, r = rules.play(w, b, r, step)
    if not r & rules.MIDTURN:
        return w == w_end and b == b_end
    # A pawn that is placed stays there until the end of the move.
    goal = b_end if r & 1 == WHITE else w_end
    stack[0], stack[1], stack[2] = w, b, r
    top = 1
    while top:
        top -= 1
        w, b, r = stack[3 * top], stack[3 * top + 1], stack[3 * top + 2]
        rules.legal(w, b, r, legal)
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
    """Write the positions from which one move leads to a position to `out`; return how many.

    A move displaces one pawn and may have moved up to three neighbouring pawns of the other side
    elsewhere. All possibilities are tried, and the rules decide which are legal.
    """
    workspace = buffer(rules.GROUPS), buffer(3 * 64)
    side = 1 - (r & 1)  # the side that moved
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
            # `taken`: former cells of the moved pawns; `put`: their present cells.
            taken = free
            while True:
                size = popcount(taken)
                put = other
                while True:
                    if popcount(put) == size and not (other & ~put) >> from_ & 1:
                        was = other ^ put | taken
                        if popcount(was & track) < 2 or not taken:
                            w1, b1 = (before, was) if side == WHITE else (was, before)
                            if reaches(w1, b1, r ^ 1, step, w, b, workspace):
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
