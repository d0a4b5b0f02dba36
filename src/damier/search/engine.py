"""An engine: the search of one game, at the best speed that can be had when it is made.

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
from damier.games import Words
from damier.history import Game
from damier.position import Rules
from damier.search.limits import MAX_TT, Limits, Stop
from damier.search.root import (
    CONTEMPT,
    RootSearch,
    RootTurn,
    SearchResult,
    principal_variation,
)
from damier.search.warmup import FOREVER, PATIENCE, WARMUPS
from damier.search.worker import Worker

if TYPE_CHECKING:
    from damier.solve.tables import Table

HASTE = 1.5  # seconds that plain Python takes for an answer, where the compiler is not done


class Engine:
    """A search with its memory. One engine thinks about one position at a time.

    While it thinks, other threads that ask it are refused with DamierError; it answers again after.
    """

    def __init__(
        self,
        rules: Rules,
        *,
        room: int = MAX_TT,
        compiled: bool | None = None,
        weights: tuple[int, ...] | None = None,
        endings: Table | None = None,
        patience: float = PATIENCE,
        stop: Stop | None = None,
    ) -> None:
        """Make an engine; `room` is how many nodes it will look at, to choose its size.

        `endings` is a table to probe. `compiled=None` takes compiled code, but will not keep the
        first caller waiting for it longer than `patience`, in seconds, and does without the endings
        until the code for them is there. A search whose answer must always be the same waits all
        the same, unless it is short. `weights` are other ones than those in force, with what the
        evaluation looks up behind them.
        """
        self.rules = rules
        self.room = room
        self.endings = endings
        self._weights = weights
        self._owner = Lock()  # held by the thread that thinks
        self._thinking: int | None = None  # which thread that is
        # Whether a new engine would be no better: compiled, and with its endings.
        self.complete = True
        probed = endings
        if compiled is None:
            compiled = jit.enabled()
            if compiled:
                compiled, probed = self._compiled(patience, stop)
                self.complete = compiled and probed is endings
        self.worker = self._made(compiled, probed)

    def _compiled(self, patience: float, stop: Stop | None) -> tuple[bool, Table | None]:
        """Wait for the compiler; return whether it is done, and the endings that can be probed."""
        if not WARMUPS.wait(self.rules, patience, stop):
            return False, self.endings
        if self.endings is None:
            return True, None
        patience = patience if patience == FOREVER else 0.0
        probing = WARMUPS.wait(self.rules, patience, stop, self.endings)
        return True, self.endings if probing else None

    def _made(self, compiled: bool, endings: Table | None) -> Worker:
        return Worker(
            self.rules, compiled=compiled, room=self.room, weights=self._weights, endings=endings
        )

    def _settle(self, limits: Limits, stop: Stop | None) -> None:
        """See to it that a repeatable search gives the answer that it always gives.

        With its endings it is the same at both speeds: what is short need not wait.
        """
        if not limits.short:
            compiled, probed = self._compiled(FOREVER, stop)
            self.complete = compiled and probed is self.endings
        if self.complete or self.worker.compiled:
            self.worker = self._made(self.complete, self.endings)

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
        """Search a game that is not over; what may follow the limits is rarely given.

        `multipv`: find the value of every turn, not only of the best. `fresh`: forget what earlier
        searches found, so that the same game and limits give the same answer. `contempt`: play for
        a win, shun repetition and, unless ahead, what is mostly drawn. `only`: choose among the
        turns that lead there. `report` is called after each depth.
        """
        if not self._owner.acquire(blocking=False):
            raise DamierError("engine-busy")
        try:
            self._thinking = get_ident()
            search = self._begun(game, limits, multipv, contempt, only, stop, fresh)
            return search.deepen(report)
        finally:
            self._thinking = None
            self._owner.release()

    def _begun(
        self,
        game: Game,
        limits: Limits,
        multipv: bool,
        contempt: bool,
        only: Collection[Words] | None,
        stop: Stop | None,
        fresh: bool,
    ) -> RootSearch:
        """Return the search of a game, ready to begin; the arguments are those of `think`."""
        if limits.repeatable and not self.complete:
            self._settle(limits, stop)
        hasty = not self.complete and not limits.repeatable
        if hasty and not self.worker.compiled:
            limits = replace(limits, seconds=min(limits.seconds or HASTE, HASTE))
        search = RootSearch(self.worker, game, limits, multipv=multipv, only=only, stop=stop)
        search.result.hasty = hasty
        cost = round(CONTEMPT * self.rules.folder.weights.scale) if contempt else 0
        self.worker.prepare(fresh, -cost if game.position.rest & 1 else cost, limits.reductions)
        self.worker.push_game(game)
        return search

    def line(self, root: RootTurn, game: Game, most: int = 12) -> tuple[str, ...]:
        """Return the principal variation of a turn, as texts: legal in this game."""
        if self._thinking not in (None, get_ident()):
            raise DamierError("engine-busy")
        return principal_variation(self.worker, root, game, most)


def engine_for(
    engine: Engine | None,
    rules: Rules,
    limits: Limits,
    *,
    endings: Table | None = None,
    stop: Stop | None = None,
) -> Engine:
    """Return an engine for a search: the one that there is, unless a better one can be had."""
    if (
        engine is not None
        and engine.complete
        and (engine.rules, engine.room, engine.endings) == (rules, limits.room, endings)
    ):
        return engine
    # A short search plain Python does at once, while the compiler works for later.
    patience = 0.0 if limits.short else FOREVER if limits.repeatable else PATIENCE
    return Engine(rules, room=limits.room, endings=endings, patience=patience, stop=stop)
