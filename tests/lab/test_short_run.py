"""Short runs in stretches: the same report however they are cut, and no solver or NumPy needed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import damier
from damier import GAMES, Rules
from damier.errors import DamierError
from damier.execution import SerialExecutor
from damier.games import load
from damier.lab import Report, Settings, document, run, short_run, skill, stored_report
from damier.lab.short_run import run_stretch
from damier.search import Stop
from damier.site.pyodide_bundle import LEFT_OUT

FOLDER = Path(__file__).parents[1] / "data" / "games"
# What a browser does not have; each import of one of these fails.
WITHOUT = """
import sys
import damier
from damier import i18n
from damier.games import load
i18n.set_plural_rules(lambda language: lambda count: "one" if count == 1 else "other")
rules = damier.load_rules(load({game!r}).name)
assert list(damier.GAMES)  # installed games are looked for
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {missing!r} or name.startswith({folders!r}):
            raise ImportError(name)
sys.meta_path.insert(0, Missing())
from damier.lab import short_run, skill
import damier.arena
short_run.SECONDS, damier.arena.OPENING_NODES, skill.DOUBLINGS = 0.01, 20, 1
short_run.STRENGTHS = ("random",)
known, report = {{}}, None
while report is None:
    stretch = short_run.run_stretch(rules, 1, known)
    known |= stretch.results
    report = stretch.report
print(len(report["sections"]))
"""


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GAMES, "_loaded", dict(GAMES._loaded))
    monkeypatch.setattr("damier.arena.OPENING_NODES", 20)
    monkeypatch.setattr(skill, "DOUBLINGS", 1)
    monkeypatch.setattr(short_run, "SECONDS", 0.01)
    monkeypatch.setattr(short_run, "STRENGTHS", ("random",))


def crosses() -> Rules:
    return damier.load_rules(load(FOLDER / "crosses.py").name)


def in_stretches(rules: Rules, stop: Stop | None) -> tuple[int, dict[str, object]]:
    known: dict[str, str] = {}
    for count in range(1, 2000):
        stretch = run_stretch(rules, 3, known, stop)
        assert not known.keys() & stretch.results.keys()
        known |= stretch.results
        if stretch.report is not None:
            assert stretch.part == 1
            return count, stretch.report
        assert stretch.results
        assert 0 <= stretch.part <= 1
    raise AssertionError("no report")


@pytest.mark.slow
def test_the_report_does_not_depend_on_the_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(short_run, "STRETCH_S", 600.0)
    count, whole = in_stretches(crosses(), None)
    assert count == 1
    settings = Settings(3, 0.01, strengths=("random",), solve=False)
    assert document.describe(run(crosses(), settings, SerialExecutor())) == whole
    monkeypatch.setattr(short_run, "STRETCH_S", 0.0)
    count, cut = in_stretches(crosses(), None)
    assert count > 20
    assert cut == whole


def test_a_stopped_stretch_ends_after_a_task() -> None:
    stop = Stop()
    stop.set()
    stretch = run_stretch(crosses(), 1, {}, stop)
    assert stretch.report is None
    assert len(stretch.results) == 1


@pytest.mark.slow
@pytest.mark.parametrize("found", ["no JSON", "[]", '{"moves": 7}', "3"])
def test_results_of_another_run_are_refused(found: str) -> None:
    known = run_stretch(crosses(), 1, {}, None).results
    first = next(iter(known))
    with pytest.raises(DamierError, match="not results of this run"):
        run_stretch(crosses(), 1, {**known, first: found})


@pytest.mark.slow
def test_what_a_browser_lacks_is_not_needed() -> None:
    script = WITHOUT.format(
        missing={"numpy", "numba", "pydantic"} | LEFT_OUT,
        folders=("damier.report", "damier.solve.retrograde"),
        game=str(FOLDER / "crosses.py"),
    )
    plain = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script], capture_output=True, env=plain
    )
    assert found.returncode == 0, found.stderr.decode()
    assert found.stdout.strip() == b"5"


@pytest.mark.slow
def test_reports_are_read_as_they_were_written() -> None:
    settings = Settings(seconds=0.01, strengths=("random",), solve=False)
    report = run(crosses(), settings, SerialExecutor())
    data = json.loads(json.dumps(report.as_json()))
    again = Report.from_json(data)
    assert json.loads(json.dumps(again.as_json())) == data
    assert document.describe(again) == document.describe(report)
    for broken in ({}, {**data, "format": 99}, {**data, "sections": [{"name": "x"}]}):
        with pytest.raises(DamierError, match="not a report of the laboratory"):
            Report.from_json(broken)


def test_only_published_reports_are_found() -> None:
    with pytest.raises(DamierError, match="no published report"):
        stored_report(crosses())
