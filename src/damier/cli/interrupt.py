"""Immediate exit on Ctrl-C, even while compiled code or the compiler runs.

Python handles signals between bytecode instructions only, and native code may run for many seconds.
So a thread also receives interrupts, through a pipe.
"""

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from types import FrameType
from typing import Any, NoReturn

INTERRUPTED = 130  # exit status
GRACE_S = 1.0  # for Python to handle an interrupt, and for the compiler to finish
POLL_S = 0.05


def watch() -> None:
    """Install the handler: in the main thread, once in a process."""
    # The parent process may have disabled interrupts; only POSIX has the wakeup pipe.
    if os.name != "posix" or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return
    handled = threading.Event()

    def handle(number: int, frame: FrameType | None) -> NoReturn:
        handled.set()
        if _compiling_here():  # the compiler might swallow an exception, and nothing needs cleanup
            leave(INTERRUPTED)
        raise KeyboardInterrupt

    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.signal(signal.SIGINT, handle)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    threading.Thread(target=_listen, args=(reader, handle, handled), daemon=True).start()


def _listen(reader: int, handler: Any, handled: threading.Event) -> None:
    """Exit if Python does not handle an interrupt in time, or waits for the compiler."""
    while numbers := os.read(reader, 64):
        if signal.SIGINT not in numbers or signal.getsignal(signal.SIGINT) is not handler:
            continue
        until = time.monotonic() + GRACE_S
        while not handled.is_set() or _compiling():
            if time.monotonic() > until:
                leave(INTERRUPTED)
            time.sleep(POLL_S)
        handled.clear()


def leave(status: int) -> NoReturn:
    """Exit this process without waiting; end its child processes and engines."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    processes = sys.modules.get("multiprocessing")
    for process in processes.active_children() if processes is not None else ():
        process.terminate()
    engines = sys.modules.get("damier.search.external")
    if engines is not None:
        engines.kill_all()
    os._exit(status)


def _compiler_lock() -> Any:
    """Return the compiler's lock, or None if the compiler is not loaded."""
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
