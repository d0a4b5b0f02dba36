"""What `damier solve` says on the way, at the end, and when it is interrupted."""

from __future__ import annotations

import sys
import time
import warnings
from pathlib import Path
from typing import Any

from damier.cli.common import person_at
from damier.cli.probe import sentence
from damier.errors import Notice, told
from damier.lang import say
from damier.solve import tables
from damier.solve.retrograde import Solution


class ProgressLine:
    """A line on a terminal: what is being done, which part of it is, and how long it may take.

    It goes away when the work ends, and for whatever else there is to say meanwhile.
    """

    def __init__(self) -> None:
        self._shown = person_at(sys.stderr)
        self._began, self._first, self._width = time.monotonic(), -1.0, 0

    def __enter__(self) -> ProgressLine:
        self._warnings = warnings.catch_warnings()
        self._warnings.__enter__()
        warnings.simplefilter("always", Notice)
        self._usual = warnings.showwarning
        warnings.showwarning = self._notice
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()
        self._warnings.__exit__(None, None, None)

    def _notice(self, message: Warning | str, *about: Any, **more: Any) -> None:
        self.clear()
        if isinstance(message, Notice):
            print(say("cli.error", message=message), file=sys.stderr, flush=True)
        else:
            self._usual(message, *about, **more)

    def __call__(self, what: str, part: float) -> None:
        """Say that this part, of 1 in all, is done."""
        if not self._shown:
            return
        seconds = time.monotonic() - self._began
        if self._first < 0:
            self._first = part  # a run that goes on where another was interrupted
        elif part > self._first:
            left = seconds * (1 - part) / (part - self._first)
            text = say(
                "solve.progress", what=_named(what), percent=int(100 * part),
                seconds=round(seconds), left=round(left),
            )  # fmt: skip
            self._write(text)

    def _write(self, text: str) -> None:
        print("\r" + text.ljust(self._width), end="", file=sys.stderr, flush=True)
        self._width = len(text)

    def clear(self) -> None:
        """Take the line away: something else is said now."""
        if self._width:
            self._write("")
            print("\r", end="", file=sys.stderr, flush=True)


def _named(what: str) -> str:
    """Return what is being done: the name of a stage, or of a tier, its two counts of pawns."""
    return what if ":" in what else say(f"solve.stage.{what}")


def interrupted(keep: Path | None) -> int:
    """Say how to go on after an interruption; return the exit status."""
    if keep is not None and keep.exists():
        text = say("solve.interrupted.kept", path=keep)
    else:
        text = say("solve.interrupted")
    print(text, file=sys.stderr)
    return 130


def stopped(error: OSError, keep: Path) -> int:
    """Say why no table could be written, and how to go on; return the exit status."""
    key = "solve.not-written.kept" if keep.exists() else "solve.not-written"
    print(say("cli.error", message=say(key, message=told(error), path=keep)), file=sys.stderr)
    return 1


def report(solution: Solution) -> None:
    """Say how long solving took and, where the start is held, what it is worth."""
    print(say("solve.solved", seconds=f"{solution.seconds:.2f}", count=solution.rounds))
    if "positions" in solution.header:
        print(say("solve.listed", positions=f"{solution.header['positions']:,}"))
    table = tables.Table(solution.rules, solution.header, solution.arrays)
    value = table.probe(solution.rules.start())
    if value is not None:
        print(say("solve.start", value=sentence(value)))
