"""The answers inside a browser: a page without a server asks a worker that runs this package.

What the page asks is what it would ask a server, a path and a body; what it is told is the same to
the byte.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from damier import lang
from damier.errors import DamierError
from damier.position import Rules, game
from damier.web.answers import ANSWERS, answer, malformed, refusal, written
from damier.web.forms import Form, completed, first_problem

if TYPE_CHECKING:
    from damier.search import Stop

Answer = tuple[int, bytes]


class Inside:
    """Answers as a server would.

    `forms` are those of the requests with a body, by path; `named` those of what a path itself
    names, by what comes before it: "rules" of "rules/chess".
    """

    def __init__(self, forms: Mapping[str, Form], named: Mapping[str, Form], most: int) -> None:
        self.forms, self.named, self.most = forms, named, most

    def answer(self, path: str, text: str | None, language: str, stop: Stop | None) -> Answer:
        """Return the status and the body of the answer to a request; `text` is its JSON."""
        with lang.speaking(language):
            try:
                name, body = self._asked(path, text)
                if name == "warm":
                    return 200, written(_warm(body))
            except DamierError as error:
                status, refused = refusal(error, _STATUS.get(error.key))
                return status, written(refused)
        return answer(name, body, language, stop)

    def thought_about(self, path: str, text: str | None) -> Rules | None:
        """Return the rules of the game that a request needs thinking about, if it does."""
        if path not in _THOUGHT and not path.startswith("rules/"):
            return None
        try:
            _, body = self._asked(path, text)
            return game(
                body.get("game") or body["name"], body.get("preset"), **body.get("options", {})
            )
        except DamierError:
            return None

    def _asked(self, path: str, text: str | None) -> tuple[str, dict[str, Any]]:
        """Return a request by its name and with a complete body."""
        if text is not None and len(text.encode(errors="surrogatepass")) > self.most:
            raise DamierError("too-long", most=self.most // 1024)
        got = self._got(path)
        if text is None and got is not None:
            first, body = got
            return first, _checked(self.named.get(first, {"properties": {}}), body)
        if text is None or path not in self.forms:
            other = path in self.forms if text is None else got is not None
            where = f"/api/v1/{path}"[:300]
            if other:
                raise DamierError("method", method="GET" if text is None else "POST", path=where)
            raise DamierError("no-page", path=where)
        return path, _checked(self.forms[path], json.loads(text))

    def _got(self, path: str) -> tuple[str, dict[str, Any]] | None:
        """Return a request without a body: what it is about is in its path."""
        first, slash, rest = path.partition("/")
        if first in self.named and rest and "/" not in rest:
            (name,) = self.named[first]["properties"]
            return first, {name: rest}
        plain = not slash and first in ANSWERS and first not in {**self.forms, **self.named}
        return (first, {}) if plain else None


def _checked(form: Form, body: Any) -> dict[str, Any]:
    """Return a body of the right form, completed."""
    problem = first_problem(form, body)
    if problem is not None:
        raise malformed(problem.where, problem.kind, problem.details)
    return completed(form, body)


# What needs the kernels of a game, or its table.
_THOUGHT = {"move", "analysis", "probe", "warm", "puzzles/attempt"}
# What a server answers with another status than `refusal` gives.
_STATUS = {"malformed": 422, "method": 405, "too-long": 413}


def _warm(body: dict[str, Any]) -> dict[str, Any]:
    """Have the kernels of a game ready: they are, as soon as they are there."""
    game(body["game"])
    return {"ready": True}
