"""`damier replay`: play recorded games again."""

import argparse
import sys
from pathlib import Path

from damier import record
from damier.cli.common import add_options, add_position, drawn, named, options_of
from damier.errors import DamierError
from damier.games.terms import whole_number
from damier.history import Game
from damier.lang import say

REVIEWED = 0.5  # seconds to look at each position of a game, where no table knows it


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("file", metavar=say("cli.file"), help=say("cli.replay.file"))
    parser.add_argument("--game", metavar=say("cli.game"), help=say("cli.replay.game"))
    add_options(parser)
    add_position(parser)
    parser.add_argument("--at", metavar="N", help=say("cli.replay.at"))
    parser.add_argument("--boards", action="store_true", help=say("cli.replay.boards"))
    parser.add_argument("--review", action="store_true", help=say("cli.replay.review"))


def run(args: argparse.Namespace) -> int:
    """Print each game: its headers and turns, and the board at its end or on the way."""
    at = None if args.at is None else whole_number(args.at)
    if args.at is not None and at is None:
        raise DamierError("at", text=args.at)
    records, problems = record.read(
        read_text(args.file), default=args.game and named(args.game), preset=args.preset,
        options=options_of(args), position=args.position,
    )  # fmt: skip
    for one in records:
        print(one)
        last = one.game.ply if at is None else min(at, one.game.ply)
        games = [one.game.at(ply) for ply in range(0 if args.boards else last, last + 1)]
        for game in games:
            if game.ply:
                print(f"{game.ply}. {game.turns_played[-1]}")
            print(drawn(game.position))
            print(game.position, end="\n\n")
        if one.result and last == one.game.ply:
            print(one.result.sentence(), end="\n\n")
        if args.review:
            print_review(one.game.at(last))
    for problem in problems:
        print(
            say("cli.replay.problem", file=args.file, line=problem.line, message=problem.message),
            file=sys.stderr,
        )
    return 1 if problems else 0


def print_review(game: Game) -> None:
    """Print where a game went wrong, as soon as it is found, and what was better."""
    from damier.search import review

    faults = 0
    for one in review(game, seconds=REVIEWED):
        if one.played.fault is not None:
            faults += 1
            said = say(
                "cli.review.fault",
                ply=one.ply,
                side=say(f"side.{one.side}"),
                turn=one.played.turn,
                fault=say(f"cli.review.{one.played.fault}"),
                best=one.best.turn,
            )
            print(said, flush=True)
    print("" if faults else say("cli.review.none") + "\n")


def read_text(path: str) -> str:
    """Return the text of a file, or of standard input for `-`."""
    try:
        if path == "-":
            return sys.stdin.read()
        return Path(path).read_text("utf-8")
    except UnicodeDecodeError as error:
        raise DamierError("file", path=path, message=error) from None
