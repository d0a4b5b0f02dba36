"""Databases for tests: a file of SQLite's, and a PostgreSQL that each worker has for itself.

So a test may also take it away.
"""

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster import QUICKLY, Cluster, program


def missing(what: str) -> None:
    """Leave a test out because a program is missing; in CI that is a failure."""
    if os.environ.get("CI"):
        pytest.fail(f"{what} is missing: run make servers")
    pytest.skip(f"no {what}: run make servers")


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A PostgreSQL server that runs for all tests of this worker."""
    if program("postgres") is None or program("initdb") is None:
        missing("PostgreSQL")
    with tempfile.TemporaryDirectory(prefix="damier-") as directory:
        found = Cluster(Path(directory), **QUICKLY)
        found.start()
        yield found
        found.stop(signal.SIGQUIT)


@pytest.fixture
def postgresql(cluster: Cluster) -> str:
    """The address of an empty database of PostgreSQL, for one test."""
    if not cluster.running:  # a test has taken it away
        cluster.start()
    return cluster.new_database()


@pytest.fixture
def sqlite(tmp_path: Path) -> str:
    """The address of a database of SQLite that is not there yet, for one test."""
    return f"sqlite+aiosqlite:///{tmp_path / 'online.sqlite3'}"


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> str:
    """The address of an empty database: the test runs with each kind."""
    found: str = request.getfixturevalue(request.param)
    return found
