"""Python side of the page's web worker: answers requests inside the browser. Pyodide runs it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any

from damier import files, i18n, jit
from damier.games import load
from damier.jit.wasm_runtime import BrowserInstance, WasmBackend
from damier.search.limits import Stop
from damier.site.dispatcher import Dispatcher

_POLL_INTERVAL_S = 0.03  # between two pauses of a search, in which the worker reads messages


class _PollingStop(Stop):
    """Stop signal that lets the worker read messages while a search runs."""

    def __init__(self, pause: Callable[[], Any]) -> None:
        super().__init__()
        self._pause, self._last_poll = pause, monotonic()

    def is_set(self) -> bool:
        """Return whether the search was asked to stop."""
        from pyodide.ffi import (  # type: ignore[import-not-found]  # exists only in a browser
            can_run_sync,
            run_sync,
        )

        if monotonic() - self._last_poll >= _POLL_INTERVAL_S and can_run_sync():
            run_sync(self._pause())
            self._last_poll = monotonic()
        return super().is_set()


class PyodideWorker:
    """Interface of this package to `worker.js`.

    `home` is the folder with the package's files, and `contents` the JSON of `contents.json`, which
    `damier.site.build` writes. `pause` returns a promise; awaiting it lets messages in.
    """

    def __init__(self, home: str, contents: str, pause: Callable[[], Any]) -> None:
        import js  # type: ignore[import-not-found]  # exists only in a browser

        site = json.loads(contents)
        self._home = Path(home)
        self._dispatcher = Dispatcher(**site["requests"])
        self._game_files: dict[str, dict[str, str]] = site["games"]
        self._received: set[str] = set()
        self._pause = pause
        self._stops: dict[int, Stop] = {}
        self._backend = WasmBackend(BrowserInstance)
        jit.use_backend(self._backend)
        i18n.set_plural_rules(lambda language: js.Intl.PluralRules.new(language).select)
        for path in site["outside"]:
            load(self._home / path)

    def missing_files(self, path: str, text: str | None) -> list[str]:
        """Return the files that must be added before a request is answered.

        The kernels and the table of a game are loaded when a request first needs them.
        """
        rules = self._dispatcher.rules_with_kernels(path, text)
        if rules is None or rules.name not in self._game_files:
            return []
        from damier.solve.tables import file_name

        available = self._game_files[rules.name]
        wanted = (available[kind] for kind in ("kernels", file_name(rules)) if kind in available)
        return [name for name in wanted if name not in self._received]

    def add_file(self, name: str, content: Any) -> None:
        """Add a file that was missing."""
        if name in self._received:
            return
        self._received.add(name)
        if name.endswith(".wasm"):
            self._backend.add(bytes(content))
        else:
            from damier.solve.tables import clear_table_cache

            files.write(self._home / name, [bytes(content)], lasting=False)
            clear_table_cache()

    def answer(self, path: str, text: str | None, language: str) -> tuple[int, str]:
        """Return the status and the JSON of the answer to a request."""
        status, body = self._dispatcher.answer(path, text, language, None)
        return status, body.decode()

    def answer_stoppable(
        self, request_id: int, path: str, text: str | None, language: str
    ) -> tuple[int, str]:
        """Return the same; meanwhile the worker can read messages, stop this and answer others."""
        stop = self._stops[request_id] = _PollingStop(self._pause)
        try:
            status, body = self._dispatcher.answer(path, text, language, stop)
        finally:
            del self._stops[request_id]
        return status, body.decode()

    def stop(self, request_id: int) -> None:
        """Stop a request whose answer is no longer wanted."""
        if request_id in self._stops:
            self._stops[request_id].set()
