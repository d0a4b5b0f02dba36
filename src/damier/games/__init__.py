"""Registry of games: the folders of this package, installed plug-ins, and games loaded by path.

`GAMES` has them all by name; `load` adds one from its path.

A plug-in is an installed package whose folder is a game, or a single module, named in the
entry-point group `damier.games`. A plug-in that breaks the contract is skipped with a warning.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path

from damier import i18n
from damier.errors import DamierError
from damier.games.contract import RulesModule, Words
from damier.games.folder import Folder, from_package, from_path, from_plug_in, resolve_path

__all__ = [
    "GAMES",
    "PLUG_INS",
    "Folder",
    "GameWarning",
    "RefusedGame",
    "RulesModule",
    "Words",
    "load",
]

PLUG_INS = "damier.games"  # the entry-point group
# The order in which games are shown, the best known first; others follow by name.
ORDER = ("fanorona", "seega", "chefa", "badia", "fraha")
_DIRECTORY = Path(__file__).parent


class RefusedGame(UserWarning):
    """Warning about an installed game that breaks the contract."""


class GameWarning(UserWarning):
    """Warning about a game loaded by its path: it works, but not as its inventor would expect."""


class Registry(Mapping[str, Folder]):
    """Mapping of all games by name. A game of the package is loaded on first access."""

    def __init__(self) -> None:
        self._built_in = {path.parent.name for path in _DIRECTORY.glob("*/rules.py")}
        self._loaded: dict[str, Folder] = {}
        self._broken: dict[str, DamierError] = {}
        self._plug_ins_loaded = False

    def __getitem__(self, name: str) -> Folder:
        folder = self._loaded.get(name)
        if folder is None and name in self._built_in:
            folder = self._loaded[name] = from_package(f"{__name__}.{name}")
        if folder is None:
            self._load_plug_ins()
            if name in self._broken:
                raise self._broken[name]
            folder = self._loaded[name]
        return folder

    def __contains__(self, name: object) -> bool:
        if name in self._built_in or name in self._loaded:
            return True
        self._load_plug_ins()
        return name in self._loaded

    def __iter__(self) -> Iterator[str]:
        self._load_plug_ins()
        names = self._built_in | self._loaded.keys()
        yield from (name for name in ORDER if name in names)
        yield from sorted(names - set(ORDER))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def add(self, folder: Folder) -> None:
        """Add a game; raise DamierError if its name is taken.

        A game loaded by its path replaces a plug-in of the same name.
        """
        known = self._loaded.get(folder.name)
        if folder.name in self._built_in or (known is not None and known.path == folder.path):
            raise DamierError("game-taken", name=folder.name, path=folder.directory)
        if known is None or known.path is None:
            self._loaded[folder.name] = folder
        elif folder.path is not None:
            raise DamierError("game-taken", name=folder.name, path=folder.directory)

    def custom(self) -> Iterator[Folder]:
        """Yield the loaded games that do not come with the package."""
        for name, folder in list(self._loaded.items()):
            if name not in self._built_in:
                yield folder

    def at(self, path: Path) -> Folder | None:
        """Return the game that was loaded from a path, or None."""
        return next((folder for folder in self._loaded.values() if folder.path == path), None)

    def _load_plug_ins(self) -> None:
        """Load the installed plug-ins once; skip an invalid one with a warning."""
        if self._plug_ins_loaded:
            return
        self._plug_ins_loaded = True
        from importlib.metadata import entry_points  # slow to import

        for point in entry_points(group=PLUG_INS):
            try:
                self.add(from_plug_in(point.value))
            except DamierError as error:
                self._broken[point.name] = error
                warnings.warn(RefusedGame(f"{point.name}: {error}"), stacklevel=2)


GAMES = Registry()
i18n.register_game_texts(
    lambda game, language: GAMES[game].texts(language) if game in GAMES else {}
)


def load(path: Path | str) -> Folder:
    """Load a game from its path, a folder with `rules.py` or a single file, and register it.

    Later changes of its files have no effect in this process.
    """
    path = resolve_path(Path(path))
    known = GAMES.at(path)
    if known is not None:
        return known
    folder = from_path(path)
    GAMES.add(folder)
    for warning in folder.warnings:
        warnings.warn(GameWarning(str(warning)), stacklevel=2)
    return folder
