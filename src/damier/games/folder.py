"""Game folders: access to a game's modules and data files, with defaults for missing ones.

Games of the package, installed plug-ins and games loaded by path are treated alike. Files are read
on first use.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator, Mapping
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
from damier.games import time_limits
from damier.games.contract import RulesModule
from damier.games.levels import DEFAULT_LEVELS, Level
from damier.games.source_digest import digest_of
from damier.games.static_checks import locate_error, with_defaults
from damier.i18n import LANGUAGES, texts

REPETITION_NAMES = ("FINAL_CAPTURES", "may_repeat")  # of `repetition.py`, each optional


@dataclass(frozen=True)
class Weights:
    """Weights of an evaluation's features, and their source.

    `scale` is the advantage with a winning chance of 73 %; the unit is arbitrary.
    """

    source: str
    scale: int
    weights: dict[str, int]


class Folder:
    """A game. `package` is the package of its modules, None for a game of one file.

    `path` is set if the game was loaded by its path, so that other processes can load it too.
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
        # What the checks advise against, although the game works.
        self.warnings: list[DamierError] = []

    @property
    def is_single_file(self) -> bool:
        """Whether the game is one file, without texts and other parts."""
        return self._package is None

    def __repr__(self) -> str:
        return f"<game {self.name}>"

    @property
    def rules(self) -> RulesModule:
        """The rules."""
        return cast(RulesModule, self.module)

    @property
    def bundled(self) -> bool:
        """Whether the game is part of this package."""
        return (self._package or "").startswith("damier.games.")

    @cached_property
    def digest(self) -> str:
        """Digest of the source files that decide the values of positions, without comments.

        For a game from outside the package, it is computed when the game is loaded.
        """
        file = Path(str(self.module.__file__))
        whole = self.part("rules") is not None
        return digest_of(
            _parse(path, self.directory)
            for path in (sorted(self.directory.glob("*.py")) if whole else [file])
            if path.stem not in ("evaluation", "levels", "motifs", "planes", "repetition")
        )

    def part(self, name: str) -> ModuleType | None:
        """Return one of the folder's modules, or None if it has no such file."""
        if self._package is None or not (self.directory / f"{name}.py").exists():
            return None
        known = sys.modules.get(f"{self._package}.{name}")
        if known is None:
            read_utf8(self.directory / f"{name}.py")
            with _import_errors(self.directory / f"{name}.py", self.directory):
                known = import_module(f"{self._package}.{name}")
        return known

    @cached_property
    def evaluation(self) -> ModuleType:
        """The evaluation module: the game's own or the default."""
        return self.part("evaluation") or import_module("damier.games.evaluation")

    @cached_property
    def planes(self) -> ModuleType:
        """The module of its observation planes: the game's own or the default."""
        return self.part("planes") or import_module("damier.games.planes")

    @cached_property
    def repetition(self) -> ModuleType:
        """The module about repeated positions: the game's own, completed, or the default."""
        default = import_module("damier.games.repetition")
        module = self.part("repetition") or default
        for name in REPETITION_NAMES:
            if not hasattr(module, name):
                setattr(module, name, getattr(default, name))
        return module

    @cached_property
    def numbering(self) -> ModuleType | None:
        """The numbering module, or None if the game has none."""
        return self.part("numbering")

    def levels(self, options: Mapping[str, str]) -> tuple[Level, ...]:
        """Return the settings of levels 1 to 8 under some options.

        `levels.py` has either a function `levels(options)` or a constant `LEVELS`.
        """
        module = self.part("levels")
        if module is None:
            return DEFAULT_LEVELS
        levels: tuple[Level, ...] = (
            module.levels(options) if hasattr(module, "levels") else module.LEVELS
        )
        return levels

    @cached_property
    def weights(self) -> Weights:
        """The weights of its evaluation."""
        found = self._json("weights")
        if found is None:
            default = import_module("damier.games.evaluation")
            names: dict[str, int] = getattr(self.evaluation, "WEIGHTS", default.WEIGHTS)
            return Weights("", getattr(self.evaluation, "SCALE", default.SCALE), dict(names))
        return Weights(found["source"], found["scale"], found["weights"])

    @cached_property
    def strengths(self) -> tuple[int, ...] | None:
        """The ratings of the levels, or None if the game was not measured."""
        found = self._json("strengths")
        return None if found is None else tuple(found["points"])

    @cached_property
    def look(self) -> dict[str, Any]:
        """The content of `look.json`: colours of the board and examples."""
        return self._json("look") or {}

    def texts(self, language: str) -> dict[str, str]:
        """Return its texts in a language, by key."""
        if language not in self._texts:
            shared = texts(language)
            plain = {k: shared.get(k, v) for k, v in self.plain_texts().items()}
            self._texts[language] = plain | self.own_texts(language)
        return self._texts[language]

    def own_texts(self, language: str) -> dict[str, str]:
        """Return the content of `texts.LANGUAGE.json`."""
        return self._json(f"texts.{language}") or {}

    @cached_property
    def lessons(self) -> dict[str, Any] | None:
        """The content of `lessons.json`, or None if the game has no lessons."""
        found: dict[str, Any] | None = self._json("lessons")
        return found

    def lesson_words(self, language: str) -> dict[str, str] | None:
        """Return the texts of its lessons in a language, or None if there are none."""
        found: dict[str, str] | None = self._json(f"lessons.{language}")
        return found

    def page(self, language: str) -> str | None:
        """Return the Markdown source of its page of rules, or None if there is none."""
        path = self.directory / f"page.{language}.md"
        return read_utf8(path) if self._package and path.exists() else None

    @property
    def tables(self) -> Path:
        """The directory of the tables that come with the game."""
        return self.directory / "tables"

    def read_all(self) -> None:
        """Read all data files, so that errors in them are raised now, and compute the digest."""
        _ = self.digest
        worded = (f"{name}.{language}" for name in ("texts", "lessons") for language in LANGUAGES)
        for name in ("look", "weights", "strengths", "lessons", *worded):
            self._json(name)

    @property
    def docstring(self) -> str:
        """The docstring of the rules."""
        return cleandoc(self.module.__doc__ or "")

    def plain_texts(self) -> dict[str, str]:
        """Return default texts made from the names in the rules."""
        module = self.rules
        first = self.docstring.partition("\n")[0]
        found = {"name": _as_words(self.name), "aim": first}
        found |= {f"preset.{name}": _as_words(name) for name in module.PRESETS}
        for option in module.OPTIONS:
            key = f"option.{option.name}"
            found |= {key: _as_words(option.name), f"{key}.why": ""}
            found |= {f"{key}.{value}": _as_words(value) for value in option.values}
        found |= {f"reason.{name}": f"{name.replace('_', ' ')}." for name in module.REASONS}
        found |= {f"field.{name}": _as_words(name) for name in module.FIELDS}
        for name in module.board(0).places:
            found |= {f"place.{name}": name.replace("_", " "), f"places.{name}": _as_words(name)}
        return found

    def _json(self, name: str) -> Any:
        path = self.directory / f"{name}.json"
        if self._package is None or not path.exists():
            return None
        text = read_utf8(path)
        try:
            content = json.loads(text)
        except json.JSONDecodeError as error:
            where = f"{path}:{error.lineno}"
            raise DamierError("game-json", where=where, column=error.colno) from error
        except (RecursionError, ValueError) as error:  # too deep, or a number with too many digits
            raise DamierError("game-json", where=f"{path}:1", column=1) from error
        if not isinstance(content, dict):
            raise DamierError("game-object", where=f"{path}:1")
        return content


def read_utf8(path: Path) -> str:
    """Return the text of a file; raise DamierError with the line if it is not UTF-8."""
    content = path.read_bytes()
    try:
        # A byte order mark is dropped without `utf-8-sig`, a codec that browsers lack.
        text = content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise DamierError("game-encoding", where=f"{path}:{line}") from error
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise DamierError("game-encoding", where=f"{path}:{line}")
    return text


def _as_words(name: str) -> str:
    return name.replace("_", " ").capitalize()


def from_package(package: str) -> Folder:
    """Return a game of this package."""
    rules = import_module(f"{package}.rules")
    return Folder(with_defaults(rules), Path(str(rules.__file__)).parent, package)


def from_plug_in(package: str) -> Folder:
    """Return the game in an installed package, a folder with `rules.py`, or in a single module."""
    with _import_errors(package, None):
        module = import_module(package)
    if not hasattr(module, "__path__"):
        return _outside(module, None, None)
    folder = Path(next(iter(module.__path__))).resolve()
    if not (folder / "rules.py").is_file():
        raise DamierError("game-path", path=folder)
    with _import_errors(folder / "rules.py", folder):
        rules = import_module(f"{package}.rules")
    return _outside(rules, package, None)


def from_path(path: Path) -> Folder:
    """Return the game in a folder with `rules.py`, or in a single file, wherever it is."""
    path = resolve_path(path)
    whole = path.is_dir()
    module = path / "rules.py" if whole else path
    if not module.is_file():
        raise DamierError("game-path", path=path)
    package = _package_name(path)
    if whole:
        _import(package, path / "__init__.py", path)
    rules = _import(f"{package}.rules" if whole else package, module)
    return _outside(rules, package if whole else None, path)


def _package_name(path: Path) -> str:
    """Return the package name of a game loaded by its path.

    It contains a checksum of the sources: two games may have folders of the same name, and equal
    sources share cached machine code.
    """
    sources = sorted(path.glob("*.py")) if path.is_dir() else [path]
    content = b"".join(source.name.encode() + source.read_bytes() for source in sources)
    return f"damier_game_{re.sub(r'[^a-zA-Z0-9]', '_', path.stem)}_{crc32(content):08x}"


def _parse(path: Path, folder: Path) -> ast.Module:
    """Return a parsed source file of a game; raise DamierError with the line if it has an error."""
    read_utf8(path)
    with _import_errors(path, folder):
        return ast.parse(path.read_bytes(), str(path))


def resolve_path(path: Path) -> Path:
    """Return the absolute path of a game; the path of `rules.py` stands for its folder."""
    path = path.expanduser().resolve()
    return path.parent if path.name == "rules.py" else path


def _outside(rules: ModuleType, package: str | None, path: Path | None) -> Folder:
    """Return a game from outside this package after the dynamic checks."""
    from damier.games.dynamic_checks import run_dynamic_checks

    checker = run_dynamic_checks(with_defaults(rules))
    folder = Folder(rules, Path(str(rules.__file__)).parent, package, path)
    folder.read_all()
    if sys.platform != "emscripten":  # the site build has checked what a browser loads
        from damier.games.folder_checks import check_parts, unknown_keys

        check_parts(folder, checker)
        folder.warnings = [*checker.warnings, *unknown_keys(folder)]
    return folder


@contextmanager
def _import_errors(where: Path | str, folder: Path | None) -> Iterator[None]:
    """Convert any error during an import to a DamierError with its location.

    Where the code is known to be a custom game's, it must end in time.
    """
    try:
        if folder is None:
            yield
        else:
            with time_limits.time_limit(time_limits.TIMEOUT_S):
                yield
    except time_limits.TimedOut as error:
        line, _ = locate_error(error, folder, f"{where}:1")
        seconds = round(time_limits.TIMEOUT_S)
        name = Path(where).name
        raise DamierError("game-endless", where=line, name=name, seconds=seconds) from None
    except (Exception, SystemExit) as error:
        if isinstance(error, DamierError) and error.key.startswith("game-"):
            raise
        line, problem = locate_error(error, folder, str(where))
        key = "game-syntax" if isinstance(error, SyntaxError) else "game-import"
        raise DamierError(key, where=line, problem=problem) from error


def _import(name: str, path: Path, folder: Path | None = None) -> ModuleType:
    """Import a file under a name; a package may lack `__init__.py`."""
    if folder is not None and not path.exists():
        module = ModuleType(name)
        module.__path__ = [str(folder)]
        sys.modules[name] = module
        return module
    spec = spec_from_file_location(
        name, path, submodule_search_locations=[str(folder)] if folder else None
    )
    if spec is None or spec.loader is None:
        raise DamierError("game-path", path=path)
    read_utf8(path)
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        with _import_errors(path, path.parent):
            spec.loader.exec_module(module)
    except DamierError:
        del sys.modules[name]
        raise
    return module
