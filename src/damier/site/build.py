"""Builds the site: everything of the page, and everything that answers it, as files.

    SITE/index.html  embed.html  sw.js                      always the same names
    SITE/VERSION/static/    the page's scripts and styles
    SITE/VERSION/engine/    Python, damier, the kernels and tables of each game;
                            contents.json says what there is
    SITE/VERSION/answers/   what the page asks first, answered

VERSION is a digest of all that lies below it: files of two versions never meet.
"""

from __future__ import annotations

import json
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
from damier.lang import LANGUAGES, speaking
from damier.position import game
from damier.site.forms import forms_of
from damier.site.inside import Inside
from damier.site.modules import built
from damier.site.python import STARTED, checked, library, package
from damier.web.answers import refusal, written
from damier.web.app import STATIC, create_app
from damier.web.models import MOST_BYTES

Files = dict[str, bytes]

PAGES = ("index.html", "embed.html")
HERE = Path(__file__).parent
PACKAGE = HERE.parent
# Of this package: what only a server, a command or a compiler needs.
_LEFT_OUT = (
    "cli/", "online/", "report/", "web/static/", "solve/retrograde/", "jit/retarget.py",
    *(f"puzzles/{name}.py" for name in ("checking", "difficulty", "goals", "making", "themes")),
    "puzzles/truth.py",
    *(f"web/{name}.py" for name in ("api", "app", "crew", "models", "server", "worker")),
    "web/learning.py",
    *(f"site/{name}.py" for name in ("build", "forms", "kernels", "modules", "python", "serve")),
)  # fmt: skip
_KINDS = (".py", ".json", ".jsonl", ".md", ".bin")
# Of others: what answers stand upon, without what they need elsewhere only.
_BORROWED = {"fsrs": {"optimizer.py"}, "glicko2": set[str]()}
# All that they ask of typing_extensions is in Python itself.
_TYPING = b"from typing import Self as Self\n"
POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
    "img-src 'self' blob:; connect-src 'self'; worker-src 'self'; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)


def build(target: Path, pyodide: Path, node: str) -> str:
    """Write the site to a folder and return its version; what has not changed is not written."""
    for folder in list(GAMES.values()):
        if folder.path is None and folder.directory.parent != PACKAGE / "games":
            load(str(folder.module.__file__))  # installed here: there it is named by its path
    engine = _engine(checked(pyodide), node)
    files = {
        **{f"static/{path.name}": path.read_bytes() for path in sorted(STATIC.iterdir())},
        **{f"engine/{name}": content for name, content in engine.items()},
        **{f"answers/{name}": content for name, content in _answers()},
    }
    pages = {name: files.pop(f"static/{name}").decode() for name in PAGES}
    manifest = files["static/manifest.webmanifest"]
    files["static/manifest.webmanifest"] = manifest.replace(b'"../"', b'"../../"')
    version = _digest(files)[:12]
    files = {f"{version}/{name}": content for name, content in files.items()}
    files |= {name: _page(text, version, files) for name, text in pages.items()}
    files["sw.js"] = _keeper(files, version)
    _write(target, files)
    return version


def _engine(pyodide: Path, node: str) -> Files:
    """Return what answers: Python, this package, and what each game needs to think."""
    with ThreadPoolExecutor() as pool:  # they wait for processes
        modules = pool.submit(built, GAMES.values())
        python = pool.submit(library, pyodide, node)
        sources = pool.submit(package, dict(_sources()), pyodide, node)
    files = {name: (pyodide / name).read_bytes() for name in STARTED}
    files |= {"python.zip": python.result(), "damier.zip": sources.result()}
    files["worker.js"] = (HERE / "worker.js").read_bytes()
    size = sum(map(len, files.values()))
    games = {}
    for name, module in modules.result().items():
        games[name] = {"kernels": f"{name}.wasm"}
        files[f"{name}.wasm"] = module.read_bytes()
        for path in sorted(GAMES[name].tables.glob(f"{name}*.table")):
            place = games[name][path.name] = f"{_place(GAMES[name])}/tables/{path.name}"
            files[place] = path.read_bytes()
    contents = {
        "size": size,
        "lock": json.loads((pyodide / "pyodide-lock.json").read_bytes())["info"],
        "requests": {**forms_of(create_app().openapi()), "most": MOST_BYTES},
        "games": games,
        "outside": [
            f"{_place(folder)}/{Path(str(folder.module.__file__)).name}"  # rules.py: its folder
            for folder in GAMES.values()
            if folder.path is not None
        ],
    }
    files["contents.json"] = _dumped(contents)
    return files


def _place(folder: Folder) -> str:
    """Return where the files of a game lie in the browser."""
    if folder.path is None:
        return f"damier/games/{folder.directory.name}"
    return f"outside/{folder.name}/{folder.directory.name}"


def _sources() -> Iterator[tuple[str, bytes]]:
    """Yield what runs in a browser: this package, what it stands upon, and games from outside."""
    for path in sorted(PACKAGE.rglob("*")):
        name = path.relative_to(PACKAGE).as_posix()
        if path.suffix in _KINDS and not name.startswith(_LEFT_OUT):
            yield f"damier/{name}", path.read_bytes()
    for borrowed, left_out in _BORROWED.items():
        spec = find_spec(borrowed)
        assert spec is not None
        assert spec.origin is not None
        for path in sorted(Path(spec.origin).parent.glob("*.py")):
            if path.name not in left_out:
                yield f"{borrowed}/{path.name}", path.read_bytes()
    yield "typing_extensions/__init__.py", _TYPING
    for folder in GAMES.values():
        if folder.path is not None:
            for path in sorted(folder.path.glob("*")) if folder.path.is_dir() else [folder.path]:
                if path.suffix in _KINDS:
                    yield f"{_place(folder)}/{path.name}", path.read_bytes()


def _answers() -> Iterator[tuple[str, bytes]]:
    """Yield what the page asks before its program is there, with the answers."""
    inside = Inside(**forms_of(create_app().openapi()), most=MOST_BYTES)
    asked: list[tuple[str, str, str | None]] = [("games", "games", None)]
    asked += [(f"texts/{one}", f"texts/{one}", None) for one in LANGUAGES]
    for name in GAMES:
        asked.append((f"rules/{name}", f"rules/{name}", None))
        asked.append((f"state/{name}", "state", json.dumps({"game": game(name).name})))
    for language in LANGUAGES:
        for name, path, text in asked:
            status, body = inside.answer(path, text, language, None)
            assert status == 200, (path, body)
            yield f"{language}/{name}.json", body
        with speaking(language):
            for key in ("too-much", "fault"):  # said of a worker that cannot say it itself
                yield f"{language}/refusals/{key}.json", written(refusal(DamierError(key))[1])


def _page(text: str, version: str, files: Files) -> bytes:
    """Return a page, whose name stays the same from version to version.

    It names all scripts that it begins with: a browser need not find one by the other.
    """
    (begins,) = re.findall(r'<script type="module" src="\./static/([^"]+)"', text)
    links = (
        f'<link rel="modulepreload" href="./static/{name}">'
        for name in sorted(_imported(begins, f"{version}/static/", files))
    )
    text = re.sub(r'<link rel="modulepreload" href="[^"]+">\n', "", text)
    text = text.replace("<script", "\n".join((*links, "<script")))
    meta = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    text = text.replace("./static/", f"./{version}/static/")
    text = text.replace('data-root="./"', f'data-root="./" data-inside="{version}/"')
    return text.replace('<meta charset="utf-8">', f'<meta charset="utf-8">\n{meta}').encode()


def _imported(begins: str, place: str, files: Files) -> set[str]:
    """Return a script, what carries its requests, and all that they import at once."""
    found: set[str] = set()
    waiting = [begins, "inside.js"]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            lines = files[place + name].decode().splitlines()
            ends = (line.removesuffix("';") for line in lines if line.endswith("';"))
            waiting += [end.rpartition(" from './")[2] for end in ends if " from './" in end]
    return found


def _keeper(files: Files, version: str) -> bytes:
    """Return the service worker: it keeps these files, and no others."""
    listed = {name: sha256(content).hexdigest() for name, content in files.items()}
    constants = f"const VERSION = '{version}';\nconst FILES = {json.dumps(listed, indent=1)};\n"
    return constants.encode() + (HERE / "sw.js").read_bytes()


def _digest(files: Mapping[str, bytes]) -> str:
    found = sha256(__version__.encode())
    for name, content in sorted(files.items()):
        found.update(f"\n{name} {sha256(content).hexdigest()}".encode())
    return found.hexdigest()


def _dumped(content: Any) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def _write(target: Path, files: Files) -> None:
    """Make a folder hold these files and nothing else."""
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
