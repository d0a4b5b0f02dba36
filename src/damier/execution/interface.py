"""Interface of executors, and the order of results that all executors share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from damier.errors import DamierError

MAX_ATTEMPTS = 3  # to run a task whose worker is lost: the task itself may crash the worker


@dataclass(frozen=True)
class Task:
    """Call of a function, with an identifier that is unique among the tasks of a `map`."""

    id: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()

    def run(self) -> Any:
        """Call the function."""
        return self.function(*self.arguments)


class WorkerLost(DamierError):
    """The workers that ran a task ended unexpectedly, as often as it was tried."""

    def __init__(self, task: str) -> None:
        super().__init__("worker-lost", task=task, attempts=MAX_ATTEMPTS)

    def __reduce__(self) -> tuple[object, ...]:
        return WorkerLost, (self.details["task"],)


@dataclass(frozen=True)
class TaskOutcome:
    """End of a task: its result, or the exception that it raised."""

    task: Task
    result: Any = None
    error: BaseException | None = None


def _never(task: Task) -> bool:
    return False


def _ignore(task: Task) -> None:
    pass


class Executor(ABC):
    """Executor of tasks. It is a context manager that ends its workers."""

    @property
    @abstractmethod
    def capacity(self) -> int:
        """How many tasks to start before waiting for one to end."""

    @abstractmethod
    def _start(self, task: Task) -> None:
        """Start a task, or queue it for a worker."""

    @abstractmethod
    def _wait(self) -> TaskOutcome:
        """Wait until a task that was started has ended."""

    @abstractmethod
    def _cancel(self) -> None:
        """Cancel the tasks that were started and have not ended, and forget them."""

    @abstractmethod
    def close(self) -> None:
        """End the workers, without waiting for their tasks."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def map(
        self,
        tasks: Iterable[Task],
        *,
        skip: Callable[[Task], bool] = _never,
        ended: Callable[[Task], None] = _ignore,
    ) -> Generator[tuple[Task, Any], None, None]:
        """Yield the tasks with their results, in the order of the tasks.

        A task for which `skip` is true at its turn is left out, even if it has run; once true, it
        must stay true. `ended` is called with each task when it ends, in any order. An exception of
        a task is raised at its turn. Closing the generator cancels the tasks that are running.
        """
        source = iter(tasks)
        order: deque[Task] = deque()
        outcomes: dict[str, TaskOutcome] = {}
        running, exhausted = 0, False
        try:
            while True:
                while running < self.capacity and not exhausted:
                    task = next(source, None)
                    if task is None:
                        exhausted = True
                    elif not skip(task):
                        self._start(task)
                        order.append(task)
                        running += 1
                while order and order[0].id in outcomes:
                    outcome = outcomes.pop(order.popleft().id)
                    if skip(outcome.task):
                        continue
                    if outcome.error is not None:
                        raise outcome.error
                    yield outcome.task, outcome.result
                if not running:
                    if exhausted:
                        return
                    continue
                outcome = self._wait()
                running -= 1
                outcomes[outcome.task.id] = outcome
                ended(outcome.task)
        finally:
            self._cancel()

    def run_graph(
        self, graph: Mapping[Task, Collection[str]]
    ) -> Generator[tuple[Task, Any], None, None]:
        """Yield tasks with their results when they have ended; a task starts after those it needs.

        `graph` has for each task the identifiers of the tasks that must end before it starts. An
        exception of a task is raised at once. Closing the generator cancels the running tasks.
        """
        waiting = {task: set(needed) for task, needed in graph.items()}
        running = 0
        try:
            while waiting or running:
                ready = [task for task, needed in waiting.items() if not needed]
                for task in ready[: max(0, self.capacity - running)]:
                    del waiting[task]
                    self._start(task)
                    running += 1
                if not running:
                    raise ValueError("tasks need each other")
                outcome = self._wait()
                running -= 1
                if outcome.error is not None:
                    raise outcome.error
                for needed in waiting.values():
                    needed.discard(outcome.task.id)
                yield outcome.task, outcome.result
        finally:
            self._cancel()
