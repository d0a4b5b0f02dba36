"""Browser fixtures: a server in its own process, the static site, and one browser per worker.

A test with `new_page` runs against the server; marked `on_both`, also against the site, whose
network is cut as soon as its files are cached.
"""

import fcntl
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from damier.site.build import build
from damier.site.serve import host
from tests.support.online_server import OnlineServer

CHROMIUM = (
    os.environ.get("DAMIER_CHROMIUM")
    or shutil.which("chromium-headless-shell")
    or shutil.which("chromium")
)
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Chromium uses the last such list: Playwright's features are named here again.
    "--disable-features="
    + ",".join(
        (
            # Pages of the address bar, which a headless browser never shows: loading them for each
            # context takes more processor time than loading the page under test.
            "WebUIOmniboxPopup",
            "WebUIOmniboxAimPopup",
            # Playwright's, as far as they concern tests.
            "AvoidUnnecessaryBeforeUnloadCheckSync",
            "DestroyProfileOnBrowserClose",
            "HttpsUpgrades",
            "HttpsFirstBalancedModeAutoEnable",
            "MediaRouter",
            "NetworkTimeServiceQuerying",
            "OptimizationHints",
            "PaintHolding",
            "PreconnectToSearch",
            "ThirdPartyStoragePartitioning",
        )
    ),
]

NewPage = Callable[..., Page]

expect.set_options(timeout=20_000)  # two workers of pytest share a busy machine
on_both = pytest.mark.parametrize("new_page", ["server", "site"], indirect=True)
# On the site only with `make test-all`: a page of the site starts Python in the browser.
mainly_on_server = pytest.mark.parametrize(
    "new_page", ["server", pytest.param("site", marks=pytest.mark.exhaustive)], indirect=True
)
# Widths of phones and screens, and both languages; the ordinary run has each width once.
every_width = pytest.mark.parametrize(
    ("width", "lang"),
    [
        (320, "fr"),
        (390, "en"),
        (1280, "fr"),
        (2560, "en"),
        *(
            pytest.param(width, lang, marks=pytest.mark.exhaustive)
            for width, lang in ((320, "en"), (390, "fr"), (1280, "en"), (2560, "fr"))
        ),
    ],
)

ROOT = Path(__file__).parents[2]
PYODIDE = ROOT / "node_modules" / "pyodide"
NODE = str(Path(sys.executable).with_name("node"))
# Until everything is kept, and what is kept serves this page. A promise, because the browser's own
# way to wait for a condition evaluates a string, which the site's policy forbids.
HELD = """async () => {
    await navigator.serviceWorker.ready
    if (!navigator.serviceWorker.controller)
        await new Promise((resolve) =>
            navigator.serviceWorker.addEventListener("controllerchange", resolve, { once: true }))
}"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    if CHROMIUM or os.environ.get("CI"):
        return  # in CI a missing browser fails
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.skip(reason="no chromium: run make browser"))


COMMAND = "import sys; from damier.cli import main; main(sys.argv[1:])"


# What keeps a server's page for times without it would load all of it once more in every test.
BLOCKED: dict[str, Any] = {"service_workers": "block"}


@pytest.fixture(scope="session")
def compiled() -> None:
    """Compile the engines once, not in both workers at the same time."""
    with (Path(tempfile.gettempdir()) / "damier-warmup.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(
            [sys.executable, "-c", COMMAND, "warmup"], check=True, stdout=subprocess.DEVNULL
        )


@pytest.fixture(scope="session")
def address(compiled: None) -> Iterator[str]:
    """Yield the address of a server for all tests of this worker."""
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


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the site, built once for all tests."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder = shared / "hosted" / "~me" / "damier"
    with (shared / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "sw.js").exists():
            build(folder, PYODIDE, NODE)
    return folder


def served(folder: Path) -> Iterator[str]:
    """Serve a folder as a web host does; yield its address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = host(folder, listener)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        server.shutdown()


@pytest.fixture(scope="session")
def site(built: Path) -> Iterator[str]:
    """Yield the address of the site, below a path as on a shared host."""
    for address in served(built.parents[1]):
        yield f"{address}~me/damier/"


@pytest.fixture
def new_page(request: pytest.FixtureRequest, browser: Browser) -> Iterator[NewPage]:
    """Yield a factory of pages: of the server, or of the site without a network."""
    if getattr(request, "param", "server") == "server":
        yield from pages(browser, request.getfixturevalue("address"), **BLOCKED)
    else:
        yield from pages(browser, request.getfixturevalue("site"), cut_off)


def cut_off(page: Page) -> Page:
    """Open the site, wait until it is cached, and cut the network."""
    page.goto("./")
    page.wait_for_selector("body[data-ready]")
    page.evaluate(HELD)
    page.context.set_offline(True)
    return page


@pytest.fixture(scope="session")
def online_server(
    compiled: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[OnlineServer]:
    """Start an online server for all tests of this worker."""
    online_server = OnlineServer(tmp_path_factory.mktemp("online_server"))
    online_server.start()
    yield online_server
    online_server.stop()


@pytest.fixture
def online_page(browser: Browser, online_server: OnlineServer) -> Iterator[NewPage]:
    """Yield a factory of pages of the online server."""
    yield from pages(browser, online_server.address, **BLOCKED)


def pages(
    browser: Browser,
    address: str,
    begin: Callable[[Page], Page] = lambda page: page,
    **usual: object,
) -> Iterator[NewPage]:
    """Yield a factory of pages in new contexts; console errors fail the test."""
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
            **{**usual, **settings},  # type: ignore[arg-type]
        )
        contexts.append(context)
        context.set_default_timeout(60_000)
        page = context.new_page()

        def listen(message: ConsoleMessage) -> None:
            if message.type not in ("error", "warning") or "blocked by Playwright" in message.text:
                return
            # The browser itself notes every refusal: some tests want one, and the page waits
            # where the engine is busy (503).
            refusal = "Failed to load" in message.text or "WebSocket connection" in message.text
            known = (*noise.split(","), "503") if noise else ("503",)
            if not refusal or not any(word in message.text for word in known):
                complaints.append(message.text)

        page.on("console", listen)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        return begin(page)

    yield make
    for context in contexts:
        context.close()
    assert complaints == []
