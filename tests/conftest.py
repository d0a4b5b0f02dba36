"""What all tests share: English, and no file of the user's touched."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from damier import lang
from postgres import cluster, database, postgresql, sqlite

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

# Databases, for whichever tests ask for one.
__all__ = ["cluster", "database", "postgresql", "sqlite"]
# What plays, searches, compiles or solves much. The rest is quick, also without the compiler.
SLOW = {
    "test_arena", "test_cold", "test_crafted", "test_example", "test_example_tutorial",
    "test_faults", "test_files", "test_forced", "test_fuzz_engine", "test_hints",
    "test_interrupts", "test_jit", "test_many_turns", "test_online_docs", "test_online_faults",
    "test_online_fuzz", "test_online_proxy", "test_online_service", "test_online_socket",
    "test_protocol", "test_search", "test_search_data", "test_search_default",
    "test_search_endings", "test_shapes", "test_solve",
    "test_solve_endings", "test_solve_interrupted", "test_solve_listed", "test_tables_in_use",
    "test_two_speeds", "test_wasm", "test_web_fuzz", "test_web_server",
}  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is slow and what needs a browser, by where it stands."""
    for item in items:
        if item.path.parent.name == "browser":
            item.add_marker("browser")
        elif item.path.stem in SLOW:
            item.add_marker("slow")


@pytest.fixture(autouse=True)
def _english_and_own_data(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    data: Path = tmp_path_factory.mktemp("data")
    monkeypatch.setenv("DAMIER_DATA_DIR", str(data))
    lang.use("en")
    yield
    lang.use(None)


@pytest.fixture(scope="module")
def client() -> "Iterator[TestClient]":
    """Return what asks a server of its own."""
    from fastapi.testclient import TestClient

    from damier.web.app import create_app

    with TestClient(create_app(), raise_server_exceptions=False) as client:
        yield client
