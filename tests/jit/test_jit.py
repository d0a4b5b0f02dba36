"""Compilation by Numba: where machine code is cached, and for which callers."""

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
from damier.jit import code_cache, native
from damier.search import Engine, Limits, warmup

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not jit.enabled(), reason="JIT is off")]


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


@pytest.mark.parametrize("deposit", sorted({False, native.deposits_bits()}))
def test_the_nth_bit_is_found_with_and_without_an_instruction_for_it(deposit: bool) -> None:
    found = native.primitives(deposit)["nth_bit"]
    for x in (1, 1 << 62, jit.MASK63, 0b1011, 0x5A5A_0000_1234_8001):
        bits = [k for k in range(63) if x >> k & 1]
        assert [jit.nth_bit(x, n) for n in range(len(bits))] == bits
        assert [found(x, n) for n in range(len(bits))] == bits


@pytest.mark.usefixtures("_threads_take_turns_often")
def test_threads_share_one_cache_directory() -> None:
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
    assert {Path(path) for path in kept} == {native.code_directory(named)}


def test_code_is_compiled_without_a_writable_cache(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "a file"
    file.touch()
    monkeypatch.setattr(native, "code_directory", lambda folders: file / "kernels")
    monkeypatch.setattr(code_cache, "write_errors", [])
    twin = jit.link(copy_of(fraha))
    out = np.zeros(fraha.GROUPS, np.int64)
    assert twin.legal(*fraha.start(0), out) == 0
    assert str(file) in native.cache_error()


@pytest.fixture
def kept_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Compile a small kernel with a cache of its own; return the file that keeps its code."""
    monkeypatch.setattr(native, "code_directory", lambda folders: tmp_path)
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
def test_damaged_code_is_compiled_again(kept_code: Path, damage: Callable[[bytes], bytes]) -> None:
    good = kept_code.read_bytes()
    kept_code.write_bytes(damage(good))
    assert jit.link(copy_of(board)).ahead(0b100, 1, 0b111) == 0b10
    assert kept_code.read_bytes() != damage(good)
    assert len(kept_code.read_bytes()) > 1000


def test_valid_code_is_loaded_from_the_cache(kept_code: Path) -> None:
    before = kept_code.stat().st_mtime_ns
    twin = jit.link(copy_of(board))
    assert twin.ahead(0b100, 1, 0b111) == 0b10
    assert twin.ahead.stats.cache_hits
    assert kept_code.stat().st_mtime_ns == before


def test_a_full_disk_leaves_no_cache_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match=r"No space.*some\.code"):
        files.write(tmp_path / "some.code", [b"code"])
    assert list(tmp_path.iterdir()) == []


def test_cache_failures_are_reported_once_with_the_path(tmp_path: Path) -> None:
    file = tmp_path / "a file"
    file.touch()
    done = subprocess.run(
        [sys.executable, "-m", "damier", "perft", "chefa", "3"],
        env={**os.environ, "DAMIER_CACHE_DIR": str(file)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0
    assert done.stdout.split()[:4] == ["1", "24", "2", "552"]
    assert done.stderr.count("could not be saved") == len(done.stderr.splitlines()) == 1
    assert str(file) in done.stderr


def test_warming_up_fails_without_a_writable_cache(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        code_cache, "write_errors", [OSError(28, "No space left on device", "/full")]
    )
    monkeypatch.setattr("damier.search.warm", lambda rules: None)
    assert main(["warmup", "chefa"]) == 1
    assert ": /full: " in capsys.readouterr().err


@pytest.fixture
def _compiler_that_dies(monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(self: warmup.WarmupThreads, rules: damier.Rules, _: None) -> None:
        raise MemoryError("LLVM")

    monkeypatch.setattr(warmup.WarmupThreads, "_warm", dies)
    warmups = warmup.WarmupThreads()
    monkeypatch.setattr(warmup, "WARMUPS", warmups)
    monkeypatch.setattr("damier.search.engine.WARMUPS", warmups)


@pytest.mark.usefixtures("_compiler_that_dies")
def test_a_compiler_crash_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        assert main(["warmup", "chefa"]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.count("MemoryError: LLVM") == 1
        assert "chefa could not be compiled" in err


@pytest.mark.usefixtures("_compiler_that_dies")
def test_a_compiler_crash_leaves_plain_python(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = damier.load_rules("chefa")
    assert (
        Engine(rules, expected_nodes=9000).think(damier.Game(rules), Limits(nodes=4500)).nodes
        == 4500
    )
    assert main(["show", "chefa"]) == 0  # the command that needed it says so
    assert "MemoryError: LLVM" in capsys.readouterr().err


def test_the_same_loops_of_two_games_have_names_of_their_own() -> None:
    """Numba links by name: loops from the cache once called the rules of another game."""
    from damier import GAMES, kernels

    twins = [jit.link(kernels, rules=jit.link(folder.module)) for folder in GAMES.values()]
    assert len({twin.perft.py_func.__qualname__ for twin in twins}) == len(twins)
    assert len({twin.__name__ for twin in twins}) == len(twins)


def test_only_kernels_with_arrays_of_their_own_count_references() -> None:
    """Counting is slow; without it, a kernel must not create, get or return an array."""

    def counted(path: str) -> bool:
        module, _, name = path.rpartition(".")
        return native.handles_references(getattr(sys.modules[f"damier.{module}"], name))

    rules = [
        f"games.{name}.rules.{kernel}" for name in damier.GAMES for kernel in ("legal", "play")
    ]
    for name in damier.GAMES:
        damier.load_rules(name)
    assert not any(map(counted, [*rules, "kernels.append"]))
    assert all(map(counted, ["kernels.begin_moves", "kernels.perft", "games.seega.rules.frees"]))


def _annotated_list(x: int) -> int:
    return len([x] * x)


def _annotated_numpy(x: int) -> int:
    return int(np.zeros(x).size)


def _annotated_comprehension(x: int) -> int:
    return sum([i for i in range(x)])  # noqa: C416  a comprehension is what is tested


def _unknown(x):  # type: ignore[no-untyped-def]  # as an inventor may write it
    return x


def _integers(x: int) -> tuple[int, bool]:
    return max(x, 3), x in range(4)


@pytest.mark.parametrize(
    "function", [_annotated_list, _annotated_numpy, _annotated_comprehension, _unknown]
)
def test_kernels_of_inventors_count_references_unless_they_use_integers_only(
    function: Callable[..., object],
) -> None:
    assert native.handles_references(function)  # type: ignore[arg-type]
    assert not native.handles_references(_integers)  # type: ignore[arg-type]
