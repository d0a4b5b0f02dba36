"""Visits to the static site in headless Chromium, with their times and sizes."""

import gzip
import shutil
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Page, Request, sync_playwright

from damier.site.build import build
from damier.site.serve import host

ROOT = Path(__file__).parent.parent
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-headless-shell")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
]
FIRST = "#/play/{game}?b=level:1"  # the first page
TIMEOUT_MS = 60_000  # for a busy machine
# A step of the player: the first choice, else the first cell.
STEP = """() => {
    const chosen = document.querySelector('.choice, .cell.selectable:not(.drag)');
    (chosen ?? document.querySelector('.cell.selectable'))?.click();
    return new Promise((resolve) => setTimeout(resolve, 50));
}"""
ASK = """async ([path, body]) => {
    const page = document.querySelector('script[src]').src;
    const { request } = await import(new URL('core/api.js', page).href);
    const begun = performance.now();
    await request(path, body);
    return (performance.now() - begun) / 1000;
}"""
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime / 1000"
SERVICE_WORKER_READY = "navigator.serviceWorker.ready.then(() => true)"


@contextmanager
def serve_site() -> Iterator[tuple[Path, str]]:
    """Build the site and serve it."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "site"
        node = str(Path(sys.executable).with_name("node"))
        build(folder, ROOT / "node_modules" / "pyodide", node)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            server = host(folder, listener)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            yield folder, f"http://127.0.0.1:{listener.getsockname()[1]}/"
            server.shutdown()


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start a browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


def visit(context: BrowserContext, address: str, game: str) -> tuple[Page, dict[str, float]]:
    """Open a game and move at once; return the page with the times of paint and reply."""
    page = context.new_page()
    begun = time.perf_counter()
    page.goto(address + FIRST.format(game=game))
    page.wait_for_selector(".cell.selectable")
    while not page.locator(".turns .turn").count():
        page.evaluate(STEP)
    page.wait_for_selector(".turns .turn >> nth=1", state="attached")
    answered = time.perf_counter() - begun
    return page, {"first_paint": page.evaluate(PAINT), "answer": answered}


def transferred_bytes(folder: Path, address: str, asked: list[str]) -> dict[str, int]:
    """Return the bytes of the requested files, compressed with gzip."""
    sizes = {"page": 0, "all": 0}
    for url in dict.fromkeys(asked):
        path = folder / (urlsplit(url).path.removeprefix(urlsplit(address).path) or "index.html")
        size = len(gzip.compress(path.read_bytes(), 6))
        sizes["all"] += size
        sizes["page"] += 0 if "/engine/" in url else size
    return sizes


def memory(browser: Browser) -> int:
    """Return the memory in bytes of the largest tab process, with its workers."""
    processes = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    sizes = [0]
    for process in processes:
        if process["type"] == "renderer":
            status = Path(f"/proc/{process['id']}/smaps_rollup").read_text("utf-8")
            pss = next(line for line in status.splitlines() if line.startswith("Pss:"))
            sizes.append(1024 * int(pss.split()[1]))
    return max(sizes)


def visits(browser: Browser, folder: Path, address: str, game: str) -> dict[str, Any]:
    """Return the figures of a first visit to a game and of a return visit.

    The first visit ends with a move of the best level, which needs the most memory.
    """
    context = browser.new_context()
    context.set_default_timeout(TIMEOUT_MS)
    urls: list[str] = []

    def count(request: Request) -> None:
        if not request.service_worker:  # its cache is filled later
            urls.append(request.url)

    context.on("request", count)
    page, first = visit(context, address, game)
    sizes = transferred_bytes(folder, address, urls)
    level_8_seconds = page.evaluate(ASK, ["move", {"game": game, "level": 8}])
    memory_bytes = memory(browser)
    page.evaluate(SERVICE_WORKER_READY)
    page.close()
    page, later = visit(context, address, game)
    context.close()
    return {
        "first_paint": round(first["first_paint"], 2),
        "first_answer": round(first["answer"], 2),
        "later_answer": round(later["answer"], 2),
        "compressed_bytes": sizes["all"],
        "compressed_page_bytes": sizes["page"],
        "level_8_answer": round(level_8_seconds, 2),
        "memory_bytes": memory_bytes,
    }
