"""Tier by tier on the workers of an executor: the task graph is the graph of the tiers.

A task solves a tier and its mirror. It reads the values of lower tiers from a directory that all
workers share, and writes its own there, in the form of the checkpoints of a usual run. So the
result is the same, a lost worker costs only its task, and an interrupted run continues, with an
executor or without one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from damier.errors import DamierError
from damier.execution import Executor, Task
from damier.position import Rules
from damier.solve.retrograde.pipeline import solve, solver_for
from damier.solve.retrograde.solver_run import Progress, Solution, SolverRun
from damier.solve.retrograde.storage import StorageLimits
from damier.solve.retrograde.thread_pool import ThreadPool
from damier.solve.retrograde.tiered import TieredSolver


@dataclass(frozen=True)
class TierGroup:
    """A tier and its mirror: the counts of pawns, the fewer first, and how many numbers it has."""

    fewer: int
    more: int
    size: int

    @property
    def name(self) -> str:
        """The name of its section and its checkpoint."""
        return f"{self.fewer}-{self.more}"

    def may_reach(self, other: TierGroup) -> bool:
        """Return whether captures may lead from this tier to another one."""
        return self != other and other.fewer <= self.fewer and other.more <= self.more


class _Recorder(SolverRun):
    """Run that lists the sections and solves none."""

    groups: list[TierGroup]

    def section(self, name: str, low: int, high: int, solve: Callable[[], int]) -> None:
        """Record a section."""
        fewer, _, more = name.partition("-")
        self.groups.append(TierGroup(int(fewer), int(more), high - low))


class _TierRun(SolverRun):
    """Run that solves one section; it loads those that this one needs, and skips the others."""

    target: str
    needed: Collection[str]

    def section(self, name: str, low: int, high: int, solve: Callable[[], int]) -> None:
        """Solve, load or skip a section."""
        if name == self.target:
            super().section(name, low, high, solve)
            if self._unsaved:
                raise DamierError("solve-shared", path=self.checkpoints.directory)
        elif name in self.needed:
            super().section(name, low, high, self._refuse)

    def _refuse(self) -> int:
        """Raise an error: a tier that this one needs is not where all workers must find it."""
        raise DamierError("solve-shared", path=self.checkpoints.directory)


def tier_groups(rules: Rules, pawns: int | None) -> list[TierGroup]:
    """Return the tiers of a game with captures, or of its endings, from the lowest.

    Raise DamierError for a game whose positions are not in tiers.
    """
    solver = solver_for(rules)
    if not isinstance(solver, TieredSolver):
        raise DamierError("solve-cluster", game=rules.name)
    solution = solver.begin(rules, solver.endings(rules, pawns), lambda what, part: None)
    with ThreadPool(1) as pool:
        run = _Recorder(solution, pool)
        run.groups = []
        solver.solve(run)
    return run.groups


def solve_tier(
    rules: Rules, pawns: int | None, group: TierGroup, keep: Path, needed: tuple[str, ...]
) -> str:
    """Solve a tier and its mirror, given those that it needs, in a shared directory."""
    solver = solver_for(rules)
    solution = solver.begin(rules, solver.endings(rules, pawns), lambda what, part: None)
    with ThreadPool(1) as pool:
        run = _TierRun(solution, pool, keep=keep)
        run.target, run.needed = group.name, frozenset(needed)
        solver.solve(run)
    return group.name


def solve_on(
    executor: Executor,
    rules: Rules,
    pawns: int | None,
    keep: Path,
    progress: Progress | None = None,
    limits: StorageLimits | None = None,
) -> Solution:
    """Return the same solution as `solve`, computed by the workers of an executor.

    The directory `keep` must be the same one on this machine and on every worker. Tiers that it
    holds already are not solved again.
    """
    groups = tier_groups(rules, pawns)
    whole, done = sum(group.size for group in groups), 0
    report = progress or (lambda what, part: None)
    keep.mkdir(parents=True, exist_ok=True)
    graph = {}
    for group in groups:
        needed = tuple(other.name for other in groups if group.may_reach(other))
        task = Task(group.name, solve_tier, (rules, pawns, group, keep, needed))
        graph[task] = needed
    for task, _ in executor.run_graph(graph):
        done += task.arguments[2].size
        report(task.id.replace("-", ":"), done / whole)
        if not (keep / f"{task.id}.kept").exists():
            raise DamierError("solve-shared", path=keep)
    return solve(rules, pawns, 1, None, keep, limits)  # reads all tiers
