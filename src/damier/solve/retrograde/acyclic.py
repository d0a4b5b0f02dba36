"""Value of the start of a game in which no position can return, without a table.

It is for games that are too large to be enumerated: the search visits only positions that the value
depends on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from damier.errors import DamierError
from damier.jit import runtime_of
from damier.position import Rules
from damier.solve.link import link_loops, space_module
from damier.solve.numbering.enumerated import EnumeratedSpace, Rests
from damier.solve.retrograde import acyclic_kernels as kernels
from damier.solve.retrograde.solver_run import Progress
from damier.solve.retrograde.storage import Storage, StorageLimits
from damier.solve.tables.values import Outcome

NODES = 100_000  # positions between two reports
FIRST_SLOTS = 1 << 16
OUTCOMES: dict[int, Outcome] = {
    kernels.LOST: "loss",
    kernels.DRAWN: "draw",
    kernels.WON: "win",
}


def value_of_start(
    rules: Rules, limits: StorageLimits, progress: Progress | None = None
) -> tuple[Outcome, int]:
    """Return the value of the start for the side to move, and the number of positions visited.

    Raise DamierError if a position can return, or if the limit of memory is too low.
    """
    loops: Any = link_loops(kernels, rules)
    storage, rests = Storage(limits), Rests(rules)
    words = rules.start().words
    rests.add([words[2]])
    t = _lookup(rules, rests)
    state = np.zeros(6, np.int64)
    path = (
        np.zeros(kernels.FRAME * kernels.MAX_PLY, np.int64),
        np.zeros(kernels.MAX_CHILDREN, np.int64),
        np.zeros(kernels.MAX_CHILDREN, np.int64),
    )
    memory = _memory(storage, FIRST_SLOTS)
    w, b, rest = loops.space.canonical(*words, loops.space.rest_of(words[2], t), t)
    state[kernels.KEY] = loops.space.packed_key(w, b, rest, t)
    while True:
        why = loops.search(NODES, state, path, memory, t)
        if progress is not None:
            progress(f"listing:{state[kernels.COUNT]}", -1.0)
        if why == kernels.FINISHED:
            return OUTCOMES[int(state[kernels.VALUE])], int(state[kernels.COUNT])
        if why == kernels.GROW:
            larger = _memory(storage, 2 * len(memory[0]))
            loops.rehash(memory, larger)
            memory = larger
        elif why == kernels.NEW_REST:
            rests.add([int(state[kernels.REST])])
            t = _lookup(rules, rests)
        elif why != kernels.PAUSED:
            key = "solve-cycle" if why == kernels.CYCLE else "solve-turns"
            raise DamierError(key, game=rules.name)


def _memory(storage: Storage, slots: int) -> tuple[Any, Any]:
    """Return an empty hash table."""
    return storage.resident(slots, np.int64), storage.resident(slots, np.uint8)


def _lookup(rules: Rules, rests: Rests) -> Any:
    """Return the lookup tables for the third words that are known."""
    space = EnumeratedSpace(rules, rests, 0)
    if not space.packed:
        raise DamierError("solve-cells", game=rules.name)
    return space.lookup(runtime_of(space_module(rules, True)))
