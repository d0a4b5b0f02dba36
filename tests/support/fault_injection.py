"""Faults at every write: a full disk, an I/O error, missing permission, a killed process.

damier writes only by `damier.files`, which uses the functions of `os` named here; a project test
checks that nothing else writes. The n-th call is made to fail, for n = 1, 2, … until no call is
left, so that calls added later are tested too.
"""

import errno
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from typing import Any
from unittest import mock

KILL, REAL_KILL = "a kill", "a real kill"
# A disk that is full, one that is broken, and what may not be written; and the end in the middle.
FAULTS = (errno.ENOSPC, errno.EIO, errno.EACCES, KILL)
CALLS = ("open", "write", "fsync", "replace", "mkdir", "unlink", "ftruncate", "close")
_BY_PATH = ("open", "replace", "mkdir", "unlink")  # errors of these name the path
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class ProcessKilled(BaseException):
    """Simulated kill of the process: no later code of it runs."""


class FaultInjector:
    """Fault injector: the n-th writing call fails; a failed write has written half."""

    def __init__(self, at: int, how: int | str) -> None:
        self.at, self.how, self.calls = at, how, 0
        self._dead = False
        self._open: set[int] = set()
        self._real = {name: getattr(os, name) for name in CALLS}

    @property
    def reached(self) -> bool:
        return self.calls >= self.at

    def _call(self, name: str, *args: Any, **more: Any) -> Any:
        real = self._real[name]
        if name == "open" and not args[1] & _WRITES:
            return real(*args, **more)
        self.calls += 1
        if self._dead or self.calls == self.at:
            if name == "write" and not self._dead:
                real(args[0], args[1][: len(args[1]) // 2])
            if name == "close" and isinstance(self.how, int):  # it is closed all the same
                real(*args)
                self._open.discard(args[0])
            self._fail(*args[:1] if name in _BY_PATH else ())
        found = real(*args, **more)
        if name == "open":
            self._open.add(found)
        if name == "close":
            self._open.discard(args[0])
        return found

    def _fail(self, *path: object) -> None:
        if self.how == REAL_KILL:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.how == KILL:
            self._dead = True
            raise ProcessKilled
        assert isinstance(self.how, int)
        raise OSError(self.how, os.strerror(self.how), *map(str, path))

    @contextmanager
    def injected(self) -> Iterator[None]:
        """Let it happen inside; what a killed process had open is closed by the system."""
        calls: dict[str, Any] = {name: self._bound(name) for name in CALLS}
        try:
            with mock.patch.multiple(os, **calls):
                yield
        finally:
            for descriptor in self._open:
                with suppress(OSError):
                    os.close(descriptor)

    def _bound(self, name: str) -> Callable[..., Any]:
        return lambda *args, **more: self._call(name, *args, **more)


def inject_everywhere(
    how: int | str, work: Callable[[], Any]
) -> Iterator[tuple[Any, OSError | ProcessKilled | None]]:
    """Repeat some work with a fault at each point in turn.

    Yields what it returned, and what it raised. The last time it does without a fault.
    """
    for at in count(1):
        faults = FaultInjector(at, how)
        returned, raised = None, None
        with faults.injected():
            try:
                returned = work()
            except (OSError, ProcessKilled) as error:
                raised = error
        assert at < 2000
        if not faults.reached:
            assert raised is None
            assert at > 3, "nothing was written"
            yield returned, None
            return
        yield returned, raised
