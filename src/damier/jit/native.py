"""Numba backend: machine code, cached on disk between processes."""

from __future__ import annotations

import dis
import hashlib
import os
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, get_args, get_origin

from damier import jit, paths
from damier.errors import describe_os_error
from damier.jit import MASK63, write_pieces

_PACKAGE = Path(__file__).parent.parent


class NumbaBackend:
    """Backend that compiles with Numba, unless NUMBA_DISABLE_JIT=1 is set."""

    compiles = True

    def enabled(self) -> bool:
        """Return whether kernels can be compiled."""
        return os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")

    def has_kernels(self, name: str) -> bool:
        """Return False: no kernels are precompiled."""
        return False

    def runtime(
        self, name: str, folders: Iterable[tuple[str, Path]], others: list[Any]
    ) -> NumbaRuntime:
        """Return the runtime of a linked module."""
        return NumbaRuntime(code_directory(folders))


class NumbaRuntime:
    """Runtime that compiles kernels with Numba and caches machine code in a directory, if given."""

    def __init__(self, directory: Path | None = None) -> None:
        self._directory = directory

    def compile(self, function: FunctionType, inline: bool) -> Any:
        """Return a compiled kernel."""
        njit = _njit(forceinline=inline, _nrt=handles_references(function))
        compiled = njit(function)
        if self._directory is not None:
            from damier.jit.code_cache import CodeCache

            compiled._cache = CodeCache(function, self._directory)
        return compiled

    def import_kernel(self, name: str, kernel: Any) -> Any:
        """Return an imported kernel, which is compiled where it is defined."""
        return kernel

    def primitive(self, function: FunctionType) -> Any:
        """Return the compiled form of a kernel of `damier.jit`."""
        return primitives(deposits_bits())[function.__name__]

    def constant(self, values: tuple[int, ...]) -> Any:
        """Return a table of integers in the form that kernels read."""
        return self.array(values)

    def zeros(self, size: int, kind: str = "q") -> Any:
        """Return an array of zeros."""
        import numpy as np

        return np.zeros(size, f"<{kind}")

    def array(self, values: Sequence[int]) -> Any:
        """Return an array of integers."""
        import numpy as np

        return np.array(values, np.int64)

    def from_pieces(self, size: int, kind: str, pieces: Iterable[tuple[int, bytes]]) -> Any:
        """Return an array with some bytes set; the rest is 0."""
        result = self.zeros(size, kind)
        write_pieces(result, pieces)
        return result


NUMPY_RUNTIME = NumbaRuntime()  # for arrays that belong to no linked module


def cache_error() -> str:
    """Return why machine code could not be written to the cache, or ""."""
    import sys

    module = sys.modules.get("damier.jit.code_cache")
    if module is None or not module.write_errors:
        return ""
    error = module.write_errors[0]
    return describe_os_error(error) if isinstance(error, OSError) else str(error)


def _njit(**options: Any) -> Any:
    """Return Numba's decorator with some options; `_nrt` is left out of its type stubs."""
    import numba

    decorator: Any = numba.njit
    return decorator(nogil=True, **options)


_missing = object()
# Built-in functions that kernels may call without getting an array or a list.
_INTEGER_FUNCTIONS = {"abs", "bool", "int", "len", "max", "min", "range"}


def handles_references(function: FunctionType) -> bool:
    """Return whether a kernel may create or return an array or a list, or get one from a call.

    Numba counts references by atomic instructions, also in functions that only use the arrays of
    their callers; there they cost small kernels half of their time. Such functions need no counts.
    """
    code = function.__code__
    if any(isinstance(constant, CodeType) for constant in code.co_consts):
        return True  # a comprehension
    if any(instruction.opname == "BUILD_LIST" for instruction in dis.get_instructions(code)):
        return True
    scope = function.__globals__
    modules = [scope[name] for name in code.co_names if isinstance(scope.get(name), ModuleType)]
    places = [vars(jit), scope, *map(vars, modules)]  # the primitives first: they have annotations
    for name in code.co_names:
        used = next((place[name] for place in places if name in place), _missing)
        if used is _missing:
            if name not in _INTEGER_FUNCTIONS:
                return True
        elif callable(used) and not _returns_values(getattr(used, "py_func", used)):
            return True
    return not _returns_values(function)


def _returns_values(function: Any) -> bool:
    """Return whether a function is annotated to return integers, truth values or nothing."""
    return _is_value(getattr(function, "__annotations__", {}).get("return", Any))


def _is_value(annotation: Any) -> bool:
    if get_origin(annotation) is tuple:
        return all(map(_is_value, get_args(annotation)))
    return annotation in (int, bool, None)


def deposits_bits() -> bool:
    """Return whether the processor deposits bits (BMI2's `pdep`) in a few cycles."""
    from numba.core.registry import cpu_target

    _, processor, features = cpu_target.target_context.codegen().magic_tuple()
    return "+bmi2" in features.split(",") and processor not in ("bdver4", "znver1", "znver2")


@cache
def primitives(deposit: bool) -> dict[str, Any]:
    """Return the compiled forms of the kernels of `damier.jit`, by name.

    With `deposit`, one of them uses an instruction that not every processor has.
    """
    import numpy as np
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    def ctpop_typed(_: Any, x: Any) -> Any:
        return types.int64(types.int64), lambda context, b, sig, args: b.ctpop(args[0])

    def cttz_typed(_: Any, x: Any) -> Any:
        return types.int64(types.int64), lambda context, b, sig, args: b.cttz(
            args[0], context.get_constant(types.boolean, True)
        )

    def mul_typed(_: Any, x: Any, y: Any) -> Any:
        def build(context: Any, b: Any, sig: Any, args: Any) -> Any:
            return b.and_(b.mul(*args), context.get_constant(types.int64, MASK63))

        return types.int64(types.int64, types.int64), build

    def pdep_typed(_: Any, x: Any, mask: Any) -> Any:
        word = ir.IntType(64)
        called = ir.FunctionType(word, [word, word])

        def build(context: Any, b: Any, sig: Any, args: Any) -> Any:
            name = "llvm.x86.bmi.pdep.64"
            return b.call(cgutils.get_or_insert_function(b.module, called, name), args)

        return types.int64(types.int64, types.int64), build

    ctpop: Any = intrinsic(ctpop_typed)
    mul: Any = intrinsic(mul_typed)
    pdep: Any = intrinsic(pdep_typed)
    cttz: Any = intrinsic(cttz_typed)
    compiled = _njit(_nrt=True)

    def nth_bit(x: int, n: int) -> int:
        while n:
            x &= x - 1
            n -= 1
        return int(cttz(x))

    return {
        "popcount": compiled(lambda x: ctpop(x)),
        "lowest": compiled(lambda x: cttz(x)),
        # The processor mispredicts the end of the loop in `nth_bit`.
        "nth_bit": compiled((lambda x, n: cttz(pdep(1 << n, x))) if deposit else nth_bit),
        "times": compiled(lambda x, y: mul(x, y)),
        "buffer": compiled(lambda size: np.zeros(size, np.int64)),
        "enlarged": compiled(lambda old: np.concatenate((old, np.zeros(len(old), np.int64)))),
    }


def code_directory(folders: Iterable[tuple[str, Path]] = ()) -> Path:
    """Return the cache directory for machine code made from exactly these sources.

    The sources are all shared modules of the package and the given folders or files of games, each
    with the name it is imported by: a function's machine code contains that of its callees.
    """
    return _cache_directory(paths.cache_directory().absolute(), frozenset(folders))


@cache
def _cache_directory(root: Path, folders: frozenset[tuple[str, Path]]) -> Path:
    digest = hashlib.sha256()
    paths = list(_shared_sources())
    for name, folder in sorted(folders):
        digest.update(name.encode() + b"\0")
        paths += sorted(folder.glob("*.py")) if folder.is_dir() else [folder]
    for path in paths:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return root / "kernels" / digest.hexdigest()[:16]


@cache
def _shared_sources() -> tuple[Path, ...]:
    """Return every source that machine code is made from, except the folders of games."""
    games = _PACKAGE / "games"
    return tuple(
        path
        for path in sorted(_PACKAGE.rglob("*.py"))
        if path.parent.parent != games and (path.parent == games or b"@kernel" in path.read_bytes())
    )


def is_shared(path: Path) -> bool:
    """Return whether a source belongs to the package and not to one game."""
    return path.is_relative_to(_PACKAGE) and path.parent.parent != _PACKAGE / "games"
