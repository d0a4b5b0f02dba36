"""Skill: games of pure luck or without choice have none, and thinking longer wins where it can."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

import damier
from damier import Rules
from damier.arena import Score, expected_score
from damier.execution import Task
from damier.games import load
from damier.lab import matches, skill
from damier.lab.matches import MatchResult

FOLDER = Path(__file__).parents[1] / "data" / "games"


@pytest.fixture(autouse=True)
def _few_nodes(monkeypatch: pytest.MonkeyPatch, own_registry: None) -> None:
    monkeypatch.setattr("damier.arena.OPENING_NODES", 20)


def in_order(tasks: list[Task], skip: Callable[[Task], bool]) -> Iterable[tuple[Task, Any]]:
    for task in tasks:
        if not skip(task):
            yield task, task.run()


def rules(name: str, **options: str) -> Rules:
    return damier.load_rules(load(FOLDER / f"{name}.py").name, **options)


@pytest.mark.slow
def test_where_no_move_matters_no_effort_matters() -> None:
    results = skill.measure(rules("fated", ending="first"), 120.0, 1, in_order)
    assert [result.verdict for result in results] == ["equal", "equal"]
    assert {result.score.mean for result in results} == {0.5}
    section = skill.section(results)
    figures = {figure.name: figure for figure in section.figures}
    assert figures["doublings"].value == 0
    assert figures["plateau"].value == skill.FIRST_NODES
    assert figures["beginner"].details["verdict"] == "equal"


def test_a_match_ends_when_its_work_is_done() -> None:
    results = skill.measure(rules("fated", ending="draw"), 1e-9, 1, in_order)
    assert [result.verdict for result in results] == ["open", "open"]
    assert [len(result.score.pairs) for result in results] == [1, 1]
    assert "plateau" not in {figure.name for figure in skill.section(results).figures}


def test_equal_pairs_decide_nothing_until_the_interval_is_narrow() -> None:
    level = MatchResult("engine:nodes=200", "engine:nodes=100", Score("a", "b"))
    for _ in range(20):
        level.score.add_points([1.0, 0.0])
    level.judge()
    assert level.score.is_decided(matches.EQUAL, matches.STRONGER)
    assert level.score.interval[1] > expected_score(matches.STRONGER)
    assert level.verdict == "open"
    for _ in range(200):
        level.score.add_points([1.0, 0.0])
    level.judge()
    assert level.verdict == "equal"


def test_unfinished_games_decide_nothing() -> None:
    stopped = MatchResult("engine:nodes=200", "engine:nodes=100", Score("a", "b"))
    for _ in range(300):
        stopped.score.add_points([0.5, 0.5], 2)
    stopped.judge()
    assert stopped.verdict == "open"
    beginner = MatchResult("level:1", "random", Score("a", "b"))
    beginner.score.add_points([1.0, 1.0], 0)
    section = skill.section([beginner, stopped])
    share = next(figure for figure in section.figures if figure.name == "matches-unfinished")
    assert share.value == pytest.approx(600 / 602, abs=1e-6)
    assert share.interval is not None


def test_the_verdict_is_that_of_the_sequential_test() -> None:
    won = MatchResult("engine:nodes=200", "engine:nodes=100", Score("a", "b"))
    for _ in range(40):
        won.score.add_points([1.0, 0.5])
    won.judge()
    assert won.verdict == "stronger"
    beginner = MatchResult("level:1", "random", Score("a", "b"))
    beginner.score.add_points([1.0, 1.0], 0)
    section = skill.section([beginner, won])
    step = next(figure for figure in section.figures if figure.name == "doubling")
    assert step.details == {"nodes": 100, "double": 200, "elo": 191, "verdict": "stronger"}
    assert step.sample == 40
    assert section.charts[0].data["steps"][0][:2] == [200, 0.75]
