"""Search limits, stop signal and search statistics."""

from __future__ import annotations

import sys
import threading
from dataclasses import dataclass

from damier.search.alphabeta import MAX_DEPTH

SHORT_SEARCH = 4_000  # maximum nodes for which plain Python is fast enough
# Entries of the transposition table: a power of two, by the nodes that a search will visit.
MIN_TT, MAX_TT = 1 << 15, 1 << 22
MAX_NODES_PER_SECOND = 3_000_000  # on a fast machine
# Maximum of `expected_nodes` of a search with a time limit: a browser tab has less memory. The
# tables of other searches have the same size everywhere, so that their results are the same.
MAX_TIMED_NODES = 1 << 20 if sys.platform == "emscripten" else MAX_TT


class Stop:
    """Signal that ends a search within 50 ms; any thread may set it."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        """End the search."""
        self._event.set()

    def is_set(self) -> bool:
        """Return whether the signal is set."""
        return self._event.is_set()

    def wait(self) -> None:
        """Wait until the signal is set."""
        self._event.wait()


@dataclass(frozen=True)
class Limits:
    """Search limits: depth in moves, nodes and seconds; the first one reached ends the search.

    Without `reductions` late steps are searched to the same depth as the first ones.
    """

    depth: int = MAX_DEPTH
    nodes: int | None = None
    seconds: float | None = None
    reductions: bool = True

    @property
    def repeatable(self) -> bool:
        """Whether a search with a cleared transposition table always gives the same result.

        A search with a time limit does not.
        """
        return self.seconds is None and (self.nodes is not None or self.depth < MAX_DEPTH)

    @property
    def short(self) -> bool:
        """Whether plain Python is fast enough for the search, so that no compiler is needed."""
        return self.depth == 1 or (self.nodes is not None and self.nodes <= SHORT_SEARCH)

    @property
    def expected_nodes(self) -> int:
        """Upper bound of the nodes that a search visits, to choose the size of its memory."""
        nodes = MAX_TT if self.nodes is None else self.nodes
        if self.depth == 1:
            nodes = min(nodes, MIN_TT)
        if self.seconds is None:
            return nodes
        return min(nodes, int(self.seconds * MAX_NODES_PER_SECOND), MAX_TIMED_NODES)


@dataclass(frozen=True)
class SearchStats:
    """Statistics of the search before a player's last move: depth in moves, nodes, seconds.

    All are 0 if there was no search: a single legal move, or a move from a table. `hasty` is True
    if the search ran before all kernels were compiled, and so with less depth than usual.
    """

    depth: int = 0
    nodes: int = 0
    seconds: float = 0.0
    hasty: bool = False
