"""Games that were written to test the contract, compared with second implementations.

Dodgem has no symmetry, Konane begins with the removal of own pawns, Teeko has two phases, and in
Reversi pawns change sides.
"""

from pathlib import Path

import pytest

import damier
from damier import Position, Rules, i18n, record, solve
from damier.cli import main
from damier.games import load
from damier.illegal_moves import IllegalMoveError
from damier.symmetry import symmetry_key
from tests.support import reference_games as reference
from tests.support.rulesets import reachable

pytestmark = pytest.mark.usefixtures("own_registry")

FOLDER = Path(__file__).parents[1] / "data" / "games"


def rules_of(name: str, **options: str) -> Rules:
    folder, file = FOLDER / name, FOLDER / f"{name}.py"
    return damier.load_rules(load(folder if folder.is_dir() else file).name, **options)


def state_of(position: Position) -> reference.State:
    """Return a position as a second implementation has it."""
    board = position.rules.board
    white, black = (
        frozenset((i % board.files, i // board.files) for i in range(board.size) if cells >> i & 1)
        for cells in (position.white, position.black)
    )
    return reference.State((white, black), "wb".index(position.side))


SOLVED = [
    ("dodgem", {}, reference.Dodgem(3), ("win", 19)),
    ("konane", {"size": "4"}, reference.Konane(4), ("loss", 6)),
]


@pytest.mark.parametrize(("name", "options", "other", "start"), SOLVED, ids=["dodgem", "konane"])
def test_every_position_has_the_right_moves_and_value(
    name: str, options: dict[str, str], other: reference.Reference, start: tuple[str, int]
) -> None:
    rules = rules_of(name, **options)
    words = [f"--option={key}={value}" for key, value in options.items()]
    assert main(["solve", str(FOLDER / f"{name}.py"), *words]) == 0
    values, count = reference.values(other), 0
    assert values[other.start] == start
    for position in reachable(rules):
        state = state_of(position)
        moves = position.legal_moves()
        assert {state_of(move.after) for move in moves} == other.after(state)
        for move in moves:
            assert position.parse_move(move.text) == move
        found = solve.probe(position)
        assert found is not None
        assert (found.outcome, found.distance) == values[state], position
        count += 1
    assert count == len(values)


@pytest.mark.parametrize(
    ("name", "options", "other", "depth"),
    [
        ("dodgem", {"size": "4"}, reference.Dodgem(4), 5),
        ("konane", {}, reference.Konane(6), 5),
        ("teeko", {}, reference.Teeko(), 3),
        ("reversi", {}, reference.Reversi(4), 7),
        ("reversi", {"size": "6"}, reference.Reversi(6), 4),
    ],
)
def test_perft(name: str, options: dict[str, str], other: reference.Reference, depth: int) -> None:
    position = rules_of(name, **options).start()
    assert [position.perft(n) for n in range(1, depth + 1)] == [
        reference.paths(other, n) for n in range(1, depth + 1)
    ]


def test_a_game_without_symmetry_has_one_image_of_each_position() -> None:
    rules = rules_of("dodgem")
    assert rules.board.symmetries == (tuple(range(9)),)
    position = rules.start().play("a3-b3")
    assert position.transformed(0) == position
    keys = {symmetry_key(rules.module, p.words) for p in reachable(rules)}
    assert len(keys) == 1963  # positions up to symmetry: all of them


def test_removing_an_own_pawn_is_a_step_of_its_own() -> None:
    rules = rules_of("konane")
    position = rules.start()
    assert [move.text for move in position.legal_moves()] == ["a1>", "c3>", "d4>", "f6>"]
    (step,) = position.parse_move("c3>").described
    assert (step.kind, step.origin, step.target, step.takes) == ("remove", "c3", None, ())
    after = position.play("c3>")
    assert after.white.bit_count() == 17
    refused = {"b1>": "not yours", "c1>": "pawn on c1 may not", "c1-c2": "First take"}
    for text, said in refused.items():
        with pytest.raises(IllegalMoveError, match=said):
            position.play(text)
    later = after.play("c4>").play("c1-c3xc2")
    with pytest.raises(IllegalMoveError, match="No pawn can be taken off"):
        later.play("d3>")
    with i18n.use_language("fr"), pytest.raises(IllegalMoveError, match="Retirez d’abord"):
        position.play("c1-c2")
    dodgem = rules_of("dodgem").position("..w/.../.b. w")
    assert [move.text for move in dodgem.legal_moves()] == ["c3-c2", "c3>"]


def test_the_first_preset_is_the_default_everywhere(tmp_path: Path) -> None:
    source = (FOLDER / "konane.py").read_text("utf-8")
    changed = source.replace('{"large": {}, "small": {"size": "4"}}', '{"small": {"size": "4"}}')
    changed = changed.replace('NAME = "konane"', 'NAME = "small_konane"')
    assert changed != source
    path = tmp_path / "small.py"
    path.write_text(changed, "utf-8")
    load(path)
    rules, large = (damier.load_rules("small_konane", **o) for o in ({}, {"size": "6"}))
    assert (dict(rules.changed), rules.board.size) == ({}, 16)
    assert dict(large.changed) == {"size": "6"}
    text = str(record.Record(damier.Game(large).play("c3>")))
    (found,), problems = record.read(text)
    assert problems == []
    assert found.game.rules is large


def test_an_unsound_field_of_a_position_is_refused(tmp_path: Path) -> None:
    source = (FOLDER / "noughts.py").read_text("utf-8").replace('NAME = "noughts"', 'NAME = "lax"')
    path = tmp_path / "lax.py"
    path.write_text(
        f"""{source}

FIELDS = ("count",)


def write_fields(w, b, r):
    return [str(w.bit_count())]


def read_fields(w, b, r, fields):
    assert int(fields[0]) >= 0
    return r


def promoted(w, b, r):
    return w if b or w.bit_count() < 2 else 1 << 8
""",
        "utf-8",
    )
    rules = damier.load_rules(load(path).name)
    assert str(rules.position("w../.../... b 1")) == "w../.../... b 1"
    for text, key in {"x": "position-fields", "01": "position-fields-order"}.items():
        with pytest.raises(damier.DamierError) as refused:
            rules.position(f"w../.../... b {text}")
        assert refused.value.key == key
    with pytest.raises(damier.DamierError, match="no pawn on c3"):
        rules.position("ww./.../... w 2")
