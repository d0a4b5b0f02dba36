"""Kernels of retrograde analysis for games with captures, tier by tier.

A template: `rules` is a game's rules module, `space` the module that numbers its positions and
`move_kernels` iterates over a position's moves. A position is three parameters, so one function has
eight.

A tier is all positions with the same two counts of pawns. A capture leads to a lower tier, which is
solved already; any other move leads to the tier with the counts exchanged, because the other side
moves next. So a tier and its mirror are solved together: first captures and finished positions,
then the other moves in rounds.

Distances count moves to the end or, where the rules count moves without capture, moves to the next
capture that keeps the win; see `space.lower_code`.
"""

from typing import Any

from damier.games.constants import WHITE, step_of
from damier.jit import Buffer, buffer, kernel, lowest, placeholder, popcount
from damier.solve import move_kernels
from damier.solve.numbering import Store
from damier.solve.numbering.pairs import (
    COUNTS,
    Lookup,
    cells_image,
    keepers_at,
    next_among,
    pair_of,
    put_lows,
    set_among,
)
from damier.solve.numbering.tiered import Tables, TieredNumbering, number_of
from damier.solve.value_codes import code_of, distance_of, terminal_code, win_of

# Besides the names of all rules modules, these have ALL, SHIFT, BACK and FORE by board and axis.
rules: Any = placeholder()
space: TieredNumbering = placeholder()

# First number and end of a tier and its mirror; the side that the analysis is for, 2 for both; its
# goal, as the game defines it.
Tier = tuple[int, int, int, int]
# Counts of the mover's and the opponent's pawns; first number and end of the tier and its mirror;
# the goal; the word of the options; the greatest distance that counts.
TierJob = tuple[int, int, int, int, int, int, int]
# The values of the tier and its mirror, the arrays of lower tiers, the lookup tables of the
# numbering.
Known = tuple[Buffer, Store, Tables]
Lower = tuple[Store, Tables]  # the same without the values
Workspace = tuple[Buffer, Buffer]  # for legal steps, and a move iterator

FAR = 1 << 20  # a distance that no position has
# What some moves of a position lead to: the distances of the nearest win and of the farthest loss,
# and 1 if a move is undecided.
Outlook = tuple[int, int, int]


@kernel
def child_code(w: int, b: int, r: int, n: int, tier: Tier, known: Known, legal: Buffer) -> int:
    """Return the code of the position after a move, or -1 if it is not known within n moves."""
    low, high, attacker, goal = tier
    values, store, t = known
    number = number_of(w, b, r, t)
    if low <= number < high:
        code = int(values[number - low])
        if code == 0 or distance_of(code) > n:
            return -1
        return code
    return space.goal_code(lower_code(w, b, r, number, store, t, legal), r & 1, attacker, goal)


@kernel
def lower_code(w: int, b: int, r: int, number: int, store: Store, t: Tables, legal: Buffer) -> int:
    """Return the code of a position with fewer pawns, which may be finished."""
    if number < 0:
        return terminal_code(rules.legal(w, b, r, legal), r & 1)
    return space.lower_code(w, b, r, number, store, t)


@kernel
def value_of_moves(
    w: int, b: int, r: int, n: int, tier: Tier, known: Known, workspace: Workspace, lost_only: bool
) -> int:
    """Return the code that follows from a position's moves.

    Lower tiers are known, and in this tier values of at most n moves. The position must not be
    finished. With `lost_only` the result is 0 as soon as one move does not lose.
    """
    outlook = FAR, -1, 0
    move_kernels.begin(w, b, r, workspace[1])
    found, w, b, r = move_kernels.next_end(workspace[1])
    while found:
        code = child_code(w, b, r, n, tier, known, workspace[0])
        if lost_only and (code <= 0 or win_of(code) == 0):
            return 0
        outlook = with_move(code, outlook)
        found, w, b, r = move_kernels.next_end(workspace[1])
    return code_from(outlook)


@kernel
def with_move(code: int, outlook: Outlook) -> Outlook:
    """Return an outlook with one more move, to a position with this code."""
    shortest, longest, undecided = outlook
    if code <= 0:
        return shortest, longest, 1
    if win_of(code):
        return shortest, max(longest, distance_of(code) + 1), undecided
    return min(shortest, distance_of(code) + 1), longest, undecided


@kernel
def code_from(outlook: Outlook) -> int:
    """Return the code of a position from all its moves."""
    shortest, longest, undecided = outlook
    if shortest < FAR:
        return code_of(shortest, 1)
    return 0 if undecided else code_of(longest, 0)


@kernel
def value_of_pass(
    w: int, b: int, r: int, n: int, tier: Tier, known: Known, workspace: Workspace
) -> int:
    """Return the code of a position whose mover must pass, from the opponent's moves."""
    w, b, r = rules.play(w, b, r, step_of(space.PASS, 0))
    judgement = rules.legal(w, b, r, workspace[0])
    if judgement:
        code = space.goal_code(terminal_code(judgement, r & 1), r & 1, tier[2], tier[3])
    else:
        code = value_of_moves(w, b, r, n, tier, known, workspace, False)
    if code == 0:
        return 0
    return code_of(distance_of(code) + 1, 1 - win_of(code))


@kernel
def value_within(
    n: int, w: int, b: int, word: int, tier: Tier, known: Known, workspace: Workspace
) -> int:
    """Return the code of a position with White to move: of its end, or from its moves.

    Lower tiers are known, and in this tier values of at most n moves.
    """
    judgement = rules.legal(w, b, word, workspace[0])
    if judgement:
        return space.goal_code(terminal_code(judgement, WHITE), WHITE, tier[2], tier[3])
    if space.passing(w, b, word):
        return value_of_pass(w, b, word, n, tier, known, workspace)
    return value_of_moves(w, b, word, n, tier, known, workspace, False)


@kernel
def canonical(second: int, keeping: int, t: Lookup) -> bool:
    """Return whether no symmetry that keeps the first set of an arrangement lowers the second."""
    while keeping:
        if cells_image(second, lowest(keeping), t[7]) < second:
            return False
        keeping &= keeping - 1
    return True


@kernel
def captures_code(
    w: int, b: int, word: int, goals: int, tier: Tier, known: Known, workspace: Workspace
) -> tuple[int, int]:
    """Return the codes that follow from a position's captures, for each goal.

    Moves without capture are undecided, so they need no number.
    """
    _, _, attacker, goal = tier
    _, store, t = known
    legal, iterator = workspace
    pawns = popcount(w) + popcount(b)
    one, other = (FAR, -1, 0), (FAR, -1, 0)
    move_kernels.begin(w, b, word, iterator)
    found, w, b, r = move_kernels.next_end(iterator)
    while found:
        if popcount(w) + popcount(b) == pawns:
            one, other = with_move(0, one), with_move(0, other)
        else:
            code = lower_code(w, b, r, number_of(w, b, r, t), store, t, legal)
            one = with_move(space.goal_code(code, r & 1, attacker, goal), one)
            if goals == 2:
                other = with_move(space.goal_code(code, r & 1, attacker, goal + 1), other)
        found, w, b, r = move_kernels.next_end(iterator)
    return code_from(one), code_from(other)


@kernel
def prepare(
    from_: int, to: int, job: TierJob, goals: int, first: Buffer, second: Buffer, lower: Lower
) -> None:
    """Set the values in a tier that follow from captures and finished positions alone.

    `first` and `second` are the values for the job's goal and, if there are two, for the next goal.
    """
    a, b, low, high, goal, word, longest = job
    store, t = lower
    lookup = t[0]
    legal, iterator, lows = buffer(rules.GROUPS), move_kernels.new_iterator(), buffer(COUNTS)
    board, binomial, firsts, keepers = lookup[0], lookup[1], lookup[5], lookup[6]
    at = 3 * (COUNTS * a + b)
    start, first_class, each = lookup[8][at], lookup[8][at + 1], lookup[8][at + 2]
    attacker = space.attacker_of(a, b)
    tier, next_tier = (low, high, attacker, goal), (low, high, attacker, goal + 1)
    known, next_known, workspace = (first, store, t), (second, store, t), (legal, iterator)
    number = from_
    while number < to:
        class_ = (number - start) // each
        end = min(to, start + (class_ + 1) * each)
        w, keeping = firsts[first_class + class_], keepers[first_class + class_]
        taken = w | board[0]
        put_lows(taken, lows)
        set_ = set_among(number - start - class_ * each, b, taken, board[1], binomial)
        while True:
            if keeping == 0 or canonical(set_, keeping, lookup):
                judgement = rules.legal(w, set_, word, legal)
                code, code2 = 0, 0
                if judgement:
                    true_code = terminal_code(judgement, WHITE)
                    code = space.goal_code(true_code, WHITE, attacker, goal)
                    code2 = space.goal_code(true_code, WHITE, attacker, goal + 1)
                elif not space.quiet(w, set_, word, legal):
                    code, code2 = captures_code(w, set_, word, goals, tier, known, workspace)
                elif space.passing(w, set_, word):
                    code = value_of_pass(w, set_, word, -1, tier, known, workspace)
                    if goals == 2:
                        code2 = value_of_pass(w, set_, word, -1, next_tier, next_known, workspace)
                if code and distance_of(code) <= longest:
                    first[number - low] = code
                if goals == 2 and code2 and distance_of(code2) <= longest:
                    second[number - low] = code2
            number += 1
            if number >= end:
                break
            set_ = next_among(set_, taken, lows)


@kernel
def plain_parents(w: int, b: int, r: int, out: Buffer, legal: Buffer) -> int:
    """Write the positions from which a plain move leads to a position to `out`; return how many."""
    side = 1 - (r & 1)  # who moved
    mover = w if side == WHITE else b
    board = space.board_of(r)
    empty = rules.ALL[board] & ~(w | b)
    count = 0
    for d in range(2 * space.AXES):
        k = space.AXES * board + d % space.AXES
        shift = rules.SHIFT[k]
        # Pawns that can go back against direction d.
        if d < space.AXES:
            back = mover & rules.BACK[k] & (empty << shift)
        else:
            back = mover & rules.FORE[k] & (empty >> shift)
        while back:
            to = lowest(back)
            back &= back - 1
            from_ = to - shift if d < space.AXES else to + shift
            exchange = (1 << to) | (1 << from_)
            w1, b1 = (w ^ exchange, b) if side == WHITE else (w, b ^ exchange)
            if rules.legal(w1, b1, r ^ 1, legal) or not legal[space.PLAIN + d] >> from_ & 1:
                continue
            if not space.QUIET:
                w2, b2, r2 = rules.play(w1, b1, r ^ 1, step_of(space.PLAIN + d, from_))
                if w2 != w or b2 != b or r2 & rules.MIDTURN:
                    continue
            out[3 * count], out[3 * count + 1], out[3 * count + 2] = w1, b1, r ^ 1
            count += 1
    return count


@kernel
def expand(frontier: Buffer, n: int, job: TierJob, known: Known) -> None:
    """Decide positions in more than n moves from positions of the frontier, decided in n."""
    a, b, low, high, goal, word, longest = job
    values, _, t = known
    workspace = buffer(rules.GROUPS), move_kernels.new_iterator()
    before = buffer(3 * 256)
    tier = low, high, space.attacker_of(b, a), goal  # of the positions before
    for at in range(len(frontier)):
        number = int(frontier[at])
        w, b_ = pair_of(number, a, b, t[0])
        win = win_of(int(values[number - low]))
        count = plain_parents(w, b_, word, before, workspace[0])
        for k in range(count):
            # From the mover's side: the position before has Black to move.
            w1, b1, r1 = before[3 * k + 1], before[3 * k], word
            if space.passing(b1, w1, word):
                touch_pass(b1, w1, n, job, known, workspace)
            parent = number_of(w1, b1, r1, t)
            code = int(values[parent - low])
            if code and distance_of(code) <= n + 1:
                continue
            if win == 0:
                if code == 0 or win_of(code):
                    values[parent - low] = code_of(n + 1, 1)
            elif code == 0:
                code = value_of_moves(w1, b1, r1, n, tier, known, workspace, True)
                if code and distance_of(code) <= longest:
                    values[parent - low] = code


@kernel
def touch_pass(w: int, b: int, n: int, job: TierJob, known: Known, workspace: Workspace) -> None:
    """Decide a position in which White must pass, two moves before one of the frontier."""
    _, _, low, high, goal, word, longest = job
    values, _, t = known
    number = number_of(w, b, word, t)
    if values[number - low]:
        return
    tier = low, high, space.attacker_of(popcount(w), popcount(b)), goal
    code = value_of_pass(w, b, word, n, tier, known, workspace)
    if code and distance_of(code) <= longest:
        values[number - low] = code


@kernel
def check(from_: int, to: int, job: TierJob, known: Known) -> int:
    """Return the first number of a tier whose value does not follow from its moves, or -1."""
    a, b, low, high, goal, word, longest = job
    values, _, t = known
    workspace = buffer(rules.GROUPS), move_kernels.new_iterator()
    tier = low, high, space.attacker_of(a, b), goal
    for number in range(from_, to):
        w1, b1 = pair_of(number, a, b, t[0])
        if not canonical(b1, keepers_at(number, a, b, t[0]), t[0]):
            continue
        code = value_within(FAR, w1, b1, word, tier, known, workspace)
        if code and distance_of(code) > longest:
            code = 0
        if code != int(values[number - low]):
            return number
    return -1
