"""Engine work, outside the event loop: a bounded pool with deadlines and cancelling."""

import asyncio
import contextlib
import math
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import TypeVar

from starlette.requests import Request

from damier.position import Rules
from damier.search import Stop, ready, warm

T = TypeVar("T")

_GLANCE = 0.1  # seconds between two looks at whether the asker is still there
_GRACE = 3.0  # seconds that a search has to come to an end after it was stopped
_FAREWELL = 0.5  # the same, when the server is being stopped


class Busy(Exception):
    """The queue is full, or the deadline came before the work began."""


class Gone(Exception):
    """The asker has closed the connection."""


def _be_modest() -> None:
    """Let the event loop go first: on Linux a thread has a priority of its own."""
    with contextlib.suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)


class Pool:
    """Runs at most `workers` jobs at once and lets at most `waiting` more wait."""

    def __init__(self, workers: int | None = None, waiting: int = 64) -> None:
        self.workers = workers or os.cpu_count() or 1
        self.most = self.workers + waiting
        self.count = 0
        self._last = math.inf  # when those who still wait are told to go
        self._stops: set[Stop] = set()
        self._threads: ThreadPoolExecutor | None = None
        # One game after the other: compilers side by side would leave the event loop no time.
        self._warmer: ThreadPoolExecutor | None = None
        self._warmed: set[str] = set()

    async def run(self, request: Request, job: Callable[[Stop], T], seconds: float) -> T:
        """Return what a job returns. It is stopped at its deadline or when the asker is gone."""
        if self.count >= self.most or self._last < math.inf:
            raise Busy
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self.workers, "engine", initializer=_be_modest)
        stop, begun = Stop(), threading.Event()

        def work() -> T:
            begun.set()
            return job(stop)

        future = asyncio.get_running_loop().run_in_executor(self._threads, work)
        self.count += 1
        self._stops.add(stop)
        try:
            return await self._watched(request, future, stop, begun, seconds)
        finally:
            self._stops.discard(stop)
            self.count -= 1

    async def _watched(
        self,
        request: Request,
        future: "asyncio.Future[T]",
        stop: Stop,
        begun: threading.Event,
        seconds: float,
    ) -> T:
        end = monotonic() + seconds
        try:
            while not future.done():
                await asyncio.wait({future}, timeout=_GLANCE)
                if future.done():
                    break
                if await request.is_disconnected():
                    raise Gone
                if monotonic() > self._last:
                    raise Busy
                if monotonic() > end:
                    stop.set()
                    if not begun.is_set():
                        raise Busy
                    await asyncio.wait({future}, timeout=_GRACE)
                    if not future.done():
                        raise Busy
            if future.cancelled():  # the server is being stopped
                raise Busy
            return future.result()
        finally:
            if not future.done():
                stop.set()
                future.cancel()

    def prepare(self, rules: Rules) -> bool:
        """Begin to compile the engine of a game; return whether that is done already."""
        if not ready(rules) and rules.name not in self._warmed:
            self._warmed.add(rules.name)
            if self._warmer is None:
                self._warmer = ThreadPoolExecutor(1, "warm", initializer=_be_modest)
            self._warmer.submit(warm, rules)
        return ready(rules)

    def close(self) -> None:
        """Stop everything under way; what is asked from now on is refused."""
        self._last = monotonic() + _FAREWELL
        if self._warmer is not None:
            self._warmer.shutdown(wait=False, cancel_futures=True)
        for stop in list(self._stops):
            stop.set()
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
        self._threads = None
