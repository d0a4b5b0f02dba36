"""The doorway to Numba: where machine code is kept, whoever asks for it and wherever they stand."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import damier
from damier import files, jit
from damier.cli import main
from damier.games import board
from damier.games.fraha import rules as fraha
from damier.jit import kept, native
from damier.search import Engine, Limits, warmup

pytestmark = pytest.mark.skipif(not jit.enabled(), reason="JIT is off")


@pytest.fixture
def _threads_take_turns_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def copy_of(module: ModuleType) -> ModuleType:
    """Return a module that has not been linked before."""
    copy = ModuleType(module.__name__)
    vars(copy).update(vars(module))
    return copy


@pytest.mark.usefixtures("_threads_take_turns_often")
def test_threads_keep_their_code_in_one_place() -> None:
    """A cache directory that is a setting of the process was once lost between two threads."""
    kept: list[str] = []

    def link() -> None:
        kept.extend(jit.link(copy_of(fraha)).legal._cache.cache_path for _ in range(3))

    threads = [threading.Thread(target=link) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(kept) == 12
    folder = Path(fraha.__file__ or "").parent
    named = [("damier.games.fraha", folder)]
    assert {Path(path) for path in kept} == {native.cache_directory(named)}


def test_where_nothing_can_be_written_code_is_compiled_and_not_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "a file"
    file.touch()
    monkeypatch.setattr(native, "cache_directory", lambda folders: file / "kernels")
    monkeypatch.setattr(kept, "refused", [])
    twin = jit.link(copy_of(fraha))
    out = np.zeros(fraha.GROUPS, np.int64)
    assert twin.legal(*fraha.start(0), out) == 0
    assert str(file) in native.refused()


@pytest.fixture
def kept_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Compile a small kernel with a cache of its own; return the file that keeps its code."""
    monkeypatch.setattr(native, "cache_directory", lambda folders: tmp_path)
    assert jit.link(copy_of(board)).ahead(0b100, 1, 0b111) == 0b10
    (path,) = tmp_path.glob("*ahead*.code")
    return path


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:20],
        lambda data: data[:-1],
        lambda data: data[:1000] + bytes([data[1000] ^ 4]) + data[1001:],
        lambda data: bytes([data[0] ^ 1]) + data[1:],
        lambda data: b"\0" * len(data),
    ],
)
def test_damaged_code_is_made_anew(kept_code: Path, damage: Callable[[bytes], bytes]) -> None:
    good = kept_code.read_bytes()
    kept_code.write_bytes(damage(good))
    assert jit.link(copy_of(board)).ahead(0b100, 1, 0b111) == 0b10
    assert kept_code.read_bytes() != damage(good)
    assert len(kept_code.read_bytes()) > 1000


def test_good_code_is_used_again(kept_code: Path) -> None:
    before = kept_code.stat().st_mtime_ns
    twin = jit.link(copy_of(board))
    assert twin.ahead(0b100, 1, 0b111) == 0b10
    assert twin.ahead.stats.cache_hits
    assert kept_code.stat().st_mtime_ns == before


def test_a_disk_that_is_full_in_the_middle_of_writing_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match=r"No space.*some\.code"):
        files.write(tmp_path / "some.code", [b"code"])
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_kept_is_said_once_and_where(tmp_path: Path) -> None:
    file = tmp_path / "a file"
    file.touch()
    done = subprocess.run(
        [sys.executable, "-m", "damier", "perft", "chefa", "3"],
        env={**os.environ, "DAMIER_CACHE_DIR": str(file)}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stdout.split()[:4] == ["1", "24", "2", "552"]
    assert done.stderr.count("could not be kept") == len(done.stderr.splitlines()) == 1
    assert str(file) in done.stderr


def test_warming_up_fails_where_nothing_can_be_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kept, "refused", [OSError(28, "No space left on device", "/full")])
    monkeypatch.setattr("damier.search.warm", lambda rules: None)
    assert main(["warmup", "chefa"]) == 1
    assert "'/full'" in capsys.readouterr().err


@pytest.fixture
def _compiler_that_dies(monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(self: warmup.Warmups, rules: damier.Rules, _: None) -> None:
        raise MemoryError("LLVM")

    monkeypatch.setattr(warmup.Warmups, "_warm", dies)
    warmups = warmup.Warmups()
    monkeypatch.setattr(warmup, "WARMUPS", warmups)
    monkeypatch.setattr("damier.search.engine.WARMUPS", warmups)


@pytest.mark.usefixtures("_compiler_that_dies")
def test_a_compiler_that_dies_is_no_success(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        assert main(["warmup", "chefa"]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.count("MemoryError: LLVM") == 1
        assert "chefa could not be compiled" in err


@pytest.mark.usefixtures("_compiler_that_dies")
def test_a_compiler_that_dies_leaves_plain_python(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = damier.game("chefa")
    assert Engine(rules, room=9000).think(damier.Game(rules), Limits(nodes=4500)).nodes == 4500
    assert main(["show", "chefa"]) == 0  # the command that needed it says so
    assert "MemoryError: LLVM" in capsys.readouterr().err


def test_the_same_loops_of_two_games_have_names_of_their_own() -> None:
    """Numba links by name: loops from the cache once called the rules of another game."""
    from damier import GAMES, kernels

    twins = [jit.link(kernels, rules=jit.link(folder.module)) for folder in GAMES.values()]
    assert len({twin.perft.py_func.__qualname__ for twin in twins}) == len(twins)
    assert len({twin.__name__ for twin in twins}) == len(twins)
