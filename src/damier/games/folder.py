"""A game's folder as the rest of damier sees it: what it gives, and defaults for what it does not.

A folder of the package, one of an installed plug-in and one named by its path are all the same.
Nothing is read before it is asked for: playing a game needs no evaluation and no texts.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from damier.errors import DamierError
from damier.games import defaults
from damier.games.board import Board
from damier.games.contract import MOST_GROUPS, MUST, RulesFile, RulesKernels

_CONTRACT = {
    name for part in (RulesKernels, RulesFile) for name in (*vars(part), *part.__annotations__)
}


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
        self.module = completed(rules)
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
    def look(self) -> dict[str, Any]:
        """How its board looks: colours, and what else `look.json` says."""
        return self._json("look") or {}

    def texts(self, language: str) -> dict[str, str]:
        """Return its sentences in a language, by key."""
        if language not in self._texts:
            found = {"name": self.name.capitalize(), "about": self._first_line}
            self._texts[language] = found | (self._json(f"texts.{language}") or {})
        return self._texts[language]

    def page(self, language: str) -> str | None:
        """Return its page of rules in a language, as it is written."""
        path = self.directory / f"page.{language}.md"
        return path.read_text("utf-8") if self._package and path.exists() else None

    @property
    def tables(self) -> Path:
        """The directory of the tables that come with the game."""
        return self.directory / "tables"

    @property
    def _first_line(self) -> str:
        return (self.module.__doc__ or "").strip().partition("\n")[0]

    def _json(self, name: str) -> Any:
        path = self.directory / f"{name}.json"
        if self._package is None or not path.exists():
            return None
        return json.loads(path.read_text("utf-8"))


def completed(rules: ModuleType) -> ModuleType:
    """Return rules with the defaults of what they leave out, or raise DamierError."""
    missing = [name for name in MUST if not hasattr(rules, name)]
    if missing:
        raise DamierError("game-missing", path=rules.__file__, names=", ".join(missing))
    for name in _CONTRACT & vars(defaults).keys():
        if not hasattr(rules, name):
            setattr(rules, name, getattr(defaults, name))
    problem = _problem(cast(RulesFile, rules))
    if problem:
        raise DamierError("game-wrong", path=rules.__file__, problem=problem)
    return rules


def _problem(rules: RulesFile) -> str:
    """Return what is wrong with rules that have everything, as far as a first look tells, or ""."""
    if not isinstance(rules.NAME, str) or not rules.NAME.isidentifier() or not rules.NAME.islower():
        return "NAME: a word in small letters"
    if not isinstance(rules.GROUPS, int) or not 0 < rules.GROUPS <= MOST_GROUPS:
        return f"GROUPS: a whole number from 1 to {MOST_GROUPS}"
    word = 0
    for option in rules.OPTIONS:
        width = (len(option.values) - 1 if option.values else option.most).bit_length()
        bits = ((1 << width) - 1) << option.bit
        if bits & (word | rules.MIDTURN | 1) or bits >= 1 << 62:
            return f"OPTIONS: the bits of {option.name} are in use, or beyond bit 61"
        word |= bits
    try:
        board, start = rules.board(0), rules.start(0)
        if not isinstance(board, Board) or not 0 < board.size <= 63:
            return "board: a Board of at most 63 places"
        if len(start) != 3 or not all(isinstance(x, int) and 0 <= x < 1 << 63 for x in start):
            return "start: three whole numbers below 2**63"
        legal = [0] * rules.GROUPS
        if not rules.legal(*start, legal):
            if not any(legal):
                return "legal: the start has no legal step, and is not over"
            group = next(k for k, cells in enumerate(legal) if cells)
            step = 64 * group + (legal[group] & -legal[group]).bit_length() - 1
            rules.describe(*start, step)
            rules.play(*start, step)
    except DamierError:
        raise
    except Exception as error:  # whatever an inventor's first draft raises
        return f"{type(error).__name__}: {error}"
    return ""


def from_package(package: str) -> Folder:
    """Return the game in an importable package: a folder with `rules.py`."""
    rules = import_module(f"{package}.rules")
    assert rules.__file__ is not None
    return Folder(rules, Path(rules.__file__).parent, package)


def from_path(path: Path) -> Folder:
    """Return the game in a folder with `rules.py`, or in a single file, wherever it is."""
    path = path.resolve()
    whole = path.is_dir()
    file = path / "rules.py" if whole else path
    if not file.is_file():
        raise DamierError("game-path", path=path)
    package = f"damier_game_{path.stem}"
    if whole:
        _import(package, path / "__init__.py", path)
    rules = _import(f"{package}.rules" if whole else package, file)
    return Folder(rules, path if whole else path.parent, package if whole else None, path)


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
        spec.loader.exec_module(module)
    except DamierError:
        raise
    except Exception as error:
        del sys.modules[name]
        problem = f"{type(error).__name__}: {error}"
        raise DamierError("game-wrong", path=file, problem=problem) from error
    return module
