"""Narrow phones: what is needed next is in sight, and nothing is cut."""

import pytest
from playwright.sync_api import expect

from damier.games import GAMES
from damier.learning.puzzles import puzzles
from tests.browser.conftest import NewPage
from tests.support.page_driver import open_page

SIZES = [(320, 640, "fr"), (390, 844, "en")]
narrow = pytest.mark.parametrize(("width", "height", "lang"), SIZES)


@narrow
def test_the_words_of_a_notice_fit_its_button(
    new_page: NewPage, width: int, height: int, lang: str
) -> None:
    page = open_page(new_page(width, height, lang=lang), "#/play/chefa?turns=b2_d4_b3_d3")
    page.click(".actions .new")
    undo = page.locator(".notice button")
    expect(undo).to_be_visible()
    assert undo.evaluate("button => button.scrollWidth <= button.clientWidth")


@narrow
def test_the_hint_for_a_puzzle_is_above_the_fold(
    new_page: NewPage, width: int, height: int, lang: str
) -> None:
    page = new_page(width, height, lang=lang)
    for name in GAMES:
        # Pawns in hand stand beside the board, and a loss to avoid needs the most words.
        needs_room = max(puzzles(name), key=lambda p: ("placing" in p.themes, p.kind == "avoid"))
        open_page(page, f"#/train/{name}/{needs_room.id}")
        expect(page.locator(".train .task")).to_be_visible()
        hint = page.locator(".actions .hint").bounding_box()
        assert hint is not None
        assert hint["y"] + hint["height"] <= height, name


@narrow
def test_the_explorer_follows_the_board(
    new_page: NewPage, width: int, height: int, lang: str
) -> None:
    page = open_page(new_page(width, height, lang=lang), "#/play/seega?mode=study")
    page.locator(".values .turn").first.wait_for()
    tab = page.locator(".tabs .moves")
    tab.scroll_into_view_if_needed()
    tab.click()
    page.locator(".explorer tbody tr").first.wait_for()
    expect(tab).to_be_in_viewport()
    page.locator(".tabs .lines").click()
    page.locator(".values ol").wait_for()
    expect(page.locator(".board")).to_be_in_viewport(ratio=0.9)


@narrow
def test_the_options_of_a_game_are_read_without_scrolling_sideways(
    new_page: NewPage, width: int, height: int, lang: str
) -> None:
    page = new_page(width, height, lang=lang)
    for name in GAMES:
        open_page(page, f"#/rules/{name}")
        for table in page.locator(".rules .scroll").all():
            assert table.evaluate("box => box.scrollWidth <= box.clientWidth"), name


# How wide the longest answer of a field would be.
NATURAL_WIDTH = """field => {
    field.style.width = 'max-content';
    const width = field.getBoundingClientRect().width;
    field.style.width = '';
    return width;
}"""


@narrow
def test_the_answers_of_options_are_not_cut(
    new_page: NewPage, width: int, height: int, lang: str
) -> None:
    page = new_page(width, height, lang=lang)
    for name in GAMES:
        open_page(page, f"#/play/{name}")
        page.click(".actions .menu")
        page.click(".menu-list .choose")
        page.click("dialog summary")
        for field in page.locator(".option select").all():
            box = field.bounding_box()
            assert box is not None
            assert field.evaluate(NATURAL_WIDTH) <= box["width"] + 0.5, name
