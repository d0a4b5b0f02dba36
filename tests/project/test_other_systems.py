"""Other systems: no module fails to import where there is no POSIX, and the core works there."""

import ast
import os
import subprocess
import sys
from pathlib import Path, PurePosixPath

import pytest

import damier
from tests.support.posix_blocked import POSIX_MODULES

ROOT = Path(__file__).parents[2]
PACKAGE = Path(damier.__file__).parent
RESERVED = {"con", "prn", "aux", "nul", *(f"{name}{n}" for name in ("com", "lpt") for n in "123")}


@pytest.mark.slow
def test_damier_works_without_posix_modules(tmp_path: Path) -> None:
    folders = {name: str(tmp_path) for name in ("DAMIER_CACHE_DIR", "DAMIER_DATA_DIR")}
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.posix_blocked", tmp_path],
        cwd=ROOT,
        env={**os.environ, **folders, "NUMBA_DISABLE_JIT": "1", "LANGUAGE": "en"},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    modules, moves, *value = done.stdout.split()
    assert int(modules) > 150
    assert moves == "4"
    assert " ".join(value).startswith("Value(outcome=")


def test_posix_modules_are_imported_where_they_may_be_missing() -> None:
    """At the top of a module, such an import would make the whole module unusable."""
    for path in PACKAGE.rglob("*.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = {alias.name for alias in node.names} | {getattr(node, "module", None)}
                assert not names & POSIX_MODULES, path


def test_file_names_are_possible_on_every_system() -> None:
    """No two differ in case alone, and none has a character or a name that Windows refuses."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, encoding="utf-8", check=True
    )
    names = listed.stdout.splitlines()
    assert len(names) > 500
    assert len({name.lower() for name in names}) == len(names)
    for name in names:
        assert not set(name) & set('<>:"|?*\\'), name
        for part in PurePosixPath(name).parts:
            assert part.split(".")[0].lower() not in RESERVED, name
            assert not part.endswith((".", " ")), name
