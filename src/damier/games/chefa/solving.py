"""Solver of Chefa."""

from typing import Any

from damier.solve.retrograde import whole_kernels
from damier.solve.retrograde.solver_run import SolverRun
from damier.solve.retrograde.whole import WholeSolver


class ChefaSolver(WholeSolver):
    """Solver of Chefa: solves play with the ko, using special kernels, then placing."""

    def analyse(self, run: SolverRun, seen: Any) -> None:
        """Set the values of finished positions, then solve play, then placing."""
        space, loops, numbers, word, t = (
            run.space,
            run.loops(whole_kernels),
            run.numbers,
            run.word,
            run.t,
        )
        values, _, barred = store = tuple(run.arrays.values())
        tiers = numbers.tiers
        if run.stage == 0:
            # Only a side with four pawns can have won, so only the first two tiers have finished
            # positions: play, and the positions after the seventh placement.
            for tier in tiers[:2]:
                each = t[8][3 * (32 * tier[0] + tier[1]) + 2]
                low = numbers.starts[tier]
                high = low + numbers.sizes[tier]
                run.batches(lambda a, b: space.judge(a, b, word, values, t), low, high, 50 * each)
            run.next_stage()
        if run.stage == 1:
            play = store, seen, t
            run.run_rounds(
                [values, barred],
                numbers.sizes[tiers[0]],
                lambda f, a, b, n: space.expand_play(f, a, b, n, word, play),
            )
            run.next_stage()
        known = values, store, t
        run.run_rounds(
            [values],
            numbers.size,
            lambda f, a, b, n: loops.expand(f, a, b, n, word, seen, known),
        )

    def check(self, run: SolverRun, part: str) -> Any:
        """Return the kernel that checks the values of a part; in play it checks every ko."""
        return run.space.check_play if part == "play" else super().check(run, part)


# Stages: name, share of the time, numbers processed; measured with the default rules.
SOLVER = ChefaSolver(
    (("judging", 0.1, 8_385_000), ("rounds", 0.55, 325_000), ("placing", 0.35, 565_000))
)
