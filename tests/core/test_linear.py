"""Every text from a user is parsed in time linear in its length.

The tests count Python instructions, not seconds. A regular expression must decide by the next
character whether a repetition goes on, so that it never backtracks.
"""

import ast
import importlib
import json
import re
import re._constants as op  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import damier
from damier import DamierError, record
from damier.cli.rules import answer_line
from damier.position import read_options
from damier.search.external import read_info
from damier.search.levels import read_limits
from damier.search.protocol import EngineServer, read_go, read_position

PACKAGE = Path(damier.__file__).parent

# ---- steps of Python's own code ---------------------------------------------------------------


def steps_of(work: Callable[[], object]) -> int:
    """Return how many instructions of Python's some work takes; a refusal is a result."""
    count = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        with suppress(DamierError):
            work()
    finally:
        sys.settrace(before)
    return count


def send_to_engine(*lines: str) -> None:
    """Tell the engine some lines, none of which makes it think."""
    server = EngineServer(lambda line: None)
    for line in lines:
        server.answer(line)


CHEFA = damier.load_rules("chefa")
ROWS = "...../...../...../...../....."
PARSERS: dict[str, Callable[[int], object]] = {
    "record of digits": lambda n: record.read("1" * n, default="chefa"),
    "record of numbers": lambda n: record.read("1." * n, default="chefa"),
    "record of words": lambda n: record.read("1. b2 " * n, default="chefa"),
    "record of points": lambda n: record.read("." * n, default="chefa"),
    "record of lines": lambda n: record.read("\n" * n + "b2\n" * n, default="chefa"),
    "record of headers": lambda n: record.read("".join(f'[H{k} "x"]\n' for k in range(n))),
    "record of one header": lambda n: record.read(f'[Game "{"x" * n}"]'),
    "record of backslashes": lambda n: record.read('[Game "' + "\\" * n),
    "record of quotes": lambda n: record.read('[Game "' + '\\"' * n),
    "record of records": lambda n: record.read('[Game "chefa"]\n\n1. b2\n' * n),
    "record of options": lambda n: record.read(f'[Game "chefa"]\n[Options "{"a=b " * n}"]'),
    "position of points": lambda n: CHEFA.position("." * n),
    "position of rows": lambda n: CHEFA.position("/" * n),
    "position of spaces": lambda n: CHEFA.position(ROWS + " " * n),
    "position of marks": lambda n: CHEFA.position(f"{'w' * n}/{ROWS} w 4 4"),
    "turn of digits": lambda n: CHEFA.start().parse_move("1" * n),
    "turn of cells": lambda n: CHEFA.start().parse_move("a1" * n),
    "turn of steps": lambda n: CHEFA.start().parse_move("a1" + "-a2" * n),
    "turn of captures": lambda n: CHEFA.start().parse_move("a1-a2" + "xa3" * n),
    "turn of placements": lambda n: CHEFA.start().parse_move("a1" + "+a2" * n),
    "turn of puts": lambda n: CHEFA.start().parse_move("a1-a2" + ",a3>a4" * n),
    "turn of one letter": lambda n: CHEFA.start().parse_move("a1-a2" + "A" * n),
    "options": lambda n: read_options([f"o{k}=x" for k in range(n)]),
    "option": lambda n: damier.load_rules("chefa", **read_options(["line=" + "=" * n])),
    "limits": lambda n: read_limits("engine", "nodes=1," * n),
    "limits of digits": lambda n: read_limits("engine", "nodes=" + "1" * n),
    "protocol words": lambda n: send_to_engine("x " * n),
    "protocol position": lambda n: read_position(("chefa " + "a " * n).split()),
    "protocol options": lambda n: read_position(("chefa options " + "a=b " * n).split()),
    "protocol turns": lambda n: read_position(("chefa turns " + "a1 " * n).split()),
    "protocol go": lambda n: read_go(["nodes", "1"] * n),
    "protocol number": lambda n: read_go(["nodes", "1" * n]),
    "protocol setoption": lambda n: send_to_engine("setoption name " + "x" * n + " value true"),
    "protocol info": lambda n: read_info("info depth " + "1 " * n),
    "question of digits": lambda n: answer_line("1" * n, []),
    "question of arrays": lambda n: answer_line("[" * n, []),
    "question of objects": lambda n: answer_line('{"game":' * n, []),
    "question of keys": lambda n: answer_line(
        json.dumps({"game": "chefa", **{f"k{k}": 1 for k in range(n)}}), []
    ),
    "question of turns": lambda n: answer_line(
        json.dumps({"game": "chefa", "turns": ["b2"] * n}), []
    ),
    "question of a position": lambda n: answer_line(
        json.dumps({"game": "chefa", "position": "w/" * n}), []
    ),
}
SIZES = 100, 200, 400, 800


@pytest.mark.parametrize("name", PARSERS)
def test_twice_the_text_takes_at_most_twice_the_steps(name: str) -> None:
    read = PARSERS[name]
    steps_of(lambda: read(SIZES[0]))  # what is made once is made now
    counts = [steps_of(lambda size=size: read(size)) for size in SIZES]  # type: ignore[misc]
    more = [after - before for before, after in pairwise(counts)]
    for before, after in pairwise(more):
        # Linear work gives a factor of 2, quadratic work 4. The counts of a run differ slightly.
        assert after <= 2.5 * max(before, 0) + 200, counts


@pytest.mark.parametrize(
    "text", ["1" * 60_000, "1." * 60_000, '[A "' + "\\" * 60_000, "a1" * 60_000]
)
def test_texts_that_once_took_quadratic_time(text: str) -> None:
    records, problems = record.read(text, default="chefa")
    assert records == []
    assert len(problems) == 1


# ---- regular expressions ----------------------------------------------------------------------

ALPHABET = frozenset(map(chr, range(0x180)))
CATEGORIES = {
    op.CATEGORY_DIGIT: r"\d",
    op.CATEGORY_NOT_DIGIT: r"\D",
    op.CATEGORY_SPACE: r"\s",
    op.CATEGORY_NOT_SPACE: r"\S",
    op.CATEGORY_WORD: r"\w",
    op.CATEGORY_NOT_WORD: r"\W",
}
NONE: frozenset[str] = frozenset()


class Ambiguous(Exception):
    """A repetition of which the next character does not tell whether it goes on."""


def characters(code: Any, value: Any) -> frozenset[str]:
    """Return the characters that one item of a set, or a single character, stands for."""
    if code is op.LITERAL:
        return frozenset(chr(value))
    if code is op.NOT_LITERAL:
        return ALPHABET - {chr(value)}
    if code is op.ANY:
        return ALPHABET - {"\n"}
    if code is op.RANGE:
        return frozenset(map(chr, range(value[0], value[1] + 1)))
    if code is op.CATEGORY:
        return frozenset(c for c in ALPHABET if re.match(CATEGORIES[value], c))
    assert code is op.IN
    negated = value[0][0] is op.NEGATE
    found = NONE.union(*(characters(*item) for item in value[negated:]))
    return ALPHABET - found if negated else found


def beginning(items: list[Any]) -> tuple[frozenset[str], bool]:
    """Return what a sequence may begin with, and whether it may be empty."""
    found = NONE
    for code, value in items:
        if code is op.AT:
            continue
        if code in (op.MAX_REPEAT, op.MIN_REPEAT):
            first, empty = beginning(list(value[2]))
            empty = empty or value[0] == 0
        elif code is op.SUBPATTERN:
            first, empty = beginning(list(value[3]))
        elif code is op.BRANCH:
            parts = [beginning(list(part)) for part in value[1]]
            first, empty = NONE.union(*(p[0] for p in parts)), any(p[1] for p in parts)
        else:
            first, empty = characters(code, value), False
        found |= first
        if not empty:
            return found, False
    return found, True


def check(items: list[Any], follow: frozenset[str] = NONE, repeated: bool = False) -> None:
    """Raise Ambiguous unless every repetition is decided by the next character."""
    for k, (code, value) in enumerate(items):
        first, empty = beginning(items[k + 1 :])
        after = first | follow if empty else first
        if code in (op.MAX_REPEAT, op.MIN_REPEAT):
            least, most, body = value[0], value[1], list(value[2])
            begins, nothing = beginning(body)
            if least != most and (nothing or begins & after):
                raise Ambiguous(sorted(begins & after))
            again = most is op.MAXREPEAT or most > 1
            check(body, after | begins if again else after, repeated or most is op.MAXREPEAT)
        elif code is op.SUBPATTERN:
            check(list(value[3]), after, repeated)
        elif code is op.BRANCH:
            begins = NONE
            for part in value[1]:
                first, empty = beginning(list(part))
                begun = first | after if empty else first
                if repeated and begins & begun:
                    raise Ambiguous(sorted(begins & begun))
                begins |= begun
                check(list(part), after, repeated)


def repeats(items: Any) -> Iterator[frozenset[str]]:
    """Yield the characters that each endless repetition may begin with."""
    for code, value in items:
        if code in (op.MAX_REPEAT, op.MIN_REPEAT):
            if value[1] is op.MAXREPEAT:
                yield beginning(list(value[2]))[0]
            yield from repeats(value[2])
        elif code is op.SUBPATTERN:
            yield from repeats(value[3])
        elif code is op.BRANCH:
            for part in value[1]:
                yield from repeats(part)


def leading(items: list[Any]) -> Iterator[frozenset[str]]:
    """Yield what the single characters are that an expression begins with."""
    for code, value in items:
        if code not in (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN):
            return
        yield characters(code, value)


def expressions() -> Iterator[tuple[str, str, set[str]]]:
    """Yield every regular expression of the package: where it is, itself, and how it is used."""
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        used: dict[str, set[str]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                used.setdefault(node.value.id, set()).add(node.attr)
        named = {
            id(node.value): node.targets[0].id
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            if not isinstance(node.func.value, ast.Name) or node.func.value.id != "re":
                continue
            where, how = f"{path.relative_to(PACKAGE)}:{node.lineno}", node.func.attr
            if how == "escape":
                continue
            if id(node) in named:
                name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
                module = importlib.import_module(name.removesuffix(".__init__"))
                pattern = getattr(module, named[id(node)]).pattern
                yield where, pattern, used.get(named[id(node)], set())
            else:
                literal = node.args[0]
                assert isinstance(literal, ast.Constant), f"{where}: name the expression"
                yield where, str(literal.value), {"search" if how == "compile" else how}


ANCHORED = {"fullmatch", "match", "pattern"}
FOUND = [(f"{where} {text}", text, how) for where, text, how in expressions()]


@pytest.mark.parametrize(("text", "how"), [f[1:] for f in FOUND], ids=[f[0] for f in FOUND])
def test_expressions_never_backtrack(text: str, how: set[str]) -> None:
    items = list(parser.parse(text))
    single = len(items) == 1 and items[0][0] is op.MAX_REPEAT
    check(items)
    if how - ANCHORED and not single:  # what is looked for anywhere must not be begun within itself
        before = list(leading(items))
        for loop in repeats(items):
            assert any(not first & loop for first in before)


def test_expressions_are_found() -> None:
    assert len(FOUND) > 8


@pytest.mark.parametrize(
    "text",
    ["(a+)+", "(a|a)*", r"\d+\d+\.", r"(\d*)*", "a*b?a", r"(x\d+)*\d", "(a?b?)*"],
)
def test_backtracking_expressions_are_detected(text: str) -> None:
    with pytest.raises(Ambiguous):
        check(list(parser.parse(text)))
