"""Seega's positions of phase 2 as dense numbers, tier by tier; see `solve.numbering.tiered`.

A kernel template, like `damier.kernels`.

If play does not end, and when the count of moves runs out, the side with more pawns wins (SE-10).
So in a tier with unequal counts only the other side, the attacker, has to act, and in time. Two
values are stored for each position: the number of moves in which the attacker forces a capture or
an end that wins, and the number for at least a draw. With equal counts both sides attack, and there
is one value. Distances count moves to the next capture that keeps the result, or to the end.

A pass (SE-8) leads to a position without a number of its own: its value follows from the position
before it, which has no other move.
"""

from typing import Any

from damier.games.constants import WHITE
from damier.jit import Buffer, buffer, kernel, popcount
from damier.solve.numbering.tiered import Tables, TieredSpace, number_of, space_of
from damier.solve.value_codes import HOLDING, code_of, distance_of, terminal_code, win_of

from . import rules

VERSION = 1  # increased when rules or numbering change, so that old tables are rejected
IGNORED = ("placement_captures", "first_mover")  # options that do not change values in phase 2
ARRAYS = ("values", "draws")
PASS = rules.PASS
AXES, PLAIN = 2, rules.DISPLACE  # lines through a cell; the first group of plain steps
QUIET = False  # steps of those groups may capture
WINS, DRAWS = 0, 1  # goals of an attacker

Store = tuple[Buffer, Buffer]  # distances to a win, and to at least a draw


def space_for(ruleset: Any, header: Any) -> TieredSpace:
    """Return the number space of a table."""
    return space_of(ruleset, header)


@kernel
def attacker_of(a: int, b: int) -> int:
    """Return the attacker, with White to move; 2 (both sides) if the counts are equal."""
    if a == b:
        return 2
    return 0 if a < b else 1


@kernel
def held_code(code: int, passed: bool, left: int) -> int:
    """Return a code adjusted for a pass, or 0 if its distance exceeds the moves left."""
    if code == 0:
        return 0
    if passed:
        code = code_of(distance_of(code) - 1, 1 - win_of(code))
    return code if distance_of(code) <= left else 0


@kernel
def probe_code(w: int, b: int, r: int, store: Store, t: Tables) -> int:
    """Return the code of a position between moves, its count included, or -1 if unknown.

    If the side with more pawns wins because the count runs out, the distance is `HOLDING`.
    """
    if r & (rules.HANDS | rules.MIDTURN) or r & rules.STATE == rules.PLACING:
        return -1
    legal = buffer(rules.GROUPS)
    judgement = rules.legal(w, b, r, legal)
    if judgement:
        return terminal_code(judgement, r & 1)
    passed = r & rules.STATE == rules.PASSED
    if passed and not passing(w, b, r ^ 1):
        return -1  # not reachable: a player who can step does not pass
    number = number_of(w, b, r ^ 1 if passed else r, t)
    if number < 0:
        return -1
    stall = (r >> rules.STALL_BIT) & 4095
    left = stall - ((r & rules.COUNT) >> rules.COUNT_BIT) if stall else HOLDING
    code = held_code(int(store[0][number]), passed, left)
    own, enemy = (popcount(w), popcount(b)) if r & 1 == WHITE else (popcount(b), popcount(w))
    if code or own == enemy:
        return code
    if held_code(int(store[1][number]), passed, left):
        return 0
    return code_of(HOLDING, 1 if own > enemy else 0)


@kernel
def lower_code(w: int, b: int, r: int, number: int, store: Store, t: Tables) -> int:
    """Return the code of a position with fewer pawns that a capture has reached."""
    own, enemy = (popcount(w), popcount(b)) if r & 1 == WHITE else (popcount(b), popcount(w))
    code = int(store[0][number])
    if code:
        return code_of(0, win_of(code))
    if own != enemy and not store[1][number]:
        return code_of(0, 1 if own > enemy else 0)
    return 0


@kernel
def goal_code(code: int, side: int, attacker: int, goal: int) -> int:
    """Return the code for the attacker's goal of a lower or finished position."""
    if attacker == 2:
        return code
    good = code != 0 and win_of(code) == (1 if side == attacker else 0)
    if good or (code == 0 and goal == DRAWS):
        return code_of(0, 1 if side == attacker else 0)
    return 0


@kernel
def quiet(w: int, b: int, r: int, legal: Buffer) -> bool:
    """SE-5: return whether no pawn can capture."""
    own, enemy = (w, b) if r & 1 == WHITE else (b, w)
    size = board_of(r)
    catching = rules.ALL[size] & ~(w | b) & rules.sandwiching(own, enemy, r)
    return own & rules.neighbours(catching, size) == 0


@kernel
def passing(w: int, b: int, r: int) -> bool:
    """SE-8: return whether the side to move must pass."""
    return not rules.can_step(w if r & 1 == WHITE else b, w, b, r)


@kernel
def uncounted(r: int) -> int:
    """Return the third word without the count of moves since the last capture."""
    return r & ~rules.COUNT


@kernel
def board_of(r: int) -> int:
    """Return the number of the board."""
    return (r >> rules.SIZE_BIT) & 1
