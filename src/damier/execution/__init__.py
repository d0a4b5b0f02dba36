"""Execution of many independent tasks: in this process, in local processes or on a Dask cluster.

    >>> from damier.execution import Task, open_executor
    >>> with open_executor(workers=1) as executor:
    ...     [result for _, result in executor.map(Task(f"{n}²", pow, (n, 2)) for n in (2, 3, 4))]
    [4, 9, 16]

Results come in the order of the tasks, so they do not depend on the executor or on the number of
workers. A task is a function of a module with picklable arguments; its result depends on them only.
See docs/cluster.md.
"""

from __future__ import annotations

import os

from damier.errors import DamierError
from damier.execution.interface import MAX_ATTEMPTS, Executor, Task, WorkerLost
from damier.execution.serial import SerialExecutor

__all__ = [
    "MAX_ATTEMPTS",
    "Executor",
    "SerialExecutor",
    "Task",
    "WorkerLost",
    "is_worker_process",
    "open_executor",
]


def is_worker_process() -> bool:
    """Return whether another process of this program has started this one."""
    try:
        from multiprocessing import parent_process
    except ImportError:  # in a browser
        return False
    return parent_process() is not None


def open_executor(workers: int | None = None, cluster: str | None = None) -> Executor:
    """Return an executor: on the cluster at an address, else local.

    By default there is one local worker process for each core; with one worker, tasks run in this
    process. Raise DamierError if the cluster cannot be reached or Dask is not installed.
    """
    if cluster is not None:
        if workers is not None:
            raise DamierError("workers-and-cluster")
        from damier.execution.dask_cluster import DaskExecutor

        return DaskExecutor(cluster)
    if workers is not None and workers < 1:
        raise DamierError("workers", workers=workers)
    workers = workers or os.cpu_count() or 1
    if workers == 1:
        return SerialExecutor()
    from damier.execution.local import LocalExecutor

    return LocalExecutor(workers)
