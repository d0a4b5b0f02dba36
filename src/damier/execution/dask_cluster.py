"""Executor on a Dask cluster. Dask runs the task of a lost worker again, on another one."""

from __future__ import annotations

import logging
import pickle
import queue
import time
import uuid
from importlib.metadata import version
from typing import Any

from damier import i18n
from damier.errors import DamierError
from damier.execution.interface import Executor, Task, TaskOutcome, WorkerLost

CONNECT_TIMEOUT_S = 10.0
FIRST_WORKER_TIMEOUT_S = 30.0  # to wait for the first worker
CAPACITY_CHECK_INTERVAL_S = 5.0  # between two counts of the cluster's threads: workers come and go
TASKS_PER_THREAD = 2  # one runs while the next one is already there


class DaskExecutor(Executor):
    """Executor that gives tasks to the workers of a Dask cluster."""

    def __init__(self, address: str) -> None:
        try:
            import distributed
        except ImportError:
            raise DamierError("cluster-extra") from None
        self._address = address
        self._distributed: Any = distributed
        client: Any = distributed.Client
        for name in ("distributed", "distributed.core", "distributed.client"):
            logging.getLogger(name).setLevel(logging.CRITICAL)  # errors are raised
        try:
            # A client that cannot read its address complains again when it is deleted.
            self._distributed.comm.resolve_address(address)
            self._client = client(
                address, timeout=CONNECT_TIMEOUT_S, set_as_default=False, name="damier"
            )
        except (OSError, ValueError, TypeError) as error:
            raise DamierError(
                "cluster-unreachable", address=address, message=_one_line(error)
            ) from None
        try:
            self._client.wait_for_workers(1, timeout=FIRST_WORKER_TIMEOUT_S)
        except TimeoutError:
            self.close()
            raise DamierError(
                "cluster-empty", address=address, seconds=FIRST_WORKER_TIMEOUT_S
            ) from None
        self._tasks: dict[str, tuple[Task, Any]] = {}  # with its future, by its key
        self._ended: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._threads, self._counted = 1, float("-inf")

    @property
    def capacity(self) -> int:
        """Some tasks for each thread of the cluster at present."""
        if time.monotonic() - self._counted > CAPACITY_CHECK_INTERVAL_S:
            self._threads = sum(self._client.nthreads().values()) or 1
            self._counted = time.monotonic()
        return TASKS_PER_THREAD * self._threads

    def _start(self, task: Task) -> None:
        import cloudpickle

        # As bytes, the scheduler need not have the modules of the task.
        content = cloudpickle.dumps(task)
        key = f"damier-{task.id}-{uuid.uuid4().hex}"
        future = self._client.submit(
            _run_on_worker, content, i18n.language(), version("damier"), key=key, pure=False
        )
        self._tasks[key] = task, future
        future.add_done_callback(lambda done: self._ended.put(done.key))

    def _wait(self) -> TaskOutcome:
        while True:
            try:
                key = self._ended.get(timeout=1.0)
            except queue.Empty:
                if self._client.status not in ("running", "connecting"):
                    raise DamierError("cluster-lost", address=self._address) from None
                continue
            if key in self._tasks:
                break
        task, future = self._tasks.pop(key)
        if future.status == "finished":
            return TaskOutcome(task, future.result())
        if future.status != "error":
            raise DamierError("cluster-lost", address=self._address)
        error = future.exception()
        if isinstance(error, self._distributed.scheduler.KilledWorker):
            error = WorkerLost(task.id)
        return TaskOutcome(task, error=error)

    def _cancel(self) -> None:
        futures = [future for _, future in self._tasks.values()]
        self._tasks.clear()
        if futures and self._client.status == "running":
            self._client.cancel(futures, force=True)

    def close(self) -> None:
        """Leave the cluster; it continues to run."""
        self._client.close()


def _run_on_worker(content: bytes, language: str, client_version: str) -> Any:
    """Run a task in a worker of the same version, in the language of the client."""
    own_version = version("damier")
    if client_version != own_version:
        raise DamierError("cluster-version", own=client_version, other=own_version)
    with i18n.use_language(language):
        task: Task = pickle.loads(content)
        return task.run()


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())
