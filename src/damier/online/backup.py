"""A copy of the database, made while servers use it."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from sqlalchemy.engine import URL, make_url

from damier import files
from damier.errors import DamierError

_PIECE = 1 << 20


def backup(database: str, target: Path) -> None:
    """Copy a database of SQLite's to a file, whole or not at all; nobody has to wait meanwhile.

    PostgreSQL has its own program for that.
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
    with files.naming(target), tempfile.TemporaryDirectory(dir=target.parent) as beside:
        copy = Path(beside) / "copy"
        try:
            _copy(source, copy)
        except sqlite3.Error as error:
            raise DamierError("backup-failed", path=source, message=error) from error
        files.write(target, _pieces(copy))


def _copy(source: Path, target: Path) -> None:
    """Copy what a database holds at one moment, and look whether the copy is whole."""
    with (
        closing(sqlite3.connect(source, timeout=30)) as there,
        closing(sqlite3.connect(target)) as here,
    ):
        there.backup(here)
        here.execute("PRAGMA journal_mode=DELETE")  # one file, with nothing beside it
        (found,) = here.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise sqlite3.DatabaseError(found)


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            yield piece
