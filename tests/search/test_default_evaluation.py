"""The default evaluation, for games that define only rules."""

import random
import shutil
from pathlib import Path

import pytest

import damier
from damier import jit
from damier.games import evaluation as default
from damier.games.folder import from_path
from damier.games.levels import DEFAULT_LEVELS, LEVELS
from damier.players import player
from damier.search import Engine, Limits, analyse
from damier.search.alphabeta import REPETITION_WIN
from damier.search.levels import level_of
from damier.search.searcher import evaluation_of

pytestmark = pytest.mark.slow

HERE = Path(__file__).parents[1] / "data" / "games"
# A game of one file, and one of a folder, whose moves may have two steps.
FOLDERS = {"rows": from_path(HERE / "rows.py"), "mill": from_path(HERE / "mill")}


@pytest.fixture(autouse=True)
def _registered(own_registry: None) -> None:
    """Let no other test meet these games."""
    for folder in FOLDERS.values():
        damier.GAMES.add(folder)


@pytest.fixture(params=FOLDERS)
def rules(request: pytest.FixtureRequest) -> damier.Rules:
    return damier.load_rules(request.param)


def some_games(rules: damier.Rules, count: int, seed: int = 1) -> list[damier.Game]:
    """Return games of some random moves that are not over."""
    rng = random.Random(seed)
    found: list[damier.Game] = []
    while len(found) < count:
        game = damier.Game(rules)
        for _ in range(rng.randrange(30)):
            if game.result() is None:
                game = game.play(rng.choice(game.legal_moves()))
        if game.result() is None:
            found.append(game)
    return found


def points(rules: damier.Rules, first: str, second: str, games: int) -> float:
    """Return the share of the points that one player makes against another, colours in turn."""
    made = 0.0
    for number in range(games):
        seats = player(first, number), player(second, number)
        game = damier.Game(rules)
        while game.result() is None and game.ply < 120:
            game = game.play(seats[(game.ply + number) % 2].choose(game))
        result = game.result()
        winner = None if result is None else result.winner
        made += 0.5 if winner is None else float((winner == "w") == (number % 2 == 0))
    return made / games


def test_no_evaluation_of_their_own(rules: damier.Rules) -> None:
    assert rules.folder.part("evaluation") is None
    assert rules.folder.part("levels") is None
    assert [level_of(rules, number) for number in LEVELS] == list(DEFAULT_LEVELS)


def test_two_speeds(rules: damier.Rules) -> None:
    if not jit.enabled():
        pytest.skip("there is one speed only")
    fast, slow = Engine(rules, compiled=True), Engine(rules, compiled=False, expected_nodes=1000)
    for game in some_games(rules, 6):
        one, two = (e.think(game, Limits(nodes=800), multipv=True) for e in (fast, slow))
        assert one.moves == two.moves
        assert (one.depth, one.nodes) == (two.depth, two.nodes)


def test_pawns_and_freedom() -> None:
    rules = damier.load_rules("mill")
    weights = list(rules.folder.weights.weights.values())

    def value(text: str) -> int:
        return int(
            evaluation_of(damier.GAMES["mill"]).evaluate(*rules.position(text).words, weights)
        )

    assert value("b..w/..../..../w..b w 8") == 0
    assert value("b..w/..../.w../w..b w 8") > 100  # a pawn ahead
    assert value("b..w/..../.w../w..b b 8") < -100
    assert 0 < value("b.../.w../..w./...b w 8") < 100  # Black stands in corners
    assert value("b.../.w../..w./...b b 8") < 0


def test_noisy_steps_capture_or_win() -> None:
    rules = damier.load_rules("mill")
    evaluation, legal = evaluation_of(damier.GAMES["mill"]), [0] * rules.module.GROUPS

    def noisy(text: str) -> set[str]:
        words = rules.position(text).words
        assert rules.module.legal(*words, legal) == 0
        some = evaluation.keep_noisy(*words, legal)
        steps = [64 * group + k for group in range(6) for k in range(16) if legal[group] >> k & 1]
        assert some == bool(steps)
        return {rules.position(text).describe(step).text for step in steps}

    assert noisy("b..b/..../.ww./...w w 8") == {"d1-d2"}  # a row, which takes a pawn
    assert noisy("b..b/..../.w../...w w 8") == set()
    assert noisy("bw../b.w./w.../.... w 8") == {"c3-b3"}  # Black is blocked
    assert noisy("..../..../.ww./.... w 2") == set()  # no pawn to take
    assert noisy("b.../..../.ww./.... w 3") == {"a2", "d2"}


@pytest.mark.skipif(not jit.enabled(), reason="too slow without a compiler")
def test_level_5_beats_chance(rules: damier.Rules) -> None:
    assert points(rules, "level:5", "random", 30) > 0.85


@pytest.mark.skipif(not jit.enabled(), reason="too slow without a compiler")
def test_levels_differ() -> None:
    assert points(damier.load_rules("mill"), "level:6", "level:2", 20) > 0.6


def test_level_8_finds_forced_wins() -> None:
    """With three in a row on 4×4 the first player wins in five moves; level 8 does so."""
    rules = damier.load_rules("rows")
    for seed in range(3):
        strong, chance = player("level:8", seed), player("random", seed)
        game = damier.Game(rules)
        while game.result() is None:
            game = game.play((strong, chance)[game.ply % 2].choose(game))
        result = game.result()
        assert result is not None
        assert result.winner == "w"
        assert game.ply <= 5
    best = analyse(damier.Game(rules), nodes=20_000).moves[0]
    assert (best.outcome, best.distance) == ("win", 5)


def test_every_level_plays(rules: damier.Rules) -> None:
    for level in LEVELS[:-1] if jit.enabled() else LEVELS[:2]:
        game, mover = damier.Game(rules), player(f"level:{level}", 1)
        for _ in range(4):
            game = game.play(mover.choose(game))
        assert game.ply == 4


def test_options_are_searched_by() -> None:
    """A row of three is nothing where four are asked for."""
    for length, wins in (("three", True), ("four", False)):
        rules = damier.load_rules("rows", length=length)
        game = damier.Game(rules).play("a1", "a4", "b1", "b4")
        best = Engine(rules, compiled=False).think(game, Limits(depth=1)).best
        assert (best.distance == 1) == wins


@pytest.mark.parametrize("name", [*FOLDERS, *damier.GAMES])
def test_the_default_evaluation_works_for_any_game(name: str) -> None:
    """Whatever a position looks like, inside a move too, it is evaluated, blind to colour."""
    rules = damier.load_rules(name)
    evaluation = jit.link(default, compiled=False, rules=rules.folder.module)
    weights, legal = list(default.WEIGHTS.values()), [0] * rules.module.GROUPS
    inside = 0
    for game in some_games(rules, 10, seed=3):
        value = evaluation.evaluate(*game.position.words, weights)
        assert abs(value) < REPETITION_WIN
        if rules.module.COLOUR_SWAP and rules.module.repeatable(*game.position.words):
            swapped = game.position.transformed(swap=True)
            assert evaluation.evaluate(*swapped.words, weights) == value
        for step in game.position.steps():
            words = game.position.words
            assert 0 <= evaluation.move_order(*words, step.number) < 256
            after = game.position.step(step.number)
            inside += after.unfinished
            assert abs(evaluation.evaluate(*after.words, weights)) < REPETITION_WIN
        assert rules.module.legal(*game.position.words, legal) == 0
        before = list(legal)
        assert evaluation.keep_noisy(*game.position.words, legal) == any(legal)
        assert all(kept & ~cells == 0 for kept, cells in zip(legal, before, strict=True))
    assert inside or not rules.module.MIDTURN


def test_an_evaluation_may_be_incomplete(tmp_path: Path) -> None:
    """A module with only an evaluation function gets everything else from the default."""
    shutil.copytree(HERE / "mill", tmp_path / "centre")
    file = tmp_path / "centre" / "rules.py"
    file.write_text(file.read_text("utf-8").replace('"mill"', '"centre"'), "utf-8")
    (tmp_path / "centre" / "evaluation.py").write_text(EVALUATION, "utf-8")
    damier.GAMES.add(from_path(tmp_path / "centre"))
    rules = damier.load_rules("centre")
    slow = Engine(rules, compiled=False, expected_nodes=1000)
    best = slow.think(damier.Game(rules), Limits(depth=1)).best
    assert best.value == 9
    assert best.text(damier.Game(rules)) in ("b2", "b3", "c2", "c3")
    if jit.enabled():
        fast = Engine(rules, compiled=True, expected_nodes=1000)
        for game in some_games(rules, 3):
            one, two = (e.think(game, Limits(nodes=400), multipv=True) for e in (fast, slow))
            assert (one.moves, one.nodes) == (two.moves, two.nodes)


EVALUATION = """
from damier.jit import Buffer, kernel, popcount

WEIGHTS = {"centre": 9}
CENTRE = 0x0660


@kernel
def evaluate(w: int, b: int, r: int, weights: Buffer) -> int:
    more = popcount(w & CENTRE) - popcount(b & CENTRE)
    return weights[0] * (-more if r & 1 else more)
"""
