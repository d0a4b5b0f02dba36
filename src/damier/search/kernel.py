"""The search: principal-variation alpha-beta over steps, on a stack of its own.

A template: `rules` stands for a game's file, `sense` for its judgement and `endings` for the
numbering of a table of endings, if there is one; `damier.jit.link` makes the search of one game.
Values are the mover's; as the same side may act several steps in a row, a value changes sign only
where the side changes. Depth and distance are counted in turns.

All state is in one buffer, so that `run` can leave after a number of nodes and go on later: the
caller looks at the clock in between, and no thread is needed to stop a search.
"""

from typing import Any

from damier.games.contract import Endings as EndingsKernels
from damier.games.contract import Evaluation, RulesKernels
from damier.games.terms import DRAW, WHITE, WHITE_WINS, step_of
from damier.jit import Buffer, kernel, lowest, popcount, stand_in
from damier.kernels import mixed
from damier.solve.codes import distance_of, win_of

rules: RulesKernels = stand_in()
sense: Evaluation = stand_in()
endings: EndingsKernels = stand_in()

HALF = (1 << 32) - 1

# What a table of endings holds: other arrays for every game, known to its own numbering only.
Endings = Any

# A win in n turns is worth WIN - n; beyond PROVED a value is a proof. A repetition that decides
# the game by pawns (SE-10) if both let it happen is worth REPEATED: more than any estimate.
WIN, PROVED, REPEATED = 1_000_000, 900_000, 60_000
# A win by a table that counts turns to a capture, not to the end, is worth about KNOWN, and more
# than SURE: the more pawns ahead and the sooner the capture, the better.
KNOWN, SURE = 500_000, 400_000
INFINITE = WIN + 1

# What is left to do at the top of the stack: enter a node, try its next step, hand its value on.
ENTER, NEXT, LEAVE = 0, 1, 2
# How a step is looked at: full window; narrow window and full depth; narrow and less deep.
FULL, NARROW, REDUCED = 0, 1, 2
# Bounds of a stored value.
EXACT, LOWER, UPPER = 1, 2, 3

PAWNS = 62  # on any board, at most
PLIES = 240  # the stack: steps, not turns
DEEPEST = 90  # turns, in the main search
MOST_STEPS = 512  # legal steps of one position: 31 pawns, 8 directions, two ways to capture
HISTORY_MOST = 1 << 20

# The buffer: state, then frames, killers, history by side and step, positions met, a filter that
# says that a position has not been met, and steps to be tried.
STACK, MODE, VALUE, NODES, MET_COUNT, GENERATION, SALT = 0, 1, 2, 3, 4, 5, 6
# What a draw by repetition costs White, less than 0 if Black: the one who plays for a win.
PRICE = 7
# The most pawns in all of an ending that is held, 0 without a table; whether its distances lead to
# the end; from which step of a position on steps are looked at less deep.
ENDING_PAWNS, TO_THE_END, REDUCE_AFTER = 8, 9, 10
FRAMES, FRAME = 16, 24
KILLERS = FRAMES + PLIES * FRAME
HISTORY = KILLERS + 2 * PLIES
MET = HISTORY + 2 * 2048
MET_MOST = 1024
FILTER = MET + 3 * MET_MOST
FILTER_SIZE = 1024
TRIED = FILTER + FILTER_SIZE
MEMORY = TRIED + PLIES * 64 + MOST_STEPS

# A frame: position, depth left, window, turns from the root, best so far, …
W, B, R, DEPTH, ALPHA, BETA, TURNS, BEST, BEST_STEP, ALPHA_0, KEY = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
# … its steps in the buffer from FIRST to LAST, the next one, the one under way and how it is
# looked at, whether the position was added to those met, whether only loud steps are tried.
FIRST, LAST, NEXT_STEP, STEP, STAGE, PUSHED, QUIET, COUNT = 11, 12, 13, 14, 15, 16, 17, 18

# Late steps are looked at less deep from this depth on, in games where that pays.
REDUCE_DEPTH = 3


@kernel
def hash_of(w: int, b: int, r: int) -> int:
    """Return a hash of 62 bits."""
    h = mixed(w, b, r)
    h = (h & HALF) * 0x27D4EB2F ^ (h >> 32) * 0x165667B1
    return h ^ h >> 31


@kernel
def slot_of(w: int, b: int, r: int) -> int:
    """Return where the filter counts positions with these pawns and this side to move."""
    return FILTER + (mixed(w, b, r & 1) & (FILTER_SIZE - 1))


@kernel
def meet(memory: Buffer, w: int, b: int, r: int) -> None:
    """Add a position to those met in the game or on the path."""
    at = MET + 3 * memory[MET_COUNT]
    memory[at], memory[at + 1], memory[at + 2] = w, b, sense.fingerprint(w, b, r)
    memory[MET_COUNT] += 1
    memory[slot_of(w, b, r)] += 1


@kernel
def part(memory: Buffer, w: int, b: int, r: int) -> None:
    """Take back the position added last."""
    memory[MET_COUNT] -= 1
    memory[slot_of(w, b, r)] -= 1


@kernel
def times_met(memory: Buffer, w: int, b: int, r: int) -> int:
    """Return how often a position was met by the rules, which compare pawns and side.

    16 more if it was alike in all that matters: a mark or a ko that differs may make all the
    difference.
    """
    if memory[slot_of(w, b, r)] == 0:
        return 0
    times = 0
    fingerprint = sense.fingerprint(w, b, r)
    for k in range(memory[MET_COUNT] - 1, -1, -1):
        at = MET + 3 * k
        if memory[at] == w and memory[at + 1] == b and (memory[at + 2] ^ r) & 1 == 0:
            times += 1
            if memory[at + 2] == fingerprint:
                times |= 16
    return times


@kernel
def judged(judgement: int, r: int, turns: int) -> int:
    """Return the value of a finished position for the side that would move."""
    if judgement & 3 == DRAW:
        return 0
    won = (judgement & 3) - WHITE_WINS == r & 1
    return WIN - turns if won else turns - WIN


@kernel
def look_up(table: Buffer, key: int) -> int:
    """Return what is stored for a position, or 0."""
    at = (key & (len(table) // 4 - 1)) * 4
    if table[at] == key:
        return table[at + 1]
    if table[at + 2] == key:
        return table[at + 3]
    return 0


@kernel
def store(
    table: Buffer, key: int, generation: int, value: int, bound: int, depth: int, step: int
) -> None:
    """Keep what was found out about a position: of two places one keeps the deeper find."""
    at = (key & (len(table) // 4 - 1)) * 4
    depth = min(max(depth + 16, 0), 127)
    data = (value + (1 << 21)) << 32 | generation << 24 | depth << 16 | bound << 12 | step
    old = table[at + 1]
    if table[at] != key and old and (old >> 24) & 255 == generation and (old >> 16) & 127 > depth:
        at += 2
    table[at], table[at + 1] = key, data


@kernel
def add_steps(memory: Buffer, f: int, ply: int, legal: Buffer, hint: int) -> None:
    """Put the legal steps in the frame's list, each with how promising it is."""
    w, b, r = memory[f + W], memory[f + B], memory[f + R]
    first = TRIED if ply == 0 else memory[f - FRAME + LAST]
    at = first
    history = HISTORY + 2048 * (r & 1)
    killer, killer_2 = memory[KILLERS + 2 * ply], memory[KILLERS + 2 * ply + 1]
    for group in range(rules.GROUPS):
        cells = legal[group]
        while cells:
            step = step_of(group, lowest(cells))
            cells &= cells - 1
            promise = sense.promise(w, b, r, step)
            if step == hint:
                promise = 1 << 30
            elif promise == 0:
                promise = memory[history + step]
                if step == killer:
                    promise += 2 * HISTORY_MOST
                elif step == killer_2:
                    promise += HISTORY_MOST
            else:
                promise = (promise << 22) + memory[history + step]
            memory[at] = promise << 12 | step
            at += 1
    memory[f + FIRST], memory[f + LAST], memory[f + NEXT_STEP] = first, at, first


@kernel
def worth(code: int, w: int, b: int, r: int, turns: int, to_the_end: int) -> int:
    """Return the value of a decided ending for the side to move, from its code in a table."""
    distance = turns + distance_of(code)
    if to_the_end:
        value = WIN - distance
    else:
        value = KNOWN + 100 * abs(popcount(w) - popcount(b)) - min(distance, 1000)
    return value if win_of(code) else -value


@kernel
def drawn(memory: Buffer, w: int, b: int, r: int, weights: Buffer) -> int:
    """Return the value of a drawn ending: who plays for a win wants one that is hard to hold.

    It is still better than a repetition, and the better the better it looks.
    """
    price = memory[PRICE] if r & 1 else -memory[PRICE]
    if price == 0:
        return 0
    most = abs(price) // 3
    return 2 * price // 3 + min(max(sense.evaluate(w, b, r, weights) // 4, -most), most)


@kernel
def boredom(memory: Buffer, w: int, b: int, r: int) -> int:
    """Return how much less a position is worth to the side to move because one side must win."""
    if memory[PRICE] == 0:
        return 0
    white = memory[PRICE] > 0
    dull = sense.dullness(w, b, r) if white else sense.dullness(b, w, r)
    return dull if white == (r & 1 == WHITE) else -dull


@kernel
def estimate(memory: Buffer, w: int, b: int, r: int, weights: Buffer) -> int:
    """Return an estimate for the side to move, as the aims of both have it."""
    return sense.evaluate(w, b, r, weights) - boredom(memory, w, b, r)


@kernel
def enter(
    memory: Buffer,
    table: Buffer,
    legal: Buffer,
    weights: Buffer,
    values: Endings,
    numbering: Endings,
    ply: int,
) -> bool:
    """Look at a new position: set its value, or prepare its steps and return True."""
    f = FRAMES + FRAME * ply
    w, b, r = memory[f + W], memory[f + B], memory[f + R]
    turns, depth = memory[f + TURNS], memory[f + DEPTH]
    alpha, beta = memory[f + ALPHA], memory[f + BETA]
    memory[f + PUSHED] = 0
    memory[f + LAST] = TRIED if ply == 0 else memory[f - FRAME + LAST]
    # 1. The game is over.
    judgement = rules.legal(w, b, r, legal)
    between = r & rules.MIDTURN == 0
    if judgement:
        memory[VALUE] = judged(judgement, r, turns)
        return False
    # 2. The position was there before, in the game or on the path: the rules say so the third
    # time, good sense the second. Who is ahead must not go round in circles: what is stored about
    # a position does not know how near its third time is.
    may_repeat = between and rules.repeatable(w, b, r)
    if may_repeat and not rules.superko(r):
        met = times_met(memory, w, b, r)
        if met & 15 >= 2 or met & 16:
            value = judged(rules.repeated(w, b, r), r, turns)
            if value == 0:
                value = memory[PRICE] if r & 1 else -memory[PRICE]
                value -= boredom(memory, w, b, r)  # or it would look better than to play on
            elif met & 15 < 2:
                value = REPEATED if value > 0 else -REPEATED
            memory[VALUE] = value
            return False
    # 3. A table knows.
    if between and popcount(w | b) <= memory[ENDING_PAWNS]:
        code = endings.probe_code(w, b, r, values, numbering)
        if code > 0:
            memory[VALUE] = worth(code, w, b, r, turns, memory[TO_THE_END])
            return False
        if code == 0:
            memory[VALUE] = drawn(memory, w, b, r, weights)
            return False
    # 4. Nothing here can be better than a shorter win already found.
    if alpha >= WIN - turns:
        memory[VALUE] = alpha
        return False
    full = ply >= PLIES - 2 or memory[f + LAST] + MOST_STEPS > MEMORY
    if full or memory[MET_COUNT] >= MET_MOST - 1:
        memory[VALUE] = estimate(memory, w, b, r, weights)
        return False
    # 5. It was looked at before.
    quiet = depth <= 0
    key = hash_of(w, b, sense.fingerprint(w, b, r)) ^ memory[SALT]
    known = look_up(table, key)
    hint = -1
    if known:
        hint = known & 4095
        if (known >> 16) & 127 >= depth + 16 or (quiet and (known >> 16) & 127 >= 16):
            value, bound = (known >> 32) - (1 << 21), (known >> 12) & 3
            if value > PROVED:
                value -= turns
            elif value < -PROVED:
                value += turns
            if bound == EXACT or (value >= beta if bound == LOWER else value <= alpha):
                memory[VALUE] = value
                return False
    # 6. Quiet search: the mover may be content with the position as it stands.
    best = -INFINITE
    if quiet and between:
        if depth <= -sense.quiet_turns(r):
            memory[VALUE] = estimate(memory, w, b, r, weights)
            return False
        if sense.content(w, b, r, legal):
            best = estimate(memory, w, b, r, weights)
            if best >= beta or not sense.loud(w, b, r, legal):
                memory[VALUE] = best
                return False
    # 7. So good already, so near the horizon: a step will be found.
    elif between and depth <= sense.FUTILE_DEPTH and beta - alpha == 1:
        static = estimate(memory, w, b, r, weights)
        enough = static - sense.FUTILE_MARGIN * depth
        if enough >= beta > -PROVED:
            memory[VALUE] = static
            return False
    if may_repeat:
        meet(memory, w, b, r)
        memory[f + PUSHED] = 1
    memory[f + ALPHA_0] = alpha
    if best > alpha:
        memory[f + ALPHA] = best
    memory[f + BEST], memory[f + BEST_STEP], memory[f + KEY] = best, 4095, key
    memory[f + QUIET], memory[f + COUNT] = quiet, 0
    add_steps(memory, f, ply, legal, hint)
    return True


@kernel
def pick(memory: Buffer, f: int) -> int:
    """Return the most promising step left in a frame's list, and take it out."""
    at, last = memory[f + NEXT_STEP], memory[f + LAST]
    chosen = at
    for k in range(at + 1, last):
        if memory[k] > memory[chosen]:
            chosen = k
    packed = memory[chosen]
    memory[chosen] = memory[at]
    memory[at] = packed
    memory[f + NEXT_STEP] = at + 1
    return packed


@kernel
def descend(memory: Buffer, ply: int) -> bool:
    """Put the position after the next step on the stack, or return False if no step is left."""
    f = FRAMES + FRAME * ply
    g = f + FRAME
    w, b, r = memory[f + W], memory[f + B], memory[f + R]
    while memory[f + NEXT_STEP] < memory[f + LAST]:
        packed = pick(memory, f)
        step = packed & 4095
        if rules.superfluous(r, step):
            continue
        w2, b2, r2 = rules.play(w, b, r, step)
        ends = r2 & rules.MIDTURN == 0
        # Superko: a turn that brings back a position is not legal.
        barred = ends and rules.superko(r2) and rules.repeatable(w2, b2, r2)
        if barred and times_met(memory, w2, b2, r2):
            continue
        memory[g + W], memory[g + B], memory[g + R] = w2, b2, r2
        memory[g + TURNS] = memory[f + TURNS] + (1 if ends else 0)
        memory[f + STEP] = step
        count = memory[f + COUNT]
        memory[f + COUNT] = count + 1
        stage = FULL
        if count and memory[f + BETA] - memory[f + ALPHA] > 1:
            stage = NARROW
        if (
            count >= memory[REDUCE_AFTER]
            and memory[f + DEPTH] >= REDUCE_DEPTH
            and packed >> 12 < 1 << 22
            and r & rules.MIDTURN == 0
            and memory[f + BEST] > -PROVED
        ):
            stage = REDUCED
        memory[f + STAGE] = stage
        open_window(memory, f)
        return True
    return False


@kernel
def open_window(memory: Buffer, f: int) -> None:
    """Give the position above a frame its window and its depth."""
    g = f + FRAME
    alpha, beta, stage = memory[f + ALPHA], memory[f + BETA], memory[f + STAGE]
    depth = memory[f + DEPTH]
    if memory[g + R] & rules.MIDTURN == 0:
        depth -= 1
    if stage == REDUCED:
        depth -= 1 + (memory[f + COUNT] > 12) + (memory[f + DEPTH] > 6)
        depth = max(depth, 0)
    if stage != FULL:
        beta = alpha + 1
    if (memory[f + R] ^ memory[g + R]) & 1:
        alpha, beta = -beta, -alpha
    memory[g + DEPTH], memory[g + ALPHA], memory[g + BETA] = depth, alpha, beta


@kernel
def receive(memory: Buffer, ply: int) -> int:
    """Take the value of the step under way; return what is to be done next."""
    f = FRAMES + FRAME * ply
    value = memory[VALUE]
    if (memory[f + R] ^ memory[f + FRAME + R]) & 1:
        value = -value
    alpha, beta, stage = memory[f + ALPHA], memory[f + BETA], memory[f + STAGE]
    if value > alpha and stage != FULL:
        if stage == REDUCED:
            memory[f + STAGE] = NARROW
            open_window(memory, f)
            return ENTER
        if value < beta:
            memory[f + STAGE] = FULL
            open_window(memory, f)
            return ENTER
    if value > memory[f + BEST]:
        memory[f + BEST] = value
        if value > alpha:
            memory[f + BEST_STEP] = memory[f + STEP]
            memory[f + ALPHA] = value
            if value >= beta:
                praise(memory, f, ply)
                memory[f + NEXT_STEP] = memory[f + LAST]
    return NEXT


@kernel
def praise(memory: Buffer, f: int, ply: int) -> None:
    """Remember a step that was too good, and mistrust those that were tried before it."""
    step, depth = memory[f + STEP], max(memory[f + DEPTH], 0)
    killer = KILLERS + 2 * ply
    if memory[killer] != step:
        memory[killer + 1] = memory[killer]
        memory[killer] = step
    history = HISTORY + 2048 * (memory[f + R] & 1)
    gain = min(depth * depth + 1, 400)
    for k in range(memory[f + FIRST], memory[f + NEXT_STEP]):
        other = memory[k] & 4095
        old = memory[history + other]
        if other == step:
            memory[history + other] = old + (HISTORY_MOST - old) * gain // 2048
        else:
            memory[history + other] = old - old * gain // 2048


@kernel
def conclude(memory: Buffer, table: Buffer, ply: int) -> None:
    """Set and store the value of a position all of whose steps were looked at."""
    f = FRAMES + FRAME * ply
    w, b, r = memory[f + W], memory[f + B], memory[f + R]
    best = memory[f + BEST]
    if memory[f + PUSHED]:
        part(memory, w, b, r)
    if best == -INFINITE:  # every turn is barred, or every way to go on after a step
        memory[VALUE] = judged(rules.shut_in(w, b, r), r, memory[f + TURNS])
        return
    memory[VALUE] = best
    bound = EXACT
    if best >= memory[f + BETA]:
        bound = LOWER
    elif best <= memory[f + ALPHA_0]:
        bound = UPPER
    value = best
    if value > PROVED:
        value += memory[f + TURNS]
    elif value < -PROVED:
        value -= memory[f + TURNS]
    store(
        table, memory[f + KEY], memory[GENERATION], value, bound, memory[f + DEPTH],
        memory[f + BEST_STEP],
    )  # fmt: skip


@kernel
def begin(memory: Buffer, w: int, b: int, r: int, depth: int, alpha: int, beta: int) -> None:
    """Prepare the search of a position that one turn from the root has reached."""
    f = FRAMES
    memory[f + W], memory[f + B], memory[f + R] = w, b, r
    memory[f + DEPTH], memory[f + ALPHA], memory[f + BETA] = depth, alpha, beta
    memory[f + TURNS] = 1
    memory[STACK], memory[MODE] = 0, ENTER


@kernel
def run(
    memory: Buffer,
    table: Buffer,
    legal: Buffer,
    weights: Buffer,
    values: Endings,
    numbering: Endings,
    nodes: int,
) -> bool:
    """Search on for a number of nodes; return whether the search is done, its value in VALUE."""
    ply, mode = memory[STACK], memory[MODE]
    until = memory[NODES] + nodes
    while True:
        if mode == NEXT:
            if descend(memory, ply):
                ply += 1
                mode = ENTER
            else:
                conclude(memory, table, ply)
                mode = LEAVE
        if mode == ENTER:
            if memory[NODES] >= until:
                memory[STACK], memory[MODE] = ply, mode
                return False
            memory[NODES] += 1
            entered = enter(memory, table, legal, weights, values, numbering, ply)
            mode = NEXT if entered else LEAVE
        if mode == LEAVE:
            if ply == 0:
                memory[STACK], memory[MODE] = ply, mode
                return True
            ply -= 1
            mode = receive(memory, ply)
            if mode == ENTER:
                ply += 1


@kernel
def renew(memory: Buffer, fresh: bool) -> None:
    """Prepare for a new search: no position met, no killers, half or nothing of the history."""
    for k in range(HISTORY, HISTORY + 2 * 2048):
        memory[k] = 0 if fresh else memory[k] // 2
    for k in range(KILLERS, KILLERS + 2 * PLIES):
        memory[k] = 4095
    for k in range(FILTER, FILTER + FILTER_SIZE):
        memory[k] = 0
    memory[NODES] = 0
    memory[MET_COUNT] = 0
