"""Backup of the database while servers use it."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from sqlalchemy.engine import URL, make_url

from damier import files
from damier.errors import DamierError
from damier.online.database_file import PRIVATE

_CHUNK_BYTES = 1 << 20


def backup(database: str, target: Path) -> None:
    """Copy a SQLite database to a file atomically, without blocking its users.

    Raise DamierError for PostgreSQL, which has its own program, `pg_dump`.
    """
    url = make_url(database)
    if url.get_backend_name() != "sqlite":
        shown = URL.create(
            "postgresql", url.username, None, url.host, url.port, url.database, url.query
        )
        raise DamierError("backup-postgresql", database=shown, path=target)
    source = Path(url.database or "")
    if not source.is_file():
        raise DamierError("no-database", path=source)
    if target.exists() and target.samefile(source):
        raise DamierError("backup-itself", path=target)
    with files.name_in_errors(target), tempfile.TemporaryDirectory(dir=target.parent) as directory:
        copy = Path(directory) / "copy"
        try:
            _copy(source, copy)
        except sqlite3.Error as error:
            raise DamierError("backup-failed", path=source, message=error) from error
        files.write(target, _read_chunks(copy), mode=PRIVATE)


def _copy(source: Path, target: Path) -> None:
    """Copy a consistent snapshot of a database and check its integrity; raise sqlite3.Error."""
    with (
        closing(sqlite3.connect(source, timeout=30)) as original,
        closing(sqlite3.connect(target)) as duplicate,
    ):
        original.backup(duplicate)
        duplicate.execute("PRAGMA journal_mode=DELETE")  # a single file, without a write-ahead log
        (report,) = duplicate.execute("PRAGMA quick_check(1)").fetchone()
        if report != "ok":
            raise sqlite3.DatabaseError(report)


def _read_chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            yield chunk
