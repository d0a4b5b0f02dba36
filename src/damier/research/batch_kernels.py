"""Kernels that play many games at once, with the rules on repetition.

A template: `rules` is a game's rules module, `loops` its loops, `planes` its observation planes and
`move_kernels` iterates over moves. All arrays are flat. A range of games has an arena of its own,
so threads work on ranges without locks, and results do not depend on the number of threads.

A call plays the games of a range in groups whose data fit in the L1 cache, each in passes: `play`,
`record`, `restart_ended`, then the views.
"""

from typing import Any

from damier.games.constants import BLACK_WINS, STUCK, WHITE_WINS, group_and_cell, step_of
from damier.games.contract import ObservationPlanes, RulesKernels
from damier.jit import Buffer, inlined, kernel, lowest, placeholder
from damier.solve import move_kernels

rules: RulesKernels = placeholder()
planes: ObservationPlanes = placeholder()
loops: Any = placeholder()

NO_STEP = -1  # action that leaves a game as it is

# State of a game: the state of its random number generator; the moves played; how often the
# position occurred before; the block of the arena with its history, the logarithm of the block's
# words (0: no block) and the number of positions in it; whether the game is over; the hash of a
# position that is still to be recorded, plus 1, or 0; whether the last step ended the game
# (TERMINATED or TRUNCATED), and the judgement.
STATE = 10
RANDOM, MOVES, EARLIER, BLOCK, SIZE, ENTRIES, OVER, PENDING, ENDED, JUDGEMENT = range(STATE)
TERMINATED, TRUNCATED = 1, 2
JUDGE_ONLY = -1  # instead of a hash: a position inside a move, whose steps superko may remove

# An arena starts with the first free word, then the first free block of each size; a free block
# starts with the next one. A block begins with a Bloom filter, if there is superko; then comes a
# hash table with entries of 1, 2 or 4 words.
FREE, ARENA_HEADER = 0, 32
SMALLEST = 4  # logarithm of the words of the smallest block
EXACT = 30  # cells of the largest board on which a position fits in one word
HASH_BITS = 31
CACHE_LINE = 8  # words

# Settings: whether finished games restart; the number of moves after which a game is truncated, or
# 0; the board's cells; the number of observation planes without the shared one; the logarithm of
# the words of an entry; whether histories have a filter; the number of starting positions; then
# these positions.
AUTO_RESET, MAX_MOVES, CELLS, PLANES, WIDE, FILTER, STARTS, FIRST_START = range(8)

# Each byte of entry k is the corresponding bit of k: eight truth values.
BYTES = tuple(sum((k >> i & 1) << (8 * i) for i in range(8)) for k in range(256))
TOGETHER = 32  # games that are played together, and whose histories are loaded together

# Positions, legal steps, states, arena, settings and two buffers: for legal steps and planes, and
# an iterator over moves.
GameArrays = tuple[Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer]
# Rewards, ends by the rules, ends by the limit of moves, players to act, masks (eight truth values
# in a word) and observations; then the legal steps and planes that masks and observations show. The
# last four may be empty.
Outputs = tuple[Any, Any, Any, Any, Buffer, Any, Buffer, Buffer]


@kernel
def step_games(low: int, high: int, actions: Buffer, games: GameArrays, outputs: Outputs) -> int:
    """Play a legal step in each game of a range, or none for the action NO_STEP.

    Return `high`, or, if the arena is full, the first game that has not been played.
    """
    for begin in range(low, high, TOGETHER):
        end = min(begin + TOGETHER, high)
        if not has_room(begin, end, games):
            return begin
        play(begin, end, actions, games)
        record(begin, end, games)
        if put_outcomes(begin, end, games, outputs):
            restart_ended(begin, end, games)
            record(begin, end, games)
        write_views(begin, end, games, outputs)
    return high


@kernel
def start_games(
    low: int, high: int, chosen: Any, given: Buffer, games: GameArrays, outputs: Outputs
) -> int:
    """Start the chosen games of a range; return what `step_games` returns.

    `given` has a starting position for each game, or is empty.
    """
    rewards, terminated, truncated = outputs[0], outputs[1], outputs[2]
    for begin in range(low, high, TOGETHER):
        end = min(begin + TOGETHER, high)
        if not has_room(begin, end, games):
            return begin
        for k in range(begin, end):
            if not chosen[k]:
                continue
            rewards[2 * k], rewards[2 * k + 1] = 0.0, 0.0
            terminated[k], truncated[k] = 0, 0
            if len(given):
                start_from(k, given[3 * k], given[3 * k + 1], given[3 * k + 2], games)
            else:
                restart(k, games)
        record(begin, end, games)
        write_views(begin, end, games, outputs)
    return high


@kernel
def seed_games(low: int, high: int, seed: int, state: Buffer) -> None:
    """Set the random numbers of each game of a range from one seed."""
    for k in range(low, high):
        state[STATE * k + RANDOM] = loops.mix(seed, k, 1)


@kernel
def play(low: int, high: int, actions: Buffer, games: GameArrays) -> None:
    """Play the steps, and judge the positions without their history."""
    positions, state = games[0], games[2]
    for k in range(low, high):
        s = STATE * k
        state[s + ENDED], state[s + JUDGEMENT] = 0, 0
        if actions[k] == NO_STEP:
            continue
        w, b, r = positions[3 * k], positions[3 * k + 1], positions[3 * k + 2]
        w, b, r = rules.play(w, b, r, actions[k])
        if not r & rules.MIDTURN:
            state[s + MOVES] += 1
        arrive(k, w, b, r, games)


@inlined
def arrive(k: int, w: int, b: int, r: int, games: GameArrays) -> None:
    """Write a position, its legal steps, its judgement, and whether it is to be recorded."""
    positions, legal, state, _, _, room, _ = games
    s = STATE * k
    positions[3 * k], positions[3 * k + 1], positions[3 * k + 2] = w, b, r
    judgement = rules.legal(w, b, r, room)
    state[s + JUDGEMENT] = judgement
    for group in range(rules.GROUPS):
        legal[rules.GROUPS * k + group] = room[group]
    state[s + EARLIER] = 0
    if judgement:
        return
    if not r & rules.MIDTURN and rules.repeatable(w, b, r):
        state[s + PENDING] = hash_of(w, b, r) + 1
    elif state[s + ENTRIES] and rules.superko(r):
        state[s + PENDING] = JUDGE_ONLY


@kernel
def record(low: int, high: int, games: GameArrays) -> None:
    """Record the pending positions and apply the rules on repetition."""
    positions, _, state, arena, settings, _, iterator = games
    touched = 0  # loads of different games overlap
    for k in range(low, high):
        s = STATE * k
        if state[s + PENDING] == 0 or state[s + SIZE] == 0:
            continue
        if state[s + PENDING] != JUDGE_ONLY:
            touched ^= arena[home(k, state[s + PENDING] - 1, state, settings)]
        for i in range(0, filter_words(state[s + SIZE], settings), CACHE_LINE):
            touched ^= arena[state[s + BLOCK] + i]
    iterator[len(iterator) - 2] = touched  # a use, so that the compiler keeps the loads
    for k in range(low, high):
        s = STATE * k
        pending = state[s + PENDING]
        if pending == 0:
            continue
        state[s + PENDING] = 0
        w, b, r = positions[3 * k], positions[3 * k + 1], positions[3 * k + 2]
        if pending != JUDGE_ONLY:
            if is_full(k, state, settings):
                enlarge(k, state, arena, settings)
            state[s + EARLIER] = put(k, w, b, r, state, arena, settings)
            state[s + ENTRIES] += 1
        judge(k, w, b, r, games)


@inlined
def judge(k: int, w: int, b: int, r: int, games: GameArrays) -> None:
    """Apply the rules on repetition to a position that has been recorded."""
    state = games[2]
    s = STATE * k
    if rules.superko(r):
        if not keep_allowed(k, w, b, r, games):
            judgement = rules.shut_in(w, b, r)
            state[s + JUDGEMENT] = judgement if judgement else STUCK
    elif state[s + EARLIER] >= 2:
        judgement = rules.repeated(w, b, r)
        if judgement & 3:
            state[s + JUDGEMENT] = judgement


@kernel
def keep_allowed(k: int, w: int, b: int, r: int, games: GameArrays) -> bool:
    """Remove the steps that lead only to earlier positions; return whether any is left."""
    _, legal, state, arena, settings, _, iterator = games
    some = False
    for group in range(rules.GROUPS):
        cells = legal[rules.GROUPS * k + group]
        while cells:
            cell = lowest(cells)
            cells &= cells - 1
            w2, b2, r2 = rules.play(w, b, r, step_of(group, cell))
            if r2 & rules.MIDTURN:
                move_kernels.begin(w2, b2, r2, iterator)
                new, w2, b2, r2 = move_kernels.next_end(iterator)
                while new and not is_new(k, w2, b2, r2, state, arena, settings):
                    new, w2, b2, r2 = move_kernels.next_end(iterator)
            else:
                new = is_new(k, w2, b2, r2, state, arena, settings)
            if new:
                some = True
            else:
                legal[rules.GROUPS * k + group] &= ~(1 << cell)
    return some


@kernel
def put_outcomes(low: int, high: int, games: GameArrays, outputs: Outputs) -> bool:
    """Write rewards and ends; return whether a game has ended."""
    positions, state, settings = games[0], games[2], games[4]
    rewards, terminated, truncated = outputs[0], outputs[1], outputs[2]
    most, some = settings[MAX_MOVES], False
    for k in range(low, high):
        s = STATE * k
        judgement = state[s + JUDGEMENT]
        ended = TERMINATED if judgement else 0
        rewards[2 * k], rewards[2 * k + 1] = 0.0, 0.0
        if judgement & 3 == WHITE_WINS:
            rewards[2 * k], rewards[2 * k + 1] = 1.0, -1.0
        elif judgement & 3 == BLACK_WINS:
            rewards[2 * k], rewards[2 * k + 1] = -1.0, 1.0
        between = not positions[3 * k + 2] & rules.MIDTURN
        if not judgement and most and state[s + MOVES] >= most and between:
            ended = TRUNCATED
        state[s + ENDED] = ended
        terminated[k] = 1 if ended == TERMINATED else 0
        truncated[k] = 1 if ended == TRUNCATED else 0
        some = some or ended > 0
    return some


@kernel
def restart_ended(low: int, high: int, games: GameArrays) -> None:
    """Start each game that has ended again, or leave it without legal steps."""
    _, legal, state, arena, settings, _, _ = games
    for k in range(low, high):
        if not state[STATE * k + ENDED]:
            continue
        if settings[AUTO_RESET]:
            restart(k, games)
        else:
            forget(k, state, arena)
            state[STATE * k + OVER] = 1
            for i in range(rules.GROUPS * k, rules.GROUPS * (k + 1)):
                legal[i] = 0


@kernel
def restart(k: int, games: GameArrays) -> None:
    """Start a game from one of the starting positions, chosen by its random numbers."""
    state, settings = games[2], games[4]
    s, chosen = STATE * k, 0
    if settings[STARTS] > 1:
        state[s + RANDOM] = loops.next_random(state[s + RANDOM])
        chosen = (loops.random_bits(state[s + RANDOM]) * settings[STARTS]) >> 32
    at = FIRST_START + 3 * chosen
    start_from(k, settings[at], settings[at + 1], settings[at + 2], games)


@kernel
def start_from(k: int, w: int, b: int, r: int, games: GameArrays) -> None:
    """Start a game from a position."""
    forget(k, games[2], games[3])
    arrive(k, w, b, r, games)


# Histories. Equal positions are stored once for each occurrence. The first word of an entry is
# never 0: it is all of the position, or the pawns of Black plus 1. Then come White's pawns,
# inverted if Black moves, and the other bits of the third word that count.


@inlined
def hash_of(w: int, b: int, r: int) -> int:
    """Return a hash of what makes positions equal, below 2**HASH_BITS."""
    hashed: int = loops.hash_of(w, b, r & (1 | rules.REPETITION_BITS))
    return hashed


@inlined
def first_word(w: int, b: int, r: int, settings: Buffer) -> int:
    """Return the first word of an entry."""
    if settings[WIDE]:
        return b + 1
    return ((w << settings[CELLS] | b) << 1 | r & 1) + 1


@inlined
def is_same(at: int, w: int, r: int, arena: Buffer, settings: Buffer) -> bool:
    """Return whether an entry whose first word is equal has the same position."""
    if settings[WIDE] == 0:
        return True
    if arena[at + 1] != (~w if r & 1 else w):
        return False
    return rules.REPETITION_BITS == 0 or arena[at + 2] == r & rules.REPETITION_BITS


@inlined
def filter_words(size: int, settings: Buffer) -> int:
    """Return the number of words of the filter of a block: 8 to 9 bits for each slot."""
    return (1 << size) >> 3 if settings[FILTER] else 0


@inlined
def filter_bit(block: int, size: int, hashed: int) -> tuple[int, int]:
    """Return the word and the bit of a hash in the filter of a block; words have 63 bits."""
    return block + (hashed >> 6 & ((1 << size) >> 3) - 1), (hashed & 63) * 63 >> 6


@inlined
def slots_of(size: int, settings: Buffer) -> int:
    """Return the number of slots in the hash table of a block."""
    return (1 << size) - filter_words(size, settings) >> settings[WIDE]


@inlined
def home(k: int, hashed: int, state: Buffer, settings: Buffer) -> int:
    """Return where the search for a hash begins in the arena."""
    size = state[STATE * k + SIZE]
    slot = (hashed * slots_of(size, settings)) >> HASH_BITS
    return state[STATE * k + BLOCK] + filter_words(size, settings) + (slot << settings[WIDE])


@inlined
def is_full(k: int, state: Buffer, settings: Buffer) -> bool:
    """Return whether the history of a game needs a larger block for another position."""
    size, entries = state[STATE * k + SIZE], state[STATE * k + ENTRIES]
    return size == 0 or 4 * (entries + 1) > 3 * slots_of(size, settings)


@kernel
def has_room(low: int, high: int, games: GameArrays) -> bool:
    """Return whether the arena has room for the next positions of all games of a range."""
    _, _, state, arena, settings, _, _ = games
    words = 0
    for k in range(low, high):
        words += 1 << SMALLEST  # after a new start
        if is_full(k, state, settings):
            words += 2 << state[STATE * k + SIZE]
    return arena[FREE] + words <= len(arena)


@kernel
def compact(order: Buffer, games: GameArrays) -> None:
    """Move the histories of some games, in the order of their blocks, to the start of the arena."""
    state, arena = games[2], games[3]
    for i in range(1, ARENA_HEADER):
        arena[i] = 0
    arena[FREE] = ARENA_HEADER
    for k in order:
        block, words = state[STATE * k + BLOCK], 1 << state[STATE * k + SIZE]
        to = arena[FREE]
        arena[FREE] += words
        state[STATE * k + BLOCK] = to
        if to < block:
            for i in range(words):
                arena[to + i] = arena[block + i]


@inlined
def put(k: int, w: int, b: int, r: int, state: Buffer, arena: Buffer, settings: Buffer) -> int:
    """Add a position to a history that is not full; return how often it was there before."""
    size, block = state[STATE * k + SIZE], state[STATE * k + BLOCK]
    hashed, first, count = hash_of(w, b, r), first_word(w, b, r, settings), 0
    at, end = home(k, hashed, state, settings), block + (1 << size)
    while arena[at]:
        if arena[at] == first and is_same(at, w, r, arena, settings):
            count += 1
        at += 1 << settings[WIDE]
        if at >= end:
            at = block + filter_words(size, settings)
    arena[at] = first
    if settings[WIDE]:
        arena[at + 1] = ~w if r & 1 else w
    if rules.REPETITION_BITS:
        arena[at + 2] = r & rules.REPETITION_BITS
    if settings[FILTER]:
        word, bit = filter_bit(block, size, hashed)
        arena[word] |= 1 << bit
    return count


@inlined
def is_new(k: int, w: int, b: int, r: int, state: Buffer, arena: Buffer, settings: Buffer) -> bool:
    """Return whether a position is not an earlier one of a game under superko."""
    size, block = state[STATE * k + SIZE], state[STATE * k + BLOCK]
    if size == 0:
        return True
    hashed = hash_of(w, b, r)
    if settings[FILTER]:
        word, bit = filter_bit(block, size, hashed)
        if not arena[word] >> bit & 1:
            return True
    return not contains(k, w, b, r, hashed, state, arena, settings)


@kernel
def contains(
    k: int, w: int, b: int, r: int, hashed: int, state: Buffer, arena: Buffer, settings: Buffer
) -> bool:
    """Return whether a position that has a history is in it."""
    if not rules.repeatable(w, b, r):
        return False
    size, block = state[STATE * k + SIZE], state[STATE * k + BLOCK]
    first, end = first_word(w, b, r, settings), block + (1 << size)
    at = home(k, hashed, state, settings)
    while arena[at]:
        if arena[at] == first and is_same(at, w, r, arena, settings):
            return True
        at += 1 << settings[WIDE]
        if at >= end:
            at = block + filter_words(size, settings)
    return False


@kernel
def forget(k: int, state: Buffer, arena: Buffer) -> None:
    """Clear the history of a game, and all of its state but the random numbers."""
    s = STATE * k
    if state[s + SIZE]:
        release(arena, state[s + BLOCK], state[s + SIZE])
    for i in range(MOVES, ENDED):
        state[s + i] = 0


@kernel
def enlarge(k: int, state: Buffer, arena: Buffer, settings: Buffer) -> None:
    """Move the history of a game to a block of twice the size, or to its first one."""
    s, step = STATE * k, 1 << settings[WIDE]
    old, size = state[s + BLOCK], state[s + SIZE]
    state[s + SIZE] = size + 1 if size else SMALLEST
    state[s + BLOCK] = allocate(arena, state[s + SIZE])
    if size == 0:
        return
    whole = (1 << settings[CELLS]) - 1
    for at in range(old + filter_words(size, settings), old + (1 << size), step):
        entry = arena[at] - 1
        if entry < 0:
            continue
        if step == 1:
            w, b, r = entry >> (settings[CELLS] + 1), (entry >> 1) & whole, entry & 1
        else:
            w, b, r = arena[at + 1], entry, 0
            if w < 0:
                w, r = ~w, 1
            if rules.REPETITION_BITS:
                r |= arena[at + 2]
        put(k, w, b, r, state, arena, settings)
    release(arena, old, size)


@kernel
def allocate(arena: Buffer, size: int) -> int:
    """Return a block of zeros of 2**size words."""
    block = arena[1 + size]
    if block:
        arena[1 + size] = arena[block]
    else:
        block = arena[FREE]
        arena[FREE] += 1 << size
    for i in range(block, block + (1 << size)):
        arena[i] = 0
    return block


@kernel
def release(arena: Buffer, block: int, size: int) -> None:
    """Return a block of 2**size words to the arena."""
    arena[block] = arena[1 + size]
    arena[1 + size] = block


# What callers see: players, masks and observations.


@kernel
def write_views(low: int, high: int, games: GameArrays, outputs: Outputs) -> None:
    """Write the players to act and, if the caller wants them, masks and observations."""
    positions, players = games[0], outputs[3]
    for k in range(low, high):
        players[k] = positions[3 * k + 2] & 1
    if len(outputs[4]):
        write_masks(low, high, games, outputs)
    if len(outputs[5]):
        write_planes(low, high, games, outputs)


@kernel
def write_masks(low: int, high: int, games: GameArrays, outputs: Outputs) -> None:
    """Write the legal steps that have changed as truth values, eight in each word."""
    legal, masks, shown = games[1], outputs[4], outputs[6]
    for i in range(rules.GROUPS * low, rules.GROUPS * high):
        cells = legal[i]
        if cells != shown[i]:  # most groups have no legal step before and after
            shown[i] = cells
            for part in range(8):
                masks[8 * i + part] = BYTES[cells >> (8 * part) & 255]


@kernel
def write_planes(low: int, high: int, games: GameArrays, outputs: Outputs) -> None:
    """Write the observation planes that have changed, and the one of an earlier occurrence."""
    positions, _, state, _, settings, room, _ = games
    observations, shown = outputs[5], outputs[7]
    cells, count = settings[CELLS], settings[PLANES] + 1
    whole = (1 << cells) - 1
    for k in range(low, high):
        planes.put_planes(positions[3 * k], positions[3 * k + 1], positions[3 * k + 2], room)
        room[count - 1] = whole if state[STATE * k + EARLIER] else 0
        for plane in range(count):
            word, i = room[plane] & whole, count * k + plane
            changed = word ^ shown[i]
            if changed == 0:
                continue
            shown[i] = word
            if changed == whole and word in (0, whole):
                for cell in range(cells):
                    observations[cells * i + cell] = 1 if word else 0
            else:
                while changed:
                    cell = lowest(changed)
                    changed &= changed - 1
                    observations[cells * i + cell] = word >> cell & 1


@kernel
def sample_steps(
    low: int, high: int, actions: Buffer, legal: Buffer, state: Buffer, room: Buffer
) -> None:
    """Choose a legal step in each game of a range, uniformly; NO_STEP if the game is over."""
    for k in range(low, high):
        s = STATE * k
        if state[s + OVER]:
            actions[k] = NO_STEP
            continue
        state[s + RANDOM] = loops.next_random(state[s + RANDOM])
        for group in range(rules.GROUPS):
            room[group] = legal[rules.GROUPS * k + group]
        actions[k] = loops.random_step(room, loops.random_bits(state[s + RANDOM]))


@kernel
def first_illegal(low: int, high: int, actions: Buffer, legal: Buffer) -> int:
    """Return the first game of a range whose action is not legal, or `high`."""
    for k in range(low, high):
        if actions[k] == NO_STEP:
            continue
        if actions[k] < 0 or actions[k] >= rules.GROUPS << 6:
            return k
        group, cell = group_and_cell(actions[k])
        if not legal[rules.GROUPS * k + group] >> cell & 1:
            return k
    return high
