"""`damier replay`: print recorded games with their boards, and review them."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

from damier import record
from damier.cli.common import add_options, add_position, draw_board, game_name, options_of
from damier.cli.terminal import print_raw
from damier.errors import DamierError
from damier.gameplay import Game
from damier.games.constants import whole_number
from damier.i18n import translate

REVIEW_SECONDS = 0.5  # seconds of search for each position that is in no table


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("file", metavar=translate("cli.file"), help=translate("cli.replay.file"))
    parser.add_argument("--game", metavar=translate("cli.game"), help=translate("cli.replay.game"))
    add_options(parser)
    add_position(parser)
    parser.add_argument("--at", metavar="N", help=translate("cli.replay.at"))
    parser.add_argument("--boards", action="store_true", help=translate("cli.replay.boards"))
    parser.add_argument("--review", action="store_true", help=translate("cli.replay.review"))


def run(args: argparse.Namespace) -> int:
    """Print each game: headers, moves, and the final board or the boards after every move."""
    at = None if args.at is None else whole_number(args.at)
    if args.at is not None and at is None:
        raise DamierError("at", text=args.at)
    found = record.read_each(
        read_lines(args.file),
        default=args.game and game_name(args.game),
        preset=args.preset,
        options=options_of(args),
        position=args.position,
    )
    status = 0
    for item in found:
        if isinstance(item, record.ParseProblem):
            status = 1
            text = translate(
                "cli.replay.problem", file=args.file, line=item.line, message=item.message
            )
            print(text, file=sys.stderr)
            continue
        print(item)
        last = item.game.ply if at is None else min(at, item.game.ply)
        games = [item.game.at(ply) for ply in range(0 if args.boards else last, last + 1)]
        for game in games:
            if game.ply:
                print(f"{game.ply}. {game.moves_played[-1]}")
            print_raw(draw_board(game.position))
            print(game.position, end="\n\n")
        if item.result and last == item.game.ply:
            print(item.result.sentence(), end="\n\n")
        if args.review:
            print_review(item.game.at(last))
    return status


def print_review(game: Game) -> None:
    """Print the mistakes of a game with the best moves, each as soon as it is found."""
    from damier.search import explain, review

    faults = 0
    for reviewed in review(game, seconds=REVIEW_SECONDS):
        if reviewed.played.fault is not None:
            faults += 1
            text = translate(
                "cli.review.fault",
                ply=reviewed.ply,
                side=translate(f"side.{reviewed.side}"),
                turn=reviewed.played.move,
                fault=translate(f"cli.review.{reviewed.played.fault}"),
                best=reviewed.best.move,
            )
            print(text, flush=True)
            before = game.at(reviewed.ply - 1)
            why = explain(before, reviewed.played.move.text, seconds=REVIEW_SECONDS)
            print(f"  {' '.join(why.sentences)}")
            print(f"  {translate('solve.line', line=' '.join(why.line))}", flush=True)
    print("" if faults else translate("cli.review.none") + "\n")


def read_lines(path: str) -> Iterator[str]:
    """Yield the lines of a file, or of standard input for `-`, as they are read."""
    try:
        with nullcontext(sys.stdin) if path == "-" else Path(path).open(encoding="utf-8") as file:
            for line in file:
                yield from line.splitlines()
    except UnicodeDecodeError as error:
        raise DamierError("file", path=path, message=error) from None
