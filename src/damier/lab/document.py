"""Report as a document in the language in use: paragraphs, tables and pictures, for the page."""

from __future__ import annotations

from typing import Any

from damier.lab import text
from damier.lab.charts import draw
from damier.lab.report import Report, ReportSection


def describe(report: Report) -> dict[str, Any]:
    """Return the report as JSON data in which every text is ready to be shown."""
    return {
        "title": text.title(report),
        "summary": [text.sentence(report, said) for said in report.summary],
        "about": text.about(report),
        "sections": [_describe_section(report, section) for section in report.sections],
    }


def _describe_section(report: Report, section: ReportSection) -> dict[str, Any]:
    """Return a section: its grids, its figures, and its pictures as SVG."""
    title = text.section_title(section)
    tables = [
        {
            "title": text.grid_title(grid),
            "head": text.grid_columns(grid),
            "rows": [[label, *cells] for label, cells in text.grid_rows(report, grid)],
        }
        for grid in section.grids
    ]
    rows = [text.row(report, figure) for figure in section.figures]
    tables.append(
        {
            "title": title,
            "head": list(text.columns()),
            "rows": [
                [row.label, row.proved, row.measured, row.interval, row.sample, row.method]
                for row in rows
            ],
        }
    )
    pictures = (draw(report, chart) for chart in section.charts)
    return {
        "title": title,
        "note": text.section_note(section),
        "tables": tables,
        "pictures": [{"svg": picture[0], "text": picture[1]} for picture in pictures if picture],
    }
