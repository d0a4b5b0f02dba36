"""File writing: atomic, with locks and clean-up, and nothing else writes."""

import ast
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from damier import files
from damier.cli import main

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
HOLD = """
import sys, time
from pathlib import Path
from damier import files
with files.exclusive_lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""
# Begins to write a file and never ends.
BEGIN = """
import sys, time
from pathlib import Path
from damier import files
def pieces():
    yield b"half of it"
    print("begun", flush=True)
    time.sleep(600)
files.write(Path(sys.argv[1]), pieces())
"""


def started(code: str, path: Path) -> subprocess.Popen[str]:
    """Begin a process that tells when it has done what it is for."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline()
    return process


def ended(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=20)


def parts(directory: Path) -> list[str]:
    return [path.name for path in directory.iterdir() if path.suffix == ".part"]


def test_a_file_is_replaced_whole_and_keeps_its_links(tmp_path: Path) -> None:
    path, link = tmp_path / "deep" / "file", tmp_path / "link"
    link.symlink_to(path)
    files.write(link, [b"one ", memoryview(b"two"), b""])
    assert path.read_bytes() == b"one two"
    assert link.is_symlink()
    assert [entry.name for entry in path.parent.iterdir()] == ["file"]
    assert path.stat().st_mode & 0o777 == 0o666 & ~_umask()


def _umask() -> int:
    found = os.umask(0)
    os.umask(found)
    return found


def test_a_lock_is_exclusive_and_released_by_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "some.lock"
    holder = started(HOLD, path)
    with pytest.raises(BlockingIOError, match=r"some\.lock"), files.exclusive_lock(path):
        pass
    ended(holder)
    assert path.exists()  # what is left of it holds nobody up
    with files.exclusive_lock(path), pytest.raises(BlockingIOError), files.exclusive_lock(path):
        pass
    assert not path.exists()


def test_partial_files_of_dead_processes_are_deleted(tmp_path: Path) -> None:
    path = tmp_path / "some.table"
    dead, living = started(BEGIN, path), started(BEGIN, path)
    assert len(parts(tmp_path)) == 2
    ended(dead)
    assert len(parts(tmp_path)) == 2
    files.write(path, [b"whole"])
    assert len(parts(tmp_path)) == 1
    files.delete_partial_files(tmp_path)
    assert len(parts(tmp_path)) == 1
    ended(living)
    files.delete_partial_files(tmp_path)
    assert sorted(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == b"whole"


def test_foreign_files_are_not_deleted(tmp_path: Path) -> None:
    """A browser calls what it is loading down a `.part` too."""
    others = ["film.part", "some.table.part", "other.table.0123abcd.part", "some.table.xyz.part"]
    for name in others:
        (tmp_path / name).touch()
    (tmp_path / "some.table.0123abce.part").mkdir()
    files.write(tmp_path / "some.table", [b"whole"])
    assert sorted(others) == sorted(name for name in parts(tmp_path) if name in others)
    assert (tmp_path / "some.table.0123abce.part").is_dir()


def test_partial_files_of_other_versions_are_deleted(tmp_path: Path) -> None:
    (tmp_path / "some.12345.part").touch()
    (tmp_path / "tmpabcd.part").touch()
    (tmp_path / "some.table").touch()
    files.delete_partial_files(tmp_path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["some.table"]
    files.delete_partial_files(tmp_path / "not there")


def test_appended_text_comes_last(tmp_path: Path) -> None:
    path = tmp_path / "games"
    files.append(path, "one", between="\n\n")
    files.append(path, "two", between="\n\n")
    assert path.read_text() == "one\n\ntwo"


def test_two_solver_runs_of_one_table_exclude_each_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second says so at once, in both languages; a kill lets the next one in."""
    path = tmp_path / "some.table"
    command = ["solve", "fanorona", "--board", "3x3", "--pawns", "4", "--output", str(path)]
    holder = started(HOLD, path.with_suffix(".lock"))
    for language, words in (("en", "Another run is solving"), ("fr", "Une autre commande")):
        assert main([*command, "--lang", language]) == 2
        said = capsys.readouterr().err
        assert words in said
        assert str(path) in said
        assert "Traceback" not in said
    assert main([*command, "--verify"]) == 0  # it writes nothing
    assert not path.exists()
    ended(holder)
    assert main(command) == 0
    assert [entry.name for entry in tmp_path.iterdir()] == ["some.table"]


def test_a_killed_solver_run_can_be_continued(tmp_path: Path) -> None:
    path = tmp_path / "some.table"
    words = "solve", "fanorona", "--board", "3x5", "--pawns", "8", "--output", str(path)
    solving = subprocess.Popen([sys.executable, "-m", "damier", *words], stdout=subprocess.DEVNULL)
    while not list(tmp_path.glob("some.parts/*.kept")) and solving.poll() is None:
        time.sleep(0.005)
    solving.kill()
    killed = solving.wait() == -signal.SIGKILL
    assert path.exists() != killed
    assert main(words) == 0
    assert [entry.name for entry in tmp_path.iterdir()] == ["some.table"]


# ---- one place writes --------------------------------------------------------------------------

_WRITERS = {"write_text", "write_bytes", "savez", "savez_compressed", "tofile", "mkstemp"}
_OS_WRITERS = {"replace", "rename", "link", "truncate", "ftruncate", "write"}
# Streams that are no files, a table of the rules that is written by hand once, and what a server
# under test has to say.
_ALLOWED = {
    "cli/__init__.py": 2,
    "web/worker_process.py": 1,
    "games/fanorona/shapes.py": 1,
    "files.py": 99,
    "online_servers.py": 1,
}
_MODE = re.compile("[rbt]*[wax+][rbt+]*")


def writes(call: ast.Call) -> bool:
    """Tell whether a call writes a file by itself."""
    owner, _, name = ast.unparse(call.func).rpartition(".")
    if owner == "files":
        return False
    if owner == "os":
        flags = any(word in ast.unparse(call) for word in ("O_WRONLY", "O_RDWR", "'wb'"))
        return name in _OS_WRITERS or (name in ("open", "fdopen") and flags)
    if name == "open":
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        modes = [arg.value for arg in given if isinstance(arg, ast.Constant)]
        named = any(isinstance(arg, ast.Name) and arg.id == "mode" for arg in given)
        return named or any(isinstance(mode, str) and _MODE.fullmatch(mode) for mode in modes)
    return name in _WRITERS


@pytest.mark.parametrize("folder", ["src/damier", "tools", "bench"])
def test_nothing_else_writes_files(folder: str) -> None:
    """The faults of `test_faults` reach every point of writing as long as this holds."""
    for path in (ROOT / folder).rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        found = [n.lineno for n in ast.walk(tree) if isinstance(n, ast.Call) and writes(n)]
        name = path.relative_to(ROOT / folder).as_posix()
        assert len(found) <= _ALLOWED.get(name, 0), f"{name}: lines {found}"
