"""Solving a game: which loops run over which numbers, on all cores, with progress.

Memory is known beforehand: one byte a number for each array of values, and one for marking what
a round has looked at. What is done outlasts an interruption, if there is a place to keep it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from damier import jit
from damier.position import Rules
from damier.solve import probing as probing_loops
from damier.solve import tables, walk
from damier.solve.parts import Parts

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
        self.finish()

    def finish(self) -> None:
        """Let the pieces that are running come to their end, and take no more."""
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
    return _link(compiled)(rules.folder.module)


def modules(rules: Rules) -> tuple[ModuleType, ModuleType]:
    """Return the module that numbers a game's positions and the loops that solve it."""
    loops = import_module(f"damier.solve.{'tiers' if rules.name in TIERED else 'retro'}")
    return space_module(rules, True), linked(loops, rules)


def probing(rules: Rules, compiled: bool = True) -> ModuleType:
    """Return the loops over positions whose values are known."""
    return linked(probing_loops, rules, compiled)


class Run:
    """A small game being solved: its arrays, how far it is, and what is kept of it on the way.

    Kernels run in batches. Between two of them, and after an interruption, none is running and the
    arrays can be kept. A stage or a round that was half done is done again from its beginning:
    in round n nothing is read of what was decided in more than n turns, so the result is the same.
    """

    def __init__(self, rules: Rules, pool: Workers, progress: Progress | None, keep: Path | None):
        self.rules, self.pool = rules, pool
        self.space, self.loops = modules(rules)
        self.numbering = self.space.space()
        self.t, self.word, size = self.numbering.lookup(True), rules.word, self.numbering.size
        self.arrays = {name: np.zeros(size, np.uint8) for name in _ARRAYS[rules.name]}
        self.seen = np.zeros(size, np.uint8)
        # The stage, the round or tier in it, how many numbers it has done, and rounds in all.
        self.stage, self.n, self.done, self.rounds = 0, 0, 0, 0
        self._progress = progress or (lambda what, part: None)
        self._parts = Parts(keep, tables.header_of(rules, {}))
        self._kept = time.monotonic()
        self._go_on()
        self._tell()

    def _go_on(self) -> None:
        shapes = dict.fromkeys(self.arrays, (self.numbering.size,))
        kept = self._parts.load("run", {"state": (4,), **shapes})
        if kept is not None:
            self.stage, self.n, self.done, self.rounds = kept.pop("state").tolist()
            self.arrays = kept

    def keep(self) -> None:
        """Keep what is done, for a run that goes on from here."""
        state = np.array([self.stage, self.n, self.done, self.rounds])
        self._parts.save("run", {"state": state, **self.arrays})
        self._kept = time.monotonic()

    def _tell(self) -> None:
        """Say how far the run is, as far as can be told: how many rounds come is not known."""
        shares, whole = _SHARES[self.rules.name], _NUMBERS[self.rules.name][self.stage]
        part = min(self.done / whole, 0.99) * shares[self.stage]
        self._progress(STAGES[self.stage], sum(shares[: self.stage]) + part)

    def batches(self, job: Callable[..., Any], low: int, high: int, size: int) -> list[Any]:
        """Return what a job returns for each piece of a range."""
        found: list[Any] = []
        step = size * self.pool.count * PIECES
        for begin in range(low, high, step):
            end = min(begin + step, high)
            found += self.pool.run(job, begin, end, size)
            self.done += end - begin
            self._tell()
            if time.monotonic() - self._kept > KEPT_EVERY:
                self.keep()
        return found

    def next_stage(self) -> None:
        """Go on to the next stage."""
        self.stage, self.n, self.done = self.stage + 1, 0, 0

    def go_rounds(self, arrays: list[Values], high: int, expand: Expand) -> None:
        """Go round by round from what is decided below a number until nothing more is.

        A number is looked at for what each of some arrays holds.
        """
        before = [np.flatnonzero(array[:high]) for array in arrays]
        distances = [(a[numbers] - 1) >> 1 for a, numbers in zip(arrays, before, strict=True)]
        decided, distance = np.concatenate(before), np.concatenate(distances)
        last = int(distance.max(initial=0))
        found = np.zeros(0, np.int64)
        while len(found) or self.n <= last:
            n, frontier = self.n, np.unique(np.concatenate((decided[distance == self.n], found)))

            def piece(low: int, high: int, n: int = n, frontier: Any = frontier) -> Any:
                numbers, count = expand(frontier, low, high, n)
                return numbers[:count]

            found = np.concatenate((found[:0], *self.batches(piece, 0, len(frontier), 2000)))
            self.n += 1
            self.rounds = max(self.rounds, self.n)


Expand = Callable[[NDArray[np.int64], int, int, int], Any]

STAGES = ("judging", "rounds", "placing")
PIECES = 16  # of each worker in a batch
KEPT_EVERY = 5.0  # seconds
_ARRAYS = {"fraha": ("values",), "chefa": ("values", "kos", "barred"), "badia": ("values",)}
# For telling how far a run is, as measured with the default rules: the share of each stage in the
# time, and how many numbers it goes through.
_SHARES = {"fraha": (0.03, 0.97), "chefa": (0.1, 0.55, 0.35), "badia": (0.1, 0.88, 0.02)}
_NUMBERS = {
    "fraha": (1_584_000, 82_000),
    "chefa": (8_385_000, 325_000, 565_000),
    "badia": (23_180_000, 391_000, 17_000),
}


def solve(
    rules: Rules,
    workers: int | None = None,
    progress: Progress | None = None,
    keep: Path | None = None,
) -> Solution:
    """Return the strong solution of Fraha, Chefa or Badia: the value of every position.

    With a directory to keep it in, what is done outlasts an interruption: the next run goes on
    there. Whoever has written the result deletes it.
    """
    began = time.perf_counter()
    with Workers(workers) as pool:
        run = Run(rules, pool, progress, keep)
        try:
            _SOLVERS[rules.name](run)
        except KeyboardInterrupt:
            pool.finish()
            run.keep()
            raise
    if progress:
        progress(STAGES[run.stage], 1.0)
    return Solution(rules, run.arrays, run.rounds, time.perf_counter() - began)


def _fraha(run: Run) -> None:
    loops, values, seen, word, t = run.loops, run.arrays["values"], run.seen, run.word, run.t
    size = run.numbering.size
    if run.stage == 0:
        run.batches(lambda a, b: loops.judge(a, b, word, values, t), 0, size, 20_000)
        run.next_stage()
    run.go_rounds(
        [values], size, lambda f, a, b, n: loops.expand(f, a, b, n, word, values, seen, values, t)
    )


def _badia(run: Run) -> None:
    space, loops, values, seen = run.space, run.loops, run.arrays["values"], run.seen
    word, t = run.word, run.t
    (_, low, high), (_, _, drops), *placing = run.numbering.ranges
    if run.stage == 0:
        run.batches(lambda a, b: space.judge(a, b, word, values, t), low, high, 360_000)
        run.next_stage()
    if run.stage == 1:
        run.go_rounds(
            [values],
            drops,
            lambda f, a, b, n: loops.expand(f, a, b, n, word, values, seen, values, t),
        )
        run.next_stage()
    for _, low, high in placing[run.n :]:
        run.batches(lambda a, b: loops.settle(a, b, word, values, values, t), low, high, 2000)
        run.n += 1


def _chefa(run: Run) -> None:
    space, loops, numbering, seen = run.space, run.loops, run.numbering, run.seen
    values, _, barred = store = tuple(run.arrays.values())
    word, t = run.word, run.t
    tiers = numbering.tiers
    if run.stage == 0:
        # Only a side with four pawns has won: in play and after the seventh placement.
        for tier in tiers[:2]:
            each = t[8][3 * (32 * tier[0] + tier[1]) + 2]
            low = numbering.starts[tier]
            high = low + numbering.sizes[tier]
            run.batches(lambda a, b: space.judge(a, b, word, values, t), low, high, 50 * each)
        run.next_stage()
    if run.stage == 1:
        run.go_rounds(
            [values, barred],
            numbering.sizes[tiers[0]],
            lambda f, a, b, n: space.expand_play(f, a, b, n, word, store, seen, t),
        )
        run.next_stage()
    run.go_rounds(
        [values],
        numbering.size,
        lambda f, a, b, n: loops.expand(f, a, b, n, word, values, seen, store, t),
    )


_SOLVERS: dict[str, Callable[[Run], None]] = {"fraha": _fraha, "chefa": _chefa, "badia": _badia}


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
