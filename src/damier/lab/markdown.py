"""Report as Markdown, with its pictures as separate files."""

from __future__ import annotations

from pathlib import Path

from damier import files
from damier.lab import text
from damier.lab.charts import draw
from damier.lab.report import Grid, Report, ReportSection


def write(report: Report, path: Path) -> None:
    """Write a report and its pictures, in a directory beside it."""
    parts = [f"# {text.title(report)}"]
    parts.append("\n".join(f"- {text.sentence(report, said)}" for said in report.summary))
    parts += text.about(report)
    for section in report.sections:
        parts += _section(report, section, path)
    files.write_text(path, "\n\n".join(parts) + "\n")


def _section(report: Report, section: ReportSection, path: Path) -> list[str]:
    """Return the paragraphs of a section, and write its pictures."""
    lines = [_line(text.columns()), "|---|---:|---:|---|---:|---|"]
    for figure in section.figures:
        row = text.row(report, figure)
        cells = (row.label, row.proved, row.measured, row.interval, row.sample, row.method)
        lines.append(_line(cells))
    parts = [f"## {text.section_title(section)}", text.section_note(section)]
    parts += [_grid(report, grid) for grid in section.grids]
    parts.append("\n".join(lines))
    for chart in section.charts:
        drawn = draw(report, chart)
        if drawn is not None:
            picture, alt = drawn
            name = f"{section.name}-{chart.kind}.svg"
            files.write_text(path.parent / path.stem / name, picture)
            parts.append(f"![{_escape(alt)}]({path.stem}/{name})")
    return parts


def _grid(report: Report, grid: Grid) -> str:
    """Return a grid as a table."""
    columns = text.grid_columns(grid)
    lines = [_line(tuple(columns)), "|---" + "|---:" * len(grid.columns) + "|"]
    lines += [_line((label, *cells)) for label, cells in text.grid_rows(report, grid)]
    return f"### {text.grid_title(grid)}\n\n" + "\n".join(lines)


def _line(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(_escape(cell).replace("|", "\\|") for cell in cells) + " |"


def _escape(cell: str) -> str:
    """Return text in which Markdown finds no brackets."""
    return cell.replace("[", "\\[").replace("]", "\\]")
