"""Package: its contents, and an installation outside the checkout that plays, serves and probes."""

import email
import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from email.message import Message
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from damier import GAMES, __version__
from tests.support.installation import ROOT, TOOLS, build, install, new_environment, run

# A module that works only with the extra.
EXTRAS = {
    "online": "damier.online.app",
    "postgresql": "asyncpg",
    "pettingzoo": "damier.pettingzoo",
    "gymnasium": "damier.gymnasium",
    "openspiel": "damier.openspiel",
    "dataset": "pyarrow.parquet",
    "cluster": "distributed",
    "site": "ziglang",
    "docs": "sphinx",
}
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return the wheel and the source distribution."""
    return build(tmp_path_factory.mktemp("dist"))


def metadata(wheel: Path) -> Message:
    """Return the metadata of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        return email.message_from_bytes(archive.read(name))


def test_the_wheel_contains_the_package_and_nothing_else(
    distributions: tuple[Path, Path],
) -> None:
    wheel, source = distributions
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.split("/")[0] for name in names} == {
        "damier",
        "damier_command.py",
        f"damier-{__version__}.dist-info",
    }
    assert "damier/py.typed" in names
    assert "damier/web/static/index.html" in names
    assert "damier/texts/web.fr.json" in names
    for game in GAMES:
        assert f"damier/games/{game}/puzzles.jsonl" in names
    assert any(name.endswith(".table") for name in names)
    assert not any("__pycache__" in name or name.endswith(".pyc") for name in names)
    with tarfile.open(source) as archive:
        members = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "hatch_build.py", "LICENSE", "Makefile", "README.md"} <= members
    assert "tests/project/test_package.py" in members
    assert not any(name.startswith(("docs/screenshots", ".venv", "build/")) for name in members)
    run(TOOLS / "twine", "check", "--strict", wheel, source)


def test_the_metadata_names_the_repository_that_builds_it(tmp_path: Path) -> None:
    there, _ = build(tmp_path / "there", GITHUB_REPOSITORY="someone/damier")
    found = metadata(there)
    assert "Source, https://github.com/someone/damier" in found.get_all("Project-URL", [])
    text = str(found.get_payload())
    assert "](https://github.com/someone/damier/blob/main/LICENSE)" in text
    assert not re.search(r"\]\((?!https?://)", text)


def test_the_metadata_describes_the_package(distributions: tuple[Path, Path]) -> None:
    found = metadata(distributions[0])
    assert found["Version"] == __version__
    assert found["Author"] == "The damier developers"
    assert found["Requires-Python"] == ">=3.11"
    assert found.get_all("Project-URL") is None
    classifiers = found.get_all("Classifier", [])
    for version in ("3.11", "3.12", "3.13", "3.14"):
        assert f"Programming Language :: Python :: {version}" in classifiers
    extras = {*found.get_all("Provides-Extra", [])} - {"dev"}
    assert extras == EXTRAS.keys()


@pytest.fixture(scope="module")
def installed(distributions: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the programs of an environment with the wheel alone."""
    programs = new_environment(tmp_path_factory.mktemp("installed") / "venv")
    install(programs, str(distributions[0]))
    return programs


def test_an_installed_package_plays_and_probes(installed: Path, tmp_path: Path) -> None:
    damier = installed / "damier"
    assert __version__ in run(damier, "--version")
    games = tmp_path / "games.txt"
    run(damier, "arena", "chefa", "random", "level:1", "--games", "2", "--save", games)
    assert games.read_text("utf-8").count('[Game "chefa"]') == 2
    assert "9" in run(damier, "probe", "chefa")
    names = run(installed / "python", "-c", "import damier; print(damier.__file__)")
    assert str(installed.parent) in names


def test_an_installed_package_serves_the_page(installed: Path) -> None:
    server = subprocess.Popen(
        [installed / "damier", "web", "--no-browser", "--port", "0"],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        cwd="/",
    )
    try:
        assert server.stdout is not None
        address = next(
            found[0] for line in server.stdout if (found := re.search(r"http://[\d.:]+/", line))
        )
        assert b"<html" in urlopen(address).read()
        assert urlopen(f"{address}static/main.js").status == 200
        question = Request(
            f"{address}api/v1/state",
            json.dumps({"game": "chefa", "turns": ["a1"]}).encode(),
            {"Content-Type": "application/json"},
        )
        assert json.load(urlopen(question))["side"] == "b"
    finally:
        server.terminate()
        server.communicate(timeout=60)


def test_each_extra_installs_what_it_needs(
    installed: Path, distributions: tuple[Path, Path]
) -> None:
    for extra, module in EXTRAS.items():
        install(installed, f"{distributions[0]}[{extra}]")
        run(installed / "python", "-c", f"import {module}")


def test_uv_installs_the_command_as_a_tool(
    distributions: tuple[Path, Path], installed: Path, tmp_path: Path
) -> None:
    folders = {"UV_TOOL_DIR": str(tmp_path / "tools"), "UV_TOOL_BIN_DIR": str(tmp_path / "bin")}
    run(
        *(TOOLS / "uv", "tool", "install", "--quiet", "--offline", "--python", sys.executable),
        *("--constraint", ROOT / "requirements-dev.txt", distributions[0]),
        **folders,
    )
    assert run(tmp_path / "bin" / "damier", "perft", "fraha", "1").split()[0] == "1"


def test_pipx_installs_the_command(
    distributions: tuple[Path, Path], installed: Path, tmp_path: Path
) -> None:
    names = ("PIPX_HOME", "PIPX_BIN_DIR", "PIPX_MAN_DIR", "PIPX_COMPLETION_DIR")
    folders = {name: str(tmp_path / name) for name in names}
    run(
        *(TOOLS / "pipx", "install", "--quiet", "--backend", "uv"),
        *("--python", sys.executable, distributions[0]),
        **folders,
        UV_OFFLINE="1",
        UV_CONSTRAINT=str(ROOT / "requirements-dev.txt"),
        PATH=f"{TOOLS}{os.pathsep}{os.environ['PATH']}",
    )
    assert run(tmp_path / "PIPX_BIN_DIR" / "damier", "perft", "fraha", "1").split()[0] == "1"
