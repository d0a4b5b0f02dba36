"""Faults at every write: no damaged file is accepted, and the next run repairs it."""

import os
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import damier
from damier import files, jit, record
from damier.cli import main, play
from damier.cli.arena import _GameFile
from damier.cli.progress import ProgressLine
from damier.errors import Notice, describe_os_error
from damier.games import board
from damier.jit import code_cache, native
from damier.record import Record
from damier.solve import retrograde
from damier.solve.retrograde.checkpoints import Checkpoints
from tests.jit.test_jit import copy_of
from tests.support.fault_injection import (
    FAULTS,
    KILL,
    REAL_KILL,
    FaultInjector,
    ProcessKilled,
    inject_everywhere,
)
from tests.support.rulesets import random_game

pytestmark = pytest.mark.slow

every_fault = pytest.mark.parametrize("how", FAULTS, ids=lambda how: str(how).replace(" ", "-"))

SOLVE = ["solve", "fanorona", "--board", "3x3", "--pawns", "4"]


def left(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def names_the_path(raised: OSError | ProcessKilled | None, *paths: Path) -> bool:
    """Tell whether what was raised says where: one of some paths, or a folder above."""
    if raised is None or isinstance(raised, ProcessKilled):
        return True
    return any(
        describe_os_error(raised).startswith(f"{place}: ")
        for p in paths
        for place in (p, *p.parents)
    )


@pytest.mark.parametrize("before", [None, b"old"], ids=["new", "old"])
@every_fault
def test_an_interrupted_write_leaves_the_old_or_the_new_file(
    how: int | str, before: bytes | None, tmp_path: Path
) -> None:
    path = tmp_path / "deep" / "file"

    def prepare() -> None:
        shutil.rmtree(path.parent, ignore_errors=True)
        if before is not None:
            files.write(path, [before])

    prepare()
    work = inject_everywhere(how, lambda: files.write(path, [b"new ", memoryview(b"content")]))
    for _, raised in work:
        found = path.read_bytes() if path.exists() else None
        assert found in (before, b"new content")
        assert found == b"new content" or raised is not None
        assert names_the_path(raised, path)
        if how != KILL and path.parent.exists():
            assert not [name for name in left(path.parent) if name != "file"]
        files.write(path, [b"healed"])  # sweeps what the dead have left
        assert left(path.parent) == ["file"]
        prepare()


@every_fault
def test_an_interrupted_append_leaves_the_old_or_the_new_file(
    how: int | str, tmp_path: Path
) -> None:
    path = tmp_path / "games"
    path.write_bytes(b"old")
    for _, raised in inject_everywhere(how, lambda: files.append(path, "new", between="\n\n")):
        found = path.read_bytes()
        if how == KILL:
            assert b"old\n\nnew".startswith(found)
            assert found.startswith(b"old")
        else:
            assert found in (b"old", b"old\n\nnew")
        assert names_the_path(raised, path)
        path.write_bytes(b"old")


def test_a_real_kill_at_every_point_of_writing(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from damier import files\n"
        "from tests.support.fault_injection import *\n"
        "faults = FaultInjector(int(sys.argv[2]), REAL_KILL)\n"
        "with faults.injected(): files.write(Path(sys.argv[1]), [b'new'])\n"
    )
    path = tmp_path / "file"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    status, at = -signal.SIGKILL, 0
    while status == -signal.SIGKILL:
        path.write_bytes(b"old")
        at += 1
        command = [sys.executable, "-c", code, str(path), str(at)]
        status = subprocess.run(command, env=environment, timeout=60).returncode
        assert path.read_bytes() in (b"old", b"new")
        files.delete_partial_files(tmp_path)
        assert left(tmp_path) == ["file"]
    assert status == 0
    assert at > 4


# ---- solving -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("right") / "some.table"
    assert main([*SOLVE, "--output", str(path)]) == 0
    return path.read_bytes()


@every_fault
def test_a_solver_run_continues_after_a_fault(
    how: int | str, tmp_path: Path, right: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    """The lock, every part, the table, and taking the parts away."""
    path = tmp_path / "tables" / "some.table"
    command = [*SOLVE, "--output", str(path)]
    points = 0
    for status, raised in inject_everywhere(how, lambda: main(command)):
        points += 1
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        assert raised is None or isinstance(raised, ProcessKilled)  # else it was reported
        if path.exists():
            assert path.read_bytes() == right
        elif how != KILL:
            assert status == 1
        if how != KILL and status:
            assert str(path.parent) in said.err
        assert main(command) == 0
        assert path.read_bytes() == right
        assert left(path.parent) == ["some.table"]
        capsys.readouterr()
        shutil.rmtree(path.parent)
    assert points > 50


def test_a_temporarily_full_disk_does_not_stop_a_solver_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What could not be kept is kept as soon as there is room, and said once."""
    rules = damier.load_rules("fanorona", board="3x3")
    saved, full = Checkpoints.save, [True]
    names = []

    def save(self: Checkpoints, name: str, arrays: dict[str, np.ndarray]) -> None:
        if full[0]:
            raise OSError(28, "No space left on device", str(tmp_path / name))
        saved(self, name, arrays)
        names.append(name)

    def progress(what: str, part: float) -> None:
        full[0] = part < 0.5

    monkeypatch.setattr(Checkpoints, "save", save)
    with pytest.warns(Notice, match="no space left on the disk") as noticed:
        first = retrograde.solve(rules, 4, 1, progress, tmp_path)
    assert len(noticed) == 1
    assert str(tmp_path) in str(noticed[0].message)
    assert len(names) == len(set(names)) > 2  # those of before as well
    monkeypatch.undo()
    again = retrograde.solve(rules, 4, 1, None, tmp_path)
    assert retrograde.content(again) == retrograde.content(first)


def test_an_interrupted_run_reports_that_it_could_not_save(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "some.table"

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", str(path))

    left_calls = [9]

    def interrupt(*_: object) -> None:
        left_calls[0] -= 1
        if not left_calls[0]:
            raise KeyboardInterrupt

    monkeypatch.setattr(Checkpoints, "save", full)
    monkeypatch.setattr(ProgressLine, "__call__", interrupt)
    assert main(["solve", "fraha", "--output", str(path), "--lang", "fr"]) == 130
    said = capsys.readouterr().err
    assert f"{path}: il n’y a plus de place sur le disque" in said
    assert "recommence" in said


def test_a_file_size_limit_is_reported_with_the_path(tmp_path: Path, right: bytes) -> None:
    """Not injected: the system itself lets no file grow beyond some bytes."""
    path = tmp_path / "some.table"

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))

    command = [sys.executable, "-m", "damier", *SOLVE, "--output", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limited)
    assert done.returncode == 1
    assert str(path) in done.stderr
    assert "too big" in done.stderr
    assert "Traceback" not in done.stderr
    assert not path.exists()
    assert subprocess.run(command, capture_output=True).returncode == 0
    assert path.read_bytes() == right
    assert left(tmp_path) == ["some.table"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_reported_before_solving(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tmp_path.chmod(0o500)
    assert main([*SOLVE, "--output", str(tmp_path / "some.table")]) == 1
    tmp_path.chmod(0o700)
    said = capsys.readouterr()
    assert str(tmp_path) in said.err
    assert "solved in" not in said.out


@pytest.mark.parametrize("name", ["", "not a folder/some.table"])
def test_an_invalid_output_path_is_reported_before_solving(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "not a folder").touch()
    assert main([*SOLVE, "--output", str(tmp_path / name)]) in (1, 2)
    said = capsys.readouterr()
    assert str(tmp_path) in said.err
    assert "solved in" not in said.out
    assert main([*SOLVE, "--output", "."]) == 2


# ---- machine code ------------------------------------------------------------------------------


@pytest.mark.skipif(not jit.enabled(), reason="JIT is off")
@every_fault
def test_machine_code_is_correct_whether_or_not_it_is_cached(
    how: int | str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "code_directory", lambda folders: tmp_path / "kernels")

    def work() -> int:
        code_cache._sweep_once.cache_clear()
        return int(jit.link(copy_of(board)).ahead(0b100, 1, 0b111))

    for found, raised in inject_everywhere(how, work):
        assert found == 0b10 or isinstance(raised, ProcessKilled)
        assert all(str(tmp_path) in str(error) for error in code_cache.write_errors)
        code_cache.write_errors.clear()
        assert work() == 0b10
        assert not code_cache.write_errors
        twin = jit.link(copy_of(board))
        assert twin.ahead(0b100, 1, 0b111) == 0b10
        assert twin.ahead.stats.cache_hits
        assert all(name.endswith(".code") for name in left(tmp_path / "kernels"))
        shutil.rmtree(tmp_path / "kernels")


# ---- games -------------------------------------------------------------------------------------

GAME = random_game(damier.load_rules("chefa"), 5, max_moves=12)


def read_back(path: Path) -> list[Record]:
    games, problems = record.read(path.read_text("utf-8"))
    assert not problems
    return games


@every_fault
def test_the_last_game_is_never_lost(
    how: int | str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("DAMIER_DATA_DIR", str(tmp_path / "data"))
    path = play.last_game_file()
    before, after = Record(GAME.back(2)), Record(GAME)
    files.write_text(path, str(before))
    table = play.TerminalGame.__new__(play.TerminalGame)
    table.record = after
    for _ in inject_everywhere(how, table.autosave):
        (found,) = read_back(path)
        assert found in (before, after)
        said = capsys.readouterr().err
        if found == before and how != KILL:
            assert str(path) in said
        files.write_text(path, str(before))
        assert left(path.parent) == [path.name]


@every_fault
def test_games_of_a_match_are_saved_once_there_is_room(how: int | str, tmp_path: Path) -> None:
    path = tmp_path / "games"
    one, two = Record(GAME, "Ada", "Blaise"), Record(GAME.back(3), "Blaise", "Ada")

    def work() -> _GameFile:
        saved = _GameFile(path)
        saved.add([one, two])
        return saved

    for saved, raised in inject_everywhere(how, work):
        assert names_the_path(raised, path)
        if saved is not None:
            assert bool(saved.unwritten) == (saved.failed is not None)
            saved.add([two])
            assert read_back(path) == [one, two, two]
            assert saved.failed is None
        path.unlink(missing_ok=True)
        files.delete_partial_files(tmp_path)


@every_fault
def test_a_new_game_folder_is_complete_or_absent(
    how: int | str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["new-game", "abcgame", "--directory", str(tmp_path / "here")]
    whole: set[str] = set()
    assert main(command) == 0
    whole.update(left(tmp_path / "here" / "abcgame"))
    shutil.rmtree(tmp_path / "here")
    capsys.readouterr()
    for status, _ in inject_everywhere(how, lambda: main(command)):
        folder = tmp_path / "here" / "abcgame"
        if how != KILL:
            said = capsys.readouterr().err
            assert status == 0 or str(tmp_path) in said
            assert not folder.exists() or set(left(folder)) == whole
        shutil.rmtree(tmp_path / "here", ignore_errors=True)


def test_every_write_is_a_call_that_can_fail() -> None:
    """A fault beyond the last point is none: the count is that of the calls."""
    faults = FaultInjector(10_000, REAL_KILL)
    with faults.injected():
        files.write(Path(os.environ["DAMIER_DATA_DIR"]) / "file", [b"content"])
    assert faults.calls >= 5
    assert not faults.reached
