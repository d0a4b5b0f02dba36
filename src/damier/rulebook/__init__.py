"""Rulebook for beginners: one page per game and language, with diagrams of positions.

A page is the Markdown file `page.LANGUAGE.md` in a game's folder: a `# ` title, an introduction,
then the sections of `SECTIONS` in that order, each under its `## ` heading. Sections may be left
out. If a game has no page in a language, its page in another language is shown; if it has no page
at all, the docstring of its rules. A diagram is a fenced block with the info string `position`. Its
first line is a position's text, the other lines are `key: value`:

    ```position
    w...w/.b.b./...../.b.b./w...w w
    caption: White steps up to b2 and throws it to e3.
    options: teleport=one
    marked: a1 a2
    arrows: a1>a2 b2>e3
    legal: a1-a2,b2>e3 a1-a2,b2>c4
    illegal: a1-b2
    try: a1-a2,b2>e3
    ```

`caption` is required and is Markdown; the other keys are optional. `options` are the options of the
rules, `marked` cells are highlighted, `arrows` are drawn from cell to cell. `legal` and `illegal`
are moves that the text or the caption mentions, `try` the moves that the reader has to find.
Parsing a page checks it against the rules of the game: legal moves must be legal and illegal ones
illegal, and each move in backticks must be listed by a diagram of the same section.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from damier.errors import DamierError
from damier.games import GAMES
from damier.i18n import LANGUAGES, Translated
from damier.notation import cells_named
from damier.position import Position, load_rules

# Key of each section, and its heading in each language.
SECTIONS = {
    "aim": {"en": "The aim", "fr": "Le but du jeu"},
    "board": {"en": "The board and the pawns", "fr": "Le plateau et les pions"},
    "turn": {"en": "Your turn", "fr": "À vous de jouer"},
    "end": {"en": "How the game ends", "fr": "La fin de la partie"},
    "options": {"en": "Other ways to play", "fr": "D’autres façons de jouer"},
    "notation": {"en": "Writing it down", "fr": "Noter la partie"},
    "tips": {"en": "Tips for your first games", "fr": "Conseils pour débuter"},
    "origin": {"en": "Where the game comes from", "fr": "D’où vient le jeu"},
    "numbers": {"en": "The rules by number", "fr": "Les règles par numéro"},
}
_KEYS = ("caption", "options", "marked", "arrows", "legal", "illegal", "try")
_QUOTED = re.compile(r"`([^`\s]+)`")


class RulebookError(DamierError):
    """Invalid page of the rulebook; the message gives the file and the line."""

    def __init__(self, where: str, problem: object) -> None:
        super().__init__("page", where=where, problem=problem)


@dataclass(frozen=True)
class Diagram:
    """Position with a caption, and moves for the reader to find, if any."""

    position: Position
    caption: str
    marked: tuple[str, ...] = ()
    arrows: tuple[tuple[str, str], ...] = ()
    legal: tuple[str, ...] = ()
    illegal: tuple[str, ...] = ()
    tries: tuple[str, ...] = ()

    def equals_except_caption(self, other: Diagram) -> bool:
        """Tell whether another diagram differs at most in its caption, as in a translated page."""
        return all(
            getattr(self, name) == getattr(other, name)
            for name in ("position", "marked", "arrows", "legal", "illegal", "tries")
        )


@dataclass(frozen=True)
class Section:
    """Section of a page: Markdown texts and diagrams in reading order."""

    key: str
    title: str
    parts: tuple[str | Diagram, ...]

    @property
    def diagrams(self) -> tuple[Diagram, ...]:
        """Diagrams of the section, in order."""
        return tuple(part for part in self.parts if isinstance(part, Diagram))

    @property
    def text(self) -> str:
        """Markdown of the section, without the diagrams."""
        return "\n\n".join(part for part in self.parts if isinstance(part, str))


@dataclass(frozen=True)
class Page:
    """Rules of one game in one language."""

    game: str
    language: str
    title: str
    opening: str
    sections: tuple[Section, ...]

    def section(self, key: str) -> Section:
        """Return the section with a key of `SECTIONS`."""
        return next(section for section in self.sections if section.key == key)

    @property
    def diagrams(self) -> tuple[Diagram, ...]:
        """Diagrams of all sections, in order."""
        return tuple(diagram for section in self.sections for diagram in section.diagrams)


def source(name: str, language: str) -> str:
    """Return the Markdown source of a page, or "" if the game has none in this language."""
    if language not in LANGUAGES:
        raise DamierError("no-language", name=language)
    load_rules(name)  # raises an error for an unknown game before the name is used in a path
    return GAMES[name].page(language) or ""


@cache
def read(name: str, language: str) -> Page:
    """Return the checked page of a game; raise RulebookError if it is invalid.

    If there is no page in this language, return one in another language: see `Page.language`.
    """
    for other in (language, *LANGUAGES):
        text = source(name, other)
        if text:
            return parse(name, other, text)
    folder = GAMES[name]
    texts = folder.texts(language)
    return Page(name, language, texts["name"], folder.docstring or texts["aim"], ())


def parse(name: str, language: str, text: str) -> Page:
    """Parse and check the Markdown source of a page; raise RulebookError if it is invalid."""
    reader = _Reader(name, language, text.splitlines())
    return reader.page()


def _is_a_move(text: str) -> bool:
    """Tell whether a text looks like a move: it begins with a cell, or is a pass."""
    cells = cells_named(text)
    return text == "--" or (bool(cells) and text.removeprefix("@").startswith(cells[0]))


class _Reader:
    """Line-by-line parser of a page; `at` is the number of the last line read, for errors."""

    def __init__(self, name: str, language: str, lines: list[str]) -> None:
        self.name, self.language, self.lines = name, language, lines
        self.at = 0

    def error(self, key: str, **details: object) -> RulebookError:
        """Return an error with the file and the current line."""
        path = GAMES[self.name].directory / f"page.{self.language}.md"
        where = f"{path.parent.name}/{path.name}:{self.at}"
        return RulebookError(where, Translated(f"page-problem.{key}", **details))

    def page(self) -> Page:
        """Parse the whole page."""
        if not self.lines or not self.lines[0].startswith("# "):
            self.at = 1
            raise self.error("title")
        title = self.lines[0][2:]
        self.at = 1
        opening = self.parts()
        if len(opening) != 1 or not isinstance(opening[0], str):
            raise self.error("opening")
        sections = []
        for key, titles in SECTIONS.items():
            if self.at < len(self.lines) and self.lines[self.at] == f"## {titles[self.language]}":
                sections.append(self.section(key))
        if self.at < len(self.lines):
            headings = ", ".join(titles[self.language] for titles in SECTIONS.values())
            raise self.error("section", line=self.lines[self.at], headings=headings)
        return Page(self.name, self.language, title, opening[0], tuple(sections))

    def section(self, key: str) -> Section:
        """Parse a section and check that its diagrams list the moves in its texts."""
        title = SECTIONS[key][self.language]
        self.at += 1
        section = Section(key, title, self.parts())
        known = {t for d in section.diagrams for t in (*d.legal, *d.illegal, *d.tries)}
        prose = "\n".join([section.text, *(d.caption for d in section.diagrams)])
        for move in _QUOTED.findall(prose):
            if _is_a_move(move) and move not in known:
                raise self.error("unsaid", title=title, move=move)
        return section

    def parts(self) -> tuple[str | Diagram, ...]:
        """Parse texts and diagrams up to the next section heading."""
        parts: list[str | Diagram] = []
        text: list[str] = []
        while self.at < len(self.lines) and not self.lines[self.at].startswith("## "):
            line = self.lines[self.at]
            self.at += 1
            if not line.startswith("```"):
                text.append(line)
                continue
            if line != "```position":
                raise self.error("fence")
            parts += ["\n".join(text).strip(), self.diagram()]
            text = []
        parts.append("\n".join(text).strip())
        return tuple(part for part in parts if part)

    def diagram(self) -> Diagram:
        """Parse the rest of a fenced block and return the checked diagram."""
        lines: list[str] = []
        while self.at < len(self.lines) and self.lines[self.at] != "```":
            lines.append(self.lines[self.at])
            self.at += 1
        self.at += 1
        if self.at > len(self.lines) or not lines:
            raise self.error("block")
        fields: dict[str, str] = {}
        for line in lines[1:]:
            key, colon, value = line.partition(": ")
            if key not in _KEYS or not colon or not value.strip() or key in fields:
                raise self.error("field", line=line)
            fields[key] = value.strip()
        if "caption" not in fields:
            raise self.error("caption")
        lists = {key: tuple(fields.get(key, "").split()) for key in _KEYS if key != "caption"}
        try:
            return self.read_diagram(lines[0], fields["caption"], lists)
        except RulebookError:
            raise
        except DamierError as error:
            raise self.error("diagram", problem=error) from error

    def read_diagram(self, text: str, caption: str, lists: dict[str, tuple[str, ...]]) -> Diagram:
        """Return a diagram whose cells and moves agree with the rules; else raise an error."""
        options = dict(part.split("=", 1) for part in lists["options"])
        position = load_rules(self.name, **options).position(text)
        arrows = tuple((a, b) for a, _, b in (part.partition(">") for part in lists["arrows"]))
        for cell in (*lists["marked"], *(cell for arrow in arrows for cell in arrow)):
            position.cell(cell)
        moves = {move.text for move in position.legal_moves()}
        for move in (*lists["legal"], *lists["try"]):
            if move not in moves:
                raise self.error("not-legal", move=move, position=position)
        for move in lists["illegal"]:
            if move in moves:
                raise self.error("legal", move=move, position=position)
        return Diagram(
            position,
            caption,
            lists["marked"],
            arrows,
            lists["legal"],
            lists["illegal"],
            lists["try"],
        )
