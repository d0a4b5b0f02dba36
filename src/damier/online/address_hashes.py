"""Salted hashes of client addresses.

Addresses are never stored, only hashes of them. Their salt is in a file of its own, outside the
database and its backups, and is replaced every day, so that old hashes become meaningless.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from damier import files, paths
from damier.online.clock import DAY, MINUTE
from damier.online.database_file import PRIVATE, database_file

ROTATION_MS = DAY
REFRESH_MS = MINUTE  # between two looks at the file, which other processes may have changed
_SALT_BYTES = 16
_Salts = list[tuple[int, str]]  # since when each is used; the current one first


def salt_file(url: str) -> Path | None:
    """Return the file of the salts for a database; None for a database in memory.

    Processes on one machine that share a PostgreSQL database share the file.
    """
    file = database_file(url)
    if file is not None:
        return file.with_name(f"{file.name}.salt")
    return None if url.startswith("sqlite") else paths.data_directory() / "online.salt"


class AddressHashes:
    """Hashes of addresses with the current salt and the one before."""

    def __init__(self, path: Path | None, now: Callable[[], int]) -> None:
        self._path, self._now = path, now
        self._salts: _Salts = []
        self._refreshed = 0
        self.refresh()

    def current(self, address: str) -> str:
        """Return the hash of an address."""
        return self.valid(address)[0]

    def valid(self, address: str) -> list[str]:
        """Return the hashes of an address that stored ones may equal, the current one first."""
        if self._now() - self._refreshed >= REFRESH_MS:
            self.refresh()
        return [hashlib.sha256(f"{salt} {address}".encode()).hexdigest() for _, salt in self._salts]

    def refresh(self) -> None:
        """Read the salts, and replace the current one if it is too old."""
        now = self._refreshed = self._now()
        self._salts = self._read() or self._salts
        if self._salts and now - self._salts[0][0] < ROTATION_MS:
            return
        if self._path is None:
            self._salts = _rotate(self._salts, now)
            return
        # If another process holds the lock, it is about to write a new salt.
        with (
            suppress(BlockingIOError),
            files.exclusive_lock(self._path.with_name(f"{self._path.name}.lock")),
        ):
            salts = self._read()
            if not salts or now - salts[0][0] >= ROTATION_MS:
                salts = _rotate(salts, now)
                files.write(self._path, [json.dumps(salts).encode()], mode=PRIVATE)
            self._salts = salts
        if not self._salts:
            self._salts, self._refreshed = _rotate([], now), 0  # read again at the next use

    def _read(self) -> _Salts:
        """Return the salts of the file; none if it is missing or damaged."""
        if self._path is None:
            return []
        with suppress(OSError, ValueError, TypeError):
            return [(int(since), str(salt)) for since, salt in json.loads(self._path.read_bytes())]
        return []


def _rotate(salts: _Salts, now: int) -> _Salts:
    """Return a new salt and the one before, unless that is too old to be of use."""
    recent = [(since, salt) for since, salt in salts[:1] if now - since < 2 * ROTATION_MS]
    return [(now, secrets.token_hex(_SALT_BYTES)), *recent]
