"""Labels agree with `probe_moves`, and regrets are exact."""

import numpy as np
import pytest

import damier
from damier import DamierError, Rules, solve
from damier.batch import Batch
from damier.solve import tables
from damier.solve.retrograde import content
from damier.solve.retrograde import solve as solve_game
from damier.truth import DRAW, LOSS, UNKNOWN, WIN, Labels, Truth

OUTCOMES = {"win": WIN, "draw": DRAW, "loss": LOSS}


def positions_of(rules: Rules, count: int, seed: int) -> np.ndarray:
    """Return positions of games of random steps, also inside moves."""
    batch = Batch(rules, count, seed, compiled=False)
    rows = []
    for _ in range(16):
        for _ in range(5):
            batch.step(batch.sample())
        rows.append(batch.positions.copy())
    return np.concatenate(rows)


def check(rules: Rules, labels: Labels, rows: np.ndarray) -> int:
    """Compare labels with `probe_moves`; return the number of positions compared."""
    compared = 0
    for k, words in enumerate(rows.tolist()):
        position = damier.Position(rules, *words)
        if position.unfinished:
            continue
        value = solve.probe(position)
        if value is None:
            assert labels.outcome[k] == UNKNOWN
            continue
        assert labels.outcome[k] == OUTCOMES[value.outcome]
        assert labels.distance[k] == (-1 if value.distance is None else value.distance)
        table = solve.find(rules)
        assert table is not None
        valued = [(table.probe_move(position, move), move) for move in position.legal_moves()]
        ranks = [found.rank for found, _ in valued if found is not None]
        if len(ranks) < len(valued):
            continue
        best = {m.steps[0] for found, m in valued if found is not None and found.rank == min(ranks)}
        words_of_best = labels.best[k].tolist()
        found = {64 * g + c for g, w in enumerate(words_of_best) for c in range(64) if w >> c & 1}
        # Another order of the same steps is the same move.
        assert best <= found
        assert all(step in found for step in best)
        compared += 1
    return compared


@pytest.mark.parametrize("game", ["chefa", "badia", "fraha"])
def test_labels_equal_the_table(game: str) -> None:
    rules = damier.load_rules(game)
    rows = positions_of(rules, 3, 5)
    truth = Truth(rules, compiled=False)
    labels = truth.label(rows)
    assert check(rules, labels, rows) > 20
    assert truth.bound == (game == "badia")
    # Inside a move the best steps are those that reach the value of the best move.
    inside = [k for k in range(len(rows)) if rows[k, 2] & rules.module.MIDTURN]
    assert all(labels.best[k].any() for k in inside)


@pytest.mark.slow
def test_compiled_labels_are_equal() -> None:
    rules = damier.load_rules("chefa")
    rows = positions_of(rules, 8, 6)
    plain, compiled = (Truth(rules, compiled=c).label(rows) for c in (False, True))
    assert np.array_equal(plain.outcome, compiled.outcome)
    assert np.array_equal(plain.distance, compiled.distance)
    assert np.array_equal(plain.best, compiled.best)
    short = Truth(rules, threads=2).label(np.tile(rows, (200, 1)), best=False)
    assert np.array_equal(short.outcome[: len(rows)], plain.outcome)


def best_policy(truth: Truth, worst: bool = False):  # type: ignore[no-untyped-def]
    """Return a policy that plays a best step, or one that is not best where there is one."""

    def choose(batch: Batch) -> np.ndarray:
        best = truth.label(batch.positions).best
        other = batch.legal & ~best
        words = np.where((other != 0).any(1)[:, None] & worst, other, best & batch.legal)
        words = np.where((words != 0).any(1)[:, None], words, batch.legal)
        group = (words != 0).argmax(1)
        lowest = words[np.arange(batch.n), group]
        cell = np.array([(int(w) & -int(w)).bit_length() - 1 for w in lowest])
        return np.where(batch.over, -1, 64 * group + cell)

    return choose


@pytest.mark.parametrize("game", ["chefa", "fraha"])
def test_a_perfect_policy_has_no_regret(game: str) -> None:
    truth = Truth(damier.load_rules(game), compiled=False)
    perfect = truth.regret(best_policy(truth), 40)
    assert (perfect.mean, perfect.correct, perfect.positions) == (0, 1, 40)
    worst = truth.regret(best_policy(truth, worst=True), 40)
    assert worst.mean > 0
    assert worst.correct < 1
    assert perfect.sample == f"{game}-{truth.checksum[:12]}-40"


def first_step(batch: Batch) -> np.ndarray:
    """Return the lowest legal step of each game."""
    steps = []
    for k in range(batch.n):
        legal = [(g, int(word)) for g, word in enumerate(batch.legal[k]) if word]
        steps.append(
            64 * legal[0][0] + (legal[0][1] & -legal[0][1]).bit_length() - 1 if legal else -1
        )
    return np.array(steps)


def test_samples_are_fixed() -> None:
    truth = Truth(damier.load_rules("chefa"), compiled=False)
    name, rows = truth.sample(20)
    again = truth.sample(20)
    assert name == again[0]
    assert np.array_equal(rows, again[1])
    assert len(np.unique(rows, axis=0)) == 20


@pytest.mark.slow
def test_regret_over_all_positions_of_a_small_game(tapatan: Rules) -> None:
    """The regret of the first legal step, against a count with `probe`."""
    solution = solve_game(tapatan)
    path = tables.built_path(tapatan)
    path.parent.mkdir(parents=True, exist_ok=True)
    tables.write(path, content(solution))
    tables.clear_table_cache()
    truth = Truth(tapatan, compiled=False)
    found = truth.regret(first_step)
    points = {"win": 2, "draw": 1, "loss": 0}
    lost = total = 0
    for rows, weights in truth.positions():
        for words, weight in zip(rows.tolist(), weights.tolist(), strict=True):
            position = damier.Position(tapatan, *words)
            here = solve.probe(position)
            after = position.step(position.steps()[0].number)
            value = solve.probe(after)
            assert here is not None
            assert value is not None
            lost += weight * (points[here.outcome] - 2 + points[value.outcome])
            total += weight
    assert total > found.positions > 100
    assert found.mean == pytest.approx(lost / total / 2)
    assert 0 < found.mean < 1


def test_invalid_input() -> None:
    truth = Truth(damier.load_rules("chefa"), compiled=False)
    with pytest.raises(DamierError, match="no table"):
        Truth(damier.load_rules("fanorona", board="7x9"))
    with pytest.raises(DamierError, match="shape"):
        truth.label([[1, 2]])
    with pytest.raises(TypeError, match="integers"):
        truth.label([[0.0, 0.0, 0.0]])
    with pytest.raises(DamierError, match="Position 1 is malformed"):
        truth.label([[0, 0, 0], [1, 1, 0]])
    assert truth.label(np.zeros((0, 3), np.int64)).outcome.shape == (0,)
    for count in (0, -1):
        with pytest.raises(DamierError, match="at least one position"):
            truth.regret(first_step, count)
    with pytest.raises(DamierError, match="Action -1 is not legal in game 0"):
        truth.regret(lambda batch: np.full(batch.n, -1), 3)
