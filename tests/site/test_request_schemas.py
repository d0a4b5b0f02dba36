"""Malformed requests are refused alike by pydantic and by the validation in the browser."""

import json
import random
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from damier.web import models, validation
from damier.web.api import model_named
from damier.web.endpoints import ENDPOINTS

GOOD: dict[str, Any] = {
    "game": "chefa", "turn": "b2", "target": "a1", "cells": {"a1": "w"}, "side": "w", "text": "b2",
    "level": 2, "seed": 5, "seconds": 1, "turns": ["b2"], "begun": [3], "nodes": 10,
    "options": {}, "preset": None, "start": None, "white": "A", "black": "B", "date": "?",
    "winner": None, "reason": "", "fields": {}, "origin": None, "positions": ["? w"],
    "id": "0", "points": 1500, "deviation": 80.5, "volatility": 0.06, "score": 1, "grade": 3,
    "now": 5, "card": {"state": 2, "step": None}, "step": 1, "stage": 0,
}  # fmt: skip  # compact list
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


REQUESTS = sorted({endpoint.request for endpoint in ENDPOINTS.values() if endpoint.request})


@pytest.mark.parametrize("name", REQUESTS)
def test_the_same_problems_are_found_as_by_pydantic(name: str) -> None:
    model = model_named(name)
    schema, adapter = model.model_json_schema(), TypeAdapter(model)
    draw = random.Random(name)
    refused = 0
    for _ in range(600):
        tried = body(draw, list(schema["properties"]))
        problem = validation.first_problem(schema, tried)
        try:
            read = adapter.validate_python(tried, from_attributes=True)
        except ValidationError as error:
            first = error.errors()[0]
            assert problem is not None, tried
            assert (problem.location, problem.kind) == (first["loc"], first["type"]), tried
            for detail, value in problem.details.items():
                assert first["ctx"][detail] == value, tried
            refused += 1
        else:
            assert problem is None, tried
            complete = validation.fill_defaults(schema, tried)
            assert json.dumps(complete) == json.dumps(read.model_dump())
    assert 100 < refused < 600


def test_a_list_that_is_too_long_is_reported_before_its_items() -> None:
    schema = models.GameRequest.model_json_schema()
    problem = validation.first_problem(
        schema, {"game": "chefa", "turns": [0] * (models.MAX_MOVES + 1)}
    )
    assert problem == validation.Problem(("turns",), "too_long", {"max_length": models.MAX_MOVES})
