"""Ctrl-C, in processes of their own: a command ends, whatever it is doing, and soon."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from damier import jit

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")

HANGING = 20  # seconds after which a command counts as one that does not end
BEGIN = 60  # seconds in which a command has begun on any machine


def begun(words: list[str], cache: Path, told: str = "") -> "subprocess.Popen[str]":
    """Start a command with a cache of machine code; its input stays open."""
    environment = {
        **os.environ, "DAMIER_CACHE_DIR": str(cache), "DAMIER_DATA_DIR": str(cache / "data"),
        "PYTHONUNBUFFERED": "1",
    }  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-m", "damier", *words], env=environment, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None
    process.stdin.write(told)
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
    ("words", "told"),
    [
        (["perft", "seega", "30"], ""),
        (["warmup", "seega"], ""),
        (["solve", "seega", "--pawns", "5", "--output", "{cache}/table"], ""),
        (["engine"], "position seega\ngo infinite\n"),
        (["play", "seega", "--white", "level:7", "--black", "level:7"], ""),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_while_the_compiler_works(
    words: list[str], told: str, later: float, tmp_path: Path
) -> None:
    process = begun([word.format(cache=tmp_path) for word in words], tmp_path, told)
    until(lambda: process.poll() is not None or any(tmp_path.rglob("*.code")))
    time.sleep(later)
    assert process.poll() is None
    status, said = interrupted(process)
    assert status == 130
    assert "Traceback" not in said
