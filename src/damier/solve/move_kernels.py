"""Iteration over the moves of a position, as kernels.

A template: `rules` is a game's rules module. A move may take several steps, so the iterator keeps a
stack of positions inside a move that are still to be visited. It stops at the end of every move and
resumes on request: a caller that needs only some moves does not pay for the others.

    iterator = move_kernels.new_iterator()
    move_kernels.begin(w, b, r, iterator)
    found, w2, b2, r2 = move_kernels.next_end(iterator)
    while found:
        …
        found, w2, b2, r2 = move_kernels.next_end(iterator)
"""

from damier.games.constants import step_of
from damier.games.contract import RulesKernels
from damier.jit import Buffer, buffer, kernel, lowest, placeholder

rules: RulesKernels = placeholder()

MAX_PENDING = 4096  # positions on the stack

# Layout of an iterator: by group, the steps of the current position that are not tried yet; the
# group being tried, the size of the stack, and the current position (three words); the stack; last
# a flag that is 1 if a position was left out because the stack was full.
STATE = 5


@kernel
def new_iterator() -> Buffer:
    """Return a new iterator, which can be used for many positions one after another."""
    return buffer(rules.GROUPS + STATE + 3 * MAX_PENDING + 1)


@kernel
def configure(iterator: Buffer, parameters: Buffer) -> None:
    """Accept the parameters of a numbering; `restricted_moves` reads a restriction from them."""


@kernel
def begin(w: int, b: int, r: int, iterator: Buffer) -> None:
    """Start at a position, which must not be finished; it may be inside a move."""
    at = rules.GROUPS
    iterator[at], iterator[at + 1] = rules.GROUPS, 1
    iterator[at + 5], iterator[at + 6], iterator[at + 7] = w, b, r


@kernel
def next_end(iterator: Buffer) -> tuple[bool, int, int, int]:
    """Return whether there is another move, and the position that it leads to."""
    at = rules.GROUPS
    group = iterator[at]
    w, b, r = iterator[at + 2], iterator[at + 3], iterator[at + 4]
    while True:
        while group < rules.GROUPS and iterator[group] == 0:
            group += 1
        if group == rules.GROUPS:
            if iterator[at + 1] == 0:
                return False, w, b, r
            iterator[at + 1] -= 1
            top = at + STATE + 3 * iterator[at + 1]
            w, b, r = iterator[top], iterator[top + 1], iterator[top + 2]
            iterator[at + 2], iterator[at + 3], iterator[at + 4] = w, b, r
            rules.legal(w, b, r, iterator)
            group = 0
            continue
        cells = iterator[group]
        iterator[group] = cells & (cells - 1)
        step = step_of(group, lowest(cells))
        if rules.superfluous(r, step):
            continue
        w2, b2, r2 = rules.play(w, b, r, step)
        if not r2 & rules.MIDTURN:
            iterator[at] = group
            return True, w2, b2, r2
        if iterator[at + 1] == MAX_PENDING:
            iterator[len(iterator) - 1] = 1
            continue
        top = at + STATE + 3 * iterator[at + 1]
        iterator[top], iterator[top + 1], iterator[top + 2] = w2, b2, r2
        iterator[at + 1] += 1


@kernel
def complete(iterator: Buffer) -> bool:
    """Return whether no move was left out so far because the stack was full."""
    return iterator[len(iterator) - 1] == 0
