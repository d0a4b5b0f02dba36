"""JSON schemas of all request bodies, from which the browser validates requests."""

from typing import Any

from damier.web.api import model_named
from damier.web.endpoints import ENDPOINTS
from damier.web.validation import Schema

_ANNOTATIONS = ("title", "description", "examples")


def request_schemas() -> dict[str, Schema]:
    """Return the schemas of the bodies of all POST endpoints, by endpoint."""
    return {
        endpoint.name: _without_annotations(model_named(endpoint.request).model_json_schema())
        for endpoint in ENDPOINTS.values()
        if endpoint.request is not None
    }


def _without_annotations(schema: Any) -> Any:
    """Return a schema without the parts that are only meant for readers."""
    if isinstance(schema, list):
        return [_without_annotations(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: value if key == "default" else _without_annotations(value)
        for key, value in schema.items()
        if key not in _ANNOTATIONS
    }
