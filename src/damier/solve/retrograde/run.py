"""A run of the analysis: its arrays, how far it is, and what is kept of it on the way."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from damier.errors import Notice, told
from damier.jit import home_of
from damier.lang import say
from damier.position import Rules
from damier.solve.link import linked, space_module
from damier.solve.numbering import numbering_of
from damier.solve.retrograde.parts import Parts
from damier.solve.retrograde.workers import Workers

Values = NDArray[Any]  # of one byte or two
Progress = Callable[[str, float], None]  # what is being done, and which part of all is done
# The numbers decided in n + 1 turns by a piece of the frontier, and how many they are.
Expand = Callable[[NDArray[np.int64], int, int, int], Any]
# The stages of a run for telling how far it is: of each a name, its share in the time, and how
# many numbers it goes through, as measured once.
Stages = tuple[tuple[str, float, int], ...]

PIECES = 16  # of each worker in a batch
KEPT_EVERY = 5.0  # seconds


@dataclass
class Solution:
    """What an analysis found: the arrays of a table by name, the first of them `values`."""

    rules: Rules
    header: dict[str, Any]  # of the table, but for counts and arrays
    arrays: dict[str, Values]
    rounds: int = 0
    seconds: float = 0.0

    @property
    def store(self) -> Any:
        """The arrays as kernels take them: one array, or all of them."""
        arrays = tuple(self.arrays.values())
        return arrays[0] if len(arrays) == 1 else arrays


class Run:
    """A game being solved, or checked.

    Kernels run in batches. Between two of them, and after an interruption, none is running and the
    arrays can be kept. A stage or a round that was half done is done again from its beginning:
    in round n nothing is read of what was decided in more than n turns, so the result is the same.
    What falls into sections that are solved one after another is kept section by section instead.
    """

    def __init__(
        self,
        solution: Solution,
        pool: Workers,
        progress: Progress | None = None,
        keep: Path | None = None,
        stages: Stages = (),
    ) -> None:
        self.solution, self.pool = solution, pool
        self.rules, self.word = solution.rules, solution.rules.word
        self.space: Any = space_module(self.rules, True)
        self.numbers: Any = numbering_of(self.rules).space_for(self.rules, solution.header)
        self.t: Any = self.numbers.lookup(home_of(self.space))
        # The stage, the round in it, how many numbers it has done.
        self.stage, self.n, self.done = 0, 0, 0
        self.progress = progress or (lambda what, part: None)
        self._stages = stages
        width = solution.arrays["values"].itemsize
        self._parts = Parts(keep, {**solution.header, "width": width})
        self._goes_on = False
        self._kept = time.monotonic()
        self._owed: dict[str, Mapping[str, Any]] = {}  # parts that could not be kept yet

    @property
    def arrays(self) -> dict[str, Values]:
        """The arrays that are filled."""
        return self.solution.arrays

    def loops(self, template: ModuleType) -> Any:
        """Return loops over this game's positions, compiled."""
        return linked(template, self.rules)

    def go_on(self) -> None:
        """Take over what an interrupted run has kept; what this one does is kept from now on."""
        self._goes_on = True
        kept = self._parts.load("run", {"state": self._state(), **self.arrays})
        if kept is not None:
            state = kept.pop("state").tolist()
            if state[0] in range(len(self._stages)) and min(state) >= 0:
                self.stage, self.n, self.done, self.solution.rounds = state
                self.arrays.update(kept)
        self._tell()

    def _state(self) -> NDArray[np.int64]:
        return np.array([self.stage, self.n, self.done, self.solution.rounds], np.int64)

    def keep(self, last: bool = False) -> None:
        """Keep what is done, for a run that goes on from here; `last` if this one ends."""
        known = bool(self._owed) and not last
        if self._goes_on:
            self._owed["run"] = {"state": self._state(), **self.arrays}
        self._pay(known)
        self._kept = time.monotonic()

    def _pay(self, known: bool) -> None:
        """Keep what is owed. Where that cannot be, the run goes on: there may be room next time.

        That is said once: not where it is known.
        """
        try:
            for name in list(self._owed):
                self._parts.save(name, self._owed[name])
                del self._owed[name]
        except OSError as error:
            if not known:
                warnings.warn(Notice(say("solve.not-kept", message=told(error))), stacklevel=2)

    def _tell(self) -> None:
        """Say how far the run is, as far as can be told: how many rounds come is not known."""
        name, share, whole = self._stages[self.stage]
        before = sum(share for _, share, _ in self._stages[: self.stage])
        self.progress(name, before + min(self.done / whole, 0.99) * share)

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
            self.solution.rounds = max(self.solution.rounds, self.n)

    def section(self, name: str, low: int, high: int, solve: Callable[[], int]) -> None:
        """Solve the numbers from one to another, or take over what was kept of them.

        `solve` returns how many rounds it took.
        """
        section = {name: array[low:high] for name, array in self.arrays.items()}
        kept = self._parts.load(name, {"rounds": np.array(0, np.int64), **section})
        if kept is None:
            rounds = solve()
            known = bool(self._owed)
            self._owed[name] = {"rounds": np.array(rounds, np.int64), **section}
            self._pay(known)
        else:
            rounds = int(kept["rounds"])
            for array_name, array in self.arrays.items():
                array[low:high] = kept[array_name]
        self.solution.rounds = max(self.solution.rounds, rounds)
