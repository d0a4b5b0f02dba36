"""From rules to a table file: solving, checking, counting and packing, the same way for all games.

What differs from game to game is in an `Analysis`: the game's own, `ANALYSIS` in its `solving.py`,
or the usual one for its numbering. Memory is known beforehand, except where positions are listed.
What is done outlasts an interruption, if there is a place to keep it.
"""

from __future__ import annotations

import time
from itertools import product
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np

from damier.games import GAMES
from damier.position import Rules, game
from damier.solve import tables
from damier.solve.numbering import numbering_of
from damier.solve.retrograde.listed import Listed
from damier.solve.retrograde.run import Progress, Run, Solution, Stages
from damier.solve.retrograde.whole import Whole
from damier.solve.retrograde.workers import Workers


class Analysis(Protocol):
    """How the positions of a game are solved."""

    @property
    def stages(self) -> Stages:
        """The stages of a run, for telling how far it is."""
        ...

    def endings(self, rules: Rules, pawns: int | None) -> int | None:
        """Return with how many pawns at most endings are solved if so many are asked for.

        None means the whole game; raises DamierError where that cannot be.
        """
        ...

    def size(self, rules: Rules, pawns: int | None) -> tuple[int, int] | None:
        """Return how many numbers there are and how many bytes solving takes, if that is known."""
        ...

    def begin(self, rules: Rules, pawns: int | None, progress: Progress) -> Solution:
        """Return a solution in which nothing is decided yet."""
        ...

    def solve(self, run: Run) -> None:
        """Find every value."""
        ...

    def verify(self, run: Run) -> bool:
        """Tell whether every value follows from those that one turn leads to."""
        ...

    def counts(self, run: Run) -> dict[str, Any]:
        """Return what a table's header says of how many positions have which values."""
        ...


def analysis_of(rules: Rules) -> Analysis:
    """Return how a game is solved."""
    if rules.folder.numbering is None:
        return Listed()
    own = rules.folder.part("solving")
    return Whole() if own is None else cast(Analysis, own.ANALYSIS)


def solve(
    rules: Rules,
    pawns: int | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    keep: Path | None = None,
) -> Solution:
    """Return the strong solution of a game, or of its endings with at most so many pawns in all.

    With a directory to keep it in, what is done outlasts an interruption: the next run goes on
    there. Whoever has written the result deletes it, and sees to it that no two runs share one
    (`tables.alone_with`). What cannot be kept is said in a warning, and the run goes on.
    """
    began = time.perf_counter()
    analysis, told = analysis_of(rules), progress or (lambda what, part: None)
    solution = analysis.begin(rules, analysis.endings(rules, pawns), told)
    with Workers(workers) as pool:
        run = Run(solution, pool, progress, keep, analysis.stages)
        try:
            analysis.solve(run)
        except KeyboardInterrupt:
            pool.finish()
            run.keep(last=True)
            raise
    solution.seconds = time.perf_counter() - began
    return solution


def verify(solution: Solution, workers: int | None = None) -> bool:
    """Tell whether every value follows from those that one turn leads to.

    This asks nothing but the rules, `legal` and `play`, and how positions are numbered.
    """
    with Workers(workers) as pool:
        return analysis_of(solution.rules).verify(Run(solution, pool))


def content(solution: Solution, workers: int | None = None) -> bytes:
    """Return the content of the table file for a solution."""
    with Workers(workers) as pool:
        counts = analysis_of(solution.rules).counts(Run(solution, pool))
    arrays = dict(solution.arrays)
    for name, array in arrays.items():
        if array.dtype == np.uint16 and int(array.max(initial=0)) < 256:
            arrays[name] = array.astype(np.uint8)
    return tables.pack({**solution.header, "counts": counts}, arrays)


def loaded(table: tables.Table) -> Solution:
    """Return the solution that a table holds."""
    ours = ("format", "arrays", "bytes", "sha256")
    header = {key: value for key, value in table.header.items() if key not in ours}
    arrays = {name: blocks.array() for name, blocks in table.arrays.items()}
    return Solution(table.rules, {**header, "counts": {}}, arrays)


def shipped() -> list[str]:
    """Return the games whose tables come with them."""
    return [name for name in GAMES if (GAMES[name].tables / f"{name}.table").exists()]


def variants(name: str) -> list[Rules]:
    """Return the rules of a game that differ in the value of some position, default first."""
    ignored = numbering_of(game(name)).IGNORED
    options = [o for o in GAMES[name].rules.OPTIONS if o.name not in ignored and o.values]
    names = [option.name for option in options]
    chosen = product(*(option.values for option in options))
    return [game(name, **dict(zip(names, values, strict=True))) for values in chosen]


def alike(rules: Rules) -> list[Rules]:
    """Return the rules that share the table of some rules: they change how a game begins, say."""
    ignored = [o for o in rules.file.OPTIONS if o.name in numbering_of(rules).IGNORED]
    return [
        game(rules.name, **{**rules.options, option.name: value})
        for option in ignored
        for value in option.values
        if value != rules.options[option.name]
    ]
