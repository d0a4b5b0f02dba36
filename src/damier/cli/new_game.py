"""`damier new-game`: write the skeleton of a game, which can be played at once."""

import argparse
import re
import shutil
from pathlib import Path

from damier import files
from damier.errors import DamierError
from damier.games import GAMES
from damier.lang import say

_SKELETON = Path(__file__).parent / "skeleton"
_NAME = "mygame"  # what stands in the skeleton for the game's name


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("name", metavar=say("cli.name"), help=say("cli.new-game.name"))
    parser.add_argument(
        "--directory", type=Path, default=Path(), metavar=say("cli.directory"),
        help=say("cli.new-game.directory"),
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Write the folder and say what to do with it."""
    name: str = args.name
    if not re.fullmatch("[a-z][a-z0-9_]*", name):
        raise DamierError("new-game-name", name=name)
    folder: Path = args.directory / name
    if name in GAMES:
        raise DamierError("game-taken", name=name, path=folder)
    if folder.exists():
        raise DamierError("new-game-there", path=folder)
    folder.mkdir(parents=True)
    try:
        for source in sorted(_SKELETON.glob("*.*")):
            text = source.read_text("utf-8").replace(_NAME, name)
            title = name.replace("_", " ").capitalize()
            files.write_text(folder / source.name, text.replace(_NAME.capitalize(), title))
    except OSError:  # half a game would be in the way of the whole
        shutil.rmtree(folder, ignore_errors=True)
        raise
    path = folder if folder.is_absolute() else f"./{folder}"
    print(say("cli.new-game.written", path=path))
    return 0
