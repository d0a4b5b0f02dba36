"""File of a SQLite database: private to its owner, used by one server at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy.engine import make_url

from damier import files
from damier.errors import DamierError

PRIVATE = 0o600  # readable by the owner only: the file has the names and games of all players


def database_file(url: str) -> Path | None:
    """Return the file of a database; None for PostgreSQL and in memory."""
    parsed = make_url(url)
    name = parsed.database or ":memory:"
    if parsed.get_backend_name() != "sqlite" or name == ":memory:":
        return None
    return Path(os.path.realpath(name))


def create_private_file(path: Path) -> None:
    """Create a file if it does not exist, and deny other users access to it."""
    files.create(path, PRIVATE)
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        with suppress(OSError):  # not there, or of another owner
            path.with_name(name).chmod(PRIVATE)


@contextmanager
def exclusive_use(url: str) -> Iterator[None]:
    """Hold the lock of a SQLite database; raise DamierError if another server holds it.

    Administration tasks and backups do not need it.
    """
    path = database_file(url)
    if path is None:
        yield
        return
    try:
        with files.exclusive_lock(path.with_name(f"{path.name}.lock")):
            yield
    except BlockingIOError as error:
        raise DamierError("database-in-use", path=path) from error
