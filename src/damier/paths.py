"""Directories of damier on this machine: machine code in the cache, the rest as data."""

import os
from pathlib import Path


def cache_directory() -> Path:
    """Return the directory for machine code; DAMIER_CACHE_DIR overrides it."""
    return _directory("DAMIER_CACHE_DIR", "user_cache_path")


def data_directory() -> Path:
    """Return the directory for tables and saved games; DAMIER_DATA_DIR overrides it."""
    return _directory("DAMIER_DATA_DIR", "user_data_path")


def _directory(variable: str, function: str) -> Path:
    override = os.environ.get(variable)
    if override:
        return Path(override)
    import platformdirs

    path: Path = getattr(platformdirs, function)("damier", appauthor=False)
    return path
