"""Parser of the case files in `tests/data/rules`: examples of each rule, with drawn boards.

A case is headed `# RULE  a sentence`. It goes on with lines `key: value`, continued on indented
lines, and with boards, whose ranks are drawn from the top, `| w . . b`. `;` begins a comment.

    game: chefa           only where the rule's number does not tell it
    preset: fair          the rules: by default the game's own
    options: line=gaps
    start                 begin at the start; else with a drawn board and `side: w` with its fields
    text: ... w -         a position's text that is refused, each with `error: its-key`;
    error: ko             without a text, the options are refused

What follows is checked, there and after each `play: b2 d4 …`: a board, `side` with its fields, and

    result: w line        or `draw repetition`, or `none` while the game goes on
    legal: a1-a2 a1=a4    some of the legal moves
    illegal: a1-b2 !key   some others, each perhaps with the key of its refusal
    turns: a1-a2 a1=a4    all of them, or `none`; `moves a1: …` all that begin with a1
    count: 24             how many they are; `count a1: …` likewise
    perft: 24 552         the counts for 1, 2 … moves
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

RULES = ("game", "preset", "options", "text", "error")
CHECKS = ("result", "legal", "illegal", "turns", "count", "perft")
REPEATED = ("text", "error", "legal", "illegal")  # the others stand once in a stage
PREFIXED = ("turns", "count")


@dataclass
class Stage:
    """Moves to play (none in the first stage), then the board and the checks."""

    line: int
    played: list[str] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)
    side: str = ""
    checks: list[tuple[str, str, str]] = field(default_factory=list)  # key, prefix, value

    @property
    def empty(self) -> bool:
        return not (self.rows or self.side or self.checks)


@dataclass
class Case:
    """Example of a rule: its number, a sentence and its stages."""

    place: str
    rule: str
    sentence: str
    start: bool = False
    words: dict[str, list[str]] = field(default_factory=dict)  # of RULES
    stages: list[Stage] = field(default_factory=list)


class CaseError(ValueError):
    """Error in a case file, with its line."""


def read_cases(path: Path) -> list[Case]:
    """Return the cases of a file, or raise CaseError."""
    cases: list[Case] = []
    for number, line in _lines(path):
        place = f"{path.name}:{number}"
        if line.startswith("#"):
            rule, _, sentence = line[1:].strip().partition("  ")
            if not sentence:
                raise CaseError(f"{place}: a case begins `# RULE  a sentence`")
            cases.append(Case(place, rule, sentence.strip(), stages=[Stage(number)]))
        elif not cases:
            raise CaseError(f"{place}: this stands before the first case")
        else:
            _read_line(cases[-1], place, number, line)
    for case in cases:
        _check(case)
    return cases


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank or comments, with their continuations."""
    begun, text = 0, ""
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if line.startswith(" ") and line.strip() and text:
            text += " " + line.strip()
            continue
        if text:
            yield begun, text
        begun, text = number, "" if line.startswith(";") else line.rstrip()
    if text:
        yield begun, text


def _read_line(case: Case, place: str, number: int, line: str) -> None:
    stage = case.stages[-1]
    if line.startswith("| "):
        stage.rows.append("".join(line[2:].split(" ")))
        return
    if line == "start":
        case.start = True
        if len(case.stages) > 1 or not stage.empty:
            raise CaseError(f"{place}: `start` comes before all boards, checks and turns")
        return
    label, colon, value = line.partition(":")
    key, _, prefix = label.partition(" ")
    value = value.strip()
    if not colon or not value or key not in (*RULES, *CHECKS, "side", "play"):
        raise CaseError(f"{place}: “{line}” is no line of a case")
    if prefix and key not in PREFIXED:
        raise CaseError(f"{place}: {key} takes no prefix")
    if key in RULES:
        if len(case.stages) > 1 or not stage.empty:
            raise CaseError(f"{place}: {key} comes before all boards, checks and turns")
        if key in case.words and key not in REPEATED:
            raise CaseError(f"{place}: {key} stands twice")
        case.words.setdefault(key, []).append(value)
    elif key == "play":
        case.stages.append(Stage(number, value.split(" ")))
    elif key == "side":
        if stage.side:
            raise CaseError(f"{place}: side stands twice")
        stage.side = value
    else:
        if key not in REPEATED and any((key, prefix) == check[:2] for check in stage.checks):
            raise CaseError(f"{place}: {label} stands twice")
        stage.checks.append((key, prefix, value))


def _check(case: Case) -> None:
    """Raise CaseError if a case has no position or no check."""
    first = case.stages[0]
    if "error" in case.words:
        texts, errors = case.words.get("text", []), case.words["error"]
        if len(errors) != (len(texts) or 1):
            raise CaseError(f"{case.place}: each refused text needs its error")
        if case.start or len(case.stages) > 1 or not first.empty:
            raise CaseError(f"{case.place}: a refused case has no board, checks or turns")
        return
    if "text" in case.words:
        raise CaseError(f"{case.place}: each refused text needs its error")
    if not case.start and not (first.rows and first.side):
        raise CaseError(f"{case.place}: `start` or a board and a side are missing")
    for stage in case.stages[1:]:
        if stage is case.stages[-1] and stage.empty:
            raise CaseError(f"{case.place}: nothing is checked after the last turn")
    if not first.checks and len(case.stages) == 1 and (first.empty or not case.start):
        raise CaseError(f"{case.place}: the case checks nothing")
