"""Atomic file writing and lock files.

All files of damier are written here: tables, partial results, machine code, games, reports. A file
is written as `<name>.<eight hex digits>.part` and renamed when it is complete. The writer holds a
lock on the partial file. The operating system releases the lock when the process ends, so an
unlocked partial file is a leftover that can be deleted.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

Piece = bytes | memoryview

# Errors of file systems without locks, such as some network shares.
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL}
_BINARY = getattr(os, "O_BINARY", 0)
_WINDOWS = sys.platform == "win32"

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        """Lock an open file; raise BlockingIOError if another process holds the lock."""
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN)) from error

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        """Lock an open file; raise BlockingIOError if another process holds the lock."""
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def name_in_errors(path: Path) -> Iterator[None]:
    """Set the file name of an OSError raised in the block: errors such as a full disk have none."""
    try:
        yield
    except OSError as error:
        name = error.filename
        if name is None or _final_name(os.fsdecode(name)) is not None:
            error.filename = str(path)
        error.filename2 = None
        raise


def write(path: Path, content: Iterable[Piece], lasting: bool = True, mode: int = 0o666) -> None:
    """Write a file atomically: readers see either the old content or the complete new one.

    `lasting=False` skips fsync, for files that can be made again after a power cut. The file
    permissions are `mode`, restricted by the process's umask.
    """
    path = Path(os.path.realpath(path))  # replace the target of a link, not the link
    with name_in_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        delete_partial_files(path.parent, path.name)
        part, descriptor = _open_part(path, mode)
        try:
            try:
                for piece in content:
                    _write(descriptor, piece)
                if lasting:
                    os.fsync(descriptor)
                if not _WINDOWS:  # while it is locked; Windows cannot rename an open file
                    os.replace(part, path)
            finally:
                _close(descriptor)
            if _WINDOWS:
                os.replace(part, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(part)
            raise
        if lasting:
            _sync_directory(path.parent)


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically."""
    write(path, [text.encode()])


def create(path: Path, mode: int) -> None:
    """Create an empty file with these permissions if there is none."""
    with name_in_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | _BINARY, mode))


def append(path: Path, text: str, between: str = "") -> None:
    """Append a text to a file, or leave the file unchanged on errors.

    `between` separates it from the content that the file already has.
    """
    with name_in_errors(path):
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | _BINARY
        descriptor = os.open(path, flags, 0o666)
        try:
            before = os.fstat(descriptor)
            try:
                _write(descriptor, ((between if before.st_size else "") + text).encode())
                if stat.S_ISREG(before.st_mode):
                    os.fsync(descriptor)
            except BaseException:
                with suppress(OSError):
                    os.ftruncate(descriptor, before.st_size)
                raise
        finally:
            _close(descriptor)


def delete_partial_files(directory: Path, name: str | None = None) -> None:
    """Delete partial files of ended processes: of one file, or of all in damier's own directory."""
    with suppress(OSError):
        for entry in list(os.scandir(directory)):
            # Other versions used other names, so any .part file counts in damier's own directory.
            partial = (
                entry.name.endswith(".part") if name is None else _final_name(entry.name) == name
            )
            if partial and entry.is_file(follow_symlinks=False):
                _delete_if_unlocked(entry.path)


def _final_name(part: str) -> str | None:
    """Return the final name of a partial file, or None if it is not a partial file."""
    name, _, letters = part.removesuffix(".part").rpartition(".")
    known = part.endswith(".part") and len(letters) == 8 and set(letters) <= set("0123456789abcdef")
    return name if known and name else None


def _delete_if_unlocked(part: str) -> None:
    """Delete a partial file unless its writer still holds the lock."""
    with suppress(OSError):
        if _WINDOWS:  # an open file cannot be deleted; it is closed before it is renamed
            if time.time() - os.stat(part).st_mtime > 60:
                os.unlink(part)
            return
        descriptor = os.open(part, os.O_RDWR | os.O_NOFOLLOW)
        try:
            _lock(descriptor)
            os.unlink(part)
        finally:
            _close(descriptor)


@contextmanager
def exclusive_lock(path: Path) -> Iterator[None]:
    """Hold a lock file during the block; raise BlockingIOError if another process holds it.

    The operating system releases the lock when the process ends. On file systems without locks
    several processes may enter the block.
    """
    with name_in_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = _open_locked(path)
    try:
        yield
    finally:
        # Delete, then unlock: a process that opened the file sees that it no longer has this path.
        with suppress(OSError):
            os.unlink(path)
        _close(descriptor)
        if _WINDOWS:
            with suppress(OSError):
                os.unlink(path)


def _open_locked(path: Path) -> int:
    """Open and lock a lock file; return its descriptor."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | _BINARY, 0o666)
        try:
            _lock_if_possible(descriptor)
            if _is_at(descriptor, path):
                return descriptor
        except BaseException:
            _close(descriptor)
            raise
        _close(descriptor)


def _open_part(path: Path, mode: int) -> tuple[str, int]:
    """Create and lock a partial file; return its path and descriptor."""
    while True:
        part = f"{path}.{secrets.token_hex(4)}.part"
        descriptor = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | _BINARY, mode)
        if _WINDOWS:
            return part, descriptor
        try:
            _lock_if_possible(descriptor)
            if _is_at(descriptor, part):
                return part, descriptor
        except BlockingIOError:  # deleted by another process before it was locked
            pass
        except BaseException:
            _close(descriptor)
            with suppress(OSError):
                os.unlink(part)
            raise
        _close(descriptor)


def _lock_if_possible(descriptor: int) -> None:
    try:
        _lock(descriptor)
    except BlockingIOError:
        raise
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise


def _is_at(descriptor: int, path: Path | str) -> bool:
    """Tell whether an open file still has this path."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def _write(descriptor: int, piece: Piece) -> None:
    """Write all bytes, with several system calls if necessary."""
    view = memoryview(piece)
    if not view.nbytes:
        return
    left = view.cast("B")
    while left:
        left = left[os.write(descriptor, left[: 1 << 26]) :]


def _close(descriptor: int) -> None:
    """Close a file. Errors are ignored: fsync has already written lasting content."""
    with suppress(OSError):
        os.close(descriptor)


def _sync_directory(directory: Path) -> None:
    """Write a directory to disk, so that a new name survives a power cut."""
    if _WINDOWS:
        return
    with suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            _close(descriptor)
