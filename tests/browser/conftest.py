"""A server in its own process and one browser for all tests of a worker."""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

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


COMMAND = "import sys; from damier.cli import main; main(sys.argv[1:])"


@pytest.fixture(scope="session")
def compiled() -> None:
    """The engines compiled once, not by both workers at the same time."""
    with (Path(tempfile.gettempdir()) / "damier-warmup.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(
            [sys.executable, "-c", COMMAND, "warmup"], check=True, stdout=subprocess.DEVNULL
        )


@pytest.fixture(scope="session")
def address(compiled: None) -> Iterator[str]:
    """The address of a server that runs for all tests of this worker."""
    server = subprocess.Popen(
        [sys.executable, "-c", COMMAND, "web", "--port", "8700", "--no-browser"],
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
        noise: str = "",
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

        def listen(message: ConsoleMessage) -> None:
            if message.type not in ("error", "warning"):
                return
            # The browser itself notes every refusal: some tests want one, and the page waits
            # where the engine is busy (503).
            refusal = "Failed to load" in message.text
            if not refusal or not any(word in message.text for word in (noise or "503", "503")):
                complaints.append(message.text)

        page.on("console", listen)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        return page

    yield make
    for context in contexts:
        context.close()
    assert complaints == []
