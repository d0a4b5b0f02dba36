"""Runtime for precompiled WebAssembly kernels, for processes without a compiler.

`wasm_compiler` builds one WebAssembly module for each game, with a description of its kernels. This
module loads them and gives their kernels to `link`; kernels that no module contains run as plain
Python. Arrays are in the module's memory and behave like lists in Python. Neither Numba nor NumPy
is needed.

    backend = WasmBackend(BrowserInstance)
    jit.use_backend(backend)      before anything is linked
    backend.add(code)             the content of a game's .wasm file
"""

from __future__ import annotations

import json
from bisect import insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from struct import Struct, pack, unpack
from types import FunctionType
from typing import Any, Protocol, overload

from damier import jit

SECTION = "damier"  # custom section with the module's description, in JSON
SIZES = {"b": 1, "B": 1, "h": 2, "H": 2, "i": 4, "I": 4, "q": 8, "Q": 8}  # bytes of an item
BLOCK = 128  # words: limit for the arguments of a kernel and for its results

# Layout of a value in words: "int", "bool", an array such as "q[]" (with a `struct` format letter),
# or the list of the layouts in a tuple.
Layout = str | list[Any]


class WasmInstance(Protocol):
    """Instance of a module in a WebAssembly engine."""

    def __init__(self, code: bytes) -> None: ...

    def call(self, name: str, first: int, second: int) -> int:
        """Call an exported function of two addresses and return its result."""
        ...

    def read(self, address: int, size: int) -> bytes:
        """Return bytes of the memory."""
        ...

    def write(self, address: int, data: bytes) -> None:
        """Write bytes to the memory."""
        ...


class BrowserInstance:
    """Instance in a browser, with Pyodide in a worker: the main thread cannot compile it."""

    def __init__(self, code: bytes) -> None:
        import js  # type: ignore[import-not-found]  # only in Pyodide
        from pyodide.ffi import to_js  # type: ignore[import-not-found]  # only in Pyodide

        instance = js.WebAssembly.Instance.new(js.WebAssembly.Module.new(to_js(code)))
        self._exports, self._view = instance.exports, js.Uint8Array
        self._functions: dict[str, Any] = {}

    def call(self, name: str, first: int, second: int) -> int:
        """Call an exported function."""
        if name not in self._functions:
            self._functions[name] = getattr(self._exports, name)
        return int(self._functions[name](first, second))

    def read(self, address: int, size: int) -> bytes:
        """Return bytes of the memory."""
        data: bytes = self._view.new(self._exports.memory.buffer, address, size).to_bytes()
        return data

    def write(self, address: int, data: bytes) -> None:
        """Write bytes to the memory."""
        self._view.new(self._exports.memory.buffer, address, len(data)).assign(data)


class WasmArray:
    """Array in a module's memory, which is freed with the Python object."""

    def __init__(self, memory: WasmMemory, size: int, kind: str) -> None:
        self.kind, self.memory, self._size = kind, memory, size
        self._item = Struct(f"<{kind}")
        self.address = memory.allocate(size * self._item.size)

    def __del__(self) -> None:
        if hasattr(self, "address"):
            self.memory.free(self.address)

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
        return int(self._item.unpack(self.memory.read(self._address(at), self._item.size))[0])

    def __setitem__(self, at: int, value: int) -> None:
        self.memory.write(self._address(at), self._item.pack(value))

    def __iter__(self) -> Iterator[int]:
        return iter(self.tolist())

    def fill(self, data: bytes, at: int) -> None:
        """Write bytes to the array, from an offset in bytes."""
        if at < 0 or at + len(data) > self._size * self._item.size:
            raise IndexError(at)
        self.memory.write(self.address + at, data)

    def tolist(self) -> list[int]:
        """Return the items."""
        return self._items(0, self._size)

    def _items(self, first: int, last: int) -> list[int]:
        count = max(0, last - first)
        data = self.memory.read(self.address + first * self._item.size, count * self._item.size)
        return list(unpack(f"<{count}{self.kind}", data))

    def _address(self, at: int) -> int:
        if not -self._size <= at < self._size:
            raise IndexError(at)
        return self.address + at % self._size * self._item.size


class WasmMemory:
    """Allocator of a module's memory.

    Below `top` are the allocations of Python, above it those of a kernel during a call.
    """

    ALIGNMENT = 16  # bytes

    def __init__(self, instance: WasmInstance) -> None:
        self.read, self.write = instance.read, instance.write
        self._instance = instance
        self._sizes: dict[int, int] = {}
        self._free: list[tuple[int, int]] = []  # first and end address of each free range, sorted
        self.top = -(-instance.call("heap", 0, 0) // self.ALIGNMENT) * self.ALIGNMENT

    def allocate(self, size: int) -> int:
        """Return the address of a new allocation of `size` bytes, all 0."""
        size = max(1, -(-size // self.ALIGNMENT)) * self.ALIGNMENT
        for k, (first, end) in enumerate(self._free):
            if end - first >= size:
                self._free[k : k + 1] = [(first + size, end)] if end - first > size else []
                break
        else:
            first = self.top
            if first + size >= 1 << 31 or self._instance.call("reserve", 0, first + size):
                raise MemoryError
            self.top += size
        self._instance.call("zero", first, first + size)
        self._sizes[first] = size
        return first

    def free(self, address: int) -> None:
        """Free the allocation at an address."""
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


class WasmKernel:
    """Kernel of a module, with one overload for each layout of its arguments."""

    def __init__(self, module: WasmModule, overloads: list[dict[str, Any]]) -> None:
        self._module, self._overloads = module, overloads

    def __call__(self, *arguments: Any) -> Any:
        """Call the overload that takes these arguments and return its result."""
        for variant in self._overloads:
            takes = variant["takes"]
            if len(self._overloads) == 1 or _fits(takes, arguments):
                return self._call(variant["export"], takes, variant["gives"], arguments)
        raise TypeError(f"{self._overloads[0]['export']} does not take these arguments")

    def _call(self, export: str, takes: Layout, gives: Layout, arguments: tuple[Any, ...]) -> Any:
        words: list[int] = []
        module = self._module
        _append_words(takes, arguments, module.memory, words)
        module.memory.write(module.block, pack(f"<{len(words)}q", *words))
        status = module.instance.call(export, module.block, module.memory.top)
        if status:
            raise RuntimeError(f"{export} has failed with status {status}")
        count = count_words(gives)
        results = iter(
            unpack(f"<{count}q", module.memory.read(module.block, 8 * count)) if count else ()
        )
        return module.copy_result(self._read(gives, results))

    def _read(self, layout: Layout, words: Iterator[int]) -> Any:
        """Return a result; the content of arrays is copied, as the next call may overwrite it."""
        if isinstance(layout, list):
            return tuple(self._read(part, words) for part in layout) if layout else None
        if layout == "bool":
            return bool(next(words))
        if layout == "int":
            return next(words)
        address, size = next(words), next(words)
        return _ArrayContent(
            layout[0], size, self._module.memory.read(address, size * SIZES[layout[0]])
        )


class _ArrayContent:
    """Content of an array that a kernel has created in temporary memory."""

    def __init__(self, kind: str, size: int, data: bytes) -> None:
        self.kind, self.size, self.data = kind, size, data


def _fits(layout: Layout, value: Any) -> bool:
    if isinstance(layout, list):
        same_size = isinstance(value, tuple) and len(value) == len(layout)
        return same_size and all(map(_fits, layout, value))
    if layout.endswith("[]"):
        return isinstance(value, WasmArray) and value.kind == layout[0]
    return isinstance(value, int)


def _append_words(layout: Layout, value: Any, memory: WasmMemory, words: list[int]) -> None:
    """Append the words of a value; an array must be in this memory."""
    if isinstance(layout, list):
        for part_layout, part in zip(layout, value, strict=True):
            _append_words(part_layout, part, memory, words)
    elif layout.endswith("[]"):
        if (
            not isinstance(value, WasmArray)
            or value.kind != layout[0]
            or value.memory is not memory
        ):
            raise TypeError(f"{type(value).__name__} is not an array {layout} of this module")
        words += value.address, len(value)
    else:
        words.append(int(value))


def count_words(layout: Layout) -> int:
    """Return the number of words of a value."""
    if isinstance(layout, list):
        return sum(map(count_words, layout))
    return 2 if layout.endswith("[]") else 1


class WasmModule:
    """Loaded WebAssembly module: its kernels, its memory and the arrays in it."""

    def __init__(self, instance: WasmInstance, overloads: dict[str, Any]) -> None:
        self.instance, self.memory = instance, WasmMemory(instance)
        self.block = self.memory.allocate(8 * BLOCK)
        self._overloads = overloads  # by linked module and kernel

    def kernel(self, linked: str, name: str, default: Any) -> Any:
        """Return a kernel of a linked module, or the default if it is not compiled here."""
        overloads = self._overloads.get(linked, {}).get(name)
        return default if overloads is None else WasmKernel(self, overloads)

    def zeros(self, size: int, kind: str = "q") -> WasmArray:
        """Return an array of zeros."""
        return WasmArray(self.memory, size, kind)

    def array(self, values: Sequence[int]) -> WasmArray:
        """Return an array of integers."""
        return self.from_pieces(len(values), "q", [(0, pack(f"<{len(values)}q", *values))])

    def from_pieces(self, size: int, kind: str, pieces: Iterable[tuple[int, bytes]]) -> WasmArray:
        """Return an array with some bytes set; the rest is 0."""
        result = self.zeros(size, kind)
        for offset, piece in pieces:
            result.fill(piece, offset)
        return result

    def enlarged(self, old: WasmArray) -> WasmArray:
        """Return an array twice as long that begins with the content of the old one."""
        content = self.memory.read(old.address, 8 * len(old))
        return self.from_pieces(2 * len(old), "q", [(0, content)])

    def copy_result(self, result: Any) -> Any:
        """Return the result of a kernel, with its arrays allocated by Python."""
        if isinstance(result, tuple):
            return tuple(map(self.copy_result, result))
        if isinstance(result, _ArrayContent):
            return self.from_pieces(result.size, result.kind, [(0, result.data)])
        return result


class WasmRuntime:
    """Runtime of one linked module whose kernels are in a WebAssembly module."""

    def __init__(self, module: WasmModule, name: str) -> None:
        self.module, self._name = module, name
        self.zeros, self.array, self.from_pieces = module.zeros, module.array, module.from_pieces

    def compile(self, function: FunctionType, inline: bool) -> Any:
        """Return a kernel of the linked module."""
        return self.module.kernel(self._name, function.__name__, function)

    def import_kernel(self, name: str, kernel: Any) -> Any:
        """Return an imported kernel, which may be exported under this linked module's name."""
        return self.module.kernel(self._name, name, kernel)

    def primitive(self, function: FunctionType) -> Any:
        """Return a kernel of `damier.jit`; those that return arrays allocate them here."""
        allocators: dict[str, Callable[..., Any]] = {
            "buffer": self.zeros,
            "enlarged": self.module.enlarged,
        }
        return allocators.get(function.__name__, function)

    def constant(self, values: tuple[int, ...]) -> Any:
        """Return the values; compiled kernels contain their own copy."""
        return values


class WasmBackend:
    """Backend of a process without a compiler: the modules that have been loaded."""

    compiles = False

    def __init__(self, instantiate: Callable[[bytes], WasmInstance]) -> None:
        self._instantiate = instantiate
        self._modules: dict[str, WasmModule] = {}

    def add(self, code: bytes) -> None:
        """Load a module."""
        overloads = read_description(code)["twins"]
        module = WasmModule(self._instantiate(code), overloads)
        self._modules |= dict.fromkeys(overloads, module)

    def enabled(self) -> bool:
        """Return whether any module is loaded."""
        return bool(self._modules)

    def has_kernels(self, name: str) -> bool:
        """Return whether the kernels of a linked module are loaded."""
        return name in self._modules

    def runtime(self, name: str, folders: Any, others: list[Any]) -> Any:
        """Return the runtime of a linked module.

        Without kernels of its own it shares the memory of a module that it is linked with.
        """
        if name in self._modules:
            return WasmRuntime(self._modules[name], name)
        for other in others:
            if isinstance(other, WasmRuntime):
                return WasmRuntime(other.module, name)
        return jit.PYTHON_RUNTIME


def read_description(code: bytes) -> dict[str, Any]:
    """Return the description of a module, from its first section."""
    name = bytes([len(SECTION)]) + SECTION.encode()
    if code[:4] == b"\0asm" and code[8:9] == b"\0":
        size, at = _read_uleb128(code, 9)
        if code[at : at + len(name)] == name:
            description: dict[str, Any] = json.loads(code[at + len(name) : at + size])
            return description
    raise ValueError("not a WebAssembly module of damier")


def uleb128(number: int) -> bytes:
    """Return a number in LEB128: seven bits a byte, the lowest first."""
    low, rest = number & 127, number >> 7
    return bytes([low | 128]) + uleb128(rest) if rest else bytes([low])


def _read_uleb128(code: bytes, at: int) -> tuple[int, int]:
    """Return the LEB128 number at an offset, and the offset after it."""
    low, at = code[at], at + 1
    if low < 128:
        return low, at
    rest, at = _read_uleb128(code, at)
    return low & 127 | rest << 7, at
