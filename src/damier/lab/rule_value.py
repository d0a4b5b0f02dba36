"""Value of each rule: what changes if an option has another value, ranked by its effect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from damier.lab import intervals, restricted
from damier.lab.comparison import Comparison, lengths, scores
from damier.lab.intervals import Estimate, widen
from damier.lab.matches import MatchResult
from damier.lab.report import EMPTY, Cell, Chart, Figure, Grid, ReportSection, Scalar
from damier.lab.restricted_values import RestrictedValue
from damier.lab.variants import interaction_parts

MEASURES = 4  # of each comparison, which are tested together
COLUMNS = ("effect", "verdict", "in-play", "start", "positions", "score", "drawn", "length")


def section(
    comparisons: Sequence[Comparison],
    restrictions: Sequence[MatchResult],
    proved: Mapping[str, Sequence[RestrictedValue]],
    who: str,
) -> ReportSection:
    """Return the section on the value of each rule, from games between players of strength `who`.

    `proved` has the values of restricted play that are known. The rules are ranked by their
    demonstrated effect, then by how often they come into play.

    """
    figures: list[Figure] = []
    ranked = []
    for comparison in comparisons:
        own = _figures(comparison, comparisons, who)
        figures += own
        effect, verdict = effect_of(comparison, MEASURES * len(comparisons))
        ranked.append((effect, verdict, comparison, own))
    ranked.sort(key=lambda item: (-item[0], -(item[2].in_play.value or 0.0), item[2].variant.text))
    rows = tuple(
        ({"change": comparison.variant.text}, _row(effect, verdict, own))
        for effect, verdict, comparison, own in ranked
    )
    data = {
        "effects": [
            [comparison.variant.text, round(effect, 6), verdict]
            for effect, verdict, comparison, _ in ranked
        ]
    }
    charts = (Chart("effects", data, {"strength": who}),) if ranked else ()
    grids = [Grid("rules", COLUMNS, rows)] if ranked else []
    if restrictions:
        found = restricted.figures(restrictions, proved)
        figures += found
        grids.append(restricted.grid(found))
    return ReportSection("rules", tuple(figures), charts, tuple(grids))


def effect_of(comparison: Comparison, tests: int) -> tuple[float, str]:
    """Return the demonstrated effect of a variant, from 0 to 1, and what is known about it.

    The effect is the greatest of these changes: the first player's points, the share of draws or of
    unfinished games, the length in relation to the longer games, and the share of positions whose
    outcome changes. A proved change counts whole. A measured one counts as far as its interval is
    from 0, where the intervals of all `tests` measurements together hold with 95 %.
    """
    proved = max(abs(comparison.exact_points or 0.0), comparison.exact_share or 0.0)
    longest = max(_mean(lengths(games)) for games in (comparison.before, comparison.after))
    measured = max(
        lower_bound(comparison.score, tests),
        lower_bound(comparison.drawn, tests),
        lower_bound(comparison.unfinished, tests),
        lower_bound(comparison.length, tests) / max(longest, 1.0),
    )
    if comparison.without_effect:
        return 0.0, "none-proved"
    if max(proved, measured) > 0:
        return min(1.0, max(proved, measured)), "proved" if proved >= measured else "measured"
    if comparison.changes is not None and comparison.changes.distances:
        return 0.0, "distances"
    seen = any(ply is not None for ply in comparison.used)
    return 0.0, "open" if seen else "unseen"


def lower_bound(estimate: Estimate, tests: int) -> float:
    """Return how far a change is from 0 at least."""
    interval = widen(estimate, tests)
    if interval is None:
        return 0.0
    return max(0.0, interval[0], -interval[1])


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _figures(comparison: Comparison, all_: Sequence[Comparison], who: str) -> list[Figure]:
    """Return the figures of a variant."""
    change = comparison.variant.text
    details: dict[str, Scalar] = {"change": change}
    measured = {**details, "strength": who}
    return [
        *_table_figures(comparison, details),
        Figure.measured("rule-in-play", comparison.in_play, "share", "replayed", **measured),
        Figure.measured("rule-score", comparison.score, "points", "compared-games", **measured),
        Figure.measured("rule-drawn", comparison.drawn, "points", "compared-games", **measured),
        Figure.measured(
            "rule-unfinished", comparison.unfinished, "points", "compared-games", **measured
        ),
        Figure.measured("rule-length", comparison.length, "change", "compared-games", **measured),
        *_interaction(comparison, all_, measured),
    ]


def _table_figures(comparison: Comparison, details: dict[str, Scalar]) -> list[Figure]:
    """Return the exact figures of a variant."""
    figures = []
    one, two = comparison.exact
    if two is not None:
        figures.append(
            Figure.proved("rule-start", f"lab.value.{two.start}", "text", "table", **details)
        )
        if two.distance is not None:
            figures.append(
                Figure.proved("rule-distance", two.distance, "count", "table", **details)
            )
    if comparison.exact_share is not None and comparison.changes is not None:
        share = round(comparison.exact_share, 6)
        figures.append(Figure.proved("rule-positions", share, "share", "tables", **details))
        if comparison.changes.distances is not None:
            part = comparison.changes.distances / max(1, comparison.changes.positions)
            figures.append(
                Figure.proved("rule-distances", round(part, 6), "share", "tables", **details)
            )
    if one is not None and two is not None:
        drawn = round(two.drawn - one.drawn, 6)
        figures.append(Figure.proved("rule-drawn-positions", drawn, "points", "tables", **details))
        if one.longest is not None and two.longest is not None:
            longer = two.longest - one.longest
            figures.append(Figure.proved("rule-longest", longer, "change", "tables", **details))
        shares = [kept / max(1, whole) for kept, whole in (one.first_moves, two.first_moves)]
        kept = round(shares[1] - shares[0], 6)
        figures.append(Figure.proved("rule-first-moves", kept, "points", "tables", **details))
    return figures


def _interaction(
    comparison: Comparison, all_: Sequence[Comparison], details: dict[str, Scalar]
) -> list[Figure]:
    """Return how a pair of changes differs from the sum of its parts, for the points."""
    by_variant = {other.variant: other for other in all_}
    parts = interaction_parts(comparison.variant, list(by_variant))
    if parts is None or len(parts) != 2:
        return []
    estimate = intervals.contrast(
        (1, scores(comparison.after)),
        *((-1.0, scores(by_variant[part].after)) for part in parts),
        (1, scores(comparison.before)),
    )
    return [Figure.measured("rule-interaction", estimate, "points", "compared-games", **details)]


def _row(effect: float, verdict: str, figures: Sequence[Figure]) -> tuple[Cell, ...]:
    """Return the cells of a variant in the ranking."""
    by_name = {figure.name: figure for figure in figures}
    cells = {name: Cell.of(by_name.get(f"rule-{name}")) for name in COLUMNS}
    cells["effect"] = Cell(round(effect, 6), "share")
    cells["verdict"] = Cell(f"lab.verdict.{verdict}", "text")
    return tuple(cells.get(name, EMPTY) for name in COLUMNS)
