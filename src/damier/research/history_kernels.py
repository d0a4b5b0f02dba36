"""Kernels that remember the earlier positions of many games, exactly and in little memory.

A template: `rules` is a game's rules module, `loops` its loops, `move_kernels` iterates over moves
and `repetition` tells which steps may lead to an earlier position.

The history of a game is a hash table in a block of the arena, with an entry for each occurrence of
a position. An entry is the position itself, so results do not depend on hashes. It is one item of
32 bits if both sides' pawns can be numbered in them; else one, two or four items of 64 bits.

Under superko every legal step may have to be played, to look up where it leads. Where `repetition`
knows which part of a position (White's pawns, Black's pawns, the occupied cells) a step keeps, a
game has a Bloom filter of the positions in its history and of their parts: a step that keeps a part
that no position with the other side to move has cannot lead to any of them, and is not played.
"""

from typing import Any

from damier.games.constants import step_of
from damier.games.contract import RulesKernels
from damier.games.repetition import BLACK_PAWNS, OCCUPIED, WHITE_PAWNS
from damier.jit import Buffer, inlined, kernel, lowest, placeholder, popcount, times
from damier.research.batch_layout import (
    ARENA_HEADER,
    BLOCK,
    CELLS,
    EARLIER,
    ENTRIES,
    FILTER,
    FILTER_BLOCK,
    FREE,
    FREE_BLOCKS,
    JUDGE_ONLY,
    LIVE,
    MOVES,
    NUMBER_BITS,
    PART_BITS,
    PARTS,
    PENDING,
    SCRATCH,
    SEEN,
    SETS,
    SIZE,
    SMALLEST,
    STATE,
    TOGETHER,
    UNUSED,
    WIDTH,
)

rules: RulesKernels = placeholder()
loops: Any = placeholder()
move_kernels: Any = placeholder()
repetition: Any = placeholder()

HASH_BITS = 31
ENTRY_FACTOR, PART_FACTOR = 0x2545F4914F6CDD1D, 0x5851F42D4C957F2D
EVERY_CELL = (1 << 63) - 1
POSITION = 3  # as a part

# Positions, legal steps, states, arena, settings, two buffers (for legal steps and planes, and an
# iterator over moves), the numbers of sets of pawns, and what is known during a call. The arena has
# items of 32 or 64 bits.
GameArrays = tuple[Buffer, Buffer, Buffer, Any, Buffer, Buffer, Buffer, Any, Buffer]


@inlined
def scratch_of(k: int) -> int:
    """Return where the scratch memory of a game begins."""
    return SCRATCH * (k & (TOGETHER - 1))


@kernel
def record(low: int, high: int, games: GameArrays) -> None:
    """Record the pending positions of a range of games, and set how often each occurred before.

    Under superko also set which of their parts have been seen.
    """
    positions, _, state, arena, settings, _, iterator, _, scratch = games
    touched = 0  # loads of different games overlap
    for k in range(low, high):
        s, t = STATE * k, scratch_of(k)
        scratch[t + SEEN] = 0
        if scratch[t + PENDING] == 0 or state[s + SIZE] == 0:
            continue
        if scratch[t + PENDING] != JUDGE_ONLY:
            hashed = hash_of_key(scratch[t + PENDING], settings)
            touched ^= arena[home(k, hashed, state, settings)]
        if settings[FILTER]:
            scratch[t + SEEN] = seen_parts(
                k, positions[3 * k], positions[3 * k + 1], positions[3 * k + 2], games
            )
    iterator[len(iterator) - 2] = touched  # a use, so that the compiler keeps the loads
    for k in range(low, high):
        s, t = STATE * k, scratch_of(k)
        if scratch[t + PENDING] == 0 or scratch[t + PENDING] == JUDGE_ONLY:
            continue
        if is_full(k, state):
            enlarge(k, games)
        w, b, r = positions[3 * k], positions[3 * k + 1], positions[3 * k + 2]
        state[s + EARLIER] = put(k, scratch[t + PENDING], w, b, r, games)
        if settings[FILTER]:
            begin, log = filter_of(k, state)
            mark_parts(w, b, r & 1, begin, log, arena)
        state[s + ENTRIES] += 1


@inlined
def keep_allowed(k: int, w: int, b: int, r: int, games: GameArrays) -> bool:
    """Remove the steps that lead only to earlier positions; return whether any is left."""
    _, legal, _, _, settings, room, _, _, scratch = games
    at, some = rules.GROUPS * k, 0
    for group in range(rules.GROUPS):
        room[group] = legal[at + group]
    if settings[FILTER]:
        repetition.may_repeat(w, b, r, scratch[scratch_of(k) + SEEN], room)
    # One loop over all steps: the processor would mispredict the end of a loop over each group.
    groups = 0
    for group in range(rules.GROUPS):
        groups |= (1 if room[group] else 0) << group
    while groups:
        group = lowest(groups)
        cells = room[group]
        cell = lowest(cells)
        room[group] = cells & (cells - 1)
        groups ^= (0 if room[group] else 1) << group
        w2, b2, r2 = rules.play(w, b, r, step_of(group, cell))
        if r2 & rules.MIDTURN:
            new = continues_to_new(k, w2, b2, r2, games)
        else:
            new = not contains(k, w2, b2, r2, games)
        legal[at + group] ^= (0 if new else 1) << cell
    for group in range(rules.GROUPS):
        some |= legal[at + group]
    return some != 0


@inlined
def continues_to_new(k: int, w: int, b: int, r: int, games: GameArrays) -> bool:
    """Return whether a move in progress can end in a position that is not an earlier one."""
    settings, iterator = games[4], games[6]
    if settings[FILTER]:
        some = 0
        for group in range(rules.GROUPS):
            iterator[group] = EVERY_CELL
        repetition.may_repeat(w, b, r, seen_parts(k, w, b, r, games), iterator)
        for group in range(rules.GROUPS):
            some |= iterator[group]
        if some == 0:
            return True
    move_kernels.begin(w, b, r, iterator)
    found, w, b, r = move_kernels.next_end(iterator)
    while found and contains(k, w, b, r, games):
        found, w, b, r = move_kernels.next_end(iterator)
    return bool(found)


# Entries. The first item is never 0: it is all of the position, or the pawns of Black plus 1. Then
# come White's pawns, inverted if Black moves, and the other bits of the third word that count.


@inlined
def number_of_set(pawns: int, subsets: Any) -> int:
    """Return the number of a set of cells, by its size and then in colexicographic order."""
    number, count = 0, 0
    for part in range(PARTS):
        cells = pawns >> (PART_BITS * part) & ((1 << PART_BITS) - 1)
        number += subsets[((count * PARTS + part) << PART_BITS) + cells]
        count += popcount(cells)
    return number


@inlined
def key_of(w: int, b: int, r: int, settings: Buffer, subsets: Any) -> int:
    """Return the first item of an entry if it is the only one, else a hash plus 1; never 0."""
    if settings[NUMBER_BITS]:
        white, black = number_of_set(w, subsets), number_of_set(b, subsets)
        return ((white << settings[NUMBER_BITS] | black) << 1 | r & 1) + 1
    if settings[WIDTH] == 0:
        return ((w << settings[CELLS] | b) << 1 | r & 1) + 1
    hashed: int = loops.hash_of(w, b, r & (1 | rules.REPETITION_BITS))
    return hashed + 1


@inlined
def hash_of_key(key: int, settings: Buffer) -> int:
    """Return the hash that belongs to a key, below 2**HASH_BITS."""
    return key - 1 if settings[WIDTH] else times(key, ENTRY_FACTOR) >> 32


@inlined
def is_same(at: int, w: int, r: int, arena: Any, settings: Buffer) -> bool:
    """Return whether an entry whose first item is equal has the same position."""
    if settings[WIDTH] == 0:
        return True
    if arena[at + 1] != (~w if r & 1 else w):
        return False
    return bool(rules.REPETITION_BITS == 0 or arena[at + 2] == r & rules.REPETITION_BITS)


@inlined
def put(k: int, key: int, w: int, b: int, r: int, games: GameArrays) -> int:
    """Add a position to a history that is not full; return how often it was there before."""
    _, _, state, arena, settings, _, _, _, _ = games
    begin = state[STATE * k + BLOCK]
    end = begin + items_of(state[STATE * k + SIZE], settings)
    first, count = (b + 1 if settings[WIDTH] else key), 0
    at = home(k, hash_of_key(key, settings), state, settings)
    while arena[at]:
        if arena[at] == first and is_same(at, w, r, arena, settings):
            count += 1
        at += 1 << settings[WIDTH]
        if at == end:
            at = begin
    arena[at] = first
    if settings[WIDTH]:
        arena[at + 1] = ~w if r & 1 else w
    if rules.REPETITION_BITS:
        arena[at + 2] = r & rules.REPETITION_BITS
    return count


@inlined
def contains(k: int, w: int, b: int, r: int, games: GameArrays) -> bool:
    """Return whether a position is in the history of a game."""
    _, _, state, arena, settings, _, _, subsets, _ = games
    if state[STATE * k + SIZE] == 0 or not rules.repeatable(w, b, r):
        return False
    if settings[FILTER]:
        begin, log = filter_of(k, state)
        at, bit = part_bit(POSITION, w ^ b << 31, r & 1, begin, log)
        if not arena[at] >> bit & 1:
            return False
    begin = state[STATE * k + BLOCK]
    end = begin + items_of(state[STATE * k + SIZE], settings)
    key = key_of(w, b, r, settings, subsets)
    first = b + 1 if settings[WIDTH] else key
    at = home(k, hash_of_key(key, settings), state, settings)
    while arena[at]:
        if arena[at] == first and is_same(at, w, r, arena, settings):
            return True
        at += 1 << settings[WIDTH]
        if at == end:
            at = begin
    return False


# The filter: words of 31 bits.


@inlined
def filter_of(k: int, state: Buffer) -> tuple[int, int]:
    """Return where the filter of a game begins, and the logarithm of its items."""
    return state[STATE * k + FILTER_BLOCK], state[STATE * k + SIZE] >> 1


@inlined
def part_bit(part: int, cells: int, side: int, begin: int, log: int) -> tuple[int, int]:
    """Return the item and the bit of a filter for a part of a position and the side to move."""
    hashed = times(cells << 2 | part, PART_FACTOR) >> 32
    return begin + (hashed >> (HASH_BITS - log)), ((hashed & 15) << 1 | side) * 31 >> 5


@inlined
def seen_parts(k: int, w: int, b: int, r: int, games: GameArrays) -> int:
    """Return which parts earlier positions with the other side to move may have had, as bits."""
    state, arena = games[2], games[3]
    if state[STATE * k + SIZE] == 0:
        return 0
    begin, log = filter_of(k, state)
    side = 1 - (r & 1)
    at, bit = part_bit(0, w, side, begin, log)
    seen = WHITE_PAWNS * (arena[at] >> bit & 1)
    at, bit = part_bit(1, b, side, begin, log)
    seen |= BLACK_PAWNS * (arena[at] >> bit & 1)
    at, bit = part_bit(2, w | b, side, begin, log)
    return int(seen | OCCUPIED * (arena[at] >> bit & 1))


@inlined
def mark_parts(w: int, b: int, side: int, begin: int, log: int, arena: Any) -> None:
    """Add a position and its parts to a filter."""
    at, bit = part_bit(0, w, side, begin, log)
    arena[at] |= 1 << bit
    at, bit = part_bit(1, b, side, begin, log)
    arena[at] |= 1 << bit
    at, bit = part_bit(2, w | b, side, begin, log)
    arena[at] |= 1 << bit
    at, bit = part_bit(POSITION, w ^ b << 31, side, begin, log)
    arena[at] |= 1 << bit


# Blocks.


@inlined
def slots_of(size: int) -> int:
    """Return the number of entries of a block of a size class; two classes double it."""
    return (2 + (size & 1)) << (size >> 1)


@inlined
def items_of(size: int, settings: Buffer) -> int:
    """Return the number of items of a block of a size class."""
    return slots_of(size) << settings[WIDTH]


@inlined
def filter_class(size: int) -> int:
    """Return the size class of the filter of a history; it has 10 to 16 bits for each entry."""
    return (size & ~1) - 2


@inlined
def home(k: int, hashed: int, state: Buffer, settings: Buffer) -> int:
    """Return where the search for a hash begins in the arena."""
    slots = slots_of(state[STATE * k + SIZE])
    return state[STATE * k + BLOCK] + ((hashed * slots >> HASH_BITS) << settings[WIDTH])


@inlined
def is_full(k: int, state: Buffer) -> bool:
    """Return whether the history of a game needs a larger block for another position."""
    size, entries = state[STATE * k + SIZE], state[STATE * k + ENTRIES]
    return size == 0 or 8 * (entries + 1) > 7 * slots_of(size)


@kernel
def items_needed(low: int, high: int, games: GameArrays) -> int:
    """Return how many free items the next positions of all games of a range need at most."""
    _, _, state, _, settings, _, _, _, _ = games
    first = items_of(SMALLEST, settings)
    items = 2 * (high - low) * first  # after a new start
    for k in range(low, high):
        if is_full(k, state):
            items += 2 * items_of(max(SMALLEST, state[STATE * k + SIZE] + 1), settings)
    return items


@kernel
def compact(order: Buffer, games: GameArrays) -> None:
    """Move blocks to the start of the arena; `order` are their places in the state, as they lie."""
    _, _, state, arena, settings, _, _, _, _ = games
    for i in range(FREE_BLOCKS, ARENA_HEADER):
        arena[i] = 0
    arena[FREE] = ARENA_HEADER
    for place in order:
        size = state[place // STATE * STATE + SIZE]
        if place % STATE == FILTER_BLOCK:
            size = filter_class(size)
        block, to, items = state[place], arena[FREE], items_of(size, settings)
        arena[FREE] += items
        state[place] = to
        if to < block:
            for i in range(items):
                arena[to + i] = arena[block + i]


@kernel
def clear(k: int, games: GameArrays) -> None:
    """Remove all positions from the history of a game."""
    _, _, state, arena, settings, _, _, _, _ = games
    s = STATE * k
    if state[s + SIZE]:
        release(arena, state[s + BLOCK], state[s + SIZE], settings)
        if settings[FILTER]:
            release(arena, state[s + FILTER_BLOCK], filter_class(state[s + SIZE]), settings)
    state[s + BLOCK], state[s + FILTER_BLOCK], state[s + SIZE], state[s + ENTRIES] = 0, 0, 0, 0


@kernel
def forget(k: int, games: GameArrays) -> None:
    """Clear the history of a game, and all of its state but the random numbers."""
    clear(k, games)
    for i in range(MOVES, STATE):
        games[2][STATE * k + i] = 0


@kernel
def enlarge(k: int, games: GameArrays) -> None:
    """Move the history of a game to a block of the next size class, or to its first one."""
    _, _, state, arena, settings, _, _, subsets, _ = games
    s, bits = STATE * k, settings[NUMBER_BITS]
    old, old_filter, size = state[s + BLOCK], state[s + FILTER_BLOCK], state[s + SIZE]
    larger = max(SMALLEST, size + 1)
    new_filter = settings[FILTER] != 0 and larger & 1 == 0
    if new_filter:
        state[s + FILTER_BLOCK] = allocate(arena, filter_class(larger), settings)
    state[s + BLOCK] = allocate(arena, larger, settings)
    state[s + SIZE] = larger
    if size == 0:
        return
    items = items_of(size, settings)
    if settings[WIDTH]:
        for at in range(old, old + items, 1 << settings[WIDTH]):
            if arena[at]:
                w, b, r = arena[at + 1], arena[at] - 1, 0
                if w < 0:
                    w, r = ~w, 1
                if rules.REPETITION_BITS:
                    r |= arena[at + 2]
                put(k, key_of(w, b, r, settings, subsets), w, b, r, games)
    else:
        copy_keys(old, items, state[s + BLOCK], slots_of(larger), arena)
    if new_filter:
        begin, log = filter_of(k, state)
        for at in range(old, old + items):
            number = arena[at] - 1
            if number >= 0:
                w = subsets[SETS + (number >> (bits + 1))]
                b = subsets[SETS + (number >> 1 & ((1 << bits) - 1))]
                mark_parts(w, b, number & 1, begin, log, arena)
        release(arena, old_filter, filter_class(size), settings)
    release(arena, old, size, settings)


@inlined
def copy_keys(old: int, items: int, begin: int, slots: int, arena: Any) -> None:
    """Add all keys of a block to an empty one."""
    for at in range(old, old + items):
        key = arena[at]
        if key:
            to = begin + ((times(key, ENTRY_FACTOR) >> 32) * slots >> HASH_BITS)
            while arena[to]:
                to += 1
                if to == begin + slots:
                    to = begin
            arena[to] = key


@kernel
def allocate(arena: Any, size: int, settings: Buffer) -> int:
    """Return a block of zeros of a size class."""
    block: int = arena[FREE_BLOCKS + size]
    items = items_of(size, settings)
    if block:
        arena[FREE_BLOCKS + size] = arena[block]
    else:
        block = arena[FREE]
        arena[FREE] += items
        arena[UNUSED] = max(arena[UNUSED], arena[FREE])
    arena[LIVE] += items
    for i in range(block, block + items):
        arena[i] = 0
    return block


@kernel
def release(arena: Any, block: int, size: int, settings: Buffer) -> None:
    """Return a block of a size class to the arena."""
    arena[LIVE] -= items_of(size, settings)
    arena[block] = arena[FREE_BLOCKS + size]
    arena[FREE_BLOCKS + size] = block
