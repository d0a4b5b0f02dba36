"""Write docs/reference/http.md: the reference of the HTTP interface, from its OpenAPI schema.

    python tools/http_reference.py

A test compares the page, so that no change of the interface goes unnoticed.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from damier import files
from damier.online.http import router
from damier.web.app import create_app

Schema = dict[str, Any]
PAGE = Path(__file__).parent.parent / "docs" / "reference" / "http.md"

_INTRODUCTION = """# HTTP reference

All endpoints of version 1, from the OpenAPI schema that the server publishes at
`/api/v1/openapi.json`. [The HTTP interface](../api.md) and [online play](../online.md) explain how
to use them.
"""
_METHODS = ("get", "post", "put", "patch", "delete")


def type_text(schema: Schema) -> str:
    """Return the type of a JSON schema in words, with links to models."""
    if "$ref" in schema:
        name = str(schema["$ref"].rpartition("/")[2])
        return f"[{name}](#{name.lower()})"
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return " or ".join(dict.fromkeys(type_text(part) for part in schema[union]))
    if "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        return " or ".join(f"`{json.dumps(value, ensure_ascii=False)}`" for value in values)
    match schema.get("type"):
        case "array" if "prefixItems" in schema:
            return f"list ({', '.join(type_text(part) for part in schema['prefixItems'])})"
        case "array":
            return f"list of {type_text(schema.get('items', {}))}"
        case "object":
            values = schema.get("additionalProperties")
            return f"object of {type_text(values)}" if isinstance(values, dict) else "object"
        case str(name):
            return name
    return "any"


def limits(schema: Schema) -> str:
    """Return the bounds of a value, such as `1 … 64`."""
    schema = next((part for part in schema.get("anyOf", ()) if part.get("type") != "null"), schema)
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    found = []
    if low is not None or high is not None:
        found.append(f"{'' if low is None else f'{low:g}'} … {'' if high is None else f'{high:g}'}")
    for key, unit in (("maxLength", "characters"), ("maxItems", "items")):
        if key in schema:
            found.append(f"at most {schema[key]:,} {unit}")
    return ", ".join(found)


def fields(schema: Schema) -> Iterator[str]:
    """Yield the table of a model's fields."""
    if not schema.get("properties"):
        return
    required = schema.get("required", ())
    yield "| field | type | limits | meaning |"
    yield "|---|---|---|---|"
    for name, field in schema["properties"].items():
        optional = "" if name in required else ", optional"
        text = " ".join(str(field.get("description", "")).split()).replace("|", "\\|")
        yield f"| `{name}` | {type_text(field)}{optional} | {limits(field)} | {text} |"
    yield ""


def endpoint(method: str, path: str, operation: Schema) -> Iterator[str]:
    """Yield the section of an endpoint."""
    yield f"### `{method.upper()} {path}`"
    yield ""
    yield str(operation.get("description") or operation.get("summary", "")).strip()
    yield ""
    parameters = operation.get("parameters", ())
    if parameters:
        yield "| parameter | in | type | limits |"
        yield "|---|---|---|---|"
        for parameter in parameters:
            schema = parameter["schema"]
            optional = "" if parameter.get("required") else ", optional"
            kind = f"{type_text(schema)}{optional}"
            yield f"| `{parameter['name']}` | {parameter['in']} | {kind} | {limits(schema)} |"
        yield ""
    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if body:
        yield f"Request: {type_text(body['schema'])}"
        yield ""
    errors = []
    for status, response in sorted(operation["responses"].items()):
        content = response.get("content", {}).get("application/json", {}).get("schema", {})
        if content.get("$ref", "").endswith("/ErrorResponse"):
            errors.append(status)
        else:
            yield f"Response {status}: {type_text(content) if content else 'empty'}"
            yield ""
    if errors:
        yield f"[Errors](#errors): {', '.join(errors)}"
        yield ""


def error_table(schema: Schema) -> Iterator[str]:
    """Yield the table of the statuses of errors, each with its meaning."""
    meanings: dict[str, str] = {}
    for operations in schema["paths"].values():
        for operation in operations.values():
            for status, response in operation["responses"].items():
                if status >= "400":
                    meanings.setdefault(status, " ".join(response["description"].split()))
    yield "The body of an error is an [ErrorResponse](#errorresponse)."
    yield ""
    yield "| status | meaning |"
    yield "|---|---|"
    for status, meaning in sorted(meanings.items()):
        yield f"| {status} | {meaning} |"
    yield ""


def interface_schema() -> Schema:
    """Return the OpenAPI schema of the HTTP interface with online play."""
    app = create_app()
    app.include_router(router)
    return app.openapi()


def reference() -> str:
    """Return the whole page."""
    schema = interface_schema()
    lines = [_INTRODUCTION, "## Endpoints", ""]
    for path, operations in sorted(schema["paths"].items()):
        for method in _METHODS:
            if method in operations:
                lines += endpoint(method, path, operations[method])
    lines += ["## Errors", "", *error_table(schema), "## Models", ""]
    for name, model in sorted(schema["components"]["schemas"].items()):
        lines += [f"### {name}", "", str(model.get("description", "")).strip(), "", *fields(model)]
    return "\n".join(lines)


def main() -> int:
    """Write the page."""
    files.write_text(PAGE, reference())
    return 0


if __name__ == "__main__":
    sys.exit(main())
