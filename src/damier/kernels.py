"""Loops over any game: all turns of a position, perft, random games.

A template: `rules` stands for a game's file, and `damier.jit.link` makes the loops of one game.
"""

from damier.games import fanorona as rules
from damier.games.terms import step_of
from damier.jit import Buffer, buffer, enlarged, kernel, lowest, popcount

MASK63 = (1 << 63) - 1

# A turn has at most this many steps: a chain of Fanorona takes at least one of 31 pawns a step.
LONGEST = 32
# A turn as `all_turns` lists it: the number of steps, the steps, the position reached.
TURN_WORDS = LONGEST + 4
TURN_END = LONGEST + 1


# Room for `all_turns` to work in: legal steps; those not tried yet at each depth of the turn under
# way; at each depth the position, the step tried, and which groups have steps not tried yet.
Room = tuple[Buffer, Buffer, Buffer]


@kernel
def new_room() -> Room:
    """Return room for `all_turns`."""
    return buffer(rules.GROUPS), buffer(LONGEST * rules.GROUPS), buffer(5 * LONGEST)


@kernel
def enter(w: int, b: int, r: int, depth: int, room: Room) -> None:
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
def all_turns(w: int, b: int, r: int, found: Buffer, count: int, room: Room) -> tuple[Buffer, int]:
    """Add all turns from a position, or all ways to go on with an unfinished turn, to `found`.

    Return the buffer, enlarged if need be, and `count` raised by their number. The position must
    not be finished.
    """
    _, untried, path = room
    enter(w, b, r, 0, room)
    depth = 0
    while depth >= 0:
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
            enter(w, b, r, depth, room)
            continue
        if TURN_WORDS * (count + 1) > len(found):
            found = enlarged(found)
        at = TURN_WORDS * count
        found[at] = depth + 1
        for k in range(depth + 1):
            found[at + 1 + k] = path[5 * k + 3]
        found[at + TURN_END], found[at + TURN_END + 1], found[at + TURN_END + 2] = w, b, r
        count += 1
    return found, count


@kernel
def keep_distinct(found: Buffer, count: int, table: Buffer) -> tuple[int, Buffer]:
    """Keep one of the turns in `found` for each position reached; return how many are left.

    `table` is a hash table, all zeros before and after, as long as a power of two.
    """
    while len(table) < 2 * count:
        table = enlarged(table)
    mask = len(table) - 1
    kept = 0
    for turn in range(count):
        at = TURN_WORDS * turn + TURN_END
        w, b, r = found[at], found[at + 1], found[at + 2]
        slot = hash_of(w, b, r) & mask
        new = True
        while table[slot]:
            other = TURN_WORDS * (table[slot] - 1) + TURN_END
            if found[other] == w and found[other + 1] == b and found[other + 2] == r:
                new = False
                break
            slot = (slot + 1) & mask
        if new:
            if kept < turn:
                to = TURN_WORDS * kept
                for k in range(TURN_WORDS):
                    found[to + k] = found[at - TURN_END + k]
            kept += 1
            table[slot] = kept
    for turn in range(kept):
        at = TURN_WORDS * turn + TURN_END
        slot = hash_of(found[at], found[at + 1], found[at + 2]) & mask
        while table[slot]:
            table[slot] = 0
            slot = (slot + 1) & mask
    return kept, table


@kernel
def hash_of(w: int, b: int, r: int) -> int:
    """Return a hash of a position, below 2**31."""
    mixed = (w * 0x9E3779B97F4A7C1 + b * 0x2545F4914F6CDD1D + r * 0x5851F42D4C957F2D) & MASK63
    return mixed >> 32


@kernel
def count_children(
    w: int, b: int, r: int, found: Buffer, table: Buffer, legal: Buffer, room: Room
) -> tuple[int, Buffer, Buffer]:
    """Return the number of distinct positions that one turn can reach, and the buffers.

    Positions that cannot be reached in two ways are counted without being made.
    """
    if rules.legal(w, b, r, legal) != 0:
        return 0, found, table
    if not rules.ONE_STEP_UNIQUE:
        found, count = all_turns(w, b, r, found, 0, room)
        count, table = keep_distinct(found, count, table)
        return count, found, table
    children, chains = 0, 0
    for group in range(rules.GROUPS):
        cells = legal[group]
        if rules.FINAL >> group & 1:
            children += popcount(cells)
            continue
        while cells:
            w2, b2, r2 = rules.play(w, b, r, step_of(group, lowest(cells)))
            cells &= cells - 1
            if r2 & rules.MIDTURN:
                found, chains = all_turns(w2, b2, r2, found, chains, room)
            else:
                children += 1
    if chains > 1:
        chains, table = keep_distinct(found, chains, table)
    return children + chains, found, table


@kernel
def perft(w: int, b: int, r: int, depth: int) -> int:
    """Return the number of paths of `depth` turns through distinct positions."""
    if depth == 0:
        return 1
    legal, found, table = buffer(rules.GROUPS), buffer(64 * TURN_WORDS), buffer(256)
    room = new_room()
    # A stack of positions still to be looked at, each with the depth left.
    stack = buffer(1024)
    stack[0], stack[1], stack[2], stack[3] = w, b, r, depth
    top, paths = 1, 0
    while top > 0:
        top -= 1
        w, b, r, left = stack[4 * top], stack[4 * top + 1], stack[4 * top + 2], stack[4 * top + 3]
        if left == 1:
            children, found, table = count_children(w, b, r, found, table, legal, room)
            paths += children
        elif rules.legal(w, b, r, legal) == 0:
            found, count = all_turns(w, b, r, found, 0, room)
            count, table = keep_distinct(found, count, table)
            while 4 * (top + count) > len(stack):
                stack = enlarged(stack)
            for turn in range(count):
                at, to = TURN_WORDS * turn + TURN_END, 4 * top
                stack[to], stack[to + 1], stack[to + 2] = found[at], found[at + 1], found[at + 2]
                stack[to + 3] = left - 1
                top += 1
    return paths


@kernel
def next_random(seed: int) -> int:
    """Return the next state of the random numbers: a linear congruence, good in its high bits."""
    return (seed * 6364136223846793005 + 1442695040888963407) & MASK63


@kernel
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
            w1, b1, r1 = rules.play(w1, b1, r1, random_step(legal, seed >> 31))
            tally[5] += 1
            if not r1 & rules.MIDTURN:
                turns += 1
        tally[judgement & 3] += 1
        tally[4] += turns
    return seed
