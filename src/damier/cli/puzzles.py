"""`damier puzzles`: generate puzzles from games between levels, or verify the stored ones."""

import argparse
import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from damier import files
from damier.cli.common import add_execution, add_game, add_options, game_name, options_of
from damier.cli.interrupt import INTERRUPTED
from damier.cli.progress import ProgressLine
from damier.errors import DamierError
from damier.execution import open_executor
from damier.games import GAMES
from damier.i18n import translate
from damier.learning.puzzles import Puzzle, puzzles
from damier.learning.puzzles.collection import puzzle_file
from damier.learning.puzzles.generator import GamePuzzles, PuzzleGenerator
from damier.learning.puzzles.proofs import Provers, without_superko
from damier.learning.puzzles.verification import verify
from damier.position import Rules, load_rules

DEFAULT_COUNT = 300  # puzzles
CHECKPOINT_INTERVAL = 10  # games between checkpoints, from which an interrupted run continues


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_game(parser, "?")
    add_options(parser)
    number = translate("cli.number")
    parser.add_argument(
        "--seed", type=int, default=1, metavar=number, help=translate("puzzle.seed")
    )
    parser.add_argument(
        "--count", type=int, default=DEFAULT_COUNT, metavar=number, help=translate("puzzle.count")
    )
    parser.add_argument(
        "--out", type=Path, metavar=translate("cli.file"), help=translate("puzzle.out")
    )
    add_execution(parser)
    parser.add_argument("--verify", action="store_true", help=translate("puzzle.verify"))


def run(args: argparse.Namespace) -> int:
    """Generate puzzles or, with --verify, check the stored ones."""
    if args.verify:
        names = [game_name(args.game)] if args.game else list(GAMES)
        return max(_verify(name) for name in names)
    if args.game is None:
        raise DamierError("puzzle-game")
    if args.count < 1:
        raise DamierError("puzzle-count", number=args.count)
    chosen = load_rules(game_name(args.game), args.preset, **options_of(args))
    rules = chosen if args.option or args.preset else without_superko(chosen)
    path = args.out or _usual_file(rules)
    checkpoint = path.with_name(f"{path.name}.part")
    generator = PuzzleGenerator(
        rules, args.seed, args.count, _load_checkpoint(checkpoint, rules, args)
    )
    try:
        with open_executor(args.workers, args.cluster) as executor, ProgressLine() as progress:
            generator.progress, generator.executor = progress, executor
            _generate(generator, checkpoint, progress)
    except KeyboardInterrupt:
        print(translate("puzzle.interrupted", path=checkpoint), file=sys.stderr)
        return INTERRUPTED
    made = generator.puzzles
    files.write_text(path, "".join(f"{puzzle.written()}\n" for puzzle in made))
    with suppress(FileNotFoundError):
        checkpoint.unlink()
    games = generator.found[-1].game + 1
    print(translate("puzzle.made", count=len(made), path=path, games=games))
    return 0


def _usual_file(rules: Rules) -> Path:
    """Return the default output file: in the folder of a custom game, else in this directory."""
    if rules.folder.path is not None:
        return puzzle_file(rules.name)
    return Path(f"{rules.name}-puzzles.jsonl")


def _generate(generator: PuzzleGenerator, checkpoint: Path, progress: ProgressLine) -> None:
    """Generate puzzles and write checkpoints to the file `checkpoint`."""
    new: list[GamePuzzles] = []
    try:
        for found in generator:
            new.append(found)
            progress("puzzles", min(1.0, len(generator.puzzles) / generator.count))
            if len(new) == CHECKPOINT_INTERVAL:
                _append_to_checkpoint(checkpoint, new)
    finally:
        _append_to_checkpoint(checkpoint, new)


def _header(rules: Rules, args: argparse.Namespace) -> dict[str, Any]:
    """Return the checkpoint header; a run continues only a checkpoint with the same header."""
    return {
        "game": rules.name,
        "options": dict(rules.changed),
        "seed": args.seed,
        "count": args.count,
    }


def _append_to_checkpoint(path: Path, new: list[GamePuzzles]) -> None:
    """Append the puzzles of new games to the checkpoint, and clear the list."""
    lines = [
        json.dumps({"game": found.game, "puzzles": [p.written() for p in found.puzzles]})
        for found in new
    ]
    files.append(path, "".join(f"{line}\n" for line in lines))
    new.clear()


def _load_checkpoint(path: Path, rules: Rules, args: argparse.Namespace) -> list[GamePuzzles]:
    """Return the puzzles in the checkpoint of the same command, or begin a new checkpoint."""
    header = _header(rules, args)
    with suppress(FileNotFoundError, ValueError, KeyError, TypeError):
        first, *lines = path.read_text("utf-8").splitlines()
        if json.loads(first) == header:
            return [_read_puzzles(rules.name, json.loads(line)) for line in lines]
    files.write_text(path, json.dumps(header) + "\n")
    return []


def _read_puzzles(name: str, content: dict[str, Any]) -> GamePuzzles:
    """Return the puzzles of one game from a line of the checkpoint."""
    return GamePuzzles(
        content["game"], tuple(Puzzle.read(name, text) for text in content["puzzles"])
    )


def _verify(name: str) -> int:
    """Verify the puzzles of a game and print the wrong ones; return the exit status."""
    wrong = 0
    listed = puzzles(name)
    for rules in dict.fromkeys(puzzle.rules for puzzle in listed):
        of_rules = [puzzle for puzzle in listed if puzzle.rules == rules]
        with ProgressLine() as progress:
            provers = Provers(rules, progress)
            for k, (puzzle, fault) in enumerate(verify(of_rules, provers), 1):
                progress("puzzles", k / len(of_rules))
                if fault:
                    wrong += 1
                    progress.clear()
                    text = translate(f"puzzle.fault.{fault}")
                    print(translate("puzzle.wrong", id=puzzle.id, fault=text), file=sys.stderr)
    print(translate("puzzle.verified", game=name, count=len(listed), wrong=wrong), flush=True)
    return 1 if wrong else 0
