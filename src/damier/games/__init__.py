"""The registry of games: the folders here, installed plug-ins, and what is named by its path.

`GAMES` has them all by name; `load` adds one from its path.

A plug-in is an installed package whose folder is a game, named in the entry-point group
`damier.games`. A game that breaks the contract is refused with the reason, and takes no other down.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path

from damier import lang
from damier.errors import DamierError
from damier.games.contract import RulesFile, Words
from damier.games.folder import Folder, from_package, from_path

__all__ = ["GAMES", "PLUG_INS", "Folder", "RulesFile", "Words", "load"]

PLUG_INS = "damier.games"  # the entry-point group
# The order in which games are shown; others follow by name.
ORDER = ("fraha", "chefa", "badia", "seega", "fanorona")
_HERE = Path(__file__).parent


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
        """Add a game, or put it in the place of the one from the same path."""
        known = self._loaded.get(folder.name)
        if folder.name in self._here or (known is not None and known.path != folder.path):
            raise DamierError("game-taken", name=folder.name, path=folder.directory)
        self._loaded[folder.name] = folder

    def _plug_in(self) -> None:
        """Load the installed plug-ins, once; one that is refused is passed over with a warning."""
        if self._plugged:
            return
        self._plugged = True
        from importlib.metadata import entry_points  # takes longer than all else here

        for point in entry_points(group=PLUG_INS):
            try:
                self.add(from_package(point.value))
            except Exception as error:  # another's code: whatever it does, the others are there
                refused = (
                    error
                    if isinstance(error, DamierError)
                    else DamierError("game-wrong", path=point.value, problem=repr(error))
                )
                self._broken[point.name] = refused
                warnings.warn(f"{point.name}: {refused}", stacklevel=2)


GAMES = Registry()
lang.ask_games(lambda game, language: GAMES[game].texts(language) if game in GAMES else {})


def load(path: Path | str) -> Folder:
    """Load a game from its path, a folder with `rules.py` or a single file, and register it."""
    folder = from_path(Path(path))
    GAMES.add(folder)
    return folder
