"""Notation: the effect and text of each kind of step, and parsing."""

import pytest

import damier
from damier import DamierError, Game, Step, i18n
from damier.games.board import Board
from damier.games.steps import NOWHERE, PASS, STOP, Action
from damier.notation import action_text, read_attempt
from tests.support.rulesets import RULESETS, random_game

BOARD = Board(5, 5)
A1, A2, B1, B2, C3 = (BOARD.names.index(name) for name in ("a1", "a2", "b1", "b2", "c3"))


@pytest.mark.parametrize(
    ("action", "first", "later"),
    [
        (Action("place", target=A1), "a1", "+a1"),
        (Action("place", target=A1, takes=1 << B1), "a1xb1", "+a1xb1"),
        (Action("move", A1, A2), "a1-a2", "-a2"),
        (Action("move", A1, A2, 1 << B2 | 1 << B1 | 1 << C3), "a1-a2xb1xb2xc3", "-a2xb1xb2xc3"),
        (Action("move", A1, A2, 1 << B2, by="W"), "a1-a2W", "-a2W"),
        (Action("move", A1, A2, puts=((A2, C3),)), "a1-a2,a2>c3", "-a2,a2>c3"),
        (Action("move", A1, A2, puts=((A2, NOWHERE),)), "a1-a2,a2>", "-a2,a2>"),
        (Action("swap", A1, B1), "a1=b1", "a1=b1"),
        (Action("put", B2, C3), ",b2>c3", ",b2>c3"),
        (Action("drop", target=C3), "@c3", "@c3"),
        (Action("take", target=C3, takes=1 << C3), "xc3", "xc3"),
        (STOP, "", ""),
        (PASS, "--", "--"),
    ],
)
def test_every_kind_of_step_is_written(action: Action, first: str, later: str) -> None:
    assert action_text(BOARD, action, False) == first
    assert action_text(BOARD, action, True) == later


@pytest.mark.parametrize(
    ("text", "kind", "origin", "target"),
    [
        ("--", "pass", NOWHERE, NOWHERE),
        ("c3", "place", NOWHERE, C3),
        ("+c3xa1", "place", NOWHERE, C3),
        ("@c3", "drop", NOWHERE, C3),
        ("xc3", "take", NOWHERE, C3),
        ("a1=b1", "swap", A1, B1),
        (",b2>c3", "put", B2, C3),
        (",b2>", "put", B2, NOWHERE),
        ("a1-a2,b2>c3", "move", A1, A2),
        ("a1-a2W", "move", A1, A2),
        ("-a2A-b2W", "move", C3, A2),
        ("a1-z9", None, None, None),
        ("a1-e9", "move", A1, NOWHERE),
    ],
)
def test_illegal_moves_are_parsed_by_their_form(
    text: str, kind: str | None, origin: int, target: int
) -> None:
    found = read_attempt(BOARD, text, active=C3)
    if kind is None:
        assert found is None or found.kind == "place"
    else:
        assert found is not None
        assert (found.kind, found.origin, found.target) == (kind, origin, target)


@pytest.mark.parametrize("rules", RULESETS.values(), ids=RULESETS.keys())
def test_a_step_describes_its_effect(rules: damier.Rules) -> None:
    """What a step says it moves, takes and puts is all that changes on the board."""
    kinds = set()
    for seed in range(2):
        game = random_game(rules, seed, max_moves=60)
        for before, move in zip(game.positions, game.moves_played, strict=False):
            position = before
            for number, step in zip(move.steps, move.described, strict=True):
                after = position.step(number)
                kinds.add(step.kind)
                assert changes(position, after) == described_changes(position, step), (
                    str(position),
                    step,
                )
                position = after
            assert "".join(step.text for step in move.described) == move.text
    assert kinds


def changes(before: damier.Position, after: damier.Position) -> dict[str, str]:
    """Return what stands on the cells that a step has changed."""
    names = before.rules.board.indices
    return {name: after.cell(name) for name in names if after.cell(name) != before.cell(name)}


def described_changes(position: damier.Position, step: Step) -> dict[str, str]:
    """Return the same from the description of the step."""
    own, enemy = position.side, "b" if position.side == "w" else "w"
    found: dict[str, str] = dict.fromkeys(step.takes, ".")
    for cell, to in step.puts:
        found[cell] = "."
        if to is not None:
            found[to] = enemy
    if step.kind == "put" and step.origin is not None and position.cell(step.origin) == enemy:
        found[step.origin] = "."  # else it was lifted when the mover's pawn came there
    elif step.origin is not None and step.kind != "put":
        found[step.origin] = enemy if step.kind == "swap" else found.get(step.origin, ".")
    if step.target is not None:
        found[step.target] = enemy if step.kind == "put" else own
    return {cell: mark for cell, mark in found.items() if position.cell(cell) != mark}


@pytest.mark.parametrize("rules", RULESETS.values(), ids=RULESETS.keys())
def test_moves_are_found_by_the_position_they_reach(rules: damier.Rules) -> None:
    game = random_game(rules, 3, max_moves=12)
    position = game.position
    for move in position.legal_moves()[::7]:
        found = position.moves_to(move.after)
        assert move in found
        assert all(other.after == move.after for other in found)
    assert position.moves_to(rules.start()) == [
        move for move in position.legal_moves() if move.after == rules.start()
    ]


@pytest.mark.parametrize("name", ["seega"])
def test_steps_in_any_order_are_one_move(name: str) -> None:
    position = damier.load_rules(name).start()
    move = position.parse_move("a1+b2")
    assert position.move_from_steps(move.steps[::-1]) == move
    captures = damier.load_rules(name, placement_captures="yes").start()
    assert captures.move_from_steps(move.steps[::-1]).text == "b2+a1"


def test_the_same_reason_for_a_typed_move_and_for_a_click() -> None:
    """Terminal, page and library say the same sentence."""
    cases = [
        ("chefa", "a1 a5 b1 b5 c1 e4 e2 e3", "c1-c2", "a1", "b1"),
        ("fanorona", "", "a1", "a1", "a2"),
    ]
    for name, moves, _, origin, target in cases:
        game = Game(damier.load_rules(name)).play(*moves.split())
        reason = game.why_not(target, origin)
        assert reason is not None
        with pytest.raises(damier.DamierError) as refused:
            game.play(f"{origin}-{target}")
        assert refused.value.key == reason.key
        assert str(reason) in str(refused.value)


@pytest.mark.parametrize("text", ["e5", "e5+e5"])
def test_the_last_part_of_a_move_is_explained_with_the_parts_before(text: str) -> None:
    """The last cell of the board is written second: nothing goes on from there."""
    with pytest.raises(damier.DamierError, match=r"You can play: a1\+e5, a2\+e5"):
        damier.load_rules("seega").start().parse_move(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("d3-e3A-d3A", "the move has ended"),
        ("d3-e3A-e4A", "the move has ended"),
        ("c3-d3W-e3A", "is not yours"),
        ("d3-e3", "approach (A) or withdrawal (W)"),
    ],
)
def test_an_illegal_continuation_is_refused_with_the_reason(text: str, reason: str) -> None:
    rules = damier.load_rules("fanorona")
    position = rules.position("........b/........./.bbw.b.../........./.....w... w 0")
    with i18n.use_language("en"), pytest.raises(DamierError) as caught:
        position.parse_move(text)
    assert reason in str(caught.value)
