"""How Chefa is solved: play with the ko by loops of its own, then placing."""

from typing import Any

from damier.solve.retrograde import rounds
from damier.solve.retrograde.run import Run
from damier.solve.retrograde.whole import Whole


class _Chefa(Whole):
    def analyse(self, run: Run, seen: Any) -> None:
        """Judge what is over, then go through play, then through placing."""
        space, loops, numbers, word, t = run.space, run.loops(rounds), run.numbers, run.word, run.t
        values, _, barred = store = tuple(run.arrays.values())
        tiers = numbers.tiers
        if run.stage == 0:
            # Only a side with four pawns has won: in play and after the seventh placement.
            for tier in tiers[:2]:
                each = t[8][3 * (32 * tier[0] + tier[1]) + 2]
                low = numbers.starts[tier]
                high = low + numbers.sizes[tier]
                run.batches(lambda a, b: space.judge(a, b, word, values, t), low, high, 50 * each)
            run.next_stage()
        if run.stage == 1:
            play = store, seen, t
            run.go_rounds(
                [values, barred],
                numbers.sizes[tiers[0]],
                lambda f, a, b, n: space.expand_play(f, a, b, n, word, play),
            )
            run.next_stage()
        known = values, store, t
        run.go_rounds(
            [values],
            numbers.size,
            lambda f, a, b, n: loops.expand(f, a, b, n, word, seen, known),
        )

    def check(self, run: Run, part: str) -> Any:
        """Return the loop that checks the values of a part of the game: in play for every ko."""
        return run.space.check_play if part == "play" else super().check(run, part)


# The shares of the time were measured with the default rules.
ANALYSIS = _Chefa(
    (("judging", 0.1, 8_385_000), ("rounds", 0.55, 325_000), ("placing", 0.35, 565_000))
)
