"""Loops over any game: all turns of a position, perft, random games.

A template: `rules` stands for a game's file, and `damier.jit.link` makes the loops of one game.
"""

from damier.games.contract import RulesKernels
from damier.games.terms import step_of
from damier.jit import Buffer, buffer, enlarged, inlined, kernel, lowest, popcount, stand_in, times

rules: RulesKernels = stand_in()

HALF = (1 << 32) - 1

# A turn has at most this many steps: a chain of captures takes at least one of 31 pawns a step.
LONGEST = 32
# A turn as `all_turns` lists it: the number of steps, the steps, the position reached.
TURN_WORDS = LONGEST + 4
TURN_END = LONGEST + 1
WAITING = 4096  # positions inside a turn
TOO_LONG = 1 << 40  # instead of a number of ends: there is no room for all that waits


# Room for listing turns: legal steps; those not tried yet at each depth of the turn under way; at
# each depth the position, the step tried, and which groups have steps not tried yet; behind them
# the depth, less than 0 when all turns are listed.
TurnRoom = tuple[Buffer, Buffer, Buffer]
DEPTH = 5 * LONGEST


@kernel
def enter(w: int, b: int, r: int, depth: int, room: TurnRoom) -> None:
    """Put a position and its legal steps at a depth of the turn under way."""
    legal, untried, path = room
    rules.legal(w, b, r, legal)
    groups = 0
    for group in range(rules.GROUPS):
        if legal[group]:
            untried[depth * rules.GROUPS + group] = legal[group]
            groups |= 1 << group
    at = 5 * depth
    path[at], path[at + 1], path[at + 2], path[at + 4] = w, b, r, groups


@kernel
def begin_turns(w: int, b: int, r: int) -> TurnRoom:
    """Begin to list the turns from a position, or the ways to go on with an unfinished turn.

    The position must not be finished.
    """
    room = buffer(rules.GROUPS), buffer(LONGEST * rules.GROUPS), buffer(DEPTH + 1)
    enter(w, b, r, 0, room)
    return room


@kernel
def next_turns(room: TurnRoom, found: Buffer) -> int:
    """Put the next turns into a buffer, TURN_WORDS a turn, as many as it has room for.

    Return how many; 0 when there are no more, -1 if a turn has more than LONGEST steps.
    """
    _, untried, path = room
    depth, count, most = path[DEPTH], 0, len(found) // TURN_WORDS
    while depth >= 0 and count < most:
        at = 5 * depth
        if path[at + 4] == 0:
            depth -= 1
            continue
        group = lowest(path[at + 4])
        cells = untried[depth * rules.GROUPS + group]
        step = step_of(group, lowest(cells))
        cells &= cells - 1
        untried[depth * rules.GROUPS + group] = cells
        if cells == 0:
            path[at + 4] &= path[at + 4] - 1
        w, b, r = path[at], path[at + 1], path[at + 2]
        if rules.superfluous(r, step):
            continue
        path[at + 3] = step
        w, b, r = rules.play(w, b, r, step)
        if r & rules.MIDTURN:
            depth += 1
            if depth == LONGEST:
                return -1
            enter(w, b, r, depth, room)
            continue
        at = TURN_WORDS * count
        found[at] = depth + 1
        for k in range(depth + 1):
            found[at + 1 + k] = path[5 * k + 3]
        found[at + TURN_END], found[at + TURN_END + 1], found[at + TURN_END + 2] = w, b, r
        count += 1
    path[DEPTH] = depth
    return count


# Room for children: the positions reached, three words each; a hash table, all zeros, with two
# words for each of them; legal steps; positions and unfinished turns still to be looked at. Only
# `perft` puts longer buffers in their place: a loop that may do so is slower by a third.
Room = tuple[Buffer, Buffer, Buffer, Buffer]


@kernel
def append(positions: Buffer, count: int, w: int, b: int, r: int) -> int:
    """Put a position after so many others; return their number with it."""
    positions[3 * count], positions[3 * count + 1], positions[3 * count + 2] = w, b, r
    return count + 1


@kernel
def put_ends(left: int, room: Room) -> int:
    """Follow the turns of the positions that wait, so many are left, and put where they end.

    Return how many ends there are, the same ones counted again. Those for which there is no room
    are only counted. If too many turns wait, what is counted is TOO_LONG.
    """
    ends, _, legal, waiting = room
    most, count = len(ends) // 3, 0
    while left > 0:
        left -= 1
        w, b, r = waiting[3 * left], waiting[3 * left + 1], waiting[3 * left + 2]
        rules.legal(w, b, r, legal)
        for group in range(rules.GROUPS):
            cells = legal[group]
            while cells:
                step = step_of(group, lowest(cells))
                cells &= cells - 1
                if rules.superfluous(r, step):
                    continue
                w2, b2, r2 = rules.play(w, b, r, step)
                if r2 & rules.MIDTURN:
                    if left == WAITING:
                        return TOO_LONG
                    left = append(waiting, left, w2, b2, r2)
                elif count < most:
                    count = append(ends, count, w2, b2, r2)
                else:
                    count += 1
    return count


@kernel
def keep_distinct(count: int, room: Room) -> int:
    """Keep each of the positions in `ends` once; return how many, or -1 if some had no room.

    It is -2 if the turns were too long.
    """
    ends, table, _, _ = room
    if count == TOO_LONG:
        return -2
    if 3 * count > len(ends):
        return -1
    size = 2  # of the part in use: as short as it can be, to stay in the nearest cache
    while size < 2 * count:
        size *= 2
    kept = 0
    for at in range(0, 3 * count, 3):
        w, b, r = ends[at], ends[at + 1], ends[at + 2]
        slot = hash_of(w, b, r) & (size - 1)
        new = True
        while table[slot]:
            other = 3 * table[slot] - 3
            if ends[other] == w and ends[other + 1] == b and ends[other + 2] == r:
                new = False
                break
            slot = (slot + 1) & (size - 1)
        if new:
            kept = append(ends, kept, w, b, r)
            table[slot] = kept
    for slot in range(size):
        table[slot] = 0
    return kept


@kernel
def hash_of(w: int, b: int, r: int) -> int:
    """Return a hash of a position, below 2**31."""
    mixed = times(w, 0x9E3779B97F4A7C1) ^ times(b, 0x2545F4914F6CDD1D)
    return (mixed ^ times(r, 0x5851F42D4C957F2D)) >> 32


@kernel
def mixed(w: int, b: int, r: int) -> int:
    """Return 62 bits that depend on all bits given.

    Numba promises LLVM that no product of integers overflows, so none here does: halves of 32
    bits times constants below 2**30.
    """
    h = (w & HALF) * 0x2545F491 ^ (w >> 32) * 0x39E1F27B ^ (b & HALF) * 0x1F123BB5
    h ^= (b >> 32) * 0x2D8C56A3 ^ (r & HALF) * 0x3C6EF36B ^ (r >> 32) * 0x1B873593
    return h ^ h >> 29


@kernel
def put_children(w: int, b: int, r: int, room: Room) -> int:
    """Put the distinct positions that one turn can reach into `ends`; return their number.

    It is -1 if there is no room for them.
    """
    if rules.legal(w, b, r, room[2]):
        return 0
    return keep_distinct(put_ends(append(room[3], 0, w, b, r), room), room)


@kernel
def count_children(w: int, b: int, r: int, room: Room) -> int:
    """Return the number of distinct positions that one turn can reach, or -1 without room for them.

    Positions that cannot be reached in two ways are counted without being kept.
    """
    _, _, legal, waiting = room
    if not rules.ONE_STEP_UNIQUE:
        return put_children(w, b, r, room)
    if rules.legal(w, b, r, legal):
        return 0
    children, unfinished = 0, 0
    for group in range(rules.GROUPS):
        cells = legal[group]
        if rules.FINAL >> group & 1:
            children += popcount(cells)
            continue
        while cells:
            w2, b2, r2 = rules.play(w, b, r, step_of(group, lowest(cells)))
            cells &= cells - 1
            if r2 & rules.MIDTURN:
                if unfinished == WAITING:
                    return -2
                unfinished = append(waiting, unfinished, w2, b2, r2)
            else:
                children += 1
    if unfinished == 0:
        return children
    others = keep_distinct(put_ends(unfinished, room), room)
    return children + others if others >= 0 else others


@kernel
def perft(w: int, b: int, r: int, depth: int) -> int:
    """Return the number of paths of `depth` turns through distinct positions.

    It is -1 if a turn has more steps than there is room for.
    """
    if depth == 0:
        return 1
    room = buffer(3 * 512), buffer(2 * 512), buffer(rules.GROUPS), buffer(3 * WAITING)
    # A stack of positions still to be looked at, each with the depth left.
    stack = buffer(1024)
    stack[0], stack[1], stack[2], stack[3] = w, b, r, depth
    top, paths = 1, 0
    while top > 0:
        at = 4 * (top - 1)
        w, b, r, left = stack[at], stack[at + 1], stack[at + 2], stack[at + 3]
        count = count_children(w, b, r, room) if left == 1 else put_children(w, b, r, room)
        if count == -2:
            return -1
        if count < 0:  # once more, with more room
            room = enlarged(room[0]), enlarged(room[1]), room[2], room[3]
            continue
        top -= 1
        if left == 1:
            paths += count
            continue
        while 4 * (top + count) > len(stack):
            stack = enlarged(stack)
        ends = room[0]
        for k in range(count):
            at = 4 * top
            stack[at], stack[at + 1], stack[at + 2] = ends[3 * k], ends[3 * k + 1], ends[3 * k + 2]
            stack[at + 3] = left - 1
            top += 1
    return paths


@kernel
def next_random(seed: int) -> int:
    """Return the next state of the random numbers, below 2**63: Marsaglia's multiply-with-carry.

    2131995753 * 2**32 - 1 is prime. The product of two halves does not overflow, and the 1 that is
    added lets any seed begin, 0 too.
    """
    return (seed & HALF) * 2131995753 + (seed >> 32) + 1


@kernel
def random_bits(seed: int) -> int:
    """Return 32 random bits of a state."""
    return (seed ^ seed >> 31) & HALF


@inlined
def random_step(legal: Buffer, random: int) -> int:
    """Return one of the legal steps, each as likely as the others; `random` is below 2**32.

    Nothing here jumps by chance, which a processor cannot foresee: a tenth faster in all than
    leaving the loop at the group and dropping bits one by one.
    """
    total = 0
    for group in range(rules.GROUPS):
        total += popcount(legal[group])
    left = (random * total) >> 32
    chosen, before, total = 0, 0, 0
    for group in range(rules.GROUPS):
        total += popcount(legal[group])
        if total <= left:
            chosen, before = group + 1, total
    left -= before
    cells, cell = legal[chosen], 0
    for half in (32, 16, 8, 4, 2, 1):
        low = cells & ((1 << half) - 1)
        if left >= popcount(low):
            left -= popcount(low)
            cells >>= half
            cell += half
        else:
            cells = low
    return step_of(chosen, cell)


@kernel
def random_games(
    w: int, b: int, r: int, games: int, most_turns: int, seed: int, tally: Buffer
) -> int:
    """Play games of random steps from a position; return the next seed.

    Repetition is not looked at. `tally` counts unfinished games, White's, Black's and drawn ones,
    then turns, then steps.
    """
    legal = buffer(rules.GROUPS)
    for _ in range(games):
        w1, b1, r1 = w, b, r
        turns, judgement = 0, 0
        while turns < most_turns:
            judgement = rules.legal(w1, b1, r1, legal)
            if judgement:
                break
            seed = next_random(seed)
            w1, b1, r1 = rules.play(w1, b1, r1, random_step(legal, random_bits(seed)))
            tally[5] += 1
            if not r1 & rules.MIDTURN:
                turns += 1
        tally[judgement & 3] += 1
        tally[4] += turns
    return seed
