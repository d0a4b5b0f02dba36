"""Write the types of the HTTP interface for the page's scripts, from the schema that it serves.

python tools/page_types.py tools/types/api.d.ts
"""

import json
import sys
from pathlib import Path
from typing import Any

from damier import files
from damier.web.app import create_app

Schema = dict[str, Any]


def type_of(schema: Schema) -> str:
    """Return the TypeScript type of a JSON schema."""
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "enum" in schema or "const" in schema:
        return " | ".join(json.dumps(v) for v in schema.get("enum", [schema.get("const")]))
    if "anyOf" in schema:
        return " | ".join(type_of(part) for part in schema["anyOf"])
    kind = schema.get("type")
    if kind == "array" and "prefixItems" in schema:
        return f"[{', '.join(type_of(part) for part in schema['prefixItems'])}]"
    if kind == "array":
        return f"Array<{type_of(schema['items'])}>"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"Record<string, {type_of(values) if isinstance(values, dict) else 'any'}>"
    return {"integer": "number", "number": "number", "string": "string", "boolean": "boolean",
            "null": "null"}.get(kind or "", "any")  # fmt: skip


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


if __name__ == "__main__":
    files.write_text(Path(sys.argv[1]), declarations(create_app().openapi()))
