"""How damier writes files: whole or not at all, and with the path in what goes wrong.

Everything that is kept goes through here: tables, what an unfinished run has found, machine code,
games, results. A file is written under a name of its own, `<name>.<eight letters>.part`, and takes
its place when it is whole. Who writes it holds a lock on it, which the system lets go of when the
process ends, however it ends: so what a dead process has left is told from what is being written.
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

# What a file system says that knows no locks: some network shares.
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL}
_BINARY = getattr(os, "O_BINARY", 0)
_WINDOWS = sys.platform == "win32"

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        """Lock a file that is open, or raise BlockingIOError: another has."""
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN)) from error

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        """Lock a file that is open, or raise BlockingIOError: another has."""
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let what the system refuses say which file it is about: a full disk does not."""
    try:
        yield
    except OSError as error:
        named = error.filename
        if named is None or _whole_name(os.fsdecode(named)) is not None:
            error.filename = str(path)
        error.filename2 = None
        raise


def write(path: Path, content: Iterable[Piece], lasting: bool = True) -> None:
    """Write a file whole or not at all: who reads it finds what was there, or all that is new.

    What need not outlast a power cut, because it is made again, takes less time.
    """
    path = Path(os.path.realpath(path))  # a link stays one
    with naming(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        sweep(path.parent, path.name)
        part, descriptor = _begun(path)
        try:
            try:
                for piece in content:
                    _write(descriptor, piece)
                if lasting:
                    os.fsync(descriptor)
                if not _WINDOWS:  # while it is locked; Windows lets no open file be moved
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
            _settle(path.parent)


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    write(path, [text.encode()])


def append(path: Path, text: str, between: str = "") -> None:
    """Add a text to the end of a file, or leave it as it was; `between` comes where it has some."""
    with naming(path):
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


def sweep(directory: Path, name: str | None = None) -> None:
    """Delete what dead processes have left of a file, or of all in a directory of damier's own."""
    with suppress(OSError):
        for entry in list(os.scandir(directory)):
            # Other versions have named it otherwise; but then in a directory of damier's own alone.
            left = entry.name.endswith(".part") if name is None else _whole_name(entry.name) == name
            if left and entry.is_file(follow_symlinks=False):
                _sweep(entry.path)


def _whole_name(part: str) -> str | None:
    """Return the name that a file will have when it is whole, or None if it has it already."""
    name, _, letters = part.removesuffix(".part").rpartition(".")
    known = part.endswith(".part") and len(letters) == 8 and set(letters) <= set("0123456789abcdef")
    return name if known and name else None


def _sweep(part: str) -> None:
    """Delete a file that is not whole, unless someone is writing it."""
    with suppress(OSError):
        if _WINDOWS:  # no file that is open can be deleted; it is closed before it takes its place
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
def alone(path: Path) -> Iterator[None]:
    """Hold a lock file as long as the work goes on, or raise BlockingIOError: another does.

    When a process ends, however it ends, the system lets go of its locks. Where there are no locks
    nobody is kept out.
    """
    with naming(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = _taken(path)
    try:
        yield
    finally:
        # First deleted, then unlocked: who was waiting for it sees that it is no longer this file.
        with suppress(OSError):
            os.unlink(path)
        _close(descriptor)
        if _WINDOWS:
            with suppress(OSError):
                os.unlink(path)


def _taken(path: Path) -> int:
    """Open a lock file and lock it."""
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


def _begun(path: Path) -> tuple[str, int]:
    """Open a file that will take another's place, and lock it: nobody sweeps it away."""
    while True:
        part = f"{path}.{secrets.token_hex(4)}.part"
        descriptor = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
        if _WINDOWS:
            return part, descriptor
        try:
            _lock_if_possible(descriptor)
            if _is_at(descriptor, part):
                return part, descriptor
        except BlockingIOError:  # swept away before it was locked
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
    """Write all of something, however little the system takes at once."""
    view = memoryview(piece)
    if not view.nbytes:
        return
    left = view.cast("B")
    while left:
        left = left[os.write(descriptor, left[: 1 << 26]) :]


def _close(descriptor: int) -> None:
    """Close a file: what was to last is on the disk by then, whatever closing complains of."""
    with suppress(OSError):
        os.close(descriptor)


def _settle(directory: Path) -> None:
    """Let a new name in a directory outlast a power cut, where the system knows how."""
    if _WINDOWS:
        return
    with suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            _close(descriptor)
