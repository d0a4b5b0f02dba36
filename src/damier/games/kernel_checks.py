"""Static checks of kernels: values that cannot be compiled, with their file and line.

Kernels know whole numbers, truth values, tuples of whole numbers made outside, and other kernels.
The check reads the source, so that an inventor sees the reason when the game is loaded, and not a
compiler's message later.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType

from damier.errors import DamierError
from damier.i18n import Translated

ALLOWED_CALLS = {"abs", "bool", "int", "len", "max", "min", "range"}
# Syntax that kernels cannot use, and the key of the message about it.
_SYNTAX: dict[type[ast.AST], str] = {
    ast.List: "list",
    ast.ListComp: "list",
    ast.GeneratorExp: "list",
    ast.Dict: "dict",
    ast.DictComp: "dict",
    ast.Set: "set",
    ast.SetComp: "set",
    ast.JoinedStr: "text",
    ast.Lambda: "statement",
    ast.FunctionDef: "statement",
    ast.ClassDef: "statement",
    ast.Try: "statement",
    ast.With: "statement",
    ast.Raise: "statement",
    ast.Import: "statement",
    ast.ImportFrom: "statement",
    ast.Global: "statement",
    ast.Nonlocal: "statement",
    ast.Yield: "statement",
    ast.YieldFrom: "statement",
    ast.NamedExpr: "statement",
    ast.Delete: "statement",
    ast.Starred: "statement",
    ast.Await: "statement",
}
_KINDS = {
    float: "float",
    complex: "float",
    str: "text",
    bytes: "text",
    list: "list",
    dict: "dict",
    set: "set",
    frozenset: "set",
}
_TOP = 1 << 63  # of machine integers


def check_package(module: ModuleType) -> None:
    """Check the kernels of a module, and of the other loaded modules of its package."""
    check_kernels(module)
    package = module.__name__.rpartition(".")[0]
    if package:
        for name, other in list(sys.modules.items()):
            if other is not module and name.startswith(f"{package}.") and _is_source(other):
                check_kernels(other)


def _is_source(module: object) -> bool:
    return isinstance(module, ModuleType) and str(getattr(module, "__file__", "")).endswith(".py")


def check_kernels(module: ModuleType) -> None:
    """Raise DamierError about the first value in a module's kernels that cannot be compiled."""
    path = Path(str(module.__file__))
    try:
        tree = ast.parse(path.read_text("utf-8"))
    except (OSError, SyntaxError, ValueError):
        return
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            found = getattr(module, node.name, None)
            if isinstance(found, FunctionType) and hasattr(found, "__kernel__"):
                for line, key, shown in _problems(node, module):
                    raise DamierError(
                        f"kernel-{key}", where=f"{path}:{line}", name=node.name, shown=shown
                    )


def _problems(function: ast.FunctionDef, module: ModuleType) -> Iterator[tuple[int, str, str]]:
    """Yield the line, the key and the source of each problem, from the top of a function."""
    local = {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}
    nodes = [node for statement in _body(function) for node in _walk(statement)]
    local |= {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    found = [
        (getattr(node, "lineno", function.lineno), key, ast.unparse(node)[:60])
        for node in nodes
        if (key := _problem(node, local, module))
    ]
    yield from sorted(found)


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and the nodes in it, without annotations."""
    yield node
    for name, child in ast.iter_fields(node):
        for inner in child if isinstance(child, list) else (child,):
            if isinstance(inner, ast.AST) and name != "annotation":
                yield from _walk(inner)


def _body(function: ast.FunctionDef) -> list[ast.stmt]:
    """Return the statements of a function after its docstring."""
    first = function.body[0]
    has_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return function.body[1:] if has_docstring else function.body


def _problem(node: ast.AST, local: set[str], module: ModuleType) -> str:
    """Return the key of the message about a node, or "" if kernels may use it."""
    if type(node) in _SYNTAX:
        return _SYNTAX[type(node)]
    if isinstance(node, ast.Constant):
        return _KINDS.get(type(node.value), "")
    if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div):
        return "division"
    if isinstance(node, ast.Attribute):
        return _attribute_problem(node, local, module)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _call_problem(node.func.id, local, module)
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in local:
        return _name_problem(node.id, module)
    return ""


def _attribute_problem(node: ast.Attribute, local: set[str], module: ModuleType) -> str:
    """Return the key of the message about `x.y`: only names of the linked rules are allowed."""
    base = node.value
    if isinstance(base, ast.Name) and base.id not in local:
        value = getattr(module, base.id, None)
        if value is None:  # stands for a module that is linked later
            return ""
        if isinstance(value, ModuleType):
            found = getattr(value, node.attr, None)
            return "" if hasattr(found, "__kernel__") or isinstance(found, int | tuple) else "call"
    return "method" if node.attr in {"bit_count", "bit_length"} else "attribute"


def _call_problem(name: str, local: set[str], module: ModuleType) -> str:
    """Return the key of the message about a call of a function by its name."""
    if name in local:
        return ""
    if hasattr(module, name):
        found = getattr(module, name)
        # The functions of damier.jit are kernels or have a counterpart in each back end.
        shared = str(getattr(found, "__module__", "")).startswith("damier.jit")
        kernel = isinstance(found, FunctionType) and hasattr(found, "__kernel__")
        return "" if kernel or shared else "call"
    return "" if name in ALLOWED_CALLS or not hasattr(builtins, name) else "call"


def _name_problem(name: str, module: ModuleType) -> str:
    """Return the key of the message about a global name."""
    if not hasattr(module, name):
        return "" if hasattr(builtins, name) else "unknown"
    value = getattr(module, name)
    if isinstance(value, tuple):
        return _tuple_problem(value)
    if isinstance(value, int):
        return "" if -_TOP <= value < _TOP else "large"
    # Calls are checked elsewhere; None stands for a module that is linked later.
    if value is None or callable(value) or isinstance(value, ModuleType):
        return ""
    return _KINDS.get(type(value), "object")


def _tuple_problem(value: tuple[object, ...]) -> str:
    """Return the key of the message about a tuple, or "" if it is a table of whole numbers."""
    items = list(_flat(value))
    for item in items:
        if not isinstance(item, int):
            return _KINDS.get(type(item), "object")
        if not -_TOP <= item < _TOP:
            return "large"
    # A tuple of tuples has no counterpart in the compiled code unless all are alike.
    inner = {len(x) if isinstance(x, tuple) else -1 for x in value}
    return "ragged" if len(inner) > 1 else ""


def _flat(value: tuple[object, ...]) -> Iterator[object]:
    for item in value:
        if isinstance(item, tuple):
            yield from _flat(item)
        else:
            yield item


# ---- errors of the compiler --------------------------------------------------------------------

# Parts of the compiler's messages, and the key of what they mean in plain words.
_MEANINGS = (
    ("annot unify", "kernel.mixed"),
    ("Unknown attribute", "kernel.object"),
    ("Untyped global", "kernel.object"),
    ("Cannot determine Numba type", "kernel.object"),
    ("No implementation of function", "kernel.operation"),
    ("Invalid use of", "kernel.operation"),
    ("not defined before", "kernel.undefined"),
)


def is_compiler_error(error: Exception) -> bool:
    """Tell whether an error comes from the compiler. Not all of Numba's have one base class."""
    return type(error).__module__.partition(".")[0] == "numba"


def compiler_location(error: Exception, folder: Path) -> str | None:
    """Return the file and line of a folder that a compiler message names, or None."""
    locations = re.findall(r'File "([^"]+)", line (\d+)', str(error))
    for text in str(error).splitlines():
        _, raised, place = text.partition("Raised from ")
        if raised:
            path, _, line = place.rpartition(" (")
            locations.append((path, line.partition(")")[0]))
    inside = [
        (path, line) for path, line in locations if Path(path).resolve().is_relative_to(folder)
    ]
    return f"{Path(inside[-1][0]).resolve()}:{inside[-1][1]}" if inside else None


def compilation_error(error: Exception, where: str, name: str) -> DamierError:
    """Return the error about a function that cannot be compiled, in plain words."""
    key = next((key for part, key in _MEANINGS if part in str(error)), "kernel.other")
    return DamierError("game-kernel", where=where, name=name, problem=Translated(key))
