"""Ctrl-C in separate processes: every command ends soon, whatever it is doing."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from damier import jit
from damier.paths import cache_directory

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="signals")]

HANGING = 60  # seconds after which a command counts as one that does not end
BEGIN = 300  # seconds in which a command has begun on any machine


def accept_interrupts() -> None:
    """Handle SIGINT by default: in background jobs of a shell, children inherit it ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def begun(words: list[str], cache: Path, typed: str = "") -> "subprocess.Popen[str]":
    """Start a command with a cache of machine code; its input stays open."""
    environment = {**os.environ, "DAMIER_CACHE_DIR": str(cache)}
    process = subprocess.Popen(
        [sys.executable, "-m", "damier", *words],
        env=environment,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    process.stdin.write(typed)
    process.stdin.flush()
    return process


def until(true: Callable[[], object]) -> None:
    """Wait until something is true."""
    end = time.monotonic() + BEGIN
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def interrupted(process: "subprocess.Popen[str]") -> tuple[int, str]:
    """Interrupt a process; return its exit status and what it said of errors."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait(HANGING)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    with process:
        assert process.stderr is not None
        return process.returncode, process.stderr.read()


@pytest.mark.skipif(not jit.enabled(), reason="JIT is off")
@pytest.mark.parametrize("later", [0.0, 0.7])
@pytest.mark.parametrize(
    ("words", "typed"),
    [
        (["perft", "seega", "30"], ""),
        (["warmup", "seega"], ""),
        (["solve", "seega", "--pawns", "5", "--output", "{cache}/table"], ""),
        (["engine"], "position seega\ngo infinite\n"),
        (["play", "seega", "--white", "level:7", "--black", "level:7"], ""),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_interrupted_during_compilation(
    words: list[str], typed: str, later: float, tmp_path: Path
) -> None:
    process = begun([word.format(cache=tmp_path) for word in words], tmp_path, typed)
    until(lambda: process.poll() is not None or any(tmp_path.rglob("*.code")))
    time.sleep(later)
    assert process.poll() is None
    status, said = interrupted(process)
    assert status == 130
    assert "Traceback" not in said


@pytest.mark.parametrize("go", ["go infinite", "go movetime 600000"])
def test_interrupted_during_a_search(go: str) -> None:
    process = begun(["engine"], cache_directory(), f"position seega\n{go}\n")
    assert process.stdout is not None
    line = process.stdout.readline()
    while not line.startswith("info depth"):
        line = process.stdout.readline()
        assert line
    status, said = interrupted(process)
    assert status == 130
    assert said.strip() == ""


@pytest.mark.skipif(not jit.enabled(), reason="JIT is off")
def test_interrupted_in_machine_code() -> None:
    process = begun(["perft", "chefa", "40"], cache_directory())
    assert process.stdout is not None
    for _ in range(6):
        assert process.stdout.readline()
    assert interrupted(process)[0] == 130


def children_of(pid: int) -> list[int]:
    """Return the processes that one has started."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            words = path.read_text().rpartition(")")[2].split()
            if int(words[1]) == pid:
                found.append(int(path.parent.name))
    return found


def playing(pid: int) -> bool:
    """Tell whether a process is there and runs this test's arena."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc")
def test_worker_processes_end_with_a_killed_arena() -> None:
    words = ["arena", "chefa", "engine:seconds=5", "engine:seconds=6", "--workers", "2"]
    process = begun([*words, "--opening", "0"], cache_directory())
    until(lambda: process.poll() is not None or len(children_of(process.pid)) >= 3)
    time.sleep(1)  # they may be at any point
    children = children_of(process.pid)
    process.kill()
    with process:
        process.wait(HANGING)
    assert len(children) >= 3  # two that play, and one of Python's own
    until(lambda: not any(playing(child) for child in children))
