"""Kernels for probing tables: many positions, the moves of one, and statistics of drawn positions.

A template: `rules` is a game's rules module, `space` the module that numbers its positions and
`move_kernels` iterates over a position's moves.
"""

from typing import Any

from damier.games.contract import RulesKernels
from damier.jit import Buffer, buffer, kernel, placeholder
from damier.solve import move_kernels
from damier.solve.value_codes import win_of

rules: RulesKernels = placeholder()
space: Any = placeholder()
Store = Any
Tables = Any

MAX_MOVES = 1024  # that `move_codes` writes; a power of two


@kernel
def probe_all(
    white: Buffer, black: Buffer, rest: Buffer, codes: Buffer, store: Store, t: Tables
) -> None:
    """Write the codes of many positions between moves to `codes`, -1 if unknown."""
    for k in range(len(codes)):
        codes[k] = space.probe_code(white[k], black[k], rest[k], store, t)


@kernel
def move_codes(
    w: int, b: int, r: int, store: Store, t: Tables, iterator: Buffer, out: Buffer
) -> int:
    """Write the position after each move and its code to `out`, four words a move; return how many.

    The position must be between moves and not finished. An unknown code is -1.
    """
    count = 0
    move_kernels.begin(w, b, r, iterator)
    found, w, b, r = move_kernels.next_end(iterator)
    while found and count < MAX_MOVES:
        at = 4 * count
        out[at], out[at + 1], out[at + 2] = w, b, r
        out[at + 3] = space.probe_code(w, b, r, store, t)
        count += 1
        found, w, b, r = move_kernels.next_end(iterator)
    return count


@kernel
def replies(
    w: int, b: int, r: int, store: Store, t: Tables, legal: Buffer, iterator: Buffer
) -> tuple[int, int]:
    """Return the number of moves of a position, and how many are known to lose."""
    side = r & 1
    moves, losing = 0, 0
    if rules.legal(w, b, r, legal):
        return 0, 0
    move_kernels.begin(w, b, r, iterator)
    found, w, b, r = move_kernels.next_end(iterator)
    while found:
        code = space.probe_code(w, b, r, store, t)
        moves += 1
        if code > 0 and win_of(code) == (0 if r & 1 == side else 1):
            losing += 1
        found, w, b, r = move_kernels.next_end(iterator)
    return moves, losing


@kernel
def sharpness(low: int, high: int, word: int, store: Store, t: Tables, tally: Buffer) -> int:
    """Count how sharp draws are; return the first position with a single saving move, or -1.

    `tally` counts unfinished drawn positions, those where only one of several moves keeps the draw,
    their moves, and the losing moves: each position with all its images.
    """
    legal, iterator = buffer(rules.GROUPS), move_kernels.new_iterator()
    first = -1
    for number in range(low, high):
        if not space.canonical(number, t):
            continue
        w, b, r = space.position_of(number, word, t)
        if rules.legal(w, b, r, legal) or space.probe_code(w, b, r, store, t):
            continue
        moves, losing = replies(w, b, r, store, t, legal, iterator)
        images = space.orbit(number, t)
        tally[0] += images
        tally[2] += images * moves
        tally[3] += images * losing
        if moves > 1 and losing == moves - 1:
            tally[1] += images
            if first < 0:
                first = number
    return first
