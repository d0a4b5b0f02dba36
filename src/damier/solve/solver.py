"""Solving a game: which loops run over which numbers, on all cores, with progress.

Memory is known beforehand: one byte a number for each array of values, and one for marking what
a round has looked at.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from damier import jit
from damier.rules import Rules
from damier.solve import probing as probing_loops
from damier.solve import tables, walk

TIERED = ("fanorona", "seega")  # games that lose pawns

Values = NDArray[np.uint8]
Progress = Callable[[str, float], None]  # what is being done, and which part of it is done


@dataclass
class Solution:
    """What a solver found: the arrays of values, by name, the first of them `values`."""

    rules: Rules
    arrays: dict[str, Values]
    rounds: int = 0
    seconds: float = 0.0
    extra: dict[str, object] = field(default_factory=dict)

    @property
    def store(self) -> Any:
        """The values as kernels take them: one array, or all of them."""
        arrays = tuple(self.arrays.values())
        return arrays[0] if len(arrays) == 1 else arrays


class Workers:
    """Threads that share the numbers of a range; kernels run without Python's lock."""

    def __init__(self, workers: int | None = None) -> None:
        self.count = workers or os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(self.count)

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def run(
        self, job: Callable[..., Any], low: int, high: int, size: int, *more: Any
    ) -> Iterator[Any]:
        """Yield what a job returns for each piece of a range, in order.

        The job is given the piece's two ends, then whatever more there is.
        """
        pieces = [(k, min(k + size, high)) for k in range(low, high, size)]
        return self._pool.map(lambda piece: job(*piece, *more), pieces)


def space_module(rules: Rules, compiled: bool) -> ModuleType:
    """Return the module that numbers a game's positions."""
    return _link(compiled)(tables.numbering(rules.name), rules=_game(rules, compiled))


def linked(loops: ModuleType, rules: Rules, compiled: bool = True) -> ModuleType:
    """Return loops over a game's positions: a template of this package, made for the game."""
    link, file = _link(compiled), _game(rules, compiled)
    return link(loops, rules=file, space=space_module(rules, compiled), walk=link(walk, rules=file))


def _link(compiled: bool) -> Callable[..., ModuleType]:
    return jit.link if compiled else jit.link_plain


def _game(rules: Rules, compiled: bool) -> ModuleType:
    return _link(compiled)(sys.modules[f"damier.games.{rules.name}"])


def modules(rules: Rules) -> tuple[ModuleType, ModuleType]:
    """Return the module that numbers a game's positions and the loops that solve it."""
    loops = import_module(f"damier.solve.{'tiers' if rules.name in TIERED else 'retro'}")
    return space_module(rules, True), linked(loops, rules)


def probing(rules: Rules, compiled: bool = True) -> ModuleType:
    """Return the loops over positions whose values are known."""
    return linked(probing_loops, rules, compiled)


def solve(rules: Rules, workers: int | None = None, progress: Progress | None = None) -> Solution:
    """Return the strong solution of Fraha, Chefa or Badia: the value of every position."""
    began = time.perf_counter()
    with Workers(workers) as pool:
        solution = _SOLVERS[rules.name](rules, pool, progress or (lambda what, part: None))
    solution.seconds = time.perf_counter() - began
    return solution


Expand = Callable[[NDArray[np.int64], int, int, int], Any]


def _round(frontier: NDArray[np.int64], n: int, expand: Expand, pool: Workers) -> Any:
    """Return, sorted, the numbers that a frontier of values in n turns decides."""

    def piece(low: int, high: int) -> Any:
        numbers, count = expand(frontier, low, high, n)
        return numbers[:count]

    found = [np.zeros(0, np.int64), *pool.run(piece, 0, len(frontier), 2000)]
    return np.unique(np.concatenate(found))


def _rounds(decided: NDArray[np.int64], expand: Expand, pool: Workers, progress: Progress) -> int:
    """Go round by round from what is finished until nothing more is decided."""
    n = 0
    while len(decided):
        progress("rounds", 0.0)
        decided = _round(decided, n, expand, pool)
        n += 1
    return n


def _fraha(rules: Rules, pool: Workers, progress: Progress) -> Solution:
    space, loops = modules(rules)
    numbering = space.space()
    t, word = numbering.lookup(True), rules.word
    values, seen = (np.zeros(numbering.size, np.uint8) for _ in range(2))
    list(pool.run(lambda a, b: loops.judge(a, b, word, values, t), 0, numbering.size, 100_000))
    rounds = _rounds(
        np.flatnonzero(values),
        lambda f, a, b, n: loops.expand(f, a, b, n, word, values, seen, values, t),
        pool,
        progress,
    )
    return Solution(rules, {"values": values}, rounds)


def _badia(rules: Rules, pool: Workers, progress: Progress) -> Solution:
    space, loops = modules(rules)
    numbering = space.space()
    t, word = numbering.lookup(True), rules.word
    values, seen = (np.zeros(numbering.size, np.uint8) for _ in range(2))
    (_, low, high), _, *placing = numbering.ranges
    list(pool.run(lambda a, b: space.judge(a, b, word, values, t), low, high, 360_000))
    rounds = _rounds(
        np.flatnonzero(values[:high]),
        lambda f, a, b, n: loops.expand(f, a, b, n, word, values, seen, values, t),
        pool,
        progress,
    )
    for _, low, high in placing:
        list(pool.run(lambda a, b: loops.settle(a, b, word, values, values, t), low, high, 2000))
    return Solution(rules, {"values": values}, rounds)


def _chefa(rules: Rules, pool: Workers, progress: Progress) -> Solution:
    space, loops = modules(rules)
    numbering = space.space()
    t, word = numbering.lookup(True), rules.word
    values, kos, barred, seen = (np.zeros(numbering.size, np.uint8) for _ in range(4))
    store = values, kos, barred
    # Only a side with four pawns has won: in play and after the seventh placement.
    tiers = numbering.tiers
    for tier in tiers[:2]:
        each = t[8][3 * (32 * tier[0] + tier[1]) + 2]
        low = numbering.starts[tier]
        high = low + numbering.sizes[tier]
        list(pool.run(lambda a, b: space.judge(a, b, word, values, t), low, high, 50 * each))
    high = numbering.sizes[tiers[0]]
    rounds = _rounds(
        np.flatnonzero(values[:high]),
        lambda f, a, b, n: space.expand_play(f, a, b, n, word, store, seen, t),
        pool,
        progress,
    )
    decided = np.flatnonzero(values)
    distances = (values[decided] - 1) >> 1
    new = np.zeros(0, np.int64)
    n = 0
    while len(new) or n < rounds:
        new = _round(
            np.concatenate((decided[distances == n], new)),
            n,
            lambda f, a, b, n: loops.expand(f, a, b, n, word, values, seen, store, t),
            pool,
        )
        n += 1
    return Solution(rules, {"values": values, "kos": kos, "barred": barred}, max(rounds, n))


_SOLVERS: dict[str, Callable[[Rules, Workers, Progress], Solution]] = {
    "fraha": _fraha,
    "chefa": _chefa,
    "badia": _badia,
}


def verify(solution: Solution, workers: int | None = None) -> bool:
    """Tell whether every value follows from those that one turn leads to.

    This asks nothing but the rules, `legal` and `play`, and how positions are numbered.
    """
    rules = solution.rules
    space, loops = modules(rules)
    numbering = space.space()
    t, word, store = numbering.lookup(True), rules.word, solution.store
    with Workers(workers) as pool:
        for what, low, high in numbering.ranges:
            check = space.check_play if rules.name == "chefa" and what == "play" else loops.check

            def piece(a: int, b: int, check: Any = check) -> int:
                return int(check(a, b, word, store, t))

            if any(number >= 0 for number in pool.run(piece, low, high, 20_000)):
                return False
    return True


def forced_returns(solution: Solution, workers: int | None = None) -> tuple[int, int]:
    """Return in how many of Badia's lost positions the ban BA-11 may save the loser, of how many.

    See `damier.solve.ban`. Positions that are images of each other count once.
    """
    from damier.solve import ban

    rules = solution.rules
    loops = linked(ban, rules)
    numbering = loops.space.space()
    values = solution.arrays["values"]
    codes = values[: numbering.ranges[1][2]]
    roots = np.flatnonzero((codes % 2 == 1) & (codes > 1))
    more = roots, rules.word, values, numbering.lookup(True)
    with Workers(workers) as pool:
        found = sum(count for count, _ in pool.run(loops.returns, 0, len(roots), 2500, *more))
    return found, len(roots)
