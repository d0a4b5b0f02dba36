"""Invariants of each parser and protocol, for fuzzing and for the inputs it has found.

`check_input("position", game=…, text=…)` checks one input. While fuzzing (`make fuzz`), an input
that fails is written to tests/data/fuzz/found.json, the smallest last. After the fix, move it to
cases.json beside it, which the tests replay.
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
from damier import GAMES, DamierError, record
from damier.cli.rules import answer_line
from damier.search.protocol import EngineServer
from tests.support.table_files import check_table, malformed_table

CASES = Path(__file__).parents[1] / "data" / "fuzz"
FOUND = CASES / "found.json"
FUZZING = bool(os.environ.get("DAMIER_FUZZ"))

# An error that Python has raised, not damier.
_FAULT = re.compile(r"error [A-Z]\w+(Error|Exception|Warning|Exit|Iteration|Interrupt)\b")


def examples(number: int) -> settings:
    """Return the settings for a number of examples; each fuzzing round has fewer."""
    return settings(max_examples=min(number, 120) if FUZZING else number, deadline=None)


def position(game: str, text: str) -> None:
    """Check that a position text is refused, or is exactly what damier writes."""
    try:
        read = damier.load_rules(game).position(text)
    except DamierError as error:
        assert str(error)
        return
    assert str(read) == text
    assert (read.result() is None) == bool(read.legal_moves())


def move(game: str, before: str, text: str) -> None:
    """Check that a move text is refused, or is exactly what damier writes."""
    found = damier.load_rules(game).position(before)
    try:
        read = found.parse_move(text)
    except DamierError as error:
        assert str(error)
        assert text not in {move.text for move in found.legal_moves()}
        return
    assert read.text == text
    assert read in found.legal_moves()


def records(text: str) -> None:
    """Check that parsed records are written so that they parse to the same."""
    found, problems = record.read(text)
    assert all(problem.line >= 1 and problem.message for problem in problems)
    assert record.read(record.write(found)) == (found, [])


def option(game: str, name: str, value: Any) -> None:
    """Check that an option's value is refused, or in force."""
    known = {option.name for option in GAMES[game].rules.OPTIONS}
    for key in (name, *known):
        try:
            rules = damier.load_rules(game, **{key: value})
        except DamierError as error:
            assert str(error)
        else:
            assert rules.options[key] == str(value)


def question(line: str) -> None:
    """Check that a line to `damier rules` gets a JSON answer or error."""
    answer = answer_line(line, [])
    assert json.loads(json.dumps(answer)) == answer
    assert set(answer) in ({"error"}, {"position", "turns", "children", "result"})


def protocol(lines: list[str]) -> None:
    """Check that `damier engine` survives any lines and answers each `go`."""
    said: list[str] = []
    server = EngineServer(said.append)
    server.serve([*lines, "stop"])
    assert all("\n" not in line for line in said)
    assert not [line for line in said if _FAULT.match(line)]
    read = [line.split()[0] for line in lines if line.split()]
    read = read[: read.index("quit")] if "quit" in read else read
    answers = [line for line in said if line.startswith(("bestturn", "error"))]
    assert len(answers) >= read.count("go")
    assert sum(line == "readyok" for line in said) == read.count("isready")


def table(name: str, seed: int) -> None:
    """Check that a malformed table is refused as a DamierError, or answers."""
    with tempfile.TemporaryDirectory() as directory:
        check_table(name, malformed_table(name, seed), Path(directory) / "some.table")


# What is read alone, and what makes the engine or a table work.
TEXTS: dict[str, Callable[..., None]] = {
    check.__name__: check for check in (position, move, records, option, question)
}
ENGINE: dict[str, Callable[..., None]] = {check.__name__: check for check in (protocol, table)}


def check_input(kind: str, **given: Any) -> None:
    """Check one input; store it if it fails while fuzzing."""
    with FailureRecorder(kind, given):
        (TEXTS | ENGINE)[kind](**given)


class FailureRecorder:
    """Store an input that fails inside the block, while fuzzing."""

    def __init__(self, kind: str, given: Any) -> None:
        self._case = {"kind": kind, "given": given}

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: object, _: object) -> None:
        if FUZZING and kind is not None and issubclass(kind, Exception):
            FOUND.write_text(json.dumps([self._case], indent=1, default=str) + "\n", "utf-8")


def cases(*kinds: str) -> list[Any]:
    """Return the stored inputs of some kinds."""
    found = [case for path in sorted(CASES.glob("*.json")) for case in json.loads(path.read_text())]
    return [case for case in found if case["kind"] in kinds]
