"""Endings: values with their counts follow from the moves, as the rules alone give them."""

import random
from pathlib import Path

import numpy as np
import pytest

import damier
from damier import solve
from damier.jit import runtime_of
from damier.position import Position, Rules
from damier.solve import best_line, retrograde, tables
from damier.solve.link import link_loops
from damier.solve.tables import proof_kernels

pytestmark = pytest.mark.slow

CASES = [
    ("fanorona", {"board": "3x3"}, 5),
    ("fanorona", {"board": "3x5", "capture": "forced", "chain": "forced"}, 5),
    ("fanorona", {"board": "3x5", "endgame_draw": "3", "stall": "0"}, 4),
    ("seega", {}, 4),
    ("seega", {"stall": "6", "unblock": "no", "capture": "free"}, 4),
]


def some_ending(rules: Rules, pawns: int, rng: random.Random) -> Position:
    """A position with few pawns and any count."""
    cells = list(range(rules.board.size))
    total = rng.randint(2, pawns)
    white = rng.randint(max(1, total - rules.pawns), min(total - 1, rules.pawns))
    marks = ["."] * len(cells)
    for k, cell in enumerate(rng.sample(cells, total)):
        marks[cell] = "w" if k < white else "b"
    files = rules.board.files
    rows = ["".join(marks[k : k + files]) for k in range(0, len(marks), files)]
    side = rng.choice("wb")
    if rules.name == "fanorona":
        most = int(rules.options["endgame_draw"]) or int(rules.options["stall"]) or 10
        fields = str(rng.randint(0, most))
    else:
        stall = int(rules.options["stall"])
        fields = f"0 0 - {rng.choice([0, stall - 1, stall - 2, stall - 3, rng.randrange(stall)])}"
    return rules.position(f"{'/'.join(reversed(rows))} {side} {fields}")


def outcome_by_moves(table: tables.Table, position: Position) -> str:
    """What the moves say: with a count that runs out, this decides every value."""
    result = position.result()
    if result:
        if result.winner is None:
            return "draw"
        return "win" if result.winner == position.side else "loss"
    best = []
    for child in position.children():
        value = table.probe(child)
        assert value is not None, child
        best.append(value.before(child.side == position.side).rank[0])
    return ("win", "draw", "loss")[min(best)]


@pytest.mark.parametrize(("name", "options", "pawns"), CASES)
def test_values_with_counts_follow_from_the_moves(
    name: str, options: dict[str, str], pawns: int
) -> None:
    rules = damier.load_rules(name, **options)
    solution = retrograde.solve(rules, pawns, workers=2)
    assert retrograde.verify(solution)
    table = tables.Table(rules, solution.header, solution.arrays)
    rng = random.Random(7)
    seen = set()
    for _ in range(400):
        position = some_ending(rules, pawns, rng)
        value = table.probe(position)
        assert value is not None
        assert value.outcome == outcome_by_moves(table, position), position
        if value.distance:
            moves = (table.probe_move(position, move) for move in position.legal_moves())
            assert value == min((v for v in moves if v), key=lambda v: v.rank), position
        seen.add(value.outcome)
    assert seen == {"win", "draw", "loss"}


def test_a_winning_capture_comes_before_a_quiet_move(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the win takes after it: who waits for a nearer one would wait for ever."""
    monkeypatch.setenv("DAMIER_DATA_DIR", str(tmp_path))
    rules = damier.load_rules("fanorona", board="3x5")
    tables.write(
        tables.tables_directory() / tables.file_name(rules, 5),
        retrograde.content(retrograde.solve(rules, 5)),
    )
    tables.clear_table_cache()
    rng = random.Random(3)
    waits = 0
    for _ in range(200):
        game = damier.Game(some_ending(rules, 5, rng))
        value = solve.probe(game.position)
        assert value is not None
        if value.outcome != "win" or not value.distance:
            continue
        best, *others = solve.probe_moves(game)
        assert best[1].distance == value.distance
        waits += any(v.distance and v.distance <= best[1].later for _, v in others)
        line = best_line(game)
        result = game.play(*line).result()
        assert result is not None
        assert result.winner == game.position.side
    assert waits, "no position in which waiting would look nearer"
    tables.clear_table_cache()


def test_international_3x3_is_won_by_the_first_player() -> None:
    rules = damier.load_rules("fanorona", "international", board="3x3")
    solution = retrograde.solve(rules, None)
    table = tables.Table(rules, solution.header, solution.arrays)
    assert table.probe(rules.start()) == solve.Value("win", 11)


def test_a_proof_search_finds_the_win_of_3x5() -> None:
    """The published value, as for boards too big for a table: a search down to known endings."""
    rules = damier.load_rules("fanorona", "international", board="3x5")
    solution = retrograde.solve(rules, 6)
    loops = link_loops(proof_kernels, rules)
    t = loops.space.space_for(rules, solution.header).lookup(runtime_of(loops))
    for side, depth, expected in (
        (0, 5, proof_kernels.NO),
        (0, 7, proof_kernels.YES),
        (1, 7, proof_kernels.NO),
    ):
        found = np.zeros(4 << 10, np.int64)
        words = rules.start().words
        answer, _ = loops.wins(*words, (side, False), depth, 10_000, (solution.store, t, found))
        assert answer == expected


def test_seega_after_a_pass() -> None:
    rules = damier.load_rules("seega")
    solution = retrograde.solve(rules, 4)
    table = tables.Table(rules, solution.header, solution.arrays)
    blocked = rules.position("...../...../...../b..../wb... w 0 0 - 3")
    (move,) = blocked.legal_moves()
    assert move.text == "--"
    before, after = table.probe(blocked), table.probe(move.after)
    assert before is not None
    assert after is not None
    assert before.rank[0] == after.before().rank[0]
    assert outcome_by_moves(table, move.after) == after.outcome
    # A text may say that a player passed who could have stepped: of that the table knows nothing.
    assert table.probe(rules.position("...../...../...../b..../w.b.. b 0 0 p 3")) is None
