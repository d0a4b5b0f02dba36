"""Translations: texts of the interface by key, in English and French, from `texts/`."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

LANGUAGES = ("en", "fr")

# Function from a count to its plural form, such as "one" or "other".
PluralRule = Callable[[int], str]
_process_language: str | None = None
_context_language: ContextVar[str | None] = ContextVar("language", default=None)


@cache
def texts(language: str) -> dict[str, str]:
    """Return the shared texts of a language by key: those of the files in `texts/`."""
    merged: dict[str, str] = {}
    for path in sorted((Path(__file__).parent / "texts").glob(f"*.{language}.json")):
        merged.update(json.loads(path.read_text("utf-8")))
    return merged


def _no_texts(game: str, language: str) -> dict[str, str]:
    return {}


# Function from a game's name and a language to the game's texts.
_game_texts: Callable[[str, str], dict[str, str]] = _no_texts


def register_game_texts(texts_of: Callable[[str, str], dict[str, str]]) -> None:
    """Set the function that returns a game's texts. The registry of games sets it when it loads."""
    global _game_texts
    _game_texts = texts_of


def set_language(language: str | None) -> None:
    """Set the language of this process; None for the environment's, English for unknown ones."""
    global _process_language
    if language is not None and language not in LANGUAGES:
        language = "en"
    _process_language = language


@contextmanager
def use_language(language: str) -> Iterator[None]:
    """Use a language in a `with` block, in this thread or task only."""
    token = _context_language.set(language)
    try:
        yield
    finally:
        _context_language.reset(token)


def language() -> str:
    """Return the language in use: of the block, the process or the environment; else English."""
    in_context = _context_language.get()
    if in_context is not None:
        return in_context
    if _process_language is not None:
        return _process_language
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name, "")
        if value:
            return "fr" if value.lower().startswith("fr") else "en"
    return "en"


def translate(key: str, /, **details: object) -> str:
    """Return a text in the language in use, with its details filled in.

    A text that depends on the detail `count` has one variant for each plural form of the language:
    `key.one`, `key.other`.
    """
    return _format(texts(language())[_form(texts(language()), key, details)], details)


class Translated:
    """Text that is translated when it is shown, as a detail of another text."""

    def __init__(self, key: str, /, **details: object) -> None:
        self.key, self.details = key, details

    def __str__(self) -> str:
        return translate(self.key, **self.details)


def translate_for_game(game: str, key: str, /, **details: object) -> str:
    """Return a text about a game: its own if it has one for the key, else the shared one.

    If there is neither, as in a custom game, return the last part of the key as words.
    """
    own, shared = _game_texts(game, language()) if game else {}, texts(language())
    form = _form(own, key, details)
    if form in own:
        try:
            return _format(own[form], details)
        except (AttributeError, LookupError, ValueError):
            return own[form]  # a custom game's text that names other details
    if game and _form(shared, key, details) not in shared:
        return key.rpartition(".")[2].replace("-", " ")
    return translate(key, **details)


def has_text(game: str, key: str) -> bool:
    """Tell whether a text about a game exists, its own or a shared one."""
    return key in _game_texts(game, language()) or key in texts(language())


def _form(known: Mapping[str, str], key: str, details: Mapping[str, object]) -> str:
    """Return the key of a text, with the plural form of its count if there are variants."""
    count = details.get("count")
    if count is None or f"{key}.other" not in known:
        return key
    form = f"{key}.{_plural_rule(language())(int(str(count)))}"
    return form if form in known else f"{key}.other"


def _babel_rule(language: str) -> PluralRule:
    from babel import Locale  # imported when needed: most runs count nothing

    rule: PluralRule = Locale.parse(language).plural_form
    return rule


_plural_rules: Callable[[str], PluralRule] = _babel_rule


def set_plural_rules(rules: Callable[[str], PluralRule]) -> None:
    """Replace Babel as the source of plural rules; in a browser, `Intl` provides them."""
    global _plural_rules
    _plural_rules = rules


@cache
def _plural_rule(language: str) -> PluralRule:
    return _plural_rules(language)


def _format(text: str, details: Mapping[str, object]) -> str:
    # A list cut short by "…" needs no full stop.
    return text.format(**details).replace("….", "…")
