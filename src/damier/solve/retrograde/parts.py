"""What an unfinished run has found, kept beside the table that it will write.

A run that goes on later takes it from there. A part begins with what it is: of which rules, by
which version of them, and which arrays. Who reads it knows what that must be, so nothing in a file
is interpreted: what is other than this run would write it, or damaged, is passed over.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import struct
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from damier import files

_MAGIC = b"DAMIERPT"
_DIGEST = 32


class Parts:
    """Arrays in a directory, by the name of the part; without a directory nothing is kept."""

    def __init__(self, directory: Path | None, header: Mapping[str, object]) -> None:
        self._directory = directory
        self._identity = header

    def _path(self, name: str) -> Path | None:
        return None if self._directory is None else self._directory / f"{name}.kept"

    def _head(self, arrays: Mapping[str, Any]) -> bytes:
        """Return what a part with arrays of these kinds begins with."""
        kinds = [(name, array.dtype.str, array.shape) for name, array in arrays.items()]
        text = json.dumps([self._identity, kinds], sort_keys=True).encode()
        return _MAGIC + struct.pack("<I", len(text)) + text

    def save(self, name: str, arrays: Mapping[str, Any]) -> None:
        """Keep the arrays of a part, whole or not at all."""
        path = self._path(name)
        if path is None:
            return
        pieces: list[bytes | memoryview] = [self._head(arrays)]
        pieces += [_bytes_of(np.ascontiguousarray(array)) for array in arrays.values()]
        digest = _new_digest()
        for piece in pieces:
            digest.update(piece)
        files.write(path, [*pieces, digest.digest()])

    def load(self, name: str, alike: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the arrays of a part, or None if there are none that are like these."""
        path = self._path(name)
        if path is None:
            return None
        try:
            if not stat.S_ISREG(path.stat().st_mode):
                return None
            file = path.open("rb")
        except (FileNotFoundError, NotADirectoryError):
            return None
        with files.naming(path), file:
            head = self._head(alike)
            size = len(head) + sum(array.nbytes for array in alike.values()) + _DIGEST
            if os.fstat(file.fileno()).st_size != size or file.read(len(head)) != head:
                return None
            digest = _new_digest(head)
            found = {name: np.empty(array.shape, array.dtype) for name, array in alike.items()}
            for array in found.values():
                file.readinto(_bytes_of(array))
                digest.update(_bytes_of(array))
            return found if file.read() == digest.digest() else None


def _bytes_of(array: Any) -> memoryview:
    """Return the bytes of an array, not a copy of them."""
    return memoryview(array.reshape(-1).view(np.uint8))


def _new_digest(begun: bytes = b"") -> Any:
    return hashlib.blake2b(begun, digest_size=_DIGEST)


def delete(directory: Path) -> None:
    """Delete the parts of a run that is finished."""
    with suppress(OSError):
        shutil.rmtree(directory, ignore_errors=True)
