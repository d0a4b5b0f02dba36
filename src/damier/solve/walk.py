"""Walking through the turns of a position, from one turn's end to the next.

A template: `rules` stands for a game's file. A turn may take several steps, so a walk keeps the
positions inside a turn that are still to be looked at. It stops at every end and goes on when it
is asked to: who has seen enough does not pay for the other turns.

    walk.begin(w, b, r, room)
    found, w2, b2, r2 = walk.next_end(room)
    while found:
        …
        found, w2, b2, r2 = walk.next_end(room)
"""

from damier.games.contract import RulesKernels
from damier.games.terms import step_of
from damier.jit import Buffer, buffer, kernel, lowest, stand_in

rules: RulesKernels = stand_in()

WAITING = 4096  # positions inside a turn that may wait

# A walk's room: of the position looked at the steps not tried yet, by group; the group that is
# tried, how many positions wait, and the position; then those that wait; last whether one was left
# out because there were too many.
STATE = 5


@kernel
def new_room() -> Buffer:
    """Return room for a walk. It may serve for many, one after another."""
    return buffer(rules.GROUPS + STATE + 3 * WAITING + 1)


@kernel
def begin(w: int, b: int, r: int, room: Buffer) -> None:
    """Begin at a position, which must not be finished; it may be inside a turn."""
    at = rules.GROUPS
    room[at], room[at + 1] = rules.GROUPS, 1
    room[at + 5], room[at + 6], room[at + 7] = w, b, r


@kernel
def next_end(room: Buffer) -> tuple[bool, int, int, int]:
    """Return whether there is a further turn, and the position that it leads to."""
    at = rules.GROUPS
    group = room[at]
    w, b, r = room[at + 2], room[at + 3], room[at + 4]
    while True:
        while group < rules.GROUPS and room[group] == 0:
            group += 1
        if group == rules.GROUPS:
            if room[at + 1] == 0:
                return False, w, b, r
            room[at + 1] -= 1
            top = at + STATE + 3 * room[at + 1]
            w, b, r = room[top], room[top + 1], room[top + 2]
            room[at + 2], room[at + 3], room[at + 4] = w, b, r
            rules.legal(w, b, r, room)
            group = 0
            continue
        cells = room[group]
        room[group] = cells & (cells - 1)
        step = step_of(group, lowest(cells))
        if rules.superfluous(r, step):
            continue
        w2, b2, r2 = rules.play(w, b, r, step)
        if not r2 & rules.MIDTURN:
            room[at] = group
            return True, w2, b2, r2
        if room[at + 1] == WAITING:
            room[len(room) - 1] = 1
            continue
        top = at + STATE + 3 * room[at + 1]
        room[top], room[top + 1], room[top + 2] = w2, b2, r2
        room[at + 1] += 1


@kernel
def complete(room: Buffer) -> bool:
    """Tell whether no turn was left out of any walk in this room: there was room for all."""
    return room[len(room) - 1] == 0
