"""What a worker of the page does in Python: answer, and stop when told to. Pyodide runs it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any

from damier import files, jit, lang
from damier.games import load
from damier.jit.wasm import InBrowser, Modules
from damier.search.limits import Stop
from damier.site.inside import Inside

_LOOK = 0.03  # seconds between two looks at what the page has to say


class _Watched(Stop):
    """Lets the worker hear, while it thinks, that it is to stop."""

    def __init__(self, pause: Callable[[], Any]) -> None:
        super().__init__()
        self._pause, self._looked = pause, monotonic()

    def is_set(self) -> bool:
        """Tell whether the search was told to end."""
        from pyodide.ffi import can_run_sync, run_sync  # type: ignore[import-not-found]

        if monotonic() - self._looked >= _LOOK and can_run_sync():
            run_sync(self._pause())
            self._looked = monotonic()
        return super().is_set()


class Answers:
    """Everything that the page's worker asks of this package.

    `home` is where its files are, and `contents` says what there is besides: see `build`.
    """

    def __init__(self, home: str, contents: str, pause: Callable[[], Any]) -> None:
        import js  # type: ignore[import-not-found]

        described = json.loads(contents)
        self._home = Path(home)
        self._inside = Inside(**described["requests"])
        self._games: dict[str, dict[str, str]] = described["games"]
        self._there: set[str] = set()
        self._pause = pause
        self._stops: dict[int, Stop] = {}
        self._modules = Modules(InBrowser)
        jit.use(self._modules)
        lang.count_by(lambda language: js.Intl.PluralRules.new(language).select)
        for outside in described["outside"]:
            load(self._home / outside)

    def missing(self, path: str, text: str | None) -> list[str]:
        """Return the files that are to be given before a request is answered.

        What only thinking needs comes when a game is first thought about: kernels, and a table.
        """
        rules = self._inside.thought_about(path, text)
        if rules is None or rules.name not in self._games:
            return []
        from damier.solve.tables import file_name

        lying = self._games[rules.name]
        wanted = (lying[kind] for kind in ("kernels", file_name(rules)) if kind in lying)
        return [name for name in wanted if name not in self._there]

    def give(self, name: str, content: Any) -> None:
        """Take a file that was missing."""
        if name in self._there:
            return
        self._there.add(name)
        if name.endswith(".wasm"):
            self._modules.add(bytes(content))
        else:
            from damier.solve.tables import forget

            files.write(self._home / name, [bytes(content)], lasting=False)
            forget()

    def answer(self, path: str, text: str | None, language: str) -> tuple[int, str]:
        """Return the status and the JSON of the answer to a request."""
        status, body = self._inside.answer(path, text, language, None)
        return status, body.decode()

    def think(self, number: int, path: str, text: str | None, language: str) -> tuple[int, str]:
        """Return the same, but hear meanwhile what the page says, and answer it."""
        stop = self._stops[number] = _Watched(self._pause)
        try:
            status, body = self._inside.answer(path, text, language, stop)
        finally:
            del self._stops[number]
        return status, body.decode()

    def stop(self, number: int) -> None:
        """Stop a request whose answer nobody wants any more."""
        if number in self._stops:
            self._stops[number].set()
