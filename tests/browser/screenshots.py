"""Take the pictures of docs/screenshots: every page at both sizes and in both themes.

python -m tests.browser.screenshots docs/screenshots
"""

import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.conftest import CHROMIUM, COMMAND, FLAGS
from tests.support.page_driver import open_page

SIZES = {"phone": (360, 740), "desktop": (1280, 800)}


def chosen(page: Page) -> None:
    page.click(".cell[data-cell=d3]")


def teleporting(page: Page) -> None:
    page.click(".cell[data-cell=a1]")
    page.click(".cell[data-cell=a2]")
    page.wait_for_selector(".target")


def analysed(page: Page) -> None:
    page.wait_for_selector(".values li", timeout=60_000)
    page.wait_for_timeout(5_000)  # until the engine is loaded: the first estimate is a quick one
    open_page(page, "")
    open_page(page, PICTURES["analysis"][0])
    page.wait_for_selector(".values li", timeout=60_000)


def reviewed(page: Page) -> None:
    page.click(".actions .review")
    page.wait_for_selector(".review h3", timeout=60_000)


def options(page: Page) -> None:
    page.click(".actions .menu")
    page.click(".menu-list .choose")
    page.click("dialog summary")


PICTURES = {
    "home": ("", None),
    "fanorona": ("#/play/fanorona?b=level:3", chosen),
    "fraha": ("#/play/fraha?b=level:2", teleporting),
    "badia": ("#/play/badia?turns=b1_d1_b5_d5_a2_e2_a4_e4_a1_e1_b1-c1", None),
    "seega": ("#/play/seega?turns=a1+b2_c2+c4_a4+e1_b4+d5_a2+e3_d2+d4", None),
    "chefa-end": ("#/play/chefa?turns=b2_b4_d2_d4_c2_e1_e2", None),
    "analysis": ("#/play/fanorona?mode=study&turns=d3-e3A_d4-d3A", analysed),
    "review": ("#/play/chefa?mode=study&turns=b2_d4_b3_d3_a1_e1_c5_a4_b3-b4", reviewed),
    "rules": ("#/rules/seega", None),
    "setup": ("#/setup/badia", None),
    "options": ("#/play/seega", options),
}


def main() -> None:
    directory = Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    server = subprocess.Popen(
        [sys.executable, "-c", COMMAND, "web", "--port", "8800", "--no-browser"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    address = next(word for word in server.stdout.readline().split() if word.startswith("http"))
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            for size in SIZES:
                for theme, locale in (("light", "en-GB"), ("dark", "fr-FR")):
                    take(browser, address.rstrip("/"), directory, size, theme, locale)
            browser.close()
    finally:
        server.terminate()
        server.wait(10)


def take(
    browser: Browser, address: str, directory: Path, size: str, theme: str, locale: str
) -> None:
    width, height = SIZES[size]
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=theme,  # type: ignore[arg-type]
        locale=locale,
        reduced_motion="reduce",
        base_url=address,
    )
    page = context.new_page()
    for name, (link, more) in PICTURES.items():
        open_page(page, link)
        if more:
            more(page)
        page.wait_for_timeout(300)
        page.mouse.move(0, 0)
        path = directory / f"{name}-{size}-{theme}.jpg"
        page.screenshot(path=path, type="jpeg", quality=80)
    context.close()


if __name__ == "__main__":
    main()
