"""Kings, hexagons and the removal of own pawns on the page, with games loaded from their paths."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import COMMAND, NewPage
from tests.support.page_driver import assert_accessible, moves, open_page

ROOT = Path(__file__).parents[2]
FOLDERS = [ROOT / "examples" / "draughts", ROOT / "examples" / "hex",
           ROOT / "tests" / "data" / "games" / "konane.py",
           ROOT / "tests" / "data" / "games" / "dodgem.py"]  # fmt: skip  # compact list


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Return the address of a server started with the paths of the games."""
    arguments = [word for folder in FOLDERS for word in ("--game", str(folder))]
    command = [sys.executable, "-c", COMMAND, "web", "--port", "8781", "--no-browser", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        yield next(word for word in line.split() if word.startswith("http")).rstrip("/")
        server.terminate()


def test_a_pawn_is_crowned(new_page: NewPage) -> None:
    start = "#.#.#./w#.#.#/#.#.#./.#.#.#/#.#.#./.#.#b#~w~-".replace("#", "%23")
    page = open_page(new_page(), f"#/play/draughts?w=human&b=human&from={start}")
    board = page.locator(".board").first
    expect(board.locator(".pawns .pawn")).to_have_count(2)
    expect(board.locator(".pawns .crown")).to_have_count(0)
    page.click(".cell[data-cell=a5]")
    expect(board.locator(".pawns .pawn.w .crown")).to_have_count(1)
    expect(page.locator(".cell[data-cell=b6]")).to_have_attribute(
        "aria-label", "b6, white king, last move"
    )
    assert moves(page) == ["a5-b6"]


def test_hexagons_are_drawn_and_played(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/hex?w=human&b=human")
    expect(page.locator(".board").first.locator("path.square")).to_have_count(25)
    expect(page.locator(".board").first.locator(".name.file")).to_have_count(5)
    page.click(".cell[data-cell=c3]")
    page.focus(".cell[data-cell=c3]")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator(".turns .turn")).to_have_count(2)
    assert moves(page) == ["c3", "d3"]
    centre, right, above = (
        page.locator(f".cell[data-cell={cell}]").bounding_box() for cell in ("c3", "d3", "c4")
    )
    assert centre is not None
    assert right is not None
    assert above is not None
    assert above["y"] < centre["y"] == right["y"]
    assert above["x"] == pytest.approx((centre["x"] + right["x"]) / 2 - centre["width"], abs=2)
    assert_accessible(page)


def test_an_own_pawn_is_taken_off(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/konane?w=human&b=human")
    expect(page.locator(".prompt-box")).to_contain_text("to take it off the board")
    page.click(".cell[data-cell=c3]")
    expect(page.locator(".board").first.locator(".pawns .pawn:not(.gone)")).to_have_count(35)
    page.click(".cell[data-cell=c4]")
    expect(page.locator(".turns .turn")).to_have_count(2)
    assert moves(page) == ["c3>", "c4>"]
    expect(page.locator(".tray.captured")).to_have_count(0)  # nobody has captured anything
    page.click(".cell[data-cell=a3]")
    expect(page.locator(".tray.captured")).to_have_count(1)


def test_a_pawn_moves_or_is_taken_off(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/dodgem?w=human&b=human&from=..w/.../.b.~w")
    page.click(".cell[data-cell=c3]")
    expect(page.locator(".prompt-box")).to_contain_text(
        "or the pawn again to take it off the board"
    )
    page.click(".cell[data-cell=c3]")
    expect(page.locator(".board").first.locator(".pawns .pawn:not(.gone)")).to_have_count(1)
    assert moves(page) == ["c3>"]
