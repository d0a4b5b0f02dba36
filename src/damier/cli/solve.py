"""`damier solve`: compute the table with the value of every position, and verify it.

With --start it finds the value of the start only, without a table.
"""

import argparse
import re
import sys
import time
from dataclasses import replace
from pathlib import Path

from damier.cli.common import add_rules, rules_of
from damier.cli.progress import ProgressLine, report, report_interruption, report_write_failure
from damier.errors import DamierError
from damier.execution import open_executor
from damier.games.constants import whole_number
from damier.i18n import translate
from damier.position import Rules
from damier.solve import tables
from damier.solve.retrograde import Solution, content, solution_of, solve, solver_for, verify
from damier.solve.retrograde.acyclic import value_of_start
from damier.solve.retrograde.checkpoints import delete
from damier.solve.retrograde.distributed import solve_on
from damier.solve.retrograde.enumerated import EnumeratedSolver
from damier.solve.retrograde.storage import StorageLimits, in_bytes


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_rules(parser)
    parser.add_argument("--board", metavar="RxC", help=translate("solve.board"))
    parser.add_argument("--pawns", metavar="N", help=translate("solve.pawns"))
    parser.add_argument("--workers", metavar="N", help=translate("solve.workers"))
    parser.add_argument(
        "--cluster", metavar=translate("cli.address"), help=translate("solve.cluster")
    )
    parser.add_argument("--memory", metavar="N", help=translate("solve.memory"))
    parser.add_argument("--disk", metavar="N", help=translate("solve.disk"))
    parser.add_argument("--start", action="store_true", help=translate("solve.start-only"))
    parser.add_argument("--verify", action="store_true", help=translate("solve.verify"))
    parser.add_argument("--output", metavar=translate("cli.file"), help=translate("solve.output"))


def run(args: argparse.Namespace) -> int:
    """Solve and write the table or, with --verify, solve again and check the existing table."""
    if args.board is not None:
        args.option = [*args.option, f"board={args.board}"]
    rules, workers = rules_of(args), _number(args.workers, "workers")
    pawns = solver_for(rules).endings(rules, _number(args.pawns, "pawns"))
    path = Path(args.output) if args.output else tables.built_path(rules, pawns or 0)
    limits = _limits(args, path.parent)
    if args.cluster is not None and (args.start or args.verify or workers is not None):
        raise DamierError("solve-cluster-alone")
    if args.start:
        return _find_value_of_start(rules, limits)
    _announce(rules, pawns, limits)
    shipped = rules.folder.tables / tables.file_name(rules, pawns or 0)
    if args.verify:  # solve without checkpoints, and write nothing
        try:
            solution, packed = _solve(rules, pawns, workers, None, limits)
            return _verify(solution, packed, shipped if shipped.exists() else path, workers)
        except KeyboardInterrupt:
            return report_interruption(None)
    with tables.lock_table(path):
        tables.refuse_replacing(path, rules, pawns or 0)
        keep = tables.checkpoint_directory(path)
        try:
            _, packed = _solve(rules, pawns, workers, keep, limits, args.cluster)
        except KeyboardInterrupt:
            return report_interruption(keep)
        if not args.output and shipped.exists():
            same = shipped.read_bytes() == packed
            print(translate("solve.shipped.same" if same else "solve.shipped.other", path=shipped))
        else:
            same = True
            try:
                tables.write(path, packed)
            except OSError as error:
                return report_write_failure(error, keep)
            tables.clear_table_cache()
            print(translate("solve.written", path=path, size=f"{len(packed):,}"))
        delete(keep)
    return 0 if same else 1


def _solve(
    rules: Rules,
    pawns: int | None,
    workers: int | None,
    keep: Path | None,
    limits: StorageLimits,
    cluster: str | None = None,
) -> tuple[Solution, bytes]:
    """Solve and show the progress; return the solution and the content of the table file."""
    with ProgressLine() as progress:
        if cluster is not None and keep is not None:
            with open_executor(cluster=cluster) as executor:
                solution = solve_on(executor, rules, pawns, keep, progress, limits)
        else:
            solution = solve(rules, pawns, workers, progress, keep, limits, progress.announce)
    packed = content(solution, workers)
    report(solution)
    return solution, packed


def _number(text: str | None, name: str) -> int | None:
    """Return a positive number, or None without a text; raise DamierError if it is invalid."""
    if text is None:
        return None
    number = whole_number(text)
    if not number:
        raise DamierError("solve-number", name=name, text=text)
    return number


def _find_value_of_start(rules: Rules, limits: StorageLimits) -> int:
    """Print the value of the start, found without a table."""
    try:
        with ProgressLine() as progress:
            outcome, count = value_of_start(rules, limits, progress)
    except KeyboardInterrupt:
        return report_interruption(None)
    print(translate(f"solve.start-only.{outcome}", positions=f"{count:,}"))
    return 0


def _limits(args: argparse.Namespace, directory: Path) -> StorageLimits:
    """Return the limits of memory and disk that the arguments name."""
    limits = StorageLimits.of_machine(directory)
    for name in ("memory", "disk"):
        text = getattr(args, name)
        if text is not None:
            limits = replace(limits, **{name: _size(text, name)})
    return limits


def _size(text: str, name: str) -> int:
    """Return a number of bytes written as "500 MB" or "8GB"."""
    match = re.fullmatch(r"(\d{1,6}(?:\.\d{1,3})?)\s*(k|M|G|T)i?[Bo]?", text.strip())
    if match is None:
        raise DamierError("solve-size", name=name, text=text)
    return int(float(match[1]) * 1000 ** ("kMGT".index(match[2]) + 1))


def _announce(rules: Rules, pawns: int | None, limits: StorageLimits) -> None:
    """Print the number of positions and the memory needed, or the limits if they are unknown."""
    solver = solver_for(rules)
    size = solver.size(rules, pawns)
    if size is not None:
        numbers, memory = size
        text = translate("solve.sizes", numbers=f"{numbers:,}", memory=round(memory / 1e6))
        shared = solver.on_disk(rules, pawns)
        if shared is not None and memory > limits.memory:
            needs = {"memory": in_bytes(shared[0]), "disk": in_bytes(shared[1])}
            text = translate("solve.sizes-on-disk", numbers=f"{numbers:,}", **needs)
    else:
        assert isinstance(solver, EnumeratedSolver)
        text = translate(
            "solve.listing",
            game=rules.name,
            memory=in_bytes(limits.memory),
            disk=in_bytes(limits.disk),
            most=f"{solver.capacity(rules, limits):,}",
        )
    print(text, flush=True)


def _verify(solution: Solution, packed: bytes, path: Path, workers: int | None) -> int:
    """Compare with the existing file, check every value by its moves; return the exit status."""
    status = 0
    if path.exists():
        same = path.read_bytes() == packed
        print(translate("solve.same" if same else "solve.differs", path=path), flush=True)
        status = 0 if same else 1
        solution = solution_of(tables.Table.open(path, solution.rules))
    began = time.perf_counter()
    if not verify(solution, workers):
        print(translate("solve.wrong"), file=sys.stderr)
        return 1
    print(translate("solve.right", seconds=f"{time.perf_counter() - began:.1f}"))
    return status
