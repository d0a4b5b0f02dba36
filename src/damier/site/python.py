"""Python for the site: its library without what is never imported, and all of it compiled.

A browser would otherwise load three times as much, and compile hundreds of files at every visit.
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

from damier import places
from damier.errors import DamierError
from damier.files import write

Files = Mapping[str, bytes]

_COMPILER = Path(__file__).with_name("precompile.mjs")
# The one Pyodide that the site is built of: the files that are used, with their digests.
VERSION = "314.0.7"
DIGESTS = {
    "pyodide.mjs": "6f1d60f7bf529beb300f0f47983c921d3982363640ba20af0e38efdddbc66109",
    "pyodide.asm.mjs": "f7cdc8ece80678ceb712f8e65ebe6d3a83203a180c399865f49612a051693635",
    "pyodide.asm.wasm": "cc36e3cab04fdfc9a63ff13eb52eae2b911bf46c025cc7b281f394bd3de1d5e6",
    "python_stdlib.zip": "fa1957e5777068fc4f7437f96d860ae2fbe9c19732ba06c84e004ec16dd7dd7a",
    "pyodide-lock.json": "5dc2fc119108bc148c7457dc86e7675b5c87e1cafd420b9c34c1eaef7b36c010",
}
STARTED = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")  # what it needs to start
# Of the library: networks, servers, windows, debuggers, formats, tests, and what Python has twice.
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
# Of these packages nothing else is needed.
KEPT = {
    "email": {"__init__"},
    "encodings": {"__init__", "aliases", "ascii", "cp437", "idna", "latin_1", "utf_8"},
    "urllib": {"__init__", "parse"},
}


def needed(name: str) -> bool:
    """Tell whether a file of the library is needed, by its path there."""
    first, _, rest = name.removesuffix(".py").partition("/")
    if first in LEFT_OUT or f"{first}/{rest.partition('/')[0]}" in LEFT_OUT:
        return False
    return first not in KEPT or rest in KEPT[first]


def checked(pyodide: Path) -> Path:
    """Return the folder of Pyodide, if it holds what it should."""
    for name, digest in DIGESTS.items():
        if not (pyodide / name).is_file():
            raise DamierError("no-pyodide", path=pyodide)
        if sha256((pyodide / name).read_bytes()).hexdigest() != digest:
            raise DamierError("other-pyodide", path=pyodide / name, version=VERSION)
    return pyodide


def library(pyodide: Path, node: str) -> bytes:
    """Return what is needed of Pyodide's library, compiled, as an archive that is imported from."""
    with zipfile.ZipFile(pyodide / "python_stdlib.zip") as whole:
        names = [n for n in whole.namelist() if needed(n) and not n.endswith("/")]
        files = {name: whole.read(name) for name in names}

    def made() -> bytes:
        code = compiled(files, pyodide, node, _WITHOUT_DOCSTRINGS)
        others = {name: content for name, content in files.items() if not name.endswith(".py")}
        return packed({**others, **code})

    return _kept(files, made)


def package(sources: Files, pyodide: Path, node: str) -> bytes:
    """Return a package as an archive to unpack: compiled, and a game's folder with its sources.

    A game is known by the files of its folder; the sources of all else nobody would read.
    """

    def made() -> bytes:
        files = {name: content for name, content in sources.items() if _is_read(name)}
        for name, code in compiled(sources, pyodide, node).items():
            if name.removesuffix("c") in files:
                folder, _, module = name.rpartition("/")
                stem = module.removesuffix(".pyc")
                files[f"{folder}/__pycache__/{stem}.cpython-{_TAG}.pyc"] = code
            else:
                files[name] = code
        return packed(files)

    return _kept(sources, made)


def _is_read(name: str) -> bool:
    """Tell whether a file is needed as it is: data, or the source of a game."""
    return not name.endswith(".py") or re.match(r"outside/|damier/games/\w+/", name) is not None


def _kept(files: Files, made: Callable[[], bytes]) -> bytes:
    """Return what is made of some files, made once: named by all that it is made of."""
    digest = sha256(f"{VERSION} {sys.version} {zlib.ZLIB_RUNTIME_VERSION}".encode())
    for source in (Path(__file__), _COMPILER):
        digest.update(source.read_bytes())
    for name, content in sorted(files.items()):
        digest.update(f"\n{name} {len(content)}\n".encode() + content)
    path = places.cache_directory() / "site" / f"{digest.hexdigest()[:32]}.zip"
    if not path.exists():
        write(path, [made()], lasting=False)
    return path.read_bytes()


_TAG = "314"  # of the Python that Pyodide is
_WITHOUT_DOCSTRINGS = 2  # nobody reads the library's in a browser: a third less to load


def compiled(files: Files, pyodide: Path, node: str, optimise: int = 0) -> dict[str, bytes]:
    """Return the code of the Python files among some, by name; Pyodide itself compiles them."""
    names = sorted(name for name in files if name.endswith(".py"))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name in names:
            write(folder / name, [files[name]], lasting=False)
        try:
            subprocess.run(
                [node, str(_COMPILER), str(pyodide.absolute()), place, str(optimise)],
                input="\n".join(names),
                text=True,
                check=True,
                capture_output=True,
            )
        except (OSError, subprocess.CalledProcessError) as error:
            said = str(getattr(error, "stderr", "") or error).splitlines()
            problem = next((line for line in said if "Error" in line[:40]), str(error))
            raise DamierError("no-node", problem=problem[:300]) from error
        return {f"{name}c": (folder / f"{name}c").read_bytes() for name in names}


def packed(files: Files) -> bytes:
    """Return files as an archive: the same bytes each time."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in sorted(files.items()):
            info = zipfile.ZipInfo(name)  # with a date that is always the same
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content, compresslevel=9)
    return made.getvalue()
