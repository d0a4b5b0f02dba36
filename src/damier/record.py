"""Game records: games as text that people and programs read and write, several to a file.

    [Game "…"]
    [Options "first_mover=last"]
    [White "Ada"]
    [Black "Blaise"]
    [Date "2026-11-16"]
    [Result "*"]
    [Reason ""]

    1. b2 2. d4 3. b3

Headers of other names are kept as they are. `Position` is written where a game does not begin at
the start. Turns are numbered one by one, because a side may act twice in a row.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from textwrap import fill

from damier.errors import DamierError
from damier.history import Game
from damier.position import Result, Rules, game, read_options

_HEADER = re.compile(r'\[([A-Za-z][A-Za-z0-9_-]*) "((?:[^"\\]|\\["\\])*)"\]')
_RESULTS = {"w": "1-0", "b": "0-1", None: "1/2-1/2"}
# A game may end although its rules let it go on.
AGREED_REASONS = ("resigned", "agreed", "time", "abandoned", "length")
_OWN = ("Game", "Options", "White", "Black", "Date", "Position", "Result", "Reason")


@dataclass(frozen=True)
class Record:
    """A game with its players and its date; `result` is the rules', or what was agreed."""

    game: Game
    white: str = "?"
    black: str = "?"
    date: str = "?"
    agreed: Result | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def result(self) -> Result | None:
        """How the game ended, or None."""
        return self.game.result() or self.agreed

    def __str__(self) -> str:
        return write([self])


@dataclass(frozen=True)
class Problem:
    """What is wrong with a record, and on which line of the text."""

    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.line}: {self.message}"


def write(records: Iterable[Record]) -> str:
    """Return the records as text."""
    return "\n".join(_write(record) for record in records)


def _write(record: Record) -> str:
    played, result = record.game, record.result
    headers = {
        "Game": played.rules.name,
        "Options": " ".join(f"{k}={v}" for k, v in played.rules.changed.items()),
        "White": record.white,
        "Black": record.black,
        "Date": record.date,
        "Result": _RESULTS[result.winner] if result else "*",
        "Reason": result.reason if result else "",
    }
    if played.start != played.rules.start():
        headers["Position"] = str(played.start)
    headers.update((k, v) for k, v in record.headers.items() if k not in _OWN)
    lines = [f'[{name} "{_escaped(value)}"]' for name, value in headers.items()]
    for line in lines:
        if not _HEADER.fullmatch(line):
            raise DamierError("record-header", text=line)
    turns = " ".join(f"{n}. {turn}" for n, turn in enumerate(played.turns_played, 1))
    return "\n".join(
        [*lines, "", fill(turns, 88, break_on_hyphens=False, break_long_words=False), ""]
    )


def _escaped(value: str) -> str:
    value = " ".join(value.split())
    return value.replace("\\", "\\\\").replace('"', '\\"')


def read(
    text: str,
    *,
    default: str | None = None,
    preset: str | None = None,
    options: Mapping[str, str] | None = None,
    position: str | None = None,
    most: int | None = None,
) -> tuple[list[Record], list[Problem]]:
    """Return the good records of a text, and what is wrong with the others.

    `default` names the game of records that do not say; `preset`, `options` and `position` go
    before what a record says. With `most` only so many records are looked at.
    """
    records, problems = [], []
    for lines in islice(_divided(text), most):
        reader = _Reader(lines, default, preset, options or {}, position)
        try:
            records.append(reader.read())
        except DamierError as error:
            problems.append(Problem(reader.line, str(error)))
    return records, problems


Lines = list[tuple[int, str]]


def _divided(text: str) -> Iterator[Lines]:
    """Yield the lines of each record with their numbers: headers after turns begin a new one."""
    lines: Lines = []
    turns = False
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        line = line.strip()
        if not line:
            continue
        header = line.startswith("[")
        if header and (turns or (lines and line.startswith("[Game "))):
            yield lines
            lines, turns = [], False
        lines.append((number, line))
        turns = turns or not header
    if lines:
        yield lines


def _numbered(word: str) -> tuple[str, str]:
    """Return the number of a turn that a word begins with, its point included, and the rest."""
    digits = len(word) - len(word.lstrip("0123456789"))
    if word[digits : digits + 1] != ".":
        return "", word
    return word[: digits + 1], word[digits + 1 :]


class _Reader:
    """Reads one record and knows which line it is at."""

    def __init__(
        self, lines: Lines, default: str | None, preset: str | None,
        options: Mapping[str, str], position: str | None,
    ) -> None:  # fmt: skip
        self.lines, self.default, self.preset = lines, default, preset
        self.options, self.position = options, position
        self.line = lines[0][0]
        self.header_lines: dict[str, int] = {}

    def read(self) -> Record:
        headers = self.read_headers()
        rules = self.read_rules(headers)
        self.line = self.header_lines.get("Position", self.line)
        start = self.position if self.position is not None else headers.get("Position")
        played = Game(rules.start() if start is None else rules.position(start))
        played = self.read_turns(played)
        agreed = self.read_result(headers, played)
        others = {k: v for k, v in headers.items() if k not in _OWN}
        white, black, date = (headers.get(key, "?") for key in ("White", "Black", "Date"))
        return Record(played, white, black, date, agreed, others)

    def read_headers(self) -> dict[str, str]:
        headers: dict[str, str] = {}
        for number, line in self.lines:
            self.line = number
            if not line.startswith("["):
                break
            match = _HEADER.fullmatch(line)
            if not match:
                raise DamierError("record-header", text=line)
            name, value = match[1], re.sub(r"\\(.)", r"\1", match[2])
            if name in headers:
                raise DamierError("record-twice", name=name)
            headers[name] = value
            self.header_lines[name] = self.line
        self.line = self.lines[0][0]
        return headers

    def read_rules(self, headers: dict[str, str]) -> Rules:
        name = headers.get("Game", self.default)
        if name is None:
            raise DamierError("record-game")
        self.line = self.header_lines.get("Game", self.line)
        game(name)
        self.line = self.header_lines.get("Options", self.line)
        options = read_options(headers.get("Options", "").split())
        return game(name, self.preset, **{**options, **self.options})

    def read_turns(self, played: Game) -> Game:
        for number, line in self.lines:
            self.line = number
            if line.startswith("["):
                continue
            for word in line.split():
                said, turn = _numbered(word)
                if said and said != f"{played.ply + 1}.":
                    raise DamierError("record-number", text=said, expected=played.ply + 1)
                if turn:
                    played = played.play(turn)
        return played

    def read_result(self, headers: dict[str, str], played: Game) -> Result | None:
        """Return what was agreed, if the rules let the game go on; check what is said."""
        said, reason = headers.get("Result", "*"), headers.get("Reason", "")
        self.line = self.header_lines.get("Result", self.header_lines.get("Reason", self.line))
        winners = {text: winner for winner, text in _RESULTS.items()}
        if said != "*" and said not in winners:
            raise DamierError("record-result", text=said)
        result = played.result()
        if result is None:
            if said == "*" and not reason:
                return None
            if said == "*" or reason not in AGREED_REASONS:
                raise DamierError("record-not-over", text=f"{said} {reason}".strip())
            return Result(winners[said], reason)
        if "Result" in headers and said != "*" and winners[said] != result.winner:
            raise DamierError("record-differs", said=said, found=_RESULTS[result.winner])
        if reason and reason != result.reason:
            raise DamierError("record-differs", said=reason, found=result.reason)
        return None
