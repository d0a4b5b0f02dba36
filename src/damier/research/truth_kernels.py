"""Kernels that label many positions with exact values and best steps, from a table.

A template: `rules` is a game's rules module, `space` the module that numbers its positions and
`move_kernels` iterates over moves. Arrays are flat.
"""

from typing import Any

from damier.games.constants import step_of
from damier.games.contract import RulesKernels
from damier.jit import Buffer, inlined, kernel, lowest, placeholder, popcount
from damier.solve import move_kernels
from damier.solve.value_codes import HOLDING, distance_of, terminal_code, win_of

rules: RulesKernels = placeholder()
space: Any = placeholder()
Store = Any
Tables = Any

LOSS, DRAW, WIN, UNKNOWN = -1, 0, 1, -2  # outcomes for the side to move
NO_DISTANCE = -1

# The score of a move: its outcome plus 2, then what orders moves of the same outcome. A win is
# better the sooner, a loss the later. Moves that only capture later come last.
OUTCOME_BIT, LATER_BITS = 44, 21
LATEST = 1 << LATER_BITS
MAX_SCORE = 4 << OUTCOME_BIT


@kernel
def label(
    low: int,
    high: int,
    positions: Buffer,
    labels: tuple[Any, Any, Buffer],
    store: Store,
    t: Tables,
    rooms: tuple[Buffer, Buffer],
    captures: int,
) -> None:
    """Write outcome, distance and best steps of each position of a range.

    `captures` is 1 if distances are to the next capture. The best steps are not written if their
    array is empty.
    """
    outcomes, distances, best = labels
    legal, iterator = rooms
    for k in range(low, high):
        w, b, r = positions[3 * k], positions[3 * k + 1], positions[3 * k + 2]
        outcomes[k], distances[k] = UNKNOWN, NO_DISTANCE
        between, bound = not r & rules.MIDTURN, MAX_SCORE
        if between:
            code = space.probe_code(w, b, r, store, t)
            put_value(k, code, outcomes, distances)
            if code >= 0 and not captures:
                bound = score_of_code(code, 1, 0, 0)
        if between and len(best) == 0:
            continue
        judgement = rules.legal(w, b, r, legal)
        if judgement:
            put_value(k, terminal_code(judgement, r & 1), outcomes, distances)
        if judgement:
            for group in range(rules.GROUPS if len(best) else 0):
                best[rules.GROUPS * k + group] = 0
            continue
        score = put_best(k, w, b, r, bound, best, store, t, legal, iterator, captures)
        if not between and score > 0:
            outcomes[k] = (score >> OUTCOME_BIT) - 2
            distances[k] = distance_of_score(score)


@inlined
def put_value(k: int, code: int, outcomes: Any, distances: Any) -> None:
    """Write the value that a code stands for; nothing for an unknown one."""
    if code == 0:
        outcomes[k] = DRAW
    elif code > 0:
        outcomes[k] = WIN if win_of(code) else LOSS
        distance = distance_of(code)
        distances[k] = NO_DISTANCE if distance == HOLDING else distance


@inlined
def put_best(
    k: int,
    w: int,
    b: int,
    r: int,
    bound: int,
    best: Buffer,
    store: Store,
    t: Tables,
    legal: Buffer,
    iterator: Buffer,
    captures: int,
) -> int:
    """Write the steps that begin a best move; return their score, or 0 if a move is unknown.

    No move has a higher score than `bound`.
    """
    top = 0
    at = rules.GROUPS * k
    wanted = len(best) > 0
    for group in range(rules.GROUPS):
        cells = legal[group]
        chosen = 0
        while cells:
            cell = lowest(cells)
            cells &= cells - 1
            w2, b2, r2 = rules.play(w, b, r, step_of(group, cell))
            score = score_of_step(w, b, r, w2, b2, r2, bound, store, t, iterator, captures)
            if score < 0:
                for other in range(rules.GROUPS if wanted else 0):
                    best[at + other] = 0
                return 0
            if score > top:
                top, chosen = score, 0
                for other in range(group if wanted else 0):
                    best[at + other] = 0
            if score == top:
                chosen |= 1 << cell
        if wanted:
            best[at + group] = chosen
    return top


@inlined
def score_of_step(
    w: int,
    b: int,
    r: int,
    w2: int,
    b2: int,
    r2: int,
    bound: int,
    store: Store,
    t: Tables,
    iterator: Buffer,
    captures: int,
) -> int:
    """Return the score of the best move that a step begins or ends, or -1 if one is unknown.

    Stop at a move that reaches the bound: the value of the position.
    """
    pawns = popcount(w) + popcount(b)
    if not r2 & rules.MIDTURN:
        return score_of_end(pawns, r, w2, b2, r2, store, t, captures)
    top = 0
    move_kernels.begin(w2, b2, r2, iterator)
    found, w2, b2, r2 = move_kernels.next_end(iterator)
    while found and top < bound:
        score = score_of_end(pawns, r, w2, b2, r2, store, t, captures)
        if score < 0:
            return -1
        top = max(top, score)
        found, w2, b2, r2 = move_kernels.next_end(iterator)
    return top


@inlined
def score_of_end(
    pawns: int, r: int, w2: int, b2: int, r2: int, store: Store, t: Tables, captures: int
) -> int:
    """Return the score of a move for the side that plays it, or -1 if its value is unknown."""
    code = space.probe_code(w2, b2, r2, store, t)
    if code < 0:
        return -1
    captured = 1 if captures and popcount(w2) + popcount(b2) < pawns else 0
    return score_of_code(code, 1 if r2 & 1 == r & 1 else 0, 1, captured)


@inlined
def score_of_code(code: int, same: int, moves: int, captured: int) -> int:
    """Return the score of a value for the player of a move, or for the opponent if not `same`.

    `moves` is the number of moves that lead to the position, `captured` whether they captured.
    """
    if code == 0:
        return 2 << OUTCOME_BIT
    distance, later = distance_of(code), 0
    if distance == HOLDING:
        distance = LATEST - 1
    elif captured:
        distance, later = 1, distance
    else:
        distance += moves
    length = distance << LATER_BITS | later
    if win_of(code) == same:
        return (3 << OUTCOME_BIT) + (1 << 43) - length
    return (1 << OUTCOME_BIT) + length


@inlined
def distance_of_score(score: int) -> int:
    """Return the distance in a score, or NO_DISTANCE."""
    outcome = (score >> OUTCOME_BIT) - 2
    length = score & ((1 << OUTCOME_BIT) - 1)
    if outcome == WIN:
        length = (1 << 43) - length
    distance = length >> LATER_BITS
    return NO_DISTANCE if outcome == DRAW or distance == LATEST - 1 else distance


@kernel
def put_positions(
    low: int, high: int, numbers: Buffer, word: int, positions: Buffer, weights: Buffer, t: Tables
) -> None:
    """Write the positions with some numbers, and how many positions each stands for.

    The weight is 0 for a number that is not used, and for a game that is over.
    """
    for k in range(low, high):
        weights[k] = 0
        if not space.canonical(numbers[k], t):
            continue
        w, b, r = space.position_of(numbers[k], word, t)
        positions[3 * k], positions[3 * k + 1], positions[3 * k + 2] = w, b, r
        weights[k] = space.orbit(numbers[k], t)
