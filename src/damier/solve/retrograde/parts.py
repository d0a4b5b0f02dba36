"""What an unfinished run has found, kept beside the table that it will write.

A run that goes on later takes it from there. Parts of other rules, of another version of them, or
damaged ones are passed over.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

IDENTITY = "identity"


class Parts:
    """Arrays in a directory, by the name of the part; without a directory nothing is kept."""

    def __init__(self, directory: Path | None, header: Mapping[str, object]) -> None:
        self._directory = directory
        text = json.dumps(header, sort_keys=True)
        self._identity = np.frombuffer(text.encode(), np.uint8)

    def _path(self, name: str) -> Path | None:
        return None if self._directory is None else self._directory / f"{name}.npz"

    def save(self, name: str, arrays: Mapping[str, Any]) -> None:
        """Keep the arrays of a part, whole or not at all."""
        path = self._path(name)
        if path is None:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(".tmp")
        with temporary.open("wb") as file:
            np.savez(file, **{IDENTITY: self._identity, **arrays})
        temporary.replace(path)

    def load(self, name: str, shapes: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the arrays of a part, which must be of these shapes, or None if there are none."""
        path = self._path(name)
        if path is None or not path.exists():
            return None
        try:
            with path.open("rb") as file, np.load(file) as kept:
                if not np.array_equal(kept[IDENTITY], self._identity):
                    return None
                arrays = {name: kept[name] for name in shapes}
        except (ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return None
        if any(arrays[name].shape != shape for name, shape in shapes.items()):
            return None
        return arrays


def delete(directory: Path) -> None:
    """Delete the parts of a run that is finished."""
    shutil.rmtree(directory, ignore_errors=True)
