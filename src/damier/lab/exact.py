"""Exact values: the table of a solved game, from a file or solved within the budget."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from damier.errors import DamierError
from damier.gameplay import Game
from damier.lab.budget import Settings
from damier.position import Move, Rules
from damier.solve import Table, Value, find
from damier.solve.tables.queries import probe, probe_moves

Progress = Callable[[str, float], None]  # the stage, and the share of the work that is done


@dataclass(frozen=True)
class SolvingPlan:
    """How exact values are obtained: `kind` is "file", "solve" or "attempt", or why they are not.

    `positions` is their number if it is known, `most` the number that the budget allows.
    """

    kind: str
    positions: int | None = None
    most: int | None = None

    @property
    def solves(self) -> bool:
        """Whether a table will be computed, or attempted."""
        return self.kind in ("solve", "attempt")


@dataclass(frozen=True)
class ExactValues:
    """Values of a solved game; `solved` tells whether they were computed by this experiment."""

    rules: Rules
    table: Table
    solved: bool

    @cached_property
    def start(self) -> Value:
        """The value of the start for the side to move."""
        value = probe(self.rules.start(), self.table)
        assert value is not None
        return value

    @cached_property
    def openings(self) -> list[tuple[Move, Value]]:
        """The first moves with their values, best first."""
        return probe_moves(Game(self.rules), self.table)

    def moves(self, game: Game) -> list[tuple[Move, Value]]:
        """Return the legal moves of a game with their values."""
        return probe_moves(game, self.table)

    @property
    def numbers(self) -> int:
        """The number of positions up to symmetry."""
        return len(next(iter(self.table.arrays.values())))

    @property
    def points(self) -> float | None:
        """The first player's points with best play; None if they are not known."""
        if self.start.bound:
            return None
        return {"first": 1.0, "second": 0.0, None: 0.5}[self.winner]

    @property
    def winner(self) -> str | None:
        """Who wins from the start: "first", "second", or None if nobody can force it."""
        return {"win": "first", "loss": "second"}.get(self.start.outcome)

    @cached_property
    def counts(self) -> list[Mapping[str, Any]]:
        """The counts of positions by value, as `census` returns them, for each phase."""
        parts = list(self.table.header["counts"].values())
        if all(isinstance(part, Mapping) for part in parts):
            return parts
        # NumPy and the solver are imported where they are used: a browser has neither.
        import numpy as np

        from damier.solve.retrograde.whole import census
        from damier.solve.tables.comparison import compare

        # A table of tiers counts its numbers only: here positions are counted up to symmetry.
        values = next(iter(self.table.arrays.values()))
        tally = np.bincount(values.array() if hasattr(values, "array") else values, minlength=2)
        tally = np.append(tally, [0] * (1 - len(tally) % 2))
        tally[0] = compare(self.table, self.table).positions - int(tally[1:].sum())
        return [census(tally)]

    def total(self, what: str) -> int:
        """Return the number of positions that are "won", "drawn" or "lost"."""
        return sum(int(part[what]) for part in self.counts)

    @property
    def drawn(self) -> float:
        """The share of positions that are drawn."""
        whole = sum(self.total(what) for what in ("won", "drawn", "lost"))
        return self.total("drawn") / max(1, whole)

    @property
    def longest(self) -> int:
        """The greatest number of moves to a forced end."""
        return max(
            (int(d) for part in self.counts for k in ("wins", "losses") for d in part[k]),
            default=0,
        )


def plan_for(rules: Rules, settings: Settings, most: int | None = None) -> SolvingPlan:
    """Return how the exact values of a game will be obtained within the budget.

    `most` is the number of positions that may be solved, if less than the budget allows.
    """
    most = settings.positions if most is None else most
    table = find(rules)
    if table is not None and not table.pawns:
        return SolvingPlan("file", len(next(iter(table.arrays.values()))))
    if not settings.solve:
        return SolvingPlan("short")
    from damier.solve.retrograde import solver_for
    from damier.solve.retrograde.enumerated import EnumeratedSolver

    solver = solver_for(rules)
    if isinstance(solver, EnumeratedSolver):
        return SolvingPlan("attempt", None, most)
    try:
        pawns = solver.endings(rules, None)
        # Endings are not numbered to learn their size: on a large board this takes minutes.
        size = solver.size(rules, pawns) if pawns is None else None
    except DamierError:
        return SolvingPlan("impossible")
    if size is None:
        return SolvingPlan("endings", None, most)
    if size[0] > most:
        return SolvingPlan("time", size[0], most)
    if size[1] > settings.memory:
        return SolvingPlan("memory", size[0], most)
    return SolvingPlan("solve", size[0], most)


class TooLarge(Exception):
    """The game has more positions than the budget allows."""


def exact_values(
    rules: Rules, settings: Settings, plan: SolvingPlan, progress: Progress | None = None
) -> ExactValues | None:
    """Return the exact values of a game, or None if it is not solved within the budget."""
    if plan.kind == "file":
        table = find(rules)
        return None if table is None else ExactValues(rules, table, solved=False)
    if not plan.solves:
        return None
    from damier.solve.retrograde import SolverRun, solve, solver_for
    from damier.solve.retrograde.storage import StorageLimits
    from damier.solve.retrograde.thread_pool import ThreadPool

    limits = StorageLimits.of_machine(Path(tempfile.gettempdir()))
    limits = replace(limits, memory=min(limits.memory, settings.memory), disk=0)
    try:
        report = limit_positions(plan.most or 0, progress)
        solution = solve(rules, None, None, report, None, limits)
    except (TooLarge, DamierError):
        return None
    with ThreadPool(None) as pool:
        counts: Any = solver_for(rules).counts(SolverRun(solution, pool))
    header = {**solution.header, "counts": counts}
    return ExactValues(rules, Table(rules, header, solution.arrays), solved=True)


def limit_positions(most: int, progress: Progress | None) -> Callable[[str, float], None]:
    """Return a progress report that ends the solver if it has listed too many positions."""

    def report(what: str, part: float) -> None:
        stage, _, count = what.partition(":")
        if stage == "listing" and count and int(count) > most:
            raise TooLarge
        if progress is not None:
            progress(what, part)

    return report
