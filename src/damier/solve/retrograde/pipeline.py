"""Pipeline from rules to a table file: solve, verify, count and pack, the same for all games.

The differences between games are in a `Solver`: the game's own, `SOLVER` in its `solving.py`, or
the default for its numbering. The memory is known beforehand, except for enumerated positions.
Results survive an interruption if a directory for checkpoints is given.
"""

from __future__ import annotations

import time
from itertools import product
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np

from damier.games import GAMES
from damier.position import Rules, load_rules
from damier.solve import tables
from damier.solve.numbering import numbering_of
from damier.solve.retrograde.enumerated import EnumeratedSolver
from damier.solve.retrograde.solver_run import Announce, Progress, Solution, SolverRun, Stages
from damier.solve.retrograde.storage import StorageLimits
from damier.solve.retrograde.thread_pool import ThreadPool
from damier.solve.retrograde.whole import WholeSolver


class Solver(Protocol):
    """Solver of the positions of a game."""

    @property
    def stages(self) -> Stages:
        """The stages of a run, for its progress report."""
        ...

    def endings(self, rules: Rules, pawns: int | None) -> int | None:
        """Return the greatest number of pawns of the endings to solve, None for the whole game.

        `pawns` is the number requested, or None. Raise DamierError if it is not possible.
        """
        ...

    def size(self, rules: Rules, pawns: int | None) -> tuple[int, int] | None:
        """Return the number of numbers and the bytes of memory for solving, None if unknown."""
        ...

    def on_disk(self, rules: Rules, pawns: int | None) -> tuple[int, int] | None:
        """Return the bytes of memory and disk if memory is short, None if that is not possible."""
        ...

    def begin(self, rules: Rules, pawns: int | None, progress: Progress) -> Solution:
        """Return a solution in which no position is decided yet."""
        ...

    def solve(self, run: SolverRun) -> None:
        """Find all values."""
        ...

    def verify(self, run: SolverRun) -> bool:
        """Return whether every value follows from the values one move later."""
        ...

    def counts(self, run: SolverRun) -> dict[str, Any]:
        """Return the counts of positions by value, for the table's header."""
        ...


def solver_for(rules: Rules) -> Solver:
    """Return the solver of a game."""
    if rules.folder.numbering is None:
        return EnumeratedSolver()
    own = rules.folder.part("solving")
    return WholeSolver() if own is None else cast(Solver, own.SOLVER)


def solve(
    rules: Rules,
    pawns: int | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    keep: Path | None = None,
    limits: StorageLimits | None = None,
    announce: Announce | None = None,
) -> Solution:
    """Return the strong solution of a game, or of its endings with at most so many pawns in all.

    With a directory `keep` for checkpoints, an interrupted run can be continued. The caller deletes
    the directory after writing the result and prevents two runs from sharing it
    (`tables.lock_table`). If a checkpoint cannot be saved, the run continues with a warning.
    `limits` are for endings and for games without a numbering, which can use the disk.
    """
    began = time.perf_counter()
    solver, report = solver_for(rules), progress or (lambda what, part: None)
    solution = solver.begin(rules, solver.endings(rules, pawns), report)
    with ThreadPool(workers) as pool:
        run = SolverRun(solution, pool, progress, keep, solver.stages, limits, announce)
        try:
            solver.solve(run)
        except KeyboardInterrupt:
            pool.finish()
            run.save_checkpoint(last=True)
            raise
    solution.seconds = time.perf_counter() - began
    return solution


def verify(solution: Solution, workers: int | None = None) -> bool:
    """Return whether every value follows from the values one move later.

    This uses only the rules (`legal` and `play`) and the numbering.
    """
    with ThreadPool(workers) as pool:
        return solver_for(solution.rules).verify(SolverRun(solution, pool))


def content(solution: Solution, workers: int | None = None) -> bytes:
    """Return the content of the table file for a solution."""
    with ThreadPool(workers) as pool:
        counts = solver_for(solution.rules).counts(SolverRun(solution, pool))
        arrays = dict(solution.arrays)
        for name, array in arrays.items():
            if array.dtype == np.uint16 and int(array.max(initial=0)) < 256:
                arrays[name] = array.astype(np.uint8)
        return tables.pack({**solution.header, "counts": counts}, arrays, pool.map)


def solution_of(table: tables.Table) -> Solution:
    """Return the solution in a table."""
    format_keys = ("format", "arrays", "bytes", "sha256")
    header = {key: value for key, value in table.header.items() if key not in format_keys}
    arrays = {name: blocks.array() for name, blocks in table.arrays.items()}
    return Solution(table.rules, {**header, "counts": {}}, arrays)


def bundled_games() -> list[str]:
    """Return the games whose tables are part of the package."""
    return [name for name in GAMES if (GAMES[name].tables / f"{name}.table").exists()]


def variants(name: str) -> list[Rules]:
    """Return the rules of a game that need different tables, the default first."""
    ignored = numbering_of(load_rules(name)).IGNORED
    options = [o for o in GAMES[name].rules.OPTIONS if o.name not in ignored and o.values]
    names = [option.name for option in options]
    chosen = product(*(option.values for option in options))
    return [load_rules(name, **dict(zip(names, values, strict=True))) for values in chosen]


def rules_sharing_table(rules: Rules) -> list[Rules]:
    """Return other rules with the same table: they differ only in the start, for example."""
    ignored = [o for o in rules.module.OPTIONS if o.name in numbering_of(rules).IGNORED]
    return [
        load_rules(rules.name, **{**rules.options, option.name: value})
        for option in ignored
        for value in option.values
        if value != rules.options[option.name]
    ]
