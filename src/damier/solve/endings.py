"""Solving games that lose pawns: small boards of Fanorona whole, endings of the big games.

Tiers are solved from the lowest counts of pawns to the highest. Memory is known beforehand: a
number takes the width of a value for each array, and as much for what a round has looked at. With
a directory to keep them in, finished tiers are not solved again after an interruption.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from damier.errors import DamierError
from damier.position import Rules
from damier.solve import tables
from damier.solve.codes import LONGEST
from damier.solve.parts import Parts
from damier.solve.solver import Progress, Solution, Workers, modules
from damier.solve.tiered import MOST_PAWNS

PIECE = 50_000
LONGEST_WIDE = 30_000  # the longest distance that two bytes hold


def header_for(rules: Rules, pawns: int | None) -> dict[str, Any]:
    """Return what the table of these endings says of itself, but for counts and arrays."""
    header = tables.header_of(rules, {})
    header["metric"] = tables.numbering(rules.name).metric_of(rules)
    return {**header, "pawns": pawns} if pawns else header


def size_of(rules: Rules, pawns: int | None) -> tuple[int, int]:
    """Return how many numbers there are, and how many bytes of memory solving takes."""
    space = tables.numbering(rules.name)
    header = header_for(rules, pawns)
    numbers = space.space_for(rules, header).size
    width = 1 if header["metric"] == "capture" else 2
    return numbers, numbers * width * (len(space.ARRAYS) + 1)


def check_pawns(rules: Rules, pawns: int | None) -> None:
    """Raise DamierError if so many pawns are too many, or none were named on a big board."""
    small = rules.name == "fanorona" and rules.board.size <= 15
    if pawns is None and small:
        return
    if pawns is None or not 2 <= pawns <= (30 if small else MOST_PAWNS):
        raise DamierError("solve-pawns", game=rules.name, most=MOST_PAWNS, pawns=pawns or "∞")


def groups_of(space: Any) -> list[list[tuple[int, int]]]:
    """Return the tiers, each with its mirror: their numbers follow one another."""
    return [[(a, b)] if a == b else [(a, b), (b, a)] for a, b in space.tiers if a <= b]


def solve_tiers(
    rules: Rules,
    pawns: int | None,
    workers: int | None = None,
    progress: Progress | None = None,
    keep: Path | None = None,
) -> Solution:
    """Return the solution of all positions with at most so many pawns in all."""
    began = time.perf_counter()
    check_pawns(rules, pawns)
    header = header_for(rules, pawns)
    module = tables.numbering(rules.name)
    space = module.space_for(rules, header)
    wide = header["metric"] == "end"
    dtype: Any = np.uint16 if wide else np.uint8
    arrays = {name: np.zeros(space.size, dtype) for name in module.ARRAYS}
    solution = Solution(rules, arrays, extra=header)
    seen = np.zeros(space.size, dtype)
    parts = Parts(keep, {**header, "width": arrays["values"].itemsize})
    progress = progress or (lambda what, part: None)
    with Workers(workers) as pool:
        done = 0
        for group in groups_of(space):
            low = space.starts[group[0]]
            high = low + sum(space.sizes[tier] for tier in group)
            name = "{}-{}".format(*group[0])
            kept = parts.load(name, {"rounds": (), **dict.fromkeys(arrays, (high - low,))})
            if kept is None:
                progress("{}:{}".format(*group[0]), done / space.size)
                rounds = _solve_group(solution, space, group, seen, pool)
                found = {name: array[low:high] for name, array in arrays.items()}
                parts.save(name, {"rounds": np.array(rounds), **found})
            else:
                rounds = int(kept["rounds"])
                for name, array in arrays.items():
                    array[low:high] = kept[name]
            solution.rounds = max(solution.rounds, rounds)
            done += high - low
        progress("{}:{}".format(*group[0]), 1.0)
    solution.seconds = time.perf_counter() - began
    return solution


def _jobs(
    solution: Solution, space: Any, group: list[tuple[int, int]]
) -> Iterator[tuple[Any, Any, int, int, int]]:
    """Yield, for what the analysis of a group looks for: array, tables, range, longest distance."""
    module = tables.numbering(solution.rules.name)
    low = space.starts[group[0]]
    high = low + sum(space.sizes[tier] for tier in group)
    wide = solution.extra["metric"] == "end"
    longest = module.limit(solution.rules, *group[0]) or (LONGEST_WIDE if wide else LONGEST)
    for name, word in module.passes(*group[0]):
        yield (
            solution.arrays[name],
            space.lookup(True, word),
            low,
            high,
            min(longest, LONGEST_WIDE if wide else LONGEST),
        )


def _solve_group(
    solution: Solution, space: Any, group: list[tuple[int, int]], seen: Any, pool: Workers
) -> int:
    """Solve a tier and its mirror; return the number of rounds."""
    rules, store = solution.rules, solution.store
    _, loops = modules(rules)
    word, n = rules.word, 0
    for values, t, low, high, longest in _jobs(solution, space, group):
        seen[low:high] = 0
        for a, b in group:
            start = space.starts[a, b]
            more = a, b, low, high, word, longest, values, store, t
            list(pool.run(loops.prepare, start, start + space.sizes[a, b], PIECE, *more))
        n = 0
        while n < longest and (values[low:high] > 2 * n).any():
            for a, b in group:
                start = space.starts[a, b]
                codes = values[start : start + space.sizes[a, b]]
                frontier = np.flatnonzero((codes + 1) >> 1 == n + 1) + start
                around = frontier, a, b, n, low, high, word, longest, values, seen, store, t
                list(pool.run(loops.expand, 0, len(frontier), 5000, *around))
            n += 1
    return n


def verify_tiers(solution: Solution, workers: int | None = None) -> bool:
    """Tell whether every value follows from those that one turn leads to, asking only the rules."""
    rules, store = solution.rules, solution.store
    _, loops = modules(rules)
    word = rules.word
    space = tables.numbering(rules.name).space_for(rules, solution.extra)
    with Workers(workers) as pool:
        for group in groups_of(space):
            for values, t, low, high, longest in _jobs(solution, space, group):
                for a, b in group:
                    start, end = space.starts[a, b], space.starts[a, b] + space.sizes[a, b]
                    more = a, b, low, high, word, longest, values, store, t
                    if any(x >= 0 for x in pool.run(loops.check, start, end, PIECE, *more)):
                        return False
    return True


def content(solution: Solution) -> bytes:
    """Return the content of the table file for a solution."""
    arrays = dict(solution.arrays)
    counts = {"numbers": len(arrays["values"])}
    counts |= {name: int(np.count_nonzero(array)) for name, array in arrays.items()}
    if all(int(array.max()) < 256 for array in arrays.values()):
        arrays = {name: array.astype(np.uint8) for name, array in arrays.items()}
    return tables.pack({**solution.extra, "counts": counts}, arrays)
