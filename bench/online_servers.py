"""Server processes for online benchmarks and tests, which can be killed and restarted."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic, sleep, time

from cluster import Cluster

_COMMAND = "import sys; from damier.cli import main; sys.exit(main(sys.argv[1:]))"
START_TIMEOUT_S = 60.0


class ServerProcess:
    """Process of `damier serve` with a database, on a port."""

    def __init__(self, database: str, port: int, *more: str, log: Path | None = None) -> None:
        self.log = log  # log file; None for the terminal
        self.address = f"http://127.0.0.1:{port}"
        self.begun = 0.0  # start time, in seconds since 1970
        self._command = [
            sys.executable,
            "-c",
            _COMMAND,
            "serve",
            "--port",
            str(port),
            "--database",
            database,
            "--trust-proxy",
            "127.0.0.1",  # all clients have this address: no limit for it
            *(() if log else ("--log-level", "error")),
            *more,
        ]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, wait: bool = True) -> None:
        """Start the server, and wait until it answers if `wait`."""
        self.begun = time()
        with ExitStack() as stack:
            to = stack.enter_context(self.log.open("a")) if self.log else None
            self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL, stderr=to)
        if wait:
            self.wait()

    def wait(self) -> None:
        """Wait until the server answers; raise RuntimeError after a timeout."""
        assert self._process is not None
        end = monotonic() + START_TIMEOUT_S
        while not self.is_healthy():
            if self._process.poll() is not None or monotonic() > end:
                raise RuntimeError("the server does not start")
            sleep(0.02)

    def is_healthy(self) -> bool:
        """Return whether the server and its database answer."""
        try:
            with urllib.request.urlopen(f"{self.address}/healthz", timeout=5) as answer:
                return bool(json.load(answer)["ok"])
        except OSError:
            return False

    def kill(self) -> None:
        """Kill the server with SIGKILL."""
        self._end(signal.SIGKILL)

    def stop(self) -> int | None:
        """Stop the server with SIGTERM; return its exit status."""
        return self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> int | None:
        if self._process is None:
            return None
        self._process.send_signal(how)
        status, self._process = self._process.wait(30), None
        return status

    def memory(self) -> float:
        """Return the memory of the server and its workers, in megabytes."""
        if self._process is None:
            return 0.0
        pages = 0
        for process in [self._process.pid, *_children(self._process.pid)]:
            try:
                pages += int(Path(f"/proc/{process}/statm").read_text().split()[1])
            except OSError:
                continue
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    @property
    def pid(self) -> int:
        """The process id."""
        assert self._process is not None
        return self._process.pid

    def cpu_seconds(self) -> float:
        """Return the CPU time of the server, in seconds."""
        if self._process is None:
            return 0.0
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _children(process: int) -> list[int]:
    try:
        text = Path(f"/proc/{process}/task/{process}/children").read_text()
    except OSError:
        return []
    return [int(word) for word in text.split()]


@contextmanager
def new_database(kind: str) -> Iterator[tuple[str, Cluster | None]]:
    """Yield the URL of a new database with production settings, and its PostgreSQL cluster."""
    with tempfile.TemporaryDirectory(prefix="damier-") as directory:
        if kind == "sqlite":
            yield f"sqlite+aiosqlite:///{directory}/online.sqlite", None
            return
        cluster = Cluster(Path(directory))
        cluster.start()
        try:
            yield cluster.new_database(), cluster
        finally:
            cluster.stop(signal.SIGQUIT)


@contextmanager
def running_servers(
    database: str, ports: Sequence[int], *more: str, log: Path | None = None
) -> Iterator[list[ServerProcess]]:
    """Run servers that share a database, all started at once."""
    servers = [ServerProcess(database, port, *more, log=log) for port in ports]
    try:
        for server in servers:
            server.start(wait=False)
        for server in servers:
            server.wait()
        yield servers
    finally:
        for server in servers:
            server.kill()


def free_ports(count: int) -> list[int]:
    """Return free TCP ports."""
    with ExitStack() as stack:
        taken = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in taken:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in taken]
