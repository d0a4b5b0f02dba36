"""A search that probes an endgame table, also before the probes are compiled."""

import random
import threading

import pytest

import damier
import tuning
from damier import jit
from damier.search import Engine, Limits, Stop
from damier.search.alphabeta import MIN_TABLEBASE_WIN, PROVED, TABLEBASE_WIN
from damier.search.analysis import analyse, judgement
from damier.search.engine import engine_for
from damier.search.root import CONTEMPT
from damier.search.warmup import WARMUPS
from damier.solve import probe_moves, retrograde
from damier.solve.tables import Table
from tests.solve.test_endings import CASES, some_ending

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"{case[0]} {case[1]}")
def table(request: pytest.FixtureRequest) -> Table:
    name, options, pawns = request.param
    rules = damier.load_rules(name, **options)
    solution = retrograde.solve(rules, pawns, workers=2)
    return Table(rules, solution.header, solution.arrays)


@pytest.mark.parametrize("compiled", [False, True])
def test_the_search_agrees_with_the_table(table: Table, compiled: bool) -> None:
    rules = table.rules
    engine = Engine(rules, expected_nodes=1000, compiled=compiled, endings=table)
    assert table.pawns is not None
    rng = random.Random(11)
    for _ in range(60):
        position = some_ending(rules, table.pawns, rng)
        if position.result():
            continue
        game = damier.Game(position)
        result = engine.think(game, Limits(depth=2), multipv=True)
        for root in result.moves:
            move = next(move for move in position.legal_moves() if move.words == root.after)
            value = table.probe_move(position, move)
            assert value is not None
            _, outcome, distance = judgement(rules, root)
            assert (outcome or "draw") == value.outcome
            if move.after.result():
                assert value.outcome == "draw" or distance == 1
            elif table.metric == "end" and value.outcome != "draw":
                assert distance == value.distance


def test_tuning_ends_games_by_the_table(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Endings are taught with the table's values, whatever became of the game."""
    if table.rules.name == "seega":
        pytest.skip("its games hardly ever come down to so few pawns")
    monkeypatch.setattr(tuning, "endings_of", lambda rules: table)
    settings = tuning.Settings(table.rules, nodes=60, seed=1)
    taught = 0
    for number in range(12):
        for words, points in tuning.one_game(settings, number):
            value = table.probe(damier.Position(table.rules, *words))
            if value is not None:
                won = "w" if (value.outcome == "win") == (words[2] & 1 == 0) else "b"
                expected = 0.5 if value.outcome == "draw" else float(won == "w")
                assert points == expected
                taught += 1
    assert taught


def test_analysis_never_contradicts_the_table(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a pawn more than the table holds it knows some moves, and those values stand."""
    for name in ("damier.solve.tables.queries.find", "damier.solve.tables.find"):
        monkeypatch.setattr(name, lambda rules: table)
    assert table.pawns is not None
    rng, mixed = random.Random(8), 0
    for _ in range(40):
        game = damier.Game(some_ending(table.rules, table.pawns + 1, rng))
        known = (
            {move.text: value for move, value in probe_moves(game)} if game.legal_moves() else {}
        )
        if not known:
            continue
        found = analyse(game, nodes=50).moves
        mixed += len(known) < len(found)
        for valued in found:
            if valued.move.text in known:
                assert valued.outcome == known[valued.move.text].outcome
        ranks = [known[v.move.text].rank[0] for v in found if v.move.text in known]
        assert ranks == sorted(ranks)
    assert mixed or table.rules.options["capture"] == "forced"


def test_endings_within_reach_are_probed(table: Table) -> None:
    """With a pawn more than the table holds, a capture leads to what is known."""
    rules = table.rules
    assert table.pawns is not None
    knowing = Engine(rules, expected_nodes=1000, compiled=False, endings=table)
    guessing = Engine(rules, expected_nodes=1000, compiled=False)
    rng = random.Random(5)
    known = 0
    for _ in range(30):
        position = some_ending(rules, table.pawns + 1, rng)
        if position.result():
            continue
        game = damier.Game(position)
        best = knowing.think(game, Limits(depth=1)).best
        plain = guessing.think(game, Limits(depth=1)).best
        known += best.value != plain.value
        if abs(plain.value) > PROVED:
            assert (best.value > MIN_TABLEBASE_WIN) == (plain.value > MIN_TABLEBASE_WIN)
    assert known > 0
    assert MIN_TABLEBASE_WIN < TABLEBASE_WIN < PROVED


def test_contempt_ranks_drawn_endings(table: Table) -> None:
    """Drawn endings cost less than a repetition; the evaluation ranks them, not in an analysis."""
    rules = table.rules
    engine = Engine(rules, expected_nodes=1000, compiled=False, endings=table)
    price = round(CONTEMPT * rules.folder.weights.scale)
    rng, found = random.Random(3), set()
    for _ in range(80):
        position = some_ending(rules, table.pawns or 0, rng)
        if position.result():
            continue
        game = damier.Game(position)
        honest = engine.think(game, Limits(depth=1), multipv=True)
        drawn = {root.steps for root in honest.moves if root.value == 0}
        for root in engine.think(game, Limits(depth=1), multipv=True, contempt=True).moves:
            if root.steps in drawn and not damier.Position(rules, *root.after).result():
                assert -price <= root.value < 0
                found.add(root.value)
    assert len(found) > 3


@pytest.mark.skipif(not jit.enabled(), reason="there is one speed only")
def test_endings_are_probed_before_they_are_compiled(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same limit of nodes gives the same answer then; a limit of time says that it is hasty."""
    rules, rng, limits = table.rules, random.Random(12), Limits(nodes=600)
    usual = Engine(rules, expected_nodes=limits.expected_nodes, compiled=True, endings=table)
    monkeypatch.setattr(WARMUPS, "wait", lambda rules, patience, stop, endings=None: not endings)
    engine = engine_for(None, rules, limits, endings=table)
    assert not engine.complete
    for _ in range(10):
        position = some_ending(rules, table.pawns or 0, rng)
        if position.result():
            continue
        game = damier.Game(position)
        assert engine.think(game, Limits(seconds=0.01)).hasty
        late, early = usual.think(game, limits), engine.think(game, limits)
        assert (early.moves, early.depth, early.nodes) == (late.moves, late.depth, late.nodes)
        assert not early.hasty


def test_stopped_before_compilation_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the compiler takes, a search that is asked to stop answers."""
    rules = damier.load_rules("seega")
    forever = threading.Event()
    thread = threading.Thread(target=forever.wait, daemon=True)
    thread.start()
    monkeypatch.setattr(WARMUPS, "ready", lambda rules, endings=False: False)
    monkeypatch.setattr(WARMUPS, "thread", lambda rules, endings=None: thread)
    monkeypatch.setattr(WARMUPS, "_begun", {"seega": 1e12})
    stop = Stop()
    timer = threading.Timer(0.1, stop.set)
    timer.start()
    engine = Engine(rules, expected_nodes=1000, stop=stop)
    assert not engine.complete
    game = damier.Game(rules)
    for limits in (Limits(), Limits(nodes=100_000)):
        result = engine.think(game, limits, stop=stop)
        assert result.best.text(game) in {move.text for move in game.legal_moves()}
        assert result.hasty is not limits.repeatable
    forever.set()
    timer.join()
