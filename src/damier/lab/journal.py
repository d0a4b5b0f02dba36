"""Journal: results of tasks in a file, so that an interrupted experiment can be continued."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

from damier import files
from damier.execution import Executor, Task


class Journal:
    """Results by task, kept in a file; without a path, in memory only.

    The file begins with a header; a file with another header belongs to another experiment and is
    replaced. `results` are known beforehand, `new` those of tasks that have run.
    """

    def __init__(
        self,
        path: Path | None = None,
        header: object = None,
        results: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self._path = path
        self._results: dict[str, Any] = dict(results)
        self.new: dict[str, Any] = {}
        if path is None:
            return
        first = json.dumps(header, sort_keys=True)
        with suppress(FileNotFoundError):
            begun, *lines = path.read_text("utf-8").split("\n")
            if begun == first:
                for line in lines[:-1]:  # after the last complete line there is nothing, or a part
                    with suppress(ValueError):
                        self._results.update(json.loads(line))
                if not lines or lines[-1] == "":
                    return
        kept = [json.dumps({key: result}) for key, result in self._results.items()]
        files.write_text(path, "".join(f"{line}\n" for line in (first, *kept)))

    def __len__(self) -> int:
        return len(self._results)

    def run(
        self,
        executor: Executor,
        tasks: Iterable[Task],
        *,
        skip: Callable[[Task], bool] = lambda task: False,
        done: Callable[[], None] = lambda: None,
    ) -> Iterable[tuple[Task, Any]]:
        """Yield tasks with their results, which must be JSON data, in order.

        Tasks that are in the journal do not run again. `done` is called after each task.
        """
        listed = list(tasks)
        missing = (task for task in listed if task.id not in self._results)
        with closing(executor.map(missing, skip=skip)) as results:
            for task in listed:
                if skip(task):
                    continue
                if task.id not in self._results:
                    ran, result = next(results)
                    assert ran.id == task.id
                    self._keep(task.id, result)
                done()
                yield task, self._results[task.id]

    def _keep(self, key: str, result: Any) -> None:
        line = json.dumps({key: result})
        self.new[key] = result
        self._results.update(json.loads(line))  # what a continued run would read
        if self._path is not None:
            files.append(self._path, f"{line}\n")

    def delete(self) -> None:
        """Delete the file: the experiment is complete."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)
