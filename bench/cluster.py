"""Temporary PostgreSQL cluster for benchmarks and tests, in a directory.

It needs Debian's package `postgresql` (installed by `make servers` where possible) but not its
service.
"""

import asyncio
import itertools
import os
import shutil
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

USER = "damier"
# Settings for fast writes: data is lost in a power failure, but not in a crash.
FAST_SETTINGS = {"fsync": "off", "full_page_writes": "off"}


def program(name: str) -> str | None:
    """Return the path of a PostgreSQL program; on Debian most of them are not on PATH."""
    paths = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return str(paths[-1]) if paths else shutil.which(name)


def _unprivileged() -> list[str]:
    """Return a command prefix that drops root privileges, because PostgreSQL refuses root."""
    setpriv = shutil.which("setpriv")
    prefix = [setpriv, "--pdeathsig", "QUIT"] if setpriv else []
    if os.getuid() != 0:
        return prefix
    assert setpriv, "PostgreSQL does not run as root, and there is no setpriv"
    return [*prefix, "--reuid", "nobody", "--regid", "nogroup", "--clear-groups"]


class Cluster:
    """PostgreSQL server with its databases, reached by a Unix socket in its directory."""

    def __init__(self, directory: Path, **settings: str) -> None:
        self.directory = directory
        self.data = directory / "data"
        self._settings = settings
        self._server: subprocess.Popen[bytes] | None = None
        # The server ends with the thread that starts it (--pdeathsig), so this thread is kept.
        self._starter = ThreadPoolExecutor(1)
        self._names = (f"test{number}" for number in itertools.count())
        if os.getuid() == 0:
            shutil.chown(directory, "nobody", "nogroup")
        options = ["--username", USER, "--auth", "trust", "--no-sync", "--no-instructions"]
        initdb = [program("initdb"), "--pgdata", self.data, "--encoding", "UTF8", "--no-locale"]
        command = [*_unprivileged(), *map(str, initdb), *options]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=directory)

    @property
    def running(self) -> bool:
        """Whether the server is running."""
        return self._server is not None and self._server.poll() is None

    def start(self) -> None:
        """Start the server and wait until it accepts connections."""
        options = {"listen_addresses": "", "unix_socket_directories": str(self.directory)}
        arguments = [f"--{name}={value}" for name, value in {**self._settings, **options}.items()]
        command = [*_unprivileged(), str(program("postgres")), "-D", str(self.data), *arguments]
        self._server = self._starter.submit(self._launch, command).result()
        ready = [str(program("pg_isready")), "--quiet", "--host", str(self.directory)]
        while subprocess.run([*ready, "--username", USER], check=False).returncode:
            assert self._server.poll() is None, "PostgreSQL ended at once"
            time.sleep(0.02)

    def _launch(self, command: list[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(command, cwd=self.directory, stderr=subprocess.DEVNULL)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop the server: SIGINT ends its connections, SIGQUIT is a crash."""
        if self._server is not None:
            self._server.send_signal(how)
            self._server.wait(30)
            self._server = None

    def url(self, database: str) -> str:
        """Return the SQLAlchemy URL of a database."""
        return f"postgresql+asyncpg://{USER}@/{database}?host={self.directory}"

    def new_database(self) -> str:
        """Create an empty database and return its URL."""
        name = next(self._names)
        self.ask("postgres", f"CREATE DATABASE {name}")
        return self.url(name)

    def ask(self, database: str, statement: str) -> list[tuple[object, ...]]:
        """Return the rows of an SQL statement."""
        return asyncio.run(self._ask(database, statement))

    async def _ask(self, database: str, statement: str) -> list[tuple[object, ...]]:
        import asyncpg

        connection = await asyncpg.connect(host=str(self.directory), user=USER, database=database)
        try:
            return [tuple(row) for row in await connection.fetch(statement)]
        finally:
            await connection.close()
