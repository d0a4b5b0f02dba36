"""Game records: a text format for games, several to a file.

    [Game "…"]
    [Options "first_mover=last"]
    [White "Ada"]
    [Black "Blaise"]
    [Date "2026-11-16"]
    [Result "*"]
    [Reason ""]

    1. b2 2. d4 3. b3

Headers with other names are preserved. `Position` is written if a game does not begin at the
start. Every move has its own number, because a side may move twice in a row. Records whose numbers
count pairs of moves, "1. b2 d4 2. b3", are read too.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from textwrap import fill

from damier.errors import DamierError
from damier.gameplay import Game
from damier.position import Result, Rules, load_rules, read_options

__all__ = ["AGREED_REASONS", "ParseProblem", "Record", "games_in", "read", "read_each", "write"]

_HEADER = re.compile(r'\[([A-Za-z][A-Za-z0-9_-]*) "((?:[^"\\]|\\["\\])*)"\]')
_NUMBER = re.compile(r"\d+\.+")
_RESULTS = {"w": "1-0", "b": "0-1", None: "1/2-1/2"}
# Reasons for results that the rules do not give.
AGREED_REASONS = ("resigned", "agreed", "time", "abandoned", "length")
_OWN = ("Game", "Options", "White", "Black", "Date", "Position", "Result", "Reason")


@dataclass(frozen=True)
class Record:
    """Game with players and date; `agreed` is a result that the rules do not give."""

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
class ParseProblem:
    """Error in a record, with its line in the text."""

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
    lines = [f'[{name} "{_escape(value)}"]' for name, value in headers.items()]
    for line in lines:
        if not _HEADER.fullmatch(line):
            raise DamierError("record-header", text=line)
    moves = " ".join(f"{n}. {move}" for n, move in enumerate(played.moves_played, 1))
    return "\n".join(
        [*lines, "", fill(moves, 88, break_on_hyphens=False, break_long_words=False), ""]
    )


def _collapse_spaces(value: str) -> str:
    """Return a header value with runs of white space replaced by one space."""
    return " ".join(value.split())


def _escape(value: str) -> str:
    return _collapse_spaces(value).replace("\\", "\\\\").replace('"', '\\"')


def read(
    text: str,
    *,
    default: str | None = None,
    preset: str | None = None,
    options: Mapping[str, str] | None = None,
    position: str | None = None,
    limit: int | None = None,
) -> tuple[list[Record], list[ParseProblem]]:
    """Return the valid records of a text, and the problems of the others.

    `default` is the game of records without a `Game` header; `preset`, `options` and `position`
    override the headers. At most `limit` records are read.
    """
    found = read_each(
        text.splitlines(),
        default=default,
        preset=preset,
        options=options,
        position=position,
        limit=limit,
    )
    records: list[Record] = []
    problems: list[ParseProblem] = []
    for item in found:
        if isinstance(item, Record):
            records.append(item)
        else:
            problems.append(item)
    return records, problems


def read_each(
    lines: Iterable[str],
    *,
    default: str | None = None,
    preset: str | None = None,
    options: Mapping[str, str] | None = None,
    position: str | None = None,
    limit: int | None = None,
) -> Iterator[Record | ParseProblem]:
    """Yield each record of some lines, or its problem, once its lines are read; see `read`."""
    for record_lines in islice(_split_records(lines), limit):
        reader = _Reader(record_lines, default, preset, options or {}, position)
        try:
            yield reader.read()
        except DamierError as error:
            yield ParseProblem(reader.line, str(error))


def games_in(text: str) -> list[str]:
    """Return the names of the games in the headers of some records."""
    headers = (_HEADER.fullmatch(line.strip()) for line in text.splitlines())
    return sorted({match[2] for match in headers if match and match[1] == "Game"})


Lines = list[tuple[int, str]]


def _split_records(all_lines: Iterable[str]) -> Iterator[Lines]:
    """Yield the numbered lines of each record; a header after moves begins a new record."""
    lines: Lines = []
    moves = False
    for number, line in enumerate(all_lines, 1):
        line = (line.removeprefix("\ufeff") if number == 1 else line).strip()
        if not line:
            continue
        header = line.startswith("[")
        if header and (moves or (lines and line.startswith("[Game "))):
            yield lines
            lines, moves = [], False
        lines.append((number, line))
        moves = moves or not header
    if lines:
        yield lines


def _split_number(word: str) -> tuple[str, str]:
    """Return the move number at the beginning of a word, with its points, and the rest."""
    found = _NUMBER.match(word)
    return (found[0], word[found.end() :]) if found else ("", word)


class _MoveNumbers:
    """Check of the numbers in a record, which count either moves or pairs of moves."""

    def __init__(self) -> None:
        self.pairs: bool | None = None  # not known before the second number
        self.last = 0  # the last number
        self.since = 0  # moves since

    def check(self, text: str, expected: int) -> None:
        """Raise DamierError unless a number is the next one; `expected` counts moves."""
        number, points = int(text.rstrip(".")), text.count(".")
        in_pairs = number == self.last + 1 and (self.last == 0 or self.since == 2)
        if points > 1:  # "1... b4": the second move of a pair
            in_pairs = number == self.last and self.since == 1
        by_moves = number == expected and points == 1
        if not (by_moves and self.pairs is not True) and not (in_pairs and self.pairs is not False):
            raise DamierError("record-number", text=text, expected=expected)
        if by_moves != in_pairs:
            self.pairs = in_pairs
        if points == 1:
            self.last, self.since = number, 0

    def count_move(self) -> None:
        """Count a move after the last number."""
        self.since += 1


class _Reader:
    """Parser of one record that tracks its current line for error messages."""

    def __init__(
        self,
        lines: Lines,
        default: str | None,
        preset: str | None,
        options: Mapping[str, str],
        position: str | None,
    ) -> None:
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
        played = self.read_moves(played)
        agreed = self.read_result(headers, played)
        others = {k: _collapse_spaces(v) for k, v in headers.items() if k not in _OWN}
        names = (headers.get(key, "?") for key in ("White", "Black", "Date"))
        white, black, date = map(_collapse_spaces, names)
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
        load_rules(name)
        self.line = self.header_lines.get("Options", self.line)
        options = read_options(headers.get("Options", "").split())
        return load_rules(name, self.preset, **{**options, **self.options})

    def read_moves(self, played: Game) -> Game:
        numbers = _MoveNumbers()
        for number, line in self.lines:
            self.line = number
            if line.startswith("["):
                continue
            for word in line.split():
                number_text, move = _split_number(word)
                if number_text:
                    numbers.check(number_text, played.ply + 1)
                if move:
                    played = played.play(move)
                    numbers.count_move()
        return played

    def read_result(self, headers: dict[str, str], played: Game) -> Result | None:
        """Return the agreed result or None; raise DamierError if headers contradict the rules."""
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
