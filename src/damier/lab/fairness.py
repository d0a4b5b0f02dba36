"""Fairness: value of the start and of the first moves, and the first player's score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from damier.lab import first_moves, intervals
from damier.lab.exact import ExactValues
from damier.lab.report import Chart, Figure, ReportSection

POINTS = {"first": 1.0, "second": 0.0}


def points(sample: Mapping[str, Any]) -> float:
    """Return the first player's points in a finished game."""
    return POINTS.get(sample["winner"], 0.5)


def finished_games(samples: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the games that were not stopped."""
    return [sample for sample in samples if sample["reason"] is not None]


def section(
    samples: Mapping[str, Sequence[Mapping[str, Any]]],
    exact: ExactValues | None,
    searched: Sequence[Sequence[Any]] = (),
) -> ReportSection:
    """Return the section on fairness; `searched` are the first moves with a search's values."""
    figures: list[Figure] = []
    charts: list[Chart] = []
    if exact is not None:
        figures += _table_figures(exact)
        charts.append(Chart("openings", openings(exact)))
    for who, games in samples.items():
        ended = finished_games(games)
        estimate = intervals.mean([points(game) for game in ended], 0.0, 1.0)
        figures.append(Figure.measured("first-score", estimate, "share", "games", strength=who))
    figures += first_moves.figures(searched)
    grids = (first_moves.grid(searched, exact),) if searched else ()
    return ReportSection("fairness", tuple(figures), tuple(charts), grids)


def _table_figures(exact: ExactValues) -> list[Figure]:
    """Return the figures of the table."""
    outcomes = Counter(value.outcome for _, value in exact.openings)
    bound = exact.start.bound
    start = exact.winner or ("open" if bound else "draw")
    figures = [
        Figure.proved("start-value", f"lab.value.{start}", "text", "table"),
        Figure.proved("first-moves", len(exact.openings), "count", "table"),
        *(
            Figure.proved(f"first-moves-{outcome}", outcomes[outcome], "count", "table")
            for outcome in ("win", "draw", "loss")
        ),
    ]
    if exact.start.distance is not None and exact.start.to == "end":
        figures.insert(1, Figure.proved("start-distance", exact.start.distance, "count", "table"))
    if not any(value.bound for _, value in exact.openings):
        # After such a move neither side can force a win, so either colour may be chosen.
        figures.append(Figure.proved("balanced-openings", outcomes["draw"], "count", "table"))
    return figures


def openings(exact: ExactValues) -> dict[str, Any]:
    """Return the outcome and distance of every first move by its text."""
    return {
        move.text: [value.outcome, value.distance, value.bound] for move, value in exact.openings
    }
