"""`damier new-game`: write the skeleton of a new game, which is already playable."""

import argparse
import re
import shutil
from pathlib import Path

from damier import files
from damier.errors import DamierError
from damier.games import GAMES
from damier.i18n import translate

_SKELETON = Path(__file__).parent / "skeleton"
_NAME = "mygame"  # placeholder for the game's name in the skeleton


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("name", metavar=translate("cli.name"), help=translate("cli.new-game.name"))
    parser.add_argument(
        "--directory",
        type=Path,
        default=Path(),
        metavar=translate("cli.directory"),
        help=translate("cli.new-game.directory"),
    )


def run(args: argparse.Namespace) -> int:
    """Write the folder and print what to do next."""
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
    except OSError:  # an incomplete folder would block the next attempt
        shutil.rmtree(folder, ignore_errors=True)
        raise
    path = folder if folder.is_absolute() else f"./{folder}"
    print(translate("cli.new-game.written", path=path))
    return 0
