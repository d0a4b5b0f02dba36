"""Requests of another form are refused alike by pydantic and where there is none."""

import json
import random
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from damier.web import forms, models
from damier.web.api import POSTS

GOOD: dict[str, Any] = {
    "game": "chefa", "turn": "b2", "target": "a1", "cells": {"a1": "w"}, "side": "w", "text": "b2",
    "level": 2, "seed": 5, "seconds": 1, "turns": ["b2"], "begun": [3], "nodes": 10,
    "options": {}, "preset": None, "start": None, "white": "A", "black": "B", "date": "?",
    "winner": None, "reason": "", "fields": {}, "origin": None,
    "id": "0", "points": 1500, "deviation": 80.5, "volatility": 0.06, "score": 1, "grade": 3,
    "now": 5, "card": {"state": 2, "step": None}, "step": 1, "stage": 0,
}  # fmt: skip
NAMES = ("a1", "w", "zzzz", "k" * 41, "\udc00")
PLAIN = (None, True, False, 0, -1, 1 << 33, 1.0, 25.5, "", "a1", "w" * 4, "w" * 201, "x\ud800")


def junk(draw: random.Random, depth: int = 0) -> Any:
    kind = draw.randrange(8)
    if kind > 1 or depth > 1:
        return draw.choice(PLAIN)
    if kind:
        return [junk(draw, depth + 1) for _ in range(draw.choice((0, 1, 3, 41)))]
    return {draw.choice(NAMES): junk(draw, depth + 1) for _ in range(draw.choice((0, 1, 3)))}


def body(draw: random.Random, fields: list[str]) -> Any:
    if draw.random() < 0.02:
        return junk(draw)
    found = {}
    for name in fields:
        if draw.random() < 0.9:
            usual = name in GOOD and draw.random() < 0.8
            found[name] = GOOD[name] if usual else junk(draw)
    if draw.random() < 0.1:
        found[draw.choice(("extra", "\udc00"))] = 1
    return found


@pytest.mark.parametrize("asked", sorted({form for form, _ in POSTS.values()}, key=str))
def test_what_is_wrong_is_found_as_pydantic_finds_it(asked: type[models.Strict]) -> None:
    form, adapter = asked.model_json_schema(), TypeAdapter(asked)
    draw = random.Random(asked.__name__)
    refused = 0
    for _ in range(600):
        tried = body(draw, list(form["properties"]))
        problem = forms.first_problem(form, tried)
        try:
            read = adapter.validate_python(tried, from_attributes=True)
        except ValidationError as error:
            first = error.errors()[0]
            assert problem is not None, tried
            assert (problem.where, problem.kind) == (first["loc"], first["type"]), tried
            for name, value in problem.details.items():
                assert first["ctx"][name] == value, tried
            refused += 1
        else:
            assert problem is None, tried
            complete = forms.completed(form, tried)
            assert json.dumps(complete) == json.dumps(read.model_dump())
    assert 100 < refused < 600


def test_a_list_that_is_too_long_is_told_before_what_is_in_it() -> None:
    form = models.Played.model_json_schema()
    problem = forms.first_problem(form, {"game": "chefa", "turns": [0] * (models.MOST_TURNS + 1)})
    assert problem == forms.Problem(("turns",), "too_long", {"max_length": models.MOST_TURNS})
