"""Warm-up: compile the search of a game, or load it from the cache, in a thread.

A search with a time limit uses plain Python if compiling takes too long.
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
from damier.gameplay import Game
from damier.position import Rules
from damier.search.limits import Limits, Stop
from damier.search.root import RootSearch
from damier.search.searcher import Searcher
from damier.search.tablebase import endings_of, table_of

if TYPE_CHECKING:
    from damier.solve.tables import Table

PATIENCE = 6.5  # seconds that a search waits for the compiler before it uses plain Python
FOREVER = inf  # patience of searches with repeatable results
POLL_SECONDS = 0.02  # between two checks of the stop signal
SHORT = Limits(depth=1, nodes=50)  # enough to call every kernel


class WarmupThreads:
    """Warm-up threads of this process, one for each game, with or without endings."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads: dict[tuple[str, bool], threading.Thread] = {}
        self._begun: dict[str, float] = {}
        self._ready: set[tuple[str, bool]] = set()
        self._failed: dict[tuple[str, bool], Exception] = {}
        self._reported: set[tuple[str, bool]] = set()  # failures that a caller has seen

    def ready(self, rules: Rules, endings: bool = False) -> bool:
        """Return whether the search of a game, with or without endings, is compiled."""
        return (rules.name, endings) in self._ready or jit.is_precompiled(rules.folder.module)

    def join(self, rules: Rules, endings: Table | None = None) -> None:
        """Wait until a search is compiled; raise DamierError if that fails."""
        self.thread(rules, endings).join()
        kind = rules.name, endings is not None
        error = self._failed.get(kind)
        self._reported.add(kind)
        if isinstance(error, DamierError):  # in a custom game's rules
            raise error
        if error is not None:
            raise DamierError("not-compiled", game=rules.name, message=_one_line(error)) from error

    def busy(self) -> bool:
        """Return whether anything is being compiled."""
        return any(thread.is_alive() for thread in self._threads.values())

    def unreported_failures(self) -> list[tuple[str, str]]:
        """Return games whose search failed to compile, with the reason, if not reported yet."""
        failures = self._failed.items()
        return [
            (kind[0], _one_line(error)) for kind, error in failures if kind not in self._reported
        ]

    def thread(self, rules: Rules, endings: Table | None = None) -> threading.Thread:
        """Return the thread that compiles a search, started if necessary."""
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
        """Wait until a search is compiled, `patience` seconds have passed or `stop` is set.

        Return whether the search is compiled.
        """
        probing = endings is not None
        if self.ready(rules, endings=probing) or not jit.compiles():
            return self.ready(rules, endings=probing)
        thread = self.thread(rules, endings)
        until = self._begun[rules.name] + patience
        while thread.is_alive() and not self.ready(rules, endings=probing) and monotonic() < until:
            if stop is not None and stop.is_set():
                break
            thread.join(POLL_SECONDS)
        return self.ready(rules, endings=probing)

    def _run(
        self,
        kind: tuple[str, bool],
        job: Callable[..., None],
        rules: Rules,
        endings: Table | None,
    ) -> None:
        """Compile a search. If that fails, searches continue in plain Python."""
        try:
            job(rules, endings)
        except Exception as error:  # `join` raises it
            self._failed[kind] = _locate_error(rules, error)

    def _warm(self, rules: Rules, _: None) -> None:
        game = Game(rules)
        searcher = Searcher(rules, compiled=True, expected_nodes=0)
        _short_search(searcher, game)
        self._ready.add((rules.name, False))
        rules.compile()
        _short_search(searcher, game)  # now with the compiled move generator
        table = table_of(rules)
        if table is not None:
            table.probe(game.position)

    def _warm_endings(self, rules: Rules, endings: Table) -> None:
        _short_search(
            Searcher(rules, compiled=True, expected_nodes=0, endings=endings), Game(rules)
        )
        self._ready.add((rules.name, True))


def _short_search(searcher: Searcher, game: Game) -> None:
    searcher.prepare(fresh=True)
    searcher.push_game(game)
    RootSearch(searcher, game, SHORT).deepen()


def _locate_error(rules: Rules, error: Exception) -> Exception:
    """Return the error, with file and line if it is a compiler error in a custom game."""
    from damier.games.kernel_checks import (
        compilation_error,
        compiler_location,
        is_compiler_error,
    )

    where = None
    if is_compiler_error(error):
        where = compiler_location(error, rules.folder.directory.resolve())
    return (
        error
        if where is None
        else compilation_error(error, where, Path(where.rpartition(":")[0]).name)
    )


def _one_line(error: Exception) -> str:
    """Return an error message in one line."""
    text = str(error) if isinstance(error, DamierError) else f"{type(error).__name__}: {error}"
    return " ".join(text.split())


WARMUPS = WarmupThreads()


def ready(rules: Rules) -> bool:
    """Return whether the search of a game is compiled in this process."""
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
    """Start to compile the search of a game in a thread."""
    if jit.compiles():
        WARMUPS.thread(rules)
