"""Solver for games with captures, whole or endings, from the lowest counts of pawns to the highest.

The memory is known beforehand: a number takes the width of a value for each array, and the numbers
of the largest tier once more while it is solved. If that exceeds the limit, the arrays are on disk:
a tier is written there when it is solved, lower tiers are read from there, and only the tier that
is being solved is always in memory. A tier and its mirror are a section of the run: finished
sections are not solved again after an interruption.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from damier.errors import DamierError
from damier.position import Rules
from damier.solve import tables
from damier.solve.numbering import numbering_of
from damier.solve.numbering.tiered import max_pawns
from damier.solve.retrograde import tiered_kernels
from damier.solve.retrograde.solver_run import Progress, Solution, SolverRun, Stages
from damier.solve.retrograde.storage import Storage
from damier.solve.tables.values import Metric
from damier.solve.value_codes import MAX_DISTANCE

DEFAULT_PAWNS = 8
PIECE = 50_000
SCANNED = 1_000_000  # values in which positions of a distance are looked for at once
MAX_WIDE_DISTANCE = 9_999  # limit of two-byte values, below HOLDING

Group = list[tuple[int, int]]  # a tier and its mirror


class TieredSolver:
    """Solver that works tier by tier. Games override the methods before `endings`."""

    stages: Stages = ()

    def metric(self, ruleset: Rules) -> Metric:
        """Return the metric: moves to the end, or to a capture if the rules count moves."""
        return "end"

    def whole(self, ruleset: Rules) -> bool:
        """Return whether the game is small enough to be solved whole."""
        return False

    def default_pawns(self, ruleset: Rules) -> int:
        """Return the default number of pawns of the endings."""
        return min(DEFAULT_PAWNS, max_pawns(ruleset))

    def limit(self, ruleset: Rules, a: int, b: int) -> int:
        """Return the number of moves without capture after which a game in a tier ends, or 0."""
        return 0

    def passes(self, a: int, b: int) -> tuple[tuple[str, int], ...]:
        """Return the arrays that a tier fills, with the goal of the analysis for each."""
        return (("values", 0),)

    def endings(self, rules: Rules, pawns: int | None) -> int | None:
        """Return the greatest number of pawns of the endings to solve, None for the whole game."""
        whole = self.whole(rules)
        if pawns is None:
            return None if whole else self.default_pawns(rules)
        most = 2 * rules.pawns if whole else max_pawns(rules)
        if not 2 <= pawns <= most:
            raise DamierError("solve-pawns", game=rules.name, most=most, pawns=pawns)
        return pawns

    def size(self, rules: Rules, pawns: int | None) -> tuple[int, int] | None:
        """Return the number of numbers, and the bytes of memory if all tiers are in memory."""
        numbers, tier, arrays = self._bytes(rules, pawns)
        return numbers, arrays + tier

    def on_disk(self, rules: Rules, pawns: int | None) -> tuple[int, int] | None:
        """Return the bytes of memory and disk if only the largest tier is in memory."""
        _, tier, arrays = self._bytes(rules, pawns)
        return tier, arrays

    def _bytes(self, rules: Rules, pawns: int | None) -> tuple[int, int, int]:
        """Return the number of numbers, the bytes of the largest tier and of all arrays."""
        header, numbering = self._header(rules, pawns), numbering_of(rules)
        space, width = numbering.space_for(rules, header), _width(header)
        return space.size, width * _largest(space), width * space.size * len(numbering.ARRAYS)

    def _header(self, rules: Rules, pawns: int | None) -> dict[str, Any]:
        header = {**tables.header_of(rules, {}), "metric": self.metric(rules)}
        return {**header, "pawns": pawns} if pawns else header

    def begin(self, rules: Rules, pawns: int | None, progress: Progress) -> Solution:
        """Return a solution without values."""
        header = self._header(rules, pawns)
        dtype: Any = np.uint16 if _width(header) == 2 else np.uint8
        arrays = {name: np.zeros(0, dtype) for name in numbering_of(rules).ARRAYS}
        return Solution(rules, header, arrays)

    def solve(self, run: SolverRun) -> None:
        """Find all values."""
        numbers = run.numbers
        self._allocate(run)
        group: Group = []
        for group in _groups(numbers):
            low, high = _bounds(numbers, group)
            a, b = group[0]
            run.progress(f"{a}:{b}", low / numbers.size)

            def solve(group: Group = group) -> int:
                return self._solve_group(run, group)

            run.section(f"{a}-{b}", low, high, solve)
        run.progress("{}:{}".format(*group[0]), 1.0)

    def _allocate(self, run: SolverRun) -> None:
        """Allocate the arrays, in memory or, if it is too small, on disk."""
        arrays, limits, size = run.arrays, run.limits, run.numbers.size
        width = arrays["values"].itemsize
        tier, needed = width * _largest(run.numbers), width * size * len(arrays)
        if tier + needed <= limits.memory:
            arrays.update({name: np.zeros(size, array.dtype) for name, array in arrays.items()})
            return
        parent = run.checkpoints.directory
        storage = Storage(limits, parent and parent.parent)
        if tier > limits.memory:
            raise storage.error("memory", tier)
        if needed > limits.disk:
            raise storage.error("disk", needed)
        for name, array in arrays.items():
            arrays[name] = storage.empty(size, array.dtype, limits.memory)

    def _solve_group(self, run: SolverRun, group: Group) -> int:
        """Solve a tier and its mirror; return the number of rounds.

        Their values are in an array of their own while rounds change them in any order.
        """
        loops, pool, n = run.loops(tiered_kernels), run.pool, 0
        low, high = _bounds(run.numbers, group)
        passes = self.passes(*group[0])
        found = [run.arrays[name][low:high] for name, _ in passes]
        for job in self._jobs(run, group, passes[0][1]):
            start, end = _bounds(run.numbers, [job[:2]])
            lower = run.solution.store, run.t
            more = job, len(passes), found[0], found[-1], lower
            list(pool.run(loops.prepare, start, end, PIECE, *more))
        for (_, goal), stored in zip(passes, found, strict=True):
            values = stored.copy()
            known = values, run.solution.store, run.t
            jobs = self._jobs(run, group, goal)
            n, longest = 0, jobs[0][-1]
            while n < longest and int(values.max(initial=0)) > 2 * n:
                for job in jobs:
                    start, end = _bounds(run.numbers, [job[:2]])
                    list(pool.run(_spread, start, end, SCANNED, loops, n, job, known))
                n += 1
            stored[:] = values
        return n

    def _jobs(self, run: SolverRun, group: Group, goal: int) -> list[tiered_kernels.TierJob]:
        """Return the jobs of a tier and its mirror for kernels."""
        low, high = _bounds(run.numbers, group)
        most = MAX_DISTANCE if run.solution.header["metric"] == "capture" else MAX_WIDE_DISTANCE
        longest = min(self.limit(run.rules, *group[0]) or most, most)
        return [(a, b, low, high, goal, run.word, longest) for a, b in group]

    def verify(self, run: SolverRun) -> bool:
        """Return whether every value follows from the values one move later."""
        check = run.loops(tiered_kernels).check
        for group in _groups(run.numbers):
            low, high = _bounds(run.numbers, group)
            for name, goal in self.passes(*group[0]):
                known = run.arrays[name][low:high], run.solution.store, run.t
                for job in self._jobs(run, group, goal):
                    start, end = _bounds(run.numbers, [job[:2]])
                    if any(x >= 0 for x in run.pool.run(check, start, end, PIECE, job, known)):
                        return False
        return True

    def counts(self, run: SolverRun) -> dict[str, Any]:
        """Return the number of numbers, and of the items of each array that are not 0."""
        counts = {"numbers": len(run.arrays["values"])}
        return counts | {name: int(np.count_nonzero(a)) for name, a in run.arrays.items()}


def _spread(
    begin: int, end: int, loops: Any, n: int, job: tiered_kernels.TierJob, known: Any
) -> None:
    """Decide positions from those of distance n in a part of a tier."""
    values, low = known[0], job[2]
    offsets = values[begin - low : end - low] - values.dtype.type(2 * n + 1)
    frontier = np.flatnonzero(offsets <= 1)  # unsigned: lower codes are large
    if len(frontier):
        loops.expand(frontier + begin, n, job, known)


def _width(header: dict[str, Any]) -> int:
    """Return the bytes of a value during the analysis."""
    return 1 if header["metric"] == "capture" else 2


def _groups(numbers: Any) -> list[Group]:
    """Return the tiers, each with its mirror; their numbers are adjacent."""
    return [[(a, b)] if a == b else [(a, b), (b, a)] for a, b in numbers.tiers if a <= b]


def _largest(numbers: Any) -> int:
    """Return how many numbers the largest tier and its mirror have."""
    bounds = (_bounds(numbers, group) for group in _groups(numbers))
    return max((high - low for low, high in bounds), default=0)


def _bounds(numbers: Any, group: Group) -> tuple[int, int]:
    """Return the first number and the end of adjacent tiers."""
    low = numbers.starts[group[0]]
    return low, low + sum(numbers.sizes[tier] for tier in group)
