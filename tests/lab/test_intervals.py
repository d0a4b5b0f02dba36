"""Confidence intervals contain the true value as often as they say, in simulations."""

import random
from collections.abc import Callable

import pytest

from damier.lab import intervals
from damier.lab.intervals import Estimate

RUNS = 1000
# Intervals of 95 %: the simulation itself has a standard error of 0.7 points.
MIN_COVERAGE, MAX_COVERAGE = 0.93, 1.0


def coverage(true: float, estimate: Callable[[random.Random], Estimate]) -> float:
    """Return how often the interval of a random sample contains the true value."""
    rng, hits = random.Random(5), 0
    for _ in range(RUNS):
        interval = estimate(rng).interval
        assert interval is not None
        hits += interval[0] <= true <= interval[1]
    return hits / RUNS


@pytest.mark.parametrize(("p", "n"), [(0.5, 20), (0.1, 40), (0.02, 100), (0.9, 30)])
def test_shares(p: float, n: int) -> None:
    found = coverage(p, lambda drawn: intervals.share(sum(drawn.random() < p for _ in range(n)), n))
    assert MIN_COVERAGE <= found <= MAX_COVERAGE


@pytest.mark.parametrize("n", [4, 10, 60])
def test_means(n: int) -> None:
    found = coverage(3.0, lambda drawn: intervals.mean([drawn.gauss(3, 2) for _ in range(n)]))
    assert MIN_COVERAGE <= found <= 0.97


def test_scores_with_draws() -> None:
    def scores(rng: random.Random) -> Estimate:
        points = rng.choices((1.0, 0.5, 0.0), (5, 3, 2), k=40)
        return intervals.mean(points, 0.0, 1.0)

    assert MIN_COVERAGE <= coverage(0.65, scores) <= 0.97


@pytest.mark.parametrize("n", [8, 25, 60])
def test_medians(n: int) -> None:
    found = coverage(0.5, lambda drawn: intervals.median([drawn.random() for _ in range(n)]))
    assert found >= 0.95 - 0.02


def test_differences() -> None:
    def shift(rng: random.Random) -> Estimate:
        first = [rng.gauss(1, 1) for _ in range(12)]
        second = [rng.gauss(1.5, 3) for _ in range(30)]
        return intervals.difference(second, first)

    assert MIN_COVERAGE <= coverage(0.5, shift) <= 0.97


@pytest.mark.parametrize(("p", "q", "n"), [(0.5, 0.6, 30), (0.0, 0.1, 40), (0.95, 1.0, 20)])
def test_differences_between_bounds(p: float, q: float, n: int) -> None:
    def shift(rng: random.Random) -> Estimate:
        first = [float(rng.random() < p) for _ in range(n)]
        second = [float(rng.random() < q) for _ in range(n)]
        return intervals.bounded_difference(second, first, 0.0, 1.0)

    assert coverage(q - p, shift) >= MIN_COVERAGE


def test_sums_of_means() -> None:
    def total(rng: random.Random) -> Estimate:
        parts = [[rng.gauss(k, k + 1) for _ in range(10 + k)] for k in range(4)]
        return intervals.contrast(*zip((1, -1, -1, 1), parts, strict=True))

    assert MIN_COVERAGE <= coverage(0, total) <= 0.97


def test_all_of_several_intervals_hold_together() -> None:
    rng, hits = random.Random(5), 0
    for _ in range(RUNS):
        estimates = [intervals.mean([rng.gauss(0, 1) for _ in range(40)]) for _ in range(10)]
        wider = [intervals.widen(estimate, 10) for estimate in estimates]
        hits += all(interval and interval[0] <= 0 <= interval[1] for interval in wider)
    assert hits / RUNS >= MIN_COVERAGE
    assert intervals.widen(Estimate(None, None, 0), 3) is None


def test_extreme_samples() -> None:
    assert intervals.share(0, 0) == Estimate(None, None, 0)
    assert intervals.share(0, 10).interval == pytest.approx((0, 0.2775), abs=1e-3)
    assert intervals.share(10, 10).interval == pytest.approx((0.7225, 1), abs=1e-3)
    assert intervals.mean([]) == Estimate(None, None, 0)
    assert intervals.mean([2.0, 2.0]) == Estimate(2.0, None, 2)
    low, high = intervals.mean([1.0] * 10, 0, 1).interval or (0, 0)
    assert 0.6 < low < 0.8
    assert high == 1
    assert intervals.median([4, 1, 3]) == Estimate(3, None, 3)
    assert intervals.median(range(1, 10)).interval == (2, 8)
    assert intervals.difference([1.0], [2.0]).value is None
