"""The engine takes any line and table files any lie: an answer, or a refusal of damier's own."""

from typing import Any

import numpy  # noqa: F401  # whole, before a thread that compiles begins to import it
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crafted import TABLES
from fuzzing import ENGINE, cases, examples, tried
from test_fuzz import GAMES_PLAYED, alphabet, mangled, names

numbers = st.sampled_from(["0", "1", "7", "60", "-1", "1e3", "٣", "9" * 30, "x", ""])


options = st.sampled_from(["multipv", "tables", "contempt", "x"])


@st.composite
def said(draw: st.DrawFn) -> str:
    """Draw a line of a program that talks to the engine: nearly right, or anything."""
    name = draw(names)
    game = GAMES_PLAYED[name]
    ply = draw(st.integers(0, game.ply))
    turns = " ".join(turn.text for turn in game.turns_played[:ply])
    # Searches of a few nodes: those without a limit are stopped by the next line but one, or at
    # the end.
    lines = [
        "uci", "isready", "newgame", "stop", "quit", f"go nodes {draw(numbers)}",
        f"go depth 1 nodes {draw(numbers)}", "go infinite", "go", "go movetime 1",
        f"setoption name {draw(options)} value true",
        "setoption name tables value false", f"position {name}", f"position {name} turns {turns}",
        f"position {name} {game.at(ply).position}",
        f"position {name} options {draw(st.text(alphabet, max_size=9))} start turns {turns}",
    ]  # fmt: skip
    line = draw(st.sampled_from(lines))
    return draw(st.one_of(st.just(line), mangled(line), st.text(alphabet), st.text()))


@examples(60)
@given(st.lists(said(), max_size=8))
def test_lines_to_the_engine(lines: list[str]) -> None:
    tried("protocol", lines=lines)


@examples(100)
@given(st.sampled_from(list(TABLES)), st.integers(0, 1 << 60))
def test_tables(name: str, seed: int) -> None:
    tried("table", name=name, seed=seed)


@pytest.mark.parametrize("case", cases(*ENGINE), ids=lambda case: str(case)[:60])
def test_what_was_once_found(case: dict[str, Any]) -> None:
    tried(case["kind"], **case["given"])
