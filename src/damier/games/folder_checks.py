"""Checks of a folder's data files: weights, ratings, texts and look."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING, Any

from damier.errors import DamierError
from damier.games.levels import DEFAULT_LEVELS
from damier.games.part_checks import check_modules
from damier.games.static_checks import is_int
from damier.i18n import LANGUAGES, Translated, texts

if TYPE_CHECKING:
    from damier.games.dynamic_checks import DynamicChecker
    from damier.games.folder import Folder

# Families of text keys whose last part only the running rules or the page know.
_FAMILIES = (
    "explain.",
    "why.",
    "note.",
    "reminder.",
    "ask.",
    "lost.",
    "results.",
    "choice.",
    "letter.",
)
_SINGLE = ("worth", "end.count")
_PLURALS = re.compile(r"\.(one|two|few|many|other|zero)$")
_LOOK: dict[str, tuple[str, ...]] = {
    "": ("page", "picture", "miniature", "aim"),
    "page": ("frame", "table", "square", "odd", "line", "sign"),
    "picture": ("frame", "ink", "cell", "other", "line", "places"),
    "picture.places": (),
    "aim": ("options", "start", "turns"),
}
_COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}|[a-zA-Z]+(\([^(){};]*\))?")


def check_parts(folder: Folder, checker: DynamicChecker) -> None:
    """Raise DamierError if a file beside the rules breaks the contract."""
    _check_numbers(folder)
    check_modules(folder, checker)
    for language in LANGUAGES:
        folder.page(language)  # that it can be read
        _check_texts(folder, checker, language)
    _check_look(folder)


def _check_numbers(folder: Folder) -> None:
    """Check `weights.json` and `strengths.json`."""
    for name, needed in (("weights", "source, scale, weights"), ("strengths", "points")):
        path = folder.directory / f"{name}.json"
        try:
            found: Any = getattr(folder, name)
        except (AttributeError, KeyError, TypeError) as error:
            raise DamierError("game-fields-of", where=f"{path}:1", names=needed) from error
        if name == "strengths" and found is not None:
            if len(found) != len(DEFAULT_LEVELS) or not all(map(is_int, found)):
                raise _value_error(path, "points", Translated("look.ratings"))
        elif name == "weights" and path.is_file() and not folder.is_single_file:
            if not isinstance(found.source, str):
                raise _value_error(path, "source", Translated("type.str"))
            if not is_int(found.scale) or found.scale < 1:
                raise _value_error(path, "scale", Translated("type.count"))
            known = getattr(folder.evaluation, "NAMES", tuple(found.weights))
            if tuple(found.weights) != tuple(known) or not all(map(is_int, found.weights.values())):
                names = ", ".join(known)
                raise _value_error(path, "weights", Translated("look.weights", names=names))


def _value_error(path: Path, key: str, kind: object) -> DamierError:
    """Return the error about a value in a data file."""
    return DamierError("game-value", where=f"{path}:{line_of_key(path, key)}", name=key, kind=kind)


def _check_texts(folder: Folder, checker: DynamicChecker, language: str) -> None:
    """Check that texts are texts, and that they name only details that they get."""
    path = folder.directory / f"texts.{language}.json"
    shared = texts(language)
    for key, text in folder.own_texts(language).items():
        if not isinstance(text, str):
            raise DamierError("game-text", where=f"{path}:{line_of_key(path, key)}", name=key)
        try:
            named = _details(text)
        except ValueError as error:
            where = f"{path}:{line_of_key(path, key)}"
            raise DamierError("game-braces", where=where, name=key) from error
        known = _known_details(_PLURALS.sub("", key), shared, checker)
        if known is not None and not named <= known:
            raise DamierError(
                "game-detail",
                where=f"{path}:{line_of_key(path, key)}",
                name=key,
                detail=", ".join(f"{{{name}}}" for name in sorted(named - known)),
                known=", ".join(f"{{{name}}}" for name in sorted(known)) or "–",
            )


def _details(text: str) -> set[str]:
    """Return the names in braces in a text; raise ValueError if the braces do not match."""
    return {
        re.split(r"[.\[]", name)[0] for _, name, _, _ in Formatter().parse(text) if name is not None
    }


def _known_details(key: str, shared: Mapping[str, str], checker: DynamicChecker) -> set[str] | None:
    """Return the details that a text gets, or None if they are unknown."""
    if key in checker.noted:
        return set(checker.noted[key].details)
    forms = [key, f"web.{key}", *(f"{key}.{form}" for form in ("one", "other"))]
    found = [_details(shared[form]) for form in forms if form in shared]
    # A replaced text may use what other texts of its family get.
    return None if not found or key.startswith(_FAMILIES) else set().union(*found)


def _check_look(folder: Folder) -> None:
    """Check the types of the values in `look.json`."""
    path, look = folder.directory / "look.json", folder.look
    for name in ("page", "picture", "aim"):
        if not isinstance(look.get(name, {}), dict):
            raise _value_error(path, name, Translated("look.object"))
    for name, value in look.get("page", {}).items():
        if not isinstance(value, list) or len(value) != 2 or not all(map(_is_colour, value)):
            raise _value_error(path, name, Translated("look.pair"))
    picture = dict(look.get("picture", {}))
    places = picture.pop("places", {})
    if not isinstance(places, dict):
        raise _value_error(path, "places", Translated("look.object"))
    for name, value in (picture | places).items():
        if not _is_colour(value):
            raise _value_error(path, name, Translated("look.colour"))
    aim = look.get("aim", {})
    if aim and not isinstance(aim.get("start"), str):
        raise _value_error(path, "aim", Translated("look.start"))
    if not isinstance(aim.get("options", {}), dict):
        raise _value_error(path, "options", Translated("look.object"))
    for name, value in (("miniature", look.get("miniature", [])), ("turns", aim.get("turns", []))):
        if not isinstance(value, list) or not all(isinstance(move, str) for move in value):
            raise _value_error(path, name, Translated("look.moves"))


def _is_colour(value: object) -> bool:
    return isinstance(value, str) and _COLOUR.fullmatch(value) is not None


def unknown_keys(folder: Folder) -> Iterator[DamierError]:
    """Yield an error for each key of the texts and of `look.json` that has no meaning."""
    known = _known_texts(folder)
    for language in LANGUAGES:
        path = folder.directory / f"texts.{language}.json"
        for key in folder.own_texts(language):
            plain = _PLURALS.sub("", key)
            if plain.startswith("reason."):
                plain = plain.removesuffix(".draw")
            if key in known or plain in known or plain.startswith(_FAMILIES):
                continue
            if plain.rpartition(".")[0] in known and plain.startswith("field."):
                continue  # a value of a field
            yield _unknown_key_error(path, key, known)
    places = tuple(folder.rules.board(0).places)
    path = folder.directory / "look.json"
    yield from _unknown_look(path, "", folder.look, places)


def _known_texts(folder: Folder) -> set[str]:
    """Return the keys that a game's texts may have, apart from the families."""
    shared = texts("en")
    own = {key.removeprefix("web.") for key in shared}
    return {*folder.plain_texts(), *shared, *own, *_SINGLE}


def _unknown_look(
    path: Path, at: str, content: Mapping[str, Any], places: tuple[str, ...]
) -> Iterator[DamierError]:
    """Yield an error for each unknown key of a part of `look.json`."""
    known = _LOOK[at] + (places if at in ("page", "picture.places") else ())
    for key, value in content.items():
        inner = f"{at}.{key}".lstrip(".")
        if key not in known:
            yield _unknown_key_error(path, key, known)
        elif inner in _LOOK and inner != "aim.options" and isinstance(value, Mapping):
            yield from _unknown_look(path, inner, value, places)


def _unknown_key_error(path: Path, key: str, known: Iterable[str]) -> DamierError:
    """Return the error about an unknown key, with the nearest known one."""
    nearest = get_close_matches(key, sorted(known), 1)
    suggestion = Translated("game-nearest", name=nearest[0]) if nearest else ""
    return DamierError(
        "game-unknown-key", where=f"{path}:{line_of_key(path, key)}", name=key, nearest=suggestion
    )


def line_of_key(path: Path, key: str) -> int:
    """Return the first line of a file that has a key in quotation marks."""
    lines = path.read_text("utf-8").splitlines()
    return next((k for k, line in enumerate(lines, 1) if f'"{key}"' in line), 1)
