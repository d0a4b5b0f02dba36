"""Fanorona's positions as dense numbers, tier by tier; see `solve.numbering.tiered`.

A kernel template, like `damier.kernels`. Where the count of moves since the last capture can end a
game, a table holds the distance to the next winning capture: a position with count c is won if the
distance is not greater than the number of moves left.
"""

from typing import Any

from damier.jit import Buffer, buffer, kernel
from damier.solve.numbering.tiered import Tables, TieredSpace, number_of, space_of
from damier.solve.value_codes import code_of, distance_of, terminal_code, win_of

from . import rules

VERSION = 1  # increased when rules or numbering change, so that old tables are rejected
IGNORED: tuple[str, ...] = ()  # options that do not change the value of any position
ARRAYS = ("values",)
AXES, PLAIN = 4, rules.PLAIN  # lines through an intersection; the first group of plain moves
QUIET = True  # those groups contain only plain steps
PASS = 0  # never played

# This game's word in `Tables`: 1 if distances count moves to a capture.
Store = Buffer  # the values


def space_for(ruleset: Any, header: Any) -> TieredSpace:
    """Return the number space of a table."""
    return space_of(ruleset, header, 1 if header.get("metric") == "capture" else 0)


@kernel
def moves_left(w: int, b: int, r: int) -> int:
    """FA-10, FA-11: return the number of moves until a capture is needed."""
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
    """Return the code of a position between moves, its count included, or -1 if unknown."""
    judgement = verdict(w, b, r)
    if judgement >= 0:
        return judgement
    number = number_of(w, b, r, t)
    if number < 0:
        return -1
    code = int(store[number])
    if t[1][2] and code and distance_of(code) > moves_left(w, b, r):
        return 0
    return code


@kernel
def verdict(w: int, b: int, r: int) -> int:
    """Return the code of a finished position, or -1."""
    out = buffer(rules.GROUPS)
    judgement = rules.legal(w, b, r, out)
    return terminal_code(judgement, r & 1) if judgement else -1


@kernel
def lower_code(w: int, b: int, r: int, number: int, store: Store, t: Tables) -> int:
    """Return the code of a position with fewer pawns that a capture has reached."""
    code = int(store[number])
    if code and t[1][2]:
        return code_of(0, win_of(code))
    return code


@kernel
def goal_code(code: int, side: int, attacker: int, goal: int) -> int:
    """Return the code of a lower or finished position: there is one goal."""
    return code


@kernel
def quiet(w: int, b: int, r: int, legal: Buffer) -> bool:
    """FA-4: return whether no legal step captures."""
    some = 0
    for group in range(rules.APPROACH, rules.STOP):
        some |= legal[group]
    return some == 0


@kernel
def board_of(r: int) -> int:
    """Return the number of the board."""
    return (r >> rules.BOARD_BIT) & 31


@kernel
def uncounted(r: int) -> int:
    """Return the third word without the count of moves since the last capture."""
    return r & ~rules.COUNT


@kernel
def passing(w: int, b: int, r: int) -> bool:
    """Return False: nobody passes in this game."""
    return False


@kernel
def attacker_of(a: int, b: int) -> int:
    """Return 2: the analysis is always for both sides."""
    return 2
