"""Principal variation search: alpha-beta with null windows, over steps.

The module is a template: `rules` is a game's rules module, `evaluation` its evaluation and
`endings` the numbering of a table of endings, if there is one; `damier.jit.link` returns the search
of one game.
Values are the mover's (negamax); as the same side may play several steps in a row, a value changes
sign only where the side changes. Depth, and the distance of a win, are counted in moves; a ply is a
step.

All state, including the stack, is in one buffer, so that `search` can return after a number of
nodes and be resumed. The caller checks the time in between, and no thread is needed to stop a
search.
"""

from typing import Any

from damier.games.constants import DRAW, WHITE, WHITE_WINS, step_of
from damier.games.contract import Endings as EndingsKernels
from damier.games.contract import Evaluation, RulesKernels
from damier.jit import Buffer, kernel, lowest, placeholder, popcount
from damier.kernels import mix
from damier.solve.value_codes import distance_of, win_of

rules: RulesKernels = placeholder()
evaluation: Evaluation = placeholder()
endings: EndingsKernels = placeholder()

HALF = (1 << 32) - 1

# Arrays of a table of endings; their types depend on the game's numbering.
Endings = Any

# A win in n moves has the value WIN - n; values beyond PROVED are proved. A repetition that the
# rules call a win has the value REPETITION_WIN, more than any evaluation.
WIN, PROVED, REPETITION_WIN = 1_000_000, 900_000, 60_000
# A win by a table that counts moves to a capture, not to the end, has a value near TABLEBASE_WIN
# and above MIN_TABLEBASE_WIN: more with more pawns ahead and with an earlier capture.
TABLEBASE_WIN, MIN_TABLEBASE_WIN = 500_000, 400_000
INFINITE = WIN + 1

# State of the node at the top of the stack: enter it, try its next step, return its value.
ENTER, NEXT, LEAVE = 0, 1, 2
# How a step is searched: full window; null window at full depth; null window at reduced depth.
FULL_WINDOW, NULL_WINDOW, REDUCED = 0, 1, 2
# Bounds of a value in the transposition table.
EXACT, LOWER, UPPER = 1, 2, 3

MAX_PAWNS = 62  # on any board
MAX_PLY = 240  # the stack: steps, not moves
MAX_DEPTH = 90  # moves, before quiescence
MAX_STEPS = 1 << 12  # all step numbers are smaller, so every position has fewer steps
NO_STEP = MAX_STEPS - 1  # a step number that no game uses
HISTORY_MAX = 1 << 20

# Layout of the buffer: state, frames, killers, history by side and step, the repetition stack, a
# filter that excludes most positions from it, and the ordered steps.
STACK, MODE, VALUE, NODES, REPETITION_COUNT, GENERATION, SALT = 0, 1, 2, 3, 4, 5, 6
# Cost of a draw by repetition for White, negative for Black: the side that plays for a win.
CONTEMPT = 7
# Greatest number of pawns in the table of endings, 0 without a table; whether its distances count
# to the end; the number of steps of a position before late move reductions begin.
TABLEBASE_PAWNS, TABLEBASE_TO_END, LMR_AFTER = 8, 9, 10
FRAMES, FRAME = 16, 24
KILLERS = FRAMES + MAX_PLY * FRAME
HISTORY = KILLERS + 2 * MAX_PLY
REPETITIONS = HISTORY + 2 * MAX_STEPS
MAX_REPETITIONS = 1024
FILTER = REPETITIONS + 3 * MAX_REPETITIONS
FILTER_SIZE = 1024
ORDERED = FILTER + FILTER_SIZE
MEMORY = ORDERED + MAX_PLY * 64 + MAX_STEPS

# A frame: position, depth left, window, moves from the root, best so far, …
W, B, R, DEPTH, ALPHA, BETA, MOVES, BEST, BEST_STEP, ALPHA_0, KEY = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
# … its steps in the buffer from FIRST to LAST, the next one, the current one and how it is
# searched, whether the position was pushed on the repetition stack, how many steps were tried.
FIRST, LAST, NEXT_STEP, STEP, STAGE, PUSHED, COUNT = 11, 12, 13, 14, 15, 16, 17

# Late move reductions begin at this depth, in games where they help: `Evaluation.LMR_AFTER`.
LMR_DEPTH = 3


@kernel
def hash_of(w: int, b: int, r: int) -> int:
    """Return a hash key of 62 bits."""
    h = mix(w, b, r)
    h = (h & HALF) * 0x27D4EB2F ^ (h >> 32) * 0x165667B1
    return h ^ h >> 31


@kernel
def key_of(w: int, b: int, r: int, salt: int) -> int:
    """Return a position's key in the transposition table; each salt gives other keys."""
    return hash_of(w, b, evaluation.hash_rest(w, b, r)) ^ salt


@kernel
def filter_slot(w: int, b: int, r: int) -> int:
    """Return the filter slot of positions with these pawns and this side to move."""
    return FILTER + (mix(w, b, r & 1) & (FILTER_SIZE - 1))


@kernel
def push_repetition(memory: Buffer, w: int, b: int, r: int) -> None:
    """Push a position of the game, or of the path, on the repetition stack."""
    at = REPETITIONS + 3 * memory[REPETITION_COUNT]
    memory[at], memory[at + 1], memory[at + 2] = w, b, evaluation.hash_rest(w, b, r)
    memory[REPETITION_COUNT] += 1
    memory[filter_slot(w, b, r)] += 1


@kernel
def pop_repetition(memory: Buffer, w: int, b: int, r: int) -> None:
    """Pop the position that was pushed last."""
    memory[REPETITION_COUNT] -= 1
    memory[filter_slot(w, b, r)] -= 1


@kernel
def count_repetitions(memory: Buffer, w: int, b: int, r: int) -> int:
    """Return how often a position occurred by the rules, which compare pawns and side.

    16 is added if one occurrence was equal in all state, including marks and ko.
    """
    if memory[filter_slot(w, b, r)] == 0:
        return 0
    times = 0
    rest, bits = evaluation.hash_rest(w, b, r), 1 | rules.REPETITION_BITS
    for k in range(memory[REPETITION_COUNT] - 1, -1, -1):
        at = REPETITIONS + 3 * k
        if memory[at] == w and memory[at + 1] == b and (memory[at + 2] ^ r) & bits == 0:
            times += 1
            if memory[at + 2] == rest:
                times |= 16
    return times


@kernel
def terminal_value(judgement: int, r: int, moves: int) -> int:
    """Return the value of a finished position for the side that would move."""
    if judgement & 3 == DRAW:
        return 0
    won = (judgement & 3) - WHITE_WINS == r & 1
    return WIN - moves if won else moves - WIN


@kernel
def tt_probe(tt: Buffer, key: int) -> int:
    """Return the entry of the transposition table for a key, or 0."""
    at = (key & (len(tt) // 4 - 1)) * 4
    if tt[at] == key:
        return tt[at + 1]
    if tt[at + 2] == key:
        return tt[at + 3]
    return 0


@kernel
def tt_store(
    tt: Buffer, key: int, generation: int, value: int, bound: int, depth: int, step: int
) -> None:
    """Store an entry in the transposition table; one of two slots keeps the deeper search."""
    at = (key & (len(tt) // 4 - 1)) * 4
    depth = min(max(depth + 16, 0), 127)
    entry = (value + (1 << 21)) << 32 | generation << 24 | depth << 16 | bound << 12 | step
    old = tt[at + 1]
    if tt[at] != key and old and (old >> 24) & 255 == generation and (old >> 16) & 127 > depth:
        at += 2
    tt[at], tt[at + 1] = key, entry


@kernel
def order_steps(memory: Buffer, f: int, ply: int, legal: Buffer, tt_step: int) -> None:
    """Write the legal steps to the frame's list, each with its score for move ordering.

    The step of the transposition table comes first, then the steps that the evaluation ranks, then
    killers, then the others by history.
    """
    w, b, r = memory[f + W], memory[f + B], memory[f + R]
    first = ORDERED if ply == 0 else memory[f - FRAME + LAST]
    at = first
    history = HISTORY + MAX_STEPS * (r & 1)
    killer, killer_2 = memory[KILLERS + 2 * ply], memory[KILLERS + 2 * ply + 1]
    for group in range(rules.GROUPS):
        cells = legal[group]
        while cells:
            step = step_of(group, lowest(cells))
            cells &= cells - 1
            score = evaluation.move_order(w, b, r, step)
            if step == tt_step:
                score = 1 << 30
            elif score == 0:
                score = memory[history + step]
                if step == killer:
                    score += 2 * HISTORY_MAX
                elif step == killer_2:
                    score += HISTORY_MAX
            else:
                score = (score << 22) + memory[history + step]
            memory[at] = score << 12 | step
            at += 1
    memory[f + FIRST], memory[f + LAST], memory[f + NEXT_STEP] = first, at, first


@kernel
def tablebase_value(code: int, w: int, b: int, moves: int, to_end: int) -> int:
    """Return the value of a decided ending for the side to move, from its code in a table."""
    distance = moves + distance_of(code)
    if to_end:
        value = WIN - distance
    else:
        value = TABLEBASE_WIN + 100 * abs(popcount(w) - popcount(b)) - min(distance, 1000)
    return value if win_of(code) else -value


@kernel
def tablebase_draw(memory: Buffer, w: int, b: int, r: int, weights: Buffer) -> int:
    """Return the value of a drawn ending, with contempt for the side that plays for a win.

    It is better than a repetition, and rises with the evaluation.
    """
    contempt = memory[CONTEMPT] if r & 1 else -memory[CONTEMPT]
    if contempt == 0:
        return 0
    most = abs(contempt) // 3
    return 2 * contempt // 3 + min(max(evaluation.evaluate(w, b, r, weights) // 4, -most), most)


@kernel
def contempt_of(memory: Buffer, w: int, b: int, r: int) -> int:
    """Return the cost of a position for the side to move because of contempt."""
    if memory[CONTEMPT] == 0:
        return 0
    white = memory[CONTEMPT] > 0
    less = evaluation.contempt(w, b, r) if white else evaluation.contempt(b, w, r)
    return less if white == (r & 1 == WHITE) else -less


@kernel
def static_eval(memory: Buffer, w: int, b: int, r: int, weights: Buffer) -> int:
    """Return the evaluation for the side to move, contempt included."""
    return evaluation.evaluate(w, b, r, weights) - contempt_of(memory, w, b, r)


@kernel
def enter_node(
    memory: Buffer,
    tt: Buffer,
    legal: Buffer,
    weights: Buffer,
    values: Endings,
    numbering: Endings,
    ply: int,
) -> bool:
    """Enter a new position: set its value and return False, or order its steps and return True."""
    f = FRAMES + FRAME * ply
    w, b, r = memory[f + W], memory[f + B], memory[f + R]
    moves, depth = memory[f + MOVES], memory[f + DEPTH]
    alpha, beta = memory[f + ALPHA], memory[f + BETA]
    memory[f + PUSHED] = 0
    memory[f + LAST] = ORDERED if ply == 0 else memory[f - FRAME + LAST]
    # Step 1. The game is over.
    judgement = rules.legal(w, b, r, legal)
    between = r & rules.MIDTURN == 0
    if judgement:
        memory[VALUE] = terminal_value(judgement, r, moves)
        return False
    # Step 2. Repetition, in the game or on the path: the rules count to three, the search to two,
    # because the transposition table does not know how often a position occurred.
    may_repeat = between and rules.repeatable(w, b, r)
    if may_repeat and not rules.superko(r):
        times = count_repetitions(memory, w, b, r)
        if times & 15 >= 2 or times & 16:
            value = terminal_value(rules.repeated(w, b, r), r, moves)
            if value == 0:
                value = memory[CONTEMPT] if r & 1 else -memory[CONTEMPT]
                # Otherwise a repetition would look better than playing on.
                value -= contempt_of(memory, w, b, r)
            elif times & 15 < 2:
                value = REPETITION_WIN if value > 0 else -REPETITION_WIN
            memory[VALUE] = value
            return False
    # Step 3. Tablebase probe.
    if between and popcount(w | b) <= memory[TABLEBASE_PAWNS]:
        code = endings.probe_code(w, b, r, values, numbering)
        if code > 0:
            memory[VALUE] = tablebase_value(code, w, b, moves, memory[TABLEBASE_TO_END])
            return False
        if code == 0:
            memory[VALUE] = tablebase_draw(memory, w, b, r, weights)
            return False
    # Step 4. Win distance pruning: no value here can be better than a shorter win already found.
    if alpha >= WIN - moves:
        memory[VALUE] = alpha
        return False
    # Step 5. The stack or the buffer is full.
    full = ply >= MAX_PLY - 2 or memory[f + LAST] + MAX_STEPS > MEMORY
    if full or memory[REPETITION_COUNT] >= MAX_REPETITIONS - 1:
        memory[VALUE] = static_eval(memory, w, b, r, weights)
        return False
    # Step 6. Transposition table lookup.
    quiescence = depth <= 0
    key = key_of(w, b, r, memory[SALT])
    entry = tt_probe(tt, key)
    tt_step = -1
    if entry:
        tt_step = entry & (MAX_STEPS - 1)
        if (entry >> 16) & 127 >= depth + 16 or (quiescence and (entry >> 16) & 127 >= 16):
            value, bound = (entry >> 32) - (1 << 21), (entry >> 12) & 3
            if value > PROVED:
                value -= moves
            elif value < -PROVED:
                value += moves
            if bound == EXACT or (value >= beta if bound == LOWER else value <= alpha):
                memory[VALUE] = value
                return False
    # Step 7. Quiescence: stand pat, else search noisy steps only.
    best = -INFINITE
    if quiescence and between:
        if depth <= -evaluation.quiescence_depth(r):
            memory[VALUE] = static_eval(memory, w, b, r, weights)
            return False
        if evaluation.may_stand_pat(w, b, r, legal):
            best = static_eval(memory, w, b, r, weights)
            if best >= beta or not evaluation.keep_noisy(w, b, r, legal):
                memory[VALUE] = best
                return False
    # Step 8. Futility pruning, child node: far above beta near the horizon.
    elif between and depth <= evaluation.FUTILITY_DEPTH and beta - alpha == 1:
        static = static_eval(memory, w, b, r, weights)
        enough = static - evaluation.FUTILITY_MARGIN * depth
        if enough >= beta > -PROVED:
            memory[VALUE] = static
            return False
    # Step 9. Move ordering.
    if may_repeat:
        push_repetition(memory, w, b, r)
        memory[f + PUSHED] = 1
    memory[f + ALPHA_0] = alpha
    if best > alpha:
        memory[f + ALPHA] = best
    memory[f + BEST], memory[f + BEST_STEP], memory[f + KEY] = best, NO_STEP, key
    memory[f + COUNT] = 0
    order_steps(memory, f, ply, legal, tt_step)
    return True


@kernel
def pick_step(memory: Buffer, f: int) -> int:
    """Return the step left in a frame's list that is ordered first, and take it out."""
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
def try_step(memory: Buffer, ply: int) -> bool:
    """Push the position after the next step on the stack; return False if no step is left."""
    f = FRAMES + FRAME * ply
    g = f + FRAME
    w, b, r = memory[f + W], memory[f + B], memory[f + R]
    while memory[f + NEXT_STEP] < memory[f + LAST]:
        packed = pick_step(memory, f)
        step = packed & (MAX_STEPS - 1)
        if rules.superfluous(r, step):
            continue
        w2, b2, r2 = rules.play(w, b, r, step)
        ends = r2 & rules.MIDTURN == 0
        # Superko: a move that brings back a position is not legal.
        forbidden = ends and rules.superko(r2) and rules.repeatable(w2, b2, r2)
        if forbidden and count_repetitions(memory, w2, b2, r2):
            continue
        memory[g + W], memory[g + B], memory[g + R] = w2, b2, r2
        memory[g + MOVES] = memory[f + MOVES] + (1 if ends else 0)
        memory[f + STEP] = step
        count = memory[f + COUNT]
        memory[f + COUNT] = count + 1
        stage = FULL_WINDOW
        if count and memory[f + BETA] - memory[f + ALPHA] > 1:
            stage = NULL_WINDOW
        # Late move reductions: for steps that neither the evaluation nor a killer ranks first.
        if (
            count >= memory[LMR_AFTER]
            and memory[f + DEPTH] >= LMR_DEPTH
            and packed >> 12 < 1 << 22
            and r & rules.MIDTURN == 0
            and memory[f + BEST] > -PROVED
        ):
            stage = REDUCED
        memory[f + STAGE] = stage
        set_window(memory, f)
        return True
    return False


@kernel
def set_window(memory: Buffer, f: int) -> None:
    """Set the window and depth of the position above a frame."""
    g = f + FRAME
    alpha, beta, stage = memory[f + ALPHA], memory[f + BETA], memory[f + STAGE]
    depth = memory[f + DEPTH]
    if memory[g + R] & rules.MIDTURN == 0:
        depth -= 1
    if stage == REDUCED:
        depth -= 1 + (memory[f + COUNT] > 12) + (memory[f + DEPTH] > 6)
        depth = max(depth, 0)
    if stage != FULL_WINDOW:
        beta = alpha + 1
    if (memory[f + R] ^ memory[g + R]) & 1:
        alpha, beta = -beta, -alpha
    memory[g + DEPTH], memory[g + ALPHA], memory[g + BETA] = depth, alpha, beta


@kernel
def take_value(memory: Buffer, ply: int) -> int:
    """Use the value of the current step; return the next state.

    A step that fails high is searched again, at full depth and then with the full window.
    """
    f = FRAMES + FRAME * ply
    value = memory[VALUE]
    if (memory[f + R] ^ memory[f + FRAME + R]) & 1:
        value = -value
    alpha, beta, stage = memory[f + ALPHA], memory[f + BETA], memory[f + STAGE]
    if value > alpha and stage != FULL_WINDOW:
        if stage == REDUCED:
            memory[f + STAGE] = NULL_WINDOW
            set_window(memory, f)
            return ENTER
        if value < beta:
            memory[f + STAGE] = FULL_WINDOW
            set_window(memory, f)
            return ENTER
    if value > memory[f + BEST]:
        memory[f + BEST] = value
        if value > alpha:
            memory[f + BEST_STEP] = memory[f + STEP]
            memory[f + ALPHA] = value
            if value >= beta:
                update_history(memory, f, ply)
                memory[f + NEXT_STEP] = memory[f + LAST]
    return NEXT


@kernel
def update_history(memory: Buffer, f: int, ply: int) -> None:
    """Update killers and history after a beta cutoff: a bonus for the step, a malus for others."""
    step, depth = memory[f + STEP], max(memory[f + DEPTH], 0)
    killer = KILLERS + 2 * ply
    if memory[killer] != step:
        memory[killer + 1] = memory[killer]
        memory[killer] = step
    history = HISTORY + MAX_STEPS * (memory[f + R] & 1)
    bonus = min(depth * depth + 1, 400)
    for k in range(memory[f + FIRST], memory[f + NEXT_STEP]):
        other = memory[k] & (MAX_STEPS - 1)
        old = memory[history + other]
        if other == step:
            memory[history + other] = old + (HISTORY_MAX - old) * bonus // 2048
        else:
            memory[history + other] = old - old * bonus // 2048


@kernel
def leave_node(memory: Buffer, tt: Buffer, ply: int) -> None:
    """Set and store the value of a position all of whose steps were tried or cut off."""
    f = FRAMES + FRAME * ply
    w, b, r = memory[f + W], memory[f + B], memory[f + R]
    best = memory[f + BEST]
    if memory[f + PUSHED]:
        pop_repetition(memory, w, b, r)
    if best == -INFINITE:  # superko forbids every move, or every continuation of a step
        memory[VALUE] = terminal_value(rules.shut_in(w, b, r), r, memory[f + MOVES])
        return
    memory[VALUE] = best
    bound = EXACT
    if best >= memory[f + BETA]:
        bound = LOWER
    elif best <= memory[f + ALPHA_0]:
        bound = UPPER
    value = best
    if value > PROVED:
        value += memory[f + MOVES]
    elif value < -PROVED:
        value -= memory[f + MOVES]
    tt_store(
        tt,
        memory[f + KEY],
        memory[GENERATION],
        value,
        bound,
        memory[f + DEPTH],
        memory[f + BEST_STEP],
    )


@kernel
def begin(memory: Buffer, w: int, b: int, r: int, depth: int, alpha: int, beta: int) -> None:
    """Prepare the search of a position that one move from the root has reached."""
    f = FRAMES
    memory[f + W], memory[f + B], memory[f + R] = w, b, r
    memory[f + DEPTH], memory[f + ALPHA], memory[f + BETA] = depth, alpha, beta
    memory[f + MOVES] = 1
    memory[STACK], memory[MODE] = 0, ENTER


@kernel
def search(
    memory: Buffer,
    tt: Buffer,
    legal: Buffer,
    weights: Buffer,
    values: Endings,
    numbering: Endings,
    nodes: int,
) -> bool:
    """Continue the search for a number of nodes; return whether it is complete (see VALUE)."""
    ply, mode = memory[STACK], memory[MODE]
    until = memory[NODES] + nodes
    while True:
        if mode == NEXT:
            if try_step(memory, ply):
                ply += 1
                mode = ENTER
            else:
                leave_node(memory, tt, ply)
                mode = LEAVE
        if mode == ENTER:
            if memory[NODES] >= until:
                memory[STACK], memory[MODE] = ply, mode
                return False
            memory[NODES] += 1
            entered = enter_node(memory, tt, legal, weights, values, numbering, ply)
            mode = NEXT if entered else LEAVE
        if mode == LEAVE:
            if ply == 0:
                memory[STACK], memory[MODE] = ply, mode
                return True
            ply -= 1
            mode = take_value(memory, ply)
            if mode == ENTER:
                ply += 1


@kernel
def clear(memory: Buffer, fresh: bool) -> None:
    """Prepare a new search: clear repetitions and killers, halve or clear the history."""
    for k in range(HISTORY, HISTORY + 2 * MAX_STEPS):
        memory[k] = 0 if fresh else memory[k] // 2
    for k in range(KILLERS, KILLERS + 2 * MAX_PLY):
        memory[k] = NO_STEP
    for k in range(FILTER, FILTER + FILTER_SIZE):
        memory[k] = 0
    memory[NODES] = 0
    memory[REPETITION_COUNT] = 0
