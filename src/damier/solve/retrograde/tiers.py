"""Retrograde analysis of games that lose pawns, tier by tier.

A template: `rules` stands for a game's file, `space` for the module that numbers its positions and
`walk` for the walk through a position's turns. A position is three parameters, as everywhere, so
one function has eight.

A tier is all positions with the same two counts of pawns. A capture leads to a lower tier, which is
solved already; any other turn leads to the tier with the counts exchanged, as the other side moves
next. So a tier and its mirror are solved together: first what captures and ends decide, then in
rounds what the other turns make of it.

Distances count turns to the end or, where the rules count turns without capture, turns to the next
capture that keeps the win; `space.lower_code` says which.
"""

from typing import Any

from damier.games.terms import WHITE, step_of
from damier.jit import Buffer, buffer, kernel, lowest, popcount, stand_in
from damier.solve import walk
from damier.solve.codes import code_of, distance_of, win_of
from damier.solve.numbering import Store
from damier.solve.numbering.pairs import keepers_of, pair_of, pair_rank
from damier.solve.numbering.tiered import Tables, TieredNumbering, number_of

# Besides what all rules have, by board and axis: ALL, SHIFT, BACK and FORE.
rules: Any = stand_in()
space: TieredNumbering = stand_in()

# Where a tier and its mirror begin and end, and which side the analysis is for, or 2 for both.
Tier = tuple[int, int, int]
# The counts of the mover's pawns and the other's; where the tier and its mirror begin and end; the
# options; the longest distance that counts.
Job = tuple[int, int, int, int, int, int]
# The values that are being found, all arrays, what the numbering looks up.
Known = tuple[Buffer, Store, Tables]
Room = tuple[Buffer, Buffer]  # for legal steps, and for a walk

FAR = 1 << 20  # a distance that no position has


@kernel
def child_code(w: int, b: int, r: int, n: int, tier: Tier, known: Known, legal: Buffer) -> int:
    """Return the code of what a turn leads to, or -1 if it is not known within n turns."""
    low, high, attacker = tier
    values, store, t = known
    number = number_of(w, b, r, t)
    if number < 0:
        return space.goal_code(rules.legal(w, b, r, legal), r & 1, attacker, t)
    if number < low or number >= high:
        return space.lower_code(w, b, r, number, attacker, store, t)
    code = int(values[number])
    if code == 0 or distance_of(code) > n:
        return -1
    return code


@kernel
def value_of_turns(
    w: int, b: int, r: int, n: int, tier: Tier, known: Known, room: Room, lost_only: bool
) -> int:
    """Return the code that a position's turns give it.

    Known are lower tiers, and in this one values of at most n turns. The position must not be
    finished. With `lost_only` the answer is 0 as soon as one turn does not lose.
    """
    shortest, longest, open_ = FAR, -1, False
    walk.begin(w, b, r, room[1])
    found, w, b, r = walk.next_end(room[1])
    while found:
        code = child_code(w, b, r, n, tier, known, room[0])
        losing = False
        if code <= 0:
            open_ = True
        elif win_of(code):
            longest = max(longest, distance_of(code) + 1)
            losing = True
        else:
            shortest = min(shortest, distance_of(code) + 1)
        if lost_only and not losing:
            return 0
        found, w, b, r = walk.next_end(room[1])
    if shortest < FAR:
        return code_of(shortest, 1)
    return 0 if open_ else code_of(longest, 0)


@kernel
def value_of_pass(w: int, b: int, r: int, n: int, tier: Tier, known: Known, room: Room) -> int:
    """Return the code of a position whose mover must pass, by what the other side then does."""
    w, b, r = rules.play(w, b, r, step_of(space.PASS, 0))
    judgement = rules.legal(w, b, r, room[0])
    if judgement:
        code = space.goal_code(judgement, r & 1, tier[2], known[2])
    else:
        code = value_of_turns(w, b, r, n, tier, known, room, False)
    if code == 0:
        return 0
    return code_of(distance_of(code) + 1, 1 - win_of(code))


@kernel
def value_within(n: int, w: int, b: int, word: int, tier: Tier, known: Known, room: Room) -> int:
    """Return the code of a position with White to move, by its end or by what its turns lead to.

    Known are lower tiers, and in this one values of at most n turns.
    """
    judgement = rules.legal(w, b, word, room[0])
    if judgement:
        return space.goal_code(judgement, WHITE, tier[2], known[2])
    if space.passing(w, b, word):
        return value_of_pass(w, b, word, n, tier, known, room)
    return value_of_turns(w, b, word, n, tier, known, room, False)


@kernel
def canonical(number: int, first: int, second: int, t: Tables) -> bool:
    """Tell whether the arrangement with a number is the representative of its images."""
    return keepers_of(first, t[0]) == 0 or pair_rank(first, second, t[0])[0] == number


@kernel
def prepare(from_: int, to: int, job: Job, known: Known) -> None:
    """Give positions of a tier what captures and ends alone say of them."""
    a, b, low, high, word, longest = job
    values, _, t = known
    room = buffer(rules.GROUPS), walk.new_room()
    tier = low, high, space.attacker_of(a, b)
    for number in range(from_, to):
        w1, b1 = pair_of(number, a, b, t[0])
        if not canonical(number, w1, b1, t):
            continue
        code = value_within(-1, w1, b1, word, tier, known, room)
        if code and distance_of(code) <= longest:
            values[number] = code


@kernel
def plain_parents(w: int, b: int, r: int, out: Buffer, legal: Buffer) -> int:
    """Put the positions from which a plain turn leads to a position into `out`; return how many."""
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
def expand(
    from_: int, to: int, frontier: Buffer, n: int, seen: Buffer, job: Job, known: Known
) -> None:
    """Decide what positions of the frontier, decided in n turns, decide in more."""
    a, b, low, high, word, longest = job
    values, _, t = known
    room = buffer(rules.GROUPS), walk.new_room()
    before = buffer(3 * 256)
    tier = low, high, space.attacker_of(b, a)  # of the positions before
    for at in range(from_, to):
        number = frontier[at]
        w, b_ = pair_of(number, a, b, t[0])
        win = win_of(int(values[number]))
        count = plain_parents(w, b_, word, before, room[0])
        for k in range(count):
            # As its own mover sees it: the position before is Black's turn.
            w1, b1, r1 = before[3 * k + 1], before[3 * k], word
            if space.passing(b1, w1, word):
                touch_pass(b1, w1, n, job, known, room)
            parent = number_of(w1, b1, r1, t)
            code = int(values[parent])
            if code and distance_of(code) <= n + 1:
                continue
            if win == 0:
                if code == 0 or win_of(code):
                    values[parent] = code_of(n + 1, 1)
            elif code == 0 and seen[parent] != n + 1:
                seen[parent] = n + 1
                code = value_of_turns(w1, b1, r1, n, tier, known, room, True)
                if code and distance_of(code) <= longest:
                    values[parent] = code


@kernel
def touch_pass(w: int, b: int, n: int, job: Job, known: Known, room: Room) -> None:
    """Decide a position whose mover, White, must pass, two turns before one of the frontier."""
    _, _, low, high, word, longest = job
    values, _, t = known
    number = number_of(w, b, word, t)
    if values[number]:
        return
    tier = low, high, space.attacker_of(popcount(w), popcount(b))
    code = value_of_pass(w, b, word, n, tier, known, room)
    if code and distance_of(code) <= longest:
        values[number] = code


@kernel
def check(from_: int, to: int, job: Job, known: Known) -> int:
    """Return the first number of a tier whose value does not follow from its turns', or -1."""
    a, b, low, high, word, longest = job
    values, _, t = known
    room = buffer(rules.GROUPS), walk.new_room()
    tier = low, high, space.attacker_of(a, b)
    for number in range(from_, to):
        w1, b1 = pair_of(number, a, b, t[0])
        if not canonical(number, w1, b1, t):
            continue
        code = value_within(FAR, w1, b1, word, tier, known, room)
        if code and distance_of(code) > longest:
            code = 0
        if code != int(values[number]):
            return number
    return -1
