"""Machine code kept between processes: checked before it is used, made anew where it is damaged.

Numba's own cache trusts its files: an empty one ends the program, and a flipped bit gives wrong
answers. Here a file is one function for one signature: a digest, then what Numba would have kept.
The directory is named by the sources (see `damier.jit.native`), so nothing in it is out of date.
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

_DIGEST = 32
# What could not be written, once: the first error tells it all.
refused: list[OSError] = []


class KeptCode(FunctionCache):
    """What a compiled function asks for machine code made before, and gives new code to."""

    def __init__(self, function: FunctionType, directory: Path) -> None:
        self._py_func = function
        self._name = repr(function)
        self._cache_path = str(directory)
        self._directory = directory
        self.enable()

    def flush(self) -> None:
        """Forget what is kept of this function."""
        for path in self._directory.glob(f"{self._stem}-*.code"):
            path.unlink(missing_ok=True)

    @property
    def _stem(self) -> str:
        return f"{self._py_func.__module__}.{self._py_func.__qualname__}"

    def _path(self, sig: Any, codegen: Any) -> Path:
        """Return the file for a signature, by this processor and this version of Numba."""
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
        payload = data[_DIGEST:]
        if hashlib.sha256(payload).digest() != data[:_DIGEST]:
            with suppress(OSError):
                path.unlink()
            return None
        return CompileResult._rebuild(target_context, *pickle.loads(payload))

    def _save_overload(self, sig: Any, data: Any) -> None:
        if not self._enabled or data.library.has_dynamic_globals:
            return
        payload = dumps(data._reduce())
        try:
            _swept(self._directory)
            digest = hashlib.sha256(payload).digest()
            files.write(self._path(sig, data.codegen), [digest, payload], lasting=False)
        except OSError as error:
            refused.append(error)


@cache
def _swept(directory: Path) -> None:
    """Delete, once in a process, what dead processes have left in a directory."""
    files.sweep(directory)
