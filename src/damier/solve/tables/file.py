"""Table files: arrays in compressed blocks that can be read one by one.

The format is described in docs/tables.md. A file is trusted only if its checksums hold; who has
made them hold for something else is refused as well, without more memory or time than a table of
these rules would take.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import struct
import threading
import weakref
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from damier import files
from damier.errors import DamierError
from damier.jit import Home
from damier.jit.native import NUMPY

MAGIC = b"DAMIERTB"
FORMAT = 1
BLOCK = 1 << 16
WIDTHS = (1, 2, 8)  # of an item, in bytes
CACHED_BLOCKS = 256  # of each array: 16 MB
SMALL = 4 << 20  # bytes: a file that is no bigger stays in memory
_MOST_PACKED = BLOCK + 1024  # bytes of a block; what cannot be packed grows a little
_MOST_HEADER = 8 << 20  # bytes, unpacked
_MOST_ARRAY = 1 << 36  # bytes
_MARK = 16  # bytes that tell one block from another


class Blocks:
    """An array of bytes in compressed blocks: a block is unpacked when it is asked for.

    `fetch` returns a packed block, or None where the file is no longer what it was; then this is
    `lost`. What was unpacked before stays good.
    """

    def __init__(self, path: Path, array: _Array, fetch: Callable[[int], bytes | None]) -> None:
        self._path, self._size, self._width = path, array.size, array.width
        self._ends, self._fetch = array.ends, fetch
        self._cache: OrderedDict[int, bytes] = OrderedDict()
        self._lock = threading.Lock()
        self._arrays: dict[type[Home], Any] = {}
        self.lost = False

    def __len__(self) -> int:
        return self._size // self._width

    @property
    def width(self) -> int:
        """How many bytes an item takes."""
        return self._width

    def _unpacked(self, k: int) -> bytes:
        size = min(BLOCK, self._size - k * BLOCK)
        if self._ends[k] == (self._ends[k - 1] if k else 0):  # nothing but zeros
            return bytes(size)
        packed = self._fetch(k)
        if packed is None:
            self.lost = True
            raise DamierError("table-changed", path=self._path)
        return _unzipped(self._path, packed, size, size)

    def __getitem__(self, number: int) -> int:
        for array in self._arrays.values():
            return int(array[number])
        k, at = divmod(number * self._width, BLOCK)
        with self._lock:
            block = self._cache.get(k)
            if block is None:
                block = self._cache[k] = self._unpacked(k)
                if len(self._cache) > CACHED_BLOCKS:
                    self._cache.popitem(last=False)
            else:
                self._cache.move_to_end(k)
        return int.from_bytes(block[at : at + self._width], "little")

    def array(self, home: Home = NUMPY) -> Any:
        """Return all of it for the kernels that live somewhere, unpacked once."""
        if type(home) not in self._arrays:
            # Words of positions fill 63 bits of 64: as kernels take them, they have a sign.
            kind = {1: "B", 2: "H", 4: "I", 8: "q"}[self._width]
            self._arrays[type(home)] = home.filled(len(self), kind, self._all_unpacked())
        return self._arrays[type(home)]

    def _all_unpacked(self) -> Iterator[tuple[int, bytes]]:
        """Yield the blocks that hold more than zeros, each with its place."""
        for k in range(len(self._ends)):
            if self._ends[k] > (self._ends[k - 1] if k else 0):
                yield k * BLOCK, self._unpacked(k)


def pack(header: Mapping[str, object], arrays: Mapping[str, Any]) -> bytes:
    """Return the content of a table file."""
    payload = bytearray()
    described = []
    for name, array in arrays.items():
        data = memoryview(array).cast("B")
        ends = []
        start = len(payload)
        for k in range(0, len(data), BLOCK):
            block = bytes(data[k : k + BLOCK])
            if block.count(0) < len(block):
                payload += zlib.compress(block, 9)
            ends.append(len(payload) - start)
        width = memoryview(array).itemsize
        described.append({"name": name, "size": len(data), "width": width, "ends": ends})
    whole = {
        **header,
        "format": FORMAT,
        "arrays": described,
        "bytes": len(payload),
        "sha256": hashlib.sha256(payload).hexdigest(),
    }
    text = json.dumps(whole, separators=(",", ":"), sort_keys=True).encode()
    packed = zlib.compress(text, 9)
    check = hashlib.sha256(packed).digest()[:8]
    return MAGIC + struct.pack("<I", len(packed)) + check + packed + payload


def write(path: Path, content: bytes) -> None:
    """Write a table file whole or not at all."""
    files.write(path, [content])


def parts_of(path: Path) -> Path:
    """Return where a run keeps what it has found for a table that is not whole yet."""
    return _beside(path, ".parts")


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name.removesuffix(".table") + suffix)


@contextmanager
def alone_with(path: Path) -> Iterator[None]:
    """Keep other runs out while a table and its parts are written; DamierError where one goes on.

    What runs that are dead have left of it is swept away.
    """
    if path.is_dir():
        raise DamierError("table-folder", path=path)
    with ExitStack() as held:
        try:
            held.enter_context(files.alone(_beside(path, ".lock")))
        except BlockingIOError as error:
            raise DamierError("solve-locked", path=path) from error
        files.sweep(path.parent, path.name)
        yield


@dataclass(frozen=True)
class _Array:
    """What a header says of an array: where each block ends is counted from its first byte."""

    name: str
    size: int
    width: int
    ends: list[int]


class _OnDisk:
    """Blocks read from a file when they are asked for.

    It may be replaced meanwhile: who has the old one open keeps it. It may also be cut or written
    over, against all advice; so every block is compared with what it was when the file was opened.
    A map into memory would end the process instead.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._descriptor = os.dup(file.fileno())
        weakref.finalize(self, os.close, self._descriptor)

    def fetcher(self, begins: list[int], sizes: list[int], marks: list[bytes]) -> Any:
        """Return what fetches the blocks of an array."""

        def fetch(k: int) -> bytes | None:
            try:
                packed = os.pread(self._descriptor, sizes[k], begins[k])
            except OSError:
                return None
            return packed if _mark(packed) == marks[k] else None

        return fetch


def read(path: Path) -> tuple[dict[str, Any], dict[str, Blocks]]:
    """Return header and arrays of a table file, or raise DamierError saying why it is refused."""
    with open(path, "rb", opener=_without_waiting) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise DamierError("table-foreign", path=path)
        header, arrays = _header(path, file)
        return header, _blocks(path, file, header, arrays)


def _without_waiting(path: str, flags: int) -> int:
    """Open a file, and do not wait where it is a pipe that nobody writes to."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _header(path: Path, file: BinaryIO) -> tuple[dict[str, Any], list[_Array]]:
    """Read the header, and what it says of the arrays."""
    head = file.read(len(MAGIC) + 12)
    if head[: len(MAGIC)] != MAGIC or len(head) < len(MAGIC) + 12:
        raise DamierError("table-foreign", path=path)
    (length,) = struct.unpack("<I", head[len(MAGIC) : len(MAGIC) + 4])
    packed = file.read(min(length, _MOST_HEADER))
    if hashlib.sha256(packed).digest()[:8] != head[len(MAGIC) + 4 :] or len(packed) != length:
        raise DamierError("table-damaged", path=path)
    try:
        header = json.loads(_unzipped(path, packed, 0, _MOST_HEADER))
        if header.get("format") != FORMAT:
            found = str(header.get("format"))[:40]
            raise DamierError("table-format", path=path, found=found, known=FORMAT)
        arrays = [_Array(**array) for array in header["arrays"]]
        whole = sum(array.ends[-1] for array in arrays if array.ends)
        sound = all(map(_sound, arrays)) and header["bytes"] == whole
        sound = sound and len({array.name for array in arrays}) == len(arrays)
    except DamierError:
        raise
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise DamierError("table-foreign", path=path) from error
    if not sound:
        raise DamierError("table-foreign", path=path)
    return header, arrays


def _sound(array: _Array) -> bool:
    """Tell whether what a header says of an array can be true."""
    numbers = (array.size, array.width, *array.ends)
    if type(array.name) is not str or any(type(number) is not int for number in numbers):
        return False
    if array.width not in WIDTHS or array.size % array.width:
        return False
    if not 0 <= array.size <= _MOST_ARRAY or len(array.ends) != -(-array.size // BLOCK):
        return False
    return all(0 <= size <= _MOST_PACKED for size in _sizes(array.ends))


def _sizes(ends: list[int]) -> list[int]:
    return [end - begin for begin, end in zip([0, *ends], ends, strict=False)]


def _blocks(
    path: Path, file: BinaryIO, header: dict[str, Any], arrays: list[_Array]
) -> dict[str, Blocks]:
    """Read all blocks and see to it that they are what the header says."""
    small = os.name == "nt" or os.fstat(file.fileno()).st_size <= SMALL
    source = None if small else _OnDisk(file)
    digest = hashlib.sha256()
    found = {}
    for array in arrays:
        begins, sizes = [], _sizes(array.ends)
        kept: list[bytes] = []
        for size in sizes:
            begins.append(file.tell())
            packed = file.read(size)
            digest.update(packed)
            kept.append(packed if source is None else _mark(packed))
        fetch = kept.__getitem__ if source is None else source.fetcher(begins, sizes, kept)
        found[array.name] = Blocks(path, array, fetch)
    if digest.hexdigest() != header.get("sha256") or file.read(1):
        raise DamierError("table-damaged", path=path)
    return found


def _mark(packed: bytes) -> bytes:
    """Return what tells a block from any other."""
    return hashlib.blake2b(packed, digest_size=_MARK).digest()


def _unzipped(path: Path, packed: bytes, least: int, most: int) -> bytes:
    """Unpack what must then be of a certain size, and never more than that."""
    unpacker = zlib.decompressobj()
    try:
        found = unpacker.decompress(packed, most + 1)
    except zlib.error as error:
        raise DamierError("table-foreign", path=path) from error
    if not least <= len(found) <= most or not unpacker.eof:
        raise DamierError("table-foreign", path=path)
    return found
