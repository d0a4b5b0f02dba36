"""Table files: arrays in compressed blocks that can be read one by one.

The format is described in docs/tables.md. A file is trusted only if its checksums are correct. A
crafted file with correct checksums is rejected as well, without more memory or time than a table of
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
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from damier import files
from damier.errors import DamierError
from damier.jit import Runtime
from damier.jit.native import NUMPY_RUNTIME

MAGIC = b"DAMIERTB"
FORMAT = 1
BLOCK = 1 << 16  # bytes, unpacked
BLOCKS_AT_ONCE = 256  # compressed at once: 16 MB
WIDTHS = (1, 2, 8)  # of an item, in bytes
CACHED_BLOCKS = 256  # of each array: 16 MB
MAX_RESIDENT_BYTES = 4 << 20  # files up to this size stay in memory
_MAX_PACKED_BYTES = BLOCK + 1024  # of a block; incompressible data grows a little
_MAX_HEADER_BYTES = 8 << 20  # unpacked
_MAX_ARRAY_BYTES = 1 << 36
_BLOCK_DIGEST_BYTES = 16


class BlockArray:
    """Array in compressed blocks, which are unpacked on demand.

    `fetch` returns a packed block, or None if the file has changed; `lost` is then True. Blocks
    that were unpacked before remain valid.
    """

    def __init__(
        self, path: Path, array: _ArrayHeader, fetch: Callable[[int], bytes | None]
    ) -> None:
        self._path, self._size, self._width = path, array.size, array.width
        self._ends, self._fetch = array.ends, fetch
        self._cache: OrderedDict[int, bytes] = OrderedDict()
        self._lock = threading.Lock()
        self._arrays: dict[type[Runtime], Any] = {}
        self.lost = False

    def __len__(self) -> int:
        return self._size // self._width

    @property
    def width(self) -> int:
        """The bytes of an item."""
        return self._width

    def _unpack_block(self, k: int) -> bytes:
        size = min(BLOCK, self._size - k * BLOCK)
        if self._ends[k] == (self._ends[k - 1] if k else 0):  # all zeros
            return bytes(size)
        packed = self._fetch(k)
        if packed is None:
            self.lost = True
            raise DamierError("table-changed", path=self._path)
        return _unpack(self._path, packed, size, size)

    def __getitem__(self, number: int) -> int:
        for array in self._arrays.values():
            return int(array[number])
        k, at = divmod(number * self._width, BLOCK)
        with self._lock:
            block = self._cache.get(k)
            if block is None:
                block = self._cache[k] = self._unpack_block(k)
                if len(self._cache) > CACHED_BLOCKS:
                    self._cache.popitem(last=False)
            else:
                self._cache.move_to_end(k)
        return int.from_bytes(block[at : at + self._width], "little")

    def array(self, runtime: Runtime = NUMPY_RUNTIME) -> Any:
        """Return the whole array for kernels of a runtime, unpacked once."""
        if type(runtime) not in self._arrays:
            # Words of positions have 63 bits; kernels take them as signed integers.
            kind = {1: "B", 2: "H", 4: "I", 8: "q"}[self._width]
            self._arrays[type(runtime)] = runtime.from_pieces(
                len(self), kind, self._unpacked_blocks()
            )
        return self._arrays[type(runtime)]

    def _unpacked_blocks(self) -> Iterator[tuple[int, bytes]]:
        """Yield the blocks that are not all zeros, each with its offset."""
        for k in range(len(self._ends)):
            if self._ends[k] > (self._ends[k - 1] if k else 0):
                yield k * BLOCK, self._unpack_block(k)


def pack(
    header: Mapping[str, object],
    arrays: Mapping[str, Any],
    map_: Callable[[Callable[[bytes], bytes], Iterable[bytes]], Iterable[bytes]] = map,
) -> bytes:
    """Return the content of a table file; `map_` may compress several blocks at once."""
    payload = bytearray()
    described = []
    for name, array in arrays.items():
        data = memoryview(array).cast("B")
        ends = []
        start = len(payload)
        for begin in range(0, len(data), BLOCK * BLOCKS_AT_ONCE):
            part = data[begin : begin + BLOCK * BLOCKS_AT_ONCE]
            blocks = (bytes(part[k : k + BLOCK]) for k in range(0, len(part), BLOCK))
            for packed in map_(_compress, blocks):
                payload += packed
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


def _compress(block: bytes) -> bytes:
    """Return a compressed block; a block of zeros takes no bytes."""
    return zlib.compress(block, 9) if block.count(0) < len(block) else b""


def write(path: Path, content: bytes) -> None:
    """Write a table file atomically."""
    files.write(path, [content])


def checkpoint_directory(path: Path) -> Path:
    """Return the directory for the checkpoints of the run that will write a table."""
    return _beside(path, ".parts")


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name.removesuffix(".table") + suffix)


@contextmanager
def lock_table(path: Path) -> Iterator[None]:
    """Lock a table and its checkpoints; raise DamierError if another run holds the lock.

    Partial files of crashed runs are deleted.
    """
    if path.is_dir():
        raise DamierError("table-folder", path=path)
    with ExitStack() as stack:
        try:
            stack.enter_context(files.exclusive_lock(_beside(path, ".lock")))
        except BlockingIOError as error:
            raise DamierError("solve-locked", path=path) from error
        files.delete_partial_files(path.parent, path.name)
        yield


@dataclass(frozen=True)
class _ArrayHeader:
    """Description of an array in a header; `ends` are the ends of its blocks in the payload."""

    name: str
    size: int
    width: int
    ends: list[int]


class _BlockFile:
    """Open table file, whose blocks are read on demand.

    If the file is replaced, the open descriptor still reads the old one. If it is truncated or
    overwritten, the digests of the blocks differ from those at opening. A memory map would crash
    the process instead.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._descriptor = os.dup(file.fileno())
        weakref.finalize(self, os.close, self._descriptor)

    def fetcher(self, begins: list[int], sizes: list[int], digests: list[bytes]) -> Any:
        """Return a function that reads a block of an array, or returns None if it has changed."""

        def fetch(k: int) -> bytes | None:
            try:
                packed = os.pread(self._descriptor, sizes[k], begins[k])
            except OSError:
                return None
            return packed if _block_digest(packed) == digests[k] else None

        return fetch


def read(path: Path) -> tuple[dict[str, Any], dict[str, BlockArray]]:
    """Return header and arrays of a table file; raise DamierError with the reason if invalid."""
    with _open_table(path) as file:
        header, arrays = _read_header(path, file)
        return header, _blocks(path, file, header, arrays)


def read_header(path: Path) -> dict[str, Any]:
    """Return the header of a table file; raise DamierError with the reason if it is invalid."""
    with _open_table(path) as file:
        return _read_header(path, file)[0]


@contextmanager
def _open_table(path: Path) -> Iterator[BinaryIO]:
    """Open a regular file for reading."""
    with open(path, "rb", opener=_open_nonblocking) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise DamierError("table-foreign", path=path)
        yield file


def _open_nonblocking(path: str, flags: int) -> int:
    """Open a file without blocking if it is a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _read_header(path: Path, file: BinaryIO) -> tuple[dict[str, Any], list[_ArrayHeader]]:
    """Read the header and the descriptions of the arrays."""
    head = file.read(len(MAGIC) + 12)
    if head[: len(MAGIC)] != MAGIC or len(head) < len(MAGIC) + 12:
        raise DamierError("table-foreign", path=path)
    (length,) = struct.unpack("<I", head[len(MAGIC) : len(MAGIC) + 4])
    packed = file.read(min(length, _MAX_HEADER_BYTES))
    if hashlib.sha256(packed).digest()[:8] != head[len(MAGIC) + 4 :] or len(packed) != length:
        raise DamierError("table-damaged", path=path)
    try:
        header = json.loads(_unpack(path, packed, 0, _MAX_HEADER_BYTES))
        if header.get("format") != FORMAT:
            found = str(header.get("format"))[:40]
            raise DamierError("table-format", path=path, found=found, known=FORMAT)
        arrays = [_ArrayHeader(**array) for array in header["arrays"]]
        whole = sum(array.ends[-1] for array in arrays if array.ends)
        consistent = all(map(_is_consistent, arrays)) and header["bytes"] == whole
        consistent = consistent and len({array.name for array in arrays}) == len(arrays)
    except DamierError:
        raise
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise DamierError("table-foreign", path=path) from error
    if not consistent:
        raise DamierError("table-foreign", path=path)
    return header, arrays


def _is_consistent(array: _ArrayHeader) -> bool:
    """Return whether the description of an array is consistent."""
    numbers = (array.size, array.width, *array.ends)
    if type(array.name) is not str or any(type(number) is not int for number in numbers):
        return False
    if array.width not in WIDTHS or array.size % array.width:
        return False
    if not 0 <= array.size <= _MAX_ARRAY_BYTES or len(array.ends) != -(-array.size // BLOCK):
        return False
    return all(0 <= size <= _MAX_PACKED_BYTES for size in _sizes(array.ends))


def _sizes(ends: list[int]) -> list[int]:
    return [end - begin for begin, end in zip([0, *ends], ends, strict=False)]


def _blocks(
    path: Path, file: BinaryIO, header: dict[str, Any], arrays: list[_ArrayHeader]
) -> dict[str, BlockArray]:
    """Read all blocks and check them against the header."""
    small = os.name == "nt" or os.fstat(file.fileno()).st_size <= MAX_RESIDENT_BYTES
    source = None if small else _BlockFile(file)
    digest = hashlib.sha256()
    found = {}
    for array in arrays:
        begins, sizes = [], _sizes(array.ends)
        stored: list[bytes] = []  # packed blocks, or their digests
        for size in sizes:
            begins.append(file.tell())
            packed = file.read(size)
            digest.update(packed)
            stored.append(packed if source is None else _block_digest(packed))
        fetch = stored.__getitem__ if source is None else source.fetcher(begins, sizes, stored)
        found[array.name] = BlockArray(path, array, fetch)
    if digest.hexdigest() != header.get("sha256") or file.read(1):
        raise DamierError("table-damaged", path=path)
    return found


def _block_digest(packed: bytes) -> bytes:
    """Return the digest of a packed block."""
    return hashlib.blake2b(packed, digest_size=_BLOCK_DIGEST_BYTES).digest()


def _unpack(path: Path, packed: bytes, min_size: int, max_size: int) -> bytes:
    """Return unpacked data; raise DamierError if its size is not within the limits."""
    unpacker = zlib.decompressobj()
    try:
        found = unpacker.decompress(packed, max_size + 1)
    except zlib.error as error:
        raise DamierError("table-foreign", path=path) from error
    if not min_size <= len(found) <= max_size or not unpacker.eof:
        raise DamierError("table-foreign", path=path)
    return found
