"""How Badia is solved: play and drops round by round, then placing tier by tier."""

from typing import Any

from damier.solve.retrograde import rounds
from damier.solve.retrograde.run import Run
from damier.solve.retrograde.whole import Whole


class _Badia(Whole):
    def analyse(self, run: Run, seen: Any) -> None:
        """Judge what is over in play, go through play and drops, then settle placing."""
        space, loops, values = run.space, run.loops(rounds), run.arrays["values"]
        word, t = run.word, run.t
        (_, low, high), (_, _, drops), *placing = run.numbers.ranges
        if run.stage == 0:
            run.batches(lambda a, b: space.judge(a, b, word, values, t), low, high, 360_000)
            run.next_stage()
        if run.stage == 1:
            known = values, values, t
            run.go_rounds(
                [values],
                drops,
                lambda f, a, b, n: loops.expand(f, a, b, n, word, seen, known),
            )
            run.next_stage()
        for _, low, high in placing[run.n :]:
            run.batches(lambda a, b: loops.settle(a, b, word, values, values, t), low, high, 2000)
            run.n += 1


# The shares of the time were measured with the default rules.
ANALYSIS = _Badia(
    (("judging", 0.1, 23_180_000), ("rounds", 0.88, 391_000), ("placing", 0.02, 17_000))
)
