"""Time limits for the code of custom games, which may never return."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

TIMEOUT_S = 30.0  # for the checks of a file, which normally take less than a second
MAX_WAIT = 10  # times the limit, for code that waits instead of computing


class TimedOut(BaseException):
    """Code exceeded its time. Not an Exception, which the rules might catch."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimedOut in this thread if the block takes longer than the limit.

    It is a limit of processor time where the system tells that of a thread, so that a machine that
    is busy with other work does not make code too slow.
    """
    if sys.platform == "emscripten":  # a browser has one thread; the build has checked the rules
        yield
        return
    here, ended = threading.get_ident(), threading.Event()
    clock, latest = _thread_clock(here), time.monotonic() + MAX_WAIT * seconds
    end = clock() + seconds

    def watch() -> None:
        with suppress(OSError):  # from the clock of a thread that has ended
            while not ended.wait(max(min(end - clock(), latest - time.monotonic()), 0)):
                if clock() >= end or time.monotonic() >= latest:
                    interrupt(here)
                    return

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def _thread_clock(thread: int) -> Callable[[], float]:
    """Return a clock of a thread's processor time, or of the time if that is unknown."""
    if sys.platform != "linux":
        return time.monotonic
    clock = time.pthread_getcpuclockid(thread)
    return lambda: time.clock_gettime(clock)


def interrupt(thread: int) -> None:
    """Raise TimedOut in a thread, given by its identifier, at its next step of Python code."""
    import ctypes

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(TimedOut))
