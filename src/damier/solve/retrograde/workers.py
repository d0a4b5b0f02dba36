"""Threads that share the numbers of a range."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any


class Workers:
    """Threads that share the numbers of a range; kernels run without Python's lock."""

    def __init__(self, workers: int | None = None) -> None:
        self.count = workers or os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(self.count)

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.finish()

    def finish(self) -> None:
        """Let the pieces that are running come to their end, and take no more."""
        self._pool.shutdown(cancel_futures=True)

    def run(
        self, job: Callable[..., Any], low: int, high: int, size: int, *more: Any
    ) -> Iterator[Any]:
        """Yield what a job returns for each piece of a range, in order.

        The job is given the piece's two ends, then whatever more there is.
        """
        pieces = [(k, min(k + size, high)) for k in range(low, high, size)]
        return self._pool.map(lambda piece: job(*piece, *more), pieces)
