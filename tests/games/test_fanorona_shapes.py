"""Fanorona's shapes: symmetries, the evaluation network, and how it is fitted."""

import sys
from pathlib import Path

import pytest

import damier
import network
from damier import jit
from damier.games.fanorona import evaluation
from damier.games.fanorona import shapes as network_file
from damier.games.fanorona.rules import BOARD_BIT, BOARDS
from damier.search import Engine
from damier.search.analysis import chance_of
from damier.solve import retrograde
from damier.solve.tables import Table

pytestmark = pytest.mark.slow

RULES = damier.load_rules("fanorona", "international")
CELLS = [(file, rank) for rank in range(3) for file in range(3)]
compiled_only = pytest.mark.skipif(not jit.enabled(), reason="plays and fits with compiled code")


@pytest.fixture(scope="module")
def table() -> Table:
    solution = retrograde.solve(RULES, 3, workers=2)
    return Table(RULES, solution.header, solution.arrays)


@pytest.fixture(scope="module")
def taught(table: Table) -> list[network.Example]:
    """What a few short games teach, played with an evaluation that counts pawns."""
    settings = network.Settings(RULES, nodes=60, seed=1, knowledge=network.pawns_alone(RULES))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(network, "endings_of", lambda rules: table)
        return [example for game in range(12) for example in network.one_game(settings, game)]


def number(shape: dict[tuple[int, int], int]) -> int:
    """Return the number of a shape, given what stands on each cell."""
    return sum(3**k * shape.get(cell, 0) for k, cell in enumerate(CELLS))


def test_symmetric_shapes_have_the_same_kind() -> None:
    kinds = evaluation.shape_kinds()
    assert set(kinds) == set(range(evaluation.SHAPE_KINDS))  # 2862, by Burnside's lemma
    corner = {(0, 0): 1, (1, 0): 2}
    quarter_turn = {(2, 0): 1, (2, 1): 2}
    mirrored = {(2, 0): 1, (1, 0): 2}
    swapped = {(0, 0): 2, (1, 0): 1}
    assert kinds[number(corner)] == kinds[number(quarter_turn)] == kinds[number(mirrored)]
    assert kinds[number(corner)] != kinds[number(swapped)]


def test_the_shape_of_a_position_is_read() -> None:
    w, b, _ = RULES.start().words
    shape = dict.fromkeys(CELLS, 1) | {(0, 2): 2, (2, 2): 2}
    assert evaluation.shape_of(w, b, 9) == number(shape)


def test_the_network_fits_into_its_words() -> None:
    """No sum of rows carries from one number of a word into the next, on the largest board."""
    numbers = network_file.read()
    rows = numbers[: evaluation.ROWS * evaluation.UNITS]
    assert len(numbers) == len(rows) + len(evaluation.STAGES) * (evaluation.UNITS + 1)
    assert max(map(abs, rows)) < evaluation.OFFSET
    most = max((b.ranks - 2) * (b.files - 2) + b.size for b in BOARDS)
    assert most * 2 * evaluation.OFFSET <= evaluation.LANE
    assert evaluation.LANES * evaluation.LANE_BITS < 63


def by_hand(words: tuple[int, int, int], files: int, numbers: tuple[int, ...]) -> int:
    """Return what a network makes of a position, number by number."""
    own, enemy = words[words[2] & 1], words[1 - (words[2] & 1)]
    ranks = BOARDS[(words[2] >> BOARD_BIT) & 31].ranks
    rows = [evaluation.FIRST_ROW]
    for rank in range(ranks - 2):
        for file in range(files - 2):
            at = {(x, y): files * (rank + y) + file + x for x, y in CELLS}
            shape = {xy: (own >> i & 1) + 2 * (enemy >> i & 1) for xy, i in at.items()}
            kind = evaluation.shape_kinds()[number(shape)]
            rows.append(kind + evaluation.SHAPE_KINDS * ((rank + file) % 2))
    for cell in range(ranks * files):
        file, rank = cell % files, cell // files
        kind = 5 * min(rank, ranks - 1 - rank, 2) + min(file, files - 1 - file, 4)
        if own >> cell & 1:
            rows.append(evaluation.OWN_ROW + kind)
        if enemy >> cell & 1:
            rows.append(evaluation.ENEMY_ROW + kind)
    units = [sum(numbers[18 * row + k] for row in rows) for k in range(18)]
    pawns = (own | enemy).bit_count()
    stage = next(k for k, most in enumerate(evaluation.STAGES) if pawns <= most)
    *by_unit, first = numbers[18 * evaluation.ROWS + 19 * stage :][:19]
    sums = (
        min(max(u, 0), evaluation.FULL) * weight for u, weight in zip(units, by_unit, strict=True)
    )
    return first + sum(sums) // evaluation.FULL


@pytest.mark.parametrize(
    ("board", "rows"),
    [
        ("5x9", "bbbbbbbbb/bbbbbbbbb/bwbw.bwbw/wwwwwwwww/wwwwwwwww"),
        ("5x9", "b.......b/...w...../..b.w..../......w../........w"),
        ("5x9", "........b/........./....w..../........./........."),
        ("3x3", "bbb/b.w/www"),
        ("7x9", "bbbbbbbbb/b.bbbbb.b/bbbbb..bb/.wbw.bwbw/wwwwwwwww/w..wwwwww/wwww.wwww"),
        ("3x21", "bbbbbbbbbbbbbbbbbbbbb/bwbwbwbwbw.bwbwbwbwbw/wwwwwwwwwwwwwwwwwwwww"),
    ],
)
def test_the_evaluation_equals_the_network(board: str, rows: str) -> None:
    rules = damier.load_rules("fanorona", "international", board=board)
    numbers = network_file.read()
    knowledge = list(tuple(RULES.folder.weights.weights.values()) + evaluation.pack(numbers))
    for side in "wb":
        words = rules.position(f"{rows} {side} 0").words
        value = evaluation.evaluate(*words, knowledge)
        assert value == by_hand(words, rules.board.files, numbers)


@compiled_only
def test_the_fitted_features_are_those_of_the_kernel(taught: list[network.Example]) -> None:
    """The chance that a fitted network gives is the one that its evaluation means."""
    import numpy as np

    stages, rows = network.features(RULES, [example.words for example in taught])
    assert set(stages) >= set(range(2, len(evaluation.STAGES)))
    seen = np.array([e.chance for e in taught], np.float32)
    fitted = network.fit(evaluation, stages, rows, seen, seed=1)
    chances = network.predict(fitted, stages, rows)
    packed = evaluation.pack(tuple(network.quantise(RULES, fitted)))
    knowledge = [*RULES.folder.weights.weights.values(), *packed]
    for example, chance in zip(taught[::20], chances[::20], strict=True):
        value = evaluation.evaluate(*example.words, knowledge)
        assert chance_of(RULES, value) == pytest.approx(chance, abs=0.02)


@compiled_only
def test_a_fit_explains_its_training_examples(taught: list[network.Example]) -> None:
    import numpy as np

    stages, rows = network.features(RULES, [example.words for example in taught])
    seen = np.array([example.chance for example in taught], np.float32)
    chances = network.predict(network.fit(evaluation, stages, rows, seen, seed=1), stages, rows)
    count = len(evaluation.STAGES)
    by_stage = network.explained_variance(chances, seen, stages, count)
    assert len(by_stage) == len(evaluation.STAGES)
    assert min(by_stage[2:]) > 0.1
    assert sum(by_stage[2:]) / len(by_stage[2:]) > 0.5
    assert max(network.explained_variance(seen * 0, seen, stages, count)[2:]) < 0


@compiled_only
def test_games_give_examples_with_results_and_endings(
    taught: list[network.Example], table: Table
) -> None:
    """A table's word is final; a result counts with what the search thought."""
    known = results = beside = 0
    for example in taught:
        value = table.probe(damier.Position(RULES, *example.words))
        if value is not None:
            known += 1
            assert example.chance == {"win": 1, "draw": 0.5, "loss": 0}[value.outcome]
            assert example.points == example.chance
        elif example.points is None:
            beside += 1
        else:
            results += 1
            share = network.RESULT_WEIGHT * example.points
            assert share <= example.chance <= share + 1 - network.RESULT_WEIGHT
    assert min(known, results, beside) > 20


@compiled_only
def test_games_are_reproducible_from_their_seed(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network, "endings_of", lambda rules: table)
    settings = network.Settings(RULES, nodes=60, seed=1, knowledge=None)
    assert network.one_game(settings, 1) == network.one_game(settings, 1)
    assert network.one_game(settings, 1) != network.one_game(settings, 2)


def test_without_a_table_no_game_is_played() -> None:
    with pytest.raises(damier.DamierError):
        network.one_game(network.Settings(RULES, nodes=60, seed=1, knowledge=None), 1)


def test_networks_are_written_with_their_source(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network_file, "FILE", tmp_path / "shapes.bin")
    monkeypatch.setattr(network, "endings_of", lambda rules: table)
    monkeypatch.setattr(network, "examples", lambda *_: [])
    monkeypatch.setattr(network, "train", lambda *_: ([1, -2, 300], "R² 0.5, 0.6"))
    command = "tools/network.py", "fanorona", "--preset", "international"
    first = " ".join([*command, "--afresh --games 9: R² 0.5, 0.6, with endings of 3 pawns"])
    for arguments, source in (
        (["--afresh", "--games", "9"], first),
        (["--seed", "2"], f"{first}; then {first.replace('--afresh --games 9', '--seed 2')}"),
        (["--afresh", "--games", "9"], first),
    ):
        monkeypatch.setattr(sys, "argv", [*command, *arguments, "--write"])
        assert network.main() == 0
        assert network_file.source() == source
        assert network_file.read() == (1, -2, 300)


def test_a_fit_starts_from_pawn_counts() -> None:
    """Without shapes a pawn more is worth a pawn, wherever it stands."""
    engine = Engine(RULES, compiled=False, weights=network.pawns_alone(RULES))
    rows = "bbbbbbbbb/bbbbbbbbb/bwbw.bwbw/wwwwwwwww/{} w 0"
    for rank, ahead in (("wwwwwwwww", 0), ("wwww.wwww", -1), (".www.wwww", -2)):
        words = RULES.position(rows.format(rank)).words
        assert evaluation.evaluate(*words, engine.searcher.weights) == ahead * network.PAWN
