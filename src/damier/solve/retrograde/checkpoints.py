"""Checkpoints of an unfinished solver run, saved beside the table that it will write.

A later run continues from them. A checkpoint begins with its identity: the rules, their version and
the arrays. The reader knows the expected identity, so nothing in a file is interpreted: a file with
another identity, or a damaged one, is ignored.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import struct
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from damier import files

_MAGIC = b"DAMIERPT"
_DIGEST_BYTES = 32
_PIECE_BYTES = 1 << 26


class Checkpoints:
    """Checkpoints in a directory, by name; without a directory nothing is saved."""

    def __init__(self, directory: Path | None, header: Mapping[str, object]) -> None:
        self.directory = directory
        self._identity = header

    def _path(self, name: str) -> Path | None:
        return None if self.directory is None else self.directory / f"{name}.kept"

    def _head(self, arrays: Mapping[str, Any]) -> bytes:
        """Return the first bytes of a checkpoint with arrays of these types."""
        kinds = [(name, array.dtype.str, array.shape) for name, array in arrays.items()]
        text = json.dumps([self._identity, kinds], sort_keys=True).encode()
        return _MAGIC + struct.pack("<I", len(text)) + text

    def save(self, name: str, arrays: Mapping[str, Any]) -> None:
        """Save arrays as a checkpoint, atomically."""
        path = self._path(name)
        if path is None:
            return
        pieces: list[bytes | memoryview] = [self._head(arrays)]
        pieces += [_bytes_of(np.ascontiguousarray(array)) for array in arrays.values()]
        digest = _new_digest()
        for piece in pieces:
            digest.update(piece)
        files.write(path, [*pieces, digest.digest()])

    def load(
        self, name: str, like: Mapping[str, Any], in_place: bool = False
    ) -> dict[str, Any] | None:
        """Return the arrays of a checkpoint, or None if there are none with the types of `like`.

        With `in_place` they are written to the arrays of `like`, which must be 0, and a damaged
        checkpoint leaves them so.
        """
        path = self._path(name)
        if path is None:
            return None
        try:
            if not stat.S_ISREG(path.stat().st_mode):
                return None
            file = path.open("rb")
        except (FileNotFoundError, NotADirectoryError):
            return None
        with files.name_in_errors(path), file:
            head = self._head(like)
            size = len(head) + sum(array.nbytes for array in like.values()) + _DIGEST_BYTES
            if os.fstat(file.fileno()).st_size != size or file.read(len(head)) != head:
                return None
            digest = _new_digest(head)
            arrays = dict(like) if in_place else {n: np.empty_like(a) for n, a in like.items()}
            for array in arrays.values():
                _read_into(array, file, digest)
            if file.read() == digest.digest():
                return arrays
            for array in arrays.values() if in_place else ():
                array[...] = 0
            return None

    def load_lists(
        self, name: str, kinds: Mapping[str, str], empty: Callable[[int, str], Any]
    ) -> dict[str, Any] | None:
        """Return the arrays of a checkpoint whose lengths are known only to it.

        `kinds` has the type of each array as text, `empty` returns an array of a length and a type.
        """
        path = self._path(name)
        if path is None or not path.is_file():
            return None
        with files.name_in_errors(path), path.open("rb") as file:
            start = file.read(len(_MAGIC) + 4)
            length = int.from_bytes(start[len(_MAGIC) :], "little")
            text = file.read(min(length, os.fstat(file.fileno()).st_size))
            try:
                identity, described = json.loads(text)
                sizes = [shape[0] for _, _, shape in described]
            except (ValueError, TypeError, IndexError):
                return None
            expected = [
                [n, np.dtype(k).str, [s]] for (n, k), s in zip(kinds.items(), sizes, strict=True)
            ]
            if start[: len(_MAGIC)] != _MAGIC or described != expected:
                return None
            if identity != json.loads(json.dumps(self._identity)):
                return None
            nbytes = sum(
                s * np.dtype(k).itemsize for k, s in zip(kinds.values(), sizes, strict=True)
            )
            if os.fstat(file.fileno()).st_size != len(start) + length + nbytes + _DIGEST_BYTES:
                return None
            digest = _new_digest(start + text)
            arrays = {n: empty(s, k) for (n, k), s in zip(kinds.items(), sizes, strict=True)}
            for array in arrays.values():
                _read_into(array, file, digest)
            return arrays if file.read() == digest.digest() else None


def _read_into(array: Any, file: BinaryIO, digest: Any) -> None:
    """Read an array and add its bytes to a digest."""
    view = _bytes_of(array)
    for begin in range(0, len(view), _PIECE_BYTES):
        piece = view[begin : begin + _PIECE_BYTES]
        file.readinto(piece)  # type: ignore[attr-defined]  # of a file opened for reading
        digest.update(piece)


def _bytes_of(array: Any) -> memoryview:
    """Return a view of the bytes of an array."""
    return memoryview(array.reshape(-1).view(np.uint8))


def _new_digest(data: bytes = b"") -> Any:
    return hashlib.blake2b(data, digest_size=_DIGEST_BYTES)


def delete(directory: Path) -> None:
    """Delete the checkpoints of a finished run."""
    with suppress(OSError):
        shutil.rmtree(directory, ignore_errors=True)
