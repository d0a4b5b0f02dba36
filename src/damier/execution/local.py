"""Executor with worker processes on this machine.

Each process has a pipe of its own, so the end of a process is noticed at once and costs only the
task that it was running; the task is given to another process.
"""

from __future__ import annotations

import os
import signal
import threading
import time
import traceback
from collections import deque
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any

from damier import i18n
from damier.execution.interface import MAX_ATTEMPTS, Executor, Task, TaskOutcome, WorkerLost

GRACE_S = 1.0  # for handlers of SIGTERM in a worker whose parent has ended


@dataclass
class _Worker:
    """Worker process, its pipe, and the task that it runs."""

    process: SpawnProcess
    pipe: Connection[Any, Any]
    task: Task | None = None
    attempt: int = 0

    def end(self) -> None:
        """End the process without waiting."""
        self.process.terminate()
        self.pipe.close()


class LocalExecutor(Executor):
    """Executor with worker processes, which start when they are first needed."""

    def __init__(self, workers: int) -> None:
        self._count = workers
        self._workers: list[_Worker] = []
        self._queue: deque[tuple[Task, int]] = deque()  # with the number of the next attempt
        self._failed: deque[TaskOutcome] = deque()

    @property
    def capacity(self) -> int:
        """The number of processes."""
        return self._count

    def _start(self, task: Task) -> None:
        self._queue.append((task, 1))
        self._dispatch()

    def _dispatch(self) -> None:
        """Give queued tasks to idle processes, and start processes up to the limit."""
        while self._queue:
            worker = next((worker for worker in self._workers if worker.task is None), None)
            if worker is None and len(self._workers) < self._count:
                worker = _spawn()
                self._workers.append(worker)
            if worker is None:
                return
            worker.task, worker.attempt = self._queue.popleft()
            try:
                worker.pipe.send(worker.task)
            except OSError:  # it has ended while idle
                self._replace_lost_worker(worker, started=False)

    def _wait(self) -> TaskOutcome:
        while not self._failed:
            busy = {w.pipe: w for w in self._workers if w.task is not None}
            for pipe in wait(list(busy)):
                worker = busy[pipe]  # type: ignore[index]  # one of these objects
                try:
                    result, error = worker.pipe.recv()
                except (EOFError, OSError):
                    self._replace_lost_worker(worker)
                    self._dispatch()
                    continue
                assert worker.task is not None
                task, worker.task = worker.task, None
                self._dispatch()
                return TaskOutcome(task, result, error)
        return self._failed.popleft()

    def _replace_lost_worker(self, worker: _Worker, started: bool = True) -> None:
        """Remove a process that has ended, and queue its task again."""
        self._workers.remove(worker)
        worker.end()
        worker.process.join()
        task, attempt = worker.task, worker.attempt
        assert task is not None
        if started and attempt >= MAX_ATTEMPTS:
            self._failed.append(TaskOutcome(task, error=WorkerLost(task.id)))
        else:
            self._queue.appendleft((task, attempt + started))

    def _cancel(self) -> None:
        self._queue.clear()
        self._failed.clear()
        self._end([worker for worker in self._workers if worker.task is not None])

    def close(self) -> None:
        """End the processes."""
        self._end(list(self._workers))

    def _end(self, workers: list[_Worker]) -> None:
        for worker in workers:
            self._workers.remove(worker)
            worker.end()
        for worker in workers:
            worker.process.join()


def _spawn() -> _Worker:
    """Start a worker process."""
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, i18n.language()), daemon=True)
    process.start()
    theirs.close()
    return _Worker(process, ours)


def _serve(pipe: Connection[Any, Any], language: str) -> None:
    """Run tasks from a pipe until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles interrupts
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    i18n.set_language(language)
    while True:
        try:
            task: Task = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            answer: tuple[Any, BaseException | None] = (task.run(), None)
        except Exception as error:
            error.add_note(f"in task {task.id}:\n{traceback.format_exc()}")
            answer = (None, error)
        try:
            pipe.send(answer)
        except OSError:
            return
        except Exception as error:  # the answer cannot be pickled
            pipe.send((None, TypeError(f"task {task.id}: {error}")))


def _exit_with_parent() -> None:
    """End this process, with its handlers of SIGTERM, when the parent has ended."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(GRACE_S)
        os._exit(1)
