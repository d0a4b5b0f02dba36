"""The Python API: error messages, and guarantees of its objects."""

from typing import Any

import pytest

import damier
from damier import DamierError, Position, Result, i18n, load_rules


def test_game_names_presets_and_options() -> None:
    assert load_rules("fanorona").options["capture"] == "free"
    assert load_rules("fanorona", "international").options["stall"] == "0"
    assert load_rules("fanorona", "international", stall=7).options["stall"] == "7"
    assert load_rules("seega", size=7) is load_rules("seega", size="7")
    assert load_rules("chefa", "fair") is load_rules("chefa", first_mover="last")
    assert dict(load_rules("chefa", "fair").changed) == {"first_mover": "last"}
    assert repr(load_rules("chefa", "fair")) == "damier.load_rules('chefa', first_mover='last')"


@pytest.mark.parametrize(
    ("arguments", "options", "key"),
    [
        (("chess",), {}, "game"),
        (("chefa", "blitz"), {}, "preset"),
        (("chefa",), {"colour": "red"}, "option"),
        (("chefa",), {"line": "round"}, "option-value"),
        (("seega",), {"stall": "-1"}, "option-number"),
        (("seega",), {"stall": "1e3"}, "option-number"),
        (("seega",), {"stall": 4096}, "option-number"),
        (("seega",), {"stall": None}, "option-number"),
        (("fanorona",), {"board": "4x4"}, "option-value"),
        (("fanorona",), {"board": "9x9"}, "option-value"),
    ],
)
def test_unknown_rules_are_refused(
    arguments: tuple[str], options: dict[str, Any], key: str
) -> None:
    with pytest.raises(DamierError) as caught:
        load_rules(*arguments, **options)
    assert caught.value.key == key
    assert str(caught.value)


@pytest.mark.parametrize(
    ("name", "text", "key"),
    [
        ("fraha", "", "position-parts"),
        ("fraha", "w...w/.b.b./...../.b.b./w...w", "position-parts"),
        ("fraha", "w...w/.b.b./...../.b.b./w...w  w", "position-parts"),
        ("fraha", "w...w/.b.b./...../.b.b. w", "position-rows"),
        ("fraha", "w...w/.b.b./...../.b.b/w...w w", "position-row"),
        ("fraha", "w...w/.b.b./...../.b.x./w...w w", "position-mark"),
        ("fraha", "w...w/.b#b./...../.b.b./w...w w", "position-mark"),
        ("fraha", "w...w/.b.b./..b../.b.../w...w w", "position-closed"),
        ("fraha", "ww..w/.b.b./...../.b.b./w...w w", "position-pawns"),
        ("fraha", "w...w/.b.b./...../.b.b./w...w W", "position-side"),
        ("chefa", "wwww./bbbb./...../...../..... w a1=a5", "ko"),
        ("chefa", "w.ww./bwbbb/...../...../..... w a4=a5", "ko"),
        ("chefa", "w..../b..../...../...../..... w a4", "ko"),
        ("badia", "...../.###./.#.#./.###./.. ... w - - -", "position-parts"),
        ("badia", "...../....../.#.#./.###./..... w - - -", "position-row"),
        ("badia", "...../.....\t/.#.#./.###./..... w - - -", "position-row"),
        ("badia", "...../.w##./.#.#./.###./..... w - - -", "position-mark"),
        ("badia", "w..../.###./.#.#./.###./..... w a4 - -", "mark"),
        ("badia", "w..../.###./.#.#./.###./..... w - a5 -", "mark"),
        ("badia", "w..../.###./.#.#./.###./..... w a5,a4 - -", "mark"),
        ("badia", "wwwww/.###./.#.#./.###./..... w - - d", "drop-pawns"),
        ("badia", "wwww./.###./.#.#./.###./..... w a5 - D", "drop-mark"),
        ("badia", "wwww./.###./.#.#./.###./..... w - - x", "drop"),
        ("seega", "...../...../...../...../..... w 11 12 s 0", "hand"),
        ("seega", "...../...../...../...../..... w 012 12 s 0", "hand"),
        ("seega", "w..../...../...../...../..... w 12 12 s 0", "hand-pawns"),
        ("seega", "w..../...../...../...../..... w 0 2 s 0", "hand-empty"),
        ("seega", "w..../b..../...../...../..... w 0 0 x 0", "state"),
        ("seega", "w..../b..../...../...../..... w 2 2 - 0", "state-hands"),
        ("seega", "w..../b..../...../...../..... w 0 0 s 4", "state-count"),
        ("seega", "w..../b..../...../...../..... w 0 0 - -4", "count"),
        ("seega", "w..../b..../...../...../..... w 0 0 - 999999", "count"),
        ("fanorona", "w......../b......../........./........./......... w ٣", "count"),
        ("fanorona", "w......../b......../........./........./......... w 00", "count"),
    ],
)
def test_impossible_positions_are_refused(name: str, text: str, key: str) -> None:
    with pytest.raises(DamierError) as caught:
        load_rules(name).position(text)
    assert caught.value.key == key
    assert str(caught.value)


def test_a_position_must_be_text() -> None:
    with pytest.raises(DamierError, match="not int"):
        load_rules("fraha").position(5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "text", "key"),
    [
        ("fraha", "nonsense", "turn-form"),
        ("fraha", "", "turn-form"),
        ("fraha", "a1-a9", "turn-cell"),
        ("fraha", "a1-a2", "turn-unfinished"),
        ("fraha", "a1-a2,b2>c3", "turn-goes-wrong"),
        ("fraha", "b2-b3", "enemy-pawn"),
        ("fraha", "a3-a4", "empty"),
        ("fraha", "--", "no-pass"),
        ("fraha", "@a2", "no-drop"),
        ("fraha", "a2", "no-placement"),
        ("chefa", "a1-a2", "must-place"),
        ("chefa", "c3", "place-closed"),
        ("seega", "b1+a1", "turn-order"),
        ("seega", "a1", "turn-unfinished"),
        ("badia", "c1", "place-closed"),
        ("fanorona", "d3-e3", "turn-ambiguous"),
        ("fanorona", "d3-e3A-e4A", "turn-goes-wrong"),
        ("fanorona", "a1-a2", "own-pawn"),
    ],
)
def test_refusals_say_why(name: str, text: str, key: str) -> None:
    position = load_rules(name).start()
    before = str(position)
    with pytest.raises(DamierError) as caught:
        position.play(text)
    assert caught.value.key == key
    assert "{" not in str(caught.value)
    assert str(position) == before


@pytest.mark.parametrize(
    ("name", "position", "text", "key"),
    [
        ("chefa", "w.w../w...b/...b./w.b../..b.. w c5=c2", "c5=c2", "ko-barred"),
        ("badia", "w.b.b/.###./.#.#w/.###b/wbwbw w a5 - -", "a5-a4", "marked"),
        ("badia", "w.b../.###./b#w#w/.###./.bwbw b e3 - D", "a5-a4", "must-drop"),
        ("badia", "w.b../.###./b#w#w/.###./.bwbw b e3 - D", "@a5", "drop-occupied"),
        ("seega", "w.bw./...../...../...../..... w 0 0 - 3", "a5-a4", "must-capture"),
        (
            "fanorona",
            "........./........./bbbw...../...b...../........b w 5",
            "d3-e3A",
            "illegal",
        ),
        ("seega", "wb.../b..../...../...../....b w 0 0 - 3", "a5-a4", "must-pass"),
        ("seega", "bw.../w..../...w./...../..... w 0 0 p 3", "d3-d2", "must-free"),
        ("fraha", "wwww./.b.b./...../.b.b./..... b", "b2-b3", "over"),
    ],
)
def test_refusals_in_positions_say_why(name: str, position: str, text: str, key: str) -> None:
    with pytest.raises(DamierError) as caught:
        load_rules(name).position(position).play(text)
    assert caught.value.key == key
    assert str(caught.value)


def test_objects_are_immutable_and_hashable() -> None:
    position = load_rules("chefa").start()
    with pytest.raises(AttributeError):
        position.white = 3  # type: ignore[misc]
    assert {position, load_rules("chefa").start()} == {position}
    assert position != load_rules("chefa", "fair").start()
    move = position.legal_moves()[0]
    assert {move, position.parse_move(move.text)} == {move}
    assert move != "a1"
    assert repr(move) == "<move a1>"


def test_cells() -> None:
    position = load_rules("fraha").start()
    assert [position.cell(name) for name in ("a1", "b2", "c3")] == ["w", "b", "."]
    with pytest.raises(DamierError, match="no cell"):
        position.cell("f1")


def test_positions_inside_a_move() -> None:
    position = load_rules("fraha").start()
    inside = position.step(0)
    assert inside.unfinished
    assert inside.begun == "a1-a2"
    assert str(inside).endswith("(a1-a2…)")
    assert inside.result() is None
    assert inside.play("a1-a2,b2>c1") == position.play("a1-a2,b2>c1")
    with pytest.raises(DamierError, match="not legal"):
        inside.step(1)
    assert all(move.text.startswith("a1-a2,b2>") for move in inside.legal_moves())


def test_the_mover_of_a_given_position_is_the_side_not_to_move() -> None:
    both = "wwww./...../...../...../bbbb. {} -"
    assert load_rules("chefa").position(both.format("b")).result() == Result("w", "line")
    assert load_rules("chefa").position(both.format("w")).result() == Result("b", "line")


def test_symmetries_are_checked() -> None:
    with pytest.raises(DamierError, match="from 0 to 7"):
        load_rules("fraha").start().transformed(8)
    with pytest.raises(DamierError, match="aim of its own"):
        load_rules("fraha").start().transformed(swap=True)
    assert len(load_rules("fanorona").board.symmetries) == 4
    assert len(load_rules("fanorona", board="5x5").board.symmetries) == 8


def test_children_are_distinct_positions() -> None:
    position = load_rules("fanorona").start().play("d3-e3A")
    assert len(position.children()) == position.perft(1)
    assert all(isinstance(child, Position) for child in position.children())


def test_results_in_both_languages() -> None:
    result = Result("w", "line")
    assert result.sentence() == "White wins: all pawns in a line."
    i18n.set_language("fr")
    said = "Les Blancs gagnent\N{NO-BREAK SPACE}: leurs quatre pions sont alignés."
    assert result.sentence() == said
    assert "partie est terminée" in str(DamierError("over"))


def test_version_is_that_of_the_package() -> None:
    from importlib.metadata import version

    assert version("damier") == damier.__version__


def test_nothing_can_be_changed() -> None:
    position = load_rules("chefa").start()
    move, step = position.legal_moves()[0], position.steps()[0]
    played = damier.Game(position).play(move)
    result = Result("w", "line")
    for thing, name in (
        (position, "white"),
        (position.rules, "name"),
        (move, "text"),
        (move, "steps"),
        (move, "words"),
        (step, "number"),
        (played, "ply"),
        (result, "winner"),
    ):
        with pytest.raises(AttributeError):
            setattr(thing, name, getattr(thing, name))


def test_numbers_that_make_no_sense_are_refused() -> None:
    position = load_rules("chefa").start()
    for call in (
        lambda: position.perft(-1),
        lambda: position.step(-1),
        lambda: position.step(position.rules.step_range),
        lambda: damier.Game(position).back(-1),
        lambda: damier.Game(position).at(1),
    ):
        with pytest.raises(DamierError):
            call()


def test_numpy_integers_are_steps() -> None:
    import numpy as np

    position = load_rules("fanorona").start()
    for step in position.steps():
        assert position.step(np.int64(step.number)) == position.step(step.number)  # type: ignore[arg-type]


def test_a_bounded_number_of_rules_is_cached_and_rules_in_use_stay_one_object() -> None:
    """Requests with ever new options do not fill the memory, and evict nothing that is in use."""
    from damier.position import MAX_RULES, _rules, _rules_in_use

    first = load_rules("seega", stall=0)
    for stall in range(2 * MAX_RULES):
        load_rules("seega", stall=stall)
    assert _rules.cache_info().currsize <= MAX_RULES
    assert len(_rules_in_use) < 2 * MAX_RULES
    assert load_rules("seega", stall=0) is first
    assert {load_rules("seega", stall=0).start()} == {first.start()}
