"""Validation of request bodies against JSON schemas, for the browser, where there is no pydantic.

The schemas are those of the server's pydantic models. This module finds the same problems as
pydantic, in the same order: a request gets the same error from a server and in the browser.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Any

Schema = dict[str, Any]
Location = tuple[str | int, ...]

_TYPES = {"string": str, "array": list, "object": dict, "integer": int, "number": int | float}
_WRONG_TYPE = {
    "string": "string_type",
    "array": "list_type",
    "object": "dict_type",
    "integer": "int_type",
    "number": "float_type",
}
# A bound in a schema, pydantic's error type and name for it, and the comparison that must hold.
_BOUNDS = (
    ("maximum", "less_than_equal", "le", operator.le),
    ("exclusiveMaximum", "less_than", "lt", operator.lt),
    ("minimum", "greater_than_equal", "ge", operator.ge),
    ("exclusiveMinimum", "greater_than", "gt", operator.gt),
)


@dataclass(frozen=True)
class Problem:
    """A difference from a schema: its location, pydantic's error type, and the error's context."""

    location: Location
    kind: str
    details: dict[str, Any] = dataclass_field(default_factory=dict)


def first_problem(schema: Schema, body: Any) -> Problem | None:
    """Return the first problem of a request body, or None if it is valid."""
    if not isinstance(body, dict):
        return Problem((), "model_attributes_type")
    return next(_object_fields(schema, body), None)


def fill_defaults(schema: Schema, body: dict[str, Any]) -> dict[str, Any]:
    """Return a valid body with the defaults of absent fields."""
    fields = schema["properties"].items()
    return {
        name: _convert_numbers(field, body.get(name, field.get("default")))
        for name, field in fields
    }


def _convert_numbers(schema: Schema, value: Any) -> Any:
    """Return a value with its numbers as pydantic converts them."""
    if value is None:
        return None
    schema = schema.get("anyOf", [schema])[0]  # optional: the first alternative, or null
    if schema.get("type") == "number":
        return float(value)
    if schema.get("type") == "object":
        return {
            key: _convert_numbers(schema["additionalProperties"], item)
            for key, item in value.items()
        }
    return value


def _object_fields(schema: Schema, body: dict[str, Any]) -> Iterator[Problem]:
    fields = schema["properties"]
    if any(map(_has_surrogate, body)):
        yield Problem((), "string_unicode")
    for name, field in fields.items():
        if name in body:
            yield from _value(field, body[name], (name,))
        elif name in schema.get("required", ()):
            yield Problem((name,), "missing")
    yield from (Problem((name,), "extra_forbidden") for name in body if name not in fields)


def _value(schema: Schema, value: Any, location: Location) -> Iterator[Problem]:
    if "anyOf" in schema:  # optional: the first alternative, or null
        if value is not None:
            yield from _value(schema["anyOf"][0], value, location)
    elif "enum" in schema:
        if isinstance(value, str) and _has_surrogate(value):
            yield Problem(location, "string_unicode")
        elif value not in schema["enum"]:
            yield Problem(location, "literal_error", {"expected": _alternatives(schema["enum"])})
    elif isinstance(value, bool) or not isinstance(value, _TYPES[schema["type"]]):
        yield Problem(location, _WRONG_TYPE[schema["type"]])
    elif isinstance(value, str):
        yield from _text(schema, value, location)
    elif isinstance(value, list):
        yield from _list(schema, value, location)
    elif isinstance(value, dict):
        yield from _object(schema, value, location)
    else:
        for bound, kind, name, holds in _BOUNDS:
            if bound in schema and not holds(value, schema[bound]):
                yield Problem(location, kind, {name: schema[bound]})


def _text(schema: Schema, value: str, location: Location) -> Iterator[Problem]:
    max_length = schema.get("maxLength")
    if _has_surrogate(value):
        yield Problem(location, "string_unicode")
    elif max_length is not None and len(value) > max_length:
        yield Problem(location, "string_too_long", {"max_length": max_length})


def _has_surrogate(value: str) -> bool:
    """Return whether a text has an unpaired surrogate: JSON can escape one, UTF-8 cannot."""
    return any("\ud800" <= c <= "\udfff" for c in value)


def _list(schema: Schema, value: list[Any], location: Location) -> Iterator[Problem]:
    if len(value) > schema["maxItems"]:
        yield Problem(location, "too_long", {"max_length": schema["maxItems"]})
        return
    for index, item in enumerate(value):
        yield from _value(schema["items"], item, (*location, index))


def _object(schema: Schema, value: dict[str, Any], location: Location) -> Iterator[Problem]:
    if len(value) > schema["maxProperties"]:
        yield Problem(location, "too_long", {"max_length": schema["maxProperties"]})
        return
    for name, item in value.items():
        shown = "".join("\ufffd" * 3 if _has_surrogate(c) else c for c in name)
        yield from _text(schema["propertyNames"], name, (*location, shown, "[key]"))
        yield from _value(schema["additionalProperties"], item, (*location, name))


def _alternatives(values: list[str]) -> str:
    quoted = [f"'{value}'" for value in values]
    return " or ".join([", ".join(quoted[:-1]), quoted[-1]]) if len(quoted) > 1 else quoted[0]
