"""Sorted runs of keys without duplicates: the set operations of an enumeration.

A run is an array of keys of `width` numbers each, in lexicographic order. Runs are merged like the
digits of a binary counter, so each key takes part in few merges, and every pass is sequential.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from damier import jit
from damier.solve.retrograde import run_kernels
from damier.solve.retrograde.storage import Storage


def sorted_run(keys: Any, width: int) -> Any:
    """Return some keys as a run."""
    if width == 1:
        ordered = np.sort(keys)
    else:
        columns = keys.reshape(-1, width)
        ordered = columns[np.lexsort(columns.T[::-1])].ravel()
    count = kernels().unique(ordered, width)
    return ordered[: width * count]


def kernels() -> Any:
    """Return the compiled kernels of runs."""
    return jit.link(run_kernels)


class RunSet:
    """Set of keys in disjoint or overlapping runs of falling lengths."""

    def __init__(self, storage: Storage, width: int) -> None:
        self._storage, self._width = storage, width
        self.runs: list[Any] = []

    def add(self, run: Any) -> None:
        """Add a run."""
        while self.runs and len(self.runs[-1]) <= 2 * len(run):
            run = self._merge(self.runs.pop(), run)
        if len(run):
            self.runs.append(run)

    def merge_all(self) -> Any:
        """Return all keys as one run, and empty the set."""
        run = np.zeros(0, np.int64)
        while self.runs:
            run = self._merge(self.runs.pop(), run)
        return run

    def without(self, run: Any, others: Iterable[Any]) -> Any:
        """Return the keys of a run that are in none of the others."""
        for other in others:
            left = self._storage.empty(len(run), np.int64)
            count = kernels().subtract(run, other, left, self._width)
            run = left[: self._width * count]
        return run

    def _merge(self, one: Any, other: Any) -> Any:
        """Return the union of two runs."""
        if not len(one) or not len(other):
            return one if len(one) else other
        union = self._storage.empty(len(one) + len(other), np.int64)
        count = kernels().merge(one, other, union, self._width)
        return union[: self._width * count]
