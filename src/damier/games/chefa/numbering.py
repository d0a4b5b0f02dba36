"""Chefa's positions as dense numbers, and its retrograde analysis with the ko.

A template, as `damier.kernels`. Numbers come tier by tier: play (four against four), then placing,
from the last placement to the first. A position of phase 2 is an arrangement and a ko, which bars
one swap. What a ko changes is little: it can make an arrangement's value worse only if the barred
swap was the one best turn. So each arrangement has a value without ko, and at most one exception: a
swap, and the value when it is barred. Every other ko leaves the value as it is.

The arrangement is seen from the mover: his pawns first, whatever his colour. A position is three
parameters, so some functions have eight.
"""

from functools import cache
from typing import Any

from damier.games.terms import WHITE, group_and_cell, step_of
from damier.jit import Buffer, buffer, enlarged, kernel, lowest, popcount
from damier.solve.codes import code_of, distance_of, judged, win_of
from damier.solve.numbering.pairs import (
    COUNTS,
    WIDTH,
    Lookup,
    Pairs,
    keepers_of,
    next_among,
    pair_of,
    pair_rank,
    put_lows,
    turned,
)

from . import rules

VERSION = 1  # to be raised when the rules or the numbering change: old tables are refused then
IGNORED: tuple[str, ...] = ()  # options that change no position's value
ARRAYS = ("values", "kos", "barred")
FOUR = rules.PAWNS
Tables = Lookup
# Values without ko; of each arrangement the swap that is the exception, or 0; the value with it.
Store = tuple[Buffer, Buffer, Buffer]
# What the analysis goes by: the arrays, what a round has looked at, the tables.
Known = tuple[Store, Buffer, Tables]


class Space(Pairs):
    """The tables that number Chefa's positions."""

    def __init__(self) -> None:
        placing = [(a, b) for a in range(FOUR - 1, -1, -1) for b in (a + 1, a)]
        super().__init__(rules.BOARD, rules.CENTRE, [(FOUR, FOUR), *placing])
        self.ranges = [
            ("placing" if k else "play", self.starts[tier], self.starts[tier] + self.sizes[tier])
            for k, tier in enumerate(self.tiers)
        ]


@cache
def space() -> Space:
    """Return the numbering, made once."""
    return Space()


def space_for(rules: Any, header: Any) -> Space:
    """Return the numbering that a table uses: it is always the same."""
    return space()


@kernel
def arrangement(w: int, b: int, r: int, t: Tables) -> tuple[int, int]:
    """Return the number of a position's arrangement and the symmetry that leads to it."""
    if r & 1 == WHITE:
        return pair_rank(w, b, t)
    return pair_rank(b, w, t)


@kernel
def numbered(w: int, b: int, r: int) -> bool:
    """Tell whether a position's arrangement has a number: one that placing and play can reach."""
    own, enemy = (popcount(w), popcount(b)) if r & 1 == WHITE else (popcount(b), popcount(w))
    if own == FOUR:
        return enemy == FOUR
    return enemy == own or enemy == own + 1


@kernel
def number_of(w: int, b: int, r: int, t: Tables) -> int:
    """Return the number of a position's arrangement, or -1 if it has none."""
    return arrangement(w, b, r, t)[0] if numbered(w, b, r) else -1


@kernel
def position_of(number: int, word: int, t: Tables) -> tuple[int, int, int]:
    """Return the position with a number, White to move."""
    own, enemy = FOUR, FOUR
    while own + enemy > 0:
        # The tier after this one: (4, 4), (3, 4), (3, 3), (2, 3) …
        a, b = (own - 1, enemy) if own == enemy else (own, enemy - 1)
        if number < t[8][3 * (COUNTS * a + b)]:
            break
        own, enemy = a, b
    w, b = pair_of(number, own, enemy, t)
    return w, b, word


@kernel
def canonical(number: int, t: Tables) -> bool:
    """Tell whether the arrangement with a number is the representative of its images."""
    w, b, _ = position_of(number, 0, t)
    return keepers_of(w, t) == 0 or pair_rank(w, b, t)[0] == number


@kernel
def orbit(number: int, t: Tables) -> int:
    """Return how many positions a number stands for: images under symmetries, both colours."""
    w, b, _ = position_of(number, 0, t)
    same = 0
    for g in range(8):
        if turned(w, g, t[7]) == w and turned(b, g, t[7]) == b:
            same += 1
    # Who places is known by who has placed; in play either colour may be the mover.
    return (16 if popcount(w) == FOUR else 8) // same


@kernel
def swap_code(step: int) -> int:
    """Return a swap as one byte above 0."""
    group, cell = group_and_cell(step)
    return 1 + (group - rules.SWAP) * 25 + cell


@kernel
def swap_of(code: int) -> int:
    """Return the swap that a byte means."""
    return step_of(rules.SWAP + (code - 1) // 25, (code - 1) % 25)


@kernel
def turned_swap(step: int, symmetry: int, t: Lookup) -> int:
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
    """Return the code of a position between turns, or -1 if it has no number."""
    if not numbered(w, b, r):
        return -1
    return value_at(w, b, r, store, t)


@kernel
def value_at(w: int, b: int, r: int, store: Store, t: Tables) -> int:
    """Return the code of a position that has a number."""
    values, kos, barred = store
    number, symmetry = arrangement(w, b, r, t)
    ko = (r & rules.KO) >> rules.KO_BIT
    if ko and kos[number] and turned_swap(ko, symmetry, t) == kos[number]:
        return int(barred[number])
    return int(values[number])


@kernel
def weigh(
    w: int, b: int, r: int, skip: int, n: int, store: Store, t: Tables, legal: Buffer
) -> tuple[int, int, int, int, int]:
    """Look at the turns of a position but one, knowing values of at most n turns.

    Return how many win, the last of them; how many are open, neither won nor lost, and the last
    of them; and the longest resistance of those that lose.
    """
    winning, winner, open_, opened, longest = 0, 0, 0, 0, 0
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
                opened = step
            elif win_of(code):
                longest = max(longest, distance_of(code))
            else:
                winning += 1
                winner = step
    return winning, winner, open_, opened, longest


@kernel
def lost_but(w: int, b: int, r: int, n: int, store: Store, t: Tables, legal: Buffer) -> bool:
    """Tell whether a position without ko may be decided: at most one swap is open."""
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
    w: int, b: int, r: int, number: int, winning_turn: bool, n: int, known: Known, legal: Buffer
) -> bool:
    """Decide the value of an arrangement, or its exception, if values of n turns allow it.

    Return whether something was decided. If no winning turn led here it is enough to look once
    for each n: an arrangement is met from each of its losing turns, and many turns fail to parry
    the same threat.
    """
    store, seen, t = known
    values, kos, barred = store
    if not winning_turn:
        if seen[number] == n + 1:
            return False
        seen[number] = n + 1
    code = int(values[number])
    if code:
        # Won by one swap alone: what if it is barred?
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
    if not winning_turn and not lost_but(w, b, r, n, store, t, legal):
        return False
    winning, winner, open_, opened, longest = weigh(w, b, r, 0, n, store, t, legal)
    _, symmetry = arrangement(w, b, r, t)
    if winning:
        if winning == 1 and group_and_cell(winner)[0] >= rules.SWAP:
            kos[number] = turned_swap(winner, symmetry, t)
            if open_ == 0 and barred[number] == 0:
                barred[number] = code_of(longest + 1, 0)
        values[number] = code_of(n + 1, 1)
    elif open_ == 0:
        values[number] = code_of(n + 1, 0)
    elif kos[number] == 0:
        kos[number] = turned_swap(opened, symmetry, t)
        barred[number] = code_of(longest + 1, 0)
    return True


@kernel
def expand_play(
    frontier: Buffer, low: int, high: int, n: int, r: int, known: Known
) -> tuple[Buffer, int]:
    """Look at all arrangements from which one turn leads to those of the frontier.

    Going back is a turn of the side that has just moved: steps and swaps can be taken back.
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
    """Find the finished positions among the arrangements of a tier from one number to another.

    The numbers must begin and end with a class.
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
                values[number] = judged(judgement, WHITE)
            enemy = next_among(enemy, own | t[0][0], lows)
            number += 1


@kernel
def parents(w: int, b: int, r: int, out: Buffer, t: Tables) -> int:
    """Put the positions from which a placement leads to a position into `out`: see CH-4."""
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
    """Return the first arrangement of play where a value, for some ko, does not follow, or -1.

    See `damier.solve.retrograde.rounds.check`; here for every ko that bars one of the swaps.
    """
    legal, codes, steps = buffer(rules.GROUPS), buffer(64), buffer(64)
    for number in range(low, high):
        if not canonical(number, t):
            continue
        w, b, r = position_of(number, word, t)
        judgement = rules.legal(w, b, r, legal)
        if judgement:
            if int(store[0][number]) != judged(judgement, WHITE) or store[1][number]:
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
    """Return the value of a position whose turns but one lead to these values."""
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
