"""Positions with known wins, and the search's node counts on fixed positions."""

import json
from pathlib import Path

import pytest

import damier
from damier import jit
from damier.search import Engine, Limits, warm

DATA = Path(__file__).parents[1] / "data"
BENCH = Path(__file__).parents[2] / "bench"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not jit.enabled(), reason="too slow without a compiler"),
]


def read(path: Path) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = json.loads(path.read_text("utf-8"))
    return found


@pytest.mark.parametrize("name", sorted(damier.GAMES))
def test_known_wins(name: str) -> None:
    """The search finds a winning move, without tables, in a part of level 8's time."""
    puzzles = json.loads((DATA / "known_wins.json").read_text("utf-8"))[name]
    assert len(puzzles) >= 20
    missed = []
    engines: dict[damier.Rules, Engine] = {}
    for puzzle in puzzles:
        rules = damier.load_rules(name, puzzle["preset"], **puzzle["options"])
        if rules not in engines:
            warm(rules)
            engines[rules] = Engine(rules, expected_nodes=500_000)
        game = damier.Game(rules.position(puzzle["position"]))
        best = engines[rules].think(game, Limits(nodes=500_000)).best
        answers = {game.position.parse_move(text).words for text in puzzle["answers"]}
        if best.after not in answers:
            missed.append((puzzle["position"], best.text(game)))
    assert not missed


@pytest.mark.parametrize("name", sorted(damier.GAMES))
def test_signature(name: str) -> None:
    """A change here means that the search plays differently: `bench/search.py --signature`."""
    rules = damier.load_rules(name)
    warm(rules)
    engine = Engine(rules, expected_nodes=1 << 18)
    positions = json.loads((BENCH / "positions.json").read_text("utf-8"))[name]
    found = {
        label: engine.think(damier.Game(rules.position(text)), Limits(depth=4)).nodes
        for label, text in positions.items()
    }
    assert found == read(DATA / "signature.json")[name]
