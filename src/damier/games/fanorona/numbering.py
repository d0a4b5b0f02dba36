"""Fanorona's positions as dense numbers, tier by tier: what is its own, the rest is in `tiered`.

A template, as `damier.kernels`. Where the count of turns since the last capture can end a game, a
table holds the turns to the next winning capture: a position with count c is won if they are no
more than the turns left.
"""

from typing import Any

from damier.jit import Buffer, buffer, kernel
from damier.solve.codes import code_of, distance_of, judged, win_of
from damier.solve.numbering.tiered import Space, Tables, number_of, space_of

from . import rules

VERSION = 1  # to be raised when the rules or the numbering change: old tables are refused then
IGNORED: tuple[str, ...] = ()  # options that change no position's value
ARRAYS = ("values",)
AXES, PLAIN = 4, rules.PLAIN  # lines through an intersection; the first group of plain turns
QUIET = True  # those groups have nothing but plain turns
PASS = 0  # never played

# The word of its own in `Tables`: 1 where distances count turns to a capture.
Store = Buffer  # the values


def space_for(ruleset: Any, header: Any) -> Space:
    """Return the numbering that a table uses."""
    return space_of(ruleset, header, 1 if header.get("metric") == "capture" else 0)


@kernel
def turns_left(w: int, b: int, r: int) -> int:
    """FA-10, FA-11: return how many turns may be played until the next capture at the latest."""
    count = (r & rules.COUNT) >> rules.COUNT_BIT
    endgame, stall = rules.endgame_limit(w, b, r), (r >> rules.STALL_BIT) & 4095
    left = 1 << 20
    if endgame:
        left = min(left, endgame - count)
    if stall:
        left = min(left, stall - count)
    return left


@kernel
def probe_code(w: int, b: int, r: int, store: Store, t: Tables) -> int:
    """Return the code of a position between turns, its count included, or -1 if not held."""
    judgement = verdict(w, b, r)
    if judgement >= 0:
        return judgement
    number = number_of(w, b, r, t)
    if number < 0:
        return -1
    code = int(store[number])
    if t[1][2] and code and distance_of(code) > turns_left(w, b, r):
        return 0
    return code


@kernel
def verdict(w: int, b: int, r: int) -> int:
    """Return the code of a finished position, or -1."""
    out = buffer(rules.GROUPS)
    judgement = rules.legal(w, b, r, out)
    return judged(judgement, r & 1) if judgement else -1


@kernel
def lower_code(w: int, b: int, r: int, number: int, attacker: int, store: Store, t: Tables) -> int:
    """Return the code that a position with fewer pawns, just reached by a capture, counts for."""
    code = int(store[number])
    if code and t[1][2]:
        return code_of(0, win_of(code))
    return code


@kernel
def goal_code(judgement: int, side: int, attacker: int, t: Tables) -> int:
    """Return the code of a finished position for the side to move."""
    return judged(judgement, side)


@kernel
def board_of(r: int) -> int:
    """Return the number of the board."""
    return (r >> rules.BOARD_BIT) & 31


@kernel
def uncounted(r: int) -> int:
    """Return the third word without the count of turns since the last capture."""
    return r & ~rules.COUNT


@kernel
def passing(w: int, b: int, r: int) -> bool:
    """Tell whether the side to move must pass: never in this game."""
    return False


@kernel
def attacker_of(a: int, b: int) -> int:
    """Return which side a search is for, White the mover: 2 for both, as always in this game."""
    return 2
