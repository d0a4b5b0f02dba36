"""Tasks that executors run in tests."""

import os
import signal
import time
from pathlib import Path
from typing import NoReturn

from damier import i18n


def square(number: int) -> int:
    return number * number


def language() -> str:
    return i18n.language()


def wait_for(path: Path) -> str:
    """Return the text of a file as soon as it exists."""
    while not path.exists():
        time.sleep(0.01)
    return path.read_text("utf-8")


def write(path: Path) -> None:
    path.write_text("written", "utf-8")


def refuse(number: int) -> NoReturn:
    raise ValueError(f"refused {number}")


def die_once(path: Path) -> str:
    """Kill this process, unless the file exists; create it before."""
    if not path.exists():
        path.write_text(str(os.getpid()), "utf-8")
        os.kill(os.getpid(), signal.SIGKILL)
    return "survived"


def die() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError
