"""Machine code by Numba, kept in a cache between processes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

from damier import places
from damier.jit import MASK63, put_pieces

_PACKAGE = Path(__file__).parent.parent


class Numba:
    """Numba as a back end, unless its own switch NUMBA_DISABLE_JIT=1 says otherwise."""

    compiles = True

    def enabled(self) -> bool:
        """Tell whether kernels can be compiled."""
        return os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")

    def has(self, twin: str) -> bool:
        """Tell that whoever wants kernels has to wait for them."""
        return False

    def home(self, twin: str, folders: Iterable[tuple[str, Path]], others: list[Any]) -> Home:
        """Return what compiles the kernels of a twin."""
        return Home(cache_directory(folders))


class Home:
    """Compiles the kernels of a twin. What it makes is kept in a directory, if there is one."""

    def __init__(self, directory: Path | None = None) -> None:
        self._directory = directory

    def compiled(self, function: FunctionType, inline: bool) -> Any:
        """Return a kernel compiled."""
        import numba

        compiled: Any = numba.njit(nogil=True, forceinline=inline)(function)
        if self._directory is not None:
            from damier.jit.kept import KeptCode

            compiled._cache = KeptCode(function, self._directory)
        return compiled

    def imported(self, name: str, kernel: Any) -> Any:
        """Return a kernel that the twin has from another: it is compiled there."""
        return kernel

    def primitive(self, function: FunctionType) -> Any:
        """Return the compiled twin of a kernel of `damier.jit`."""
        return primitives()[function.__name__]

    def constant(self, values: tuple[int, ...]) -> Any:
        """Return a table of integers that kernels look up."""
        return self.array(values)

    def zeros(self, size: int, kind: str = "q") -> Any:
        """Return an array of zeros."""
        import numpy as np

        return np.zeros(size, f"<{kind}")

    def array(self, values: Sequence[int]) -> Any:
        """Return an array of integers."""
        import numpy as np

        return np.array(values, np.int64)

    def filled(self, size: int, kind: str, pieces: Iterable[tuple[int, bytes]]) -> Any:
        """Return an array of zeros but for some pieces of it."""
        made = self.zeros(size, kind)
        put_pieces(made, pieces)
        return made


NUMPY = Home()  # for arrays that no twin asks for


def refused() -> str:
    """Return why machine code could not be kept, or ""."""
    import sys

    kept = sys.modules.get("damier.jit.kept")
    return str(kept.refused[0]) if kept is not None and kept.refused else ""


@cache
def primitives() -> dict[str, Any]:
    """Return the compiled twins of the kernels of `damier.jit`: single machine instructions."""
    import numba
    import numpy as np
    from numba.core import types
    from numba.extending import intrinsic

    def ctpop_typed(_: Any, x: Any) -> Any:
        return types.int64(types.int64), lambda context, b, sig, args: b.ctpop(args[0])

    def cttz_typed(_: Any, x: Any) -> Any:
        return types.int64(types.int64), lambda context, b, sig, args: b.cttz(
            args[0], context.get_constant(types.boolean, True)
        )

    def mul_typed(_: Any, x: Any, y: Any) -> Any:
        def build(context: Any, b: Any, sig: Any, args: Any) -> Any:
            return b.and_(b.mul(*args), context.get_constant(types.int64, MASK63))

        return types.int64(types.int64, types.int64), build

    ctpop: Any = intrinsic(ctpop_typed)
    mul: Any = intrinsic(mul_typed)
    cttz: Any = intrinsic(cttz_typed)
    jit = numba.njit(nogil=True)
    return {
        "popcount": jit(lambda x: ctpop(x)),
        "lowest": jit(lambda x: cttz(x)),
        "times": jit(lambda x, y: mul(x, y)),
        "buffer": jit(lambda size: np.zeros(size, np.int64)),
        "enlarged": jit(lambda old: np.concatenate((old, np.zeros(len(old), np.int64)))),
    }


def cache_directory(folders: Iterable[tuple[str, Path]] = ()) -> Path:
    """Return the directory for machine code made from exactly these sources.

    That is all of the package that is not about one game, and the games' folders or files, each
    with the name it is imported by: a function's machine code holds that of the functions it calls.
    """
    return _cache_directory(places.cache_directory().absolute(), frozenset(folders))


@cache
def _cache_directory(root: Path, folders: frozenset[tuple[str, Path]]) -> Path:
    digest = hashlib.sha256()
    paths = list(_shared())
    for name, folder in sorted(folders):
        digest.update(name.encode() + b"\0")
        paths += sorted(folder.glob("*.py")) if folder.is_dir() else [folder]
    for path in paths:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return root / "kernels" / digest.hexdigest()[:16]


@cache
def _shared() -> tuple[Path, ...]:
    """Return every source that machine code is made from, but for the folders of games."""
    games = _PACKAGE / "games"
    return tuple(
        path
        for path in sorted(_PACKAGE.rglob("*.py"))
        if path.parent.parent != games and (path.parent == games or b"@kernel" in path.read_bytes())
    )


def is_shared(path: Path) -> bool:
    """Tell whether a source belongs to the package, and to no game."""
    return path.is_relative_to(_PACKAGE) and path.parent.parent != _PACKAGE / "games"
