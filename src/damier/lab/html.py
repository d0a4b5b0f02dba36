"""Report as one HTML file, which contains its styles and pictures and needs no network."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from pathlib import Path

from damier import files
from damier.i18n import language
from damier.lab import text
from damier.lab.charts import draw
from damier.lab.report import Grid, Report, ReportSection

STYLE = """
:root { color-scheme: light dark; --ink: #222; --paper: #fff; --line: #bbb; --shade: #f3f1ea }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e6e0; --paper: #1c1c1c; --line: #666; --shade: #2a2a2a }
}
body { font: 1rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 70rem; margin: 0 auto; padding: 1rem }
.summary { background: var(--shade); padding: 1rem 1rem 1rem 2rem; font-size: 1.1rem }
.table { overflow-x: auto }
table { border-collapse: collapse; width: 100% }
caption { text-align: start; font-weight: bold; padding: .3rem 0 }
th, td { border-bottom: 1px solid var(--line); padding: .3rem .6rem; text-align: start;
  vertical-align: top }
td.number { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap }
tbody th { font-weight: normal }
figure { margin: 1.5rem 0 }
img { max-width: 100%; max-height: 28rem; background: #fbfaf7 }
"""


def write(report: Report, path: Path) -> None:
    """Write a report."""
    files.write_text(path, page(report))


def page(report: Report) -> str:
    """Return the page of a report."""
    title = escape(text.title(report))
    said = "".join(f"<li>{escape(text.sentence(report, one))}</li>\n" for one in report.summary)
    about = "".join(f"<p>{escape(paragraph)}</p>\n" for paragraph in text.about(report))
    sections = "".join(_section(report, section) for section in report.sections)
    return (
        f'<!doctype html>\n<html lang="{language()}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f'<h1>{title}</h1>\n<ul class="summary">\n{said}</ul>\n{about}{sections}'
        "</main>\n</body>\n</html>\n"
    )


def _section(report: Report, section: ReportSection) -> str:
    """Return a section: its title, note, table and pictures."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in text.columns())
    body = "".join(_row(text.row(report, figure)) for figure in section.figures)
    name = escape(text.section_title(section))
    pictures = (draw(report, chart) for chart in section.charts)
    shown = "".join(_picture(*picture) for picture in pictures if picture is not None)
    grids = "".join(_grid(report, grid) for grid in section.grids)
    return (
        f'<section>\n<h2 id="{section.name}">{name}</h2>\n'
        f"<p>{escape(text.section_note(section))}</p>\n{grids}"
        f"{_table(section.name, head, body)}{shown}</section>\n"
    )


def _grid(report: Report, grid: Grid) -> str:
    """Return a grid as a table with its title."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in text.grid_columns(grid))
    body = ""
    for label, cells in text.grid_rows(report, grid):
        shown = "".join(f'<td class="number">{escape(cell)}</td>' for cell in cells)
        body += f'<tr><th scope="row">{escape(label)}</th>{shown}</tr>\n'
    title = escape(text.grid_title(grid))
    name = f"grid-{grid.name}"
    return f'<h3 id="{name}">{title}</h3>\n{_table(name, head, body)}'


def _table(label: str, head: str, body: str) -> str:
    """Return a table in a box that scrolls, which must be reachable with the keyboard."""
    return (
        f'<div class="table" role="region" tabindex="0" aria-labelledby="{label}">\n'
        f"<table>\n<thead><tr>{head}</tr></thead>\n"
        f"<tbody>\n{body}</tbody>\n</table>\n</div>\n"
    )


def _row(row: text.Row) -> str:
    numbers = "".join(
        f'<td class="number">{escape(cell)}</td>'
        for cell in (row.proved, row.measured, row.interval, row.sample)
    )
    label, method = escape(row.label), escape(row.method)
    return f'<tr><th scope="row">{label}</th>{numbers}<td>{method}</td></tr>\n'


def _picture(picture: str, alt: str) -> str:
    data = b64encode(picture.encode()).decode()
    words = escape(alt)
    source = f"data:image/svg+xml;base64,{data}"
    return f'<figure><img src="{source}" alt="{words}"><figcaption>{words}</figcaption></figure>\n'
