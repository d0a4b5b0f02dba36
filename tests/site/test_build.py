"""The site build: reproducible, and repeated from its cache."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from damier import jit, paths
from damier.errors import DamierError
from damier.site import pyodide_bundle
from damier.site.build import build

ROOT = Path(__file__).parents[2]
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


def test_a_second_build_uses_the_cache_and_is_identical(
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


def test_the_documentation_is_part_of_the_site_if_it_is_given(tmp_path: Path) -> None:
    site, docs = tmp_path / "site", tmp_path / "docs"
    with pytest.raises(DamierError, match="make docs"):
        build(site, PYODIDE, NODE, docs)
    (docs / "fr").mkdir(parents=True)
    (docs / "index.html").write_text("<h1>damier</h1>", "utf-8")
    (docs / "fr" / "index.fr.html").write_text("<h1>damier</h1>", "utf-8")
    build(site, PYODIDE, NODE, docs)
    assert content(site / "docs") == content(docs)
    assert 'data-docs="./docs/"' in (site / "index.html").read_text("utf-8")
    assert "docs/index.html" not in (site / "sw.js").read_text("utf-8")
    build(site, PYODIDE, NODE)
    assert not (site / "docs").exists()
    assert "data-docs" not in (site / "index.html").read_text("utf-8")


def test_the_same_sources_give_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = {"damier/one.py": b"def f():\n    return 1\n", "damier/texts/a.json": b"{}"}
    made = []
    for place in ("one", "two"):
        monkeypatch.setattr(paths, "cache_directory", lambda place=place: tmp_path / place)
        made.append(pyodide_bundle.bundle_package(sources, PYODIDE, NODE))
    assert made[0] == made[1]


def test_pyodide_is_the_one_that_is_named(tmp_path: Path) -> None:
    wanted = json.loads((ROOT / "package.json").read_text("utf-8"))["devDependencies"]["pyodide"]
    assert wanted == pyodide_bundle.VERSION
    other = tmp_path / "pyodide"
    other.mkdir()
    with pytest.raises(DamierError, match="pyodide"):
        pyodide_bundle.check_pyodide(other)
    for name in pyodide_bundle.DIGESTS:
        shutil.copy(PYODIDE / name, other)
    pyodide_bundle.check_pyodide(other)
    (other / "pyodide.mjs").write_text("changed", "utf-8")
    with pytest.raises(DamierError, match=pyodide_bundle.VERSION):
        pyodide_bundle.check_pyodide(other)
