"""Default evaluation: material and mobility.

A kernel template: `rules` stands for a game's rules. Noisy steps capture or win.
"""

from damier.games.constants import WHITE, WHITE_WINS, step_of
from damier.games.contract import RulesKernels
from damier.jit import Buffer, buffer, kernel, lowest, placeholder, popcount

rules: RulesKernels = placeholder()

# Weights of a pawn, and of a hundredth of both sides' steps. Chosen by hand: a side that can hardly
# move is a pawn behind, and a pawn ahead wins with 73 %.
WEIGHTS = {"pawn": 100, "freedom": 1}
SCALE = 100
NAMES = tuple(WEIGHTS)
# Reductions and pruning are off: their benefit is not measured for an unknown game.
LMR_AFTER = 4096
FUTILITY_DEPTH, FUTILITY_MARGIN = 0, 0


def tables() -> tuple[int, ...]:
    """Return the numbers that `evaluate` finds after the weights: none."""
    return ()


@kernel
def evaluate(w: int, b: int, r: int, weights: Buffer) -> int:
    """Return a static evaluation for the side to move.

    The other side's mobility is counted with the side to move flipped, which is not possible inside
    a move.
    """
    own, enemy = (w, b) if r & 1 == WHITE else (b, w)
    value = weights[0] * (popcount(own) - popcount(enemy))
    if r & rules.MIDTURN:
        return value
    legal = buffer(rules.GROUPS)
    free, their_free = freedom(w, b, r, legal), freedom(w, b, r ^ 1, legal)
    return value + weights[1] * ((free - their_free) * 100 // max(free + their_free, 1))


@kernel
def freedom(w: int, b: int, r: int, legal: Buffer) -> int:
    """Return the number of legal steps of the side to move: 0 where the game is over."""
    if rules.legal(w, b, r, legal):
        return 0
    steps = 0
    for group in range(rules.GROUPS):
        steps += popcount(legal[group])
    return steps


@kernel
def count_taken(w: int, b: int, r: int, step: int) -> int:
    """Return how many enemy pawns a step captures."""
    w2, b2, _ = rules.play(w, b, r, step)
    return popcount(b) - popcount(b2) if r & 1 == WHITE else popcount(w) - popcount(w2)


@kernel
def move_order(w: int, b: int, r: int, step: int) -> int:
    """Return the score for move ordering: the pawns that a step captures."""
    return max(count_taken(w, b, r, step), 0)


@kernel
def hash_rest(w: int, b: int, r: int) -> int:
    """Return the third word as part of the hash key: all of it may affect the value."""
    return r


@kernel
def contempt(own: int, enemy: int, r: int) -> int:
    """Return how much less a position is worth to a player who must win: nothing."""
    return 0


@kernel
def quiescence_depth(r: int) -> int:
    """Return how deep quiescence goes, in moves."""
    return 3


@kernel
def may_stand_pat(w: int, b: int, r: int, legal: Buffer) -> bool:
    """Tell whether the mover may stand pat."""
    return True


@kernel
def keep_noisy(w: int, b: int, r: int, legal: Buffer) -> bool:
    """Keep the steps that capture or win, or that a capture may follow; tell if there are any."""
    after = buffer(rules.GROUPS)
    some = False
    for group in range(rules.GROUPS):
        cells, kept = legal[group], 0
        while cells:
            cell = lowest(cells)
            cells &= cells - 1
            if noisy(w, b, r, step_of(group, cell), after):
                kept |= 1 << cell
                some = True
        legal[group] = kept
    return some


@kernel
def noisy(w: int, b: int, r: int, step: int, legal: Buffer) -> bool:
    """Tell whether a step captures or wins; inside a move, whether the next one can capture."""
    if count_taken(w, b, r, step) > 0:
        return True
    w2, b2, r2 = rules.play(w, b, r, step)
    judgement = rules.legal(w2, b2, r2, legal)
    if judgement:
        return judgement & 3 == WHITE_WINS + (r & 1)
    if r2 & rules.MIDTURN == 0:
        return False
    for group in range(rules.GROUPS):
        cells = legal[group]
        while cells:
            step2 = step_of(group, lowest(cells))
            cells &= cells - 1
            if count_taken(w2, b2, r2, step2) > 0:
                return True
    return False
