"""Default solver, for games without a numbering: it enumerates the reachable positions.

First all positions between moves are found from the start, layer by layer, as sorted runs of keys
(`enumeration`). Then the moves of each position are listed as numbers of positions, and the list is
reversed, range by range (`graph`). Last, values propagate from the finished positions in rounds.
Positions that stay undecided are draws by endless play. That is exact if the third occurrence of a
position is a draw or has no effect; a game where it wins for one side is rejected.

Arrays that are read in order are on disk if memory is short (`storage`). A run can be continued
from its last checkpoint.
"""

from __future__ import annotations

import random
import time
from typing import Any

import numpy as np

from damier.errors import DamierError
from damier.position import Rules
from damier.solve import tables
from damier.solve.retrograde import enumerated_kernels
from damier.solve.retrograde.enumeration import Enumeration
from damier.solve.retrograde.graph import (
    POSITION_BYTES,
    REVERSED,
    SLOT_BYTES,
    SLOTS_PER_POSITION,
    Graph,
)
from damier.solve.retrograde.solver_run import Progress, Solution, SolverRun, Stages
from damier.solve.retrograde.storage import Storage, StorageLimits, in_bytes
from damier.solve.retrograde.whole import census
from damier.solve.value_codes import HOLDING

PIECE = 20_000  # positions per call
SAMPLED_GAMES, SAMPLED_POSITIONS = 10, 200
MAX_NUMBERS = 1 << 31  # a move is a number of a position and one bit, in 32 bits


class EnumeratedSolver:
    """Solver that enumerates all positions, then works backwards from finished ones."""

    stages: Stages = ()

    def endings(self, rules: Rules, pawns: int | None) -> int | None:
        """Return None: the whole game is solved."""
        if pawns is not None:
            raise DamierError("solve-whole", game=rules.name)
        return None

    def size(self, rules: Rules, pawns: int | None) -> tuple[int, int] | None:
        """Return None: the number of positions is not known beforehand."""
        return None

    def on_disk(self, rules: Rules, pawns: int | None) -> tuple[int, int] | None:
        """Return None: the number of positions is not known beforehand."""
        return None

    def capacity(self, rules: Rules, limits: StorageLimits) -> int:
        """Return about how many positions can be solved within some limits.

        A position takes memory for random access, and both lists of moves and a second copy of its
        key somewhere. The number of moves is estimated from random games.
        """
        moves = _mean_moves(rules)
        numbers = limits.memory / (POSITION_BYTES + SLOTS_PER_POSITION * SLOT_BYTES)
        lists = (limits.memory + limits.disk) / (2 * 8 + 2 * 4 * moves)
        return int(min(numbers, lists, MAX_NUMBERS))

    def begin(self, rules: Rules, pawns: int | None, progress: Progress) -> Solution:
        """Return a solution without positions."""
        header = {**tables.header_of(rules, {}), "positions": 0, "rests": []}
        return Solution(rules, header, {"values": np.zeros(0, np.uint16), "keys": _no_keys()})

    def solve(self, run: SolverRun) -> None:
        """Find all positions, then all values."""
        directory = run.checkpoints.directory
        storage = Storage(run.limits, directory and directory.parent)
        enumeration = Enumeration(run, storage, PIECE)
        keys = storage.copy(enumeration.keys())
        size = len(keys) // enumeration.width
        if size >= MAX_NUMBERS:
            raise DamierError("solve-big", game=run.rules.name, most=f"{MAX_NUMBERS - 1:,}")
        run.solution.header |= {"positions": size, "rests": enumeration.rests.words}
        needed = size * POSITION_BYTES + int(size * SLOTS_PER_POSITION) * SLOT_BYTES
        run.announce("solve.listed", positions=f"{size:,}", memory=in_bytes(needed))
        if needed > storage.limits.memory:
            raise storage.error("memory", needed)
        if needed > storage.free_memory:
            keys = storage.copy(keys, storage.limits.memory)  # on disk: slower, but it fits
        run.arrays["keys"] = keys
        run.renumber()
        run.arrays["values"] = values = storage.resident(size, np.uint16)
        self._rounds(run, Graph(run, storage, keys, values), values)

    def _rounds(self, run: SolverRun, graph: Graph, values: Any) -> None:
        """Propagate values in rounds; the frontier of round n are the positions of distance n."""
        saved = run.checkpoints.load("rounds", {"n": np.zeros(1, np.int64), **graph.state()})
        n = 0
        if saved is not None:
            n = int(saved["n"][0])
            values[:], graph.left[:] = saved["values"], saved["left"]
        decided = int(np.count_nonzero(values))
        found, last = _of_distance(values, n), time.monotonic()
        while len(found):
            if n + 1 == HOLDING:
                raise DamierError("solve-long", game=run.rules.name, most=n)
            found = graph.spread(found, n)
            decided += len(found)
            run.progress("rounds", REVERSED + (1 - REVERSED) * decided / (len(values) + 1))
            n += 1
            pause = time.monotonic() - last
            if run.checkpoint_due(pause):
                run.save("rounds", {"n": np.array([n], np.int64), **graph.state()})
                last = time.monotonic()
        run.solution.rounds = n
        run.progress("rounds", 1.0)

    def verify(self, run: SolverRun) -> bool:
        """Return whether every value follows from the values one move later.

        The start, and all positions that moves reach, must be in the list.
        """
        store, check = run.solution.store, run.loops(enumerated_kernels).check
        if run.space.probe_code(*run.rules.start().words, store, run.t) < 0:
            return False
        size = len(run.arrays["values"])
        return all(x < 0 for x in run.pool.run(check, 0, size, PIECE, store, run.t))

    def counts(self, run: SolverRun) -> dict[str, Any]:
        """Count all positions, images and both colours included, by value."""
        values, store = run.arrays["values"], run.solution.store
        loops, longest = run.loops(enumerated_kernels), int(values.max(initial=0))

        def count(low: int, high: int) -> Any:
            tally = np.zeros(longest + 2 + longest % 2, np.int64)
            loops.census(low, high, store, run.t, tally)
            return tally

        return {"play": census(sum(run.pool.run(count, 0, len(values), PIECE)))}


def _mean_moves(rules: Rules) -> float:
    """Return the mean number of moves of a position, estimated from random games."""
    rng = random.Random(0)
    counts: list[int] = []
    for _ in range(SAMPLED_GAMES):
        position = rules.start()
        while not position.result() and len(counts) < SAMPLED_POSITIONS:
            moves = position.legal_moves()
            counts.append(len(moves))
            position = rng.choice(moves).after
    return sum(counts) / max(len(counts), 1)


def _no_keys() -> Any:
    return np.zeros(0, np.int64)


def _of_distance(values: Any, n: int) -> Any:
    """Return the numbers of the positions with a distance."""
    return np.flatnonzero((values == 2 * n + 1) | (values == 2 * n + 2))
