"""Fuzzing of the parsers: they accept exactly what they write, or raise a DamierError."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import damier
from damier import GAMES, record
from tests.support.fuzzing import TEXTS, cases, check_input, examples
from tests.support.rulesets import random_game

names = st.sampled_from(list(GAMES))
GAMES_PLAYED = {name: random_game(damier.load_rules(name), 3, max_moves=40) for name in GAMES}
alphabet = st.sampled_from('wb.#/ -=+@>,xAWabcde123459sdp0[]"\n\\é٣')


@st.composite
def mangled(draw: st.DrawFn, text: str) -> str:
    """Draw a text with a few characters changed, added or left out."""
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(text)))
        text = (
            text[:at] + draw(st.text(alphabet, max_size=3)) + text[at + draw(st.integers(0, 2)) :]
        )
    return text


@examples(400)
@given(st.data(), names)
def test_positions(data: st.DataObject, name: str) -> None:
    position = data.draw(st.sampled_from(GAMES_PLAYED[name].positions))
    text = data.draw(st.one_of(mangled(str(position)), st.text(alphabet), st.text()))
    check_input("position", game=name, text=text)


@examples(400)
@given(st.data(), names)
def test_moves(data: st.DataObject, name: str) -> None:
    game = GAMES_PLAYED[name]
    ply = data.draw(st.integers(0, game.ply - 1))
    played = game.moves_played[ply].text
    text = data.draw(st.one_of(mangled(played), st.text(alphabet), st.text()))
    check_input("move", game=name, before=str(game.at(ply).position), text=text)


@examples(200)
@given(st.data(), names)
def test_records(data: st.DataObject, name: str) -> None:
    text = str(record.Record(GAMES_PLAYED[name].back(30), "Ada", "Blaise"))
    check_input("records", text=data.draw(st.one_of(mangled(text), st.text(alphabet), st.text())))


@examples(200)
@given(names, st.text(), st.one_of(st.text(), st.integers(), st.none(), st.floats()))
def test_options(name: str, option: str, value: Any) -> None:
    check_input("option", game=name, name=option, value=value)


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=5,
)
questions = st.fixed_dictionaries(
    {},
    optional={
        "game": st.one_of(names, json_values),
        "options": st.one_of(st.just({}), json_values),
        "preset": json_values,
        "position": st.one_of(st.none(), json_values),
        "turns": st.one_of(st.just([]), json_values),
    },
)


@examples(150)
@given(st.one_of(st.text(), json_values.map(json.dumps), questions.map(json.dumps)))
def test_questions(line: str) -> None:
    check_input("question", line=line)


@pytest.mark.parametrize("case", cases(*TEXTS), ids=lambda case: str(case)[:60])
def test_cases_found_by_fuzzing(case: dict[str, Any]) -> None:
    check_input(case["kind"], **case["given"])
