"""Solver run: arrays, progress and checkpoints of one analysis."""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from damier.errors import Notice, describe_os_error
from damier.i18n import translate
from damier.jit import runtime_of
from damier.position import Rules
from damier.solve.link import link_loops, space_module
from damier.solve.numbering import numbering_of
from damier.solve.retrograde.checkpoints import Checkpoints
from damier.solve.retrograde.storage import StorageLimits
from damier.solve.retrograde.thread_pool import ThreadPool

Values = NDArray[Any]  # of one byte or two
Progress = Callable[[str, float], None]  # the current stage, and the share of all work that is done
Announce = Callable[..., None]  # of a text, by its key and details
# Function that returns the numbers decided in n + 1 moves by a piece of the frontier, and how many.
Expand = Callable[[NDArray[np.int64], int, int, int], Any]
# Stages of a run, for its progress report: name, share of the time, and how many numbers it
# processes, as measured once.
Stages = tuple[tuple[str, float, int], ...]

PIECES_PER_THREAD = 16  # in a batch
CHECKPOINT_INTERVAL_S = 5.0


@dataclass
class Solution:
    """Solution: the arrays of a table by name; the first is `values`."""

    rules: Rules
    header: dict[str, Any]  # of the table, without counts and arrays
    arrays: dict[str, Values]
    rounds: int = 0
    seconds: float = 0.0

    @property
    def store(self) -> Any:
        """The arrays in the form of kernels: one array, or a tuple of all."""
        arrays = tuple(self.arrays.values())
        return arrays[0] if len(arrays) == 1 else arrays


class SolverRun:
    """Run of a solver or of a verification.

    Kernels run in batches. Between two batches, and after an interruption, no kernel is running and
    the arrays can be saved. An interrupted stage or round is repeated from its beginning: round n
    does not read values of more than n moves, so the result is the same. Sections that are solved
    one after another are saved section by section instead.
    """

    def __init__(
        self,
        solution: Solution,
        pool: ThreadPool,
        progress: Progress | None = None,
        keep: Path | None = None,
        stages: Stages = (),
        limits: StorageLimits | None = None,
        announce: Announce | None = None,
    ) -> None:
        self.solution, self.pool = solution, pool
        self.rules, self.word = solution.rules, solution.rules.word
        self.announce = announce or (lambda key, **details: None)
        self.limits = limits or StorageLimits.of_machine(keep or Path(tempfile.gettempdir()))
        self.space: Any = space_module(self.rules, True)
        self.renumber()
        # The stage, the round in it, and how many numbers it has processed.
        self.stage, self.n, self.done = 0, 0, 0
        self.progress = progress or (lambda what, part: None)
        self._stages = stages
        width = solution.arrays["values"].itemsize
        self.checkpoints = Checkpoints(keep, {**solution.header, "width": width})
        self._resumable = False
        self._last_checkpoint = time.monotonic()
        self._save_seconds = 0.0  # that the last checkpoint took
        self._unsaved: dict[str, Mapping[str, Any]] = {}  # checkpoints that could not be saved yet

    @property
    def arrays(self) -> dict[str, Values]:
        """The arrays of the solution."""
        return self.solution.arrays

    def renumber(self) -> None:
        """Make the numbering of the positions that the solution's header describes."""
        self.numbers: Any = numbering_of(self.rules).space_for(self.rules, self.solution.header)
        self.t: Any = self.numbers.lookup(runtime_of(self.space))

    def loops(self, template: ModuleType) -> Any:
        """Return a kernel template linked with this game, compiled."""
        return link_loops(template, self.rules)

    def resume(self) -> None:
        """Load the checkpoint of an interrupted run, if any, and save checkpoints from now on."""
        self._resumable = True
        saved = self.checkpoints.load("run", {"state": self._state(), **self.arrays})
        if saved is not None:
            state = saved.pop("state").tolist()
            if state[0] in range(len(self._stages)) and min(state) >= 0:
                self.stage, self.n, self.done, self.solution.rounds = state
                self.arrays.update(saved)
        self._report_progress()

    def _state(self) -> NDArray[np.int64]:
        return np.array([self.stage, self.n, self.done, self.solution.rounds], np.int64)

    def save_checkpoint(self, last: bool = False) -> None:
        """Save a checkpoint; `last` is True if this run ends."""
        warned = bool(self._unsaved) and not last
        if self._resumable:
            self._unsaved["run"] = {"state": self._state(), **self.arrays}
        self._save_pending(warned)
        self._last_checkpoint = time.monotonic()

    def checkpoint_due(self, seconds: float) -> bool:
        """Return whether the last checkpoint is old enough, given its age and what saving takes."""
        if self.checkpoints.directory is None:
            return False
        return seconds >= max(CHECKPOINT_INTERVAL_S, 10 * self._save_seconds)

    def save(self, name: str, arrays: Mapping[str, Any]) -> bool:
        """Save a checkpoint at once; return whether it could be saved."""
        began = time.monotonic()
        self._unsaved = {name: arrays}
        self._save_pending(False)
        saved = not self._unsaved
        self._unsaved, self._save_seconds = {}, time.monotonic() - began
        return saved

    def _save_pending(self, warned: bool) -> None:
        """Save the pending checkpoints.

        If that fails, the run continues and tries again later. A warning is given unless `warned`.
        """
        try:
            for name in list(self._unsaved):
                self.checkpoints.save(name, self._unsaved[name])
                del self._unsaved[name]
        except OSError as error:
            if not warned:
                warnings.warn(
                    Notice(translate("solve.not-kept", message=describe_os_error(error))),
                    stacklevel=2,
                )

    def _report_progress(self) -> None:
        """Report the estimated progress; the number of rounds is not known beforehand."""
        name, share, whole = self._stages[self.stage]
        before = sum(share for _, share, _ in self._stages[: self.stage])
        self.progress(name, before + min(self.done / whole, 0.99) * share)

    def batches(self, job: Callable[..., Any], low: int, high: int, size: int) -> list[Any]:
        """Return the results of a job for each piece of a range."""
        found: list[Any] = []
        step = size * self.pool.count * PIECES_PER_THREAD
        for begin in range(low, high, step):
            end = min(begin + step, high)
            found += self.pool.run(job, begin, end, size)
            self.done += end - begin
            self._report_progress()
            if time.monotonic() - self._last_checkpoint > CHECKPOINT_INTERVAL_S:
                self.save_checkpoint()
        return found

    def next_stage(self) -> None:
        """Start the next stage."""
        self.stage, self.n, self.done = self.stage + 1, 0, 0

    def run_rounds(self, arrays: list[Values], high: int, expand: Expand) -> None:
        """Run rounds, starting from the decided numbers below `high`, until none is added.

        A number is in the frontier of round n if its value in one of the arrays has distance n.
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
        """Solve the numbers from `low` to `high`, or load them from a checkpoint.

        `solve` returns the number of rounds.
        """
        section = {name: array[low:high] for name, array in self.arrays.items()}
        like = {"rounds": np.array(0, np.int64), **section}
        saved = self.checkpoints.load(name, like, in_place=True)
        if saved is None:
            rounds = solve()
            warned = bool(self._unsaved)
            self._unsaved[name] = {"rounds": np.array(rounds, np.int64), **section}
            self._save_pending(warned)
        else:
            rounds = int(saved["rounds"])
        self.solution.rounds = max(self.solution.rounds, rounds)
