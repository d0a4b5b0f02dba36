"""Paths of the games that the user has played by their path, by name of the game.

A game record names its game only. Records may come from other people, so they contain no path:
loading a game runs its code. The user's own paths are in a file of the data directory.
"""

import json
from pathlib import Path

from damier import files
from damier.errors import DamierError
from damier.games import GAMES, Folder, load
from damier.paths import data_directory


def remember(folder: Folder) -> None:
    """Store the path of a game that was loaded by its path."""
    if folder.path is None:
        return
    known = _read()
    if known.get(folder.name) != str(folder.path):
        files.write_text(_file(), json.dumps({**known, folder.name: str(folder.path)}, indent=1))


def recall(name: str) -> None:
    """Load an unknown game from the path from which it was last played, if there is one."""
    if name in GAMES:
        return
    text = _read().get(name)
    if text is None:
        return
    if not Path(text).exists():
        raise DamierError("game-moved", name=name, path=text)
    load(text)


def _file() -> Path:
    return data_directory() / "game-paths.json"


def _read() -> dict[str, str]:
    try:
        found = json.loads(_file().read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    valid = isinstance(found, dict) and all(isinstance(path, str) for path in found.values())
    return found if valid else {}
