"""French and English: every sentence that a person reads is in `texts/`, by its key, in both."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

LANGUAGES = ("en", "fr")

# By which plural form a language counts: "one", "other".
PluralRule = Callable[[int], str]
_chosen: str | None = None
_spoken: ContextVar[str | None] = ContextVar("language", default=None)


@cache
def texts(language: str) -> dict[str, str]:
    """Return the shared texts of a language by key: those of the files in `texts/`."""
    found: dict[str, str] = {}
    for path in sorted((Path(__file__).parent / "texts").glob(f"*.{language}.json")):
        found.update(json.loads(path.read_text("utf-8")))
    return found


# What a game says: its texts in a language by key, a game's name being given.
_games: Callable[[str, str], dict[str, str]] = lambda game, language: {}  # noqa: E731


def ask_games(texts_of: Callable[[str, str], dict[str, str]]) -> None:
    """Say where the texts of a game are found: games are loaded after this."""
    global _games
    _games = texts_of


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
    """Return a text in the language in use, with its details filled in.

    Where the number of things matters, which is the detail `count`, there is a text for each plural
    form of the language: `key.one`, `key.other`.
    """
    return _filled(texts(language())[_form(texts(language()), key, details)], details)


def say_of(game: str, key: str, /, **details: object) -> str:
    """Return a text about a game: its own if it has one for the key, else the shared one.

    A game from outside may lack one: then its key stands for it.
    """
    own, shared = _games(game, language()) if game else {}, texts(language())
    form = _form(own, key, details)
    if form in own:
        return _filled(own[form], details)
    if game and _form(shared, key, details) not in shared:
        return key.rpartition(".")[2].replace("-", " ")
    return say(key, **details)


def has_text(game: str, key: str) -> bool:
    """Tell whether a text about a game is there, its own or a shared one."""
    return key in _games(game, language()) or key in texts(language())


def _form(known: Mapping[str, str], key: str, details: Mapping[str, object]) -> str:
    """Return the key of a text, by the plural form of its count if it has one for each."""
    count = details.get("count")
    if count is None or f"{key}.other" not in known:
        return key
    form = f"{key}.{_plural_rule(language())(int(str(count)))}"
    return form if form in known else f"{key}.other"


def _babel(language: str) -> PluralRule:
    from babel import Locale  # when something is counted, which is seldom the first thing said

    rule: PluralRule = Locale.parse(language).plural_form
    return rule


_rules_by: Callable[[str], PluralRule] = _babel


def count_by(rules: Callable[[str], PluralRule]) -> None:
    """Take plural forms from elsewhere than Babel: browsers know them too."""
    global _rules_by
    _rules_by = rules


@cache
def _plural_rule(language: str) -> PluralRule:
    return _rules_by(language)


def _filled(text: str, details: Mapping[str, object]) -> str:
    # A list that goes on ends a sentence by itself.
    return text.format(**details).replace("….", "…")
