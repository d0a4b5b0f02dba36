"""An engine: the search of one game, at the best speed that can be had when it is made.

from damier.search import Engine, Limits

result = Engine(game.rules).think(game, Limits(seconds=1))
result.best.text(game), result.best.value, result.depth, result.nodes
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from damier import jit
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
from damier.search.warmup import PATIENCE, WARMUPS
from damier.search.worker import Worker

if TYPE_CHECKING:
    from damier.solve.tables import Table

HASTE = 1.5  # seconds that plain Python takes for an answer, where the compiler is not done


class Engine:
    """A search with its memory. One engine thinks about one position at a time."""

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
        until the code for them is there. `weights` are other ones than those in force, with what
        the evaluation looks up behind them.
        """
        self.rules = rules
        self.room = room
        self.endings = endings
        self.hasty = False
        if compiled is None:
            compiled = jit.enabled()
            if compiled and not WARMUPS.ready(rules):
                compiled = WARMUPS.wait(rules, patience, stop)
                self.hasty = not compiled
            if compiled and endings is not None and not WARMUPS.ready(rules, endings=True):
                WARMUPS.thread(rules, endings)
                endings = None
        # Whether a new engine would be no better: compiled, and with its endings.
        self.complete = not self.hasty and endings is self.endings
        self.worker = Worker(rules, compiled=compiled, room=room, weights=weights, endings=endings)

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
        if self.hasty:
            limits = replace(limits, seconds=min(limits.seconds or HASTE, HASTE))
        search = RootSearch(self.worker, game, limits, multipv=multipv, only=only, stop=stop)
        cost = round(CONTEMPT * self.rules.folder.weights.scale) if contempt else 0
        self.worker.prepare(fresh, -cost if game.position.rest & 1 else cost, limits.reductions)
        self.worker.push_game(game)
        return search.deepen(report)

    def line(self, root: RootTurn, game: Game, most: int = 12) -> tuple[str, ...]:
        """Return the principal variation of a turn, as texts: legal in this game."""
        return principal_variation(self.worker, root, game, most)


def engine_for(
    engine: Engine | None,
    rules: Rules,
    limits: Limits,
    *,
    endings: Table | None = None,
    stop: Stop | None = None,
    patience: float = PATIENCE,
) -> Engine:
    """Return an engine for a search: the one that there is, unless a better one can be had."""
    if (
        engine is not None
        and engine.complete
        and (engine.rules, engine.room, engine.endings) == (rules, limits.room, endings)
    ):
        return engine
    return Engine(rules, room=limits.room, endings=endings, patience=patience, stop=stop)
