"""Kernels for any game: move generation, perft, random games.

A kernel template: `rules` is a placeholder for a game's rules, and `damier.jit.link` creates the
kernels of a game.
"""

from damier.games.constants import step_of
from damier.games.contract import RulesKernels
from damier.jit import (
    Buffer,
    buffer,
    enlarged,
    inlined,
    kernel,
    lowest,
    nth_bit,
    placeholder,
    popcount,
    times,
)

rules: RulesKernels = placeholder()

HALF = (1 << 32) - 1  # mask of the low 32 bits

# Maximum number of steps of a move: each step of a capturing chain takes at least one of 31 pawns.
MAX_MOVE_STEPS = 32
# Layout of a move in the output of `next_moves`: the number of steps, the steps, and at MOVE_END
# the position after them.
MOVE_WORDS = MAX_MOVE_STEPS + 4
MOVE_END = MAX_MOVE_STEPS + 1
WAITING = 4096  # capacity of the stack of positions inside a move
# With fewer groups of steps, a loop over all of them is faster than one with an early exit, which
# the processor mispredicts.
MANY_GROUPS = 12
TOO_LONG = 1 << 40  # returned instead of a count if the stack overflows


# Buffers of the move generator: the legal steps; the untried steps at each depth of the current
# move; the path, which has five words for each depth (the position, the current step, and the
# groups with untried steps, as bits) and then the current depth, negative after the last move.
MoveBuffers = tuple[Buffer, Buffer, Buffer]
DEPTH = 5 * MAX_MOVE_STEPS  # index of the current depth in the path


@kernel
def enter(w: int, b: int, r: int, depth: int, room: MoveBuffers) -> None:
    """Store a position and its legal steps at a depth of the current move."""
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
def begin_moves(w: int, b: int, r: int) -> MoveBuffers:
    """Return buffers for listing the moves of a position, or the continuations of a move.

    The game must not be over.
    """
    room = buffer(rules.GROUPS), buffer(MAX_MOVE_STEPS * rules.GROUPS), buffer(DEPTH + 1)
    enter(w, b, r, 0, room)
    return room


@kernel
def next_moves(room: MoveBuffers, found: Buffer) -> int:
    """Write the next moves to `found`, MOVE_WORDS words each, as many as fit.

    Return their number, 0 if there are no more, or -1 if a move has more than MAX_MOVE_STEPS steps.
    """
    _, untried, path = room
    depth, count, most = path[DEPTH], 0, len(found) // MOVE_WORDS
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
            if depth == MAX_MOVE_STEPS:
                return -1
            enter(w, b, r, depth, room)
            continue
        at = MOVE_WORDS * count
        found[at] = depth + 1
        for k in range(depth + 1):
            found[at + 1 + k] = path[5 * k + 3]
        found[at + MOVE_END], found[at + MOVE_END + 1], found[at + MOVE_END + 2] = w, b, r
        count += 1
    path[DEPTH] = depth
    return count


# Buffers for children: `ends`, the positions reached, three words each; a hash table with two words
# for each position, all 0 between calls; the legal steps; a stack of positions inside a move. Only
# `perft` replaces them by larger buffers: kernels that can enlarge buffers are slower by a third.
Room = tuple[Buffer, Buffer, Buffer, Buffer]


@kernel
def append(positions: Buffer, count: int, w: int, b: int, r: int) -> int:
    """Append a position to `count` others; return the new count."""
    positions[3 * count], positions[3 * count + 1], positions[3 * count + 2] = w, b, r
    return count + 1


@kernel
def put_ends(left: int, room: Room) -> int:
    """Write the positions after the moves of the `left` positions on the stack to `ends`.

    Return their number with duplicates; those that do not fit are only counted. Return TOO_LONG if
    the stack overflows.
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
    """Remove duplicates from `ends`; return the number of positions.

    Return -1 if not all positions fitted, -2 if the stack overflowed.
    """
    ends, table, _, _ = room
    if count == TOO_LONG:
        return -2
    if 3 * count > len(ends):
        return -1
    size = 2  # of the used part of the table: as small as possible, to stay in the L1 cache
    while size < 2 * count:
        size *= 2
    distinct = 0
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
            distinct = append(ends, distinct, w, b, r)
            table[slot] = distinct
    for slot in range(size):
        table[slot] = 0
    return distinct


@kernel
def hash_of(w: int, b: int, r: int) -> int:
    """Return a hash of a position, below 2**31."""
    mix = times(w, 0x9E3779B97F4A7C1) ^ times(b, 0x2545F4914F6CDD1D)
    return (mix ^ times(r, 0x5851F42D4C957F2D)) >> 32


@kernel
def mix(w: int, b: int, r: int) -> int:
    """Return a hash of 62 bits that depends on all bits of the three words.

    Numba tells LLVM that products of integers do not overflow. Therefore this multiplies halves of
    32 bits by constants below 2**30, which cannot overflow.
    """
    h = (w & HALF) * 0x2545F491 ^ (w >> 32) * 0x39E1F27B ^ (b & HALF) * 0x1F123BB5
    h ^= (b >> 32) * 0x2D8C56A3 ^ (r & HALF) * 0x3C6EF36B ^ (r >> 32) * 0x1B873593
    return h ^ h >> 29


@kernel
def put_children(w: int, b: int, r: int, room: Room) -> int:
    """Write the distinct positions that one move can reach to `ends`; return their number.

    Return -1 if they do not fit, -2 if the stack overflows.
    """
    if rules.legal(w, b, r, room[2]):
        return 0
    return keep_distinct(put_ends(append(room[3], 0, w, b, r), room), room)


@kernel
def count_children(w: int, b: int, r: int, room: Room) -> int:
    """Return the number of distinct positions that one move can reach.

    Return -1 or -2 as `put_children` does. Positions that only one move reaches are counted without
    being stored.
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
    """Return the number of paths of `depth` moves through distinct positions.

    Return -1 if a move has too many steps.
    """
    if depth == 0:
        return 1
    room = buffer(3 * 512), buffer(2 * 512), buffer(rules.GROUPS), buffer(3 * WAITING)
    # Stack of positions to expand, each with its remaining depth.
    stack = buffer(1024)
    stack[0], stack[1], stack[2], stack[3] = w, b, r, depth
    top, paths = 1, 0
    while top > 0:
        at = 4 * (top - 1)
        w, b, r, left = stack[at], stack[at + 1], stack[at + 2], stack[at + 3]
        count = count_children(w, b, r, room) if left == 1 else put_children(w, b, r, room)
        if count == -2:
            return -1
        if count < 0:  # the buffers are too small: retry with larger ones
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
    """Return the next state of the random number generator, below 2**63.

    The generator is Marsaglia's multiply-with-carry; 2131995753 * 2**32 - 1 is prime. The product
    does not overflow, and adding 1 makes the seed 0 valid.
    """
    return (seed & HALF) * 2131995753 + (seed >> 32) + 1


@kernel
def random_bits(seed: int) -> int:
    """Return 32 random bits from a state of the generator."""
    return (seed ^ seed >> 31) & HALF


@inlined
def random_step(legal: Buffer, random: int) -> int:
    """Return a legal step, chosen uniformly by `random`, which is below 2**32."""
    total = 0
    for group in range(rules.GROUPS):
        total += popcount(legal[group])
    left = (random * total) >> 32
    chosen = 0
    if rules.GROUPS > MANY_GROUPS:
        while left >= popcount(legal[chosen]):
            left -= popcount(legal[chosen])
            chosen += 1
    else:
        before, total = 0, 0
        for group in range(rules.GROUPS):
            total += popcount(legal[group])
            if total <= left:
                chosen, before = group + 1, total
        left -= before
    return step_of(chosen, nth_bit(legal[chosen], left))


@kernel
def random_games(
    w: int, b: int, r: int, games: int, max_moves: int, seed: int, tally: Buffer
) -> int:
    """Play games of random steps from a position; return the next seed.

    Repetition is ignored. `tally` counts unfinished games, wins of White, wins of Black, draws,
    moves and steps.
    """
    legal = buffer(rules.GROUPS)
    for _ in range(games):
        w1, b1, r1 = w, b, r
        moves, judgement = 0, 0
        while moves < max_moves:
            judgement = rules.legal(w1, b1, r1, legal)
            if judgement:
                break
            seed = next_random(seed)
            w1, b1, r1 = rules.play(w1, b1, r1, random_step(legal, random_bits(seed)))
            tally[5] += 1
            if not r1 & rules.MIDTURN:
                moves += 1
        tally[judgement & 3] += 1
        tally[4] += moves
    return seed
