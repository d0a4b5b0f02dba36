"""Just-in-time compilation of kernels: the only module that calls the compiler.

Rules and loops are plain Python functions marked with `@kernel`. They run anywhere without a
compiler. `link` returns a faster copy of a whole module in which every kernel is compiled: by Numba
for this machine (`native`) or, where there is no Numba, to WebAssembly that was built beforehand
from the same functions (`wasm_compiler`, `wasm_runtime`). The results are equal.

A module of loops is a template: it calls its game's rules `rules`, and
`link(loops, rules=link(rules_of_a_game))` returns the loops of that game. Each linked module is
compiled separately, so that no game depends on another and nothing is looked up at run time.
"""

import sys
import threading
from array import array
from collections.abc import Callable, Iterable, MutableSequence, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Protocol, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

# Memory that a kernel reads and writes: a list in plain Python, an array of 64-bit integers if
# compiled.
Buffer = MutableSequence[int]

MASK63 = (1 << 63) - 1

# Held while a module is linked, so that the same arguments return the same module in all threads.
_link_lock = threading.RLock()


class Runtime(Protocol):
    """Compiler and array allocator for the kernels of one linked module."""

    def compile(self, function: FunctionType, inline: bool) -> Any:
        """Return a kernel in callable form; `inline` is True if it is marked `@inlined`."""
        ...

    def import_kernel(self, name: str, kernel: Any) -> Any:
        """Return a kernel that the module imports from another module."""
        ...

    def primitive(self, function: FunctionType) -> Any:
        """Return the compiled form of a kernel defined in `damier.jit`."""
        ...

    def constant(self, values: tuple[int, ...]) -> Any:
        """Return a table of integers in the form that kernels read."""
        ...

    def zeros(self, size: int, kind: str = "q") -> Any:
        """Return an array of zeros; `kind` is the `struct` format letter of an item."""
        ...

    def array(self, values: Sequence[int]) -> Any:
        """Return an array of integers."""
        ...

    def from_pieces(self, size: int, kind: str, pieces: Iterable[tuple[int, bytes]]) -> Any:
        """Return an array with some bytes set, as pairs of offset and content; the rest is 0."""
        ...


class Backend(Protocol):
    """Compiler, or collection of precompiled kernels, that `link` uses."""

    @property
    def compiles(self) -> bool:
        """Whether kernels are compiled on demand, so that a caller may have to wait."""
        ...

    def __hash__(self) -> int: ...

    def enabled(self) -> bool:
        """Return whether any kernels can be compiled or are precompiled."""
        ...

    def has_kernels(self, name: str) -> bool:
        """Return whether the kernels of a linked module are precompiled."""
        ...

    def runtime(
        self, name: str, folders: Iterable[tuple[str, Path]], others: list[Runtime]
    ) -> Runtime:
        """Return the runtime of a linked module.

        `folders` are the sources of the module, `others` the runtimes of the modules that it is
        linked with.
        """
        ...


class PythonRuntime:
    """Runtime of kernels that are not compiled; its arrays are lists."""

    def compile(self, function: FunctionType, inline: bool) -> Any:
        """Return the function itself."""
        return function

    def import_kernel(self, name: str, kernel: Any) -> Any:
        """Return the kernel itself."""
        return kernel

    def primitive(self, function: FunctionType) -> Any:
        """Return the function itself."""
        return function

    def constant(self, values: tuple[int, ...]) -> Any:
        """Return the values themselves."""
        return values

    def zeros(self, size: int, kind: str = "q") -> Any:
        """Return a list of zeros."""
        return [0] * size

    def array(self, values: Sequence[int]) -> Any:
        """Return the values themselves."""
        return values

    def from_pieces(self, size: int, kind: str, pieces: Iterable[tuple[int, bytes]]) -> Any:
        """Return an array with some bytes set; the rest is 0."""
        result = array(kind, [0]) * size
        write_pieces(result, pieces)
        return result


def write_pieces(target: Any, pieces: Iterable[tuple[int, bytes]]) -> None:
    """Write pieces, each with its offset in bytes, into an array."""
    view = memoryview(target).cast("B")
    for offset, piece in pieces:
        view[offset : offset + len(piece)] = piece


PYTHON_RUNTIME: Runtime = PythonRuntime()
_backend_in_use: list[Backend] = []


def kernel(function: F) -> F:
    """Mark a function that `link` compiles. It must use the subset of Python that Numba supports.

    All values must be non-negative integers below 2**63, or be masked to that range. Python's
    integers and machine integers are then equal bit by bit.
    """
    function.__kernel__ = True  # type: ignore[attr-defined]  # marker for `link`
    return function


def inlined(function: F) -> F:
    """Mark a kernel whose machine code is inlined at every call.

    By default the compiler inlines only very small functions. Use this for a kernel that runs at
    every step and is called in few places: each inlined copy adds compilation time.
    """
    function.__inlined__ = True  # type: ignore[attr-defined]  # marker for `link`
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
def nth_bit(x: int, n: int) -> int:
    """Return the index of the bit set in x that has n bits set below it; it must exist."""
    while n:
        x &= x - 1
        n -= 1
    return lowest(x)


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


def use_backend(backend: Backend) -> None:
    """Set the backend, instead of Numba. Call this once, before anything is linked."""
    _backend_in_use[:] = [backend]


def current_backend() -> Backend:
    """Return the backend in use."""
    if not _backend_in_use:
        from damier.jit.native import NumbaBackend

        _backend_in_use.append(NumbaBackend())
    return _backend_in_use[0]


def enabled() -> bool:
    """Return whether kernels can be compiled. NUMBA_DISABLE_JIT=1 disables Numba."""
    return current_backend().enabled()


def compiles() -> bool:
    """Return whether kernels are compiled on demand, so that a caller may have to wait."""
    return enabled() and current_backend().compiles


def is_precompiled(module: ModuleType) -> bool:
    """Return whether the kernels of a module, and those of the same game, are precompiled."""
    return current_backend().has_kernels(f"{module.__name__}[]")


def runtime_of(module: ModuleType) -> Runtime:
    """Return the runtime of a linked module, which allocates the arrays that its kernels take."""
    runtime: Runtime = getattr(module, "__runtime__", PYTHON_RUNTIME)
    return runtime


def placeholder() -> Any:
    """Return a value for a template's global that `link` replaces by a module."""
    return None


def link(module: ModuleType, *, compiled: bool = True, **names: ModuleType) -> ModuleType:
    """Return a copy of a module in which kernels are compiled and `names` are other modules.

    The same arguments return the same module. Machine code is cached on disk between processes.
    With `compiled=False`, or where JIT is disabled, kernels run as plain Python.
    """
    if not compiled and not names:
        return module
    with _link_lock:
        backend = current_backend() if compiled and enabled() else None
        return _link(module, tuple(sorted(names.items())), backend)


@cache
def _link(
    module: ModuleType, names: tuple[tuple[str, ModuleType], ...], backend: Backend | None
) -> ModuleType:
    label = _label([other.__name__ for _, other in names])
    linked = ModuleType(f"{module.__name__}[{label}]")
    scope = linked.__dict__
    scope.update({k: v for k, v in vars(module).items() if k not in ("__name__", "__spec__")})
    scope.update(names)
    scope["__folders__"] = folders = folders_of(module, [other for _, other in names])
    runtime = PYTHON_RUNTIME
    if backend is not None:
        runtime = backend.runtime(
            linked.__name__, folders, [runtime_of(other) for _, other in names]
        )
    scope["__runtime__"] = runtime
    used = _names_in_kernels(module)
    for name, value in vars(module).items():
        if isinstance(value, FunctionType) and hasattr(value, "__kernel__"):
            if value.__module__ != module.__name__:
                scope[name] = _link_import(value, backend, runtime)
                continue
            # Numba names its cache files by the qualified name: it must be unique.
            function = FunctionType(
                value.__code__, scope, value.__name__, value.__defaults__, value.__closure__
            )
            function.__qualname__ = f"{label}.{value.__qualname__}" if label else value.__qualname__
            function.__module__ = value.__module__
            function.__annotations__ = value.__annotations__
            scope[name] = runtime.compile(function, hasattr(value, "__inlined__"))
        elif _is_table(value) and (value or name in used):
            scope[name] = runtime.constant(value)
    # Rules from outside the package are tested when they are compiled.
    if backend is not None and backend.compiles and hasattr(module, "__linked__"):
        module.__linked__(linked)
    return linked


def _is_table(value: object) -> bool:
    """Tell whether a value is a tuple of integers, which kernels read as an array."""
    return isinstance(value, tuple) and all(type(v) is int for v in value)


def _names_in_kernels(module: ModuleType) -> set[str]:
    """Return the global names that the kernels of a module use."""
    kernels = (f for f in vars(module).values() if hasattr(f, "__kernel__"))
    return {name for function in kernels for name in function.__code__.co_names}


def _label(names: list[str]) -> str:
    """Return a label of the modules that a module is linked with, "" if there are none.

    LLVM links the machine code of a process by function name. If the same function of two games
    had one name, code from the cache could call the other game's function.
    """
    return f"with_{sha256(' '.join(names).encode()).hexdigest()[:12]}" if names else ""


def folders_of(
    module: ModuleType, others: Sequence[ModuleType] = ()
) -> frozenset[tuple[str, Path]]:
    """Return the source folders of a module and of `others` that are not shared by all games.

    Each folder comes with the name it is imported by: machine code contains that name, and a game
    may be both installed and given by its path. For a module without a package it is the file.
    """
    from damier.jit.native import is_shared

    file = getattr(module, "__file__", None)
    own = set()
    if file and not is_shared(Path(file)):
        package = module.__name__.rpartition(".")[0]
        own = {(package, Path(file).parent) if package else (module.__name__, Path(file))}
    return frozenset(own).union(*(getattr(other, "__folders__", ()) for other in others))


def _link_import(function: FunctionType, backend: Backend | None, runtime: Runtime) -> Any:
    """Return the linked form of a kernel that a module imports from another."""
    if backend is None:
        return function
    if function.__module__ == __name__:
        return runtime.primitive(function)
    linked = _link(sys.modules[function.__module__], (), backend)
    return runtime.import_kernel(function.__name__, getattr(linked, function.__name__))
