"""Steps are structure: what each kind does, what it writes, and how texts are read back."""

import pytest

import damier
from damier import Game, Step
from damier.games.board import Board
from damier.games.steps import NOWHERE, PASS, STOP, Action
from damier.notation import action_text, read_attempt
from rulesets import RULESETS, random_game

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
def test_what_is_not_legal_is_read_by_its_form(
    text: str, kind: str | None, origin: int, target: int
) -> None:
    found = read_attempt(BOARD, text, active=C3)
    if kind is None:
        assert found is None or found.kind == "place"
    else:
        assert found is not None
        assert (found.kind, found.origin, found.target) == (kind, origin, target)


@pytest.mark.parametrize("rules", RULESETS.values(), ids=RULESETS.keys())
def test_a_step_says_what_it_does_to_the_board(rules: damier.Rules) -> None:
    """What a step says it moves, takes and puts is all that changes on the board."""
    kinds = set()
    for seed in range(2):
        game = random_game(rules, seed, most=60)
        for before, turn in zip(game.positions, game.turns_played, strict=False):
            position = before
            for number, step in zip(turn.steps, turn.described, strict=True):
                after = position.step(number)
                kinds.add(step.kind)
                assert changes(position, after) == said(position, step), (str(position), step)
                position = after
            assert "".join(step.text for step in turn.described) == turn.text
    assert kinds


def changes(before: damier.Position, after: damier.Position) -> dict[str, str]:
    """Return what stands on the cells that a step has changed."""
    names = before.rules.board.indices
    return {name: after.cell(name) for name in names if after.cell(name) != before.cell(name)}


def said(position: damier.Position, step: Step) -> dict[str, str]:
    """Return the same from what the step says of itself."""
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
def test_turns_are_found_by_the_position_they_reach(rules: damier.Rules) -> None:
    game = random_game(rules, 3, most=12)
    position = game.position
    for turn in position.turns()[::7]:
        found = position.turns_to(turn.after)
        assert turn in found
        assert all(other.after == turn.after for other in found)
    assert position.turns_to(rules.start()) == [
        turn for turn in position.turns() if turn.after == rules.start()
    ]


@pytest.mark.parametrize("name", ["seega"])
def test_steps_in_any_order_are_one_turn(name: str) -> None:
    position = damier.game(name).start()
    turn = position.turn("a1+b2")
    assert position.turn_of(turn.steps[::-1]) == turn
    captures = damier.game(name, placement_captures="yes").start()
    assert captures.turn_of(turn.steps[::-1]).text == "b2+a1"


def test_the_same_reason_for_a_typed_turn_and_for_a_click() -> None:
    """Terminal, page and library say the same sentence."""
    cases = [
        ("chefa", "a1 a5 b1 b5 c1 e4 e2 e3", "c1-c2", "a1", "b1"),
        ("fanorona", "", "a1", "a1", "a2"),
    ]
    for name, turns, _, origin, target in cases:
        game = Game(damier.game(name)).play(*turns.split())
        reason = game.why_not(target, origin)
        assert reason is not None
        with pytest.raises(damier.DamierError) as refused:
            game.play(f"{origin}-{target}")
        assert refused.value.key == reason.key
        assert str(reason) in str(refused.value)


@pytest.mark.parametrize("text", ["e5", "e5+e5"])
def test_what_a_turn_ends_with_is_no_turn_and_is_told_with_what_comes_before(text: str) -> None:
    """The last cell of the board is written second: nothing goes on from there."""
    with pytest.raises(damier.DamierError, match=r"You can play: a1\+e5, a2\+e5"):
        damier.game("seega").start().turn(text)
