"""Whether a request has the form described, where there is no pydantic to say so.

A form is the JSON schema of a request's body, as the server's models give it. What is found wrong,
and in which order it is looked for, is what pydantic finds: the same request gets the same refusal
from a server and inside a browser.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Form = dict[str, Any]
Where = tuple[str | int, ...]

_TYPES = {"string": str, "array": list, "object": dict, "integer": int, "number": int | float}
_WRONG_TYPE = {
    "string": "string_type",
    "array": "list_type",
    "object": "dict_type",
    "integer": "int_type",
    "number": "float_type",
}
# A bound in a schema: what is said of a number beyond it, and what the text calls the bound.
_BOUNDS = (
    ("maximum", "less_than_equal", "le", operator.le),
    ("exclusiveMaximum", "less_than", "lt", operator.lt),
    ("minimum", "greater_than_equal", "ge", operator.ge),
    ("exclusiveMinimum", "greater_than", "gt", operator.gt),
)


@dataclass(frozen=True)
class Problem:
    """What differs from a form: where, of which kind, and the details that its text names."""

    where: Where
    kind: str
    details: dict[str, Any] = field(default_factory=dict)


def first_problem(form: Form, body: Any) -> Problem | None:
    """Return what is wrong with the body of a request, if anything is."""
    if not isinstance(body, dict):
        return Problem((), "model_attributes_type")
    return next(_model(form, body), None)


def completed(form: Form, body: dict[str, Any]) -> dict[str, Any]:
    """Return a body of the right form with everything that was left out."""
    fields = form["properties"].items()
    return {name: _as_kept(one, body.get(name, one.get("default"))) for name, one in fields}


def _as_kept(form: Form, value: Any) -> Any:
    """Return a value with its numbers as the models keep them."""
    if value is None:
        return None
    form = form.get("anyOf", [form])[0]  # something, or nothing
    if form.get("type") == "number":
        return float(value)
    if form.get("type") == "object":
        return {name: _as_kept(form["additionalProperties"], one) for name, one in value.items()}
    return value


def _model(form: Form, body: dict[str, Any]) -> Iterator[Problem]:
    fields = form["properties"]
    if any(map(_broken, body)):
        yield Problem((), "string_unicode")
    for name, one in fields.items():
        if name in body:
            yield from _value(one, body[name], (name,))
        elif name in form.get("required", ()):
            yield Problem((name,), "missing")
    yield from (Problem((name,), "extra_forbidden") for name in body if name not in fields)


def _value(form: Form, value: Any, where: Where) -> Iterator[Problem]:
    if "anyOf" in form:  # something, or nothing
        if value is not None:
            yield from _value(form["anyOf"][0], value, where)
    elif "enum" in form:
        if isinstance(value, str) and _broken(value):
            yield Problem(where, "string_unicode")
        elif value not in form["enum"]:
            yield Problem(where, "literal_error", {"expected": _alternatives(form["enum"])})
    elif isinstance(value, bool) or not isinstance(value, _TYPES[form["type"]]):
        yield Problem(where, _WRONG_TYPE[form["type"]])
    elif isinstance(value, str):
        yield from _text(form, value, where)
    elif isinstance(value, list):
        yield from _list(form, value, where)
    elif isinstance(value, dict):
        yield from _object(form, value, where)
    else:
        for bound, kind, name, holds in _BOUNDS:
            if bound in form and not holds(value, form[bound]):
                yield Problem(where, kind, {name: form[bound]})


def _text(form: Form, value: str, where: Where) -> Iterator[Problem]:
    most = form.get("maxLength")
    if _broken(value):
        yield Problem(where, "string_unicode")
    elif most is not None and len(value) > most:
        yield Problem(where, "string_too_long", {"max_length": most})


def _broken(value: str) -> bool:
    """Tell whether there is half a character in a text: JSON can name one, no text holds it."""
    return any("\ud800" <= c <= "\udfff" for c in value)


def _list(form: Form, value: list[Any], where: Where) -> Iterator[Problem]:
    if len(value) > form["maxItems"]:
        yield Problem(where, "too_long", {"max_length": form["maxItems"]})
        return
    for k, one in enumerate(value):
        yield from _value(form["items"], one, (*where, k))


def _object(form: Form, value: dict[str, Any], where: Where) -> Iterator[Problem]:
    if len(value) > form["maxProperties"]:
        yield Problem(where, "too_long", {"max_length": form["maxProperties"]})
        return
    for name, one in value.items():
        shown = "".join("\ufffd" * 3 if _broken(c) else c for c in name)
        yield from _text(form["propertyNames"], name, (*where, shown, "[key]"))
        yield from _value(form["additionalProperties"], one, (*where, name))


def _alternatives(values: list[str]) -> str:
    quoted = [f"'{value}'" for value in values]
    return " or ".join([", ".join(quoted[:-1]), quoted[-1]]) if len(quoted) > 1 else quoted[0]
