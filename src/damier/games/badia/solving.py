"""Solver of Badia."""

from typing import Any

from damier.solve.retrograde import whole_kernels
from damier.solve.retrograde.solver_run import SolverRun
from damier.solve.retrograde.whole import WholeSolver


class BadiaSolver(WholeSolver):
    """Solver of Badia: solves play and drops in rounds, then placing."""

    def analyse(self, run: SolverRun, seen: Any) -> None:
        """Set the values of finished positions, solve play and drops in rounds, then placing."""
        space, loops, values = run.space, run.loops(whole_kernels), run.arrays["values"]
        word, t = run.word, run.t
        (_, low, high), (_, _, drops), *placing = run.numbers.ranges
        if run.stage == 0:
            run.batches(lambda a, b: space.judge(a, b, word, values, t), low, high, 360_000)
            run.next_stage()
        if run.stage == 1:
            known = values, values, t
            run.run_rounds(
                [values],
                drops,
                lambda f, a, b, n: loops.expand(f, a, b, n, word, seen, known),
            )
            run.next_stage()
        for _, low, high in placing[run.n :]:
            run.batches(lambda a, b: loops.settle(a, b, word, values, values, t), low, high, 2000)
            run.n += 1


# Stages: name, share of the time, numbers processed; measured with the default rules.
SOLVER = BadiaSolver(
    (("judging", 0.1, 23_180_000), ("rounds", 0.88, 391_000), ("placing", 0.02, 17_000))
)
