"""Kernels that play many games at once, with the rules on repetition.

A template: `rules` is a game's rules module, `loops` its loops, `planes` its observation planes,
`repetition` what it knows about repetition, and `history` remembers positions. All arrays are flat.
A range of games has an arena of its own, so threads work on ranges without locks, and results do
not depend on the number of threads.

A call plays the games of a range in groups whose data fit in the L1 cache, each in passes: `play`,
`judge`, `restart_ended`, then the views.
"""

from typing import Any

from damier.games.constants import BLACK_WINS, STUCK, WHITE_WINS, group_and_cell
from damier.games.contract import ObservationPlanes, RulesKernels
from damier.jit import Buffer, inlined, kernel, lowest, placeholder, popcount
from damier.research.batch_layout import (
    AUTO_RESET,
    CELLS,
    EARLIER,
    ENDED,
    ENTRIES,
    FIRST_START,
    FREE,
    JUDGE_ONLY,
    JUDGEMENT,
    LIMIT,
    MAX_MOVES,
    MOVES,
    OVER,
    PENDING,
    PLANES,
    RANDOM,
    STARTS,
    STATE,
    TERMINATED,
    TOGETHER,
    TRUNCATED,
)
from damier.research.history_kernels import GameArrays

rules: RulesKernels = placeholder()
planes: ObservationPlanes = placeholder()
loops: Any = placeholder()
history: Any = placeholder()
repetition: Any = placeholder()

NO_STEP = -1  # action that leaves a game as it is
# Each byte of entry k is the corresponding bit of k: eight truth values.
BYTES = tuple(sum((k >> i & 1) << (8 * i) for i in range(8)) for k in range(256))

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
        if games[3][FREE] + history.items_needed(begin, end, games) > games[3][LIMIT]:
            return begin
        play(begin, end, actions, games)
        judge(begin, end, games)
        if put_outcomes(begin, end, games, outputs):
            restart_ended(begin, end, games)
            judge(begin, end, games)
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
        if games[3][FREE] + history.items_needed(begin, end, games) > games[3][LIMIT]:
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
        judge(begin, end, games)
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
    positions, state, scratch = games[0], games[2], games[8]
    for k in range(low, high):
        s, t = STATE * k, history.scratch_of(k)
        scratch[t + ENDED], scratch[t + JUDGEMENT] = 0, 0
        if actions[k] == NO_STEP:
            continue
        w, b, r = positions[3 * k], positions[3 * k + 1], positions[3 * k + 2]
        pawns = popcount(w ^ b)  # inside a move, a cell of both marks an empty one
        w, b, r = rules.play(w, b, r, actions[k])
        if repetition.FINAL_CAPTURES and popcount(w ^ b) < pawns:
            history.clear(k, games)
        if not r & rules.MIDTURN:
            state[s + MOVES] += 1
        arrive(k, w, b, r, games)


@inlined
def arrive(k: int, w: int, b: int, r: int, games: GameArrays) -> None:
    """Write a position, its legal steps, its judgement, and whether it is to be recorded."""
    positions, legal, state, _, settings, room, _, subsets, scratch = games
    s, t = STATE * k, history.scratch_of(k)
    positions[3 * k], positions[3 * k + 1], positions[3 * k + 2] = w, b, r
    judgement = rules.legal(w, b, r, room)
    scratch[t + JUDGEMENT] = judgement
    for group in range(rules.GROUPS):
        legal[rules.GROUPS * k + group] = room[group]
    state[s + EARLIER] = 0
    if judgement:
        return
    if not r & rules.MIDTURN and rules.repeatable(w, b, r):
        scratch[t + PENDING] = history.key_of(w, b, r, settings, subsets)
    elif state[s + ENTRIES] and rules.superko(r):
        scratch[t + PENDING] = JUDGE_ONLY


@kernel
def judge(low: int, high: int, games: GameArrays) -> None:
    """Record the pending positions of a range, and apply the rules on repetition to them."""
    positions, state, scratch = games[0], games[2], games[8]
    history.record(low, high, games)
    for k in range(low, high):
        s, t = STATE * k, history.scratch_of(k)
        if scratch[t + PENDING] == 0:
            continue
        scratch[t + PENDING] = 0
        w, b, r = positions[3 * k], positions[3 * k + 1], positions[3 * k + 2]
        if rules.superko(r):
            if not history.keep_allowed(k, w, b, r, games):
                judgement = rules.shut_in(w, b, r)
                scratch[t + JUDGEMENT] = judgement if judgement else STUCK
        elif state[s + EARLIER] >= 2:
            judgement = rules.repeated(w, b, r)
            if judgement & 3:
                scratch[t + JUDGEMENT] = judgement


@kernel
def put_outcomes(low: int, high: int, games: GameArrays, outputs: Outputs) -> bool:
    """Write rewards and ends; return whether a game has ended."""
    positions, state, settings, scratch = games[0], games[2], games[4], games[8]
    rewards, terminated, truncated = outputs[0], outputs[1], outputs[2]
    most, some = settings[MAX_MOVES], False
    for k in range(low, high):
        s, t = STATE * k, history.scratch_of(k)
        judgement = scratch[t + JUDGEMENT]
        ended = TERMINATED if judgement else 0
        rewards[2 * k], rewards[2 * k + 1] = 0.0, 0.0
        if judgement & 3 == WHITE_WINS:
            rewards[2 * k], rewards[2 * k + 1] = 1.0, -1.0
        elif judgement & 3 == BLACK_WINS:
            rewards[2 * k], rewards[2 * k + 1] = -1.0, 1.0
        between = not positions[3 * k + 2] & rules.MIDTURN
        if not judgement and most and state[s + MOVES] >= most and between:
            ended = TRUNCATED
        scratch[t + ENDED] = ended
        terminated[k] = 1 if ended == TERMINATED else 0
        truncated[k] = 1 if ended == TRUNCATED else 0
        some = some or ended > 0
    return some


@kernel
def restart_ended(low: int, high: int, games: GameArrays) -> None:
    """Start each game that has ended again, or leave it without legal steps."""
    _, legal, state, _, settings, _, _, _, scratch = games
    for k in range(low, high):
        if not scratch[history.scratch_of(k) + ENDED]:
            continue
        if settings[AUTO_RESET]:
            restart(k, games)
        else:
            history.forget(k, games)
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
    history.forget(k, games)
    arrive(k, w, b, r, games)


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
    positions, _, state, _, settings, room, _, _, _ = games
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
