"""Estimates with 95 % confidence intervals: shares, means, medians and differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, erfc, hypot, inf, sqrt

from damier.arena import Z95, student_quantile


@dataclass(frozen=True)
class Estimate:
    """Estimated value, its 95 % confidence interval and the size of the sample."""

    value: float | None
    interval: tuple[float, float] | None
    sample: int


def share(count: int, whole: int) -> Estimate:
    """Estimate a probability from how often an event occurred: Wilson's interval."""
    if not whole:
        return Estimate(None, None, 0)
    return Estimate(count / whole, _wilson(count / whole, whole), whole)


def mean(
    values: Sequence[float], low: float = float("-inf"), high: float = float("inf")
) -> Estimate:
    """Estimate a mean between two bounds: Student's interval.

    If all values are at the bounds it is a share of the range, with Wilson's interval; so it is if
    all are equal, because then the variance is unknown.
    """
    n = len(values)
    if not n:
        return Estimate(None, None, 0)
    middle = sum(values) / n
    variance = sum((value - middle) ** 2 for value in values) / max(1, n - 1)
    if n > 1 and variance > 0 and any(low < value < high for value in values):
        half = student_quantile(n - 1) * sqrt(variance / n)
        return Estimate(middle, (max(low, middle - half), min(high, middle + half)), n)
    if high - low == inf:
        return Estimate(middle, None, n)
    bounds = _wilson((middle - low) / (high - low), n)
    return Estimate(middle, (low + (high - low) * bounds[0], low + (high - low) * bounds[1]), n)


def _wilson(part: float, n: int) -> tuple[float, float]:
    """Return Wilson's interval of a share."""
    z2 = Z95**2
    centre = (part + z2 / (2 * n)) / (1 + z2 / n)
    half = Z95 / (1 + z2 / n) * sqrt(part * (1 - part) / n + z2 / (4 * n * n))
    # At the ends the formula gives 0 and 1 up to rounding.
    return (0.0 if part == 0 else centre - half), (1.0 if part == 1 else centre + half)


def median(values: Sequence[float]) -> Estimate:
    """Estimate a median: the interval between two order statistics, of at least 95 %."""
    n = len(values)
    if not n:
        return Estimate(None, None, 0)
    ordered = sorted(values)
    middle = (ordered[(n - 1) // 2] + ordered[n // 2]) / 2
    outside, k = 0.5**n, 0  # probability that the median is below the k-th smallest value
    if outside > 0.025:
        return Estimate(middle, None, n)  # too few values for any interval
    while outside + comb(n, k + 1) * 0.5**n <= 0.025:
        k += 1
        outside += comb(n, k) * 0.5**n
    return Estimate(middle, (ordered[k], ordered[n - 1 - k]), n)


def difference(second: Sequence[float], first: Sequence[float]) -> Estimate:
    """Estimate the difference of two means, second minus first: Welch's interval."""
    return contrast((1, second), (-1, first))


def contrast(*parts: tuple[float, Sequence[float]]) -> Estimate:
    """Estimate a weighted sum of the means of independent samples: Welch's interval."""
    fewest = min(len(values) for _, values in parts)
    if fewest < 2:
        return Estimate(None, None, fewest)
    shift, total, freedom = 0.0, 0.0, 0.0
    for weight, values in parts:
        n = len(values)
        middle = sum(values) / n
        error = weight**2 * sum((value - middle) ** 2 for value in values) / (n - 1) / n
        shift += weight * middle
        total += error
        freedom += error**2 / (n - 1)
    if total == 0:
        return Estimate(shift, None, fewest)
    half = student_quantile(max(1, int(total**2 / freedom))) * sqrt(total)
    return Estimate(shift, (shift - half, shift + half), fewest)


def bounded_difference(
    second: Sequence[float], first: Sequence[float], low: float, high: float
) -> Estimate:
    """Estimate the difference of two means between bounds, second minus first.

    The interval combines those of the means (Newcombe's method), so it exists even if all values
    of a sample are equal.
    """
    one, two = mean(first, low, high), mean(second, low, high)
    fewest = min(one.sample, two.sample)
    if one.value is None or two.value is None or one.interval is None or two.interval is None:
        return Estimate(None, None, fewest)
    shift = two.value - one.value
    below = hypot(two.value - two.interval[0], one.interval[1] - one.value)
    above = hypot(two.interval[1] - two.value, one.value - one.interval[0])
    return Estimate(shift, (shift - below, shift + above), fewest)


def widen(estimate: Estimate, tests: int) -> tuple[float, float] | None:
    """Return the interval that holds for all of several figures with 95 % (Bonferroni)."""
    if estimate.value is None or estimate.interval is None:
        return None
    factor = max(1.0, normal_quantile(0.025 / max(1, tests)) / Z95)
    low, high = estimate.interval
    return (
        estimate.value - factor * (estimate.value - low),
        estimate.value + factor * (high - estimate.value),
    )


def normal_quantile(tail: float) -> float:
    """Return the value that a standard normal variable exceeds with a probability below one half.

    It is rounded, because the last bits differ between systems.
    """
    low, high = 0.0, 40.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if erfc(middle / sqrt(2)) / 2 > tail else (low, middle)
    return round(low, 9)
