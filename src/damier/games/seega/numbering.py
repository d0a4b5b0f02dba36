"""Seega's positions of phase 2 as dense numbers, tier by tier: its own part, see `tiered`.

A template, as `damier.kernels`.

Where play does not end, and when the count runs out, the side with more pawns wins (SE-10). So in
a tier with unequal counts only the other side, the attacker, has to do anything, and has to do it
in time. Two values are kept for each position: in how many turns the attacker forces a capture or
an end that wins, and one that wins or draws. With equal counts both sides attack, and there is one
value. Distances count turns to the next capture that keeps the result, or to the end.

A player who must pass (SE-8) leads to a position that has no number of its own: it is known by the
one before it, of which it is the only turn.
"""

from typing import Any

from damier.games.terms import WHITE
from damier.jit import Buffer, buffer, kernel, popcount
from damier.solve.codes import HOLDING, code_of, distance_of, judged, win_of
from damier.solve.numbering.tiered import Space, Tables, number_of, space_of

from . import rules

VERSION = 1  # to be raised when the rules or the numbering change: old tables are refused then
IGNORED = ("placement_captures", "first_mover")  # options that change no value in phase 2
ARRAYS = ("values", "draws")
PASS = rules.PASS
AXES, PLAIN = 2, rules.DISPLACE  # lines through a cell; the first group of plain turns
QUIET = False  # in those groups a step may capture
WINS, DRAWS = 0, 1  # what an attacker looks for

# The word of its own in `Tables`: what the attacker looks for.
Store = tuple[Buffer, Buffer]  # turns to a win, turns to a draw at least


def space_for(ruleset: Any, header: Any) -> Space:
    """Return the numbering that a table uses."""
    return space_of(ruleset, header, WINS)


@kernel
def attacker_of(a: int, b: int) -> int:
    """Return the side that has to do something, White the mover: with equal counts 2, both."""
    if a == b:
        return 2
    return 0 if a < b else 1


@kernel
def held_code(code: int, passed: bool, left: int) -> int:
    """Return a code that counts: of the position after a pass if need be, and in time, or 0."""
    if code == 0:
        return 0
    if passed:
        code = code_of(distance_of(code) - 1, 1 - win_of(code))
    return code if distance_of(code) <= left else 0


@kernel
def probe_code(w: int, b: int, r: int, store: Store, t: Tables) -> int:
    """Return the code of a position between turns, its count included, or -1 if not held.

    Where the side with more pawns wins by holding on, the distance is `HOLDING`.
    """
    if r & (rules.HANDS | rules.MIDTURN) or r & rules.STATE == rules.PLACING:
        return -1
    legal = buffer(rules.GROUPS)
    judgement = rules.legal(w, b, r, legal)
    if judgement:
        return judged(judgement, r & 1)
    passed = r & rules.STATE == rules.PASSED
    if passed and not passing(w, b, r ^ 1):
        return -1  # nobody passes who can step: only a text leads here
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
def sought(outcome: int, side: int, attacker: int, t: Tables) -> int:
    """Return the code of an outcome (1 win, 0 draw, -1 loss) that one turn has brought about."""
    if attacker == 2:
        return code_of(0, 1 if outcome > 0 else 0) if outcome else 0
    if side != attacker:
        outcome = -outcome
    if outcome > 0 or (outcome == 0 and t[1][2] == DRAWS):
        return code_of(0, 1 if side == attacker else 0)
    return 0


@kernel
def lower_code(w: int, b: int, r: int, number: int, attacker: int, store: Store, t: Tables) -> int:
    """Return the code that a position with fewer pawns, just reached by a capture, counts for."""
    own, enemy = (popcount(w), popcount(b)) if r & 1 == WHITE else (popcount(b), popcount(w))
    code = int(store[0][number])
    outcome = 0
    if code:
        outcome = 1 if win_of(code) else -1
    elif own != enemy and not store[1][number]:
        outcome = 1 if own > enemy else -1
    return sought(outcome, r & 1, attacker, t)


@kernel
def goal_code(judgement: int, side: int, attacker: int, t: Tables) -> int:
    """Return the code of a finished position for the side to move."""
    code = judged(judgement, side)
    outcome = 0
    if code:
        outcome = 1 if win_of(code) else -1
    return sought(outcome, side, attacker, t)


@kernel
def passing(w: int, b: int, r: int) -> bool:
    """SE-8: tell whether the side to move must pass."""
    return not rules.can_step(w if r & 1 == WHITE else b, w, b, r)


@kernel
def uncounted(r: int) -> int:
    """Return the third word without the count of turns since the last capture."""
    return r & ~rules.COUNT


@kernel
def board_of(r: int) -> int:
    """Return the number of the board."""
    return (r >> rules.SIZE_BIT) & 1
