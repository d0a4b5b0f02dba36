"""Arguments that several commands share: a game, its options, a position."""

import argparse
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from damier.games import GAMES, load
from damier.lang import say
from damier.position import Position, Rules, game, read_options


def add_rules(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that name a game and its options."""
    add_game(parser)
    add_options(parser)


def add_game(parser: argparse.ArgumentParser, nargs: str | None = None) -> None:
    """Add the argument that names a game, or its path."""
    text = say("cli.game.help", games=", ".join(GAMES))
    parser.add_argument("game", nargs=nargs, metavar=say("cli.game"), help=text)


def add_games(parser: argparse.ArgumentParser) -> None:
    """Add the argument that says where more games are: for commands that serve all of them."""
    parser.add_argument(
        "--game", action="append", default=[], metavar=say("cli.path"), help=say("cli.games")
    )


def load_games(args: argparse.Namespace) -> None:
    """Load the games whose paths the arguments name."""
    for path in args.game:
        load(path)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that choose options."""
    parser.add_argument("--preset", metavar=say("cli.name"), help=say("cli.preset"))
    parser.add_argument(
        "--option", "-o", action="append", default=[], metavar="K=V", help=say("cli.option")
    )


def add_position(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that describe a position."""
    parser.add_argument("--position", "-p", metavar=say("cli.text"), help=say("cli.position"))


def options_of(args: argparse.Namespace) -> dict[str, str]:
    """Return the options that the arguments choose."""
    return read_options(args.option)


def named(text: str) -> str:
    """Return the name of a game that a person names, or whose path he gives."""
    path = Path(text)
    by_path = path.name != text or path.suffix == ".py"
    if by_path or (text.lower() not in GAMES and (path / "rules.py").is_file()):
        return load(path).name
    return text.lower()


def rules_of(args: argparse.Namespace) -> Rules:
    """Return the rules that the arguments name."""
    return game(named(args.game), args.preset, **options_of(args))


def position_of(args: argparse.Namespace) -> Position:
    """Return the position that the arguments describe: the start if none."""
    rules = rules_of(args)
    return rules.start() if args.position is None else rules.position(args.position)


def person_at(stream: TextIO) -> bool:
    """Tell whether a person looks at a stream, on a terminal that takes more than text."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def drawn(position: Position, marked: Iterable[str] = ()) -> str:
    """Return a board as standard output can show it: in colour to a person, if need be in ASCII."""
    colour = person_at(sys.stdout) and not os.environ.get("NO_COLOR")
    board = position.draw(colour=colour, marked=marked)
    try:
        board.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return position.draw(colour=colour, marked=marked, ascii=True)
    return board
