"""How long to search, how to stop a search, and how much one has looked at."""

from __future__ import annotations

import sys
import threading
from dataclasses import dataclass

from damier.search.alphabeta import MAX_DEPTH

SHORT_SEARCH = 4_000  # nodes: what plain Python does at once
# The transposition table has entries of two words, so that a search of n nodes has room.
MIN_TT, MAX_TT = 1 << 15, 1 << 22
FASTEST = 3_000_000  # nodes a second
# Nodes for which a search by the clock has room: a tab of a browser has less than a machine. Others
# have the same everywhere, for their answers are.
TIMED_ROOM = 1 << 20 if sys.platform == "emscripten" else MAX_TT


class Stop:
    """Tells a search, from any thread, to end: it does so within 50 ms."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        """End the search."""
        self._event.set()

    def is_set(self) -> bool:
        """Tell whether the search was told to end."""
        return self._event.is_set()

    def wait(self) -> None:
        """Wait until the search is told to end."""
        self._event.wait()


@dataclass(frozen=True)
class Limits:
    """How long to search: turns deep, nodes, seconds; whichever comes first.

    Without `reductions` late steps are searched as deep as the first ones.
    """

    depth: int = MAX_DEPTH
    nodes: int | None = None
    seconds: float | None = None
    reductions: bool = True

    @property
    def repeatable(self) -> bool:
        """Whether a search gives the same answer each time, if it forgets what earlier ones found.

        With a limit of time no two searches are alike anyway.
        """
        return self.seconds is None and (self.nodes is not None or self.depth < MAX_DEPTH)

    @property
    def short(self) -> bool:
        """Whether plain Python does such a search at once, so that no compiler is needed."""
        return self.depth == 1 or (self.nodes is not None and self.nodes <= SHORT_SEARCH)

    @property
    def room(self) -> int:
        """How many nodes a search will look at, at most: for the size of its memory."""
        room = MAX_TT if self.nodes is None else self.nodes
        if self.depth == 1:
            room = min(room, MIN_TT)
        if self.seconds is None:
            return room
        return min(room, int(self.seconds * FASTEST), TIMED_ROOM)


@dataclass(frozen=True)
class Looked:
    """How deep a player looked before its last choice, in turns, at how many nodes, for how long.

    All is 0 where there was nothing to search: a single legal turn, or a table that knows. `hasty`
    says that not all was compiled yet: the next choice will look further.
    """

    depth: int = 0
    nodes: int = 0
    seconds: float = 0.0
    hasty: bool = False
