"""Fuzzing of the engine protocol and of table files: an answer, or a DamierError."""

from typing import Any

import numpy  # noqa: F401  # whole, before a thread that compiles begins to import it
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.test_fuzz import GAMES_PLAYED, alphabet, mangled, names
from tests.support.fuzzing import ENGINE, cases, check_input, examples
from tests.support.table_files import TABLES

pytestmark = pytest.mark.slow

numbers = st.sampled_from(["0", "1", "7", "60", "-1", "1e3", "٣", "9" * 30, "x", ""])


options = st.sampled_from(["multipv", "tables", "contempt", "x"])


@st.composite
def said(draw: st.DrawFn) -> str:
    """Draw a line of a program that talks to the engine: nearly right, or anything."""
    name = draw(names)
    game = GAMES_PLAYED[name]
    ply = draw(st.integers(0, game.ply))
    moves = " ".join(move.text for move in game.moves_played[:ply])
    # Searches of a few nodes: those without a limit are stopped by the next line but one, or at
    # the end.
    lines = [
        "uci",
        "isready",
        "newgame",
        "stop",
        "quit",
        f"go nodes {draw(numbers)}",
        f"go depth 1 nodes {draw(numbers)}",
        "go infinite",
        "go",
        "go movetime 1",
        f"setoption name {draw(options)} value true",
        "setoption name tables value false",
        f"position {name}",
        f"position {name} turns {moves}",
        f"position {name} {game.at(ply).position}",
        f"position {name} options {draw(st.text(alphabet, max_size=9))} start turns {moves}",
    ]
    line = draw(st.sampled_from(lines))
    return draw(st.one_of(st.just(line), mangled(line), st.text(alphabet), st.text()))


@examples(60)
@given(st.lists(said(), max_size=8))
def test_lines_to_the_engine(lines: list[str]) -> None:
    check_input("protocol", lines=lines)


@examples(100)
@given(st.sampled_from(list(TABLES)), st.integers(0, 1 << 60))
def test_tables(name: str, seed: int) -> None:
    check_input("table", name=name, seed=seed)


@pytest.mark.parametrize("case", cases(*ENGINE), ids=lambda case: str(case)[:60])
def test_cases_found_by_fuzzing(case: dict[str, Any]) -> None:
    check_input(case["kind"], **case["given"])
