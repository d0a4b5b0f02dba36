"""Reports on games whose figures are known, and the command `damier lab`."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import damier
from damier import Rules, i18n
from damier.cli import main
from damier.drawing.plot import histogram
from damier.errors import DamierError
from damier.execution import SerialExecutor, Task
from damier.games import load
from damier.lab import Report, Settings, html, run, samples, skill, summary
from damier.lab.budget import read_budget
from damier.lab.exact import SolvingPlan, exact_values, plan_for
from damier.lab.journal import Journal
from damier.lab.report import Figure, ReportSection
from damier.lab.samples import drama, lead_changes
from tests.support import reference_games as reference

pytestmark = pytest.mark.usefixtures("own_registry")

FOLDER = Path(__file__).parents[1] / "data" / "games"
UNSOLVED = SolvingPlan("endings")
SETTINGS = Settings(seconds=0.1, strengths=("random",))


@pytest.fixture(autouse=True)
def _few_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Search less: these games need no depth, and nothing is compiled."""
    monkeypatch.setattr(samples, "ANALYSIS_NODES", 20)
    monkeypatch.setattr(skill, "DOUBLINGS", 1)
    monkeypatch.setattr("damier.arena.OPENING_NODES", 20)


def fated(ending: str) -> Rules:
    return damier.load_rules(load(FOLDER / "fated.py").name, ending=ending)


def report_on(rules: Rules, journal: Journal | None = None) -> Report:
    return run(rules, SETTINGS, SerialExecutor(), journal, plan=UNSOLVED)


def figure(report: Report, name: str, **details: Any) -> Figure:
    found = report.find(name, **details)
    assert found is not None, name
    return found


@pytest.mark.parametrize(
    ("ending", "points", "drawn"), [("first", 1.0, 0.0), ("second", 0.0, 0.0), ("draw", 0.5, 1.0)]
)
def test_a_game_in_which_no_move_matters(ending: str, points: float, drawn: float) -> None:
    report = report_on(fated(ending))
    expected = {
        "first-score": points,
        "drawn": drawn,
        "unfinished": 0,
        "exhausted": drawn,
        "length": 4,
        "legal-moves": (9 + 8 + 7 + 6) / 4,
        "losing-moves": 0,
        "lead-changes": 0,
        "coverage": 4 / 9,
        "capturing": 0,
        "step-kind": 1,
    }
    for name, value in expected.items():
        assert figure(report, name).value == pytest.approx(value, abs=1e-6), name
    reasons = [f.details["reason"] for f in report.sections[2].figures if f.name == "reason"]
    assert reasons == ["stalled" if ending == "draw" else "line"]
    keys = [said.key for said in report.summary]
    score = {"first": "ahead", "second": "behind", "draw": "open"}[ending]  # of six games
    endings = "drawish" if ending == "draw" else "decisive"
    assert keys == [f"score.{score}", endings, "rules.most", "length", "choice"]


@pytest.mark.parametrize(
    ("value", "interval", "verdict"),
    [
        (0.5, (0.45, 0.55), "even"),
        (0.8, (0.38, 0.96), "open"),
        (0.8, (0.6, 0.95), "ahead"),
        (0.2, (0.05, 0.45), "behind"),
    ],
)
def test_an_advantage_is_said_as_far_as_the_interval_tells(
    value: float, interval: tuple[float, float], verdict: str
) -> None:
    found = Figure(
        "first-score", value, "share", "measured", "games", interval, 9, {"strength": "random"}
    )
    section = ReportSection("fairness", (found,))
    report = Report("chefa", {}, "", {}, "short", (), (section,))
    said = summary.sentences(report, "random")
    assert [sentence.key for sentence in said] == [f"score.{verdict}"]


def test_games_without_end_are_unfinished_and_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "MAX_MOVES", 12)
    monkeypatch.setattr(samples, "COMPARED_NODES", 100)
    report = report_on(fated("never"))
    assert figure(report, "unfinished").value == 1
    for name in ("drawn", "length", "first-score", "drama"):
        assert figure(report, name).value is None, name
        assert figure(report, name).interval is None, name
    assert [said.key for said in report.summary] == ["endless", "rules.most", "choice"]
    assert "No game between equal players ended" in html.page(report)


def test_exact_figures_equal_those_of_a_second_implementation() -> None:
    rules = damier.load_rules(load(FOLDER / "dodgem.py").name)
    values = reference.values(reference.Dodgem(3))
    exact = exact_values(rules, Settings(), plan_for(rules, Settings()))
    assert exact is not None
    outcomes = [outcome for outcome, _ in values.values()]
    totals = {"won": "win", "drawn": "draw", "lost": "loss"}
    assert {name: exact.total(name) for name in totals} == {
        name: outcomes.count(outcome) for name, outcome in totals.items()
    }
    assert (exact.winner, exact.start.distance) == ("first", 19)
    assert exact.longest == max(distance or 0 for _, distance in values.values())
    game = reference.Dodgem(3)
    after = [values[state] for state in game.after(game.start)]
    won = sum(outcome == "loss" for outcome, _ in after)
    assert sum(value.outcome == "win" for _, value in exact.openings) == won
    assert len(exact.openings) == len(after)


def test_a_game_that_is_too_large_is_not_solved() -> None:
    rules = damier.load_rules(load(FOLDER / "dodgem.py").name)
    few = Settings(seconds=0.001)
    plan = plan_for(rules, few)
    assert plan.kind == "attempt"
    assert exact_values(rules, few, plan) is None
    assert plan_for(damier.load_rules("seega"), few).kind == "endings"
    small = damier.load_rules("fanorona", board="3x3")
    assert plan_for(small, few).kind == "time"
    assert plan_for(small, Settings(memory=1000)).kind == "memory"
    assert plan_for(small, Settings()).kind == "solve"
    assert plan_for(damier.load_rules("chefa"), few).kind == "file"


def test_lengths_are_drawn_in_bins() -> None:
    drawn = histogram({10: 3, 11: 2, 59: 1}, {30: 4}, "lengths", "moves", "games", ("won", "other"))
    heights = [float(found) for found in re.findall(r'height="([\d.]+)" fill="#2a6f97"', drawn)]
    bars = {k: height for k, height in enumerate(heights[:-1]) if height}  # the last: the legend
    assert list(bars) == [3, 19]  # of 9 to 11 moves, and of 57 to 59
    assert bars[3] == pytest.approx(5 * bars[19])
    assert re.findall(r">(1\d–\d\d)<", drawn)[:2] == ["12–14", "18–20"]


def test_measures_of_the_lead() -> None:
    lead = [0.5, 0.8, 0.55, 0.3, 0.45, 0.2, 0.9]
    assert lead_changes(lead) == 2
    assert drama(lead, "first") == pytest.approx(0.6)
    assert drama(lead, "second") == pytest.approx(0.8)
    assert drama([0.6, 0.9], "first") == 0
    assert drama(lead, None) == drama([], "first") == 0


def test_an_interrupted_run_is_continued_with_the_same_report(tmp_path: Path) -> None:
    rules, path = fated("first"), tmp_path / "journal"
    expected = report_on(rules).as_json()
    played = 0

    class Interrupted(SerialExecutor):
        def map(self, tasks: Any, **how: Any) -> Any:
            nonlocal played
            for found in super().map(tasks, **how):
                played += 1
                if played == 4:
                    raise KeyboardInterrupt
                yield found

    with pytest.raises(KeyboardInterrupt):
        run(rules, SETTINGS, Interrupted(), Journal(path, "header"), plan=UNSOLVED)
    path.write_text(path.read_text("utf-8") + '{"half', "utf-8")
    journal = Journal(path, "header")
    assert len(journal) == 3
    assert report_on(rules, journal).as_json() == expected
    assert len(Journal(path, "another")) == 0


def test_results_of_a_journal_come_in_order(tmp_path: Path) -> None:
    tasks = [Task(f"{n}²", pow, (n, 2)) for n in range(6)]
    path = tmp_path / "journal"
    list(Journal(path, 1).run(SerialExecutor(), tasks[1:4:2]))
    again = Journal(path, 1)
    assert [result for _, result in again.run(SerialExecutor(), tasks)] == [0, 1, 4, 9, 16, 25]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("90s", (90, 4 * 10**9)), ("2m", (120, 4 * 10**9)), ("1h,8GB", (3600, 8 * 10**9))],
)
def test_budgets(text: str, expected: tuple[float, int]) -> None:
    assert read_budget(text) == expected


@pytest.mark.parametrize("text", ["", "2", "m", "-3s", "2m,", "2m,4", "99999999h", "1 day"])
def test_malformed_budgets_are_refused(text: str) -> None:
    with pytest.raises(DamierError, match="is not a budget"):
        read_budget(text)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--budget", "1s"], "at least 5 seconds"),
        (["--budget", "soon"], "“soon” is not a budget"),
        (["--option", "pawns=5"], "pawns"),
        (["--option", "line=curved"], "curved"),
        (["--workers", "0"], "must be at least 1"),
    ],
)
def test_bad_arguments_are_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["lab", "chefa", "--out", str(tmp_path / "out"), *arguments]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.fixture
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the command measure little, without a compiler."""
    monkeypatch.setattr(
        "damier.cli.lab.Settings", lambda seed: Settings(seed, 0.1, 10**9, ("random",))
    )
    monkeypatch.setattr("damier.cli.lab.warm", lambda rules: None)
    monkeypatch.setattr("damier.cli.lab.plan_for", lambda rules, settings: UNSOLVED)


@pytest.mark.parametrize("lang", i18n.LANGUAGES)
@pytest.mark.usefixtures("_quick")
def test_the_command_writes_three_formats(
    lang: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    command = ["lab", str(FOLDER / "fated.py"), "--workers", "1", "--lang", lang, "--seed", "3"]
    assert main([*command, "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert "report.html" in said
    content = json.loads((out / "report.json").read_text("utf-8"))
    assert content["game"] == "fated"
    assert [section["name"] for section in content["sections"]] == [
        "fairness",
        "skill",
        "draws-and-length",
        "liveliness",
        "rules",
    ]
    assert 3 <= len(content["summary"]) <= 6
    for section in content["sections"]:
        for found in section["figures"]:
            assert found["basis"] in ("proved", "measured")
            assert found["method"]
            if found["basis"] == "measured" and found["value"] is not None:
                assert found["sample"]
    markdown, page = ((out / f"report.{end}").read_text("utf-8") for end in ("md", "html"))
    share = "44,4 %" if lang == "fr" else "44.4%"
    for text in (markdown, page):
        assert share in text.replace("\xa0", " ")
    for line in said.splitlines():
        if line.startswith("- "):
            assert line in markdown
    for name in ("draws-and-length-lengths", "liveliness-lead"):
        assert f"report/{name}.svg" in markdown
        assert (out / "report" / f"{name}.svg").read_text("utf-8").startswith("<svg")
    assert "http:" not in page.replace("http://www.w3.org", "")
    assert f'<html lang="{lang}">' in page
    assert not (out / "journal.jsonl").exists()
    assert main([*command, "--out", str(tmp_path / "again")]) == 0
    assert json.loads((tmp_path / "again" / "report.json").read_text("utf-8")) == content
    again = tmp_path / "other"
    other = "en" if lang == "fr" else "fr"
    given = str(out / "report.json")
    rewrite = ["lab", str(FOLDER / "fated.py"), "--from", given, "--out", str(again)]
    assert main([*rewrite, "--lang", other]) == 0
    assert json.loads((again / "report.json").read_text("utf-8")) == content
    assert f'<html lang="{other}">' in (again / "report.html").read_text("utf-8")
    (out / "report.json").write_text("{}", "utf-8")
    assert main([*rewrite, "--lang", "en"]) == 2
    assert "not a report of the laboratory" in capsys.readouterr().err
