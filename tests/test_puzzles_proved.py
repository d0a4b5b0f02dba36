"""Puzzles are what they say: one turn alone does what is asked, and who made them can make others.

`damier puzzles --verify` proves all of them anew; here a sample of each game is.
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
from damier import Game, Position, Turn, jit
from damier.cli import main
from damier.puzzles import Puzzle, puzzles
from damier.puzzles.checking import fault_of, verify
from damier.puzzles.difficulty import Difficulty, Examiners, rank_correlation, solving_level
from damier.puzzles.goals import Goal
from damier.puzzles.making import place_of, shape_of, turns_of
from damier.puzzles.stored import file_of
from damier.puzzles.truth import BySearch, ByTable, Truths, without_ban
from damier.solve import find

ROOT = Path(__file__).parent.parent
LADDER = json.loads((ROOT / "bench" / "results" / "ladder.json").read_text("utf-8"))

pytestmark = pytest.mark.skipif(not jit.enabled(), reason="too slow without a compiler")


def sample(name: str) -> list[Puzzle]:
    """Return some puzzles of a game, but for those that take a table which is not at hand."""
    listed = puzzles(name)
    at_hand = [p for p in listed if p.proof == "search" or find(p.rules) is not None]
    return at_hand[:: max(1, len(at_hand) // 16)]


@pytest.mark.parametrize("name", damier.GAMES)
def test_one_turn_alone_does_what_is_asked(name: str) -> None:
    chosen = sample(name)
    assert len(chosen) >= 16
    truths = Truths(chosen[0].rules)
    assert {puzzle.id: fault for puzzle, fault in verify(chosen, truths) if fault} == {}


@pytest.mark.parametrize("name", damier.GAMES)
def test_what_is_wrong_is_found(name: str) -> None:
    chosen = [puzzle for puzzle in sample(name) if puzzle.length > 1]
    puzzle, truth = chosen[0], Truths(chosen[0].rules).by(chosen[0].proof)
    assert fault_of(replace(puzzle, id="00000000"), truth) == "id"
    assert fault_of(replace(puzzle, kind="draw", within=None), truth) == "goal"
    assert fault_of(replace(puzzle, line=puzzle.line[:1]), truth) == "line"
    assert fault_of(replace(puzzle, line=(*puzzle.line, "a9-a9")), truth) == "illegal"
    start = Game(puzzle.start)
    for turn in start.turns():
        if turn.words != start.turn(puzzle.line[0]).words:
            other = replace(puzzle, line=(turn.text,))
            assert fault_of(replace(other, id=puzzle.id), truth) == "id"
            break
    (_, first), (_, second) = verify([puzzle, puzzle], Truths(puzzle.rules))
    assert (first, second) == ("", "alike")


@pytest.mark.parametrize("name", damier.GAMES)
def test_there_are_enough_and_no_two_are_alike(name: str) -> None:
    listed = puzzles(name)
    assert len(listed) >= 300
    assert len({puzzle.id for puzzle in listed}) == len(listed)
    assert len({place_of(puzzle.start) for puzzle in listed}) == len(listed)
    shapes = {shape_of(p.start, Goal(p.kind, p.within), turns_of(p)) for p in listed}
    assert len(shapes) == len(listed)
    assert [puzzle.points for puzzle in listed] == sorted(puzzle.points for puzzle in listed)


def test_all_of_them_are_small() -> None:
    assert sum(file_of(name).stat().st_size for name in damier.GAMES) < 1_000_000


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
        won, drawn, lost = map(int, re.findall(r"\+(\d+) =(\d+) −(\d+)", row)[0])
        share = (won + drawn / 2) / (won + drawn + lost)
        points.append(points[-1] + 400 * math.log10(share / (1 - share)))
    expected = tuple(round(1500 + one - points[3]) for one in points)
    assert damier.GAMES[name].strengths == expected


def test_a_search_proves_what_a_table_knows() -> None:
    """Both say in how many turns a side wins, of all positions that turns of puzzles reach."""
    rules = damier.game("chefa")
    rules.compile()
    table, search = find(rules), BySearch(rules)
    assert table is not None
    known, compared = ByTable(table), 0
    for puzzle in puzzles("chefa")[::20]:
        for turn in puzzle.start.turns():
            for side in (0, 1):
                expected = known.distance(turn.words, side, 3)
                assert search.distance(turn.words, side, 3) == expected, (puzzle.id, turn)
                compared += expected is not None
    assert compared > 20


def test_where_positions_may_not_come_back_nothing_is_claimed() -> None:
    banned = damier.game("badia")
    with pytest.raises(damier.DamierError, match="brought back"):
        Truths(banned)
    assert without_ban(banned) == damier.game("badia", repetition="draw")
    assert without_ban(damier.game("chefa")) == damier.game("chefa")


@pytest.fixture
def outside(monkeypatch: pytest.MonkeyPatch) -> str:
    """A game that has no puzzles and no table."""
    monkeypatch.setattr(damier.GAMES, "_loaded", dict(damier.GAMES._loaded))
    return str(ROOT / "examples" / "tapatan")


@pytest.mark.slow
def test_puzzles_of_any_game_are_made_the_same_again(
    outside: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    paths = [tmp_path / f"{number}.jsonl" for number in range(2)]

    def make(path: Path) -> int:
        command = ["puzzles", outside, "--seed", "7", "--count", "4", "--out", str(path)]
        return main([*command, "--lang", "en"])

    assert make(paths[0]) == 0
    assert "4 puzzles, from" in capsys.readouterr().out
    made = [Puzzle.read("tapatan", line) for line in paths[0].read_text("utf-8").splitlines()]
    assert [fault for _, fault in verify(made, Truths(made[0].rules))] == [""] * 4

    # What an interrupted run has found is where the next one begins.
    rated: list[Difficulty] = []
    usual = Examiners.difficulty

    def difficulty(self: Examiners, position: Position, line: Sequence[Turn]) -> Difficulty:
        if len(rated) == 2:
            raise KeyboardInterrupt
        rated.append(usual(self, position, line))
        return rated[-1]

    monkeypatch.setattr(Examiners, "difficulty", difficulty)
    assert make(paths[1]) == 130
    kept = paths[1].with_name("1.jsonl.part")
    assert str(kept) in capsys.readouterr().err
    assert '"points' in kept.read_text("utf-8")
    monkeypatch.setattr(Examiners, "difficulty", usual)
    assert make(paths[1]) == 0
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert sorted(tmp_path.iterdir()) == paths
