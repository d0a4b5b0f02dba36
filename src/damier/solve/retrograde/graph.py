"""Graph of moves between enumerated positions: for each position the moves that lead to it.

It is built in two passes. The first lists the moves of each position in order; the second reverses
the list for one range of positions after another, as many as fit in memory. Both lists are read in
order, so they may be on disk.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from damier.errors import DamierError
from damier.solve.retrograde import enumerated_kernels
from damier.solve.retrograde.solver_run import SolverRun
from damier.solve.retrograde.storage import Storage

SLOTS_PER_POSITION = 5 / 3  # in the hash table that finds positions
# Bytes of memory for each position: value, number of moves, and where its part of the list begins.
POSITION_BYTES = 2 + 2 + 4
SLOT_BYTES = 4
MAX_PART = (1 << 32) - 1  # moves in the list of one range
PIECE = 20_000  # positions per call, at least
PART_KINDS = {"starts": "<u4", "parents": "<u4"}
SAVED_SECONDS = 20.0  # a graph that takes longer is saved as a checkpoint
# Progress when all moves are listed, and when the list is reversed.
LISTED, REVERSED = 0.5, 0.7


@dataclass
class Part:
    """The moves that lead to the positions from `low` to `high`, in their order."""

    low: int
    high: int
    parents: Any


class Graph:
    """Moves that lead to each position, and the numbers of moves that are not decided yet."""

    def __init__(self, run: SolverRun, storage: Storage, keys: Any, values: Any) -> None:
        self._run, self._storage = run, storage
        self._loops = run.loops(enumerated_kernels)
        self._values = values
        size = len(values)
        self.left = storage.resident(size, np.uint16)
        self._starts = storage.resident(size, np.uint32)
        self._parts: list[Part] = []
        began = time.monotonic()
        if not self._resume():
            self._reverse(self._link_moves(keys))  # the first list is freed before saving
            if time.monotonic() - began > SAVED_SECONDS:
                self._save()

    def state(self) -> dict[str, Any]:
        """Return the arrays that change during the rounds."""
        return {"values": self._values, "left": self.left}

    def _link_moves(self, keys: Any) -> list[tuple[int, Any]]:
        """Judge finished positions; return the moves of the others, in blocks of positions."""
        run, size, t = self._run, len(self._values), self._run.t
        width = len(keys) // size
        slots = self._storage.resident(int(size * SLOTS_PER_POSITION) + 1, np.uint32)
        self._loops.fill(keys, width, slots)

        def link_range(low: int, high: int) -> Any:
            moves, count = self._loops.link_moves(
                low, high, keys, slots, self._values, self.left, t
            )
            if count < 0:
                raise DamierError("solve-turns", game=run.rules.name)
            return np.asarray(moves[:count], np.uint32)

        blocks, reserve = [], self._storage.free_memory // 2
        piece = max(PIECE, size // 4000)
        for low, high, moves in run.pool.stream(link_range, 0, size, piece):
            blocks.append((low, self._storage.copy(moves, reserve)))
            run.progress("turns", LISTED * high / size)
        return blocks

    def _reverse(self, blocks: list[tuple[int, Any]]) -> None:
        """Reverse the list of moves, range by range."""
        size, loops, starts = len(self._values), self._loops, self._starts
        for _, moves in blocks:
            self._split(
                lambda low, high, moves=moves: loops.count_parents(low, high, moves, starts)
            )
        room, total = self._storage.free_memory // 4, sum(len(moves) for _, moves in blocks)
        most = total if total <= room else max(room // 2, 1)
        low = 0
        while low < size:
            high = loops.ends_of(low, size, starts, min(most, MAX_PART))
            if high == low:
                raise self._storage.error("memory", self._storage.memory + 8 * int(starts[low]))
            parents = self._storage.resident(int(starts[high - 1]), np.uint32)
            for first, moves in blocks:
                self._split(
                    lambda a, b, first=first, moves=moves, parents=parents: loops.put_parents(
                        a, b, first, moves, self.left, starts, parents
                    ),
                    low,
                    high,
                )
                done = LISTED + (REVERSED - LISTED) * (low + (high - low) * first / size) / size
                self._run.progress("turns", done)
            if total > room:  # only one range at a time is in memory
                parents = self._storage.copy(parents, self._storage.limits.memory)
            self._parts.append(Part(low, high, parents))
            low = high

    def _split(self, job: Any, low: int = 0, high: int = -1) -> None:
        """Run a job for a range, divided among the threads."""
        high = len(self._values) if high < 0 else high
        share = -(-(high - low) // self._run.pool.count)
        list(self._run.pool.run(job, low, high, max(share, 1)))

    def _save(self) -> None:
        """Save the graph as checkpoints, one for each range."""
        if self._run.checkpoints.directory is None:
            return
        for k, part in enumerate(self._parts):
            starts = self._starts[part.low : part.high]
            if not self._run.save(f"moves-{k}", {"starts": starts, "parents": part.parents}):
                return
        self._run.save("left", self.state())

    def _resume(self) -> bool:
        """Load the graph from checkpoints; return False if there is none."""
        left = self._run.checkpoints.load("left", self.state())
        low, size = 0, len(self._values)
        while left is not None and low < size:
            part = self._run.checkpoints.load_lists(
                f"moves-{len(self._parts)}", PART_KINDS, self._storage.empty
            )
            if part is None:
                self._parts.clear()
                return False
            high = low + len(part["starts"])
            self._starts[low:high] = part["starts"]
            self._parts.append(Part(low, high, part["parents"]))
            low = high
        if left is None:
            return False
        self._values[:], self.left[:] = left["values"], left["left"]
        return True

    def spread(self, frontier: Any, n: int) -> Any:
        """Decide positions in n + 1 moves from positions decided in n; return them, sorted."""
        found = [frontier[:0]]
        size = len(self._values)
        share = -(-size // self._run.pool.count)
        for part in self._parts:
            begin, end = np.searchsorted(frontier, (part.low, part.high))
            some = frontier[begin:end]
            if not len(some):
                continue
            graph = self._values, self.left, self._starts, part.parents

            found += self._run.pool.run(self._spread, 0, size, share, part, some, n, graph)
        return np.sort(np.concatenate(found))

    def _spread(self, low: int, high: int, part: Part, some: Any, n: int, graph: Any) -> Any:
        """Decide positions from `low` to `high`; return them."""
        more, count = self._loops.spread(low, high, part.low, part.high, some, n, graph)
        return more[:count]
