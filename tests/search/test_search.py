"""The search: equal results compiled and plain, correct proofs, legal moves."""

import json
import random
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

import damier
from damier import jit
from damier.games.levels import LEVELS
from damier.players import player
from damier.search import Engine, Limits, SearchStats, Stop, alphabeta, ready, warm
from damier.search.analysis import analyse, chance_of
from damier.search.root import RootMove, principal_variation
from damier.search.searcher import Searcher, evaluation_of
from tests.support.brute_force import can_force_win

pytestmark = pytest.mark.slow

RULESETS: tuple[tuple[str, dict[str, str]], ...] = (
    ("fraha", {}),
    ("chefa", {}),
    ("badia", {}),
    ("seega", {}),
    ("fanorona", {}),
    ("fanorona", {"capture": "forced", "endgame_draw": "0", "stall": "0"}),
)
IDS = [f"{name}{'-' + '-'.join(options.values()) if options else ''}" for name, options in RULESETS]


@pytest.fixture(params=RULESETS, ids=IDS)
def rules(request: pytest.FixtureRequest) -> damier.Rules:
    name, options = request.param
    return damier.load_rules(name, **options)


TOOLS = Path(__file__).parents[2] / "tools"


def weights_of(name: str) -> tuple[int, ...]:
    """Return the weights of a game that are in force."""
    return tuple(damier.GAMES[name].weights.weights.values())


def positions(rules: damier.Rules, count: int, moves: int, seed: int = 1) -> list[damier.Game]:
    """Return games of some random moves that are not over."""
    rng = random.Random(seed)
    found: list[damier.Game] = []
    while len(found) < count:
        game = damier.Game(rules)
        for _ in range(rng.randrange(moves)):
            if game.result() is None:
                game = game.play(rng.choice(game.legal_moves()))
        if game.result() is None:
            found.append(game)
    return found


def test_two_speeds(rules: damier.Rules) -> None:
    if not jit.enabled():
        pytest.skip("there is one speed only")
    warm(rules)
    assert ready(rules)
    fast, slow = Engine(rules, compiled=True), Engine(rules, compiled=False, expected_nodes=1000)
    for game in positions(rules, 4, 30):
        for every in (False, True):
            limits = Limits(nodes=600)
            one = fast.think(game, limits, multipv=every)
            two = slow.think(game, limits, multipv=every)
            assert [(r.steps, r.value) for r in one.moves] == [
                (r.steps, r.value) for r in two.moves
            ]
            assert (one.depth, one.nodes) == (two.depth, two.nodes)
            assert fast.line(one.best, game) == slow.line(two.best, game)


def test_proofs_hold(rules: damier.Rules) -> None:
    """A short win that the search claims is there, and no shorter one; so is a short loss."""
    compiled = jit.enabled()
    engine = Engine(rules, compiled=compiled or None)
    checked = 0
    for game in positions(rules, 60 if compiled else 6, 120, seed=2):
        result = engine.think(game, Limits(nodes=3000 if compiled else 300))
        best = result.best
        if best.distance is None or best.distance > 2 + (len(result.moves) < 12):
            continue
        side = game.position.side
        winner = side if best.value > 0 else "wb".replace(side, "")
        assert can_force_win(game, winner, best.distance), game.position
        assert not can_force_win(game, winner, best.distance - 1), game.position
        checked += 1
    assert checked or rules.name in ("seega", "fanorona") or not compiled


def test_small_boards_as_published() -> None:
    """3×3 and 3×5 Fanorona are won by the first player; the search proves it."""
    if not jit.enabled():
        pytest.skip("too slow without a compiler")
    for board in ("3x3", "3x5", "5x3"):
        rules = damier.load_rules("fanorona", "international", board=board)
        engine = Engine(rules, compiled=True)
        best = engine.think(damier.Game(rules), Limits(nodes=3_000_000)).best
        assert best.value > alphabeta.PROVED, board


def test_games_are_legal_and_repeatable(rules: damier.Rules) -> None:
    """Every level plays legal moves, history included, and the same again for the same seed."""
    for level in (1, 3, 5, 7) if jit.enabled() else (1, 2):
        texts = []
        for _ in range(2):
            players = player(f"level:{level}", 5), player("engine:nodes=300", 5)
            game = damier.Game(rules)
            while game.result() is None and game.ply < (24 if jit.enabled() else 4):
                game = game.play(players[game.ply % 2].choose(game))
            texts.append(game.text)
        assert texts[0] == texts[1]


def test_badia_never_returns() -> None:
    """BA-11: in a long game the engine stays within the moves that the ban leaves."""
    rules = damier.load_rules("badia")
    game = positions(rules, 1, 1)[0]
    rng, mover = random.Random(3), player("engine:nodes=200")
    while game.result() is None and game.ply < (80 if jit.enabled() else 14):
        game = game.play(rng.choice(game.legal_moves()) if game.ply % 2 else mover.choose(game))
    assert game.ply > 10


def test_a_line_does_not_return_where_that_is_forbidden() -> None:
    """BA-11 holds inside the line too, whatever the transposition table has from other paths."""
    rules = damier.load_rules("badia")
    before, after = "a5 e1 d1 a4 e5 a2 b1 e4 b5 e2", "e5=e4 a4-a3 d1-c1 a2-a1 e4=e5 e4=e5 c1-c3"
    game = damier.Game(rules).play(*before.split())
    position, known, moves = game.position, {}, []
    for text in after.split():
        moves.append(position.parse_move(text))
        known[position.words] = moves[-1].steps[0]
        position = moves[-1].after
    script = SimpleNamespace(best_step=lambda words: known.get(words, alphabeta.NO_STEP))
    root = RootMove(moves[0].steps, moves[0].words)
    line = principal_variation(cast(Searcher, script), root, game)
    assert 1 < len(line) < len(moves)
    with pytest.raises(damier.DamierError, match="repeat an earlier"):
        game.play(*line).play(moves[len(line)])


@pytest.mark.parametrize("level", [n for n in LEVELS if 3 <= n < 8])
def test_wins_in_one_are_taken(level: int) -> None:
    rules = damier.load_rules("chefa")
    game = damier.Game(rules.position("...../.b.b./b..../..w.b/ww.w. w -"))
    wins = {"c2-c1"}
    for seed in range(8):
        assert player(f"level:{level}", seed).choose(game).text in wins


def test_analysis_covers_every_move(rules: damier.Rules) -> None:
    nodes = 5000 if jit.enabled() else 300
    for game in positions(rules, 3, 30, seed=4):
        found = analyse(game, nodes=nodes)
        assert sorted(v.move.text for v in found.moves) == [t.text for t in game.legal_moves()]
        chances = [v.chance for v in found.moves]
        assert chances == sorted(chances, reverse=True)
        for valued in found.moves:
            assert 0 <= valued.chance <= 1
            assert valued.line[0] == valued.move.text
            assert (valued.outcome in ("win", "loss")) >= (valued.distance is not None)
            game.play(*valued.line)  # legal, history included


def test_analysis_knows_what_the_history_ends() -> None:
    """A move that makes a third occurrence draws, whatever a table says of the position."""
    rules = damier.load_rules("chefa")
    shuffled = ["c1=d1", "e4-e5", "d1=c1", "e5-e4", "c1=d1"]
    before = "a1 e5 d1 e2 c1 d5 c2 b1 c1=b1 e2-e3 d1=c1 e5-e4"
    game = damier.Game(rules).play(*before.split())
    fresh = {v.move.text: v.outcome for v in analyse(game.play(*shuffled[:1])).moves}
    again = analyse(game.play(*shuffled)).moves
    assert fresh["e4-e5"] == "loss"
    assert {v.move.text: v.outcome for v in again} == {**fresh, "e4-e5": "draw"}


def test_a_line_by_the_table_leads_to_the_end() -> None:
    rules = damier.load_rules("chefa")
    best = analyse(damier.Game(rules)).moves[0]
    assert (best.outcome, best.distance) == ("win", 9)
    result = damier.Game(rules).play(*best.line).result()
    assert len(best.line) == 9
    assert result is not None
    assert result.winner == "w"


def test_analysis_of_a_finished_game() -> None:
    game = damier.Game(damier.load_rules("chefa")).play("a1", "a5", "b1", "b4", "c1", "e5", "d1")
    assert game.result() is not None
    assert analyse(game).moves == []
    with pytest.raises(damier.DamierError, match="over"):
        player("level:3").choose(game)


def test_stop() -> None:
    """A search without limits ends when it is asked to stop."""
    rules = damier.load_rules("fanorona")
    engine, stop = Engine(rules, expected_nodes=1 << 16), Stop()
    timer = threading.Timer(0.3, stop.set)
    timer.start()
    result = engine.think(damier.Game(rules), Limits(), stop=stop)
    assert stop.is_set()
    assert result.moves
    timer.join()


def test_the_side_ahead_does_not_repeat_positions() -> None:
    """A move that brings a position back is a draw, whatever earlier searches stored about it."""
    rules = damier.load_rules("fanorona", "international")
    game = damier.Game(rules.position(".....bb../.......bb/.ww.....b/...w..w../.......w. w 2"))
    engine = Engine(rules, expected_nodes=100_000)
    played = "c3-d4 i4-i5 d4-e4 g5-h5 e4-d4 h5-g5 b3-a3 i5-i4"
    for move in played.split():
        engine.think(game, Limits(nodes=30_000), fresh=False)
        game = game.play(move)
    back = game.play("a3-b3")
    assert back.occurrences(back.position) == 2
    result = engine.think(game, Limits(depth=3), multipv=True, fresh=False)
    values = {root.text(game): root.value for root in result.moves}
    assert values["a3-b3"] == 0
    assert result.best.value > 0
    # A player who plays for a win assigns it a chance of 20 %, less the contempt for ten pawns.
    proud = engine.think(game, Limits(depth=3), multipv=True, contempt=True)
    value = {root.text(game): root.value for root in proud.moves}["a3-b3"]
    value += evaluation_of(damier.GAMES["fanorona"]).contempt(*back.position.words)
    assert chance_of(rules, value) == pytest.approx(0.2, abs=0.005)


@pytest.mark.parametrize(
    ("preset", "rows", "white", "black"),
    [
        ("international", "b.......b/........./....b..../........./w...w...w", 6, 6),
        (
            "international",
            "b.......b/........./........./........./w...w...w",
            0,
            7,
        ),  # ahead, behind
        ("international", "bbbb...bb/........./........./........./www...www", 0, 0),  # not few
        ("malagasy", "b.......b/........./....b..../........./w...w...w", 0, 0),
    ],
)
def test_contempt_for_few_pawns(preset: str, rows: str, white: int, black: int) -> None:
    """A player who must win avoids them unless ahead; otherwise the evaluation does not change."""
    rules = damier.load_rules("fanorona", preset)
    worker = Engine(rules, compiled=False).searcher
    memory, less = [0] * alphabeta.MEMORY, evaluation_of(damier.GAMES["fanorona"]).CONTEMPT_PER_PAWN
    for side, sign in (("w", 1), ("b", -1)):
        words = rules.position(f"{rows} {side} 0").words
        found = {}
        for price in (0, 1, -1):
            memory[alphabeta.CONTEMPT] = price
            found[price] = sign * worker.kernels.static_eval(memory, *words, worker.weights)
        assert found[0] - found[1] == white * less
        assert found[-1] - found[0] == black * less


def test_results_for_another_contempt_are_cleared() -> None:
    """A search that plays for a win and one that does not keep their values apart."""
    rules = damier.load_rules("fanorona", "international")
    game = damier.Game(rules.position("b...b...b/........./........./........./w...w...w w 0"))
    limits = Limits(nodes=3000)
    alone = Engine(rules, expected_nodes=3000).think(game, limits)
    engine = Engine(rules, expected_nodes=3000)
    assert engine.think(game, limits, contempt=True, fresh=False).best.value < alone.best.value
    after = engine.think(game, limits, fresh=False)
    assert (after.nodes, after.best) == (alone.nodes, alone.best)


def test_seega_repetition_is_judged_by_pawns() -> None:
    """SE-10: with more pawns a third occurrence wins, and the engine knows it."""
    rules = damier.load_rules("seega")
    start = rules.position("w...w/...../...../...../b...w w 0 0 - 0")
    game = damier.Game(start).play("a5-a4", "a1-b1", "a4-a5", "b1-a1", "a5-a4", "a1-b1", "a4-a5")
    assert Engine(rules).think(game, Limits(nodes=2000)).best.value < 0
    assert game.play("b1-a1").result() is not None


def test_weights_have_names() -> None:
    for name in damier.GAMES:
        assert len(evaluation_of(damier.GAMES[name]).NAMES) == len(weights_of(name))
        assert damier.GAMES[name].weights.scale > 0


def test_evaluation_is_colour_symmetric(rules: damier.Rules) -> None:
    """With colours swapped the evaluation is the same for the side to move."""
    if not rules.module.COLOUR_SWAP:
        pytest.skip("each colour has an aim of its own")
    evaluation = evaluation_of(rules.folder)
    knowledge = weights_of(rules.name) + evaluation.tables()
    for game in positions(rules, 10, 40, seed=6):
        position = game.position
        if not rules.module.repeatable(*position.words):
            continue  # who begins phase 2 does not change with the colours
        swapped = position.transformed(swap=True)
        for symmetry in range(len(rules.board.symmetries)):
            turned = swapped.transformed(symmetry)
            assert evaluation.evaluate(*turned.words, knowledge) == evaluation.evaluate(
                *position.words, knowledge
            )


@pytest.mark.parametrize("name", ["level:2", "level:6", "engine:nodes=300", "uct:nodes=40"])
def test_players_report_search_statistics(name: str) -> None:
    chooser, game = player(name, 1), damier.Game(damier.load_rules("seega"))
    chooser.choose(game)
    assert chooser.search_stats is not None
    assert 0 < chooser.search_stats.nodes <= 8000
    assert chooser.search_stats.seconds > 0
    assert (chooser.search_stats.depth > 0) == (not name.startswith("uct"))


def test_players_without_search_have_no_statistics() -> None:
    game = damier.Game(damier.load_rules("chefa"))
    for name in ("random", "perfect"):
        chooser = player(name, 1)
        chooser.choose(game)
        assert chooser.search_stats is None
    known = player("level:8", 1)
    won = game.play("b1", "a5", "c1", "a4", "d1", "a2")
    known.choose(won)
    assert known.search_stats == SearchStats()  # a table knows


def test_bad_players_are_refused() -> None:
    for text in (
        "level:9",
        "level:",
        "level:x",
        "engine:",
        "engine:nodes=0",
        "engine:fast=1",
        "engine:nodes=1,nodes=2",
        "uct:",
        "cmd:",
        "cmd:nodes=1",
    ):
        with pytest.raises(damier.DamierError):
            player(text)


def test_uct_takes_a_win() -> None:
    game = damier.Game(damier.load_rules("chefa")).play("b1", "a5", "c1", "a4", "d1", "a2")
    chosen = player("uct:nodes=400", 1).choose(game)
    result = chosen.after.result()
    assert result is not None
    assert result.winner == "w"


def test_sources_of_weights() -> None:
    for name, folder in damier.GAMES.items():
        assert folder.weights.source.startswith("damier.search.tuning"), name


@pytest.mark.parametrize("name", ["seega", "fanorona"])
def test_tuning_learns_from_games(name: str) -> None:
    """Positions of games, distinguished by their features, make the evaluations better."""
    import numpy as np

    from tuning import Settings, features, fit, one_game

    rules = damier.load_rules(name)
    settings = Settings(rules, nodes=60, seed=1)
    found = [position for number in range(6) for position in one_game(settings, number)]
    assert found
    rows, given = features(rules, [words for words, _ in found])
    assert rows.shape == (len(found), len(weights_of(name)))
    points = np.array([p if words[2] & 1 == 0 else 1 - p for words, p in found])
    prior = np.zeros(len(weights_of(name)))
    _, before, after = fit(rows, given, points, prior)
    assert after < before


def test_tuning_begins_afresh_and_continues_round_by_round() -> None:
    """From pawns alone, by other options than the default's: each round has a fit of its own."""
    command = "seega --afresh --rounds 2 --games 4 --nodes 30 --rules size=7"
    printed = subprocess.run(
        [sys.executable, TOOLS / "tuning.py", *command.split()],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert [line.split(": ")[1][:4] for line in printed[:2]] == ["loss", "loss"]
    found = [line.rsplit(maxsplit=2) for line in printed[2:]]
    assert len(found) == len(weights_of("seega"))
    # Shapes on 5×5 do not occur on 7×7: their weights stay in force.
    rings = [(old, new) for name, old, new in found if name.startswith("ring")]
    assert any(new != "0" for _, new in rings)
    assert all(new == old for old, new in rings)
    assert int(found[0][2]) > 100  # a pawn


def test_a_continued_fit_names_its_origin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tuning

    folder = damier.GAMES["chefa"]
    weights_in_force = weights_of("chefa")
    file = tmp_path / "weights.json"
    file.write_bytes((folder.directory / "weights.json").read_bytes())
    monkeypatch.setattr(folder, "directory", tmp_path)
    used = [True] * len(weights_in_force)
    monkeypatch.setattr(tuning, "train", lambda *_: (weights_in_force, used, "loss 0.5"))
    command = ["tuning", "chefa", "--games", "8", "--write"]
    for afresh in ([], ["--afresh"]):
        monkeypatch.setattr(sys, "argv", [*command, *afresh])
        assert tuning.main() == 0
        source = json.loads(file.read_text("utf-8"))["source"]
        assert source.endswith(" ".join(["chefa --games 8", *afresh]) + ": loss 0.5")
        assert ("; then " in source) == (not afresh)
    # A fit of some weights only says where the others came from.
    used[0] = False
    assert tuning.main() == 0
    assert "; then " in json.loads(file.read_text("utf-8"))["source"]
