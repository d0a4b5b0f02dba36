"""Write tests/data/api.txt: a line for each public name of the stable modules and each error key.

    python tools/api_description.py

A test compares it, so that no change of a stable interface goes unnoticed. docs/stability.md says
what is stable. Griffe reads the Python sources without importing them.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import griffe

from damier import files, i18n

ROOT = Path(__file__).parent.parent
DESCRIPTION = ROOT / "tests" / "data" / "api.txt"


def stable_modules() -> list[str]:
    """Return the modules that docs/stability.md lists."""
    text = (ROOT / "docs" / "stability.md").read_text("utf-8")
    listed = text.partition("Modules with a stable interface:")[2].partition("Not stable:")[0]
    return re.findall(r"`(damier[a-z_.]*)`", listed)


def signature(function: griffe.Function) -> str:
    """Return the parameters and the result of a function."""
    parts = []
    for parameter in function.parameters:
        text = parameter.name
        if parameter.kind is griffe.ParameterKind.var_positional:
            text = f"*{text}"
        elif parameter.kind is griffe.ParameterKind.var_keyword:
            text = f"**{text}"
        elif parameter.kind is griffe.ParameterKind.keyword_only:
            text = f"[keyword] {text}"
        if parameter.annotation is not None:
            text += f": {parameter.annotation}"
        if parameter.default is not None and not text.startswith("*"):
            text += f" = {parameter.default}"
        parts.append(text)
    return f"({', '.join(parts)}) -> {function.returns}"


def describe(name: str, found: griffe.Object | griffe.Alias) -> Iterator[str]:
    """Yield a line for a name and, for a class, for each public member."""
    try:
        target: Any = found.final_target if isinstance(found, griffe.Alias) else found
    except griffe.AliasResolutionError:  # a constant of a tuple assignment
        yield name
        return
    if target.is_function:
        yield f"{name}{signature(target)}"
    elif target.is_class:
        bases = ", ".join(map(str, target.bases))
        yield f"{name} class({bases})"
        for member, inner in sorted(target.members.items()):
            if not member.startswith("_") or member == "__init__":
                yield from describe(f"{name}.{member}", inner)
    elif target.is_attribute:
        yield f"{name}: {target.annotation or ''}".rstrip(": ")


def error_keys() -> list[str]:
    """Return the values of `DamierError.key`, without those of a game's own errors."""
    keys = (key for key in i18n.texts("en") if key.startswith("error."))
    plural_form = re.compile(r"\.(one|other)$")
    return sorted({plural_form.sub("", key.removeprefix("error.")) for key in keys})


def python_description() -> str:
    """Return a line for each public name of the stable modules, then one for each error key."""
    package = griffe.load("damier", search_paths=[ROOT / "src"], resolve_aliases=True)
    lines: list[str] = []
    for name in stable_modules():
        module: Any = package if name == "damier" else package[name.removeprefix("damier.")]
        exported = module.exports
        assert exported, f"{name} has no __all__"
        for public in sorted(map(str, exported)):
            lines += describe(f"{name}.{public}", module[public])
    lines += [f"error {key}" for key in error_keys()]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the description."""
    files.write_text(DESCRIPTION, python_description())
    return 0


if __name__ == "__main__":
    sys.exit(main())
