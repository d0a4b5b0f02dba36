"""Table files: arrays in compressed blocks that can be read one by one.

The format is described in docs/tables.md. A file is trusted only if its checksums hold.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import struct
import threading
import zlib
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from damier.errors import DamierError

MAGIC = b"DAMIERTB"
FORMAT = 1
BLOCK = 1 << 16
CACHED_BLOCKS = 256  # of each array: 16 MB


class Blocks:
    """An array of bytes in compressed blocks: a block is unpacked when it is asked for."""

    def __init__(self, data: memoryview, size: int, ends: list[int], width: int) -> None:
        self._data, self._size, self._ends, self._width = data, size, ends, width
        self._cache: OrderedDict[int, bytes] = OrderedDict()
        self._lock = threading.Lock()
        self._array: Any = None

    def __len__(self) -> int:
        return self._size // self._width

    def _unpacked(self, k: int) -> bytes:
        begin = self._ends[k - 1] if k else 0
        if begin == self._ends[k]:  # nothing but zeros
            return bytes(min(BLOCK, self._size - k * BLOCK))
        return zlib.decompress(self._data[begin : self._ends[k]])

    def __getitem__(self, number: int) -> int:
        if self._array is not None:
            return int(self._array[number])
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

    def array(self) -> Any:
        """Return all of it as a numpy array, unpacked once."""
        if self._array is None:
            import numpy as np

            whole = np.zeros(self._size, np.uint8)
            for k in range(len(self._ends)):
                if self._ends[k] > (self._ends[k - 1] if k else 0):
                    block = self._unpacked(k)
                    whole[k * BLOCK : k * BLOCK + len(block)] = np.frombuffer(block, np.uint8)
            # Words of positions fill 63 bits of 64: as kernels take them, they have a sign.
            kind = "i" if self._width == 8 else "u"
            self._array = whole.view(f"<{kind}{self._width}")
        return self._array


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
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(f".{os.getpid()}.part")
    temporary.write_bytes(content)
    os.replace(temporary, path)


def read(path: Path) -> tuple[dict[str, Any], dict[str, Blocks]]:
    """Return header and arrays of a table file, or raise DamierError saying why it is refused."""
    with path.open("rb") as file:
        data = _mapped(file)
        return _parsed(path, file, data)


def _mapped(file: BinaryIO) -> memoryview:
    """Return the content of a file, in memory only as far as it is used.

    Files are replaced, never changed in place: whoever has mapped the old one keeps it. Windows
    would not let a mapped file be replaced, so there it is read whole; and an empty file cannot be
    mapped at all.
    """
    if os.name == "nt" or os.fstat(file.fileno()).st_size == 0:
        return memoryview(file.read())
    return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def _parsed(
    path: Path, file: BinaryIO, data: memoryview
) -> tuple[dict[str, Any], dict[str, Blocks]]:
    start = len(MAGIC) + 12
    if data[: len(MAGIC)] != MAGIC or len(data) < start:
        raise DamierError("table-foreign", path=path)
    (length,) = struct.unpack("<I", data[len(MAGIC) : len(MAGIC) + 4])
    packed = data[start : start + length]
    if hashlib.sha256(packed).digest()[:8] != data[len(MAGIC) + 4 : start]:
        raise DamierError("table-damaged", path=path)
    header: dict[str, Any] = json.loads(zlib.decompress(packed))
    if header.get("format") != FORMAT:
        raise DamierError("table-format", path=path, found=header.get("format"), known=FORMAT)
    payload = data[start + length :]
    if len(payload) != header["bytes"] or _digest(file, start + length) != header["sha256"]:
        raise DamierError("table-damaged", path=path)
    arrays, begin = {}, 0
    for array in header["arrays"]:
        end = begin + (array["ends"][-1] if array["ends"] else 0)
        arrays[array["name"]] = Blocks(
            payload[begin:end], array["size"], array["ends"], array["width"]
        )
        begin = end
    return header, arrays


def _digest(file: BinaryIO, start: int) -> str:
    """Return the checksum of a file from somewhere on: read, as a map would fill the memory."""
    digest = hashlib.sha256()
    file.seek(start)
    while piece := file.read(1 << 20):
        digest.update(piece)
    return digest.hexdigest()
