"""Ctrl-C ends a command at once, whatever it is doing.

Python looks at signals between two of its own steps only, and a compiler, or what it has compiled,
may run for many seconds between two. So a thread learns of an interrupt from the system as well.
"""

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from types import FrameType
from typing import Any, NoReturn

INTERRUPTED = 130  # the exit status of a command that was interrupted
GRACE = 1.0  # seconds in which Python must have heard of an interrupt, and the compiler be done
WATCH = 0.05  # seconds between two looks


def watch() -> None:
    """Watch for interrupts from now on: in the main thread, once in a process."""
    # Whoever started this process may want no interrupts; elsewhere there is no such pipe.
    if os.name != "posix" or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return
    heard = threading.Event()

    def hear(number: int, frame: FrameType | None) -> NoReturn:
        heard.set()
        if _compiling_here():  # an exception might be lost there, and there is nothing to tidy up
            leave(INTERRUPTED)
        raise KeyboardInterrupt

    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.signal(signal.SIGINT, hear)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    threading.Thread(target=_listen, args=(reader, hear, heard), daemon=True).start()


def _listen(reader: int, hear: Any, heard: threading.Event) -> None:
    """Leave if Python does not hear of an interrupt, or waits for the compiler after it."""
    while numbers := os.read(reader, 64):
        if signal.SIGINT not in numbers or signal.getsignal(signal.SIGINT) is not hear:
            continue
        until = time.monotonic() + GRACE
        while not heard.is_set() or _compiling():
            if time.monotonic() > until:
                leave(INTERRUPTED)
            time.sleep(WATCH)
        heard.clear()


def leave(status: int) -> NoReturn:
    """End this process, and those that it has started, without waiting for anything."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    processes = sys.modules.get("multiprocessing")
    for process in processes.active_children() if processes is not None else ():
        process.terminate()
    os._exit(status)


def _compiler_lock() -> Any:
    """Return what the compiler holds while it works, or None where it is not even loaded."""
    module = sys.modules.get("numba.core.compiler_lock")
    lock = getattr(module, "global_compiler_lock", None)
    return getattr(lock, "_lock", None)


def _compiling_here() -> bool:
    """Tell whether this thread is compiling."""
    lock = _compiler_lock()
    return lock is not None and lock._is_owned()


def _compiling() -> bool:
    """Tell whether another thread is compiling."""
    lock = _compiler_lock()
    if lock is None:
        return False
    if lock.acquire(blocking=False):
        lock.release()
        return False
    return True
