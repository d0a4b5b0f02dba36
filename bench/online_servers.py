"""Servers of online play in processes of their own, to be measured, killed and begun anew."""

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
START_SECONDS = 60.0


class Process:
    """One server: `damier serve` with a database, on a port."""

    def __init__(self, database: str, port: int, *more: str, log: Path | None = None) -> None:
        self.log = log  # where its log goes, if not to the terminal
        self.address = f"http://127.0.0.1:{port}"
        self.begun = 0.0  # when it was started, in seconds since 1970
        self._command = [
            sys.executable, "-c", _COMMAND, "serve", "--port", str(port), "--database", database,
            *(() if log else ("--log-level", "error")), *more,
        ]  # fmt: skip
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, wait: bool = True) -> None:
        """Start it; unless told otherwise, wait until it answers."""
        self.begun = time()
        with ExitStack() as stack:
            to = stack.enter_context(self.log.open("a")) if self.log else None
            self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL, stderr=to)
        if wait:
            self.wait()

    def wait(self) -> None:
        """Wait until it answers."""
        assert self._process is not None
        end = monotonic() + START_SECONDS
        while not self.healthy():
            if self._process.poll() is not None or monotonic() > end:
                raise RuntimeError("the server does not start")
            sleep(0.02)

    def healthy(self) -> bool:
        """Tell whether it answers, and its database too."""
        try:
            with urllib.request.urlopen(f"{self.address}/healthz", timeout=5) as answer:
                return bool(json.load(answer)["ok"])
        except OSError:
            return False

    def kill(self) -> None:
        """End it without warning."""
        self._end(signal.SIGKILL)

    def stop(self) -> int | None:
        """Ask it to end; return its exit status."""
        return self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> int | None:
        if self._process is None:
            return None
        self._process.send_signal(how)
        status, self._process = self._process.wait(30), None
        return status

    def memory(self) -> float:
        """Return how much memory it has, its workers' included, in megabytes."""
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
    def number(self) -> int:
        """The number of the process."""
        assert self._process is not None
        return self._process.pid

    def used(self) -> float:
        """Return for how many seconds it has used a core."""
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
def database_of(kind: str) -> Iterator[str]:
    """Give the address of a new database of a kind, kept as it is in earnest."""
    with tempfile.TemporaryDirectory(prefix="damier-") as directory:
        if kind == "sqlite":
            yield f"sqlite+aiosqlite:///{directory}/online.sqlite"
            return
        cluster = Cluster(Path(directory))
        cluster.start()
        try:
            yield cluster.new_database()
        finally:
            cluster.stop(signal.SIGQUIT)


@contextmanager
def serving(
    database: str, ports: Sequence[int], *more: str, log: Path | None = None
) -> Iterator[list[Process]]:
    """Run servers of one database, all started at once."""
    servers = [Process(database, port, *more, log=log) for port in ports]
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
    """Return some ports that nobody listens on."""
    with ExitStack() as stack:
        taken = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in taken:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in taken]
