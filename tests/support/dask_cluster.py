"""Dask cluster for tests: a scheduler and two workers, each a process of its own."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from distributed import Client

START_TIMEOUT_S = 300.0


@dataclass
class DaskCluster:
    """Address of a scheduler, and the processes of its workers."""

    address: str
    workers: list[subprocess.Popen[bytes]]


@contextmanager
def dask_cluster(directory: Path) -> Iterator[DaskCluster]:
    """Start a scheduler and two workers, which end with the block."""
    file = directory / "scheduler.json"
    # Workers import the tasks of tests.
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with ExitStack() as stack:

        def start(module: str, *arguments: str) -> subprocess.Popen[bytes]:
            log = stack.enter_context((directory / f"{module}.log").open("ab"))
            command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments]
            process = subprocess.Popen(
                command, stdout=log, stderr=log, cwd=directory, env=environment
            )
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process

        start(
            "dask_scheduler", "--host=127.0.0.1", "--port=0", "--no-dashboard",
            f"--scheduler-file={file}",
        )  # fmt: skip  # compact list
        while not file.exists() or not file.read_text("utf-8").endswith("}"):
            time.sleep(0.02)
        address = str(json.loads(file.read_text("utf-8"))["address"])
        arguments = ("--no-nanny", "--no-dashboard", "--nthreads=1", "--memory-limit=0")
        workers = [
            start("dask_worker", address, *arguments, f"--local-directory={directory}")
            for _ in range(2)
        ]
        # A busy machine may take longer for this than an executor waits for workers.
        connect: Any = Client
        with connect(address, timeout=START_TIMEOUT_S, set_as_default=False) as client:
            client.wait_for_workers(len(workers), timeout=START_TIMEOUT_S)
        yield DaskCluster(address, workers)
