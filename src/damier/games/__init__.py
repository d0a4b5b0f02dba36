"""The registry of games: the folders here, installed plug-ins, and what is named by its path.

`GAMES` has them all by name; `load` adds one from its path.

A plug-in is an installed package whose folder is a game, or a single module, named in the
entry-point group `damier.games`. A game that breaks the contract is refused with the reason, and
takes no other down.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path

from damier import lang
from damier.errors import DamierError
from damier.games.contract import RulesFile, Words
from damier.games.folder import Folder, from_package, from_path, from_plug_in, resolved

__all__ = ["GAMES", "PLUG_INS", "Folder", "RefusedGame", "RulesFile", "Words", "load"]

PLUG_INS = "damier.games"  # the entry-point group
# The order in which games are shown, the best known first; others follow by name.
ORDER = ("fanorona", "seega", "chefa", "badia", "fraha")
_HERE = Path(__file__).parent


class RefusedGame(UserWarning):
    """An installed game that breaks the contract."""


class Registry(Mapping[str, Folder]):
    """All games by name. A game of the package is loaded when it is first asked for."""

    def __init__(self) -> None:
        self._here = {path.parent.name for path in _HERE.glob("*/rules.py")}
        self._loaded: dict[str, Folder] = {}
        self._broken: dict[str, DamierError] = {}
        self._plugged = False

    def __getitem__(self, name: str) -> Folder:
        found = self._loaded.get(name)
        if found is None and name in self._here:
            found = self._loaded[name] = from_package(f"{__name__}.{name}")
        if found is None:
            self._plug_in()
            if name in self._broken:
                raise self._broken[name]
            found = self._loaded[name]
        return found

    def __contains__(self, name: object) -> bool:
        if name in self._here or name in self._loaded:
            return True
        self._plug_in()
        return name in self._loaded

    def __iter__(self) -> Iterator[str]:
        self._plug_in()
        names = self._here | self._loaded.keys()
        yield from (name for name in ORDER if name in names)
        yield from sorted(names - set(ORDER))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def add(self, folder: Folder) -> None:
        """Add a game. One named by its path goes before a plug-in of that name."""
        known = self._loaded.get(folder.name)
        if folder.name in self._here or (known is not None and known.path == folder.path):
            raise DamierError("game-taken", name=folder.name, path=folder.directory)
        if known is None or known.path is None:
            self._loaded[folder.name] = folder
        elif folder.path is not None:
            raise DamierError("game-taken", name=folder.name, path=folder.directory)

    def at(self, path: Path) -> Folder | None:
        """Return the game that was loaded from a path, or None."""
        return next((folder for folder in self._loaded.values() if folder.path == path), None)

    def _plug_in(self) -> None:
        """Load the installed plug-ins, once; one that is refused is passed over with a warning."""
        if self._plugged:
            return
        self._plugged = True
        from importlib.metadata import entry_points  # takes longer than all else here

        for point in entry_points(group=PLUG_INS):
            try:
                self.add(from_plug_in(point.value))
            except DamierError as error:
                self._broken[point.name] = error
                warnings.warn(RefusedGame(f"{point.name}: {error}"), stacklevel=2)


GAMES = Registry()
lang.ask_games(lambda game, language: GAMES[game].texts(language) if game in GAMES else {})


def load(path: Path | str) -> Folder:
    """Load a game from its path, a folder with `rules.py` or a single file, and register it.

    Once loaded it stays as it is, whatever becomes of its files: a changed game needs a new
    process.
    """
    path = resolved(Path(path))
    known = GAMES.at(path)
    if known is not None:
        return known
    folder = from_path(path)
    GAMES.add(folder)
    return folder
