"""Puzzle proofs: exactly one move reaches the goal, and the generator is reproducible.

`damier puzzles --verify` proves all puzzles; these tests prove a sample of each game.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import damier
from damier import Game, Move, Position, i18n, jit
from damier.cli import main
from damier.cli.common import game_name
from damier.execution import Task, open_executor
from damier.learning.puzzles import Puzzle, puzzles
from damier.learning.puzzles.collection import puzzle_file
from damier.learning.puzzles.difficulty import (
    Difficulty,
    DifficultyEstimator,
    rank_correlation,
    solving_level,
)
from damier.learning.puzzles.generator import (
    find_candidates,
    line_moves,
    position_key,
    solution_key,
)
from damier.learning.puzzles.goals import PuzzleGoal
from damier.learning.puzzles.proofs import (
    LossSearch,
    Provers,
    SearchProver,
    TableProver,
    without_superko,
)
from damier.learning.puzzles.verification import find_fault, verify
from damier.solve import find

ROOT = Path(__file__).parents[2]
LADDER = json.loads((ROOT / "bench" / "results" / "ladder.json").read_text("utf-8"))

pytestmark = pytest.mark.skipif(not jit.enabled(), reason="too slow without a compiler")


def sample(name: str) -> list[Puzzle]:
    """Return some puzzles of a game, but for those that take a table which is not at hand."""
    listed = puzzles(name)
    at_hand = [p for p in listed if p.proof == "search" or find(p.rules) is not None]
    return at_hand[:: max(1, len(at_hand) // 16)]


@pytest.mark.parametrize("name", damier.GAMES)
def test_exactly_one_move_achieves_the_goal(name: str) -> None:
    chosen = sample(name)
    assert len(chosen) >= 16
    provers = Provers(chosen[0].rules)
    assert {puzzle.id: fault for puzzle, fault in verify(chosen, provers) if fault} == {}


@pytest.mark.parametrize("name", damier.GAMES)
def test_wrong_puzzles_are_found(name: str) -> None:
    chosen = [puzzle for puzzle in sample(name) if puzzle.length > 1]
    puzzle, prover = chosen[0], Provers(chosen[0].rules).by(chosen[0].proof)
    assert find_fault(replace(puzzle, id="00000000"), prover) == "id"
    assert find_fault(replace(puzzle, kind="draw", within=None), prover) == "goal"
    assert find_fault(replace(puzzle, line=puzzle.line[:1]), prover) == "line"
    assert find_fault(replace(puzzle, line=(*puzzle.line, "a9-a9")), prover) == "illegal"
    start = Game(puzzle.start)
    for move in start.legal_moves():
        if move.words != start.parse_move(puzzle.line[0]).words:
            other = replace(puzzle, line=(move.text,))
            assert find_fault(replace(other, id=puzzle.id), prover) == "id"
            break
    (_, first), (_, second) = verify([puzzle, puzzle], Provers(puzzle.rules))
    assert (first, second) == ("", "alike")


@pytest.mark.parametrize("name", damier.GAMES)
def test_there_are_enough_and_no_two_are_alike(name: str) -> None:
    listed = puzzles(name)
    assert len(listed) >= 300
    assert len({puzzle.id for puzzle in listed}) == len(listed)
    assert len({position_key(puzzle.start) for puzzle in listed}) == len(listed)
    shapes = {solution_key(p.start, PuzzleGoal(p.kind, p.within), line_moves(p)) for p in listed}
    assert len(shapes) == len(listed)
    assert [puzzle.points for puzzle in listed] == sorted(puzzle.points for puzzle in listed)


@pytest.mark.parametrize("name", damier.GAMES)
def test_puzzles_are_varied(name: str) -> None:
    listed = puzzles(name)
    lengths = [puzzle.length for puzzle in listed]
    assert lengths.count(1) <= 0.3 * len(listed)
    assert sum(length in (2, 3) for length in lengths) >= 0.5 * len(listed)
    assert sum(puzzle.rest == 0 and puzzle.length == 1 for puzzle in listed) <= 10
    points = [puzzle.points for puzzle in listed if puzzle.nodes is not None]
    assert len(set(points)) >= 0.75 * len(points)


def test_a_loss_is_avoided_for_longer_than_by_any_other_move() -> None:
    """The solution does not lose within the proof's reach, nor in a deeper search."""
    chosen = [p for name in damier.GAMES for p in puzzles(name) if p.kind == "avoid"]
    assert chosen
    for puzzle in chosen:
        assert puzzle.within is not None
        assert puzzle.held is not None
        assert puzzle.held >= puzzle.within + 2
    checked: set[str] = set()
    for puzzle in chosen:
        if puzzle.game not in checked:  # `damier puzzles --verify` checks all of them
            checked.add(puzzle.game)
            assert LossSearch(puzzle.rules).holds(line_moves(puzzle)[0].words)
            verdict = puzzle.attempt(puzzle.line)
            assert str(puzzle.held) in verdict.said


@pytest.mark.parametrize("name", damier.GAMES)
def test_what_remains_after_the_solution_is_said(name: str) -> None:
    """The next move wins, or the number of the solver's moves is given, or nothing is claimed."""
    unusual = [puzzle for puzzle in puzzles(name) if puzzle.rest in (1, 3)]
    with i18n.use_language("en"):
        for puzzle in [*puzzles(name)[::10], *unusual]:
            said = puzzle.attempt(puzzle.line).said
            after = Game(puzzle.start).play(*puzzle.line)
            mine = after.position.side == puzzle.start.side
            assert (said == "Solved.") == after.over
            if "next move" in said:
                assert puzzle.rest == (1 if mine else 2)
            elif "any reply" in said:
                assert puzzle.rest == 1
                assert not mine
                assert all(after.play(reply).over for reply in after.legal_moves())
            elif puzzle.rest:
                own = (puzzle.rest + mine) // 2
                assert f"within {own} more of your moves" in said


@pytest.mark.parametrize("name", damier.GAMES)
def test_the_distance_of_every_win_by_search_is_known(name: str) -> None:
    """Also where the opponent's forced reply ends the game."""
    for puzzle in puzzles(name):
        if puzzle.kind == "win-in":
            assert puzzle.rest is not None, puzzle.id
            assert len(puzzle.line) + puzzle.rest <= 2 * (puzzle.within or 0)


def test_puzzle_files_are_small() -> None:
    assert sum(puzzle_file(name).stat().st_size for name in damier.GAMES) < 1_000_000


@pytest.mark.parametrize("name", damier.GAMES)
def test_ratings_rise_with_the_level_that_solves(name: str) -> None:
    listed = puzzles(name)
    levels = [solving_level(puzzle.solved) for puzzle in listed]
    assert len(set(levels)) >= 5
    assert rank_correlation([puzzle.points for puzzle in listed], levels) > 0.85
    assert all(30 <= puzzle.deviation <= 120 for puzzle in listed)


def test_rank_correlation() -> None:
    assert rank_correlation([1, 2, 3, 4], [10, 20, 30, 99]) == pytest.approx(1)
    assert rank_correlation([1, 2, 3, 4], [4, 3, 2, 1]) == pytest.approx(-1)
    # Spearman's for ties: 1, 2.5, 2.5, 4 against 1, 2, 3, 4.
    assert rank_correlation([1, 2, 2, 4], [1, 2, 3, 4]) == pytest.approx(0.9486833)


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("fraha", "Fraha"),
        ("chefa", "Chefa `fair`"),
        ("badia", "Badia"),
        ("seega", "Seega"),
        ("fanorona", "Fanorona `malagasy`"),
    ],
)
def test_levels_have_the_strength_that_the_ladder_gives_them(name: str, label: str) -> None:
    points = [0.0]
    for level in range(2, 9):
        row = LADDER[f"{label} level:{level}"]
        played = re.findall(r"\+(\d+) =(\d+) −(\d+)(?: \*(\d+))?", row)[0]
        won, drawn, lost, unfinished = (int(count or 0) for count in played)
        drawn += unfinished
        share = (won + drawn / 2) / (won + drawn + lost)
        points.append(points[-1] + 400 * math.log10(share / (1 - share)))
    expected = tuple(round(1500 + one - points[3]) for one in points)
    assert damier.GAMES[name].strengths == expected


def test_the_search_agrees_with_a_table() -> None:
    """Both say in how many moves a side wins, of all positions that moves of puzzles reach."""
    rules = damier.load_rules("chefa")
    rules.compile()
    table, search = find(rules), SearchProver(rules)
    assert table is not None
    known, compared = TableProver(table), 0
    for puzzle in puzzles("chefa")[::20]:
        for move in puzzle.start.legal_moves():
            for side in (0, 1):
                expected = known.distance(move.words, side, 3)
                assert search.distance(move.words, side, 3) == expected, (puzzle.id, move)
                compared += expected is not None
    assert compared > 20


def test_superko_puzzles_claim_no_draws() -> None:
    banned = damier.load_rules("badia")
    with pytest.raises(damier.DamierError, match="repeating a position"):
        Provers(banned)
    assert without_superko(banned) == damier.load_rules("badia", repetition="draw")
    assert without_superko(damier.load_rules("chefa")) == damier.load_rules("chefa")


@pytest.fixture
def outside(own_registry: None) -> str:
    """A game that has no puzzles and no table."""
    return str(ROOT / "examples" / "tapatan")


@pytest.mark.parametrize("count", ["0", "-3"])
def test_an_impossible_number_of_puzzles_is_refused(
    count: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["puzzles", "chefa", "--count", count, "--lang", "en"]) == 2
    assert f"must be at least 1, not {count}" in capsys.readouterr().err


@pytest.mark.slow
def test_candidates_do_not_depend_on_the_executor_or_on_earlier_games(outside: str) -> None:
    rules = damier.load_rules(game_name(outside))
    tasks = [Task(f"game {number}", find_candidates, (rules, 7, number)) for number in range(5)]
    alone = [task.run() for task in reversed(tasks)][::-1]
    assert sum(map(len, alone)) > 0
    for workers in (1, 2):
        with open_executor(workers) as executor:
            assert [found for _, found in executor.map(tasks)] == alone


@pytest.mark.exhaustive
def test_puzzle_generation_is_reproducible(
    outside: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    paths = [tmp_path / f"{number}.jsonl" for number in range(2)]

    def make(path: Path, workers: int) -> int:
        command = ["puzzles", outside, "--seed", "7", "--count", "4", "--out", str(path)]
        return main([*command, "--workers", str(workers), "--lang", "en"])

    assert make(paths[0], 1) == 0
    assert "4 puzzles, from" in capsys.readouterr().out
    made = [Puzzle.read("tapatan", line) for line in paths[0].read_text("utf-8").splitlines()]
    assert [fault for _, fault in verify(made, Provers(made[0].rules))] == [""] * 4

    # What an interrupted run has found is where the next one begins.
    rated: list[Difficulty] = []
    usual = DifficultyEstimator.difficulty

    def difficulty(
        self: DifficultyEstimator, position: Position, line: Sequence[Move]
    ) -> Difficulty:
        if len(rated) == 2:
            raise KeyboardInterrupt
        rated.append(usual(self, position, line))
        return rated[-1]

    monkeypatch.setattr(DifficultyEstimator, "difficulty", difficulty)
    assert make(paths[1], 2) == 130
    kept = paths[1].with_name("1.jsonl.part")
    assert str(kept) in capsys.readouterr().err
    assert '"points' in kept.read_text("utf-8")
    monkeypatch.setattr(DifficultyEstimator, "difficulty", usual)
    assert make(paths[1], 2) == 0
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert sorted(tmp_path.iterdir()) == paths
