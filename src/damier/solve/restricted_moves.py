"""Iteration over the moves that a restricted side may play, as kernels.

A template with the interface of `damier.solve.move_kernels`. One side must not play moves of a
form, such as captures, as long as it has another move. The form is an amount that the steps of a
move add up to: pawns captured, for example, or steps of a kind. A move has the form if the sum
reaches a threshold.

How much a step adds is looked up by its signature: its group, and what it changes on the board.
A step whose signature is not known sets the flag that `complete` reads.
"""

from damier.games.constants import step_of
from damier.games.contract import RulesKernels
from damier.jit import Buffer, buffer, kernel, lowest, placeholder, popcount

rules: RulesKernels = placeholder()

MAX_PENDING = 4096  # positions on the stack
SIGNATURES = 1 << 18
# Parameters in a numbering's lookup tables, from index `FIRST_PARAMETER`: the restricted side plus
# 1 (0: none), the threshold, the bits of the third word that are kept after a move, and for each
# signature what a step adds, plus 1 (0: not known).
FIRST_PARAMETER = 7
HEAD = 3  # parameters before those of the signatures

# Layout of an iterator: by group, the steps of the current position that are not tried yet; the
# group being tried, the size of the stack, the current position (three words) and its sum; the sum
# of the move found last; whether moves of the form are left out; whether the iteration is not
# complete; the parameters; the stack.
STATE, LAST_SUM, FILTER, INCOMPLETE, PARAMETERS = 6, 6, 7, 8, 9
STACK = PARAMETERS + HEAD + SIGNATURES
FRAME = 4


@kernel
def new_iterator() -> Buffer:
    """Return a new iterator, which can be used for many positions one after another."""
    return buffer(rules.GROUPS + STACK + FRAME * MAX_PENDING)


@kernel
def configure(iterator: Buffer, parameters: Buffer) -> None:
    """Set the restriction, from the parameters of a numbering."""
    at = rules.GROUPS + PARAMETERS
    for k in range(HEAD + SIGNATURES):
        iterator[at + k] = parameters[FIRST_PARAMETER + k]


@kernel
def signature(group: int, inside: int, own: int, enemy: int, own2: int, enemy2: int) -> int:
    """Return the signature of a step from the pawns before and after it.

    `inside` has two bits: whether the positions before and after it are inside a move. Cells with
    the bits of both sides, which are closed or contested, hold no pawn here.
    """
    own, enemy, own2, enemy2 = own & ~enemy, enemy & ~own, own2 & ~enemy2, enemy2 & ~own2
    own_new, own_gone = own2 & ~own, own & ~own2
    enemy_new, enemy_gone = enemy2 & ~enemy, enemy & ~enemy2
    found = group << 2 | inside
    found = found << 2 | min(popcount(own_new), 2)
    found = found << 2 | min(popcount(own_gone), 2)
    found = found << 2 | min(popcount(enemy_new), 2)
    found = found << 2 | min(popcount(enemy_gone), 2)
    found = found << 1 | (1 if enemy_new == own_gone else 0)
    return found << 1 | (1 if enemy_gone == own_new else 0)


@kernel
def amount(w: int, b: int, r: int, step: int, w2: int, b2: int, r2: int, iterator: Buffer) -> int:
    """Return what a step adds; set a flag if it is not known."""
    inside = (2 if r & rules.MIDTURN else 0) | (1 if r2 & rules.MIDTURN else 0)
    if r & 1:
        key = signature(step >> 6, inside, b, w, b2, w2)
    else:
        key = signature(step >> 6, inside, w, b, w2, b2)
    found = iterator[rules.GROUPS + PARAMETERS + HEAD + key]
    if found == 0:
        iterator[rules.GROUPS + INCOMPLETE] = 1
        return 0
    return found - 1


@kernel
def start_at(w: int, b: int, r: int, iterator: Buffer) -> None:
    """Put a position on the empty stack."""
    at = rules.GROUPS
    iterator[at], iterator[at + 1] = rules.GROUPS, 1
    top = at + STACK
    iterator[top], iterator[top + 1], iterator[top + 2], iterator[top + 3] = w, b, r, 0


@kernel
def begin(w: int, b: int, r: int, iterator: Buffer) -> None:
    """Start at a position between moves, which must not be finished."""
    at = rules.GROUPS
    start_at(w, b, r, iterator)
    iterator[at + FILTER] = 0
    if iterator[at + PARAMETERS] == (r & 1) + 1:
        found, _, _, _ = advance(iterator)
        while found and iterator[at + LAST_SUM] >= iterator[at + PARAMETERS + 1]:
            found, _, _, _ = advance(iterator)
        start_at(w, b, r, iterator)
        if found:
            iterator[at + FILTER] = 1


@kernel
def next_end(iterator: Buffer) -> tuple[bool, int, int, int]:
    """Return whether there is another move that may be played, and the position after it."""
    at = rules.GROUPS
    found, w, b, r = advance(iterator)
    while (
        found and iterator[at + FILTER] and iterator[at + LAST_SUM] >= iterator[at + PARAMETERS + 1]
    ):
        found, w, b, r = advance(iterator)
    return found, w, b, r


@kernel
def advance(iterator: Buffer) -> tuple[bool, int, int, int]:
    """Return whether there is another move, and the position after it; keep its sum."""
    at = rules.GROUPS
    group, total = iterator[at], iterator[at + 5]
    w, b, r = iterator[at + 2], iterator[at + 3], iterator[at + 4]
    while True:
        while group < rules.GROUPS and iterator[group] == 0:
            group += 1
        if group == rules.GROUPS:
            if iterator[at + 1] == 0:
                return False, w, b, r
            iterator[at + 1] -= 1
            top = at + STACK + FRAME * iterator[at + 1]
            w, b, r = iterator[top], iterator[top + 1], iterator[top + 2]
            total = iterator[top + 3]
            iterator[at + 2], iterator[at + 3], iterator[at + 4] = w, b, r
            iterator[at + 5] = total
            rules.legal(w, b, r, iterator)
            group = 0
            continue
        cells = iterator[group]
        iterator[group] = cells & (cells - 1)
        step = step_of(group, lowest(cells))
        if rules.superfluous(r, step):
            continue
        w2, b2, r2 = rules.play(w, b, r, step)
        more = total
        if iterator[at + PARAMETERS] == (r & 1) + 1:
            more += amount(w, b, r, step, w2, b2, r2, iterator)
        if not r2 & rules.MIDTURN:
            iterator[at] = group
            iterator[at + LAST_SUM] = more
            return True, w2, b2, r2 & iterator[at + PARAMETERS + 2]
        if iterator[at + 1] == MAX_PENDING:
            iterator[at + INCOMPLETE] = 1
            continue
        top = at + STACK + FRAME * iterator[at + 1]
        iterator[top], iterator[top + 1], iterator[top + 2] = w2, b2, r2
        iterator[top + 3] = more
        iterator[at + 1] += 1


@kernel
def complete(iterator: Buffer) -> bool:
    """Return whether no move was left out so far and what every step adds was known."""
    return iterator[rules.GROUPS + INCOMPLETE] == 0
