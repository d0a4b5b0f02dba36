"""Where damier keeps its own files on a machine: machine code in the cache, the rest as data."""

import os
from pathlib import Path


def cache_directory() -> Path:
    """Return the directory for what can be made again; DAMIER_CACHE_DIR goes first."""
    return _place("DAMIER_CACHE_DIR", "user_cache_path")


def data_directory() -> Path:
    """Return the directory for tables and saved games; DAMIER_DATA_DIR goes first."""
    return _place("DAMIER_DATA_DIR", "user_data_path")


def _place(variable: str, function: str) -> Path:
    chosen = os.environ.get(variable)
    if chosen:
        return Path(chosen)
    import platformdirs

    path: Path = getattr(platformdirs, function)("damier", appauthor=False)
    return path
