"""Output of `damier solve`: the progress line, the final report and messages after a stop."""

from __future__ import annotations

import sys
import time
import warnings
from pathlib import Path
from typing import Any

from damier.cli.common import is_interactive
from damier.cli.probe import sentence
from damier.cli.terminal import print_raw
from damier.errors import Notice, describe_os_error
from damier.i18n import translate
from damier.solve import tables
from damier.solve.retrograde import Solution


class ProgressLine:
    """Progress line on a terminal: current stage, percentage done and estimated time left.

    It is a context manager: the line is removed at the end and before a warning is printed.
    """

    def __init__(self) -> None:
        self._shown = is_interactive(sys.stderr)
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
        """Print a warning in place of the progress line."""
        self.clear()
        if isinstance(message, Notice):
            print(translate("cli.error", message=message), file=sys.stderr, flush=True)
        else:
            self._usual(message, *about, **more)

    def __call__(self, what: str, part: float) -> None:
        """Show the progress: `part`, from 0 to 1, is done, and the current stage is `what`.

        A negative part means that the whole is unknown.
        """
        if not self._shown:
            return
        seconds = time.monotonic() - self._began
        if part < 0:
            text = translate("solve.progress.open", what=_stage_text(what), seconds=round(seconds))
            self._write(text)
            return
        if self._first < 0:
            self._first = part  # above 0 if this run continues an interrupted one
        elif part > self._first:
            left = seconds * (1 - part) / (part - self._first)
            text = translate(
                "solve.progress",
                what=_stage_text(what),
                percent=int(100 * part),
                seconds=round(seconds),
                left=round(left),
            )
            self._write(text)

    def announce(self, key: str, **details: object) -> None:
        """Print a text that the solver reports, in place of the progress line."""
        self.clear()
        print(translate(key, **details), flush=True)

    def _write(self, text: str) -> None:
        print_raw("\r" + text.ljust(self._width), sys.stderr, end="")
        self._width = len(text)

    def clear(self) -> None:
        """Remove the line, so that something else can be printed."""
        if self._width:
            self._write("")
            print_raw("\r", sys.stderr, end="")


def _stage_text(what: str) -> str:
    """Return the text of a stage; a tier is named by its two numbers of pawns, such as 3:2."""
    stage, _, count = what.partition(":")
    if stage == "listing" and count:
        return translate("solve.stage.listing.count", count=f"{int(count):,}")
    return what if ":" in what else translate(f"solve.stage.{what}")


def report_interruption(keep: Path | None) -> int:
    """Print how to continue after an interruption; return the exit status."""
    if keep is not None and keep.exists():
        text = translate("solve.interrupted.kept", path=keep)
    else:
        text = translate("solve.interrupted")
    print(text, file=sys.stderr)
    return 130


def report_write_failure(error: OSError, keep: Path) -> int:
    """Print why the table could not be written and how to continue; return the exit status."""
    key = "solve.not-written.kept" if keep.exists() else "solve.not-written"
    print(
        translate("cli.error", message=translate(key, message=describe_os_error(error), path=keep)),
        file=sys.stderr,
    )
    return 1


def report(solution: Solution) -> None:
    """Print how long solving took and, if the table contains the start, its value."""
    print(translate("solve.solved", seconds=f"{solution.seconds:.2f}", count=solution.rounds))
    table = tables.Table(solution.rules, solution.header, solution.arrays)
    value = table.probe(solution.rules.start())
    if value is not None:
        print(translate("solve.start", value=sentence(value)))
