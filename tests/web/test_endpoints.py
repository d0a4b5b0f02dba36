"""The endpoint registry: complete, and every response has the fields of its model and no others."""

import datetime
import inspect
import json
import types
import typing
from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient
from pydantic import BaseModel

from damier.games import GAMES
from damier.learning.puzzles import puzzles
from damier.web import handlers
from damier.web.api import model_named
from damier.web.endpoints import ENDPOINTS, engine_endpoints

PUZZLE = puzzles("chefa")[0]
GAME = {"game": "chefa", "turns": ["b2", "d4"]}
# A request that succeeds, for each endpoint.
EXAMPLES: dict[str, list[dict[str, Any]]] = {
    "games": [{}],
    "texts": [{"language": "fr"}],
    "rules": [{"name": name} for name in GAMES],
    "warm": [{"game": "chefa"}],
    "state": [GAME, {"game": "badia"}],
    "turns": [GAME],
    "line": [GAME],
    "play": [{**GAME, "turn": "b3"}],
    "why": [{**GAME, "target": "b2"}],
    "position": [{"game": "chefa", "cells": {"a1": "w"}, "side": "w"}],
    "records/read": [{"game": "chefa", "text": "b2 d4"}, {"game": "chefa", "text": "???"}],
    "records/write": [GAME],
    "move": [{**GAME, "level": 1, "seed": 1}],
    "analysis": [{**GAME, "nodes": 100}],
    "probe": [
        {"game": "badia"},
        {"game": "chefa", "positions": ["w..../.b.../...../...../..... w -", "?"]},
    ],
    "explanation": [{"game": "chefa", "turn": "b2", "nodes": 500}],
    "training": [{"game": "chefa", "id": PUZZLE.id, "score": 1, "grade": 3, "now": 5}],
    "lessons": [{"game": "chefa"}],
    "lessons/try": [{"game": "chefa", "step": 0, "turn": "a2-a1"}],
    "puzzles": [{"game": "chefa"}],
    "puzzles/shown": [{"game": "chefa", "id": PUZZLE.id}],
    "puzzles/attempt": [{"game": "chefa", "id": PUZZLE.id, "turns": [PUZZLE.line[0]]}],
    "puzzles/hint": [{"game": "chefa", "id": PUZZLE.id}],
    "puzzles/solution": [{"game": "chefa", "id": PUZZLE.id}],
    "puzzles/daily": [{"date": str(datetime.date(2026, 11, 18))}],
    "lab/report": [{"game": "chefa"}],
    "lab/run": [{"game": "chefa"}],
}


def fits(value: Any) -> Callable[[Any], bool]:
    """Return a test whether an annotation is a model that has all fields of a value."""
    return lambda part: (
        isinstance(part, type)
        and issubclass(part, BaseModel)
        and isinstance(value, dict)
        and value.keys() <= part.model_fields.keys()
    )


def check_fields(annotation: Any, value: Any, where: str) -> None:
    """Assert that JSON has the fields of the models in a type annotation, and no others."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        assert isinstance(value, dict), where
        fields = annotation.model_fields
        assert value.keys() <= fields.keys(), where
        for name, field in fields.items():
            assert name in value or not field.is_required(), f"{where}.{name}"
            if name in value:
                check_fields(field.annotation, value[name], f"{where}.{name}")
        return
    parts = typing.get_args(annotation)
    origin = typing.get_origin(annotation)
    if origin in (typing.Union, types.UnionType):
        models = [part for part in parts if part not in (type(None), str)]
        if value is not None and not (isinstance(value, str) and str in parts):
            check_fields(next(filter(fits(value), models), models[0]), value, where)
    elif origin is list:
        for item in value:
            check_fields(parts[0], item, f"{where}[]")
    elif origin is dict:
        for item in value.values():
            check_fields(parts[1], item, f"{where}{{}}")


def test_every_endpoint_has_an_example() -> None:
    assert EXAMPLES.keys() == ENDPOINTS.keys()


@pytest.mark.parametrize("name", ENDPOINTS)
def test_a_response_has_only_the_fields_of_its_model(name: str, client: TestClient) -> None:
    endpoint = ENDPOINTS[name]
    for example in EXAMPLES[name]:
        if endpoint.request is None:
            response = client.get("/api/v1" + endpoint.path.format(**example))
        else:
            response = client.post(f"/api/v1/{name}", json=example)
        assert response.status_code == 200, response.text
        if endpoint.response is not None:
            model = model_named(endpoint.response)
            model.model_validate_json(response.text)
            check_fields(model, json.loads(response.text), name)


@pytest.mark.parametrize("name", ENDPOINTS)
def test_a_handler_takes_only_what_it_uses(name: str) -> None:
    endpoint = ENDPOINTS[name]
    parameters = list(inspect.signature(endpoint.handler).parameters)
    assert parameters == (["body", "stop"] if endpoint.stoppable else ["body"])
    assert endpoint.handler.__doc__
    assert endpoint.handler.__module__ == handlers.__name__


def test_engine_endpoints_need_kernels_and_help_players() -> None:
    helping = ["move", "analysis", "explanation", "puzzles/attempt"]
    assert engine_endpoints() == [*helping, "lab/run"]
    for name in engine_endpoints():
        assert ENDPOINTS[name].needs_kernels
        assert ENDPOINTS[name].helps_players == (name in helping)
