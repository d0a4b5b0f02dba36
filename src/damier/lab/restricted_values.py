"""Exact values of restricted play: the game is solved with one side kept away from some moves.

The solver recognises the forbidden moves by what their steps change on the board. It has learned
this from random games; the result counts only if it allows the same moves as `describe` says in
positions that are drawn from the solved game.
"""

from __future__ import annotations

import random
import tempfile
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from damier.errors import DamierError
from damier.gameplay import HistoryPolicy
from damier.games.run_time_errors import located_errors
from damier.games.steps import Action
from damier.jit import MASK63
from damier.lab.budget import Settings
from damier.lab.exact import Progress, TooLarge, limit_positions
from damier.lab.samples import forms
from damier.players import MAX_LISTED
from damier.position import Position, Rules
from damier.solve.numbering.restricted import RestrictedRules, amounts_of, described_steps
from damier.solve.value_codes import win_of

CHECKED = 200  # positions whose moves are compared


@dataclass(frozen=True)
class RestrictedValue:
    """Value of the start if one side is restricted, and the number of positions up to symmetry."""

    restricted: str  # the player: "first" or "second"
    winner: str | None  # "first", "second" or None for a draw
    positions: int


def amount_of(action: Action, form: str) -> int:
    """Return what a step adds to the sum that makes a move one of a form, up to the threshold."""
    what, _, argument = form.partition(":")
    if what == "kind":
        return int(action.kind == argument)
    if what == "takes":
        return min(action.takes.bit_count(), int(argument))
    return min(int(action.kind == "put") + len(action.puts), int(argument))


@cache
def _described_steps(rules: Rules) -> dict[int, list[Action]]:
    return described_steps(rules)


def restricted_rules(rules: Rules, form: str, side: str) -> RestrictedRules | None:
    """Return rules under which a side keeps away from a form, or None if it is not recognised."""
    what, _, argument = form.partition(":")
    amounts = amounts_of(_described_steps(rules), lambda action: amount_of(action, form))
    if amounts is None:
        return None
    threshold = 1 if what == "kind" else int(argument)
    return RestrictedRules.of(rules, "wb".index(side), threshold, kept_bits(rules), amounts)


def kept_bits(rules: Rules) -> int:
    """Return the bits of the third word that can affect the value of a position between moves.

    A count of moves cannot if no number of moves ends the game.
    """
    from damier.solve.retrograde import solver_for
    from damier.solve.retrograde.tiered import TieredSolver

    solver, numbering = solver_for(rules), rules.folder.numbering
    if not isinstance(solver, TieredSolver) or numbering is None:
        return MASK63
    pawns = range(1, rules.pawns + 1)
    if any(solver.limit(rules, a, b) for a in pawns for b in pawns):
        return MASK63
    return int(numbering.uncounted(MASK63))


def solve_restricted(
    rules: Rules,
    form: str,
    side: str,
    settings: Settings,
    most: int,
    progress: Progress | None = None,
) -> RestrictedValue | None:
    """Return the value of the start if a side is restricted; None if it cannot be proved.

    `most` is the greatest number of positions. Where the rules forbid repetition, a value that
    does not take the earlier positions into account proves nothing.
    """
    if HistoryPolicy(rules.module).superko(rules.start().rest):
        return None
    from damier.solve.retrograde import SolverRun, solve
    from damier.solve.retrograde.storage import StorageLimits
    from damier.solve.retrograde.thread_pool import ThreadPool

    with located_errors():
        restricted = restricted_rules(rules, form, side)
        if restricted is None:
            return None
        limits = StorageLimits.of_machine(Path(tempfile.gettempdir()))
        limits = replace(limits, memory=min(limits.memory, settings.memory), disk=0)
        try:
            report = limit_positions(most, progress)
            solution = solve(restricted, None, None, report, None, limits)
        except (TooLarge, DamierError):
            return None
        with ThreadPool(1) as pool:
            run = SolverRun(solution, pool)
            if not _allows_the_same(rules, form, side, run):
                return None
            start = rules.start()
            code = int(run.space.probe_code(*start.words, solution.store, run.t))
    winner = None
    if code:
        winner = "first" if win_of(code) else "second"
    player = "first" if start.side == side else "second"
    return RestrictedValue(player, winner, len(solution.arrays["values"]))


def allowed_words(position: Position, form: str) -> set[tuple[int, int, int]]:
    """Return the positions after the moves that a restricted side may play."""
    moves = position.legal_moves(MAX_LISTED)
    allowed = {move.words for move in moves if form not in forms(move.described)}
    return allowed or {move.words for move in moves}


def _allows_the_same(rules: Rules, form: str, side: str, run: Any) -> bool:
    """Return whether the solver's moves are those of the rules in some solved positions."""
    from damier.solve.retrograde import enumerated_kernels

    size, rng = len(run.arrays["values"]), random.Random(0)
    moves: Any = run.loops(enumerated_kernels).move_kernels
    iterator = moves.new_iterator()
    moves.configure(iterator, run.t[0])
    left, kept = CHECKED, kept_bits(rules)
    for number in rng.sample(range(size), min(size, 4 * CHECKED)):
        w, b, r = map(int, run.space.position_at(number, run.arrays["keys"], run.t))
        position = Position(rules, w, b, r)
        if position.side != side or position.over or not left:
            continue
        left -= 1
        moves.begin(*position.words, iterator)
        found = set()
        more, *after = moves.next_end(iterator)
        while more:
            found.add(tuple(map(int, after)))
            more, *after = moves.next_end(iterator)
        try:
            allowed = allowed_words(position, form)
            if found != {(w, b, r & kept) for w, b, r in allowed}:
                return False
        except DamierError:  # more moves than are listed
            return False
    return True
