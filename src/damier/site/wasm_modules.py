"""Cache of the games' WebAssembly modules, which are built when their sources change.

Each module is built in a process of its own, because Numba must not optimise there. The same
sources and tools give the same bytes.
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
from damier.solve.tables import portable_tables

TOOLS = "numba", "llvmlite", "ziglang"
_HERE = Path(__file__).parent
_JIT = _HERE.parent / "jit"
_BUILDERS = (
    _JIT / "wasm_compiler.py",
    _JIT / "runtime.ll",
    _JIT / "wasm_runtime.py",
    _HERE / "build_kernels.py",
)


def build_modules(folders: Iterable[Folder]) -> dict[str, Path]:
    """Return the paths of the modules of games, by name; build those that are missing."""
    games = list(folders)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip([g.name for g in games], pool.map(module_of, games), strict=True))


def module_of(folder: Folder) -> Path:
    """Return the path of a game's module; raise DamierError if it cannot be built."""
    path = _path(folder)
    if not path.exists():
        command = [
            sys.executable,
            "-m",
            "damier.site.build_kernels",
            str(folder.path or folder.name),
        ]
        done = subprocess.run(
            [*command, str(path)],
            # A fixed hash seed makes the order of sets reproducible.
            env={**os.environ, "NUMBA_OPT": "0", "PYTHONHASHSEED": "0"},
            capture_output=True,
            text=True,
        )
        if done.returncode:
            last = done.stderr.strip().splitlines()[-1:]
            raise DamierError("not-compiled", game=folder.name, message="".join(last))
    return path


def _path(folder: Folder) -> Path:
    """Return the cache path of a module, named by a digest of all that it is built from."""
    directory = native.code_directory(jit.folders_of(folder.module))
    digest = hashlib.sha256(" ".join([directory.name, *_versions()]).encode())
    for path in (*_BUILDERS, *portable_tables(folder).values()):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return directory / f"{folder.name}-{digest.hexdigest()[:16]}.wasm"


def _versions() -> Iterator[str]:
    """Yield the names of the build tools with their versions."""
    for tool in TOOLS:
        try:
            yield f"{tool} {version(tool)}"
        except PackageNotFoundError as error:
            raise DamierError("site-tools", name=tool) from error
