"""Fixtures of all tests: English texts, a private data directory, databases and a client."""

import logging
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from damier import i18n
from damier.games import GAMES
from tests.support.databases import cluster, database, postgresql, sqlite

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

# Databases, for whichever tests ask for one.
__all__ = ["cluster", "database", "postgresql", "sqlite"]


# A shell ignores SIGINT in background jobs, and so would the programs that the tests interrupt.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests in tests/browser."""
    for item in items:
        if item.path.parent.name == "browser":
            item.add_marker("browser")


@pytest.fixture(autouse=True)
def _english_and_own_data(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    data: Path = tmp_path_factory.mktemp("data")
    monkeypatch.setenv("DAMIER_DATA_DIR", str(data))
    i18n.set_language("en")
    yield
    i18n.set_language(None)


@pytest.fixture(autouse=True)
def _own_log() -> Iterator[None]:
    """Undo what `damier serve` does to the log: its handler writes to the test's standard error."""
    loggers = [logging.getLogger(name) for name in ("", "damier.online", "uvicorn.error")]
    before = [(logger.level, logger.handlers) for logger in loggers]
    yield
    for logger, (level, handlers) in zip(loggers, before, strict=True):
        logger.setLevel(level)
        logger.handlers = handlers


@pytest.fixture
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the test load games by their paths; other tests do not know them."""
    monkeypatch.setattr(GAMES, "_loaded", dict(GAMES._loaded))


@pytest.fixture(scope="module")
def client() -> "Iterator[TestClient]":
    """Yield a client of an application in this process."""
    from fastapi.testclient import TestClient

    from damier.web.app import create_app

    with TestClient(create_app(), raise_server_exceptions=False) as client:
        yield client
