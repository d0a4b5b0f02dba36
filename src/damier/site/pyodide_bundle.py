"""Bundles of Python code for the site: the needed part of the library, and damier, as bytecode.

A browser would otherwise load three times as much and compile hundreds of files at every visit.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path

from damier import paths
from damier.errors import DamierError
from damier.files import write

Files = Mapping[str, bytes]

_COMPILER = Path(__file__).with_name("precompile.mjs")
# The required version of Pyodide, with the digests of the files that are used.
VERSION = "314.0.7"
DIGESTS = {
    "pyodide.mjs": "6f1d60f7bf529beb300f0f47983c921d3982363640ba20af0e38efdddbc66109",
    "pyodide.asm.mjs": "f7cdc8ece80678ceb712f8e65ebe6d3a83203a180c399865f49612a051693635",
    "pyodide.asm.wasm": "cc36e3cab04fdfc9a63ff13eb52eae2b911bf46c025cc7b281f394bd3de1d5e6",
    "python_stdlib.zip": "fa1957e5777068fc4f7437f96d860ae2fbe9c19732ba06c84e004ec16dd7dd7a",
    "pyodide-lock.json": "5dc2fc119108bc148c7457dc86e7675b5c87e1cafd420b9c34c1eaef7b36c010",
}
RUNTIME_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")
# Library modules to leave out: networks, servers, windows, debuggers, file formats, tests, and pure
# Python duplicates of built-in modules.
LEFT_OUT = set(
    """
    _aix_support _android_support _apple_support _ios_support _osx_support _pydatetime _pydecimal
    _pyio _pylong _pyrepl _strptime antigravity argparse bdb calendar cmd code compileall
    configparser cProfile csv ctypes curses dbm difflib doctest ensurepip filecmp fileinput
    fractions ftplib getopt getpass gettext graphlib gzip html http idlelib imaplib ipaddress
    mailbox mimetypes modulefinder multiprocessing netrc nturl2path optparse pdb pickletools
    plistlib poplib pprint profile profiling pstats pty py_compile pyclbr pydoc pydoc_data quopri
    rlcompleter sched shelve shlex smtplib socketserver sqlite3 statistics stringprep symtable
    tabnanny tarfile test this timeit tkinter tomllib trace tracemalloc tty turtle unittest uuid
    venv wave webbrowser wsgiref xml xmlrpc zipapp zoneinfo
    _ast_unparse _sysconfigdata__emscripten_wasm32-emscripten asyncio/__main__
    asyncio/proactor_events asyncio/tools asyncio/windows_events asyncio/windows_utils
    concurrent/interpreters logging/config logging/handlers pyodide/console
    """.split()  # noqa: SIM905, a list would be longer than a page
)
# Packages of which only these modules are needed.
NEEDED_MODULES = {
    "email": {"__init__"},
    "encodings": {"__init__", "aliases", "ascii", "cp437", "idna", "latin_1", "utf_8"},
    "urllib": {"__init__", "parse"},
}


def is_needed(name: str) -> bool:
    """Return whether a file of the library is needed, by its path there."""
    first, _, rest = name.removesuffix(".py").partition("/")
    if first in LEFT_OUT or f"{first}/{rest.partition('/')[0]}" in LEFT_OUT:
        return False
    return first not in NEEDED_MODULES or rest in NEEDED_MODULES[first]


def check_pyodide(pyodide: Path) -> None:
    """Raise DamierError unless a folder contains the required version of Pyodide."""
    for name, digest in DIGESTS.items():
        if not (pyodide / name).is_file():
            raise DamierError("no-pyodide", path=pyodide)
        if sha256((pyodide / name).read_bytes()).hexdigest() != digest:
            raise DamierError("other-pyodide", path=pyodide / name, version=VERSION)


def bundle_library(pyodide: Path, node: str) -> bytes:
    """Return the needed part of Pyodide's library as a zip archive of bytecode."""
    with zipfile.ZipFile(pyodide / "python_stdlib.zip") as archive:
        names = [n for n in archive.namelist() if is_needed(n) and not n.endswith("/")]
        files = {name: archive.read(name) for name in names}

    def make() -> bytes:
        code = compile_files(files, pyodide, node, _WITHOUT_DOCSTRINGS)
        others = {name: content for name, content in files.items() if not name.endswith(".py")}
        return pack_archive({**others, **code})

    return _cache_archive(files, make)


def bundle_package(sources: Files, pyodide: Path, node: str) -> bytes:
    """Return a package as a zip archive of bytecode, with the source files of games.

    Games need their sources: a game is found by the files of its folder.
    """

    def make() -> bytes:
        files = {name: content for name, content in sources.items() if _is_included_as_is(name)}
        for name, code in compile_files(sources, pyodide, node).items():
            if name.removesuffix("c") in files:
                folder, _, module = name.rpartition("/")
                stem = module.removesuffix(".pyc")
                files[f"{folder}/__pycache__/{stem}.cpython-{_TAG}.pyc"] = code
            else:
                files[name] = code
        return pack_archive(files)

    return _cache_archive(sources, make)


def _is_included_as_is(name: str) -> bool:
    """Return whether a file is included as it is: data, or the source of a game."""
    return not name.endswith(".py") or re.match(r"outside/|damier/games/\w+/", name) is not None


def _cache_archive(files: Files, make: Callable[[], bytes]) -> bytes:
    """Return what `make` returns, from a cache keyed by the files and tools that it depends on."""
    digest = sha256(f"{VERSION} {sys.version} {zlib.ZLIB_RUNTIME_VERSION}".encode())
    for source in (Path(__file__), _COMPILER):
        digest.update(source.read_bytes())
    for name, content in sorted(files.items()):
        digest.update(f"\n{name} {len(content)}\n".encode() + content)
    path = paths.cache_directory() / "site" / f"{digest.hexdigest()[:32]}.zip"
    if not path.exists():
        write(path, [make()], lasting=False)
    return path.read_bytes()


_TAG = "314"  # cache tag of Pyodide's Python version
_WITHOUT_DOCSTRINGS = 2  # optimisation level for the library: a third smaller


def compile_files(files: Files, pyodide: Path, node: str, optimise: int = 0) -> dict[str, bytes]:
    """Return the bytecode of the Python files among `files`, compiled by Pyodide, by file name."""
    names = sorted(name for name in files if name.endswith(".py"))
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        for name in names:
            write(folder / name, [files[name]], lasting=False)
        try:
            subprocess.run(
                [node, str(_COMPILER), str(pyodide.absolute()), directory, str(optimise)],
                input="\n".join(names),
                text=True,
                check=True,
                capture_output=True,
            )
        except (OSError, subprocess.CalledProcessError) as error:
            lines = str(getattr(error, "stderr", "") or error).splitlines()
            problem = next((line for line in lines if "Error" in line[:40]), str(error))
            raise DamierError("no-node", problem=problem[:300]) from error
        return {f"{name}c": (folder / f"{name}c").read_bytes() for name in names}


def pack_archive(files: Files) -> bytes:
    """Return a reproducible zip archive of files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in sorted(files.items()):
            info = zipfile.ZipInfo(name)  # with a fixed date
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content, compresslevel=9)
    return buffer.getvalue()
