"""What `damier solve` does for games that lose pawns: small boards, and endings."""

import argparse
import sys
import time
from pathlib import Path

from damier.cli.progress import ProgressLine, interrupted, report
from damier.lang import say
from damier.position import Rules
from damier.solve import parts, tables
from damier.solve.endings import (
    check_pawns,
    content,
    size_of,
    solve_tiers,
    verify_tiers,
)
from damier.solve.solver import Solution


def run_endings(
    rules: Rules, pawns: int | None, workers: int | None, args: argparse.Namespace
) -> int:
    """Solve a small board, or the endings with at most so many pawns."""
    if pawns is None:
        pawns = {"seega": 8}.get(rules.name, None if rules.board.size <= 15 else 5)
    check_pawns(rules, pawns)
    numbers, memory = size_of(rules, pawns)
    print(say("solve.sizes", numbers=f"{numbers:,}", memory=round(memory / 1e6)), flush=True)
    name = tables.file_name(rules, pawns or 0)
    path = Path(args.output) if args.output else tables.data_directory() / name
    # What is checked is built from nothing.
    keep = None if args.verify else path.with_suffix(".parts")
    progress = ProgressLine()
    try:
        solution = solve_tiers(rules, pawns, workers, progress, keep)
        progress.clear()
        packed = content(solution)
        report(solution)
        if args.verify:
            return _verify(solution, packed, path, workers)
    except KeyboardInterrupt:
        progress.clear()
        return interrupted(keep)
    tables.write(path, packed)
    tables.forget()
    parts.delete(path.with_suffix(".parts"))
    print(say("solve.written", path=path, size=f"{len(packed):,}"))
    return 0


def _verify(solution: Solution, packed: bytes, path: Path, workers: int | None) -> int:
    """Compare with the file that is there, and check every value by its turns."""
    status = 0
    if path.exists():
        status = 0 if path.read_bytes() == packed else 1
        print(say("solve.differs" if status else "solve.same", path=path), flush=True)
    began = time.perf_counter()
    if not verify_tiers(solution, workers):
        print(say("solve.wrong"), file=sys.stderr)
        return 1
    print(say("solve.right", seconds=f"{time.perf_counter() - began:.1f}"))
    return status
