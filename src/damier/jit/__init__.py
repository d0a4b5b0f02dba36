"""The one doorway to the compiler.

Rules and loops are plain Python functions marked with `@kernel`. As they stand they run
anywhere, at once, without a compiler. `link` makes a faster twin of a whole module, in which every
kernel is compiled: by Numba for this machine (`native`), or, where there is no Numba, into
WebAssembly that was built of the same functions elsewhere (`wasm`). One source, three speeds, equal
answers.

A module of loops is a template: it names its game's rules `rules`, and
`link(loops, rules=link(rules_of_a_game))` makes the loops of that game. Each twin is compiled
apart, so no game pays for another and nothing is looked up while it runs.
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

# What a kernel reads and fills: a list as it stands, an array of 64-bit integers compiled.
Buffer = MutableSequence[int]

MASK63 = (1 << 63) - 1

# One thread links at a time: the same arguments give the same twin.
_linking = threading.RLock()


class Home(Protocol):
    """Where the kernels of a twin live, and the arrays that they work in."""

    def compiled(self, function: FunctionType, inline: bool) -> Any:
        """Return a kernel as the twin calls it; `inline` says that it is marked `@inlined`."""
        ...

    def imported(self, name: str, kernel: Any) -> Any:
        """Return a kernel that the twin has from another, which is no game's."""
        ...

    def primitive(self, function: FunctionType) -> Any:
        """Return the twin of one of the kernels of this module."""
        ...

    def constant(self, values: tuple[int, ...]) -> Any:
        """Return a table of integers that kernels look up."""
        ...

    def zeros(self, size: int, kind: str = "q") -> Any:
        """Return an array of zeros; `kind` is a letter of `struct` for the size of an item."""
        ...

    def array(self, values: Sequence[int]) -> Any:
        """Return an array of integers."""
        ...

    def filled(self, size: int, kind: str, pieces: Iterable[tuple[int, bytes]]) -> Any:
        """Return an array of zeros but for some pieces of it: first bytes, and what is there."""
        ...


class BackEnd(Protocol):
    """What makes kernels fast."""

    @property
    def compiles(self) -> bool:
        """Whether it compiles what it is asked for, so that somebody may have to wait."""
        ...

    def __hash__(self) -> int: ...

    def enabled(self) -> bool:
        """Tell whether any kernels can be compiled, or are at hand."""
        ...

    def has(self, twin: str) -> bool:
        """Tell whether kernels of a twin are at hand: nobody need wait for them."""
        ...

    def home(self, twin: str, folders: Iterable[tuple[str, Path]], others: list[Home]) -> Home:
        """Return the home of a twin, which is made from folders and linked with others' twins."""
        ...


class _Plain:
    """The home of kernels that are not compiled: their arrays are lists."""

    def compiled(self, function: FunctionType, inline: bool) -> Any:
        return function

    def imported(self, name: str, kernel: Any) -> Any:
        return kernel

    def primitive(self, function: FunctionType) -> Any:
        return function

    def constant(self, values: tuple[int, ...]) -> Any:
        return values

    def zeros(self, size: int, kind: str = "q") -> Any:
        return [0] * size

    def array(self, values: Sequence[int]) -> Any:
        return values

    def filled(self, size: int, kind: str, pieces: Iterable[tuple[int, bytes]]) -> Any:
        made = array(kind, [0]) * size
        put_pieces(made, pieces)
        return made


def put_pieces(into: Any, pieces: Iterable[tuple[int, bytes]]) -> None:
    """Put pieces, each with the place of its first byte, into an array."""
    whole = memoryview(into).cast("B")
    for at, piece in pieces:
        whole[at : at + len(piece)] = piece


PLAIN: Home = _Plain()
_used: list[BackEnd] = []


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


def use(back_end: BackEnd) -> None:
    """Compile by another back end than Numba: once, before anything is linked."""
    _used[:] = [back_end]


def used() -> BackEnd:
    """Return the back end in use."""
    if not _used:
        from damier.jit.native import Numba

        _used.append(Numba())
    return _used[0]


def enabled() -> bool:
    """Tell whether kernels can be compiled: not with NUMBA_DISABLE_JIT=1, Numba's own switch."""
    return used().enabled()


def compiles() -> bool:
    """Tell whether kernels are compiled when they are asked for: one may have to wait."""
    return enabled() and used().compiles


def at_hand(module: ModuleType) -> bool:
    """Tell whether the kernels of a module were compiled beforehand, with all that go with it."""
    return used().has(f"{module.__name__}[]")


def home_of(twin: ModuleType) -> Home:
    """Return where the kernels of a twin live: it makes the arrays that they take."""
    home: Home = getattr(twin, "__home__", PLAIN)
    return home


def stand_in() -> Any:
    """Return what stands in a template for a module that `link` will put in its place."""
    return None


def link(module: ModuleType, **names: ModuleType) -> ModuleType:
    """Return the compiled twin of a module, in which `names` stand for other modules.

    The same arguments give the same twin. Machine code is kept in a cache between processes.
    Where JIT is disabled the twin runs as plain Python.
    """
    with _linking:
        return _link(module, tuple(sorted(names.items())), used() if enabled() else None)


def link_plain(module: ModuleType, **names: ModuleType) -> ModuleType:
    """Return the twin of a module as plain Python: for loops over rules that are not compiled."""
    with _linking:
        return _link(module, tuple(sorted(names.items())), None) if names else module


@cache
def _link(
    module: ModuleType, names: tuple[tuple[str, ModuleType], ...], back_end: BackEnd | None
) -> ModuleType:
    label = _label([twin.__name__ for _, twin in names])
    twin = ModuleType(f"{module.__name__}[{label}]")
    scope = twin.__dict__
    scope.update({k: v for k, v in vars(module).items() if k not in ("__name__", "__spec__")})
    scope.update(names)
    scope["__folders__"] = folders = folders_of(module, [twin for _, twin in names])
    home = PLAIN
    if back_end is not None:
        home = back_end.home(twin.__name__, folders, [home_of(twin) for _, twin in names])
    scope["__home__"] = home
    for name, value in vars(module).items():
        if isinstance(value, FunctionType) and hasattr(value, "__kernel__"):
            if value.__module__ != module.__name__:
                scope[name] = _imported(value, back_end, home)
                continue
            # Numba names its cache files by the qualified name: it must tell the twins apart.
            function = FunctionType(
                value.__code__, scope, value.__name__, value.__defaults__, value.__closure__
            )
            function.__qualname__ = f"{label}.{value.__qualname__}" if label else value.__qualname__
            function.__module__ = value.__module__
            scope[name] = home.compiled(function, hasattr(value, "__inlined__"))
        elif isinstance(value, tuple) and value and all(type(v) is int for v in value):
            scope[name] = home.constant(value)
    # Rules from outside are tried, once they are compiled.
    if back_end is not None and back_end.compiles and hasattr(module, "__linked__"):
        module.__linked__(twin)
    return twin


def _label(names: list[str]) -> str:
    """Return what tells a twin from those linked with other modules: "" if it is with none.

    Machine code of one process is linked by the names of its functions. If the same function of
    two games had one name, code from the cache could call the other game's.
    """
    return f"with_{sha256(' '.join(names).encode()).hexdigest()[:12]}" if names else ""


def folders_of(
    module: ModuleType, others: Sequence[ModuleType] = ()
) -> frozenset[tuple[str, Path]]:
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


def _imported(function: FunctionType, back_end: BackEnd | None, home: Home) -> Any:
    """Return the twin of a kernel that a module has imported from another."""
    if back_end is None:
        return function
    if function.__module__ == __name__:
        return home.primitive(function)
    twin = _link(sys.modules[function.__module__], (), back_end)
    return home.imported(function.__name__, getattr(twin, function.__name__))
