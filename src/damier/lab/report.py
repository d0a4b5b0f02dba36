"""Data model of a report: sections of figures and charts, without text, so that it has no language.

A figure's label is the text `lab.figure.NAME`, its method `lab.method.METHOD`, both with the
figure's details.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from damier.errors import DamierError
from damier.lab.intervals import Estimate

FORMAT = 1
Basis = Literal["proved", "measured"]
# How a value is written: a share in per cent, a number of moves or things, a change of a share in
# points or of a number, both with their sign, or a text by its key.
Unit = Literal["share", "number", "count", "points", "change", "text"]
Scalar = str | int | float | None


@dataclass(frozen=True)
class Figure:
    """Value with its basis, its method and, if it is measured, its uncertainty.

    A value of None could not be determined. `sample` is the number of games or positions.
    """

    name: str
    value: Scalar
    unit: Unit
    basis: Basis
    method: str
    interval: tuple[float, float] | None = None
    sample: int | None = None
    details: Mapping[str, Scalar] = field(default_factory=dict)

    @classmethod
    def measured(
        cls, name: str, estimate: Estimate, unit: Unit, method: str, **details: Scalar
    ) -> Figure:
        """Return a figure with an estimate."""
        value = None if estimate.value is None else round(estimate.value, 6)
        interval = estimate.interval
        if interval is not None:
            interval = round(interval[0], 6), round(interval[1], 6)
        return cls(name, value, unit, "measured", method, interval, estimate.sample, details)

    @classmethod
    def proved(cls, name: str, value: Scalar, unit: Unit, method: str, **details: Scalar) -> Figure:
        """Return an exact figure."""
        return cls(name, value, unit, "proved", method, None, None, details)


@dataclass(frozen=True)
class Chart:
    """Chart of a section: its kind decides how it is drawn from the data."""

    kind: Literal["openings", "lengths", "distances", "lead", "skill", "effects"]
    data: Mapping[str, Any]
    details: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True)
class Cell:
    """Cell of a grid: a value, and the interval if it is measured."""

    value: Scalar
    unit: Unit
    interval: tuple[float, float] | None = None

    @classmethod
    def of(cls, figure: Figure | None) -> Cell:
        """Return the cell of a figure; without a figure it is empty."""
        return EMPTY if figure is None else cls(figure.value, figure.unit, figure.interval)


EMPTY = Cell(None, "number")


@dataclass(frozen=True)
class Grid:
    """Table that compares things side by side, the most important first.

    Its title is the text `lab.grid.NAME`, the head of a column `lab.grid.NAME.COLUMN`. The details
    of a row say what it is about, with the text `lab.grid.NAME.row`.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Mapping[str, Scalar], tuple[Cell, ...]], ...]


@dataclass(frozen=True)
class ReportSection:
    """Section of a report."""

    name: str
    figures: tuple[Figure, ...]
    charts: tuple[Chart, ...] = ()
    grids: tuple[Grid, ...] = ()


@dataclass(frozen=True)
class Sentence:
    """Sentence of the summary: the text `lab.summary.KEY` with details, which are figures' values.

    `unit` is that of the details `value`, `low` and `high`.
    """

    key: str
    details: Mapping[str, Scalar] = field(default_factory=dict)
    unit: Unit = "share"


@dataclass(frozen=True)
class Report:
    """Report on a game with its options."""

    game: str
    options: Mapping[str, str]
    version: str
    settings: Mapping[str, Any]
    solving: str  # how exact values were obtained, or why there are none
    summary: tuple[Sentence, ...]
    sections: tuple[ReportSection, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the report as JSON data."""
        return {"format": FORMAT, **asdict(self)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Report:
        """Return the report that JSON data describe; raise DamierError if they are malformed."""
        try:
            if data["format"] != FORMAT:
                raise KeyError("format")
            sections = tuple(_read_section(section) for section in data["sections"])
            summary = tuple(Sentence(**sentence) for sentence in data["summary"])
            more = {k: data[k] for k in ("game", "options", "version", "settings", "solving")}
            return cls(**more, summary=summary, sections=sections)
        except (KeyError, TypeError, ValueError) as error:
            raise DamierError("lab-report") from error

    def find(self, name: str, **details: Scalar) -> Figure | None:
        """Return the first figure with a name and, among others, these details."""
        for section in self.sections:
            for figure in section.figures:
                if figure.name == name and details.items() <= figure.details.items():
                    return figure
        return None


def _read_interval(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a figure or a cell with the interval as a tuple."""
    interval = data["interval"]
    return {**data, "interval": None if interval is None else (interval[0], interval[1])}


def _read_section(data: Mapping[str, Any]) -> ReportSection:
    """Return the section that JSON data describe."""
    grids = (
        Grid(
            grid["name"],
            tuple(grid["columns"]),
            tuple(
                (about, tuple(Cell(**_read_interval(cell)) for cell in cells))
                for about, cells in grid["rows"]
            ),
        )
        for grid in data["grids"]
    )
    return ReportSection(
        data["name"],
        tuple(Figure(**_read_interval(figure)) for figure in data["figures"]),
        tuple(Chart(**chart) for chart in data["charts"]),
        tuple(grids),
    )
