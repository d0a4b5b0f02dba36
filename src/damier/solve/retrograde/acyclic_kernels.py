"""Kernels that find the value of one position of a game in which no position can return.

A template: `rules` is a game's rules module, `space` its default numbering and `move_kernels`
iterates over a position's moves. The search is depth first. It remembers the value of every
position that it has finished, up to symmetry and colour, and stops at a position's first winning
move, so it visits a small part of the positions.
"""

from typing import Any

from damier.games.constants import DRAW
from damier.games.contract import RulesKernels
from damier.jit import Buffer, buffer, kernel, placeholder, popcount, times
from damier.kernels import hash_of
from damier.solve import move_kernels
from damier.solve.numbering.enumerated import Tables

rules: RulesKernels = placeholder()
space: Any = placeholder()

LOST, DRAWN, WON, OPEN = 1, 2, 3, 4  # for the side to move; OPEN: on the current path
# Why the search returns.
FINISHED, PAUSED, GROW, NEW_REST, CYCLE, TOO_LARGE = range(6)
# Words of the state: the key to expand, or -1; the value just found, or 0; positions on the path;
# positions in the table; children on the path; a third word that is not listed.
KEY, VALUE, PLY, COUNT, CHILDREN, REST = range(6)
FRAME = 5  # words for a position on the path: key, first child, end of children, next child, best
MAX_PLY, MAX_CHILDREN = 1 << 10, 1 << 16  # on the path

Memory = tuple[Buffer, Buffer]  # hash table: keys plus 1, and values
Path = tuple[Buffer, Buffer, Buffer]  # frames; keys of children; whether the same side moves again


@kernel
def slot_of(key: int, keys: Buffer) -> int:
    """Return the slot of a key, or the free slot for it."""
    slot = times(hash_of(key, 0, 0), len(keys)) >> 31
    while keys[slot] != 0 and keys[slot] != key + 1:
        slot += 1
        if slot == len(keys):
            slot = 0
    return slot


@kernel
def rehash(old: Memory, new: Memory) -> None:
    """Copy a hash table to a larger one."""
    for at in range(len(old[0])):
        if old[0][at]:
            slot = slot_of(int(old[0][at]) - 1, new[0])
            new[0][slot], new[1][slot] = old[0][at], old[1][at]


@kernel
def mobility(w: int, b: int, r: int, legal: Buffer) -> int:
    """Return the number of legal steps of a position, 0 if it is finished."""
    if rules.legal(w, b, r, legal):
        return 0
    total = 0
    for group in range(rules.GROUPS):
        total += popcount(legal[group])
    return total


@kernel
def put_children(
    w: int, b: int, r: int, state: Buffer, path: Path, t: Tables, room: tuple[Buffer, Buffer]
) -> int:
    """Write the children of a position to the path, those with the fewest replies first.

    Return FINISHED, or why they could not be written.
    """
    _, children, again = path
    legal, iterator = room
    side, first = r & 1, state[CHILDREN]
    order = buffer(MAX_PLY)
    end = first
    move_kernels.begin(w, b, r, iterator)
    more, w, b, r = move_kernels.next_end(iterator)
    while more:
        rest = space.rest_of(r, t)
        if rest < 0:
            state[REST] = r
            return NEW_REST
        if end == len(children) or end - first == len(order):
            return TOO_LARGE
        replies = mobility(w, b, r, legal)
        w1, b1, rest = space.canonical(w, b, r, rest, t)
        at = end
        while at > first and order[at - first - 1] > replies:
            order[at - first] = order[at - first - 1]
            children[at], again[at] = children[at - 1], again[at - 1]
            at -= 1
        order[at - first] = replies
        children[at] = space.packed_key(w1, b1, rest, t)
        again[at] = 1 if r & 1 == side else 0
        end += 1
        more, w, b, r = move_kernels.next_end(iterator)
    state[CHILDREN] = end
    return FINISHED if move_kernels.complete(iterator) else TOO_LARGE


@kernel
def final_value(outcome: int, side: int) -> int:
    """Return the value of a finished position for the side to move."""
    if outcome == DRAW:
        return DRAWN
    return WON if outcome == 1 + side else LOST


@kernel
def receive(state: Buffer, frames: Buffer, at: int, again: Buffer) -> None:
    """Take the value of the child that was tried last, if one was found, into account."""
    if state[VALUE]:
        value = state[VALUE]
        if not again[frames[at + 3] - 1]:
            value = WON + LOST - value
        frames[at + 4] = max(frames[at + 4], value)
        state[VALUE] = 0


@kernel
def search(nodes: int, state: Buffer, path: Path, memory: Memory, t: Tables) -> int:
    """Go on with a search for at most so many positions; return why it stopped.

    FINISHED means that `state[VALUE]` is the value of the first position.
    """
    frames, children, _ = path
    keys, values = memory
    legal, iterator, one = buffer(rules.GROUPS), move_kernels.new_iterator(), buffer(1)
    while True:
        if state[KEY] >= 0:
            if nodes == 0:
                return PAUSED
            if 5 * state[COUNT] > 3 * len(keys):
                return GROW
            nodes -= 1
            one[0] = state[KEY]
            w, b, r = space.position_at(0, one, t)
            judgement = rules.legal(w, b, r, legal) & 3
            value, first = OPEN, state[CHILDREN]
            if judgement:
                value = final_value(judgement, r & 1)
            else:
                if state[PLY] == MAX_PLY:
                    return TOO_LARGE
                problem = put_children(w, b, r, state, path, t, (legal, iterator))
                if problem:
                    return problem
                at = FRAME * state[PLY]
                frames[at], frames[at + 1], frames[at + 2] = state[KEY], first, state[CHILDREN]
                frames[at + 3], frames[at + 4] = first, 0
                state[PLY] += 1
            slot = slot_of(state[KEY], keys)
            keys[slot], values[slot] = state[KEY] + 1, value
            state[COUNT] += 1
            state[KEY], state[VALUE] = -1, value if value != OPEN else 0
            continue
        if state[PLY] == 0:
            return FINISHED
        at = FRAME * (state[PLY] - 1)
        receive(state, frames, at, path[2])
        if frames[at + 4] == WON or frames[at + 3] == frames[at + 2]:
            values[slot_of(frames[at], keys)] = frames[at + 4]
            state[VALUE], state[CHILDREN] = frames[at + 4], frames[at + 1]
            state[PLY] -= 1
            continue
        child = children[frames[at + 3]]
        frames[at + 3] += 1
        slot = slot_of(child, keys)
        if keys[slot] == 0:
            state[KEY] = child
        elif values[slot] == OPEN:
            return CYCLE
        else:
            state[VALUE] = values[slot]
