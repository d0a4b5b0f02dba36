"""Draws and length: how games end, how long they last, and how many do not end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from damier.arena import MAX_MOVES
from damier.lab import intervals
from damier.lab.exact import ExactValues
from damier.lab.fairness import finished_games
from damier.lab.report import Chart, Figure, ReportSection

# Reasons that are repetitions and counters: nothing on the board decides the game.
EXHAUSTED = ("repetition", "stalled")


def section(
    samples: Mapping[str, Sequence[Mapping[str, Any]]], exact: ExactValues | None
) -> ReportSection:
    """Return the section on draws and length."""
    figures: list[Figure] = []
    charts: list[Chart] = []
    if exact is not None:
        figures += _table_figures(exact)
    for who, games in samples.items():
        figures += _sample_figures(who, games)
    strongest = list(samples)[-1]
    charts.append(Chart("lengths", _lengths(samples[strongest]), {"strength": strongest}))
    if exact is not None and exact.table.metric == "end":
        found = {what: _sum(exact.counts, what) for what in ("wins", "losses")}
        charts.append(Chart("distances", found))
    return ReportSection("draws-and-length", tuple(figures), tuple(charts))


def _table_figures(exact: ExactValues) -> list[Figure]:
    """Return the figures of the table."""
    whole = sum(exact.total(what) for what in ("won", "drawn", "lost"))
    figures = [
        Figure.proved("positions", whole, "count", "table"),
        Figure.proved("drawn-positions", round(exact.drawn, 6), "share", "table"),
    ]
    if exact.table.metric == "end":
        figures.append(Figure.proved("longest-win", exact.longest, "count", "table"))
    return figures


def _sample_figures(who: str, games: Sequence[Mapping[str, Any]]) -> list[Figure]:
    """Return the figures of the games between equal players."""
    ended = finished_games(games)
    reasons = Counter(game["reason"] for game in ended)
    drawn = sum(game["winner"] is None for game in ended)
    exhausted = sum(reasons[reason] for reason in EXHAUSTED)
    lengths = [len(game["moves"]) for game in ended]
    unfinished = intervals.share(len(games) - len(ended), len(games))
    return [
        Figure.measured(
            "unfinished", unfinished, "share", "all-games", strength=who, most=MAX_MOVES
        ),
        Figure.measured(
            "drawn", intervals.share(drawn, len(ended)), "share", "games", strength=who
        ),
        Figure.measured(
            "exhausted", intervals.share(exhausted, len(ended)), "share", "games", strength=who
        ),
        Figure.measured("length", intervals.median(lengths), "number", "median", strength=who),
        *(
            Figure.measured(
                "reason",
                intervals.share(count, len(ended)),
                "share",
                "games",
                strength=who,
                reason=reason,
            )
            for reason, count in sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))
        ),
    ]


def _lengths(games: Sequence[Mapping[str, Any]]) -> dict[str, dict[int, int]]:
    """Return the numbers of games by length: won by the first player, and the other ones."""
    ended = finished_games(games)
    counts = {
        "wins": Counter(len(game["moves"]) for game in ended if game["winner"] == "first"),
        "losses": Counter(len(game["moves"]) for game in ended if game["winner"] != "first"),
    }
    return {what: dict(sorted(count.items())) for what, count in counts.items()}


def _sum(parts: Any, what: str) -> dict[int, int]:
    total: Counter[int] = Counter()
    for part in parts:
        total.update({int(distance): count for distance, count in part[what].items()})
    return dict(sorted(total.items()))
