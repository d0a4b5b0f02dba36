"""WebAssembly modules of games: built where the sources are new, else found in the cache.

Each is built in a process of its own, because Numba must not optimise there. The same sources and
tools give the same bytes.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from damier import jit
from damier.errors import DamierError
from damier.games import Folder
from damier.jit import native

TOOLS = "numba", "llvmlite", "ziglang"
_HERE = Path(__file__).parent
_JIT = _HERE.parent / "jit"
_BUILDERS = _JIT / "retarget.py", _JIT / "runtime.ll", _JIT / "wasm.py", _HERE / "kernels.py"


def built(folders: Iterable[Folder]) -> dict[str, Path]:
    """Return the files with the modules of games, by the games' names."""
    chosen = list(folders)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip([f.name for f in chosen], pool.map(module_of, chosen), strict=True))


def module_of(folder: Folder) -> Path:
    """Return the file with a game's module, or raise DamierError saying why it cannot be built."""
    path = _path(folder)
    if not path.exists():
        command = [sys.executable, "-m", "damier.site.kernels", str(folder.path or folder.name)]
        done = subprocess.run(
            [*command, str(path)],
            # Sets of Python are in an order that it draws for each process: always the same here.
            env={**os.environ, "NUMBA_OPT": "0", "PYTHONHASHSEED": "0"},
            capture_output=True,
            text=True,
        )
        if done.returncode:
            last = done.stderr.strip().splitlines()[-1:]
            raise DamierError("not-compiled", game=folder.name, message="".join(last))
    return path


def _path(folder: Folder) -> Path:
    """Return where a module is kept: named by all that it is made from."""
    directory = native.cache_directory(jit.folders_of(folder.module))
    digest = hashlib.sha256(" ".join([directory.name, *_versions()]).encode())
    for path in (*_BUILDERS, *sorted(folder.tables.glob("*.table"))):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return directory / f"{folder.name}-{digest.hexdigest()[:16]}.wasm"


def _versions() -> Iterator[str]:
    """Yield the tools with their versions."""
    for tool in TOOLS:
        try:
            yield f"{tool} {version(tool)}"
        except PackageNotFoundError as error:
            raise DamierError("site-tools", name=tool) from error
