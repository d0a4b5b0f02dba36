"""Engine: the search of one game, compiled if the compiler is ready.

from damier.search import Engine, Limits

result = Engine(game.rules).think(game, Limits(seconds=1))
result.best.text(game), result.best.value, result.depth, result.nodes
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from threading import Lock, get_ident
from typing import TYPE_CHECKING

from damier import jit
from damier.errors import DamierError
from damier.gameplay import Game
from damier.games import Words
from damier.position import Rules
from damier.search.limits import MAX_TT, Limits, Stop
from damier.search.root import (
    CONTEMPT,
    RootMove,
    RootSearch,
    SearchResult,
    principal_variation,
)
from damier.search.searcher import Searcher
from damier.search.warmup import FOREVER, PATIENCE, WARMUPS

if TYPE_CHECKING:
    from damier.solve.tables import Table

MAX_PLAIN_SECONDS = 1.5  # of a search in plain Python while the compiler is not ready


class Engine:
    """Search with its memory, for one position at a time.

    While a thread searches, calls from other threads raise DamierError.
    """

    def __init__(
        self,
        rules: Rules,
        *,
        expected_nodes: int = MAX_TT,
        compiled: bool | None = None,
        weights: tuple[int, ...] | None = None,
        endings: Table | None = None,
        patience: float = PATIENCE,
        stop: Stop | None = None,
    ) -> None:
        """Create an engine; `expected_nodes` sets the size of its transposition table.

        `endings` is a table to probe. `compiled=None` uses compiled code if it is ready within
        `patience` seconds, and the endings as soon as their kernels are compiled. A repeatable
        search that is not short waits for the compiler in any case. `weights` replace the game's
        weights, with the evaluation's tables after them.
        """
        self.rules = rules
        self.expected_nodes = expected_nodes
        self.endings = endings
        self._weights = weights
        self._owner = Lock()  # held by the thread that searches
        self._thinking: int | None = None  # identifier of that thread
        # Whether the searcher uses compiled code and, if there is a table, the endings.
        self.complete = True
        probed = endings
        if compiled is None:
            compiled = jit.enabled()
            if compiled:
                compiled, probed = self._wait_for_compiler(patience, stop)
                self.complete = compiled and probed is endings
        self.searcher = self._new_searcher(compiled, probed)

    def _wait_for_compiler(self, patience: float, stop: Stop | None) -> tuple[bool, Table | None]:
        """Wait for the compiler; return whether it is ready, and the endings that can be probed."""
        if not WARMUPS.wait(self.rules, patience, stop):
            return False, self.endings
        if self.endings is None:
            return True, None
        patience = patience if patience == FOREVER else 0.0
        probing = WARMUPS.wait(self.rules, patience, stop, self.endings)
        return True, self.endings if probing else None

    def _new_searcher(self, compiled: bool, endings: Table | None) -> Searcher:
        return Searcher(
            self.rules,
            compiled=compiled,
            expected_nodes=self.expected_nodes,
            weights=self._weights,
            endings=endings,
        )

    def _use_final_searcher(self, limits: Limits, stop: Stop | None) -> None:
        """Replace the searcher so that a repeatable search gives its usual result.

        With the endings the result is the same in plain Python, so a short search does not wait.
        """
        if not limits.short:
            compiled, probed = self._wait_for_compiler(FOREVER, stop)
            self.complete = compiled and probed is self.endings
        if self.complete or self.searcher.compiled:
            self.searcher = self._new_searcher(self.complete, self.endings)

    def think(
        self,
        game: Game,
        limits: Limits,
        *,
        multipv: bool = False,
        fresh: bool = True,
        contempt: bool = False,
        only: Collection[Words] | None = None,
        stop: Stop | None = None,
        report: Callable[[SearchResult], None] | None = None,
    ) -> SearchResult:
        """Search a game that is not over and return the result.

        `multipv`: find the value of every move, not only of the best. `fresh`: clear the results of
        earlier searches, so that the same game and limits give the same result. `contempt`: play
        for a win; avoid repetition and, unless ahead, drawish positions. `only`: restrict the
        search to the moves that lead to these positions. `report` is called after each depth.
        """
        if not self._owner.acquire(blocking=False):
            raise DamierError("engine-busy")
        try:
            self._thinking = get_ident()
            search = self._root_search(game, limits, multipv, contempt, only, stop, fresh)
            return search.deepen(report)
        finally:
            self._thinking = None
            self._owner.release()

    def _root_search(
        self,
        game: Game,
        limits: Limits,
        multipv: bool,
        contempt: bool,
        only: Collection[Words] | None,
        stop: Stop | None,
        fresh: bool,
    ) -> RootSearch:
        """Return the prepared search of a game; the arguments are those of `think`."""
        if limits.repeatable and not self.complete:
            self._use_final_searcher(limits, stop)
        hasty = not self.complete and not limits.repeatable
        if hasty and not self.searcher.compiled:
            limits = replace(
                limits, seconds=min(limits.seconds or MAX_PLAIN_SECONDS, MAX_PLAIN_SECONDS)
            )
        search = RootSearch(self.searcher, game, limits, multipv=multipv, only=only, stop=stop)
        search.result.hasty = hasty
        cost = round(CONTEMPT * self.rules.folder.weights.scale) if contempt else 0
        self.searcher.prepare(fresh, -cost if game.position.rest & 1 else cost, limits.reductions)
        self.searcher.push_game(game)
        return search

    def line(self, root: RootMove, game: Game, max_moves: int = 12) -> tuple[str, ...]:
        """Return the principal variation of a move as texts, legal in this game."""
        if self._thinking not in (None, get_ident()):
            raise DamierError("engine-busy")
        return principal_variation(self.searcher, root, game, max_moves)


def engine_for(
    engine: Engine | None,
    rules: Rules,
    limits: Limits,
    *,
    endings: Table | None = None,
    stop: Stop | None = None,
) -> Engine:
    """Return an engine for a search: the given one if it is complete and fits, else a new one."""
    if (
        engine is not None
        and engine.complete
        and (engine.rules, engine.expected_nodes, engine.endings)
        == (rules, limits.expected_nodes, endings)
    ):
        return engine
    # A short search runs in plain Python at once, while the compiler works in the background.
    patience = 0.0 if limits.short else FOREVER if limits.repeatable else PATIENCE
    return Engine(
        rules, expected_nodes=limits.expected_nodes, endings=endings, patience=patience, stop=stop
    )
