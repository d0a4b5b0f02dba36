"""The arena: matches, their statistics, and records that replay."""

import json
import multiprocessing
import statistics
import sys
from pathlib import Path

import pytest

import damier
from damier import arena, record
from damier.arena import Match, Score, elo_difference, expected_score
from damier.cli import main
from damier.gameplay import Game
from damier.search import Engine, Limits
from damier.search.analysis import chance_of

pytestmark = pytest.mark.slow


def test_match_in_this_process() -> None:
    rules = damier.load_rules("chefa")
    match = Match(rules, ("random", "engine:depth=1"), 4, opening_moves=2)
    played = list(arena.run(match, workers=1))
    assert len(played) == 2
    score, _ = played[-1]
    assert score.games == 4
    assert score.wins + score.draws + score.losses == 4
    for _, pair in played:
        assert pair[0].start == pair[1].start
        assert (pair[0].white, pair[0].black) == (pair[1].black, pair[1].white)
        for game in pair:
            made = game.record(rules, "2026-11-16")
            (again,), problems = record.read(str(made))
            assert not problems
            assert again.game == made.game
            assert again.result == made.result


def test_a_match_is_repeatable() -> None:
    match = Match(damier.load_rules("chefa"), ("random", "level:1"), 2, seed=4)
    one, two = ([pair for _, pair in arena.run(match, workers=1)] for _ in range(2))
    assert one == two


def test_openings_vary() -> None:
    rules = damier.load_rules("seega")
    openings = {str(arena.opening(rules, seed, 2)) for seed in range(6)}
    assert len(openings) == 6
    assert str(arena.opening(rules, 3, 2)) == str(arena.opening(rules, 3, 2))


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_openings_are_level(seed: int) -> None:
    rules = damier.load_rules("fanorona", "international")
    start = Game(arena.opening(rules, seed))
    deeper = Engine(rules, expected_nodes=200_000, compiled=True).think(
        start, Limits(nodes=200_000)
    )
    assert 0.2 < chance_of(rules, deeper.best.value) < 0.8


def test_a_player_without_a_legal_move_loses() -> None:
    match = Match(damier.load_rules("chefa"), ("random", "cmd:false"), 2, opening_moves=0)
    (score, pair), *_ = arena.run(match, workers=1)
    assert score.wins == 2
    assert all(game.agreed == "abandoned" for game in pair)
    assert all(game.loser == "cmd:false" and game.failure for game in pair)
    assert "abandoned" in str(pair[0].record(match.rules, "?"))


def test_errors_of_a_program_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    for said in ("z9", ""):
        code = f"print('uciok'); print('bestturn {said}'); input(); input(); input()"
        program = f'cmd:{sys.executable} -c "{code}"'
        command = ["arena", "chefa", "random", program, "--games", "2", "--workers", "1"]
        assert main([*command, "--opening", "0"]) == 0
        _, err = capsys.readouterr()
        assert f"{program}, games forfeited: 2." in err
        assert f"“{said}” is not a valid move" in err


def test_elo() -> None:
    assert expected_score(0) == 0.5
    assert elo_difference(expected_score(120)) == pytest.approx(120)
    assert elo_difference(1.0) == float("inf")


def test_games_cut_at_the_limit_are_unfinished(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(arena, "MAX_MOVES", 6)
    file = tmp_path / "games.txt"
    command = ["arena", "badia", "random", "level:1", "--games", "2", "--workers", "1"]
    assert main([*command, "--save", str(file), "--lang", "en"]) == 0
    said = capsys.readouterr().out
    assert "+0 =0 −0 *2" in said
    assert "unfinished after" in said
    for game in record.read(file.read_text("utf-8"))[0]:
        assert game.result is None
        assert "Unfinished" in game.headers
    assert '[Result "*"]' in file.read_text("utf-8")
    assert main([*command, "--json"]) == 0
    (pairing,) = json.loads(capsys.readouterr().out)["pairings"]
    assert (pairing["draws"], pairing["unfinished"], pairing["score"]) == (0, 2, 0.5)


def scored(*pairs: float) -> Score:
    score = Score("a", "b")
    for pair in pairs:
        score.wins += int(pair * 2)
        score.draws += int(pair * 4) % 2
        score.pairs.append(pair)
    score.losses = 2 * len(pairs) - score.wins - score.draws
    return score


def test_intervals() -> None:
    low, high = scored(*[1.0, 0.5, 0.5, 0.75] * 10).interval
    assert 0.5 < low < 0.6875 < high < 0.8
    low, high = scored(*[1.0] * 10).interval
    assert 0.6 < low < 0.8
    assert high == 1.0
    assert Score("a", "b").interval == (0.0, 1.0)


def test_intervals_of_few_pairs_are_student_s() -> None:
    for pairs, quantile in ((3, 4.303), (5, 2.776), (10, 2.262), (30, 2.045), (1000, 1.962)):
        points = [0.25 * (k % 3) + 0.25 for k in range(pairs)]
        low, high = scored(*points).interval
        expected_score = quantile * statistics.stdev(points) / pairs**0.5
        assert (high - low) / 2 == pytest.approx(min(expected_score, 0.5), rel=0.01), pairs


def test_sequential_test() -> None:
    assert scored(*[1.0, 0.5] * 10).is_decided(0, 70)
    assert scored(*[0.25, 0.5] * 20).is_decided(0, 70)
    assert not scored(1.0, 0.5, 0.0, 1.0).is_decided(0, 70)
    assert scored(*[1.0] * 12).likelihood(0, 70) > 0 > scored(*[0.0] * 12).likelihood(0, 70)


def test_early_stop() -> None:
    match = Match(damier.load_rules("chefa"), ("engine:depth=2", "random"), 200, test=(0, 100))
    *_, (score, _) = arena.run(match, workers=1)
    assert score.games < 200
    assert score.interval[0] > 0.5


def test_refusals() -> None:
    rules = damier.load_rules("chefa")
    for players, games in (
        ((), 2),
        (("random",), 2),
        (("random", "random"), 2),
        (("random", "level:1"), 0),
        (("random", "level:x"), 2),
        (("random", "cmd:no-such-program"), 2),
    ):
        with pytest.raises(damier.DamierError):
            Match(rules, players, games)
    for test in ((0, 0), (70, 0), (0, 1e6), (float("nan"), 70)):
        with pytest.raises(damier.DamierError):
            Match(rules, ("random", "level:1"), 2, test=test)
    with pytest.raises(damier.DamierError, match="table"):
        Match(damier.load_rules("seega"), ("random", "perfect"), 2)


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "games.txt"
    command = ["arena", "chefa", "random", "level:1", "--games", "2", "--workers", "1"]
    assert main([*command, "--json", "--save", str(file)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["pairings"][0]["games"] == 2
    records, problems = record.read(file.read_text("utf-8"))
    assert len(records) == 2
    assert not problems
    assert main([*command, "--lang", "fr"]) == 0
    assert "rencontre" in capsys.readouterr().out


def test_an_interrupt_keeps_what_was_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs: list[object] = []

    def interrupted(*task: object) -> object:
        if len(pairs) == 2:
            raise KeyboardInterrupt
        pairs.append(arena_pair(*task))  # type: ignore[arg-type]
        return pairs[-1]

    arena_pair = arena.play_pair
    monkeypatch.setattr(arena, "play_pair", interrupted)
    file = tmp_path / "games.txt"
    command = ["arena", "chefa", "random", "level:1", "--games", "20", "--workers", "1"]
    assert main([*command, "--save", str(file)]) == 130
    assert " 4 " in capsys.readouterr().out
    assert len(record.read(file.read_text("utf-8"))[0]) == 4


def test_two_processes() -> None:
    match = Match(damier.load_rules("chefa"), ("random", "level:1"), 6)
    *_, (score, _) = arena.run(match, workers=2)
    assert score.games == 6


def test_leaving_does_not_wait_for_running_games() -> None:
    match = Match(damier.load_rules("chefa"), ("random", "level:1"), 200)
    running = arena.run(match, workers=2)
    next(running)
    workers = multiprocessing.active_children()
    assert len(workers) == 2
    running.close()
    assert all(worker.exitcode for worker in workers)
