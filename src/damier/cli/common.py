"""Arguments that several commands share: a game, its options, a position."""

import argparse
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from damier.errors import DamierError
from damier.games import GAMES, load
from damier.i18n import translate
from damier.position import Position, Rules, load_rules, read_options


def add_rules(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that name a game and its options."""
    add_game(parser)
    add_options(parser)


def add_game(parser: argparse.ArgumentParser, nargs: str | None = None) -> None:
    """Add the argument for the name or the path of a game."""
    text = translate("cli.game.help", games=", ".join(GAMES))
    parser.add_argument("game", nargs=nargs, metavar=translate("cli.game"), help=text)


def add_games(parser: argparse.ArgumentParser) -> None:
    """Add the repeatable argument `--game` for the paths of custom games."""
    parser.add_argument(
        "--game",
        action="append",
        default=[],
        metavar=translate("cli.path"),
        help=translate("cli.games"),
    )


def load_games(args: argparse.Namespace) -> None:
    """Load the games whose paths the arguments name."""
    for path in args.game:
        load(path)


def load_games_to_serve(args: argparse.Namespace) -> None:
    """Load the games whose paths the arguments name; leave out broken ones with a message."""
    if args.game:
        print(translate("cli.games-rights"), file=sys.stderr)
    for path in args.game:
        try:
            load(path)
        except DamierError as error:
            message = translate("cli.game-left-out", path=path, message=error)
            print(translate("cli.error", message=message), file=sys.stderr)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that choose options."""
    parser.add_argument("--preset", metavar=translate("cli.name"), help=translate("cli.preset"))
    parser.add_argument(
        "--option", "-o", action="append", default=[], metavar="K=V", help=translate("cli.option")
    )


def add_position(parser: argparse.ArgumentParser) -> None:
    """Add the argument `--position`."""
    parser.add_argument(
        "--position", "-p", metavar=translate("cli.text"), help=translate("cli.position")
    )


def add_port(parser: argparse.ArgumentParser, default: int) -> None:
    """Add the argument `--port` of a server."""
    parser.add_argument(
        "--port",
        type=int,
        default=default,
        metavar=translate("cli.number"),
        help=translate("cli.web.port"),
    )


def add_no_browser(parser: argparse.ArgumentParser) -> None:
    """Add the argument `--no-browser`."""
    parser.add_argument("--no-browser", action="store_true", help=translate("cli.web.no-browser"))


def add_execution(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that choose where tasks run."""
    number, address = translate("cli.number"), translate("cli.address")
    parser.add_argument("--workers", type=int, metavar=number, help=translate("cli.workers"))
    parser.add_argument("--cluster", metavar=address, help=translate("cli.cluster"))


def options_of(args: argparse.Namespace) -> dict[str, str]:
    """Return the options that the arguments choose."""
    return read_options(args.option)


def game_name(text: str) -> str:
    """Return the name of a game given by name or path; load it in the latter case."""
    path = Path(text)
    by_path = path.name != text or path.suffix == ".py"
    if by_path or (text.lower() not in GAMES and (path / "rules.py").is_file()):
        return load(path).name
    return text.lower()


def rules_of(args: argparse.Namespace) -> Rules:
    """Return the rules that the arguments name."""
    return load_rules(game_name(args.game), args.preset, **options_of(args))


def position_of(args: argparse.Namespace) -> Position:
    """Return the position of the argument `--position`, by default the start."""
    rules = rules_of(args)
    return rules.start() if args.position is None else rules.position(args.position)


def is_interactive(stream: TextIO) -> bool:
    """Tell whether a stream is a terminal that supports control sequences."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def draw_board(position: Position, marked: Iterable[str] = ()) -> str:
    """Return a board for standard output: in colour on a terminal, in ASCII if necessary."""
    colour = is_interactive(sys.stdout) and not os.environ.get("NO_COLOR")
    board = position.draw(colour=colour, marked=marked)
    try:
        board.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return position.draw(colour=colour, marked=marked, ascii=True)
    return board
