"""Storage of large arrays: in memory up to a limit, then in temporary files up to another.

A temporary file has no name after it is opened, so that nothing is left behind, even by a process
that is killed. Arrays on disk are meant for sequential access.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from damier.errors import DamierError


@dataclass(frozen=True)
class StorageLimits:
    """Limits of memory and disk for a solver run, in bytes."""

    memory: int
    disk: int

    @classmethod
    def of_machine(cls, directory: Path) -> StorageLimits:
        """Return half the memory of this machine and half the free space of a directory."""
        while not directory.exists():
            directory = directory.parent
        return cls(_physical_memory() // 2, shutil.disk_usage(directory).free // 2)


def _physical_memory() -> int:
    """Return the memory of this machine, or 4 GB if it is unknown."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 4 << 30


class Storage:
    """Allocator of arrays within limits; an array's space is free again when it is deleted."""

    def __init__(self, limits: StorageLimits, directory: Path | None = None) -> None:
        self.limits = limits
        self._directory = directory
        self.memory = self.disk = 0  # bytes in use
        self.peak_memory = self.peak_disk = 0

    @property
    def free_memory(self) -> int:
        """The bytes of memory that are not in use."""
        return max(0, self.limits.memory - self.memory)

    def empty(self, size: int, dtype: Any, reserve: int = 0) -> Any:
        """Return an array with undefined content, in memory or, if memory is short, on disk.

        At least `reserve` bytes of memory stay free. Raise DamierError if the disk is too small.
        """
        nbytes = size * np.dtype(dtype).itemsize
        if nbytes + reserve <= self.free_memory:
            return self.resident(size, dtype)
        if self.disk + nbytes > self.limits.disk:
            raise self.error("disk", self.disk + nbytes)
        if self._directory is not None:
            self._directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=self._directory) as file:
            if hasattr(os, "posix_fallocate"):  # a full disk is an error here, not a signal later
                os.posix_fallocate(file.fileno(), 0, max(nbytes, 1))
            mapped = np.memmap(file, dtype, "w+", shape=(max(size, 1),))
        self._count(mapped, 0, nbytes)
        return np.asarray(mapped)[:size]

    def resident(self, size: int, dtype: Any) -> Any:
        """Return an array of zeros in memory; raise DamierError if memory is too small."""
        nbytes = size * np.dtype(dtype).itemsize
        if nbytes > self.free_memory:
            raise self.error("memory", self.memory + nbytes)
        array: Any = np.zeros(size, dtype)
        self._count(array, nbytes, 0)
        return array

    def copy(self, array: Any, reserve: int = 0) -> Any:
        """Return a copy of an array."""
        copy = self.empty(len(array), array.dtype, reserve)
        copy[:] = array
        return copy

    def error(self, kind: str, needed: int) -> DamierError:
        """Return the error about a limit, "memory" or "disk", and what is needed instead."""
        limit = getattr(self.limits, kind)
        return DamierError(f"solve-{kind}", needed=in_bytes(needed), limit=in_bytes(limit))

    def _count(self, array: Any, memory: int, disk: int) -> None:
        self._change(memory, disk)
        weakref.finalize(array, self._change, -memory, -disk)

    def _change(self, memory: int, disk: int) -> None:
        self.memory += memory
        self.disk += disk
        self.peak_memory = max(self.peak_memory, self.memory)
        self.peak_disk = max(self.peak_disk, self.disk)


def in_bytes(size: int) -> str:
    """Return a size as text, such as "1.5 GB"."""
    for unit, name in ((10**9, "GB"), (10**6, "MB")):
        if size >= unit:
            return f"{size / unit:.1f}\N{NO-BREAK SPACE}{name}"
    return f"{size / 1000:.0f}\N{NO-BREAK SPACE}kB"
