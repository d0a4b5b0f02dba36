"""The example game in a real browser, loaded from its path and played to its end."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import COMMAND, NewPage
from tests.support.page_driver import (
    assert_accessible,
    expect_over,
    moves,
    open_page,
    play_to_the_end,
)

FOLDER = Path(__file__).parent.parent.parent / "examples" / "tapatan"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Return the address of a server started with the path of the game."""
    subprocess.run(
        [sys.executable, "-c", COMMAND, "warmup", str(FOLDER)],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    server = subprocess.Popen(
        [
            sys.executable,
            "-c",
            COMMAND,
            "web",
            "--port",
            "8780",
            "--no-browser",
            "--game",
            str(FOLDER),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    line = server.stdout.readline()
    yield next(word for word in line.split() if word.startswith("http")).rstrip("/")
    server.terminate()
    server.wait(10)
    server.stdout.close()


@pytest.mark.parametrize("keys", [False, True], ids=["clicks", "keys"])
def test_a_whole_game_against_level_1(new_page: NewPage, keys: bool) -> None:
    page = open_page(new_page(), "#/play/tapatan?b=level:1")
    play_to_the_end(page, keys)
    expect_over(page)
    assert len(moves(page)) > 4
    expect(page.locator(".prompt-box.over .main")).to_be_visible()


def test_home_shows_it_and_its_rules_are_there(new_page: NewPage) -> None:
    page = open_page(new_page(noise="404"), "#/")
    expect(page.get_by_text("Tapatan").first).to_be_visible()
    assert_accessible(page)
    expect(page.locator(".card.tapatan")).not_to_contain_text("Learn")  # it has no lessons
    open_page(page, "#/learn/tapatan")
    expect(page.locator(".wrong .message")).to_have_text("There are no lessons for Tapatan.")
    open_page(page, "#/rules/tapatan")
    expect(page.get_by_role("heading", name="Tapatan")).to_be_visible()
    expect(page.get_by_text("Stewart Culin")).to_be_visible()
    assert_accessible(page)


def test_a_link_leads_into_the_middle_of_a_game(new_page: NewPage) -> None:
    page = open_page(new_page(lang="fr"), "#/play/tapatan?w=human&b=human")
    page.click(".cell[data-cell=b2]")
    expect(page.locator(".turns .turn")).to_have_count(1)
    other = open_page(new_page(), page.evaluate("location.hash"))
    assert moves(other) == ["b2"]
