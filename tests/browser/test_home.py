"""The home page: a card for each game, and first the game in progress."""

import re

import pytest
from playwright.sync_api import expect

from damier.games import GAMES
from tests.browser.conftest import NewPage
from tests.support.page_driver import (
    OWN,
    assert_accessible,
    open_page,
    press_cell,
    wait_for_move,
)


@pytest.mark.parametrize(
    ("width", "height", "lang"),
    [(1280, 800, "en"), (1280, 800, "fr"), (390, 844, "fr"), (1024, 768, "en"), (2560, 1300, "en")],
)
def test_every_game_can_be_begun_without_scrolling(
    new_page: NewPage, width: int, height: int, lang: str
) -> None:
    page = open_page(new_page(width, height, lang=lang), "")
    buttons = page.locator(".card .main")
    expect(buttons).to_have_count(len(GAMES))
    for button in buttons.all():
        box = button.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= height
    assert page.locator(".card h2").all_inner_texts()[:2] == ["Fanorona", "Seega"]
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_the_buttons_of_a_card_have_one_arrangement_in_both_languages(
    new_page: NewPage, lang: str
) -> None:
    page = new_page(lang=lang)
    for width in (1180, 1280, 2560):
        page.set_viewport_size({"width": width, "height": 800})
        open_page(page, "")
        boxes = page.eval_on_selector_all(
            ".card .row > :not(.main)",
            """all => all.map((e) => {
                const { height } = e.getBoundingClientRect();
                return [Math.round(height), e.scrollWidth <= e.clientWidth, e.offsetTop];
            })""",
        )
        assert len({height for height, _, _ in boxes}) == 1
        assert all(fits for _, fits, _ in boxes)
        assert len({top for _, _, top in boxes}) == 2  # two by two


def test_the_words_of_a_card_fit_a_narrow_phone(new_page: NewPage) -> None:
    page = open_page(new_page(320, 640, lang="fr"), "")
    cut = page.eval_on_selector_all(
        ".card button, .card .button",
        "all => all.filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.textContent)",
    )
    assert cut == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_the_game_under_way_comes_first(new_page: NewPage) -> None:
    page = open_page(new_page(), "")
    expect(page.locator(".current-game")).to_have_count(0)  # nobody has played yet
    open_page(page, "#/play/chefa?b=level:1")
    press_cell(page, "b2")
    wait_for_move(page)
    open_page(page, "")
    first = page.locator(".current-game")
    expect(first.locator("h2")).to_have_text("Chefa")
    expect(first).to_contain_text("Your move.")
    expect(first).to_contain_text(re.compile(r"^.*You – Computer \(level 1\) · 2 moves · "))
    expect(first.locator(".board .pawn")).to_have_count(2)  # the board as it stands
    last = page.locator(".card .main").last.bounding_box()
    assert last is not None
    assert last["y"] + last["height"] <= 800
    assert_accessible(page)
    first.get_by_role("button", name="Resume").click()
    wait_for_move(page)
    expect(page.locator(".turns .turn")).to_have_count(2)
    page.click(".actions .menu")
    page.click(".menu-list .resign")
    page.click("dialog .confirm")
    open_page(page, "")
    expect(page.locator(".current-game")).to_have_count(0)  # it is over


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        (
            "en",
            ["just now", "5 minutes ago", "yesterday", "3 days ago", "1 January", "19 March 2024"],
        ),
        (
            "fr",
            [
                "à l’instant",
                "il y a 5 minutes",
                "hier",
                "il y a 3 jours",
                "1er janvier",
                "19 mars 2024",
            ],
        ),
    ],
)
def test_dates_are_natural(new_page: NewPage, lang: str, words: list[str]) -> None:
    page = open_page(new_page(lang=lang), "")
    page.clock.set_fixed_time("2026-11-19T12:00:00")
    found = page.evaluate(
        f"""async (name) => {{
            const {{ formatAge }} = await {OWN};
            const times = ['2026-11-19T12:00', '2026-11-19T11:55', '2026-11-18T23:00',
                '2026-11-16T08:00', '2026-01-01T10:00', '2024-03-19T10:00'];
            return times.map((time) => formatAge(Date.parse(time)));
        }}""",
        "core/i18n.js",
    )
    assert found == words
