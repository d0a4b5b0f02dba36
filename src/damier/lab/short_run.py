"""Short run of an experiment, in stretches; the client keeps the journal between them.

A server and a browser tab run it in the same way. Nothing is solved, so values are proved only
where the game has a table. The report depends on the rules and the seed only.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from damier.errors import DamierError
from damier.execution import SerialExecutor
from damier.lab import document
from damier.lab.budget import Settings
from damier.lab.experiment import run
from damier.lab.journal import Journal
from damier.position import Rules
from damier.search import Stop

SECONDS = 5.0  # of the reference machine
STRENGTHS = ("random", "level:1", "level:3")
STRETCH_S = 2.0


class _StretchEnded(Exception):
    """The time of this stretch is over."""


@dataclass(frozen=True)
class Stretch:
    """What a stretch has found: new results by task, as JSON, and the report at the end.

    `part` is the share of the work that is done.
    """

    part: float
    results: dict[str, str]
    report: dict[str, Any] | None


def run_stretch(
    rules: Rules, seed: int, known: Mapping[str, str], stop: Stop | None = None
) -> Stretch:
    """Continue a short run for a while, given the results of earlier stretches.

    Raise DamierError if these are not results of this run.
    """
    try:
        results = {key: json.loads(text) for key, text in known.items()}
    except ValueError:
        raise DamierError("lab-results") from None
    journal = Journal(results=results)
    end, done = time.monotonic() + STRETCH_S, 0.0

    def progress(stage: str, part: float) -> None:
        nonlocal done
        done = max(done, part)
        stopped = stop is not None and stop.is_set()
        if journal.new and (stopped or time.monotonic() > end):
            raise _StretchEnded

    settings = Settings(seed, SECONDS, strengths=STRENGTHS, solve=False)
    report = None
    try:
        report = document.describe(run(rules, settings, SerialExecutor(), journal, progress))
        done = 1.0
    except _StretchEnded:
        pass
    except DamierError:
        raise
    except Exception as error:
        if not known:
            raise
        raise DamierError("lab-results") from error  # results that no task returns
    return Stretch(done, {key: json.dumps(found) for key, found in journal.new.items()}, report)
