"""Loops over positions whose values are known: many at once, the turns of one, how sharp all are.

A template: `rules` stands for a game's file, `space` for the module that numbers its positions and
`walk` for the walk through a position's turns.
"""

from typing import Any

from damier.games.contract import RulesKernels
from damier.jit import Buffer, buffer, kernel, stand_in
from damier.solve import walk
from damier.solve.codes import win_of

rules: RulesKernels = stand_in()
space: Any = stand_in()
Store = Any
Tables = Any

TURNS = 1024  # turns that `turn_codes` has room for, as a power of two; it stops there


@kernel
def probe_all(
    white: Buffer, black: Buffer, rest: Buffer, codes: Buffer, store: Store, t: Tables
) -> None:
    """Put the codes of many positions between turns into `codes`, -1 for those without number."""
    for k in range(len(codes)):
        codes[k] = space.probe_code(white[k], black[k], rest[k], store, t)


@kernel
def turn_codes(w: int, b: int, r: int, store: Store, t: Tables, room: Buffer, out: Buffer) -> int:
    """Put position and code of every turn's end into `out`, four words a turn; return how many.

    The position must be between turns and not finished. A code is -1 where it is not held.
    """
    count = 0
    walk.begin(w, b, r, room)
    found, w, b, r = walk.next_end(room)
    while found and count < TURNS:
        at = 4 * count
        out[at], out[at + 1], out[at + 2] = w, b, r
        out[at + 3] = space.probe_code(w, b, r, store, t)
        count += 1
        found, w, b, r = walk.next_end(room)
    return count


@kernel
def replies(
    w: int, b: int, r: int, store: Store, t: Tables, legal: Buffer, room: Buffer
) -> tuple[int, int]:
    """Return how many turns a position has, and how many of them lose, of those that are held."""
    side = r & 1
    turns, losing = 0, 0
    if rules.legal(w, b, r, legal):
        return 0, 0
    walk.begin(w, b, r, room)
    found, w, b, r = walk.next_end(room)
    while found:
        code = space.probe_code(w, b, r, store, t)
        turns += 1
        if code > 0 and win_of(code) == (0 if r & 1 == side else 1):
            losing += 1
        found, w, b, r = walk.next_end(room)
    return turns, losing


@kernel
def sharpness(low: int, high: int, word: int, store: Store, t: Tables, tally: Buffer) -> int:
    """Count how easily a draw is given away; return the first position with one saving turn, or -1.

    `tally` counts drawn positions that are not over, those of them where a single turn of several
    saves the draw, their turns, and how many of these lose: each position with all its images.
    """
    legal, room = buffer(rules.GROUPS), walk.new_room()
    first = -1
    for number in range(low, high):
        if not space.canonical(number, t):
            continue
        w, b, r = space.position_of(number, word, t)
        if rules.legal(w, b, r, legal) or space.value_at(w, b, r, store, t):
            continue
        turns, losing = replies(w, b, r, store, t, legal, room)
        images = space.orbit(number, t)
        tally[0] += images
        tally[2] += images * turns
        tally[3] += images * losing
        if turns > 1 and losing == turns - 1:
            tally[1] += images
            if first < 0:
                first = number
    return first
