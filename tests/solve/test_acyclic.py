"""The value of the start alone, for games in which no position can return."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import damier
from damier import GAMES, games
from damier.cli import main
from damier.errors import DamierError
from damier.position import Position
from damier.solve.retrograde.acyclic import value_of_start
from damier.solve.retrograde.storage import StorageLimits

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parents[1] / "data" / "games"
LIMITS = StorageLimits(1 << 30, 0)


@pytest.fixture(scope="module", autouse=True)
def loaded() -> Iterator[None]:
    names = ("noughts", "threes", "konane", "reversi")
    for name in names:
        games.load(FOLDER / f"{name}.py")
    yield
    for name in names:
        del GAMES._loaded[name]


@cache
def outcome_of(position: Position) -> str:
    """Return the outcome for the side to move, by trying every move."""
    result = position.result()
    if result is not None:
        if result.winner is None:
            return "draw"
        return "win" if result.winner == position.side else "loss"
    opposite = {"win": "loss", "loss": "win", "draw": "draw"}
    found = {
        outcome_of(after) if after.side == position.side else opposite[outcome_of(after)]
        for after in position.children()
    }
    return next(outcome for outcome in ("win", "draw", "loss") if outcome in found)


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [("noughts", {}, "draw"), ("konane", {"size": "4"}, "loss")],
)
def test_the_value_agrees_with_brute_force(
    name: str, options: dict[str, str], expected: str
) -> None:
    rules = damier.load_rules(name, **options)
    outcome, count = value_of_start(rules, LIMITS)
    assert outcome == expected == outcome_of(rules.start())
    assert 0 < count < 765


def test_the_second_player_wins_small_reversi() -> None:
    """The published value, on 4×4."""
    assert value_of_start(damier.load_rules("reversi"), LIMITS)[0] == "loss"


def test_a_game_in_which_positions_return_is_refused() -> None:
    with pytest.raises(DamierError) as error:
        value_of_start(damier.load_rules("threes"), LIMITS)
    assert error.value.key == "solve-cycle"


def test_too_little_memory_is_reported() -> None:
    with pytest.raises(DamierError) as error:
        value_of_start(damier.load_rules("konane"), StorageLimits(2_000_000, 0))
    assert error.value.key == "solve-memory"


def test_the_command_prints_the_value(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "noughts", "--start"]) == 0
    assert "A draw" in capsys.readouterr().out
    assert main(["solve", "threes", "--start"]) == 2
    assert "--start" in capsys.readouterr().err


@pytest.mark.exhaustive
def test_the_second_player_wins_konane() -> None:
    assert value_of_start(damier.load_rules("konane"), LIMITS) == ("loss", 6_985_343)
