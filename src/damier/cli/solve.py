"""`damier solve`: compute what every position is worth, and check it."""

import argparse
import sys
import time
from pathlib import Path

from damier.cli.common import add_rules, rules_of
from damier.cli.progress import ProgressLine, interrupted, report
from damier.errors import DamierError
from damier.games.terms import whole_number
from damier.lang import say
from damier.position import Rules
from damier.solve import tables
from damier.solve.retrograde import Solution, analysis_of, content, loaded, solve, verify
from damier.solve.retrograde.listed import MOST_POSITIONS
from damier.solve.retrograde.parts import delete


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_rules(parser)
    parser.add_argument("--board", metavar="RxC", help=say("solve.board"))
    parser.add_argument("--pawns", metavar="N", help=say("solve.pawns"))
    parser.add_argument("--workers", metavar="N", help=say("solve.workers"))
    parser.add_argument("--verify", action="store_true", help=say("solve.verify"))
    parser.add_argument("--output", metavar=say("cli.file"), help=say("solve.output"))


def run(args: argparse.Namespace) -> int:
    """Solve, write the table, and with --verify check it."""
    if args.board is not None:
        args.option = [*args.option, f"board={args.board}"]
    rules, workers = rules_of(args), _number(args.workers, "workers")
    pawns = analysis_of(rules).endings(rules, _number(args.pawns, "pawns"))
    _announce(rules, pawns)
    name = tables.file_name(rules, pawns or 0)
    path = Path(args.output) if args.output else tables.data_directory() / name
    # What is checked is built from nothing.
    keep = None if args.verify else path.with_suffix(".parts")
    progress = ProgressLine()
    shipped = rules.folder.tables / name
    try:
        solution = solve(rules, pawns, workers, progress, keep)
        progress.clear()
        packed = content(solution, workers)
        report(solution)
        if args.verify:
            return _verify(solution, packed, shipped if shipped.exists() else path, workers)
    except KeyboardInterrupt:
        progress.clear()
        return interrupted(keep)
    status = 0
    if shipped.exists() and not args.output:
        same = shipped.read_bytes() == packed
        print(say("solve.shipped.same" if same else "solve.shipped.other", path=shipped))
        status = 0 if same else 1
    else:
        tables.write(path, packed)
        tables.forget()
        print(say("solve.written", path=path, size=f"{len(packed):,}"))
    delete(path.with_suffix(".parts"))
    return status


def _number(text: str | None, name: str) -> int | None:
    if text is None:
        return None
    number = whole_number(text)
    if not number:
        raise DamierError("solve-number", name=name, text=text)
    return number


def _announce(rules: Rules, pawns: int | None) -> None:
    """Say how much there is to do, as far as it is known."""
    size = analysis_of(rules).size(rules, pawns)
    if size is None:
        text = say("solve.listing", game=rules.name, most=f"{MOST_POSITIONS:,}")
    else:
        numbers, memory = size
        text = say("solve.sizes", numbers=f"{numbers:,}", memory=round(memory / 1e6))
    print(text, flush=True)


def _verify(solution: Solution, packed: bytes, path: Path, workers: int | None) -> int:
    """Compare with the file that is there, and check every value by its turns."""
    status = 0
    if path.exists():
        same = path.read_bytes() == packed
        print(say("solve.same" if same else "solve.differs", path=path), flush=True)
        status = 0 if same else 1
        solution = loaded(tables.Table.open(path, solution.rules))
    began = time.perf_counter()
    if not verify(solution, workers):
        print(say("solve.wrong"), file=sys.stderr)
        return 1
    print(say("solve.right", seconds=f"{time.perf_counter() - began:.1f}"))
    return status
