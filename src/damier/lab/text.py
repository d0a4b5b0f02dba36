"""Texts of a report in the language in use: labels, values, intervals, methods, sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from damier.i18n import has_text, language, translate, translate_for_game
from damier.lab.report import Cell, Figure, Grid, Report, ReportSection, Scalar, Sentence, Unit

NONE = "–"


@dataclass(frozen=True)
class Row:
    """Row of a section's table, as text. A figure is proved or measured, so one cell is empty."""

    label: str
    proved: str
    measured: str
    interval: str
    sample: str
    method: str


def columns() -> tuple[str, ...]:
    """Return the heads of a section's table."""
    names = ("figure", "proved", "measured", "interval", "sample", "method")
    return tuple(translate(f"lab.column.{name}") for name in names)


def title(report: Report) -> str:
    """Return the title of a report."""
    return translate("lab.title", game=translate_for_game(report.game, "name"))


def about(report: Report) -> list[str]:
    """Return the paragraphs on the rules, the budget and how the figures were obtained."""
    options = ", ".join(f"{name}={value}" for name, value in report.options.items())
    seconds = f"{report.settings['seconds']:g}"
    return [
        translate("lab.rules", options=options) if options else translate("lab.rules.none"),
        translate(f"lab.solving.{report.solving}"),
        translate("lab.how", seed=report.settings["seed"], seconds=seconds, version=report.version),
        translate("lab.reading"),
    ]


def section_title(section: ReportSection) -> str:
    """Return the title of a section."""
    return translate(f"lab.section.{section.name}")


def section_note(section: ReportSection) -> str:
    """Return the paragraph that explains a section's terms."""
    return translate(f"lab.section.{section.name}.note")


def row(report: Report, figure: Figure) -> Row:
    """Return a figure as a row of the table."""
    text = value(figure.value, figure.unit)
    proved = figure.basis == "proved"
    interval = NONE
    if figure.interval is not None:
        interval = " – ".join(value(bound, figure.unit) for bound in figure.interval)
    elif proved:
        interval = translate("lab.exact")
    elif figure.value is not None:
        why = figure.method if figure.method in ("sequential", "searched") else "few"
        interval = translate(f"lab.interval.{why}")
    return Row(
        translate(f"lab.figure.{figure.name}", **details(report, figure.details)),
        text if proved else NONE,
        NONE if proved else text,
        interval,
        NONE if figure.sample is None else value(figure.sample, "count"),
        translate(f"lab.method.{figure.method}"),
    )


def details(report: Report, given: Mapping[str, Scalar]) -> dict[str, str]:
    """Return details as texts: strengths of players, reasons of endings, kinds of steps."""
    found = {}
    for name, detail in given.items():
        if name == "strength":
            found[name] = strength(str(detail))
        elif name == "reason":
            found[name] = translate_for_game(report.game, f"reason.{detail}").rstrip(".")
        elif name == "kind":
            key = f"lab.kind.{detail}"
            found[name] = translate(key) if has_text("", key) else str(detail)
        elif name == "change":
            found[name] = change(report, str(detail))
        elif name == "form":
            found[name] = form(str(detail))
        elif name == "restricted":
            found[name] = translate(f"lab.player.{detail}")
        elif name == "verdict":
            found[name] = translate(f"lab.match.{detail}")
        elif isinstance(detail, str):
            found[name] = detail
        else:
            found[name] = value(detail, "number")
    return found


def form(name: str) -> str:
    """Return the text of a form of moves: a kind of step, captures, or pawns that are sent."""
    what, _, argument = name.partition(":")
    if what != "kind":
        return translate(f"lab.form.{what}.{argument}")
    key = f"lab.kind.{argument}"
    return translate(key) if has_text("", key) else argument


def change(report: Report, text: str) -> str:
    """Return the text of changed options, given as in the command."""
    parts = []
    for part in text.split(","):
        option, _, chosen = part.partition("=")
        key = f"option.{option}.{chosen}"
        # A limit has numbers, for which there are no texts.
        named = chosen if chosen.isdigit() and not has_text(report.game, key) else ""
        parts.append(
            translate(
                "lab.change",
                option=translate_for_game(report.game, f"option.{option}"),
                value=named or translate_for_game(report.game, key),
            )
        )
    return " + ".join(parts)


def cell(found: Cell) -> str:
    """Return the text of a cell of a grid: the value, and the interval in brackets."""
    text = value(found.value, found.unit)
    if found.value is None or found.interval is None:
        return text
    low, high = (value(bound, found.unit) for bound in found.interval)
    return translate("lab.cell", value=text, low=low, high=high)


def grid_title(grid: Grid) -> str:
    """Return the title of a grid."""
    return translate(f"lab.grid.{grid.name}")


def grid_columns(grid: Grid) -> list[str]:
    """Return the heads of a grid, beginning with that of the rows."""
    names = ("row", *grid.columns)
    return [translate(f"lab.grid.{grid.name}.{name}") for name in names]


def grid_rows(report: Report, grid: Grid) -> list[tuple[str, list[str]]]:
    """Return the label and the cells of each row of a grid."""
    label = f"lab.grid.{grid.name}.label"
    return [
        (translate(label, **details(report, about)), [cell(found) for found in cells])
        for about, cells in grid.rows
    ]


def strength(name: str) -> str:
    """Return the text of a player's strength."""
    kind, _, argument = name.partition(":")
    return translate(f"lab.strength.{kind}", argument=argument)


def value(scalar: Scalar, unit: Unit) -> str:
    """Return a value with the separators of the language in use."""
    if scalar is None:
        return NONE
    if isinstance(scalar, str):
        return translate(scalar) if unit == "text" else scalar
    if unit == "share":
        return translate("lab.percent", value=_decimal(f"{100 * scalar:.1f}"))
    if unit == "points":
        return _signed(f"{100 * scalar:+.1f}")
    if unit == "change":
        return _signed(f"{scalar:+,.1f}")
    if isinstance(scalar, int) or scalar == int(scalar):
        text = f"{int(scalar):,}"
        return text.replace(",", "\u202f") if language() == "fr" else text
    return _decimal(f"{scalar:.3g}" if abs(scalar) < 1 else f"{scalar:,.1f}")


def _signed(text: str) -> str:
    """Return a number with its sign; zero has none."""
    number = "0" if not text.strip("+-0.") else text.replace("-", "−")
    return _decimal(number)


def _decimal(text: str) -> str:
    if language() != "fr":
        return text
    return text.replace(",", "\u202f").replace(".", ",")


def sentence(report: Report, said: Sentence) -> str:
    """Return a sentence of the summary."""
    found: dict[str, object] = dict(
        details(
            report,
            {k: v for k, v in said.details.items() if k not in ("value", "low", "high", "count")},
        )
    )
    for name in ("value", "low", "high"):
        if name in said.details:
            found[name] = value(said.details[name], said.unit)
    if "count" in said.details:
        found["count"] = said.details["count"]
    return translate(f"lab.summary.{said.key}", **found)
