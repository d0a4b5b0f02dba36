"""Page on endings: the counts of each tier against those of every position."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

import damier
from damier import Position, Rules
from damier.cli import main
from damier.errors import DamierError
from damier.report import endings
from damier.report.endings import positions_in_tier, tiers_of
from damier.solve import retrograde, tables

pytestmark = pytest.mark.slow

OWN_IN_ENDINGS = ((1, 1), (1, 2), (2, 1))


@pytest.fixture(scope="module")
def content() -> bytes:
    rules = damier.load_rules("seega")
    return retrograde.content(retrograde.solve(rules, 3))


@pytest.fixture
def rules(content: bytes) -> Iterator[Rules]:
    found = damier.load_rules("seega")
    tables.write(tables.built_path(found, 3), content)
    tables.clear_table_cache()
    yield found
    tables.clear_table_cache()


def distinct_positions(rules: Rules, own: int, enemy: int) -> set[Position]:
    """Return the positions with White to move, one of each class of symmetric ones."""
    cells = [1 << cell for cell in range(rules.board.size)]
    found = {}
    for white in combinations(cells, own):
        for black in combinations([cell for cell in cells if cell not in white], enemy):
            position = Position(rules, sum(white), sum(black), rules.word)
            images = (
                position.transformed(symmetry) for symmetry in range(len(rules.board.symmetries))
            )
            found[min((image.white, image.black) for image in images)] = position
    return set(found.values())


def test_counts_are_those_of_every_position(rules: Rules) -> None:
    tiers, header = tiers_of(rules)
    assert header["pawns"] == 3
    assert {(tier.own, tier.enemy) for tier in tiers} == set(OWN_IN_ENDINGS)
    table = tables.find(rules)
    assert table is not None
    for tier in tiers:
        positions = distinct_positions(rules, tier.own, tier.enemy)
        assert tier.positions == positions_in_tier(rules, tier.own, tier.enemy) == len(positions)
        outcomes = Counter(
            value.outcome for p in positions if (value := table.probe(p)) is not None
        )
        assert (tier.won, tier.drawn, tier.lost) == tuple(
            outcomes[outcome] for outcome in ("win", "draw", "loss")
        )
        if tier.own == tier.enemy:
            values = [table.probe(position) for position in positions]
            decided = [v.distance or 0 for v in values if v is not None and v.outcome != "draw"]
            assert tier.longest == max(decided, default=0)


def test_the_command_writes_both_languages(
    rules: Rules, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["results", str(tmp_path), "--endings", "seega"]) == 0
    written = [tmp_path / name for name in ("endings.md", "endings.fr.md")]
    assert capsys.readouterr().out.split() == [str(path) for path in written]
    english, french = (path.read_text("utf-8") for path in written)
    whole = sum(positions_in_tier(rules, *pawns) for pawns in OWN_IN_ENDINGS)
    assert f"{whole:,} positions" in english
    assert f"{whole:,} positions".replace(",", "\u202f") in french
    for page in (english, french):
        # Nobody wins with a pawn each, and a single pawn does not even reach a draw against two.
        assert re.search(r"^\| 1–1 \|.* – \|$", page, re.M)
        assert re.search(r"^\| 2–1 \|.* – \| – \|$", page, re.M)
        assert "damier solve seega --pawns 3" in page
        assert f" {rules.options['stall']}" in page


def test_without_a_table_of_endings_there_is_an_error() -> None:
    for name in ("seega", "chefa"):
        with pytest.raises(DamierError, match="no table of endings"):
            endings.tiers_of(damier.load_rules(name))
