"""Thread pool that divides a range of numbers among threads."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any


class ThreadPool:
    """Thread pool for ranges of numbers; kernels run without Python's global lock."""

    def __init__(self, workers: int | None = None) -> None:
        self.count = workers or os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(self.count)

    def __enter__(self) -> ThreadPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.finish()

    def finish(self) -> None:
        """Wait for the running pieces and cancel the others."""
        self._pool.shutdown(cancel_futures=True)

    def stream(
        self, job: Callable[..., Any], low: int, high: int, size: int
    ) -> Iterator[tuple[int, int, Any]]:
        """Yield begin, end and `job(begin, end)` for each piece of a range, in order.

        At most four results per thread wait to be taken.
        """
        waiting: deque[tuple[int, int, Future[Any]]] = deque()
        try:
            for begin in range(low, high, size):
                end = min(begin + size, high)
                waiting.append((begin, end, self._pool.submit(job, begin, end)))
                if len(waiting) == 4 * self.count:
                    first, last, future = waiting.popleft()
                    yield first, last, future.result()
            while waiting:
                first, last, future = waiting.popleft()
                yield first, last, future.result()
        finally:
            for _, _, future in waiting:
                future.cancel()

    def map(self, job: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        """Yield the result of a job for each item, in order."""
        return self._pool.map(job, items)

    def run(
        self, job: Callable[..., Any], low: int, high: int, size: int, *more: Any
    ) -> Iterator[Any]:
        """Yield the result of `job(begin, end, *more)` for each piece of a range, in order."""
        pieces = [(k, min(k + size, high)) for k in range(low, high, size)]
        return self._pool.map(lambda piece: job(*piece, *more), pieces)
