"""A server in its own process and one browser for all tests of a worker."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = os.environ.get("DAMIER_CHROMIUM") or shutil.which("chromium")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

NewPage = Callable[..., Page]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    if CHROMIUM or os.environ.get("CI"):
        return  # in CI a missing browser fails
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.skip(reason="no chromium: run make browser"))


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The address of a server that runs for all tests of this worker."""
    command = "import sys; from damier.cli import main; main(sys.argv[1:])"
    server = subprocess.Popen(
        [sys.executable, "-c", command, "web", "--port", "8700", "--no-browser"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    line = server.stdout.readline()
    found = next(word for word in line.split() if word.startswith("http"))
    yield found.rstrip("/")
    server.terminate()
    server.wait(10)
    server.stdout.close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    assert CHROMIUM, "chromium is missing: run make browser"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def new_page(browser: Browser, address: str) -> Iterator[NewPage]:
    """Make pages of new visitors; whatever the console complains of fails the test."""
    complaints: list[str] = []
    contexts = []

    def make(
        width: int = 1280,
        height: int = 800,
        lang: str = "en",
        theme: str = "light",
        motion: str = "reduce",
        **settings: object,
    ) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": height},
            locale={"en": "en-GB", "fr": "fr-FR"}[lang],
            color_scheme=theme,  # type: ignore[arg-type]
            reduced_motion=motion,  # type: ignore[arg-type]
            base_url=address,
            **settings,  # type: ignore[arg-type]
        )
        contexts.append(context)
        context.set_default_timeout(20_000)
        page = context.new_page()
        page.on(
            "console",
            lambda m: complaints.append(m.text) if m.type in ("error", "warning") else None,
        )
        page.on("pageerror", lambda error: complaints.append(str(error)))
        return page

    yield make
    for context in contexts:
        context.close()
    assert complaints == []
