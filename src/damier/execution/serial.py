"""Executor that runs each task in this process, when its result is needed."""

from __future__ import annotations

from damier.execution.interface import Executor, Task, TaskOutcome


class SerialExecutor(Executor):
    """Executor without workers, for one task at a time."""

    capacity = 1

    def __init__(self) -> None:
        self._task: Task | None = None

    def _start(self, task: Task) -> None:
        self._task = task

    def _wait(self) -> TaskOutcome:
        assert self._task is not None
        task, self._task = self._task, None
        return TaskOutcome(task, task.run())

    def _cancel(self) -> None:
        self._task = None

    def close(self) -> None:
        """Do nothing: there are no workers."""
