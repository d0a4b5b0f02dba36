"""Every page in both languages, sizes and themes: texts complete, nothing cut off, accessible."""

import re

import pytest
from playwright.sync_api import Page, expect

from damier.games import GAMES
from tests.browser.conftest import NewPage, on_both
from tests.support.page_driver import assert_accessible, moves, open_page, press_cell

PAGES = [
    "",
    *(f"#/play/{name}?b=level:1" for name in GAMES),
    "#/play/chefa?mode=study&turns=b2_d4_b3",
    "#/play/chefa?turns=a1_a5_b1_b5_c1_e4_d1",
    *(f"#/rules/{name}" for name in GAMES),
    "#/setup/badia",
    "#/setup/seega",
    "#/progress",
    "#/nowhere",
]
SIZES = {"phone": (360, 740), "desktop": (1280, 800)}


@pytest.mark.parametrize(
    ("new_page", "links", "size", "lang"),
    [
        ("server", PAGES, "phone", "fr"),
        ("server", PAGES, "desktop", "en"),
        pytest.param("server", PAGES, "phone", "en", marks=pytest.mark.exhaustive),
        pytest.param("server", PAGES, "desktop", "fr", marks=pytest.mark.exhaustive),
        ("site", ["", PAGES[1], "#/rules/chefa", "#/setup/seega"], "phone", "fr"),
    ],
    indirect=["new_page"],
    ids=lambda value: "" if isinstance(value, list) else value,
)
def test_every_page(new_page: NewPage, links: list[str], size: str, lang: str) -> None:
    width, height = SIZES[size]
    theme = "dark" if (size == "phone") == (lang == "fr") else "light"
    page = new_page(width, height, lang=lang, theme=theme)
    for link in links:
        open_page(page, link)
        assert page.evaluate("document.documentElement.lang") == lang
        expect(page.locator("main > *")).not_to_have_class("faint loading")
        assert "⟨" not in page.content(), link
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, (link, wide)
        if link.startswith("#/play"):
            assert_board_is_whole(page, height)
        assert_accessible(page)


def assert_board_is_whole(page: Page, height: int) -> None:
    """The board fits without scrolling, and what is touched is 40 pixels wide or more."""
    box = page.locator(".stage .board").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["y"] + box["height"] <= height
    small = page.eval_on_selector_all(
        "main button, main a.button, main select, header button",
        """all => all.filter((e) => e.offsetParent && !e.closest('.line')).map((e) => {
            const { width, height } = e.getBoundingClientRect();
            return [e.outerHTML.slice(0, 120), width, height];
        }).filter(([, width, height]) => width < 39.5 || height < 39.5)""",
    )
    assert small == []


@pytest.mark.parametrize(("width", "height"), [(360, 640), (740, 360), (1024, 768)])
def test_the_board_fits_every_screen(new_page: NewPage, width: int, height: int) -> None:
    page = new_page(width, height)
    for link in ("badia", "seega?size=7", "fanorona", "fanorona?board=13x3"):
        open_page(page, f"#/play/{link}")
        box = page.locator(".stage .board").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] + box["height"] <= height
        assert page.locator(".prompt").is_visible()


def test_dialogs_are_accessible(new_page: NewPage) -> None:
    page = new_page(360, 740)
    for name in GAMES:
        open_page(page, f"#/play/{name}")
        for open_ in (".actions .share", ".actions .menu"):
            page.click(open_)
            page.wait_for_selector("dialog[open]")
            assert_accessible(page)
            page.keyboard.press("Escape")
        page.click(".actions .menu")
        page.click(".menu-list .choose")
        page.locator("dialog summary").click()
        assert_accessible(page)
        assert "⟨" not in page.content()
        page.keyboard.press("Escape")


@on_both
def test_the_language_is_switched_and_remembered(new_page: NewPage) -> None:
    page = open_page(new_page(lang="fr"), "#/play/chefa")
    expect(page.locator(".actions .new")).to_have_text("Nouvelle partie")
    press_cell(page, "b2")
    page.get_by_role("button", name="English").click()
    expect(page.locator(".actions .new")).to_have_text("New game")
    expect(page.locator(".turns .turn")).to_have_text("1.b2")
    page.reload()
    expect(page.locator(".actions .new")).to_have_text("New game")
    assert moves(page) == ["b2"]


def test_the_theme_is_switched_and_remembered(new_page: NewPage) -> None:
    page = open_page(new_page(), "")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Light or dark").click()
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert dark != ground
    page.reload()
    page.wait_for_selector(".cards")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark


def test_tapping_on_a_phone(new_page: NewPage) -> None:
    page = open_page(new_page(360, 740, has_touch=True, is_mobile=True), "#/play/fanorona")
    page.tap(".cell[data-cell=d3]")
    page.tap(".choice.by-A")
    expect(page.locator(".turns .turn")).to_have_text("1.d3-e3A")
    open_page(page, "#/play/chefa?turns=a1_a5_b1_b5_c1_e4_e5")
    page.tap(".cell[data-cell=c5]")
    expect(page.locator(".turns .turn")).to_have_count(8)
    assert page.evaluate("scrollY") == 0  # the board stays, whatever is written below it


def test_choosing_opponent_and_rules(new_page: NewPage) -> None:
    page = open_page(new_page(), "")
    page.get_by_role("button", name="Fanorona: choose opponent and rules").click()
    page.get_by_text("Two people here").click()
    page.locator("dialog summary").click()
    page.get_by_text("International", exact=True).click()
    page.locator("dialog select[name=board]").select_option("3x3")
    page.click("dialog .begin")
    expect(page.locator(".cell")).to_have_count(9)
    assert "capture=forced" in page.url
    assert "board=3x3" in page.url


def test_positions_to_try_in_the_rules(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/rules/fraha")
    tries = page.locator(".diagram:has(.feedback)")
    assert tries.count() > 0
    first = tries.first
    expect(first.locator(".cell.selectable")).not_to_have_count(0)
    first.get_by_role("button", name="Show the answer").click()
    expect(first.locator(".feedback")).to_contain_text("The answer is")


@pytest.mark.parametrize("name", GAMES)
def test_every_diagram_can_be_tried_in_place(new_page: NewPage, name: str) -> None:
    """In every game: a move to find is recognised, and any other diagram can be played with."""
    page = open_page(new_page(360, 740, lang="fr"), f"#/rules/{name}")
    figures = page.locator(".diagram")
    for number in range(figures.count()):
        figure = figures.nth(number)
        here = figure.get_by_role("button", name="Essayer ici")
        if here.count():
            here.click()
        expect(figure.locator(".feedback")).not_to_be_empty()
        expect(figure.locator(".cell.selectable, .row .main")).not_to_have_count(0)
    found = figures.filter(has=page.get_by_role("button", name="Voir la réponse")).first
    found.get_by_role("button", name="Voir la réponse").click()
    answer = re.findall(r"[a-i]\d", found.locator(".feedback").inner_text())
    for cell in answer[:2]:
        if found.locator(".cell.selectable").count():  # a pawn with one way goes by itself
            found.locator(f".cell[data-cell={cell}]").click()
    expect(found).to_have_class(re.compile("right"))
    assert "⟨" not in page.content()
    assert_accessible(page)


def test_home_is_alive(new_page: NewPage) -> None:
    page = open_page(new_page(motion="no-preference"), "")
    expect(page.locator(".card")).to_have_count(5)
    chefa = page.locator(".card.chefa .pawn")
    expect(chefa).not_to_have_count(0, timeout=15_000)


def test_a_move_is_animated_and_can_be_followed(new_page: NewPage) -> None:
    page = open_page(new_page(motion="no-preference"), "#/play/fraha?b=level:1")
    press_cell(page, "a1")
    press_cell(page, "a2")
    press_cell(page, "e3")
    expect(page.locator(".turns .turn").nth(1)).to_be_attached(timeout=30_000)
    expect(page.locator(".last")).not_to_have_count(0)


def test_a_click_does_not_wait_for_the_animation(new_page: NewPage) -> None:
    page = open_page(new_page(motion="no-preference"), "#/play/chefa")
    page.keyboard.press("t")
    page.keyboard.type("b2")
    page.keyboard.press("Enter")
    page.wait_for_selector(".last", state="attached")
    page.click(".cell[data-cell=d4]")
    expect(page.locator(".turns .turn")).to_have_text(["1.b2", "2.d4"])


def test_an_unknown_address_gets_a_friendly_page(new_page: NewPage) -> None:
    page = new_page(noise="404")
    page.goto("/play/nothing")
    expect(page.locator(".wrong .message")).to_contain_text("/play/nothing")
    page.get_by_role("link", name="Go to the home page").click()
    expect(page.locator(".card")).to_have_count(5)
