"""Warming up: the search of a game is compiled, or loaded from the cache, in a thread.

Whose time is limited gets an answer from plain Python if that takes too long.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from math import inf
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from damier import jit
from damier.errors import DamierError
from damier.history import Game
from damier.position import Rules
from damier.search.known import endings_of, table_of
from damier.search.limits import Limits, Stop
from damier.search.root import RootSearch
from damier.search.worker import Worker

if TYPE_CHECKING:
    from damier.solve.tables import Table

# How long the first answer may wait for the compiler before plain Python gives one, in seconds.
PATIENCE = 6.5
FOREVER = inf  # for answers that must not depend on how long it took
WATCH = 0.02  # seconds between two looks at whether to stop waiting
SHORT = Limits(depth=1, nodes=50)  # enough to need all that is compiled


class Warmups:
    """What has been compiled in this process, or is being compiled: one thread for each."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads: dict[tuple[str, bool], threading.Thread] = {}
        self._begun: dict[str, float] = {}
        self._ready: set[tuple[str, bool]] = set()
        self._failed: dict[tuple[str, bool], Exception] = {}
        self._told: set[tuple[str, bool]] = set()  # whose failure somebody knows of

    def ready(self, rules: Rules, endings: bool = False) -> bool:
        """Tell whether the search of a game is compiled, or the one that probes endings."""
        return (rules.name, endings) in self._ready or jit.at_hand(rules.folder.module)

    def join(self, rules: Rules, endings: Table | None = None) -> None:
        """Wait until a search is compiled; raise DamierError if it cannot be."""
        self.thread(rules, endings).join()
        kind = rules.name, endings is not None
        error = self._failed.get(kind)
        self._told.add(kind)
        if isinstance(error, DamierError):  # an inventor's rules
            raise error
        if error is not None:
            raise DamierError("not-compiled", game=rules.name, message=_told(error)) from error

    def busy(self) -> bool:
        """Tell whether anything is being compiled."""
        return any(thread.is_alive() for thread in self._threads.values())

    def failed(self) -> list[tuple[str, str]]:
        """Return the games whose search could not be compiled, and why, if nobody was told yet."""
        left = self._failed.items()
        return [(kind[0], _told(error)) for kind, error in left if kind not in self._told]

    def thread(self, rules: Rules, endings: Table | None = None) -> threading.Thread:
        """Return the thread that compiles a search: it is begun if need be."""
        with self._lock:
            kind = rules.name, endings is not None
            if kind not in self._threads:
                job: Callable[..., None] = self._warm if endings is None else self._warm_endings
                self._threads[kind] = threading.Thread(
                    target=self._run, args=(kind, job, rules, endings), daemon=True
                )
                self._begun[rules.name] = monotonic()
                self._threads[kind].start()
            return self._threads[kind]

    def wait(
        self, rules: Rules, patience: float, stop: Stop | None, endings: Table | None = None
    ) -> bool:
        """Wait until a search is compiled, patience is at an end or `stop` is set."""
        probing = endings is not None
        if self.ready(rules, endings=probing) or not jit.compiles():
            return self.ready(rules, endings=probing)
        thread = self.thread(rules, endings)
        until = self._begun[rules.name] + patience
        while thread.is_alive() and not self.ready(rules, endings=probing) and monotonic() < until:
            if stop is not None and stop.is_set():
                break
            thread.join(WATCH)
        return self.ready(rules, endings=probing)

    def _run(
        self,
        kind: tuple[str, bool],
        job: Callable[..., None],
        rules: Rules,
        endings: Table | None,
    ) -> None:
        """Compile a search; where that fails, plain Python goes on answering."""
        try:
            job(rules, endings)
        except Exception as error:  # whoever waits is told
            self._failed[kind] = _blamed(rules, error)

    def _warm(self, rules: Rules, _: None) -> None:
        game = Game(rules)
        worker = Worker(rules, compiled=True, room=0)
        _short_search(worker, game)
        self._ready.add((rules.name, False))
        rules.compile()
        _short_search(worker, game)  # lists the turns: compiles that too
        table = table_of(rules)
        if table is not None:
            table.probe(game.position)

    def _warm_endings(self, rules: Rules, endings: Table) -> None:
        _short_search(Worker(rules, compiled=True, room=0, endings=endings), Game(rules))
        self._ready.add((rules.name, True))


def _short_search(worker: Worker, game: Game) -> None:
    worker.prepare(fresh=True)
    worker.push_game(game)
    RootSearch(worker, game, SHORT).deepen()


def _blamed(rules: Rules, error: Exception) -> Exception:
    """Return what went wrong: if the compiler does not take an inventor's file, where that is."""
    from numba.core.errors import NumbaError

    from damier.games.trial import blamed, uncompiled

    where = None
    if isinstance(error, NumbaError):
        where = blamed(error, rules.folder.directory.resolve())
    return error if where is None else uncompiled(error, where, Path(where.rpartition(":")[0]).name)


def _told(error: Exception) -> str:
    """Return what went wrong, in one line."""
    text = str(error) if isinstance(error, DamierError) else f"{type(error).__name__}: {error}"
    return " ".join(text.split())


WARMUPS = Warmups()


def ready(rules: Rules) -> bool:
    """Tell whether the search of a game is compiled in this process."""
    return WARMUPS.ready(rules)


def warm(rules: Rules) -> None:
    """Compile, or load from the cache, everything that playing a game needs."""
    if not jit.compiles():
        return
    WARMUPS.join(rules)
    endings = endings_of(rules)
    if endings is not None:
        WARMUPS.join(rules, endings)


def begin_warming(rules: Rules) -> None:
    """Begin, in a thread, to compile what a search will need, so that it need not wait."""
    if jit.compiles():
        WARMUPS.thread(rules)
