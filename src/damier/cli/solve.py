"""`damier solve`: compute what every position is worth, and check it."""

import argparse
import sys
import time
from pathlib import Path

from damier.cli.common import add_rules, rules_of
from damier.cli.progress import ProgressLine, interrupted, report, stopped
from damier.errors import DamierError
from damier.games.terms import whole_number
from damier.lang import say
from damier.position import Rules
from damier.solve import tables
from damier.solve.numbering import MOST_POSITIONS
from damier.solve.retrograde import Solution, analysis_of, content, loaded, solve, verify
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
    shipped = rules.folder.tables / name
    if args.verify:  # what is checked is built from nothing, and nothing is written
        try:
            solution, packed = _solved(rules, pawns, workers, None)
            return _verify(solution, packed, shipped if shipped.exists() else path, workers)
        except KeyboardInterrupt:
            return interrupted(None)
    with tables.alone_with(path):
        keep = tables.parts_of(path)
        try:
            _, packed = _solved(rules, pawns, workers, keep)
        except KeyboardInterrupt:
            return interrupted(keep)
        if not args.output and shipped.exists():
            same = shipped.read_bytes() == packed
            print(say("solve.shipped.same" if same else "solve.shipped.other", path=shipped))
        else:
            same = True
            try:
                tables.write(path, packed)
            except OSError as error:
                return stopped(error, keep)
            tables.forget()
            print(say("solve.written", path=path, size=f"{len(packed):,}"))
        delete(keep)
    return 0 if same else 1


def _solved(
    rules: Rules, pawns: int | None, workers: int | None, keep: Path | None
) -> tuple[Solution, bytes]:
    """Solve, and say how it goes; return what was found, and the table file."""
    with ProgressLine() as progress:
        solution = solve(rules, pawns, workers, progress, keep)
    packed = content(solution, workers)
    report(solution)
    return solution, packed


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
