"""Digest of Python sources that depends on what they do, not on how they are written.

Comments, docstrings, blank lines and line breaks do not change it. It is the same in all versions
of Python, because a table is used where another version runs, such as a browser.
"""

import ast
import hashlib
from collections.abc import Iterable

DIGITS = 16
_WITH_DOCSTRING = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def digest_of(modules: Iterable[ast.Module]) -> str:
    """Return the digest of some parsed source files."""
    found = hashlib.sha256()
    for module in modules:
        # A stack instead of recursion: long expressions are deep trees.
        pending: list[object] = [module]
        while pending:
            item = pending.pop()
            if isinstance(item, ast.AST):
                # Fields without a value are left out: they differ between versions of Python.
                pairs = [pair for pair in _fields(item) if pair[1] not in (None, [])]
                found.update(f"{type(item).__name__} {len(pairs)}\n".encode())
                for pair in reversed(pairs):
                    pending += reversed(pair)
            elif isinstance(item, list):
                found.update(f"{len(item)} items\n".encode())
                pending += reversed(item)
            else:
                found.update(f"{item!r}\n".encode("utf-8", "surrogatepass"))
    return found.hexdigest()[:DIGITS]


def _fields(node: ast.AST) -> list[tuple[str, object]]:
    """Return the names and values of a node's fields, without its docstring."""
    fields = list(ast.iter_fields(node))
    if isinstance(node, _WITH_DOCSTRING) and ast.get_docstring(node, clean=False) is not None:
        return [(name, node.body[1:] if name == "body" else value) for name, value in fields]
    if isinstance(node, ast.JoinedStr):  # Python 3.12 adds empty parts
        return [("values", [part for part in node.values if getattr(part, "value", None) != ""])]
    return fields
