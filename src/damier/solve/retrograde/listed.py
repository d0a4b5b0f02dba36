"""The default: solving whatever small game by listing the positions that play reaches.

First all positions between turns are found from the start on, each once; then the graph of turns is
turned round, and the values go back from the positions that are over. What is not decided then is a
draw: play that need never end. That is exact as long as the third occurrence of a position is a
draw, or nothing; where it wins for one side, the game is refused.

All this is in memory, 60 to 100 bytes a position: hence a bound. It is done in one thread and
short calls, between which an interruption is noticed; nothing is kept of an interrupted run.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from damier.errors import DamierError
from damier.position import Rules
from damier.solve import tables
from damier.solve.codes import HOLDING
from damier.solve.link import linked
from damier.solve.numbering import MOST_POSITIONS
from damier.solve.retrograde import listing
from damier.solve.retrograde.run import Progress, Run, Solution, Stages
from damier.solve.retrograde.whole import census

ROOM = 1 << 16  # positions, to begin with
PIECE = 20_000  # positions a call
LISTING, LINKING = 0.4, 0.9  # how far a run is when positions are listed, and when turns are known

Words = NDArray[np.int64]


class Listed:
    """Lists all positions, then goes back from those that are over."""

    stages: Stages = ()

    def endings(self, rules: Rules, pawns: int | None) -> int | None:
        """Return None: the game is solved whole."""
        if pawns is not None:
            raise DamierError("solve-whole", game=rules.name)
        return None

    def size(self, rules: Rules, pawns: int | None) -> tuple[int, int] | None:
        """Return None: how many positions there are is not known before they are listed."""
        return None

    def begin(self, rules: Rules, pawns: int | None, progress: Progress) -> Solution:
        """Return a solution with all positions, sorted, in which nothing is decided yet."""
        words = positions(rules, progress)
        white, black, rest = words[0::3].copy(), words[1::3].copy(), words[2::3].copy()
        values = np.zeros(len(white), np.uint16)
        header = {**tables.header_of(rules, {}), "positions": len(white)}
        arrays: dict[str, Any] = {"values": values, "white": white, "black": black, "rest": rest}
        return Solution(rules, header, arrays)

    def solve(self, run: Run) -> None:
        """Find every value."""
        values, rest = run.arrays["values"], run.arrays["rest"]
        left, graph = self._graph(run)
        spread, sides = run.loops(listing).spread, (rest & 1).astype(np.uint8)
        found, n, decided = np.flatnonzero(values), 0, 0
        while len(found):
            if n + 1 == HOLDING:
                raise DamierError("solve-long", game=run.rules.name, most=n)
            numbers = [found[:0]]
            for begin in range(0, len(found), PIECE):
                some = found[begin : begin + PIECE]
                more, count = spread(some, n, sides, values, left, graph)
                numbers.append(np.asarray(more[:count], np.int64))
                decided += len(some)
                run.progress("rounds", LINKING + (1 - LINKING) * decided / (len(values) + 1))
            found = np.concatenate(numbers)
            n += 1
        run.solution.rounds = n
        run.progress("rounds", 1.0)

    def _graph(self, run: Run) -> tuple[Any, listing.Graph]:
        """Judge what is over; return how many turns each position has, and what is before each."""
        loops, arrays = run.loops(listing), run.arrays
        words = np.column_stack((arrays["white"], arrays["black"], arrays["rest"])).ravel()
        size = len(arrays["values"])
        slots = _slots(loops, words, size)
        left = np.zeros(size, np.int32)
        starts = np.zeros(size + 1, np.int64)

        def pass_(job: Any, *more: Any, done: float) -> None:
            for low in range(0, size, PIECE):
                part = done + 0.5 * low / size
                run.progress("turns", LISTING + (LINKING - LISTING) * part)
                job(low, min(low + PIECE, size), words, slots, *more)

        pass_(loops.count_turns, arrays["values"], left, starts, done=0.0)
        np.cumsum(starts, out=starts)  # where each number's part ends; filled from there
        graph: Any = (starts, np.zeros(int(starts[-1]), np.int32))
        pass_(loops.put_parents, graph, done=0.5)
        return left, graph

    def verify(self, run: Run) -> bool:
        """Tell whether every value follows from those that one turn leads to, all of them listed.

        The start must be listed too.
        """
        store, check = run.solution.store, run.loops(listing).check
        if run.space.probe_code(*run.rules.start().words, store, run.t) < 0:
            return False
        size = len(run.arrays["values"])
        return all(x < 0 for x in run.pool.run(check, 0, size, PIECE, store, run.t))

    def counts(self, run: Run) -> dict[str, Any]:
        """Count the positions by value."""
        tally = np.bincount(run.arrays["values"], minlength=3)
        return {"play": census(tally)}


def positions(rules: Rules, progress: Progress) -> Words:
    """Return all positions between turns that play reaches, sorted, three words each."""
    loops = linked(listing, rules)
    words, state = np.zeros(3 * ROOM, np.int64), np.zeros(3, np.int64)
    words[:3] = rules.start().words
    state[0] = 1
    slots, shown = _slots(loops, words, 1), 0.0
    while state[1] < state[0]:
        if 3 * int(state[0]) == len(words):
            if state[0] >= MOST_POSITIONS:
                raise DamierError("solve-big", game=rules.name, most=f"{MOST_POSITIONS:,}")
            more = min(len(words), 3 * MOST_POSITIONS - len(words))
            words = np.concatenate((words, np.zeros(more, np.int64)))
            slots = _slots(loops, words, int(state[0]))
        loops.find_more(PIECE, words, slots, state)
        if state[2]:
            raise DamierError("solve-turns", game=rules.name)
        shown = max(shown, LISTING * float(state[1] / state[0]))
        progress("listing", shown)
    count = int(state[0])
    words = words[: 3 * count]
    for low in range(0, count, PIECE):
        if loops.repetition_wins(low, min(low + PIECE, count), words):
            raise DamierError("solve-repetition", game=rules.name)
    order = np.lexsort((words[2::3], words[1::3], words[0::3]))
    return words.reshape(-1, 3)[order].ravel()


def _slots(loops: Any, words: Words, count: int) -> NDArray[np.int64]:
    """Return the slots of so many positions, with room for as many as there are words for."""
    size = 2
    while size < 2 * len(words) // 3:
        size *= 2
    slots = np.zeros(size, np.int64)
    loops.fill(count, words, slots)
    return slots
