"""The analysis of a game all of whose positions are numbered: what is over first, then rounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from damier.errors import DamierError
from damier.position import Rules
from damier.solve import tables
from damier.solve.codes import LONGEST
from damier.solve.numbering import numbering_of
from damier.solve.retrograde import rounds
from damier.solve.retrograde.run import Progress, Run, Solution, Stages

# A guess: a game's own `solving.py` knows better.
USUAL: Stages = (("judging", 0.05, 10_000_000), ("rounds", 0.95, 500_000))


class Whole:
    """Judges every position that is over, then goes back from there round by round."""

    def __init__(self, stages: Stages = USUAL) -> None:
        self.stages = stages

    def endings(self, rules: Rules, pawns: int | None) -> int | None:
        """Return None: the game is solved whole."""
        if pawns is not None:
            raise DamierError("solve-whole", game=rules.name)
        return None

    def size(self, rules: Rules, pawns: int | None) -> tuple[int, int] | None:
        """Return how many numbers there are, and how many bytes solving takes.

        That is one byte a number for each array, and one for marking what a round has looked at.
        """
        numbering = numbering_of(rules)
        size = numbering.space_for(rules, {}).size
        return size, size * (len(numbering.ARRAYS) + 1)

    def begin(self, rules: Rules, pawns: int | None, progress: Progress) -> Solution:
        """Return a solution in which nothing is decided yet."""
        numbering = numbering_of(rules)
        size = numbering.space_for(rules, {}).size
        arrays = {name: np.zeros(size, np.uint8) for name in numbering.ARRAYS}
        return Solution(rules, tables.header_of(rules, {}), arrays)

    def solve(self, run: Run) -> None:
        """Find every value."""
        run.go_on()
        self.analyse(run, np.zeros(run.numbers.size, np.uint8))
        run.progress(self.stages[run.stage][0], 1.0)

    def analyse(self, run: Run, seen: Any) -> None:
        """Go through the stages; `seen` is for marking what a round has looked at."""
        loops, values, word, t = run.loops(rounds), run.arrays["values"], run.word, run.t
        size = run.numbers.size
        if run.stage == 0:
            run.batches(lambda a, b: loops.judge(a, b, word, values, t), 0, size, 20_000)
            run.next_stage()
        known = values, values, t
        run.go_rounds(
            [values], size, lambda f, a, b, n: loops.expand(f, a, b, n, word, seen, known)
        )

    def check(self, run: Run, part: str) -> Any:
        """Return the loop that checks the values of a part of the game."""
        return run.loops(rounds).check

    def verify(self, run: Run) -> bool:
        """Tell whether every value follows from those that one turn leads to."""
        more = run.word, run.solution.store, run.t
        for part, low, high in run.numbers.ranges:
            check = self.check(run, part)
            if any(number >= 0 for number in run.pool.run(check, low, high, 20_000, *more)):
                return False
        return True

    def counts(self, run: Run) -> dict[str, Any]:
        """Count all positions, images and both colours included, by part of the game and value."""
        loops, values, t = run.loops(rounds), run.arrays["values"], run.t
        counted: dict[str, Any] = {}

        def count(a: int, b: int) -> Any:
            one = np.zeros(2 * LONGEST + 4, np.int64)
            loops.census(a, b, values, t, one)
            return one

        for part, low, high in run.numbers.ranges:
            tally = counted.setdefault(part, np.zeros(2 * LONGEST + 4, np.int64))
            for one in run.pool.run(count, low, high, 200_000):
                tally += one
        return {part: census(tally) for part, tally in counted.items()}


def census(tally: Any) -> dict[str, Any]:
    """Return how many positions are won, drawn and lost, and wins and losses by distance.

    `tally` says how many positions have each code.
    """
    losses, wins = tally[1::2].tolist(), tally[2::2].tolist()
    return {
        "won": sum(wins),
        "drawn": int(tally[0]),
        "lost": sum(losses),
        "wins": {str(d): count for d, count in enumerate(wins) if count},
        "losses": {str(d): count for d, count in enumerate(losses) if count},
    }
