"""The forms of all requests, from the description of the HTTP interface."""

from collections.abc import Mapping
from typing import Any

from damier.web.forms import Form


def forms_of(openapi: Mapping[str, Any], prefix: str = "/api/v1/") -> dict[str, dict[str, Form]]:
    """Return the forms of all requests, from the description of the HTTP interface."""
    forms: dict[str, Form] = {}
    named: dict[str, Form] = {}
    schemas = openapi["components"]["schemas"]
    for path, methods in openapi["paths"].items():
        name = path.removeprefix(prefix)
        if "post" in methods:
            content = methods["post"]["requestBody"]["content"]["application/json"]
            forms[name] = _plain(schemas[content["schema"]["$ref"].rpartition("/")[2]])
        elif "{" in name:
            (parameter,) = (one for one in methods["get"]["parameters"] if one["in"] == "path")
            fields = {parameter["name"]: _plain(parameter["schema"])}
            named[name.partition("/")[0]] = {"properties": fields, "required": list(fields)}
    return {"forms": forms, "named": named}


def _plain(schema: Any) -> Any:
    """Return a schema without what is there for readers only."""
    if isinstance(schema, list):
        return [_plain(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {k: v for k, v in schema.items() if k not in ("title", "description", "examples")}
    return {k: v if k == "default" else _plain(v) for k, v in kept.items()}
