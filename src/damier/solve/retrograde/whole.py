"""Solver for games all of whose positions are numbered."""

from __future__ import annotations

from typing import Any

import numpy as np

from damier.errors import DamierError
from damier.position import Rules
from damier.solve import tables
from damier.solve.numbering import numbering_of
from damier.solve.retrograde import whole_kernels
from damier.solve.retrograde.solver_run import Progress, Solution, SolverRun, Stages
from damier.solve.value_codes import MAX_DISTANCE

# Estimates for a game without its own `solving.py`.
DEFAULT_STAGES: Stages = (("judging", 0.05, 10_000_000), ("rounds", 0.95, 500_000))


class WholeSolver:
    """Solver that judges every finished position, then works backwards in rounds."""

    def __init__(self, stages: Stages = DEFAULT_STAGES) -> None:
        self.stages = stages

    def endings(self, rules: Rules, pawns: int | None) -> int | None:
        """Return None: the whole game is solved."""
        if pawns is not None:
            raise DamierError("solve-whole", game=rules.name)
        return None

    def size(self, rules: Rules, pawns: int | None) -> tuple[int, int] | None:
        """Return the number of numbers, and the bytes of memory for solving.

        A number takes one byte in each array, and one that marks it as visited in a round.
        """
        numbering = numbering_of(rules)
        size = numbering.space_for(rules, {}).size
        return size, size * (len(numbering.ARRAYS) + 1)

    def on_disk(self, rules: Rules, pawns: int | None) -> tuple[int, int] | None:
        """Return None: all values are in memory."""
        return None

    def begin(self, rules: Rules, pawns: int | None, progress: Progress) -> Solution:
        """Return a solution in which no position is decided yet."""
        numbering = numbering_of(rules)
        size = numbering.space_for(rules, {}).size
        arrays = {name: np.zeros(size, np.uint8) for name in numbering.ARRAYS}
        return Solution(rules, tables.header_of(rules, {}), arrays)

    def solve(self, run: SolverRun) -> None:
        """Find all values."""
        run.resume()
        self.analyse(run, np.zeros(run.numbers.size, np.uint8))
        run.progress(self.stages[run.stage][0], 1.0)

    def analyse(self, run: SolverRun, seen: Any) -> None:
        """Run the stages; `seen` marks the numbers visited in a round."""
        loops, values, word, t = run.loops(whole_kernels), run.arrays["values"], run.word, run.t
        size = run.numbers.size
        if run.stage == 0:
            run.batches(lambda a, b: loops.judge(a, b, word, values, t), 0, size, 20_000)
            run.next_stage()
        known = values, values, t
        run.run_rounds(
            [values], size, lambda f, a, b, n: loops.expand(f, a, b, n, word, seen, known)
        )

    def check(self, run: SolverRun, part: str) -> Any:
        """Return the kernel that checks the values of a phase of the game."""
        return run.loops(whole_kernels).check

    def verify(self, run: SolverRun) -> bool:
        """Return whether every value follows from the values one move later."""
        more = run.word, run.solution.store, run.t
        for part, low, high in run.numbers.ranges:
            check = self.check(run, part)
            if any(number >= 0 for number in run.pool.run(check, low, high, 20_000, *more)):
                return False
        return True

    def counts(self, run: SolverRun) -> dict[str, Any]:
        """Count all positions, images and both colours included, by phase and value."""
        loops, values, t = run.loops(whole_kernels), run.arrays["values"], run.t
        tallies: dict[str, Any] = {}

        def count(a: int, b: int) -> Any:
            tally = np.zeros(2 * MAX_DISTANCE + 4, np.int64)
            loops.census(a, b, values, t, tally)
            return tally

        for part, low, high in run.numbers.ranges:
            tally = tallies.setdefault(part, np.zeros(2 * MAX_DISTANCE + 4, np.int64))
            for piece in run.pool.run(count, low, high, 200_000):
                tally += piece
        return {part: census(tally) for part, tally in tallies.items()}


def census(tally: Any) -> dict[str, Any]:
    """Return the counts of won, drawn and lost positions, and wins and losses by distance.

    `tally` has the number of positions for each code.
    """
    losses, wins = tally[1::2].tolist(), tally[2::2].tolist()
    return {
        "won": sum(wins),
        "drawn": int(tally[0]),
        "lost": sum(losses),
        "wins": {str(d): count for d, count in enumerate(wins) if count},
        "losses": {str(d): count for d, count in enumerate(losses) if count},
    }
