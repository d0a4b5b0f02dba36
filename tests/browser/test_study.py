"""Analysis and review: labels and layout."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import NewPage
from tests.support.page_driver import assert_accessible, open_page, settle

# Five moves draw here: after four of them most replies lose, after a2, which was played, none does.
MISSED = "#/play/chefa?first_mover=last&turns=b2_c2_a2_a1_c1&mode=study"


def reviewed(page: Page) -> None:
    page.click(".actions .review")
    expect(page.locator(".review h3")).to_be_visible(timeout=60_000)
    settle(page)


@pytest.mark.parametrize(
    ("lang", "kind", "why"),
    [
        ("en", "chance missed", r"Still drawn, but after \w+ 8\d% of Black’s replies lose."),
        ("fr", "occasion manquée", "Toujours nulle, mais après .* des réponses des Noirs perdent."),
    ],
)
def test_a_kept_draw_differs_from_a_missed_chance(
    new_page: NewPage, lang: str, kind: str, why: str
) -> None:
    page = open_page(new_page(lang=lang), MISSED)
    reviewed(page)
    missed = page.locator(".review li.missed")
    expect(missed).to_have_count(1)
    expect(missed).to_contain_text("3. a2")
    expect(missed.locator(".kind")).to_have_text(kind)
    expect(missed.locator("small")).to_have_text(re.compile(why))
    expect(page.locator(".review dd").first).to_contain_text(f"1 {kind}")
    expect(page.locator(".turns .turn.missed .mark")).to_have_count(1)


def test_the_difficulty_of_a_draw_stands_beside_its_proved_value(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/chefa?first_mover=last&turns=b2_c2&mode=study")
    verdict = page.locator(".verdict b")
    expect(verdict).to_have_text("White to move: drawn, but difficult for Black.")
    row = page.locator(".values li").first
    expect(row.locator(".move-value")).to_have_text("Draw")
    expect(row.locator(".risk")).to_have_text(
        re.compile(r"^Difficult for Black: \d+% of the replies lose\.$")
    )
    open_page(page, "#/play/chefa?first_mover=last&turns=b2_c2")
    page.click(".actions .hint")
    expect(page.locator(".prompt small")).to_have_text(re.compile("^Difficult for Black: 8"))


@pytest.mark.parametrize(
    ("lang", "words", "row"),
    [
        ("en", r"^White’s chances: about \d+%$", r"^\d+% for White$"),
        ("fr", "^Chances des Blancs\u00a0: environ \\d+\u00a0%$", "^\\d+\u00a0% pour les Blancs$"),
    ],
)
def test_a_percentage_has_a_label(new_page: NewPage, lang: str, words: str, row: str) -> None:
    page = new_page(lang=lang)
    page.goto("/#/play/fanorona?mode=study&turns=d3-e3A_d4-d3A")
    expect(page.locator(".verdict b")).to_have_text(re.compile(words), timeout=60_000)
    expect(page.locator(".values .move-value").first).to_have_text(re.compile(row))
    badges = page.locator(".marks-above .value")
    assert 1 <= badges.count() <= 5  # the best that can be done, not every pawn
    page.locator(".cell.selectable").first.click()
    expect(page.locator(".marks-above .value").first).to_be_visible()


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", "the moves of both sides are counted"),
        ("fr", "les coups des deux camps sont comptés"),
    ],
)
def test_a_proved_distance_says_whose_moves_are_counted(
    new_page: NewPage, lang: str, words: str
) -> None:
    page = open_page(new_page(lang=lang), "#/play/chefa?mode=study")  # won in 9
    proof = page.locator(".verdict .faint")
    expect(proof).to_contain_text(words)
    open_page(page, "#/play/chefa?mode=study&turns=b2_b4_d2_d4_c2_e1")  # won in 1
    expect(page.locator(".values .turn").first).to_be_visible()
    expect(proof).not_to_contain_text(words)


def test_an_answer_before_compilation_is_labelled(new_page: NewPage) -> None:
    page = new_page()

    def hasty(route: Route) -> None:
        found = route.fetch().json()
        route.fulfill(json={**found, "hasty": True})

    page.route("**/api/v1/analysis", hasty)
    open_page(page, "#/play/chefa?mode=study&turns=b2_d4")
    expect(page.locator(".verdict")).to_contain_text("A quick estimate")
    open_page(page, "#/play/chefa?turns=b2_d4")
    page.click(".actions .hint")
    expect(page.locator(".prompt small")).to_contain_text("A quick estimate")


@pytest.mark.parametrize(
    ("width", "height", "lang"),
    [(1280, 800, "fr"), (1280, 800, "en"), (2560, 1300, "en"), (320, 640, "fr"), (390, 844, "fr")],
)
def test_nothing_in_the_review_is_cut_off(
    new_page: NewPage, width: int, height: int, lang: str
) -> None:
    page = open_page(new_page(width, height, lang=lang), MISSED)
    reviewed(page)
    cut = page.eval_on_selector_all(
        ".panel button, .actions button, .move-navigation button, .review li, .panel h3, .panel dd",
        "all => all.filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent)",
    )
    assert cut == []
    boxes = page.eval_on_selector_all(
        ".panel, .panel *",
        "all => all.filter((e) => /auto|scroll/.test(getComputedStyle(e).overflowY)"
        " && e.scrollHeight > e.clientHeight + 1).map((e) => e.className)",
    )
    assert boxes == []  # the page is scrolled, and nothing in it
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    graph = page.locator(".graph svg").bounding_box()
    assert graph is not None
    points = page.locator(".graph .fault").all()
    assert points  # one of them on the last move
    for point in points:
        box = point.bounding_box()
        assert box is not None
        assert graph["x"] - 0.5 <= box["x"]
        assert box["x"] + box["width"] <= graph["x"] + graph["width"] + 0.5
    page.mouse.wheel(0, 3000)
    board = page.locator(".stage .board").bounding_box()
    assert board is not None
    assert board["y"] >= 0
    assert board["y"] + board["height"] <= height  # it stays while the rest goes by
    assert_accessible(page)


def test_each_side_has_a_column_of_moves(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/chefa?turns=b2_d4_b3_d3_c2")
    expect(page.locator(".turns .side")).to_have_text(["White", "Black"])

    def left(place: int) -> float:
        box = page.locator(".turns .turn").nth(place).bounding_box()
        assert box is not None
        return box["x"]

    assert left(0) == left(2) == left(4) < left(1) == left(3)
    expect(page.locator(".turns [aria-current]")).to_have_text("5.c2")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".turns [aria-current]")).to_have_text("4.d3")
    page.keyboard.press("Home")
    expect(page.locator(".turns [aria-current]")).to_have_count(0)
    page.locator(".turns .turn").first.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".turns [aria-current]")).to_have_text("2.d4")
    expect(page.locator(".turns [aria-current]")).to_be_focused()


def test_the_last_move_of_a_link_is_in_sight(new_page: NewPage) -> None:
    turns = "b1_d1_b5_d5_a2_e2_a4_e4_a1_e1_b1-c1"
    page = open_page(new_page(lang="fr"), f"#/play/badia?turns={turns}")
    last = page.locator(".turns .turn[aria-current]")
    expect(last).to_contain_text("b1-c1")
    expect(last).to_be_in_viewport(ratio=0.9)


def test_two_moves_in_a_row_stay_in_one_column(new_page: NewPage) -> None:
    """With pawns placed and the last to place moving first, Black plays two moves in a row."""
    first = "#/play/chefa?first_mover=last&turns=a1_a5_b1_b5_d2_d4_e2_e4"
    page = open_page(new_page(), first)
    press = page.locator(".typed input")
    press.fill("e4-e3")
    page.keyboard.press("Enter")
    expect(page.locator(".turns .turn")).to_have_count(9)
    expect(page.locator(".turns .turn").nth(7)).to_have_class(re.compile(r"\bb\b"))
    expect(page.locator(".turns .turn").nth(8)).to_have_class(re.compile(r"\bb\b"))
    page.reload()
    settle(page)
    expect(page.locator(".turns .turn").nth(8)).to_have_class(re.compile(r"\bb\b"))


@pytest.mark.parametrize("name", ["chefa", "fanorona"])
def test_wide_screens_are_used(new_page: NewPage, name: str) -> None:
    page = open_page(new_page(2560, 1300), f"#/play/{name}?b=level:1")
    board, ask = (page.locator(part).bounding_box() for part in (".stage .board", ".prompt-box"))
    assert board is not None
    assert ask is not None
    assert board["height"] > 1000
    assert ask["width"] > 600
    assert page.evaluate("document.documentElement.scrollWidth") <= 2560
    assert page.evaluate("document.documentElement.scrollHeight") <= 1300
