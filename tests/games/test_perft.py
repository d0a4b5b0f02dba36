"""Perft counts from many positions, against figures found without this package."""

from dataclasses import dataclass
from pathlib import Path

import pytest

import damier
from damier import GAMES, jit
from damier import position as position_module
from damier.position import read_options

DATA = Path(__file__).parents[1] / "data" / "perft"
PLAIN = 3000  # the most paths to count without compiled code


@dataclass
class Table:
    """A line of the data: where it stands, the rules, the position and the counts."""

    place: str
    game: str
    options: str
    position: str
    counts: list[int]

    def start(self) -> damier.Position:
        """Return the position from which paths are counted."""
        texts = [] if self.options == "-" else self.options.split(" ")
        rules = damier.load_rules(self.game, **read_options(texts))
        return rules.start() if self.position == "start" else rules.position(self.position)


def read_tables(path: Path) -> list[Table]:
    """Return the lines of a file `options | position | counts`, named by its game."""
    tables = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if line and not line.startswith(";"):
            options, position, counts = line.split(" | ")
            paths = [int(count) for count in counts.split(" ")]
            tables.append(Table(f"{path.name}:{number}", path.stem, options, position, paths))
    return tables


TABLES = [table for path in sorted(DATA.glob("*.txt")) for table in read_tables(path)]


@pytest.mark.parametrize("speed", ["plain", "compiled"])
@pytest.mark.parametrize("table", TABLES, ids=[f"{t.place} {t.options}" for t in TABLES])
def test_perft(table: Table, speed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(position_module, "_compiled", set(GAMES) if speed == "compiled" else set())
    slow = speed == "plain" or not jit.enabled()
    position = table.start()
    assert position.perft(0) == 1
    for depth, paths in enumerate(table.counts, 1):
        if slow and max(table.counts[:depth]) > PLAIN:
            break
        assert position.perft(depth) == paths, f"{table.place}, {depth} turns"


def test_every_game_has_figures() -> None:
    assert {table.game for table in TABLES} == set(GAMES)
