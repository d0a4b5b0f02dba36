"""Building tables: solving, counting, packing, and checking what was packed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from damier.games import GAMES
from damier.position import Rules, game
from damier.solve import tables
from damier.solve.codes import LONGEST
from damier.solve.solver import Progress, Solution, Workers, modules, solve

SMALL = ("fraha", "chefa", "badia")


def variants(name: str) -> Iterator[Rules]:
    """Yield the rules of a small game that differ in the value of some position, default first."""
    file = GAMES[name].rules
    ignored = tables.numbering(name).IGNORED
    options = [option for option in file.OPTIONS if option.name not in ignored]
    for values in product(*(option.values for option in options)):
        yield game(name, **dict(zip((option.name for option in options), values, strict=True)))


def census(solution: Solution, workers: int | None = None) -> dict[str, dict[str, Any]]:
    """Count all positions, images and both colours included, by part of the game and value.

    For each part: won, drawn and lost for the side to move, and the wins and losses by distance.
    """
    space, loops = modules(solution.rules)
    numbering = space.space()
    t, values = numbering.lookup(True), solution.arrays["values"]
    counted: dict[str, Any] = {}
    with Workers(workers) as pool:
        for part, low, high in numbering.ranges:
            tally = counted.setdefault(part, np.zeros(2 * LONGEST + 4, np.int64))

            def count(a: int, b: int) -> Any:
                one = np.zeros(2 * LONGEST + 4, np.int64)
                loops.census(a, b, values, t, one)
                return one

            for one in pool.run(count, low, high, 200_000):
                tally += one
    return {part: _census(tally) for part, tally in counted.items()}


def _census(tally: Any) -> dict[str, Any]:
    losses, wins = tally[1::2].tolist(), tally[2::2].tolist()
    return {
        "won": sum(wins),
        "drawn": int(tally[0]),
        "lost": sum(losses),
        "wins": {str(d): count for d, count in enumerate(wins) if count},
        "losses": {str(d): count for d, count in enumerate(losses) if count},
    }


def content(solution: Solution) -> bytes:
    """Return the content of the table file for a solution."""
    header = tables.header_of(solution.rules, census(solution))
    return tables.pack(header, solution.arrays)


def build(rules: Rules, path: Path, progress: Progress | None = None) -> Solution:
    """Solve a small game and write its table."""
    solution = solve(rules, progress=progress)
    tables.write(path, content(solution))
    tables.forget()
    return solution


def loaded(table: tables.Table) -> Solution:
    """Return the solution that a table holds."""
    return Solution(table.rules, {name: a.array() for name, a in table.arrays.items()})
