"""Write docs/benchmarks.md and its chart: how stored benchmark results have changed.

    python tools/benchmark_history.py

Reads bench/results, to which `bench/speed.py` and `bench/search.py` append. Figures
are divided by the calibration loop of the same run, so that machines can be compared; the first
result of each series is 100. Run it again after storing results; a test compares the page.
"""

import json
import sys
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from damier import files
from damier.drawing.plot import INK, PLATE

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "bench" / "results"
PAGE = ROOT / "docs" / "benchmarks.md"
PICTURE = ROOT / "docs" / "pictures" / "benchmarks.svg"

# Title, file of results, and the field of each entry.
CHARTS = [
    ("Steps of random games per second", "speed.jsonl", "steps"),
    ("Search nodes per second", "search.jsonl", "nodes_a_second"),
]
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#666666")
# Lengths in SVG user units.
WIDTH, HEIGHT, MARGIN, LEGEND = 360, 180, 40, 20

Series = dict[str, list[tuple[str, float]]]  # by name: dates and values, the first one 100


def history(file: str, field: str) -> Series:
    """Return the series of a file of results."""
    found: Series = {}
    for line in (RESULTS / file).read_text("utf-8").splitlines():
        result: dict[str, Any] = json.loads(line)
        for name, entry in result.items():
            if isinstance(entry, dict) and field in entry:
                value = entry[field] / result["calibration"]
                found.setdefault(name, []).append((result["date"], value))
    return {
        name: [(date, 100 * value / points[0][1]) for date, value in points]
        for name, points in found.items()
    }


def panel(title: str, series: Series) -> list[str]:
    """Return the elements of a chart: a line for each series, over the runs."""
    top = max(value for points in series.values() for _, value in points) * 1.05
    runs = max(len(points) for points in series.values())
    bottom = MARGIN + HEIGHT

    def at(run: int, value: float) -> str:
        x = MARGIN + (WIDTH - 20) * run / max(1, runs - 1)
        return f"{x:.1f} {bottom - HEIGHT * value / top:.1f}"

    parts = [
        f'<text x="{MARGIN}" y="24" font-weight="bold">{escape(title)}</text>',
        f'<path d="M{MARGIN} {MARGIN}V{bottom}H{MARGIN + WIDTH}" stroke="{INK}" fill="none"/>',
        f'<path d="M{at(0, 100)}H{MARGIN + WIDTH}" stroke="{INK}" stroke-dasharray="4 3"/>',
        f'<text x="{MARGIN - 6}" y="{at(0, 100).split()[1]}" text-anchor="end">100</text>',
    ]
    for number, (name, points) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        line = "L".join(at(run, value) for run, (_, value) in enumerate(points))
        y = bottom + (number + 1) * LEGEND
        parts += [
            f'<path d="M{line}" stroke="{colour}" stroke-width="2" fill="none"/>',
            f'<path d="M{MARGIN} {y}h20" stroke="{colour}" stroke-width="2"/>',
            f'<text x="{MARGIN + 28}" y="{y + 4}">{escape(name)}: {points[-1][1]:.0f}</text>',
        ]
    return parts


def chart(charts: dict[str, Series]) -> str:
    """Return the SVG text of all charts, side by side."""
    across = WIDTH + 2 * MARGIN
    rows = max(map(len, charts.values()))
    width, height = across * len(charts), MARGIN + HEIGHT + (rows + 1) * LEGEND
    described = " ".join(
        f"{title}: " + ", ".join(f"{name} {points[-1][1]:.0f}" for name, points in series.items())
        for title, series in charts.items()
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'width="{width}" height="{height}" font-family="system-ui, sans-serif" font-size="12" '
        f'fill="{INK}">',
        "<title>Benchmark history</title>",
        f"<desc>{escape(described)}</desc>",
        f'<rect width="{width}" height="{height}" fill="{PLATE}"/>',
    ]
    for number, (title, series) in enumerate(charts.items()):
        parts += [f'<g transform="translate({number * across} 0)">', *panel(title, series), "</g>"]
    return "\n".join((*parts, "</svg>")) + "\n"


def page(charts: dict[str, Series]) -> str:
    """Return the page."""
    lines = [
        "# Benchmark history",
        "",
        "Written by `python tools/benchmark_history.py` from `bench/results`. The figures are",
        "relative to a calibration loop of the same run and to the first stored result, which is",
        "100. Each run of `python bench/speed.py` and `python bench/search.py` stores a result;",
        "`make bench` runs all benchmarks.",
        "",
        "![Benchmark history](pictures/benchmarks.svg)",
    ]
    for title, series in charts.items():
        runs = max(len(points) for points in series.values())
        dates = next(points for points in series.values() if len(points) == runs)
        lines += ["", f"## {title}", ""]
        lines.append("| | " + " | ".join(date for date, _ in dates) + " |")
        lines.append("|---" * (runs + 1) + "|")
        for name, points in series.items():
            cells = [""] * (runs - len(points)) + [f"{value:.0f}" for _, value in points]
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def documents() -> dict[Path, str]:
    """Return the content of the page and of its chart."""
    charts = {title: history(file, field) for title, file, field in CHARTS}
    return {PAGE: page(charts), PICTURE: chart(charts)}


def main() -> int:
    """Write the page and its chart."""
    for path, text in documents().items():
        files.write_text(path, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
