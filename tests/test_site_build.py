"""The site is built of what it should be, and a second time of what there is already."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from damier import jit, places
from damier.errors import DamierError
from damier.site import python
from damier.site.build import build

ROOT = Path(__file__).parent.parent
PYODIDE = ROOT / "node_modules" / "pyodide"
NODE = str(Path(sys.executable).with_name("node"))
pytestmark = [
    pytest.mark.skipif(not jit.enabled(), reason="there is no compiler to build with"),
    pytest.mark.skipif(not PYODIDE.exists(), reason="Pyodide is not installed"),
]


def content(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_a_second_build_starts_nothing_and_differs_in_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    version = build(first, PYODIDE, NODE)

    def refused(*args: Any, **more: Any) -> None:
        raise AssertionError(args)

    monkeypatch.setattr(subprocess, "run", refused)
    assert build(second, PYODIDE, NODE) == version
    assert content(second) == content(first)

    monkeypatch.setattr("damier.site.build.write", refused)  # all of it is there
    (first / "old.js").write_text("of another version", "utf-8")
    assert build(first, PYODIDE, NODE) == version
    assert content(second) == content(first)


def test_the_same_sources_give_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = {"damier/one.py": b"def f():\n    return 1\n", "damier/texts/a.json": b"{}"}
    made = []
    for place in ("one", "two"):
        monkeypatch.setattr(places, "cache_directory", lambda place=place: tmp_path / place)
        made.append(python.package(sources, PYODIDE, NODE))
    assert made[0] == made[1]


def test_pyodide_is_the_one_that_is_named(tmp_path: Path) -> None:
    wanted = json.loads((ROOT / "package.json").read_text("utf-8"))["devDependencies"]["pyodide"]
    assert wanted == python.VERSION
    other = tmp_path / "pyodide"
    other.mkdir()
    with pytest.raises(DamierError, match="pyodide"):
        python.checked(other)
    for name in python.DIGESTS:
        shutil.copy(PYODIDE / name, other)
    assert python.checked(other) == other
    (other / "pyodide.mjs").write_text("changed", "utf-8")
    with pytest.raises(DamierError, match=python.VERSION):
        python.checked(other)
