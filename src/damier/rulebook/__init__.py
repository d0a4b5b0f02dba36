"""The rulebook: one page a game and language, for beginners, with diagrams that are positions.

A page is the Markdown file `page.LANGUAGE.md` of a game's folder: a `# ` title, an opening, then
the sections of `SECTIONS` in that order, each under its `## ` heading; a small game may leave some
out. A game without a page in a language shows the one that it has, and a game without any page
shows the docstring of its rules. Diagrams are fenced blocks whose info string is `position`; the
first line is a position's text, the others are `key: value`:

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

`caption` is required and is Markdown; the other keys may be left out. `options` are those of the
rules in force, `marked` cells are highlighted, `arrows` are drawn from cell to cell; `legal` and
`illegal` are turns that the text or the caption speaks of, `try` the turns that the reader is asked
to find. Reading a page checks all of it, so that the rulebook cannot say what the rules do not do:
a turn in backticks must be one that a diagram of the same section calls legal or illegal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from damier.errors import DamierError
from damier.games import GAMES
from damier.lang import LANGUAGES
from damier.notation import cells_named
from damier.position import Position, game

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


class RulebookError(ValueError):
    """A page of the rulebook is wrong; the message says where."""


@dataclass(frozen=True)
class Diagram:
    """A position to look at, and perhaps a turn to find."""

    position: Position
    caption: str
    marked: tuple[str, ...] = ()
    arrows: tuple[tuple[str, str], ...] = ()
    legal: tuple[str, ...] = ()
    illegal: tuple[str, ...] = ()
    tries: tuple[str, ...] = ()

    def same_but_words(self, other: Diagram) -> bool:
        """Tell whether another diagram shows the same: the same page in another language."""
        return all(
            getattr(self, name) == getattr(other, name)
            for name in ("position", "marked", "arrows", "legal", "illegal", "tries")
        )


@dataclass(frozen=True)
class Section:
    """A section: Markdown and diagrams in turn."""

    key: str
    title: str
    parts: tuple[str | Diagram, ...]

    @property
    def diagrams(self) -> tuple[Diagram, ...]:
        """The diagrams alone."""
        return tuple(part for part in self.parts if isinstance(part, Diagram))

    @property
    def text(self) -> str:
        """The Markdown alone."""
        return "\n\n".join(part for part in self.parts if isinstance(part, str))


@dataclass(frozen=True)
class Page:
    """One game's rules in one language."""

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
        """All diagrams, in order."""
        return tuple(diagram for section in self.sections for diagram in section.diagrams)


def source(name: str, language: str) -> str:
    """Return a page as it is written, or "" if a game has none."""
    if language not in LANGUAGES:
        raise RulebookError(f"no language {language}")
    game(name)  # refuse what is not a game before it becomes a path
    return GAMES[name].page(language) or ""


@cache
def read(name: str, language: str) -> Page:
    """Return a game's page, everything in it checked, or raise RulebookError.

    Without a page in the language it is in another one, and says so.
    """
    for other in (language, *LANGUAGES):
        text = source(name, other)
        if text:
            return parse(name, other, text)
    folder = GAMES[name]
    said = folder.texts(language)
    return Page(name, language, said["name"], folder.docstring or said["aim"], ())


def parse(name: str, language: str, text: str) -> Page:
    """Return the page that a text writes, everything in it checked."""
    reader = _Reader(name, language, text.splitlines())
    return reader.page()


def _is_a_turn(text: str) -> bool:
    """Tell whether a text is meant as a turn: it begins with a cell, or passes."""
    cells = cells_named(text)
    return text == "--" or (bool(cells) and text.removeprefix("@").startswith(cells[0]))


class _Reader:
    """Reads a page line by line, so that an error can say where it is."""

    def __init__(self, name: str, language: str, lines: list[str]) -> None:
        self.name, self.language, self.lines = name, language, lines
        self.at = 0

    def error(self, message: str) -> RulebookError:
        return RulebookError(f"{self.name}: page.{self.language}.md, line {self.at}: {message}")

    def page(self) -> Page:
        if not self.lines or not self.lines[0].startswith("# "):
            self.at = 1
            raise self.error("a page begins with its title")
        title = self.lines[0][2:]
        self.at = 1
        opening = self.parts()
        if len(opening) != 1 or not isinstance(opening[0], str):
            raise self.error("the opening is text, without a diagram")
        sections = []
        for key, titles in SECTIONS.items():
            if self.at < len(self.lines) and self.lines[self.at] == f"## {titles[self.language]}":
                sections.append(self.section(key))
        if self.at < len(self.lines):
            titled = ", ".join(titles[self.language] for titles in SECTIONS.values())
            raise self.error(
                f"unexpected: {self.lines[self.at]}. The sections are, in this order: {titled}"
            )
        return Page(self.name, self.language, title, opening[0], tuple(sections))

    def section(self, key: str) -> Section:
        title = SECTIONS[key][self.language]
        self.at += 1
        section = Section(key, title, self.parts())
        known = {t for d in section.diagrams for t in (*d.legal, *d.illegal, *d.tries)}
        said = "\n".join([section.text, *(d.caption for d in section.diagrams)])
        for turn in _QUOTED.findall(said):
            if _is_a_turn(turn) and turn not in known:
                raise self.error(f"no diagram of “{title}” says whether `{turn}` is legal")
        return section

    def parts(self) -> tuple[str | Diagram, ...]:
        """Read up to the next section."""
        parts: list[str | Diagram] = []
        text: list[str] = []
        while self.at < len(self.lines) and not self.lines[self.at].startswith("## "):
            line = self.lines[self.at]
            self.at += 1
            if not line.startswith("```"):
                text.append(line)
                continue
            if line != "```position":
                raise self.error("the only fenced blocks are positions")
            parts += ["\n".join(text).strip(), self.diagram()]
            text = []
        parts.append("\n".join(text).strip())
        return tuple(part for part in parts if part)

    def diagram(self) -> Diagram:
        """Read the lines of a fenced block and check what they say."""
        lines: list[str] = []
        while self.at < len(self.lines) and self.lines[self.at] != "```":
            lines.append(self.lines[self.at])
            self.at += 1
        self.at += 1
        if self.at > len(self.lines) or not lines:
            raise self.error("the block has no end, or is empty")
        said: dict[str, str] = {}
        for line in lines[1:]:
            key, colon, value = line.partition(": ")
            if key not in _KEYS or not colon or not value.strip() or key in said:
                raise self.error(f"not a line of a diagram: {line}")
            said[key] = value.strip()
        if "caption" not in said:
            raise self.error("the diagram has no caption")
        lists = {key: tuple(said.get(key, "").split()) for key in _KEYS if key != "caption"}
        try:
            return self.checked(lines[0], said["caption"], lists)
        except DamierError as error:
            raise self.error(str(error)) from error

    def checked(self, text: str, caption: str, lists: dict[str, tuple[str, ...]]) -> Diagram:
        options = dict(part.split("=", 1) for part in lists["options"])
        position = game(self.name, **options).position(text)
        arrows = tuple((a, b) for a, _, b in (part.partition(">") for part in lists["arrows"]))
        for cell in (*lists["marked"], *(cell for arrow in arrows for cell in arrow)):
            position.cell(cell)
        turns = {turn.text for turn in position.turns()}
        for turn in (*lists["legal"], *lists["try"]):
            if turn not in turns:
                raise self.error(f"{turn} is not legal in {position}")
        for turn in lists["illegal"]:
            if turn in turns:
                raise self.error(f"{turn} is legal in {position}")
        return Diagram(
            position, caption, lists["marked"], arrows, lists["legal"], lists["illegal"],
            lists["try"],
        )  # fmt: skip
