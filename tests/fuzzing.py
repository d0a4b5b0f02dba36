"""What must hold whatever comes: one check for each door, for fuzzing and for what it once found.

`tried("position", game=…, text=…)` checks one input. While fuzzing (`make fuzz`), an input that
fails is kept in tests/data/fuzz/found.json, the smallest last; whoever mends it moves it to the
cases beside it, which the tests replay.
"""

import json
import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import settings

import damier
from crafted import check_table, crafted
from damier import GAMES, DamierError, record
from damier.cli.rules import answer_line
from damier.search.protocol import Server

CASES = Path(__file__).parent / "data" / "fuzz"
FOUND = CASES / "found.json"
FUZZING = bool(os.environ.get("DAMIER_FUZZ"))

# An error that Python has raised, not damier.
_FAULT = re.compile(r"error [A-Z]\w+(Error|Exception|Warning|Exit|Iteration|Interrupt)\b")


def examples(number: int) -> settings:
    """Return the settings of a test with so many examples; while fuzzing each round has fewer."""
    return settings(max_examples=min(number, 120) if FUZZING else number, deadline=None)


def position(game: str, text: str) -> None:
    """A text is refused, or is exactly how the position is written."""
    try:
        read = damier.game(game).position(text)
    except DamierError as error:
        assert str(error)
        return
    assert str(read) == text
    assert (read.result() is None) == bool(read.turns())


def turn(game: str, before: str, text: str) -> None:
    """A text is refused, or is exactly how a legal turn is written."""
    found = damier.game(game).position(before)
    try:
        read = found.turn(text)
    except DamierError as error:
        assert str(error)
        assert text not in {turn.text for turn in found.turns()}
        return
    assert read.text == text
    assert read in found.turns()


def records(text: str) -> None:
    """What is read of records is written so that the same is read again."""
    found, problems = record.read(text)
    assert all(problem.line >= 1 and problem.message for problem in problems)
    assert record.read(record.write(found)) == (found, [])


def option(game: str, name: str, value: Any) -> None:
    """A value is refused, or is the one in force."""
    known = {option.name for option in GAMES[game].rules.OPTIONS}
    for key in (name, *known):
        try:
            rules = damier.game(game, **{key: value})
        except DamierError as error:
            assert str(error)
        else:
            assert rules.options[key] == str(value)


def question(line: str) -> None:
    """A line of `damier rules` gets an answer, or an error, that is JSON."""
    answer = answer_line(line, [])
    assert json.loads(json.dumps(answer)) == answer
    assert set(answer) in ({"error"}, {"position", "turns", "children", "result"})


def protocol(lines: list[str]) -> None:
    """A conversation with `damier engine` goes on, whatever is said; each `go` has its answer."""
    said: list[str] = []
    server = Server(said.append)
    server.serve([*lines, "stop"])
    assert all("\n" not in line for line in said)
    assert not [line for line in said if _FAULT.match(line)]
    read = [line.split()[0] for line in lines if line.split()]
    read = read[: read.index("quit")] if "quit" in read else read
    answers = [line for line in said if line.startswith(("bestturn", "error"))]
    assert len(answers) >= read.count("go")
    assert sum(line == "readyok" for line in said) == read.count("isready")


def table(name: str, seed: int) -> None:
    """A table file that lies is refused as a DamierError, or answers."""
    with tempfile.TemporaryDirectory() as directory:
        check_table(name, crafted(name, seed), Path(directory) / "some.table")


# What is read alone, and what makes the engine or a table work.
TEXTS: dict[str, Callable[..., None]] = {
    check.__name__: check for check in (position, turn, records, option, question)
}
ENGINE: dict[str, Callable[..., None]] = {check.__name__: check for check in (protocol, table)}


def tried(kind: str, **given: Any) -> None:
    """Check one input, and keep it if it fails while fuzzing."""
    with keeping(kind, given):
        (TEXTS | ENGINE)[kind](**given)


class keeping:
    """Keeps an input that fails inside, while fuzzing."""

    def __init__(self, kind: str, given: Any) -> None:
        self._case = {"kind": kind, "given": given}

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: object, _: object) -> None:
        if FUZZING and kind is not None and issubclass(kind, Exception):
            FOUND.write_text(json.dumps([self._case], indent=1, default=str) + "\n", "utf-8")


def cases(*kinds: str) -> list[Any]:
    """Return the inputs that were once found, of some kinds."""
    found = [case for path in sorted(CASES.glob("*.json")) for case in json.loads(path.read_text())]
    return [case for case in found if case["kind"] in kinds]
