"""Databases for tests: an SQLite file, and a PostgreSQL server per xdist worker.

A test may stop its server, because no other worker uses it.
"""

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster import FAST_SETTINGS, Cluster, program


def skip_missing(what: str) -> None:
    """Skip a test because a program is missing; fail in CI."""
    if os.environ.get("CI"):
        pytest.fail(f"{what} is missing: run make servers")
    pytest.skip(f"no {what}: run make servers")


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """Start a PostgreSQL server for all tests of this worker."""
    if program("postgres") is None or program("initdb") is None:
        skip_missing("PostgreSQL")
    with tempfile.TemporaryDirectory(prefix="damier-") as directory:
        found = Cluster(Path(directory), **FAST_SETTINGS)
        found.start()
        yield found
        found.stop(signal.SIGQUIT)


@pytest.fixture
def postgresql(cluster: Cluster) -> str:
    """Return the address of an empty PostgreSQL database for one test."""
    if not cluster.running:  # a test has taken it away
        cluster.start()
    return cluster.new_database()


@pytest.fixture
def sqlite(tmp_path: Path) -> str:
    """Return the address of a new SQLite database for one test."""
    return f"sqlite+aiosqlite:///{tmp_path / 'online.sqlite3'}"


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> str:
    """Return the address of an empty database; the test runs with each kind."""
    found: str = request.getfixturevalue(request.param)
    return found
