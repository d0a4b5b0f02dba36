"""Builder of the static site: the page, and all that answers its requests, as files.

    SITE/index.html  embed.html  sw.js    the same names in every version
    SITE/VERSION/static/    the page's scripts and styles
    SITE/VERSION/engine/    Python, damier, the kernels and tables of each game;
                            contents.json lists them
    SITE/VERSION/answers/   stored answers to the page's first requests
    SITE/docs/              the documentation, if it is given

VERSION is a digest of all files below it, so that files of two versions are never mixed.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from damier import __version__
from damier.errors import DamierError
from damier.files import write
from damier.games import GAMES, Folder, load
from damier.i18n import LANGUAGES, use_language
from damier.position import load_rules
from damier.site.dispatcher import Dispatcher
from damier.site.pyodide_bundle import (
    RUNTIME_FILES,
    bundle_library,
    bundle_package,
    check_pyodide,
)
from damier.site.request_schemas import request_schemas
from damier.site.wasm_modules import build_modules
from damier.solve.tables import portable_tables
from damier.web.app import STATIC
from damier.web.endpoints import engine_endpoints
from damier.web.models import MAX_BYTES, MAX_SECONDS
from damier.web.responses import encode_json, error_response

Files = dict[str, bytes]

PAGES = ("index.html", "embed.html")
DOCS = "docs"  # folder of the documentation
SITE_SOURCES = Path(__file__).parent
PACKAGE = SITE_SOURCES.parent
# Files of this package that only a server, a command or a compiler needs.
_SERVER_ONLY = (
    "cli/",
    "online/",
    "report/",
    "web/static/",
    "solve/retrograde/",
    "jit/wasm_compiler.py",
    *(f"learning/puzzles/{name}.py" for name in ("verification", "difficulty", "goals")),
    *(f"learning/puzzles/{name}.py" for name in ("generator", "themes")),
    "learning/puzzles/proofs.py",
    *(f"web/{name}.py" for name in ("api", "app", "worker_pool", "worker_process")),
    *(f"web/{name}.py" for name in ("models", "server")),
    *(f"web/{name}_models.py" for name in ("lab", "learning")),
    *(f"lab/{name}.py" for name in ("html", "markdown")),
    *(f"site/{name}.py" for name in ("build", "request_schemas", "build_kernels")),
    *(f"site/{name}.py" for name in ("wasm_modules", "pyodide_bundle", "serve")),
)
_SUFFIXES = (".py", ".json", ".jsonl", ".md", ".bin")
# Packages that handlers need, each with the files to leave out.
_DEPENDENCIES = {"fsrs": {"optimizer.py"}, "glicko2": set[str]()}
# The only name that they import from typing_extensions; Python itself has it.
_TYPING_EXTENSIONS = b"from typing import Self as Self\n"
POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
    "img-src 'self' blob:; connect-src 'self'; worker-src 'self'; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)


def build(target: Path, pyodide: Path, node: str, docs: Path | None = None) -> str:
    """Write the site to a folder and return its version. Unchanged files are not written.

    `docs` is a folder with the built documentation, to which the page then links.
    """
    documentation = {} if docs is None else _documentation(docs)
    for folder in list(GAMES.values()):
        if folder.path is None and folder.directory.parent != PACKAGE / "games":
            load(
                str(folder.module.__file__)
            )  # an installed game: registered by its path, as in the browser
    check_pyodide(pyodide)
    engine = _engine(pyodide, node)
    files = {
        **{
            f"static/{path.relative_to(STATIC).as_posix()}": path.read_bytes()
            for path in sorted(STATIC.rglob("*"))
            if path.is_file()
        },
        **{f"engine/{name}": content for name, content in engine.items()},
        **{f"answers/{name}": content for name, content in _answers()},
    }
    pages = {name: files.pop(f"static/{name}").decode() for name in PAGES}
    manifest = files["static/manifest.webmanifest"]
    files["static/manifest.webmanifest"] = manifest.replace(b'"../"', b'"../../"')
    version = _digest(files)[:12]
    files = {f"{version}/{name}": content for name, content in files.items()}
    facts = {"docs": f"./{DOCS}/"} if documentation else {}
    files |= {name: _page(text, version, files, facts) for name, text in pages.items()}
    files["sw.js"] = _service_worker(files, version)
    _write(target, files | documentation)
    return version


def _documentation(folder: Path) -> Files:
    """Return the files of the documentation; the page does not need them offline."""
    if not (folder / "index.html").is_file():
        raise DamierError("no-documentation", path=str(folder))
    return {
        f"{DOCS}/{path.relative_to(folder).as_posix()}": path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _engine(pyodide: Path, node: str) -> Files:
    """Return the files of the worker: Python, this package, kernels and tables of each game."""
    with ThreadPoolExecutor() as pool:  # each task waits for subprocesses
        modules = pool.submit(build_modules, GAMES.values())
        python = pool.submit(bundle_library, pyodide, node)
        sources = pool.submit(bundle_package, dict(_sources()), pyodide, node)
    files = {name: (pyodide / name).read_bytes() for name in RUNTIME_FILES}
    files |= {"python.zip": python.result(), "damier.zip": sources.result()}
    files["worker.js"] = (SITE_SOURCES / "worker.js").read_bytes()
    size = sum(map(len, files.values()))
    games = {}
    for name, module in modules.result().items():
        games[name] = {"kernels": f"{name}.wasm"}
        files[f"{name}.wasm"] = module.read_bytes()
        for table, path in portable_tables(GAMES[name]).items():
            file = games[name][table] = f"{_game_folder(GAMES[name])}/tables/{table}"
            files[file] = path.read_bytes()
    contents = {
        "size": size,
        "lock": json.loads((pyodide / "pyodide-lock.json").read_bytes())["info"],
        "requests": {"schemas": request_schemas(), "max_bytes": MAX_BYTES},
        "games": games,
        "outside": [
            f"{_game_folder(folder)}/{Path(str(folder.module.__file__)).name}"
            for folder in GAMES.values()
            if folder.path is not None
        ],
    }
    files["contents.json"] = _encode_sorted(contents)
    return files


def _game_folder(folder: Folder) -> str:
    """Return the folder of a game in the browser's file system."""
    if folder.path is None:
        return f"damier/games/{folder.directory.name}"
    return f"outside/{folder.name}/{folder.directory.name}"


def _sources() -> Iterator[tuple[str, bytes]]:
    """Yield the Python files for the browser: this package, its dependencies, added games."""
    for path in sorted(PACKAGE.rglob("*")):
        name = path.relative_to(PACKAGE).as_posix()
        if path.suffix in _SUFFIXES and not name.startswith(_SERVER_ONLY):
            yield f"damier/{name}", path.read_bytes()
    for dependency, left_out in _DEPENDENCIES.items():
        spec = find_spec(dependency)
        assert spec is not None
        assert spec.origin is not None
        for path in sorted(Path(spec.origin).parent.glob("*.py")):
            if path.name not in left_out:
                yield f"{dependency}/{path.name}", path.read_bytes()
    yield "typing_extensions/__init__.py", _TYPING_EXTENSIONS
    for folder in GAMES.values():
        if folder.path is not None:
            for path in sorted(folder.path.glob("*")) if folder.path.is_dir() else [folder.path]:
                if path.suffix in _SUFFIXES:
                    yield f"{_game_folder(folder)}/{path.name}", path.read_bytes()


def _answers() -> Iterator[tuple[str, bytes]]:
    """Yield stored answers to the requests that the page sends before its worker is loaded."""
    dispatcher = Dispatcher(request_schemas(), MAX_BYTES)
    requests: list[tuple[str, str, str | None]] = [("games", "games", None)]
    requests += [(f"texts/{code}", f"texts/{code}", None) for code in LANGUAGES]
    for name in GAMES:
        requests.append((f"rules/{name}", f"rules/{name}", None))
        requests.append((f"state/{name}", "state", json.dumps({"game": load_rules(name).name})))
    for language in LANGUAGES:
        for name, path, text in requests:
            status, body = dispatcher.answer(path, text, language, None)
            assert status == 200, (path, body)
            yield f"{language}/{name}.json", body
        with use_language(language):
            for key in ("too-much", "fault"):  # for a worker that is stuck or has crashed
                status, error_body = error_response(DamierError(key))
                content = encode_json({"status": status, "body": error_body})
                yield f"{language}/refusals/{key}.json", content


def _page(text: str, version: str, files: Files, more: Mapping[str, str]) -> bytes:
    """Return a page of the site, with the address of this version, and facts as attributes.

    It preloads all scripts that it needs at the start, so that a browser fetches them in parallel.
    """
    (entry,) = re.findall(r'<script type="module" src="\./static/([^"]+)"', text)
    links = (
        f'<link rel="modulepreload" href="./static/{name}">'
        for name in sorted(_imported_scripts(entry, f"{version}/static/", files))
    )
    text = re.sub(r'<link rel="modulepreload" href="[^"]+">\n', "", text)
    text = text.replace("<script", "\n".join((*links, "<script")))
    meta = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    text = text.replace("./static/", f"./{version}/static/")
    facts = {
        "root": "./",
        "site-version": f"{version}/",
        "engine-endpoints": " ".join(engine_endpoints()),
        "timeout-seconds": f"{MAX_SECONDS:g}",
        **more,
    }
    attributes = " ".join(f'data-{name}="{value}"' for name, value in facts.items())
    text = text.replace('data-root="./"', attributes)
    return text.replace('<meta charset="utf-8">', f'<meta charset="utf-8">\n{meta}').encode()


def _imported_scripts(entry: str, folder: str, files: Files) -> set[str]:
    """Return a script, the transport to the worker, and all scripts that they import."""
    scripts: set[str] = set()
    unread = [entry, "core/worker-transport.js"]
    while unread:
        name = unread.pop()
        if name not in scripts:
            scripts.add(name)
            imports = re.findall(
                r" from '(\.[^']+)';$", files[folder + name].decode(), re.MULTILINE
            )
            unread += [
                posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
                for path in imports
            ]
    return scripts


def _service_worker(files: Files, version: str) -> bytes:
    """Return the service worker, which caches these files."""
    digests = {name: sha256(content).hexdigest() for name, content in files.items()}
    constants = f"const VERSION = '{version}';\nconst FILES = {json.dumps(digests, indent=1)};\n"
    return constants.encode() + (SITE_SOURCES / "sw.js").read_bytes()


def _digest(files: Mapping[str, bytes]) -> str:
    digest = sha256(__version__.encode())
    for name, content in sorted(files.items()):
        digest.update(f"\n{name} {sha256(content).hexdigest()}".encode())
    return digest.hexdigest()


def _encode_sorted(content: Any) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def _write(target: Path, files: Files) -> None:
    """Make a folder contain these files and no others."""
    target.mkdir(parents=True, exist_ok=True)
    if any(target.iterdir()) and not (target / "sw.js").is_file():
        raise DamierError("site-not-ours", path=str(target))
    for name, content in files.items():
        path = target / name
        if not path.is_file() or path.read_bytes() != content:
            write(path, [content], lasting=False)
    for path in sorted(target.rglob("*"), reverse=True):
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif path.relative_to(target).as_posix() not in files:
            path.unlink()
