"""Pictures of docs/levels.md and docs/puzzles.md, in English and French.

    python tools/document_pictures.py

The figures are those printed in the documents: the table of the ladder, and the lines "first level
that solves". Run it again after one of them has changed; a test compares the pictures.
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from damier import Game, files, i18n
from damier.drawing import film
from damier.drawing.plot import INK, PLATE
from damier.learning.puzzles import find_puzzle

DOCS = Path(__file__).parent.parent / "docs"
PICTURES = DOCS / "pictures"
LANGUAGES = ("en", "fr")
PUZZLE = ("seega", "d11e2fe7")  # easy to follow: one opponent pawn, three moves
LADDER = {
    "en": "Points of each level against the one below, in % (level 1: against random moves)",
    "fr": "Points de chaque niveau contre le précédent, en % (niveau 1 : contre le hasard)",
}
DIFFICULTY = {
    "en": "Puzzles by the first level that solves them (8: none of levels 1 to 7)",
    "fr": "Problèmes selon le premier niveau qui les résout (8 : aucun des niveaux 1 à 7)",
}
LEVEL = {"en": "level", "fr": "niveau"}
BAR = "#8fbcd8"  # light, so that the line of an interval is visible on it
# Lengths in SVG user units.
COLUMNS, WIDTH, HEIGHT, GAP = 3, 230, 150, 20  # panels in a row; a panel's bars; space around it
HEADING, CAPTION = 26, 24  # height of a panel's title, and of its labels


@dataclass(frozen=True)
class Bar:
    """Bar of a level: a number and, where it was measured with an error, its interval."""

    level: int
    value: int
    interval: tuple[int, int] | None = None


def ladder(document: str) -> dict[str, list[Bar]]:
    """Return the bars of each game in the ladder's table."""
    row = re.compile(r"\| (.+?) \| level:(\d) – .* \| (\d+)% \| (\d+)% – (\d+)% \|")
    found: dict[str, list[Bar]] = {}
    for name, *numbers in row.findall(document):
        level, value, low, high = map(int, numbers)
        found.setdefault(name.replace("`", ""), []).append(Bar(level, value, (low, high)))
    return found


def difficulty(document: str) -> dict[str, list[Bar]]:
    """Return the bars of each game in the printed audit of the puzzles."""
    block = re.compile(
        r"^(\w+): \d+ puzzles, [\d,]+ bytes\n(?:  .*\n)*?  first level.*: (.*)$", re.M
    )
    found = {}
    for name, counts in block.findall(document):
        pairs = sorted(tuple(map(int, pair.split())) for pair in counts.split(", "))
        found[name.title()] = [Bar(level, count) for level, count in pairs]
    return found


def chart(panels: dict[str, list[Bar]], title: str, axis: str, top: int, line: int | None) -> str:
    """Return the SVG text of one panel of bars per game; `line` is drawn as a reference."""
    across, down = WIDTH + 2 * GAP, HEADING + HEIGHT + CAPTION + GAP
    width, height = COLUMNS * across, HEADING + -(-len(panels) // COLUMNS) * down
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" font-family="system-ui, sans-serif" '
        f'font-size="12" text-anchor="middle" fill="{INK}">',
        f"<title>{escape(title)}</title>",
        f"<desc>{escape(describe(panels, axis))}</desc>",
        f'<rect width="{width}" height="{height}" fill="{PLATE}"/>',
        f'<text x="{width / 2:.0f}" y="20" font-size="15">{escape(title)}</text>',
    ]
    for number, (name, bars) in enumerate(panels.items()):
        row, column = divmod(number, COLUMNS)
        at = f"translate({column * across + GAP} {HEADING + row * down})"
        parts += [f'<g transform="{at}">', *panel(name, bars, axis, top, line), "</g>"]
    return "\n".join((*parts, "</svg>")) + "\n"


def panel(name: str, bars: list[Bar], axis: str, top: int, line: int | None) -> list[str]:
    """Return the elements of one game's panel."""
    bottom, step = HEADING + HEIGHT, WIDTH / 8

    def y(value: int) -> float:
        return round(bottom - (HEIGHT - 16) * value / top, 1)  # 16: the number above the bar

    parts = [f'<text x="{WIDTH / 2:.0f}" y="18" font-weight="bold">{escape(name)}</text>']
    for bar in bars:
        x = (bar.level - 0.5) * step
        parts.append(
            f'<rect x="{x - 0.36 * step:.1f}" y="{y(bar.value)}" width="{0.72 * step:.1f}" '
            f'height="{bottom - y(bar.value):.1f}" fill="{BAR}"/>'
        )
        highest = bar.value
        if bar.interval is not None:
            low, highest = bar.interval
            parts.append(f'<path d="M{x:.1f} {y(low)}V{y(highest)}" stroke="{INK}"/>')
        parts += [
            f'<text x="{x:.1f}" y="{y(highest) - 3:.1f}" font-size="11">{bar.value}</text>',
            f'<text x="{x:.1f}" y="{bottom + 14}">{bar.level}</text>',
        ]
    if line is not None:
        parts += [
            f'<path d="M0 {y(line)}H{WIDTH}" stroke="{INK}" stroke-dasharray="4 3"/>',
            f'<text x="-2" y="{y(line) + 4}" text-anchor="end" font-size="10">{line}</text>',
        ]
    parts.append(f'<path d="M0 {bottom}H{WIDTH}" stroke="{INK}"/>')
    parts.append(f'<text x="{WIDTH}" y="{bottom + 27}" text-anchor="end">{axis}</text>')
    return parts


def describe(panels: dict[str, list[Bar]], axis: str) -> str:
    """Return the figures of a chart as text, for screen readers."""
    return " ".join(
        f"{name}: " + ", ".join(f"{axis} {bar.level} {bar.value}" for bar in bars) + "."
        for name, bars in panels.items()
    )


def solution() -> str:
    """Return the SVG text of a puzzle and its solution, in the current language."""
    puzzle = find_puzzle(*PUZZLE)
    moves = Game(puzzle.start).play(*puzzle.line).moves_played
    return film(puzzle.start, moves, puzzle.task)


def pictures() -> dict[str, str]:
    """Return all pictures by file name."""
    levels = ladder((DOCS / "levels.md").read_text("utf-8"))
    puzzles = difficulty((DOCS / "puzzles.md").read_text("utf-8"))
    highest = max(bar.value for bars in puzzles.values() for bar in bars)
    drawn = {}
    for language in LANGUAGES:
        with i18n.use_language(language):
            drawn[f"puzzle.{language}.svg"] = solution()
        drawn[f"ladder.{language}.svg"] = chart(
            levels, LADDER[language], LEVEL[language], 100, line=50
        )
        drawn[f"difficulty.{language}.svg"] = chart(
            puzzles, DIFFICULTY[language], LEVEL[language], highest, line=None
        )
    return drawn


def main() -> int:
    """Write the pictures."""
    for name, text in pictures().items():
        files.write_text(PICTURES / name, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
