"""`damier puzzles`: make puzzles from games that levels play, or prove anew those that are kept."""

import argparse
import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from damier import files
from damier.cli.common import add_game, add_options, named, options_of
from damier.cli.interrupt import INTERRUPTED
from damier.cli.progress import ProgressLine
from damier.errors import DamierError
from damier.games import GAMES
from damier.lang import say
from damier.position import Rules, game
from damier.puzzles import Puzzle, puzzles
from damier.puzzles.checking import verify
from damier.puzzles.making import Found, Making
from damier.puzzles.stored import file_of
from damier.puzzles.truth import Truths, without_ban

COUNT = 300
KEPT_EVERY = 10  # games, after which an interrupted run need not play them again


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_game(parser, "?")
    add_options(parser)
    number = say("cli.number")
    parser.add_argument("--seed", type=int, default=1, metavar=number, help=say("puzzle.seed"))
    parser.add_argument(
        "--count", type=int, default=COUNT, metavar=number, help=say("puzzle.count")
    )
    parser.add_argument("--out", type=Path, metavar=say("cli.file"), help=say("puzzle.out"))
    parser.add_argument("--verify", action="store_true", help=say("puzzle.verify"))


def run(args: argparse.Namespace) -> int:
    """Make puzzles, or with --verify check those that there are."""
    if args.verify:
        names = [named(args.game)] if args.game else list(GAMES)
        return max(_verify(name) for name in names)
    if args.game is None:
        raise DamierError("puzzle-game")
    chosen = game(named(args.game), args.preset, **options_of(args))
    rules = chosen if args.option or args.preset else without_ban(chosen)
    path = args.out or _usual_file(rules)
    kept = path.with_name(f"{path.name}.part")
    making = Making(rules, args.seed, args.count, _kept(kept, rules, args))
    try:
        with ProgressLine() as progress:
            making.progress = progress
            _make(making, kept, progress)
    except KeyboardInterrupt:
        print(say("puzzle.interrupted", path=kept), file=sys.stderr)
        return INTERRUPTED
    found = making.puzzles
    files.write_text(path, "".join(f"{puzzle.written()}\n" for puzzle in found))
    with suppress(FileNotFoundError):
        kept.unlink()
    print(say("puzzle.made", count=len(found), path=path, games=making.found[-1].game + 1))
    return 0


def _usual_file(rules: Rules) -> Path:
    """Return where puzzles go if nobody says: to a game of one's own, else to a file here."""
    if rules.folder.path is not None:
        return file_of(rules.name)
    return Path(f"{rules.name}-puzzles.jsonl")


def _make(making: Making, kept: Path, progress: ProgressLine) -> None:
    """Make puzzles, and keep what is found on the way."""
    new: list[Found] = []
    try:
        for found in making:
            new.append(found)
            progress("puzzles", min(1.0, len(making.puzzles) / making.count))
            if len(new) == KEPT_EVERY:
                _keep(kept, new)
    finally:
        _keep(kept, new)


def _header(rules: Rules, args: argparse.Namespace) -> dict[str, Any]:
    """Return what must be the same for a run to go on where another stopped."""
    return {
        "game": rules.name,
        "options": dict(rules.changed),
        "seed": args.seed,
        "count": args.count,
    }


def _keep(path: Path, new: list[Found]) -> None:
    """Keep what was found in some games."""
    lines = [
        json.dumps({"game": found.game, "puzzles": [p.written() for p in found.puzzles]})
        for found in new
    ]
    files.append(path, "".join(f"{line}\n" for line in lines))
    new.clear()


def _kept(path: Path, rules: Rules, args: argparse.Namespace) -> list[Found]:
    """Return what an interrupted run of the same command has kept; else begin to keep."""
    header = _header(rules, args)
    with suppress(FileNotFoundError, ValueError, KeyError, TypeError):
        first, *lines = path.read_text("utf-8").splitlines()
        if json.loads(first) == header:
            return [_found(rules.name, json.loads(line)) for line in lines]
    files.write_text(path, json.dumps(header) + "\n")
    return []


def _found(name: str, content: dict[str, Any]) -> Found:
    return Found(content["game"], tuple(Puzzle.read(name, text) for text in content["puzzles"]))


def _verify(name: str) -> int:
    """Prove the puzzles of a game anew, and say which are wrong; return the exit status."""
    wrong = 0
    listed = puzzles(name)
    for rules in dict.fromkeys(puzzle.rules for puzzle in listed):
        of_rules = [puzzle for puzzle in listed if puzzle.rules == rules]
        with ProgressLine() as progress:
            truths = Truths(rules, progress)
            for k, (puzzle, fault) in enumerate(verify(of_rules, truths), 1):
                progress("puzzles", k / len(of_rules))
                if fault:
                    wrong += 1
                    progress.clear()
                    said = say(f"puzzle.fault.{fault}")
                    print(say("puzzle.wrong", id=puzzle.id, fault=said), file=sys.stderr)
    print(say("puzzle.verified", game=name, count=len(listed), wrong=wrong), flush=True)
    return 1 if wrong else 0
