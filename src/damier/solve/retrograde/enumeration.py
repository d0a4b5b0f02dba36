"""Enumeration of the positions that a game reaches, layer by layer, as sorted runs of keys.

A layer is the set of positions that no shorter game reaches. Its moves are played in pieces on all
cores; each piece gives a run, runs are merged, and the positions of earlier layers are removed: one
pass through the known positions for each layer.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from damier.errors import DamierError
from damier.jit import runtime_of
from damier.solve.numbering.enumerated import MAX_RESTS, EnumeratedSpace, Rests
from damier.solve.retrograde import enumerated_kernels
from damier.solve.retrograde.solver_run import SolverRun
from damier.solve.retrograde.sorted_runs import RunSet, sorted_run
from damier.solve.retrograde.storage import Storage

SAVED_SECONDS = 2.0  # a list that takes longer is saved when it is complete
PROBLEMS = {
    enumerated_kernels.TOO_MANY_STEPS: "solve-turns",
    enumerated_kernels.REPETITION_WINS: "solve-repetition",
    enumerated_kernels.OVERLAP: "solve-overlap",
}
LISTING_KINDS = {"new": "<i8", "layer": "<i8", "rests": "<i8"}


class Enumeration:
    """Positions of a game: the runs found so far, and the layer whose moves are played next."""

    def __init__(self, run: SolverRun, storage: Storage, piece: int) -> None:
        self._run, self._storage, self._piece = run, storage, piece
        self._rules = run.rules
        self._loops = run.loops(enumerated_kernels)
        self.rests = Rests(self._rules)
        self._saved = 0  # checkpoints
        self._prepare()

    def _prepare(self) -> None:
        """Make the lookup tables for the third words that are known."""
        if len(self.rests.words) > MAX_RESTS:
            raise DamierError("solve-rests", game=self._rules.name, most=f"{MAX_RESTS:,}")
        space = EnumeratedSpace(self._rules, self.rests, 0)
        self.width = space.width
        self._t = space.lookup(runtime_of(self._run.space))

    def keys(self) -> Any:
        """Return the keys of all positions, sorted."""
        known, new, layer = self._resume()
        last = time.monotonic()
        while len(layer):
            unsaved = list(new.runs)
            try:
                found, strays = self._next_layer(known, layer)
            except KeyboardInterrupt:
                self._save(unsaved, layer)
                raise
            if len(strays):
                old_width, old_t = self.width, self._t
                self.rests.add(np.unique(strays[2::3]).tolist())
                self._prepare()
                if self.width != old_width:
                    known, found = (
                        self._convert_keys(known, old_t),
                        self._convert_keys(found, old_t),
                    )
                    new, self._saved = self._set(known.runs), 0
                found.add(self._encode(strays))
            layer = known.without(found.merge_all(), known.runs)
            known.add(layer)
            if self._run.checkpoints.directory is not None:
                new.add(layer)
            if self._run.checkpoint_due(time.monotonic() - last):
                if self._save(new.runs, layer):
                    new = self._set([])
                last = time.monotonic()
        if time.monotonic() - last > SAVED_SECONDS or (self._saved and new.runs):
            self._save(new.runs, layer)
        del new
        return known.merge_all()

    def _next_layer(self, known: RunSet, layer: Any) -> tuple[RunSet, Any]:
        """Return the positions that moves from a layer reach, and those with new third words."""
        found, strays = self._set([]), [np.zeros(0, np.int64)]
        size = len(layer) // self.width
        before = sum(map(len, known.runs)) // self.width - size
        pieces = self._run.pool.stream(
            lambda low, high: self._expand(layer, low, high), 0, size, self._piece
        )
        for _, end, (keys, others) in pieces:
            found.add(self._storage.copy(keys) if len(keys) else keys)
            if len(others):
                strays.append(others)
            self._run.progress(f"listing:{before + end}", -1.0)
        return found, np.concatenate(strays)

    def _set(self, runs: list[Any]) -> RunSet:
        """Return a set of runs."""
        found = RunSet(self._storage, self.width)
        for run in runs:
            found.add(run)
        return found

    def _encode(self, words: Any) -> Any:
        """Return positions, three words each, as a run."""
        keys = np.zeros(self.width * (len(words) // 3), np.int64)
        self._loops.encode(words, keys, self._t)
        return sorted_run(keys, self.width)

    def _convert_keys(self, runs: RunSet, old_t: Any) -> RunSet:
        """Return a set with wide keys instead of packed ones."""
        converted = []
        for run in runs.runs:
            words = np.zeros(3 * len(run), np.int64)
            self._loops.decode(run, words, old_t)
            converted.append(self._encode(words))
        return self._set(converted)

    def _save(self, runs: list[Any], layer: Any) -> bool:
        """Save the positions found since the last checkpoint, and the layer to continue from."""
        if self._run.checkpoints.directory is None:
            return False
        rests = np.array(self.rests.words, np.int64)
        arrays = {"new": self._set(runs).merge_all(), "layer": layer, "rests": rests}
        saved: bool = self._run.save(self._name(self.width), arrays)
        self._saved += saved
        return saved

    def _name(self, width: int) -> str:
        """Return the name of the next checkpoint."""
        return f"positions-{width}-{self._saved}"

    def _resume(self) -> tuple[RunSet, RunSet, Any]:
        """Return the known positions, those not saved yet, and the layer to continue from."""
        found, arrays = [], None
        for width in (3, 1):
            while arrays is None or found:
                more = self._run.checkpoints.load_lists(
                    self._name(width), LISTING_KINDS, self._storage.empty
                )
                if more is None:
                    break
                arrays = more
                self._saved += 1
                found.append(more["new"])
            if arrays is not None:
                self.rests = Rests(self._rules, arrays["rests"].tolist())
                self._prepare()
                return self._set(found), self._set([]), arrays["layer"]
        words = self._rules.start().words
        self.rests.add([words[2]])
        self._prepare()
        start = self._encode(np.array(words, np.int64))
        return self._set([start]), self._set([start]), start

    def _expand(self, layer: Any, low: int, high: int) -> tuple[Any, Any]:
        """Return a run of the positions that moves reach, and those with unknown third words."""
        keys, count, words, strays, problem = self._loops.expand(low, high, layer, self._t)
        if problem:
            raise DamierError(PROBLEMS[problem], game=self._rules.name)
        others = np.asarray(words[: 3 * strays], np.int64)
        if strays:
            others = np.unique(others.reshape(-1, 3), axis=0).ravel()
        return sorted_run(keys[: self.width * count], self.width), others
