"""A game's folder as the rest of damier sees it: what it gives, and defaults for what it does not.

A folder of the package, one of an installed plug-in and one named by its path are all the same.
Nothing is read before it is asked for: playing a game needs no evaluation and no texts.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from inspect import cleandoc
from pathlib import Path
from types import ModuleType
from typing import Any, cast
from zlib import crc32

from damier.errors import DamierError
from damier.games.checks import completed, raised
from damier.games.contract import RulesFile
from damier.lang import LANGUAGES, texts


@dataclass(frozen=True)
class Weights:
    """How much each feature of an evaluation counts, and where that is from.

    `scale` is the advantage that wins with 73 %; the unit is free.
    """

    source: str
    scale: int
    weights: dict[str, int]


class Folder:
    """A game. `package` is the name that its modules are imported by; a game of one file has none.

    `path` is where the game was found if it was named by its path, so that other processes can
    find it there.
    """

    def __init__(
        self, rules: ModuleType, directory: Path, package: str | None, path: Path | None = None
    ) -> None:
        self.module = rules
        self.name: str = rules.NAME
        self.directory = directory
        self.path = path
        self._package = package
        self._texts: dict[str, dict[str, str]] = {}

    def __repr__(self) -> str:
        return f"<game {self.name}>"

    @property
    def rules(self) -> RulesFile:
        """The rules."""
        return cast(RulesFile, self.module)

    def part(self, name: str) -> ModuleType | None:
        """Return one of the folder's modules, or None if it has no such file."""
        if self._package is None or not (self.directory / f"{name}.py").exists():
            return None
        with _blamed(self.directory / f"{name}.py", self.directory):
            return import_module(f"{self._package}.{name}")

    @cached_property
    def evaluation(self) -> ModuleType:
        """What the search knows of the game."""
        return self.part("evaluation") or import_module("damier.games.evaluation")

    @cached_property
    def numbering(self) -> ModuleType | None:
        """The numbering of its positions, if it has one of its own."""
        return self.part("numbering")

    @cached_property
    def levels(self) -> ModuleType | None:
        """How levels play it, if it says so."""
        return self.part("levels")

    @cached_property
    def weights(self) -> Weights:
        """How much each feature of its evaluation counts."""
        found = self._json("weights")
        if found is None:
            names: dict[str, int] = getattr(self.evaluation, "WEIGHTS", {})
            return Weights("", getattr(self.evaluation, "SCALE", 100), dict(names))
        return Weights(found["source"], found["scale"], found["weights"])

    @cached_property
    def strengths(self) -> tuple[int, ...] | None:
        """How many points of a rating each level has, if the game was measured."""
        found = self._json("strengths")
        return None if found is None else tuple(found["points"])

    @cached_property
    def look(self) -> dict[str, Any]:
        """How its board looks: colours, and what else `look.json` says."""
        return self._json("look") or {}

    def texts(self, language: str) -> dict[str, str]:
        """Return its sentences in a language, by key."""
        if language not in self._texts:
            shared = texts(language)
            plain = {k: shared.get(k, v) for k, v in self._plain_texts().items()}
            self._texts[language] = plain | (self._json(f"texts.{language}") or {})
        return self._texts[language]

    @cached_property
    def lessons(self) -> dict[str, Any] | None:
        """Its lessons as they are written, without their words, or None if it has none."""
        found: dict[str, Any] | None = self._json("lessons")
        return found

    def lesson_words(self, language: str) -> dict[str, str] | None:
        """Return the words of its lessons in a language, or None if there are none in that."""
        found: dict[str, str] | None = self._json(f"lessons.{language}")
        return found

    def page(self, language: str) -> str | None:
        """Return its page of rules in a language, as it is written."""
        path = self.directory / f"page.{language}.md"
        return path.read_text("utf-8") if self._package and path.exists() else None

    @property
    def tables(self) -> Path:
        """The directory of the tables that come with the game."""
        return self.directory / "tables"

    def read_all(self) -> None:
        """Read the folder's files of data, so that what is wrong with them is said now."""
        worded = (f"{name}.{language}" for name in ("texts", "lessons") for language in LANGUAGES)
        for name in ("look", "weights", "strengths", "lessons", *worded):
            self._json(name)

    @property
    def docstring(self) -> str:
        """What the rules say of themselves."""
        return cleandoc(self.module.__doc__ or "")

    def _plain_texts(self) -> dict[str, str]:
        """Return the words of a game that has no texts: what stands in its rules."""
        file = self.rules
        first = self.docstring.partition("\n")[0]
        found = {"name": _worded(self.name), "aim": first}
        found |= {f"preset.{name}": _worded(name) for name in file.PRESETS}
        for option in file.OPTIONS:
            key = f"option.{option.name}"
            found |= {key: _worded(option.name), f"{key}.why": ""}
            found |= {f"{key}.{value}": _worded(value) for value in option.values}
        found |= {f"reason.{name}": f"{name.replace('_', ' ')}." for name in file.REASONS}
        found |= {f"field.{name}": _worded(name) for name in file.FIELDS}
        for name in file.board(0).places:
            found |= {f"place.{name}": name.replace("_", " "), f"places.{name}": _worded(name)}
        return found

    def _json(self, name: str) -> Any:
        path = self.directory / f"{name}.json"
        if self._package is None or not path.exists():
            return None
        try:
            found = json.loads(path.read_text("utf-8"))
        except ValueError as error:
            where = f"{path}:{getattr(error, 'lineno', 1)}"
            raise DamierError("game-json", where=where, problem=error) from error
        if not isinstance(found, dict):
            raise DamierError("game-json", where=path, problem=type(found).__name__)
        return found


def _worded(name: str) -> str:
    return name.replace("_", " ").capitalize()


def from_package(package: str) -> Folder:
    """Return a game of this package."""
    rules = import_module(f"{package}.rules")
    return Folder(completed(rules), Path(str(rules.__file__)).parent, package)


def from_plug_in(package: str) -> Folder:
    """Return the game in an installed package, a folder with `rules.py`, or in a single module."""
    with _blamed(package, None):
        module = import_module(package)
    if not hasattr(module, "__path__"):
        return _outside(module, None, None)
    folder = Path(next(iter(module.__path__))).resolve()
    if not (folder / "rules.py").is_file():
        raise DamierError("game-path", path=folder)
    with _blamed(folder / "rules.py", folder):
        rules = import_module(f"{package}.rules")
    return _outside(rules, package, None)


def from_path(path: Path) -> Folder:
    """Return the game in a folder with `rules.py`, or in a single file, wherever it is."""
    path = resolved(path)
    whole = path.is_dir()
    file = path / "rules.py" if whole else path
    if not file.is_file():
        raise DamierError("game-path", path=path)
    package = _package_name(path)
    if whole:
        _import(package, path / "__init__.py", path)
    rules = _import(f"{package}.rules" if whole else package, file)
    return _outside(rules, package if whole else None, path)


def _package_name(path: Path) -> str:
    """Return what a game named by its path is imported as.

    Two games may have folders of the same name. The same sources in another place have the same
    name, for machine code is kept by it.
    """
    sources = sorted(path.glob("*.py")) if path.is_dir() else [path]
    content = b"".join(source.name.encode() + source.read_bytes() for source in sources)
    return f"damier_game_{re.sub(r'[^a-zA-Z0-9]', '_', path.stem)}_{crc32(content):08x}"


def resolved(path: Path) -> Path:
    """Return the path of a game in full: who names its `rules.py` means the folder."""
    path = path.expanduser().resolve()
    return path.parent if path.name == "rules.py" else path


def _outside(rules: ModuleType, package: str | None, path: Path | None) -> Folder:
    """Return a game that is not of this package, once it has stood its trial."""
    from damier.games.trial import tried

    folder = Folder(tried(completed(rules)), Path(str(rules.__file__)).parent, package, path)
    folder.read_all()
    return folder


@contextmanager
def _blamed(where: Path | str, folder: Path | None) -> Iterator[None]:
    """Say where another's module went wrong while it was imported, whatever it did."""
    try:
        yield
    except DamierError:
        raise
    except (Exception, SystemExit) as error:
        line, problem = raised(error, folder, str(where))
        key = "game-syntax" if isinstance(error, SyntaxError) else "game-import"
        raise DamierError(key, where=line, problem=problem) from error


def _import(name: str, file: Path, folder: Path | None = None) -> ModuleType:
    """Import a file under a name; a package may have no file of its own."""
    if folder is not None and not file.exists():
        module = ModuleType(name)
        module.__path__ = [str(folder)]
        sys.modules[name] = module
        return module
    spec = spec_from_file_location(
        name, file, submodule_search_locations=[str(folder)] if folder else None
    )
    if spec is None or spec.loader is None:
        raise DamierError("game-path", path=file)
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        with _blamed(file, file.parent):
            spec.loader.exec_module(module)
    except DamierError:
        del sys.modules[name]
        raise
    return module
