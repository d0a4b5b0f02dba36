"""Loops for games without a numbering of their own: listing all positions, and what follows.

A template: `rules` stands for a game's file, `space` for the numbering and `walk` for the walk
through a position's turns. Positions are three words each in one buffer, `words`. They are found by
a hash table with open addressing, `slots`: in each slot 1 more than a position's number, or 0; it
has a power of two of them, at least twice as many as positions.
"""

from typing import Any

from damier.games.contract import RulesKernels
from damier.games.terms import DRAW
from damier.jit import Buffer, buffer, enlarged, kernel, stand_in
from damier.kernels import hash_of
from damier.solve import walk
from damier.solve.codes import code_of, distance_of, judged, win_of

rules: RulesKernels = stand_in()
space: Any = stand_in()

FAR = 1 << 20  # turns: a distance that no position has
# The graph of turns, backwards: where the positions before each position begin, and they.
Graph = tuple[Buffer, Buffer]


@kernel
def slot_of(w: int, b: int, r: int, words: Buffer, slots: Buffer) -> int:
    """Return the slot of a position, or the free one in which to put it."""
    last = len(slots) - 1
    slot = hash_of(w, b, r) & last
    while slots[slot]:
        at = 3 * int(slots[slot]) - 3
        if words[at] == w and words[at + 1] == b and words[at + 2] == r:
            return slot
        slot = (slot + 1) & last
    return slot


@kernel
def number_in(w: int, b: int, r: int, words: Buffer, slots: Buffer) -> int:
    """Return the number of a position, or -1 if it is not listed."""
    return int(slots[slot_of(w, b, r, words, slots)]) - 1


@kernel
def fill(count: int, words: Buffer, slots: Buffer) -> None:
    """Put so many positions into slots that are all free."""
    for number in range(count):
        at = 3 * number
        w, b, r = int(words[at]), int(words[at + 1]), int(words[at + 2])
        slots[slot_of(w, b, r, words, slots)] = number + 1


@kernel
def find_more(looks: int, words: Buffer, slots: Buffer, state: Buffer) -> None:
    """Add to the list what turns reach from the next positions in it, so many of them.

    `state` is how many positions are listed, how many have been looked at, and 1 if one of these
    has too many turns for a walk. A position for whose turns there is no room left in the list is
    looked at again when there is.
    """
    legal, room, most = buffer(rules.GROUPS), walk.new_room(), len(words) // 3
    for _ in range(looks):
        if state[1] == state[0]:
            return
        at = 3 * state[1]
        w, b, r = int(words[at]), int(words[at + 1]), int(words[at + 2])
        if rules.legal(w, b, r, legal) == 0:
            walk.begin(w, b, r, room)
            found, w, b, r = walk.next_end(room)
            while found:
                slot = slot_of(w, b, r, words, slots)
                if slots[slot] == 0:
                    if state[0] == most:
                        return
                    at = 3 * state[0]
                    words[at], words[at + 1], words[at + 2] = w, b, r
                    state[0] += 1
                    slots[slot] = state[0]
                found, w, b, r = walk.next_end(room)
            if not walk.complete(room):
                state[2] = 1
                return
        state[1] += 1


@kernel
def repetition_wins(low: int, high: int, words: Buffer) -> bool:
    """Tell whether the third occurrence of some position is a win, not a draw or nothing at all."""
    for number in range(low, high):
        at = 3 * number
        w, b, r = int(words[at]), int(words[at + 1]), int(words[at + 2])
        if rules.repeatable(w, b, r) and not rules.superko(r):
            outcome = rules.repeated(w, b, r) & 3
            if outcome != 0 and outcome != DRAW:
                return True
    return False


@kernel
def count_turns(
    low: int, high: int, words: Buffer, slots: Buffer, values: Buffer, left: Buffer, starts: Buffer
) -> None:
    """Judge positions that are over; of the others count the turns, and those that reach each.

    `left` is a number's turns; `starts` counts at each number the turns that lead to it.
    """
    legal, room = buffer(rules.GROUPS), walk.new_room()
    for number in range(low, high):
        at = 3 * number
        w, b, r = int(words[at]), int(words[at + 1]), int(words[at + 2])
        judgement = rules.legal(w, b, r, legal)
        if judgement:
            values[number] = judged(judgement, r & 1)
            continue
        walk.begin(w, b, r, room)
        found, w, b, r = walk.next_end(room)
        while found:
            left[number] += 1
            starts[number_in(w, b, r, words, slots)] += 1
            found, w, b, r = walk.next_end(room)


@kernel
def put_parents(low: int, high: int, words: Buffer, slots: Buffer, graph: Graph) -> None:
    """Put positions before those that their turns reach.

    Each number's part of the graph is filled from its end to its beginning.
    """
    starts, parents = graph
    legal, room = buffer(rules.GROUPS), walk.new_room()
    for number in range(low, high):
        at = 3 * number
        w, b, r = int(words[at]), int(words[at + 1]), int(words[at + 2])
        if rules.legal(w, b, r, legal):
            continue
        walk.begin(w, b, r, room)
        found, w, b, r = walk.next_end(room)
        while found:
            child = number_in(w, b, r, words, slots)
            starts[child] -= 1
            parents[starts[child]] = number
            found, w, b, r = walk.next_end(room)


@kernel
def spread(
    frontier: Buffer, n: int, sides: Buffer, values: Buffer, left: Buffer, graph: Graph
) -> tuple[Buffer, int]:
    """Decide what is decided in n + 1 turns by positions decided in n; return it, and how many.

    A position is lost when its last turn is known to lose: that one loses latest.
    """
    starts, parents = graph
    found, count = buffer(1024), 0
    for k in range(len(frontier)):
        number = int(frontier[k])
        win, side = win_of(int(values[number])), sides[number]
        for at in range(int(starts[number]), int(starts[number + 1])):
            parent = int(parents[at])
            if values[parent]:
                continue
            if win == (1 if sides[parent] == side else 0):
                values[parent] = code_of(n + 1, 1)
            else:
                left[parent] -= 1
                if left[parent]:
                    continue
                values[parent] = code_of(n + 1, 0)
            if count == len(found):
                found = enlarged(found)
            found[count] = parent
            count += 1
    return found, count


@kernel
def check(low: int, high: int, store: Any, t: Any) -> int:
    """Return the first number whose value does not follow from its turns', or -1.

    All that a turn reaches must be in the table. See `rounds.check` for what this proves.
    """
    legal, room = buffer(rules.GROUPS), walk.new_room()
    for number in range(low, high):
        w, b, r = int(store[1][number]), int(store[2][number]), int(store[3][number])
        judgement, side = rules.legal(w, b, r, legal), r & 1
        if judgement:
            if judged(judgement, side) != store[0][number]:
                return number
            continue
        shortest, longest, draw = FAR, -1, False
        walk.begin(w, b, r, room)
        found, w, b, r = walk.next_end(room)
        while found:
            code = space.probe_code(w, b, r, store, t)
            if code < 0:
                return number
            if code == 0:
                draw = True
            elif win_of(code) == (1 if r & 1 == side else 0):
                shortest = min(shortest, distance_of(code) + 1)
            else:
                longest = max(longest, distance_of(code) + 1)
            found, w, b, r = walk.next_end(room)
        expected = 0
        if shortest < FAR:
            expected = code_of(shortest, 1)
        elif not draw:
            expected = code_of(longest, 0)
        if expected != store[0][number]:
            return number
    return -1
