"""Chefa's positions as dense numbers, and its retrograde analysis with the ko.

A kernel template, like `damier.kernels`. Numbers are ordered by tier: play (four against four),
then placing, from the last placement to the first. A position of phase 2 is an arrangement and a
ko, which forbids one swap. A ko can make an arrangement's value worse only if the forbidden swap
was the single best move. So each arrangement has a value without ko and at most one exception: a
swap, and the value when it is forbidden. Every other ko does not change the value.

Arrangements are seen from the mover's side, with the mover's pawns first. A position is three
parameters, so some functions have eight.
"""

from functools import cache
from typing import Any

from damier.games.constants import WHITE, group_and_cell, step_of
from damier.jit import Buffer, buffer, enlarged, kernel, lowest, popcount
from damier.solve.numbering.pairs import (
    COUNTS,
    WIDTH,
    Lookup,
    Pairs,
    cells_image,
    keepers_at,
    next_among,
    pair_of,
    pair_rank,
    put_lows,
)
from damier.solve.value_codes import code_of, distance_of, terminal_code, win_of

from . import rules

VERSION = 1  # increased when rules or numbering change, so that old tables are rejected
IGNORED: tuple[str, ...] = ()  # options that do not change the value of any position
ARRAYS = ("values", "kos", "barred")
FOUR = rules.PAWNS
Tables = Lookup
# By arrangement: value without ko; the swap that is the exception, or 0; the value with that ko.
Store = tuple[Buffer, Buffer, Buffer]
# Arguments of the analysis: the arrays, the marks of a round, the lookup tables.
Known = tuple[Store, Buffer, Tables]


class ChefaSpace(Pairs):
    """Number space of Chefa's positions."""

    def __init__(self) -> None:
        placing = [(a, b) for a in range(FOUR - 1, -1, -1) for b in (a + 1, a)]
        super().__init__(rules.BOARD, rules.CENTRE, [(FOUR, FOUR), *placing])
        self.ranges = [
            ("placing" if k else "play", self.starts[tier], self.starts[tier] + self.sizes[tier])
            for k, tier in enumerate(self.tiers)
        ]


@cache
def space() -> ChefaSpace:
    """Return the number space, created once."""
    return ChefaSpace()


def space_for(rules: Any, header: Any) -> ChefaSpace:
    """Return the number space of a table, which is always the same."""
    return space()


@kernel
def arrangement(w: int, b: int, r: int, t: Tables) -> tuple[int, int]:
    """Return the number of a position's arrangement and the symmetry to its representative."""
    if r & 1 == WHITE:
        return pair_rank(w, b, t)
    return pair_rank(b, w, t)


@kernel
def has_number(w: int, b: int, r: int) -> bool:
    """Return whether a position's arrangement has a number, that is, can occur in a game."""
    own, enemy = (popcount(w), popcount(b)) if r & 1 == WHITE else (popcount(b), popcount(w))
    if own == FOUR:
        return enemy == FOUR
    return enemy == own or enemy == own + 1


@kernel
def number_of(w: int, b: int, r: int, t: Tables) -> int:
    """Return the number of a position's arrangement, or -1 if it has none."""
    return arrangement(w, b, r, t)[0] if has_number(w, b, r) else -1


@kernel
def counts_of(number: int, t: Tables) -> tuple[int, int]:
    """Return the numbers of pawns of the mover and the opponent in an arrangement."""
    own, enemy = FOUR, FOUR
    while own + enemy > 0:
        # The tier after this one: (4, 4), (3, 4), (3, 3), (2, 3) …
        a, b = (own - 1, enemy) if own == enemy else (own, enemy - 1)
        if number < t[8][3 * (COUNTS * a + b)]:
            break
        own, enemy = a, b
    return own, enemy


@kernel
def position_of(number: int, word: int, t: Tables) -> tuple[int, int, int]:
    """Return the position with a number, White to move."""
    own, enemy = counts_of(number, t)
    w, b = pair_of(number, own, enemy, t)
    return w, b, word


@kernel
def canonical(number: int, t: Tables) -> bool:
    """Return whether the arrangement with a number is the representative of its images."""
    own, enemy = counts_of(number, t)
    if keepers_at(number, own, enemy, t) == 0:
        return True
    w, b = pair_of(number, own, enemy, t)
    return pair_rank(w, b, t)[0] == number


@kernel
def orbit(number: int, t: Tables) -> int:
    """Return how many positions a number represents: images under symmetries, both colours."""
    own, enemy = counts_of(number, t)
    same, keeping = 1, keepers_at(number, own, enemy, t)
    if keeping:
        _, b = pair_of(number, own, enemy, t)
        while keeping:
            if cells_image(b, lowest(keeping), t[7]) == b:
                same += 1
            keeping &= keeping - 1
    # In the placing phase the counts show who moves; in play either colour may be to move.
    return (16 if own == FOUR else 8) // same


@kernel
def swap_code(step: int) -> int:
    """Return a swap as one byte above 0."""
    group, cell = group_and_cell(step)
    return 1 + (group - rules.SWAP) * 25 + cell


@kernel
def swap_of(code: int) -> int:
    """Return the swap for a byte."""
    return step_of(rules.SWAP + (code - 1) // 25, (code - 1) % 25)


@kernel
def swap_image(step: int, symmetry: int, t: Lookup) -> int:
    """Return the image of a swap under a symmetry, as one byte."""
    permutations = t[7]
    group, cell = group_and_cell(step)
    row = WIDTH * symmetry
    image = permutations[row + cell]
    shift = permutations[row + cell + rules.SHIFT[group - rules.SWAP]] - image
    d = 0
    while rules.SHIFT[d] != shift:
        d += 1
    return swap_code(step_of(rules.SWAP + d, image))


@kernel
def probe_code(w: int, b: int, r: int, store: Store, t: Tables) -> int:
    """Return the code of a position between moves, or -1 if it has no number."""
    if not has_number(w, b, r):
        return -1
    return value_at(w, b, r, store, t)


@kernel
def value_at(w: int, b: int, r: int, store: Store, t: Tables) -> int:
    """Return the code of a position that has a number."""
    values, kos, barred = store
    number, symmetry = arrangement(w, b, r, t)
    ko = (r & rules.KO) >> rules.KO_BIT
    if ko and kos[number] and swap_image(ko, symmetry, t) == kos[number]:
        return int(barred[number])
    return int(values[number])


@kernel
def weigh(
    w: int, b: int, r: int, skip: int, n: int, store: Store, t: Tables, legal: Buffer
) -> tuple[int, int, int, int, int]:
    """Classify the moves of a position except `skip`, with values of at most n moves.

    Return the number of winning moves and the last of them; the number of undecided moves and the
    last of them; and the greatest distance of the losing moves.
    """
    winning, winner, open_, last_open, longest = 0, 0, 0, 0, 0
    rules.put_moves(w, b, r, legal)
    for group in range(rules.STEP, rules.GROUPS):
        cells = legal[group]
        while cells:
            step = step_of(group, lowest(cells))
            cells &= cells - 1
            if step == skip:
                continue
            w2, b2, r2 = rules.play(w, b, r, step)
            code = value_at(w2, b2, r2, store, t)
            if code == 0 or distance_of(code) > n:
                open_ += 1
                last_open = step
            elif win_of(code):
                longest = max(longest, distance_of(code))
            else:
                winning += 1
                winner = step
    return winning, winner, open_, last_open, longest


@kernel
def may_be_decided(w: int, b: int, r: int, n: int, store: Store, t: Tables, legal: Buffer) -> bool:
    """Return whether a position without ko may be decided: at most one swap is undecided."""
    open_ = 0
    rules.put_moves(w, b, r, legal)
    for group in range(rules.STEP, rules.GROUPS):
        cells = legal[group]
        while cells:
            step = step_of(group, lowest(cells))
            cells &= cells - 1
            w2, b2, r2 = rules.play(w, b, r, step)
            code = value_at(w2, b2, r2, store, t)
            if code == 0 or distance_of(code) > n:
                open_ += 1
                if open_ > 1 or group < rules.SWAP:
                    return False
            elif not win_of(code):
                return True
    return True


@kernel
def touch(
    w: int, b: int, r: int, number: int, winning_move: bool, n: int, known: Known, legal: Buffer
) -> bool:
    """Decide the value of an arrangement, or its exception, if values of n moves allow it.

    Return whether something was decided. Without a winning move one visit for each n is enough: an
    arrangement is reached from each of its losing moves, and many moves fail to parry the same
    threat.
    """
    store, seen, t = known
    values, kos, barred = store
    if not winning_move:
        if seen[number] == n + 1:
            return False
        seen[number] = n + 1
    code = int(values[number])
    if code:
        # Won by a single swap: find the value when it is forbidden.
        if distance_of(code) > n or not kos[number] or barred[number]:
            return False
        skip = swap_of(int(kos[number]))
        w, b = pair_of(number, FOUR, FOUR, t)
        r &= ~(rules.KO | 1)
        winning, _, open_, _, longest = weigh(w, b, r, skip, n, store, t, legal)
        if winning:
            barred[number] = code_of(n + 1, 1)
        elif open_ == 0:
            barred[number] = code_of(longest + 1, 0)
        return winning > 0 or open_ == 0
    if not winning_move and not may_be_decided(w, b, r, n, store, t, legal):
        return False
    winning, winner, open_, last_open, longest = weigh(w, b, r, 0, n, store, t, legal)
    _, symmetry = arrangement(w, b, r, t)
    if winning:
        if winning == 1 and group_and_cell(winner)[0] >= rules.SWAP:
            kos[number] = swap_image(winner, symmetry, t)
            if open_ == 0 and barred[number] == 0:
                barred[number] = code_of(longest + 1, 0)
        values[number] = code_of(n + 1, 1)
    elif open_ == 0:
        values[number] = code_of(n + 1, 0)
    elif kos[number] == 0:
        kos[number] = swap_image(last_open, symmetry, t)
        barred[number] = code_of(longest + 1, 0)
    return True


@kernel
def expand_play(
    frontier: Buffer, low: int, high: int, n: int, r: int, known: Known
) -> tuple[Buffer, int]:
    """Visit all arrangements from which one move leads to those of the frontier.

    Steps and swaps are reversible, so a predecessor is a move of the side that has just moved.
    Return the numbers where something was decided, and how many.
    """
    store, _, t = known
    values, kos, barred = store
    back, legal = buffer(rules.GROUPS), buffer(rules.GROUPS)
    found, count = buffer(1024), 0
    for at in range(low, high):
        if count + 64 > len(found):
            found = enlarged(found)
        number = frontier[at]
        own, enemy = pair_of(number, FOUR, FOUR, t)
        code = int(values[number])
        if code and distance_of(code) == n:
            won = win_of(code) == 0
            rules.put_moves(enemy, own, r, back)
            for group in range(rules.STEP, rules.GROUPS):
                cells = back[group]
                while cells:
                    step = step_of(group, lowest(cells))
                    cells &= cells - 1
                    w, b, _ = rules.play(enemy, own, r, step)
                    parent, _ = pair_rank(w, b, t)
                    if group < rules.SWAP and won and values[parent] == 0:
                        values[parent] = code_of(n + 1, 1)
                        found[count] = parent
                        count += 1
                    elif touch(w, b, r, parent, won, n, known, legal):
                        found[count] = parent
                        count += 1
        code = int(barred[number])
        if code and distance_of(code) == n:
            won = win_of(code) == 0
            b, w, _ = rules.play(own, enemy, r, swap_of(int(kos[number])))
            parent, _ = pair_rank(w, b, t)
            if touch(w, b, r, parent, won, n, known, legal):
                found[count] = parent
                count += 1
    return found, count


@kernel
def judge(low: int, high: int, word: int, values: Buffer, t: Tables) -> None:
    """Set the values of finished positions in a range of numbers of a tier.

    The range must consist of whole classes.
    """
    legal, lows = buffer(rules.GROUPS), buffer(FOUR + 1)
    number = low
    while number < high:
        own, enemy, r = position_of(number, word, t)
        each = t[8][3 * (COUNTS * popcount(own) + popcount(enemy)) + 2]
        put_lows(own | t[0][0], lows)
        for _ in range(each):
            judgement = rules.legal(own, enemy, r, legal)
            if judgement and canonical(number, t):
                values[number] = terminal_code(judgement, WHITE)
            enemy = next_among(enemy, own | t[0][0], lows)
            number += 1


@kernel
def parents(w: int, b: int, r: int, out: Buffer, t: Tables) -> int:
    """Write the positions from which a placement leads to a position to `out` (CH-4)."""
    if popcount(w | b) == 2 * FOUR and r & rules.LAST_MOVES:
        placer, side = w, r & 1
    else:
        placer, side = b, 1 - (r & 1)
    count = 0
    placed = placer
    while placed:
        cell = placed & -placed
        placed ^= cell
        out[3 * count] = w & ~cell
        out[3 * count + 1] = b & ~cell
        out[3 * count + 2] = (r & ~1) | side
        count += 1
    return count


@kernel
def check_play(low: int, high: int, word: int, store: Store, t: Tables) -> int:
    """Return the first arrangement of play where a value is wrong for some ko, or -1.

    As `damier.solve.retrograde.whole_kernels.check`, for every ko that forbids a swap.
    """
    legal, codes, steps = buffer(rules.GROUPS), buffer(64), buffer(64)
    for number in range(low, high):
        if not canonical(number, t):
            continue
        w, b, r = position_of(number, word, t)
        judgement = rules.legal(w, b, r, legal)
        if judgement:
            if int(store[0][number]) != terminal_code(judgement, WHITE) or store[1][number]:
                return number
            continue
        count = 0
        for group in range(rules.STEP, rules.GROUPS):
            cells = legal[group]
            while cells:
                step = step_of(group, lowest(cells))
                cells &= cells - 1
                w2, b2, r2 = rules.play(w, b, r, step)
                steps[count], codes[count] = step, value_at(w2, b2, r2, store, t)
                count += 1
        for ko in range(-1, count):
            step = 0
            if ko >= 0:
                step = steps[ko]
                if group_and_cell(step)[0] < rules.SWAP:
                    continue
            expected = best_but(codes, count, ko)
            if value_at(w, b, r | step << rules.KO_BIT, store, t) != expected:
                return number
    return -1


@kernel
def best_but(codes: Buffer, count: int, skip: int) -> int:
    """Return the value of a position whose moves, except `skip`, lead to these values."""
    shortest, longest, open_ = 1000, -1, False
    for k in range(count):
        if k == skip:
            continue
        if codes[k] == 0:
            open_ = True
        elif win_of(codes[k]):
            longest = max(longest, distance_of(codes[k]) + 1)
        else:
            shortest = min(shortest, distance_of(codes[k]) + 1)
    if shortest < 1000:
        return code_of(shortest, 1)
    return 0 if open_ else code_of(longest, 0)
