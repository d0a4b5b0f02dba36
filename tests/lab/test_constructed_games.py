"""Mirroring, zugzwang, first moves and restricted play in games whose answers are known."""

from pathlib import Path
from typing import Any

import pytest

import damier
from damier import Rules
from damier.gameplay import Game
from damier.games import load
from damier.lab import first_moves, mirroring, restricted, samples
from damier.lab.restricted import _allowed_words
from damier.lab.samples import after_pass, forms

FOLDER = Path(__file__).parents[1] / "data" / "games"


@pytest.fixture(autouse=True)
def _few_nodes(monkeypatch: pytest.MonkeyPatch, own_registry: None) -> None:
    monkeypatch.setattr("damier.arena.OPENING_NODES", 20)


def rules_of(name: str, **options: str) -> Rules:
    return damier.load_rules(load(FOLDER / f"{name}.py").name, **options)


def mirrored_games(rules: Rules, symmetry: int) -> list[dict[str, Any]]:
    return [mirroring.play(rules, "random", symmetry, seed) for seed in range(12)]


def test_copying_wins_where_every_move_can_be_copied() -> None:
    kayles = rules_of("kayles")
    symmetries = mirroring.mirrors(kayles)
    trials = {symmetry: mirrored_games(kayles, symmetry) for symmetry in symmetries}
    best = mirroring.best_mirror(trials)
    assert kayles.board.symmetries[best] == tuple(reversed(range(16)))
    assert mirroring.copied_share(trials[best]) == 1
    usual = [samples.play(kayles, "random", seed) for seed in range(40)]
    found = {figure.name: figure for figure in mirroring.figures(trials[best], usual, "random")}
    assert found["mirrored"].value == 1
    assert found["mirror-score"].value == 1
    lost = sum(game["winner"] == "first" for game in usual)
    assert lost > 0
    assert found["mirror-gain"].value == pytest.approx(lost / len(usual))


def test_copying_is_impossible_where_it_is_never_legal() -> None:
    fated = rules_of("fated", ending="first")
    identity = fated.board.symmetries.index(tuple(range(9)))
    games = mirrored_games(fated, identity)
    assert mirroring.copied_share(games) == 0
    assert {game["winner"] for game in games} == {"first"}
    assert {game["moves"] for game in games} == {4}


def test_zugzwang_is_found_where_passing_would_win() -> None:
    kayles = rules_of("kayles")
    game = Game(kayles).play("d1", "d4", "b3", "a1")
    # Two cells that do not touch are left: who moves first loses.
    assert sorted(move.text for move in game.legal_moves()) == ["a4", "c2"]
    passed = after_pass(game.position)
    assert passed is not None
    assert passed.side != game.position.side
    found = samples.analyse(kayles, ["d1", "d4", "b3", "a1", "a4", "c2"], 1)
    assert max(found["passes"]) > 0.9
    fated = rules_of("fated", ending="first")
    assert set(samples.analyse(fated, ["a1", "b1", "c1", "a2"], 1)["passes"]) <= {0.0, -1.0, 1.0}


def test_first_moves_are_listed_up_to_symmetry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_moves, "NODES", 3000)
    found = first_moves.search(rules_of("crosses"))
    assert sorted(count for _, _, count in found) == [1, 4, 4]
    grid = first_moves.grid(found, None)
    assert [row[1][3].value for row in grid.rows] == [count for _, _, count in found]
    balanced = first_moves.figures([["a1", 0.5, 4], ["b2", 0.54, 2], ["c3", 0.7, 1]])[0]
    assert (balanced.value, balanced.sample) == (6, 7)
    assert first_moves.figures([]) == []


def test_forms_of_moves_derive_from_their_steps() -> None:
    start = damier.load_rules("fanorona", board="5x5").start()
    moves = {move.text: forms(move.described) for move in start.legal_moves()}
    assert all("kind:move" in found for found in moves.values())
    twice = [found for found in moves.values() if "takes:2" in found]
    assert twice
    assert all("takes:1" in found for found in twice)


def test_only_forms_that_some_moves_have_are_restricted() -> None:
    analysis = {"legal": [5] * 10, "forms": {"kind:move": 10, "takes:1": 4, "kind:take": 4}}
    assert restricted.restrictions([analysis]) == ["kind:take"]
    assert restricted.restrictions([{"legal": [5] * 10, "forms": {"kind:place": 10}}]) == []


def test_a_restricted_side_keeps_away_from_forbidden_moves_if_it_can() -> None:
    game = Game(damier.load_rules("fanorona", board="3x3", capture="free"))
    for _ in range(6):
        moves = game.legal_moves()
        if not moves:
            break
        quiet = {move.words for move in moves if "takes:1" not in forms(move.described)}
        assert _allowed_words(game, "takes:1") == (quiet or None)
        game = game.play(moves[0])


def test_a_side_that_may_not_capture_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restricted, "NODES", 60)
    small = damier.load_rules("fanorona", board="3x3", capture="free")
    pairs = [restricted.play_pair(small, "takes:1", number, 1) for number in range(3)]
    assert sum(sum(pair["points"]) for pair in pairs) >= 5
    assert pairs == [restricted.play_pair(small, "takes:1", number, 1) for number in range(3)]
