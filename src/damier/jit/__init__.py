"""The one doorway to Numba.

Rules and loops are plain Python functions marked with `@kernel`. As they stand they run
anywhere, at once, without Numba. `link` makes the second speed: a twin of a whole module in
which every kernel is compiled. One source, two speeds, equal answers.

A module of loops is a template: it names its game's rules `rules`, and
`link(loops, rules=link(rules_of_a_game))` makes the loops of that game. Each twin is compiled
apart, so no game pays for another and nothing is looked up while it runs.
"""

import os
import sys
import threading
from collections.abc import Callable, MutableSequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

# What a kernel reads and fills: a list as it stands, an array of 64-bit integers compiled.
Buffer = MutableSequence[int]

MASK63 = (1 << 63) - 1

# One thread links at a time: the same arguments give the same twin.
_linking = threading.RLock()


def kernel(function: F) -> F:
    """Mark a function as one that `link` compiles. It must be in the subset that Numba knows.

    All values are non-negative integers below 2**63, or are masked to be: then Python's integers
    and the machine's agree to the bit.
    """
    function.__kernel__ = True  # type: ignore[attr-defined]
    return function


def inlined(function: F) -> F:
    """Mark a kernel whose machine code is to stand wherever it is called.

    The compiler calls all but the smallest otherwise. For what runs at every step and is called
    in few places: each of them takes its own time to compile.
    """
    function.__inlined__ = True  # type: ignore[attr-defined]
    return kernel(function)


@kernel
def popcount(x: int) -> int:
    """Return the number of bits set in x."""
    return x.bit_count()


@kernel
def lowest(x: int) -> int:
    """Return the index of the lowest bit set in x, which must not be 0."""
    return (x & -x).bit_length() - 1


@kernel
def times(x: int, y: int) -> int:
    """Return the lowest 63 bits of a product.

    Numba promises LLVM that no ordinary product of integers overflows; this one may.
    """
    return x * y & MASK63


@kernel
def buffer(size: int) -> Buffer:
    """Return a buffer of zeros."""
    return [0] * size


@kernel
def enlarged(old: Buffer) -> Buffer:
    """Return a buffer twice as long that begins with the content of the old one."""
    return list(old) + [0] * len(old)


def enabled() -> bool:
    """Tell whether kernels can be compiled: not with NUMBA_DISABLE_JIT=1, Numba's own switch."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")


def stand_in() -> Any:
    """Return what stands in a template for a module that `link` will put in its place."""
    return None


def link(module: ModuleType, **names: ModuleType) -> ModuleType:
    """Return the compiled twin of a module, in which `names` stand for other modules.

    The same arguments give the same twin. Machine code is kept in a cache between processes.
    Where JIT is disabled the twin runs as plain Python.
    """
    with _linking:
        return _link(module, tuple(sorted(names.items())), enabled())


def link_plain(module: ModuleType, **names: ModuleType) -> ModuleType:
    """Return the twin of a module as plain Python: for loops over rules that are not compiled."""
    with _linking:
        return _link(module, tuple(sorted(names.items())), False) if names else module


@cache
def _link(module: ModuleType, names: tuple[tuple[str, ModuleType], ...], fast: bool) -> ModuleType:
    label = _label([twin.__name__ for _, twin in names])
    twin = ModuleType(f"{module.__name__}[{label}]")
    scope = twin.__dict__
    scope.update({k: v for k, v in vars(module).items() if k not in ("__name__", "__spec__")})
    scope.update(names)
    scope["__folders__"] = folders = _folders(module, [twin for _, twin in names])
    compile_ = None
    if fast:
        from damier.jit import native

        compile_ = native.compiler(native.cache_directory(folders))
    for name, value in vars(module).items():
        if isinstance(value, FunctionType) and hasattr(value, "__kernel__"):
            if value.__module__ != module.__name__:
                scope[name] = _imported(value, fast)
                continue
            # Numba names its cache files by the qualified name: it must tell the twins apart.
            function = FunctionType(
                value.__code__, scope, value.__name__, value.__defaults__, value.__closure__
            )
            function.__qualname__ = f"{label}.{value.__qualname__}" if label else value.__qualname__
            function.__module__ = value.__module__
            inline = hasattr(value, "__inlined__")
            scope[name] = compile_(function, inline) if compile_ else function
        elif fast and isinstance(value, tuple) and value and all(type(v) is int for v in value):
            import numpy as np

            scope[name] = np.array(value, dtype=np.int64)
    if fast and hasattr(module, "__linked__"):  # rules from outside are tried
        module.__linked__(twin)
    return twin


def _label(names: list[str]) -> str:
    """Return what tells a twin from those linked with other modules: "" if it is with none.

    Machine code of one process is linked by the names of its functions. If the same function of
    two games had one name, code from the cache could call the other game's.
    """
    return f"with_{sha256(' '.join(names).encode()).hexdigest()[:12]}" if names else ""


def _folders(module: ModuleType, others: list[ModuleType]) -> frozenset[tuple[str, Path]]:
    """Return the folders outside the shared sources that a module and its names are made from.

    Each is named as it is imported: machine code knows its module by that name, and a game may be
    installed and also be named by its path. A module in no package is made from its file alone.
    """
    from damier.jit.native import is_shared

    file = getattr(module, "__file__", None)
    own = set()
    if file and not is_shared(Path(file)):
        package = module.__name__.rpartition(".")[0]
        own = {(package, Path(file).parent) if package else (module.__name__, Path(file))}
    return frozenset(own).union(*(getattr(twin, "__folders__", ()) for twin in others))


def _imported(function: FunctionType, fast: bool) -> Any:
    """Return the twin of a kernel that a module has imported from another."""
    if not fast:
        return function
    if function.__module__ == __name__:
        from damier.jit.native import primitives

        return primitives()[function.__name__]
    return getattr(_link(sys.modules[function.__module__], (), True), function.__name__)
