"""Disk cache of machine code, with a checksum for each file.

Numba's own cache trusts its files: an empty file ends the program, and a flipped bit gives wrong
results. Here a file holds one function for one signature: a digest, then the data that Numba would
have stored. A damaged file is deleted and compiled again. The name of the directory is a digest of
the sources (see `damier.jit.native`), so its content is never out of date.
"""

from __future__ import annotations

import hashlib
import pickle
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

from numba.core.caching import FunctionCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from damier import files

_DIGEST_BYTES = 32
# Errors of cache writes in this process; the first one is reported to the user.
write_errors: list[OSError] = []


class CodeCache(FunctionCache):
    """Cache of one function, in the form that Numba's dispatchers expect."""

    def __init__(self, function: FunctionType, directory: Path) -> None:
        self._py_func = function
        self._name = repr(function)
        self._cache_path = str(directory)
        self._directory = directory
        self.enable()

    def flush(self) -> None:
        """Delete the cached machine code of this function."""
        for path in self._directory.glob(f"{self._stem}-*.code"):
            path.unlink(missing_ok=True)

    @property
    def _stem(self) -> str:
        return f"{self._py_func.__module__}.{self._py_func.__qualname__}"

    def _path(self, sig: Any, codegen: Any) -> Path:
        """Return the file for a signature on this processor with this version of Numba."""
        import numba

        key = repr((self._index_key(sig, codegen), numba.__version__))
        digest = hashlib.sha256(key.encode()).hexdigest()[:20]
        return self._directory / f"{self._stem}-{digest}.code"

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        if not self._enabled:
            return None
        path = self._path(sig, target_context.codegen())
        try:
            data = path.read_bytes()
        except OSError:
            return None
        payload = data[_DIGEST_BYTES:]
        if hashlib.sha256(payload).digest() != data[:_DIGEST_BYTES]:
            with suppress(OSError):
                path.unlink()
            return None
        return CompileResult._rebuild(target_context, *pickle.loads(payload))

    def _save_overload(self, sig: Any, data: Any) -> None:
        if not self._enabled or data.library.has_dynamic_globals:
            return
        payload = dumps(data._reduce())
        try:
            _sweep_once(self._directory)
            digest = hashlib.sha256(payload).digest()
            files.write(self._path(sig, data.codegen), [digest, payload], lasting=False)
        except OSError as error:
            write_errors.append(error)


@cache
def _sweep_once(directory: Path) -> None:
    """Delete, once per process, partial files that crashed processes left in a directory."""
    files.delete_partial_files(directory)
