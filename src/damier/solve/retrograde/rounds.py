"""Retrograde analysis: the loops that find what every position is worth.

A template: `rules` stands for a game's file, `space` for the module that numbers its positions and
`walk` for the walk through a position's turns. A position is three parameters, as everywhere, so
one function has eight: a pair of arrays and tables, made for each call, would cost a tenth.

Nearly all positions of these games are draws, so nothing sweeps over all of them again and again:
what is decided in n turns decides what is decided in n + 1, and only positions one turn before
those are looked at. Whether such a position is lost, its turns say, as the rules give them.

Threads share the values. In round n every reader takes a value of more than n turns for unknown,
so it does not matter which thread was first, and the result is the same for any number of them.
"""

from damier.games.contract import RulesKernels
from damier.jit import Buffer, buffer, enlarged, kernel, stand_in
from damier.solve import walk
from damier.solve.codes import code_of, distance_of, judged, win_of
from damier.solve.numbering import Store, Tables, WholeNumbering

rules: RulesKernels = stand_in()
space: WholeNumbering = stand_in()

Known = tuple[Buffer, Store, Tables]  # the values that are being found, and the same

FAR = 1000  # turns: a distance that no position has


@kernel
def value_of_turns(
    w: int, b: int, r: int, n: int, store: Store, t: Tables, room: Buffer, lost_only: bool
) -> int:
    """Return the code that a position's turns give it, knowing values of at most n turns.

    The position must not be finished. With `lost_only` the answer is 0 as soon as one turn does
    not lose.
    """
    side = r & 1
    shortest, longest, open_ = n + 2, -1, False
    walk.begin(w, b, r, room)
    found, w, b, r = walk.next_end(room)
    while found:
        code = space.value_at(w, b, r, store, t)
        distance = distance_of(code)
        losing = False
        if code == 0 or distance > n:
            open_ = True
        elif win_of(code) == (1 if r & 1 == side else 0):
            shortest = min(shortest, distance + 1)
        else:
            longest = max(longest, distance + 1)
            losing = True
        if lost_only and not losing:
            return 0
        found, w, b, r = walk.next_end(room)
    if shortest < n + 2:
        return code_of(shortest, 1)
    if open_:
        return 0
    return code_of(longest, 0)


@kernel
def value_of(w: int, b: int, r: int, store: Store, t: Tables, legal: Buffer, room: Buffer) -> int:
    """Return the code of a position by its end, or by its turns when all their values are known."""
    judgement = rules.legal(w, b, r, legal)
    if judgement:
        return judged(judgement, r & 1)
    return value_of_turns(w, b, r, FAR, store, t, room, False)


@kernel
def judge(low: int, high: int, word: int, values: Buffer, t: Tables) -> None:
    """Give the finished positions among some numbers their values."""
    legal = buffer(rules.GROUPS)
    for number in range(low, high):
        w, b, r = space.position_of(number, word, t)
        if w & b:
            continue
        judgement = rules.legal(w, b, r, legal)
        if judgement and space.canonical(number, t):
            values[number] = judged(judgement, r & 1)


@kernel
def expand(
    frontier: Buffer, low: int, high: int, n: int, word: int, seen: Buffer, known: Known
) -> tuple[Buffer, int]:
    """Decide what is decided in n + 1 turns by positions of the frontier, decided in n.

    Return the numbers of what was decided, and how many; two threads may both return a number.
    """
    values, store, t = known
    room, before = walk.new_room(), buffer(3 * 4096)
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
                code = value_of_turns(w1, b1, r1, n, store, t, room, True)
                if code:
                    values[parent] = code
                    found[total] = parent
                    total += 1
    return found, total


@kernel
def settle(low: int, high: int, word: int, store: Store, values: Buffer, t: Tables) -> None:
    """Give positions their values when those of all their turns are known."""
    legal, room = buffer(rules.GROUPS), walk.new_room()
    for number in range(low, high):
        if not space.canonical(number, t):
            continue
        w, b, r = space.position_of(number, word, t)
        values[number] = value_of(w, b, r, store, t, legal, room)


@kernel
def check(low: int, high: int, word: int, store: Store, t: Tables) -> int:
    """Return the first number whose value does not follow from its turns', or -1.

    Together with one fact this proves all values: distances fall along a win or a loss, so it
    ends; and a draw has a turn to a draw and none to a win, so it goes on for ever or is one.
    """
    legal, room = buffer(rules.GROUPS), walk.new_room()
    for number in range(low, high):
        if not space.canonical(number, t):
            continue
        w, b, r = space.position_of(number, word, t)
        if value_of(w, b, r, store, t, legal, room) != space.value_at(w, b, r, store, t):
            return number
    return -1


@kernel
def census(low: int, high: int, values: Buffer, t: Tables, tally: Buffer) -> None:
    """Count positions by their codes, each with all its images."""
    for number in range(low, high):
        if space.canonical(number, t):
            tally[int(values[number])] += space.orbit(number, t)
