"""WebAssembly that was built beforehand: the third speed, where there is no compiler.

`damier.jit.retarget` builds a module for each game and describes there how its kernels are called.
Here modules are loaded, and `link` finds their kernels: a twin whose kernels are in a module calls
them, and all that no module holds runs as plain Python. Arrays live in the module's memory; from
Python they look like lists. Neither Numba nor NumPy is needed.

    loaded = Modules(InBrowser)
    jit.use(loaded)             before anything is linked
    loaded.add(code)            the content of a game's file: its kernels are at hand from now on
"""

from __future__ import annotations

import json
from bisect import insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from struct import Struct, pack, unpack
from types import FunctionType
from typing import Any, Protocol, overload

from damier import jit

SECTION = "damier"  # of a module: what it says of itself, in JSON
SIZES = {"b": 1, "B": 1, "h": 2, "H": 2, "i": 4, "I": 4, "q": 8, "Q": 8}  # bytes of an item
BLOCK = 128  # words: a kernel's arguments, and its results, must not be more

# A value in words: "int", "bool", an array as "q[]" (the letters are those of `struct`), or a list
# of what is in a tuple.
Layout = str | list[Any]


class Carrier(Protocol):
    """A module in whatever runs WebAssembly here."""

    def __init__(self, code: bytes) -> None: ...

    def call(self, name: str, first: int, second: int) -> int:
        """Call what is exported by a name: a function of two addresses that returns a number."""
        ...

    def read(self, address: int, size: int) -> bytes:
        """Return a part of the memory."""
        ...

    def write(self, address: int, data: bytes) -> None:
        """Put bytes into the memory."""
        ...


class InBrowser:
    """A module beside Pyodide, in a worker: elsewhere browsers do not compile while one waits."""

    def __init__(self, code: bytes) -> None:
        import js  # type: ignore[import-not-found]
        from pyodide.ffi import to_js  # type: ignore[import-not-found]

        made = js.WebAssembly.Instance.new(js.WebAssembly.Module.new(to_js(code)))
        self._exports, self._view = made.exports, js.Uint8Array
        self._functions: dict[str, Any] = {}

    def call(self, name: str, first: int, second: int) -> int:
        """Call what is exported by a name."""
        if name not in self._functions:
            self._functions[name] = getattr(self._exports, name)
        return int(self._functions[name](first, second))

    def read(self, address: int, size: int) -> bytes:
        """Return a part of the memory."""
        found: bytes = self._view.new(self._exports.memory.buffer, address, size).to_bytes()
        return found

    def write(self, address: int, data: bytes) -> None:
        """Put bytes into the memory."""
        self._view.new(self._exports.memory.buffer, address, len(data)).assign(data)


class Array:
    """An array in a module's memory, which is free again when nobody holds the array any more."""

    def __init__(self, room: Room, size: int, kind: str) -> None:
        self.kind, self.room, self._size = kind, room, size
        self._item = Struct(f"<{kind}")
        self.address = room.take(size * self._item.size)

    def __del__(self) -> None:
        if hasattr(self, "address"):
            self.room.give_back(self.address)

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, at: int) -> int: ...
    @overload
    def __getitem__(self, at: slice) -> list[int]: ...
    def __getitem__(self, at: int | slice) -> int | list[int]:
        if isinstance(at, slice):
            first, last, step = at.indices(self._size)
            return self._items(first, last)[::step] if step > 0 else self.tolist()[at]
        return int(self._item.unpack(self.room.read(self._address(at), self._item.size))[0])

    def __setitem__(self, at: int, value: int) -> None:
        self.room.write(self._address(at), self._item.pack(value))

    def __iter__(self) -> Iterator[int]:
        return iter(self.tolist())

    def fill(self, data: bytes, at: int) -> None:
        """Put bytes into the array, from one of its own on."""
        if at < 0 or at + len(data) > self._size * self._item.size:
            raise IndexError(at)
        self.room.write(self.address + at, data)

    def tolist(self) -> list[int]:
        """Return the items."""
        return self._items(0, self._size)

    def _items(self, first: int, last: int) -> list[int]:
        count = max(0, last - first)
        data = self.room.read(self.address + first * self._item.size, count * self._item.size)
        return list(unpack(f"<{count}{self.kind}", data))

    def _address(self, at: int) -> int:
        if not -self._size <= at < self._size:
            raise IndexError(at)
        return self.address + at % self._size * self._item.size


class Room:
    """The memory of a module: what Python holds, and above it what kernels take during a call."""

    GRAIN = 16  # bytes

    def __init__(self, carrier: Carrier) -> None:
        self.read, self.write = carrier.read, carrier.write
        self._carrier = carrier
        self._sizes: dict[int, int] = {}
        self._free: list[tuple[int, int]] = []  # first and end of what lies between, in order
        self.top = -(-carrier.call("heap", 0, 0) // self.GRAIN) * self.GRAIN

    def take(self, size: int) -> int:
        """Return the address of so many bytes, all 0."""
        size = max(1, -(-size // self.GRAIN)) * self.GRAIN
        for k, (first, end) in enumerate(self._free):
            if end - first >= size:
                self._free[k : k + 1] = [(first + size, end)] if end - first > size else []
                break
        else:
            first = self.top
            if first + size >= 1 << 31 or self._carrier.call("reserve", 0, first + size):
                raise MemoryError
            self.top += size
        self._carrier.call("zero", first, first + size)
        self._sizes[first] = size
        return first

    def give_back(self, address: int) -> None:
        """Have what lies at an address free again."""
        insort(self._free, (address, address + self._sizes.pop(address)))
        joined: list[tuple[int, int]] = []
        for first, end in self._free:
            if joined and joined[-1][1] == first:
                joined[-1] = joined[-1][0], end
            else:
                joined.append((first, end))
        if joined and joined[-1][1] == self.top:
            self.top = joined.pop()[0]
        self._free = joined


class Kernel:
    """A kernel of a module. It may be there several times, for arguments of different layouts."""

    def __init__(self, home: Home, overloads: list[dict[str, Any]]) -> None:
        self._home, self._overloads = home, overloads

    def __call__(self, *arguments: Any) -> Any:
        """Return what the kernel answers."""
        for one in self._overloads:
            if len(self._overloads) == 1 or _fits(one["takes"], arguments):
                return self._call(one["export"], one["takes"], one["gives"], arguments)
        raise TypeError(f"{self._overloads[0]['export']} does not take these arguments")

    def _call(self, export: str, takes: Layout, gives: Layout, arguments: tuple[Any, ...]) -> Any:
        words: list[int] = []
        home = self._home
        _put(takes, arguments, home.room, words)
        home.room.write(home.block, pack(f"<{len(words)}q", *words))
        status = home.carrier.call(export, home.block, home.room.top)
        if status:
            raise RuntimeError(f"{export} has failed with status {status}")
        count = count_words(gives)
        found = iter(unpack(f"<{count}q", home.room.read(home.block, 8 * count)) if count else ())
        return home.taken(self._read(gives, found))

    def _read(self, layout: Layout, words: Iterator[int]) -> Any:
        """Return a result; of an array what is in it, before anything else can take its place."""
        if isinstance(layout, list):
            return tuple(self._read(one, words) for one in layout) if layout else None
        if layout == "bool":
            return bool(next(words))
        if layout == "int":
            return next(words)
        address, size = next(words), next(words)
        return _Found(layout[0], size, self._home.room.read(address, size * SIZES[layout[0]]))


class _Found:
    """The content of an array that a kernel has made, in memory that is not its own any more."""

    def __init__(self, kind: str, size: int, data: bytes) -> None:
        self.kind, self.size, self.data = kind, size, data


def _fits(layout: Layout, value: Any) -> bool:
    if isinstance(layout, list):
        alike = isinstance(value, tuple) and len(value) == len(layout)
        return alike and all(map(_fits, layout, value))
    if layout.endswith("[]"):
        return isinstance(value, Array) and value.kind == layout[0]
    return isinstance(value, int)


def _put(layout: Layout, value: Any, room: Room, words: list[int]) -> None:
    """Add a value to words; an array must be in this memory."""
    if isinstance(layout, list):
        for one, part in zip(layout, value, strict=True):
            _put(one, part, room, words)
    elif layout.endswith("[]"):
        if not isinstance(value, Array) or value.kind != layout[0] or value.room is not room:
            raise TypeError(f"{type(value).__name__} is no array {layout} of this module")
        words += value.address, len(value)
    else:
        words.append(int(value))


def count_words(layout: Layout) -> int:
    """Return how many words a value is."""
    if isinstance(layout, list):
        return sum(map(count_words, layout))
    return 2 if layout.endswith("[]") else 1


class Home:
    """A loaded module: its kernels, its memory and the arrays in it."""

    def __init__(self, carrier: Carrier, twins: dict[str, Any]) -> None:
        self.carrier, self.room = carrier, Room(carrier)
        self.block = self.room.take(8 * BLOCK)
        self._twins = twins

    def kernel(self, twin: str, name: str, otherwise: Any) -> Any:
        """Return a kernel of a twin: the module's, or else what runs without one."""
        found = self._twins.get(twin, {}).get(name)
        return otherwise if found is None else Kernel(self, found)

    def zeros(self, size: int, kind: str = "q") -> Array:
        """Return an array of zeros."""
        return Array(self.room, size, kind)

    def array(self, values: Sequence[int]) -> Array:
        """Return an array of integers."""
        return self.filled(len(values), "q", [(0, pack(f"<{len(values)}q", *values))])

    def filled(self, size: int, kind: str, pieces: Iterable[tuple[int, bytes]]) -> Array:
        """Return an array of zeros but for some pieces of it."""
        made = self.zeros(size, kind)
        for at, piece in pieces:
            made.fill(piece, at)
        return made

    def enlarged(self, old: Array) -> Array:
        """Return an array twice as long that begins with the content of the old one."""
        content = self.room.read(old.address, 8 * len(old))
        return self.filled(2 * len(old), "q", [(0, content)])

    def taken(self, found: Any) -> Any:
        """Return a result of a kernel with arrays of Python's own."""
        if isinstance(found, tuple):
            return tuple(map(self.taken, found))
        if isinstance(found, _Found):
            return self.filled(found.size, found.kind, [(0, found.data)])
        return found


class _TwinHome:
    """What `link` asks for the kernels of one twin."""

    def __init__(self, home: Home, twin: str) -> None:
        self.module, self._twin = home, twin
        self.zeros, self.array, self.filled = home.zeros, home.array, home.filled

    def compiled(self, function: FunctionType, inline: bool) -> Any:
        """Return a kernel of the twin."""
        return self.module.kernel(self._twin, function.__name__, function)

    def imported(self, name: str, kernel: Any) -> Any:
        """Return a kernel that the twin has from another: the module may have it as the twin's."""
        return self.module.kernel(self._twin, name, kernel)

    def primitive(self, function: FunctionType) -> Any:
        """Return the twin of a kernel of `damier.jit`: those that make arrays make them here."""
        made: dict[str, Callable[..., Any]] = {
            "buffer": self.zeros,
            "enlarged": self.module.enlarged,
        }
        return made.get(function.__name__, function)

    def constant(self, values: tuple[int, ...]) -> Any:
        """Return a table of integers as kernels read it: they have theirs, Python keeps its own."""
        return values


class Modules:
    """The back end of a process without a compiler: what has been loaded."""

    compiles = False

    def __init__(self, carrier: Callable[[bytes], Carrier]) -> None:
        self._carrier = carrier
        self._homes: dict[str, Home] = {}

    def add(self, code: bytes) -> None:
        """Load a module."""
        twins = described(code)["twins"]
        home = Home(self._carrier(code), twins)
        self._homes |= dict.fromkeys(twins, home)

    def enabled(self) -> bool:
        """Tell whether any kernels are at hand."""
        return bool(self._homes)

    def has(self, twin: str) -> bool:
        """Tell whether the module with a twin is loaded."""
        return twin in self._homes

    def home(self, twin: str, folders: Any, others: list[Any]) -> Any:
        """Return where the kernels of a twin live: those it is linked with say so if need be."""
        if twin in self._homes:
            return _TwinHome(self._homes[twin], twin)
        for other in others:
            if isinstance(other, _TwinHome):
                return _TwinHome(other.module, twin)
        return jit.PLAIN


def described(code: bytes) -> dict[str, Any]:
    """Return what a module says of itself, in its first section."""
    name = bytes([len(SECTION)]) + SECTION.encode()
    if code[:4] == b"\0asm" and code[8:9] == b"\0":
        size, at = _read_uleb128(code, 9)
        if code[at : at + len(name)] == name:
            found: dict[str, Any] = json.loads(code[at + len(name) : at + size])
            return found
    raise ValueError("this is no module of kernels")


def uleb128(number: int) -> bytes:
    """Return a number as WebAssembly writes it: seven bits a byte, the lowest first."""
    low, rest = number & 127, number >> 7
    return bytes([low | 128]) + uleb128(rest) if rest else bytes([low])


def _read_uleb128(code: bytes, at: int) -> tuple[int, int]:
    """Return the number that stands somewhere, and where it ends."""
    low, at = code[at], at + 1
    if low < 128:
        return low, at
    rest, at = _read_uleb128(code, at)
    return low & 127 | rest << 7, at
