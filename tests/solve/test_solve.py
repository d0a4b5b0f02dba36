"""Solved games: shipped tables, probing, refusals, perfect play, published values."""

import json
import random
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import damier
from damier import Game, solve
from damier.cli import main
from damier.errors import DamierError
from damier.games.badia import numbering as badia
from damier.games.chefa import numbering as chefa
from damier.games.fanorona import numbering as fanorona
from damier.games.fraha import numbering as fraha
from damier.games.seega import numbering as seega
from damier.players import RandomPlayer
from damier.position import Position, Rules
from damier.report.facts import longest_win
from damier.search import perfect
from damier.solve import best_line, retrograde, tables
from damier.solve.numbering import Numbering, WholeNumbering, enumerated, numbering_of
from damier.solve.numbering.tiered import TieredNumbering

pytestmark = pytest.mark.slow

SHIPPED = ("chefa", "badia", "fraha")
VARIANTS = [rules for name in SHIPPED for rules in retrograde.variants(name)]
SMALL = [damier.load_rules(name) for name in SHIPPED]


def shipped(rules: Rules) -> Path:
    """The table that comes with a game."""
    return rules.folder.tables / tables.file_name(rules)


def test_tables_come_with_the_small_games() -> None:
    assert tuple(retrograde.bundled_games()) == SHIPPED
    assert all(shipped(rules).exists() for rules in VARIANTS)


def test_numberings_keep_the_contract() -> None:
    """By name here, by type when the types are checked."""
    whole: list[WholeNumbering] = [fraha, chefa, badia]
    tiered: list[TieredNumbering] = [fanorona, seega]
    default: Numbering = enumerated
    numberings: list[tuple[type, object]] = [(Numbering, default)]
    numberings += [(WholeNumbering, module) for module in whole]
    numberings += [(TieredNumbering, module) for module in tiered]
    for contract, module in numberings:
        for part in contract.__mro__:
            if part.__module__.startswith("damier"):
                names = {n for n in (*vars(part), *part.__annotations__) if not n.startswith("_")}
                assert names
                assert names <= set(dir(module)), module


def some_positions(rules: Rules, games: int, seed: int = 1) -> list[Position]:
    """Positions of random games."""
    rng = random.Random(seed)
    found = []
    for _ in range(games):
        position = rules.start()
        for _ in range(40):
            found.append(position)
            if position.result():
                break
            position = rng.choice(position.legal_moves()).after
    return found


def expected(table: tables.Table, position: Position) -> solve.Value:
    """What a position's moves say that it is worth."""
    result = position.result()
    if result:
        won = result.winner == position.side
        return (
            solve.Value("draw")
            if result.winner is None
            else solve.Value("win" if won else "loss", 0)
        )
    values = []
    for child in position.children():
        value = table.probe(child)
        assert value is not None
        values.append(value.before(child.side == position.side))
    return min(values, key=lambda value: value.rank)


@pytest.mark.parametrize("rules", VARIANTS, ids=tables.file_name)
def test_values_follow_from_the_moves(rules: Rules) -> None:
    table = tables.find(rules)
    assert table is not None
    for position in some_positions(rules, 3):
        assert table.probe(position) == expected(table, position), position


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name == "fraha" else pytest.mark.exhaustive)
        for name in SHIPPED
    ],
)
def test_shipped_tables_are_what_the_solver_finds(name: str) -> None:
    rules = damier.load_rules(name)
    one, two = (retrograde.solve(rules, workers=workers) for workers in (1, 2))
    for array_name, array in one.arrays.items():
        assert np.array_equal(array, two.arrays[array_name])
    assert shipped(rules).read_bytes() == retrograde.content(two)


def test_a_wrong_value_is_found() -> None:
    rules = damier.load_rules("fraha")
    table = tables.find(rules)
    assert table is not None
    solution = retrograde.solution_of(table)
    values = solution.arrays["values"].copy()
    solution.arrays["values"] = values
    values[np.flatnonzero(values == 8)[100]] = 10
    assert not retrograde.verify(solution)


@pytest.mark.parametrize("rules", SMALL, ids=lambda rules: rules.name)
def test_symmetric_positions_have_the_same_value(rules: Rules) -> None:
    for position in some_positions(rules, 1, seed=5)[::3]:
        value = solve.probe(position)
        for symmetry in range(8):
            assert solve.probe(position.transformed(symmetry)) == value
            if rules.module.COLOUR_SWAP and rules.options.get("first_mover") != "last":
                swapped = position.transformed(symmetry, swap=True)
                assert solve.probe(swapped) == value


@pytest.mark.parametrize("rules", SMALL, ids=lambda rules: rules.name)
def test_distances_fall_to_the_end(rules: Rules) -> None:
    tried = 0
    if rules.name == "badia":  # the table leaves the ban BA-11 aside
        rules = damier.load_rules("badia", repetition="draw")
    for position in some_positions(rules, 20, seed=3):
        value = solve.probe(position)
        assert value is not None
        if value.outcome == "draw" or position.result():
            continue
        line = best_line(Game(position))
        assert len(line) == value.distance
        result = line[-1].after.result()
        assert result is not None
        assert (result.winner == position.side) == (value.outcome == "win")
        tried += 1
    assert tried > 3


@pytest.mark.parametrize("rules", SMALL, ids=lambda rules: rules.name)
def test_probe_many_equals_single_probes(rules: Rules) -> None:
    table = tables.find(rules)
    assert table is not None
    positions = some_positions(rules, 5)
    words = np.array([position.words for position in positions]).T
    codes = table.probe_many(*words)
    assert [tables.value_of(int(code)) for code in codes] == [table.probe(p) for p in positions]
    children = table.probe_children(rules.start())
    assert {tuple(row[:3]) for row in children.tolist()} == {
        child.words for child in rules.start().children()
    }
    assert all(code >= 0 for *_, code in children.tolist())


def test_positions_that_are_not_in_a_table() -> None:
    fraha = damier.load_rules("fraha")
    assert solve.probe(fraha.position("ww.../ww.../...../...../bbbb. w")) is None
    assert (
        solve.probe(damier.load_rules("chefa").position("ww.../...../...../...../..... w -"))
        is None
    )
    assert solve.probe(damier.load_rules("seega").start()) is None
    assert solve.probe_moves(Game(damier.load_rules("seega").start())) == []


@pytest.mark.parametrize("rules", VARIANTS, ids=repr)
def test_no_win_is_longer_than_the_longest(rules: Rules) -> None:
    table = tables.find(rules)
    assert table is not None
    counted = {int(d) for part in table.header["counts"].values() for d in part["wins"]}
    assert table.probe(longest_win(table, rules)) == solve.Value("win", max(counted))


@pytest.mark.parametrize(
    ("spoil", "key"),
    [
        (lambda data: data[:-1], "table-damaged"),
        (lambda data: data[:-9] + bytes([data[-9] ^ 1]) + data[-8:], "table-damaged"),
        (lambda data: data[:30] + bytes([data[30] ^ 1]) + data[31:], "table-damaged"),
        (lambda data: data[:40], "table-damaged"),
        (lambda data: b"not a table at all, but long enough", "table-foreign"),
        (lambda data: b"", "table-foreign"),
        (lambda data: tables.pack({"game": "fraha"}, {}), "table-foreign"),
        (
            lambda data: tables.pack(tables.header_of(damier.load_rules("fraha"), {}), {}),
            "table-foreign",
        ),
    ],
)
def test_a_damaged_table_is_refused(tmp_path: Path, spoil: object, key: str) -> None:
    rules = damier.load_rules("fraha")
    data = shipped(rules).read_bytes()
    path = tmp_path / "fraha.table"
    path.write_bytes(spoil(data))  # type: ignore[operator]
    with pytest.raises(DamierError) as refused:
        tables.Table.open(path, rules)
    assert refused.value.key == key
    assert str(path) in str(refused.value)


def test_an_open_table_survives_changes_of_its_file(tmp_path: Path) -> None:
    """What replaces a file, or deletes it, does not touch who has it open."""
    rules = damier.load_rules("fraha")
    path = tmp_path / "fraha.table"
    path.write_bytes(shipped(rules).read_bytes())
    table = tables.Table.open(path, rules)
    tables.write(path, b"something else")
    with pytest.raises(DamierError):
        tables.Table.open(path, rules)
    path.unlink()
    _, store, _ = table.plain()
    whole = retrograde.solution_of(tables.Table.open(shipped(rules), rules)).arrays["values"]
    numbers = random.Random(1).sample(range(len(whole)), 500)
    assert [store[number] for number in numbers] == whole[numbers].tolist()
    assert np.array_equal(table.arrays["values"].array(), whole)


def test_threads_share_a_table() -> None:
    rules = damier.load_rules("chefa")
    blocks = tables.Table.open(shipped(rules), rules).arrays["values"]
    whole = retrograde.solution_of(tables.Table.open(shipped(rules), rules)).arrays["values"]
    numbers = random.Random(2).sample(range(len(whole)), 2000)
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(blocks.__getitem__, numbers)) == whole[numbers].tolist()


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="asks Linux for memory in use")
def test_opening_a_big_table_costs_no_memory(tmp_path: Path) -> None:
    rules = damier.load_rules("fraha")
    space = numbering_of(rules).space_for(rules, {})
    big = np.random.default_rng(1).integers(0, 256, 60_000_000, np.uint8)
    header = tables.header_of(rules, {})
    values = np.zeros(space.size, np.uint8)
    path = tmp_path / "big.table"
    tables.write(path, tables.pack(header, {"values": values, "more": big}))
    del big
    before = _memory()
    _, arrays = tables.read(path)
    assert arrays["more"][123] >= 0
    assert _memory() - before < 20_000


def _memory() -> int:
    """Memory in use by this process, in kilobytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def test_a_table_of_other_rules_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = damier.load_rules("fraha")
    path = shipped(rules)
    with pytest.raises(DamierError, match="other rules"):
        tables.Table.open(path, damier.load_rules("fraha", line="track"))
    monkeypatch.setattr(numbering_of(rules), "VERSION", 99)
    with pytest.raises(DamierError, match="another version"):
        tables.Table.open(path, rules)
    tables.clear_table_cache()
    try:
        with pytest.warns(UserWarning, match="another version"):
            assert tables.find(rules) is None
    finally:
        tables.clear_table_cache()


@pytest.mark.parametrize("colour", "wb")
@pytest.mark.parametrize("name", SHIPPED)
def test_the_perfect_player_beats_a_random_one(name: str, colour: str) -> None:
    rules = damier.load_rules(name)
    wins = 0
    for seed in range(5):
        game, best, other = Game(rules), perfect.player(seed), RandomPlayer(seed)
        while not game.result() and game.ply < 300:
            mine = game.position.side == colour
            game = game.play((best if mine else other).choose(game))
        result = game.result()
        wins += result is not None and result.winner == colour
    assert wins == 5


def test_the_perfect_player_chooses_the_same_under_the_same_seed() -> None:
    game = Game(damier.load_rules("badia")).play("a1", "b1")
    assert perfect.player(3).choose(game) == perfect.player(3).choose(game)


def test_options_that_change_no_value_share_a_table() -> None:
    for name, option in (("fraha", {"first": "black"}), ("badia", {"repetition": "draw"})):
        assert tables.file_name(damier.load_rules(name, **option)) == f"{name}.table"


def test_probe_says_it_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", "chefa", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["outcome"], said["distance"], len(said["line"])) == ("win", 9, 9)
    assert {move["outcome"] for move in said["turns"]} <= {"win", "draw", "loss"}
    assert main(["probe", "seega"]) == 2


def test_find_skips_invalid_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAMIER_DATA_DIR", str(tmp_path))
    rules = damier.load_rules("fanorona", board="3x3")
    assert tables.find(rules) is None
    tables.clear_table_cache()
    path = tables.tables_directory() / tables.file_name(rules)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"DAMIERTB and nothing of use after it")
    with pytest.warns(UserWarning, match="damaged"):
        assert tables.find(rules) is None
    tables.clear_table_cache()
    with warnings.catch_warnings():
        path.unlink()
        assert main(["solve", "fanorona", "--board", "3x3"]) == 0
        value = solve.probe(rules.start())
        assert value is not None
        assert value.to == "capture"
    tables.clear_table_cache()


def test_superko_can_forbid_the_only_winning_move() -> None:
    """The example of docs/tables.md: BA-11 compares pawns, not marks."""
    position = damier.load_rules("badia").position("bb.bb/b###./w#.#./.###./w.www w c1 b5 -")
    table = solve.find(position.rules)
    assert table is not None
    assert table.probe(position) == solve.Value("loss", 12)
    value = solve.probe(position)
    assert value is not None
    assert value.bound  # no forced win is known under superko
    game = Game(position).play("a3=a4")
    values = {move.text: table.probe(move.after) for move in game.position.legal_moves()}
    winning = [text for text, value in values.items() if value and value.outcome == "loss"]
    assert winning == ["a3=a4"]
    assert "a3=a4" not in [move.text for move in game.legal_moves()]
    assert perfect.player(0).choose(game) in game.legal_moves()
