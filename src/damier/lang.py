"""French and English: every sentence that a person reads is in `texts/`, by its key, in both."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

LANGUAGES = ("en", "fr")
_chosen: str | None = None
_spoken: ContextVar[str | None] = ContextVar("language", default=None)


@cache
def texts(language: str) -> dict[str, str]:
    """Return all texts of a language by key. `texts/errors.en.json` holds those of `error.…`."""
    found: dict[str, str] = {}
    for path in sorted((Path(__file__).parent / "texts").glob(f"*.{language}.json")):
        found.update(json.loads(path.read_text("utf-8")))
    return found


def use(language: str | None) -> None:
    """Choose the language of everything said from now on; None for the environment's."""
    global _chosen
    if language is not None and language not in LANGUAGES:
        language = "en"
    _chosen = language


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Speak a language here and in no other thread or task: a server answers several at once."""
    token = _spoken.set(language)
    try:
        yield
    finally:
        _spoken.reset(token)


def language() -> str:
    """Return the language in use: the one chosen, else the environment's, else English."""
    spoken = _spoken.get()
    if spoken is not None:
        return spoken
    if _chosen is not None:
        return _chosen
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name, "")
        if value:
            return "fr" if value.lower().startswith("fr") else "en"
    return "en"


def say(key: str, /, **details: object) -> str:
    """Return a text in the language in use, with its details filled in."""
    # A list that goes on ends a sentence by itself.
    return texts(language())[key].format(**details).replace("….", "…")
