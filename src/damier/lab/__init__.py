"""Laboratory of game inventors: is a game fair, drawish, skilful, lively?

    report = damier.lab.run(damier.load_rules("…"), Settings(seconds=60), executor, journal)

`experiment` plays and analyses sample games (`samples`) within a budget (`budget`) and uses exact
values where the game is solved (`exact`). Each section has a module that computes its figures
(`fairness`, `draws_and_length`, `liveliness`), with intervals from `intervals`. `report` is the
data model, `summary` the sentences at the top, `text`, `markdown`, `html` and `document` the
output.
A game's published report is `lab.json` in its folder. `short_run` is for the page.
"""

from __future__ import annotations

import json

from damier.errors import DamierError
from damier.lab.budget import Settings
from damier.lab.experiment import run
from damier.lab.report import Report
from damier.position import Rules

__all__ = ["Report", "Settings", "run", "stored_report"]
STORED = "lab.json"


def stored_report(rules: Rules) -> Report:
    """Return the published report on a game; raise DamierError if there is none for these rules."""
    try:
        data = json.loads((rules.folder.directory / STORED).read_text("utf-8"))
    except FileNotFoundError:
        raise DamierError("no-lab-report", game=rules.name) from None
    except ValueError as error:
        raise DamierError("lab-report") from error
    report = Report.from_json(data)
    if report.game != rules.name or dict(report.options) != dict(rules.options):
        raise DamierError("no-lab-report", game=rules.name)
    return report
