"""Time limits for the code of custom games, which may never return."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

TIMEOUT_S = 30.0  # for the checks of a file, which normally take less than a second


class TimedOut(BaseException):
    """Code exceeded its time. Not an Exception, which the rules might catch."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimedOut in this thread if the block takes longer than the limit."""
    if sys.platform == "emscripten":  # a browser has one thread; the build has checked the rules
        yield
        return
    here, ended = threading.get_ident(), threading.Event()

    def watch() -> None:
        if not ended.wait(seconds):
            interrupt(here)

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def interrupt(thread: int) -> None:
    """Raise TimedOut in a thread, given by its identifier, at its next step of Python code."""
    import ctypes

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(TimedOut))
