"""A PostgreSQL of one's own, for benchmarks and tests: in a directory, and gone with its maker.

It needs Debian's package `postgresql` (`make servers` installs it where that is possible) but not
its service.
"""

import asyncio
import itertools
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

USER = "damier"
# What makes it quick to write, at the price of losing all in a power cut; a crash does no harm.
QUICKLY = {"fsync": "off", "full_page_writes": "off"}


def program(name: str) -> str | None:
    """Return where one of PostgreSQL's programs is: Debian keeps most of them off the path."""
    own = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return str(own[-1]) if own else shutil.which(name)


def _as_somebody() -> list[str]:
    """Return what to put before a command: PostgreSQL runs for anybody but root."""
    setpriv = shutil.which("setpriv")
    ending = [setpriv, "--pdeathsig", "QUIT"] if setpriv else []
    if os.getuid() != 0:
        return ending
    assert setpriv, "PostgreSQL does not run as root, and there is no setpriv"
    return [*ending, "--reuid", "nobody", "--regid", "nogroup", "--clear-groups"]


class Cluster:
    """A PostgreSQL server with its databases, reached by a socket in its directory."""

    def __init__(self, directory: Path, **settings: str) -> None:
        self.directory = directory
        self.data = directory / "data"
        self._settings = settings
        self._server: subprocess.Popen[bytes] | None = None
        self._names = (f"test{number}" for number in itertools.count())
        if os.getuid() == 0:
            shutil.chown(directory, "nobody", "nogroup")
        make = ["--username", USER, "--auth", "trust", "--no-sync", "--no-instructions"]
        made = [program("initdb"), "--pgdata", self.data, "--encoding", "UTF8", "--no-locale"]
        command = [*_as_somebody(), *map(str, made), *make]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=directory)

    @property
    def running(self) -> bool:
        """Whether there is a server."""
        return self._server is not None

    def start(self) -> None:
        """Start the server, and wait until it can be asked."""
        options = {"listen_addresses": "", "unix_socket_directories": str(self.directory)}
        told = [f"--{name}={value}" for name, value in {**self._settings, **options}.items()]
        command = [*_as_somebody(), str(program("postgres")), "-D", str(self.data), *told]
        self._server = subprocess.Popen(command, cwd=self.directory, stderr=subprocess.DEVNULL)
        ready = [str(program("pg_isready")), "--quiet", "--host", str(self.directory)]
        while subprocess.run([*ready, "--username", USER], check=False).returncode:
            assert self._server.poll() is None, "PostgreSQL ended at once"
            time.sleep(0.02)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop the server: SIGINT ends its connections, SIGQUIT is a crash."""
        if self._server is not None:
            self._server.send_signal(how)
            self._server.wait(30)
            self._server = None

    def url(self, database: str) -> str:
        """Return the address of a database, as SQLAlchemy reads it."""
        return f"postgresql+asyncpg://{USER}@/{database}?host={self.directory}"

    def new_database(self) -> str:
        """Return the address of a database that is empty."""
        name = next(self._names)
        self.ask("postgres", f"CREATE DATABASE {name}")
        return self.url(name)

    def ask(self, database: str, statement: str) -> list[tuple[object, ...]]:
        """Return what a statement finds in a database."""
        return asyncio.run(self._ask(database, statement))

    async def _ask(self, database: str, statement: str) -> list[tuple[object, ...]]:
        import asyncpg

        connection = await asyncpg.connect(host=str(self.directory), user=USER, database=database)
        try:
            return [tuple(row) for row in await connection.fetch(statement)]
        finally:
            await connection.close()
