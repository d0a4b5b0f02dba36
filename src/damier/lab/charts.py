"""Charts of a report as SVG, with the alternative text of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from damier.drawing import svg
from damier.drawing.heat import opening_heat
from damier.drawing.plot import bar_chart, histogram, line_chart, ranges, ranking
from damier.i18n import translate
from damier.lab import text
from damier.lab.report import Chart, Report
from damier.position import Rules, load_rules
from damier.solve import Value


def draw(report: Report, chart: Chart) -> tuple[str, str] | None:
    """Return a chart's SVG and alternative text; None if it would be empty."""
    alt = translate(f"lab.chart.{chart.kind}", **text.details(report, chart.details))
    if chart.kind == "openings":
        return _openings(load_rules(report.game, **report.options), chart.data, alt)
    if chart.kind == "lead":
        axes = translate("lab.chart.moves"), translate("lab.chart.lead.axis")
        return line_chart(chart.data["lead"], alt, *axes), alt
    if chart.kind == "skill":
        steps = [(text.value(nodes, "count"), *rest) for nodes, *rest in chart.data["steps"]]
        return ranges(steps, alt, translate("lab.chart.skill.across"), 0.5), alt
    if chart.kind == "effects":
        rows = [
            (name, effect, text.value(effect, "share"), verdict == "proved")
            for name, effect, verdict in chart.data["effects"]
        ]
        names = translate("lab.chart.effects.proved"), translate("lab.chart.effects.measured")
        return ranking(rows, alt, names), alt
    counts = [
        {int(distance): count for distance, count in chart.data[what].items()}
        for what in ("wins", "losses")
    ]
    if not any(counts):
        return None
    names = translate(f"lab.chart.{chart.kind}.wins"), translate(f"lab.chart.{chart.kind}.losses")
    up = translate(f"lab.chart.{chart.kind}.axis")
    if chart.kind == "lengths":
        return histogram(counts[0], counts[1], alt, translate("lab.chart.moves"), up, names), alt
    return bar_chart(counts[0], counts[1], alt, translate("results.turns"), up, names), alt


def _openings(rules: Rules, data: Mapping[str, Any], alt: str) -> tuple[str, str] | None:
    """Return the board with the best outcome of a first move to each cell."""
    start = rules.start()
    valued = [
        (start.parse_move(move), Value(outcome, distance, bound=bound))
        for move, (outcome, distance, bound) in data.items()
    ]
    heat = opening_heat(start, valued)
    return (svg(start, heat=heat, title=alt), alt) if heat else None
