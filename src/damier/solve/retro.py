"""Retrograde analysis: the loops that find what every position is worth.

A template: `rules` stands for a game's file and `space` for the module that numbers its positions.
Nearly all positions of these games are draws, so nothing sweeps over all of them again and again:
what is decided in n turns decides what is decided in n + 1, and only positions one turn before
those are looked at. Whether such a position is lost, its turns say, as the rules give them.

Threads share the values. In round n every reader takes a value of more than n turns for unknown,
so it does not matter which thread was first, and the result is the same for any number of them.
"""

from damier.games import fraha as rules
from damier.games.terms import step_of
from damier.jit import Buffer, buffer, enlarged, kernel, lowest
from damier.solve import fraha as space
from damier.solve.codes import code_of, distance_of, judged, win_of
from damier.solve.fraha import Store, Tables

STACK = 3 * 4096  # positions inside a turn, waiting: more than any turn of these games leaves


@kernel
def value_of_turns(
    w: int,
    b: int,
    r: int,
    n: int,
    store: Store,
    t: Tables,
    legal: Buffer,
    stack: Buffer,
    lost_only: bool,
) -> int:
    """Return the code that a position's turns give it, knowing values of at most n turns.

    The position must not be finished. With `lost_only` the answer is 0 as soon as one turn does
    not lose.
    """
    side = r & 1
    shortest, longest, open_ = n + 2, -1, False
    stack[0], stack[1], stack[2] = w, b, r
    top = 1
    while top:
        top -= 1
        w, b, r = stack[3 * top], stack[3 * top + 1], stack[3 * top + 2]
        rules.legal(w, b, r, legal)
        for group in range(rules.GROUPS):
            cells = legal[group]
            while cells:
                w2, b2, r2 = rules.play(w, b, r, step_of(group, lowest(cells)))
                cells &= cells - 1
                if r2 & rules.MIDTURN:
                    stack[3 * top], stack[3 * top + 1], stack[3 * top + 2] = w2, b2, r2
                    top += 1
                    continue
                code = space.value_at(w2, b2, r2, store, t)
                distance = distance_of(code)
                if code == 0 or distance > n:
                    open_ = True
                elif win_of(code) == (1 if r2 & 1 == side else 0):
                    shortest = min(shortest, distance + 1)
                else:
                    longest = max(longest, distance + 1)
                    continue
                if lost_only:
                    return 0
    if shortest < n + 2:
        return code_of(shortest, 1)
    if open_:
        return 0
    return code_of(longest, 0)


@kernel
def judge(low: int, high: int, word: int, values: Buffer, t: Tables) -> None:
    """Give the finished positions among some numbers their values."""
    legal = buffer(rules.GROUPS)
    for number in range(low, high):
        w, b, r = space.position_of(number, word, t)
        if w & b:
            continue
        judgement = rules.legal(w, b, r, legal)
        if judgement and space.standing(number, t):
            values[number] = judged(judgement, r & 1)


@kernel
def expand(
    frontier: Buffer,
    low: int,
    high: int,
    n: int,
    word: int,
    values: Buffer,
    seen: Buffer,
    store: Store,
    t: Tables,
) -> tuple[Buffer, int]:
    """Decide what is decided in n + 1 turns by positions of the frontier, decided in n.

    Return the numbers of what was decided, and how many; two threads may both return a number.
    """
    legal, stack, before = buffer(rules.GROUPS), buffer(STACK), buffer(3 * 4096)
    found, total = buffer(1024), 0
    for at in range(low, high):
        number = frontier[at]
        w, b, r = space.position_of(number, word, t)
        win = win_of(int(values[number]))
        count = space.parents(w, b, r, before, t)
        for k in range(count):
            w1, b1, r1 = before[3 * k], before[3 * k + 1], before[3 * k + 2]
            parent = space.number_of(w1, b1, r1, t)
            if parent < 0 or values[parent]:
                continue
            if total == len(found):
                found = enlarged(found)
            if win == (1 if r1 & 1 == r & 1 else 0):
                values[parent] = code_of(n + 1, 1)
                found[total] = parent
                total += 1
            elif seen[parent] != n + 1:
                seen[parent] = n + 1
                code = value_of_turns(w1, b1, r1, n, store, t, legal, stack, True)
                if code:
                    values[parent] = code
                    found[total] = parent
                    total += 1
    return found, total


@kernel
def settle(low: int, high: int, word: int, store: Store, values: Buffer, t: Tables) -> None:
    """Give positions their values when those of all their turns are known."""
    legal, stack = buffer(rules.GROUPS), buffer(STACK)
    for number in range(low, high):
        if not space.standing(number, t):
            continue
        w, b, r = space.position_of(number, word, t)
        judgement = rules.legal(w, b, r, legal)
        if judgement:
            values[number] = judged(judgement, r & 1)
        else:
            values[number] = value_of_turns(w, b, r, 1000, store, t, legal, stack, False)


@kernel
def check(low: int, high: int, word: int, store: Store, t: Tables) -> int:
    """Return the first number whose value does not follow from its turns', or -1.

    Together with one fact this proves all values: distances fall along a win or a loss, so it
    ends; and a draw has a turn to a draw and none to a win, so it goes on for ever or is one.
    """
    legal, stack = buffer(rules.GROUPS), buffer(STACK)
    for number in range(low, high):
        if not space.standing(number, t):
            continue
        w, b, r = space.position_of(number, word, t)
        judgement = rules.legal(w, b, r, legal)
        if judgement:
            code = judged(judgement, r & 1)
        else:
            code = value_of_turns(w, b, r, 1000, store, t, legal, stack, False)
        if code != space.value_at(w, b, r, store, t):
            return number
    return -1


@kernel
def census(low: int, high: int, values: Buffer, t: Tables, tally: Buffer) -> None:
    """Count positions by their codes, each with all its images."""
    for number in range(low, high):
        if space.standing(number, t):
            tally[int(values[number])] += space.orbit(number, t)
