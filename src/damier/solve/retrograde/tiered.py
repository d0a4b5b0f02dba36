"""The analysis of games that lose pawns, whole or endings, from the lowest counts to the highest.

Memory is known beforehand: a number takes the width of a value for each array, and as much for what
a round has looked at. A tier and its mirror are a section of the run: finished ones are not solved
again after an interruption.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from damier.errors import DamierError
from damier.jit import home_of
from damier.position import Rules
from damier.solve import tables
from damier.solve.codes import LONGEST
from damier.solve.numbering import numbering_of
from damier.solve.numbering.tiered import MOST_PAWNS
from damier.solve.retrograde import tiers
from damier.solve.retrograde.run import Progress, Run, Solution, Stages
from damier.solve.tables.values import Metric

PIECE = 50_000
LONGEST_WIDE = 9_999  # the longest distance that two bytes hold, and that is not HOLDING

Group = list[tuple[int, int]]  # a tier and its mirror


class Tiered:
    """Solves tier after tier. What is one game's own are the methods above `size`."""

    stages: Stages = ()

    def metric(self, ruleset: Rules) -> Metric:
        """Return what distances count: turns to the end, or to a capture where turns count."""
        return "end"

    def whole(self, ruleset: Rules) -> bool:
        """Tell whether the game is small enough to be solved whole."""
        return False

    def usual_pawns(self, ruleset: Rules) -> int:
        """Return the pawns of the endings that are solved if nobody says how many."""
        return MOST_PAWNS

    def limit(self, ruleset: Rules, a: int, b: int) -> int:
        """Return after how many turns without capture a tier's games end, or 0."""
        return 0

    def passes(self, a: int, b: int) -> tuple[tuple[str, int | None], ...]:
        """Return the arrays that a tier's analysis fills, and the word of `Tables` for each."""
        return (("values", None),)

    def endings(self, rules: Rules, pawns: int | None) -> int | None:
        """Return with how many pawns at most endings are solved if so many are asked for."""
        whole = self.whole(rules)
        if pawns is None:
            return None if whole else self.usual_pawns(rules)
        most = 2 * rules.pawns if whole else MOST_PAWNS
        if not 2 <= pawns <= most:
            raise DamierError("solve-pawns", game=rules.name, most=most, pawns=pawns)
        return pawns

    def size(self, rules: Rules, pawns: int | None) -> tuple[int, int] | None:
        """Return how many numbers there are, and how many bytes of memory solving takes."""
        header = self._header(rules, pawns)
        numbering = numbering_of(rules)
        numbers = numbering.space_for(rules, header).size
        return numbers, numbers * _width(header) * (len(numbering.ARRAYS) + 1)

    def _header(self, rules: Rules, pawns: int | None) -> dict[str, Any]:
        header = {**tables.header_of(rules, {}), "metric": self.metric(rules)}
        return {**header, "pawns": pawns} if pawns else header

    def begin(self, rules: Rules, pawns: int | None, progress: Progress) -> Solution:
        """Return a solution in which nothing is decided yet."""
        header, numbering = self._header(rules, pawns), numbering_of(rules)
        size = numbering.space_for(rules, header).size
        dtype: Any = np.uint16 if _width(header) == 2 else np.uint8
        return Solution(rules, header, {name: np.zeros(size, dtype) for name in numbering.ARRAYS})

    def solve(self, run: Run) -> None:
        """Find every value."""
        numbers, seen = run.numbers, np.zeros_like(run.arrays["values"])
        group: Group = []
        for group in _groups(numbers):
            low, high = _bounds(numbers, group)
            a, b = group[0]
            run.progress(f"{a}:{b}", low / numbers.size)

            def solve(group: Group = group) -> int:
                return self._solve_group(run, group, seen)

            run.section(f"{a}-{b}", low, high, solve)
        run.progress("{}:{}".format(*group[0]), 1.0)

    def _solve_group(self, run: Run, group: Group, seen: Any) -> int:
        """Solve a tier and its mirror; return the number of rounds."""
        loops, pool, numbers, n = run.loops(tiers), run.pool, run.numbers, 0
        for known, jobs in self._jobs(run, group):
            values = known[0]
            _, _, low, high, _, longest = jobs[0]
            seen[low:high] = 0
            for job in jobs:
                start = numbers.starts[job[:2]]
                end = start + numbers.sizes[job[:2]]
                list(pool.run(loops.prepare, start, end, PIECE, job, known))
            n = 0
            while n < longest and (values[low:high] > 2 * n).any():
                for job in jobs:
                    start = numbers.starts[job[:2]]
                    codes = values[start : start + numbers.sizes[job[:2]]]
                    frontier = np.flatnonzero((codes + 1) >> 1 == n + 1) + start
                    more = frontier, n, seen, job, known
                    list(pool.run(loops.expand, 0, len(frontier), 5000, *more))
                n += 1
        return n

    def _jobs(self, run: Run, group: Group) -> Iterator[tuple[Any, list[tiers.Job]]]:
        """Yield, for what the analysis of a group looks for: what is known, and a job a tier."""
        low, high = _bounds(run.numbers, group)
        most = LONGEST if run.solution.header["metric"] == "capture" else LONGEST_WIDE
        longest = min(self.limit(run.rules, *group[0]) or most, most)
        for name, word in self.passes(*group[0]):
            numbers = run.numbers.lookup(home_of(run.space), word)
            known = run.arrays[name], run.solution.store, numbers
            yield known, [(a, b, low, high, run.word, longest) for a, b in group]

    def verify(self, run: Run) -> bool:
        """Tell whether every value follows from those that one turn leads to."""
        check = run.loops(tiers).check
        for group in _groups(run.numbers):
            for known, jobs in self._jobs(run, group):
                for job in jobs:
                    start = run.numbers.starts[job[:2]]
                    end = start + run.numbers.sizes[job[:2]]
                    if any(x >= 0 for x in run.pool.run(check, start, end, PIECE, job, known)):
                        return False
        return True

    def counts(self, run: Run) -> dict[str, Any]:
        """Return how many numbers there are, and how many items of each array are not 0."""
        counts = {"numbers": len(run.arrays["values"])}
        return counts | {name: int(np.count_nonzero(a)) for name, a in run.arrays.items()}


def _width(header: dict[str, Any]) -> int:
    """Return how many bytes a value takes while it is looked for."""
    return 1 if header["metric"] == "capture" else 2


def _groups(numbers: Any) -> list[Group]:
    """Return the tiers, each with its mirror: their numbers follow one another."""
    return [[(a, b)] if a == b else [(a, b), (b, a)] for a, b in numbers.tiers if a <= b]


def _bounds(numbers: Any, group: Group) -> tuple[int, int]:
    """Return the numbers at which a tier and its mirror begin and end."""
    low = numbers.starts[group[0]]
    return low, low + sum(numbers.sizes[tier] for tier in group)
