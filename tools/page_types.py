"""Write the types of the server's messages for the page's scripts, from their JSON schemas.

python tools/page_types.py tools/types/api.d.ts tools/types/online.d.ts

The first file describes the HTTP interface, the second the WebSocket of online play.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from damier import files
from damier.online import messages
from damier.web.app import create_app

Schema = dict[str, Any]


def type_of(schema: Schema) -> str:
    """Return the TypeScript type of a JSON schema."""
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "enum" in schema or "const" in schema:
        return " | ".join(json.dumps(v) for v in schema.get("enum", [schema.get("const")]))
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return " | ".join(type_of(part) for part in schema[union])
    kind = schema.get("type")
    if kind == "array" and "prefixItems" in schema:
        return f"[{', '.join(type_of(part) for part in schema['prefixItems'])}]"
    if kind == "array":
        return f"Array<{type_of(schema['items'])}>"
    if kind == "object":
        values = schema.get("additionalProperties")
        keys = schema.get("propertyNames", {})
        names = type_of(keys) if "enum" in keys else "string"
        return f"Record<{names}, {type_of(values) if isinstance(values, dict) else 'any'}>"
    return {
        "integer": "number",
        "number": "number",
        "string": "string",
        "boolean": "boolean",
        "null": "null",
    }.get(kind or "", "any")


def interface(name: str, schema: Schema, taken: bool) -> list[str]:
    """Return the declaration of a model; of what the server takes, defaults may be left out."""
    needed = set(schema.get("required", ()))
    lines = [f"  interface {name} {{"]
    for field, described in schema.get("properties", {}).items():
        optional = "?" if taken and field not in needed else ""
        lines.append(f"    {field}{optional}: {type_of(described)};")
    return [*lines, "  }"]


def declarations(schema: Schema) -> str:
    """Return the file: every model, and by address what is asked and answered."""
    models: Schema = schema["components"]["schemas"]
    questions, answers = [], []
    asked = set()
    for path, methods in schema["paths"].items():
        address = path.removeprefix("/api/v1/")
        named = "{" in address
        key = f"[path: `{address[: address.index('{')]}${{string}}`]" if named else f"'{address}'"
        for described in methods.values():
            body = described.get("requestBody")
            question = type_of(body["content"]["application/json"]["schema"]) if body else "null"
            asked.add(question)
            answer = described["responses"]["200"]["content"]["application/json"]["schema"]
            questions.append(f"    {key}: {question};")
            answers.append(f"    {key}: {type_of(answer)};")
    lines = ["// Written by tools/page_types.py from the schema of the HTTP interface.", ""]
    lines.append("declare namespace Api {")
    for name, model in models.items():
        lines += interface(name, model, name in asked)
    lines += ["  interface Questions {", *questions, "  }"]
    lines += ["  interface Answers {", *answers, "  }", "}", ""]
    return "\n".join(lines)


def references(schema: object) -> Iterator[str]:
    """Yield the names of the models that a schema refers to."""
    if isinstance(schema, dict):
        if isinstance(name := schema.get("$ref"), str):
            yield name.rpartition("/")[2]
        for part in schema.values():
            yield from references(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from references(part)


def reachable(schema: object, models: Schema) -> set[str]:
    """Return the names of the models that a schema needs, directly or not."""
    found: set[str] = set()
    pending = list(references(schema))
    while pending:
        name = pending.pop()
        if name not in found and name in models:
            found.add(name)
            pending += references(models[name])
    return found


def online_declarations(schema: Schema, api: Schema) -> str:
    """Return the file of online play: every message, event and action of `messages.schema()`.

    Models of the HTTP interface, `api`, are referred to and not declared again.
    """
    shared = api["components"]["schemas"].keys()
    text = json.dumps(schema)
    for name in shared:
        text = text.replace(f'"#/$defs/{name}"', f'"#/$defs/Api.{name}"')
    schema = json.loads(text)
    models = {name: model for name, model in schema["$defs"].items() if name not in shared}
    client, server = (schema["properties"][side] for side in ("client", "server"))
    sent = reachable(client, models)
    lines = ["// Written by tools/page_types.py from the schema of the online messages.", ""]
    lines.append("declare namespace Online {")
    for name in sorted(sent | reachable(server, models)):
        lines += interface(name, models[name], name in sent)
    lines += [
        f"  type ClientMessage = {type_of(client)};",
        f"  type ServerMessage = {type_of(server)};",
        "  type PlayerAction = ActionMessage['act'];",
        "  type GameEvent = EventMessage['event'];",
        "  type Side = 'w' | 'b';",
    ]
    return "\n".join([*lines, "}", ""])


if __name__ == "__main__":
    interface_schema = create_app().openapi()
    files.write_text(Path(sys.argv[1]), declarations(interface_schema))
    files.write_text(Path(sys.argv[2]), online_declarations(messages.schema(), interface_schema))
