"""The explorer: values of moves, their difficulty, and results of earlier games."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import NewPage, every_width
from tests.support.page_driver import assert_accessible, moves, open_page, send_request, settle

# White has resigned the first, and won the second by the rules; the third goes on. The second and
# the third are the first one's mirror images.
PLAYED = (
    "#/play/chefa?turns=b2_d4_b3&resigned=w",
    "#/play/chefa?turns=d2_b4_d3_b5_d1_a4_d4",
    "#/play/chefa?turns=b4_d2",
)


def explored(page: Page, link: str) -> Page:
    """Open the analysis of a position at the explorer."""
    open_page(page, link)
    expect(page.locator(".values .tabs")).to_be_visible(timeout=60_000)
    if page.locator(".tabs .moves[aria-pressed=true]").count() == 0:
        page.click(".tabs .moves")
    expect(page.locator(".explorer tbody tr").first).to_be_visible(timeout=60_000)
    return page


def row(page: Page, move: str) -> Locator:
    return page.locator(f".explorer tr:has(button[data-turn={move}])")


def test_moves_are_counted_in_your_own_games(new_page: NewPage) -> None:
    page = new_page()
    for link in PLAYED:
        open_page(page, link)
    explored(page, "#/play/chefa?mode=study")
    caption = page.locator(".explorer caption")
    expect(caption).to_have_text("3 of your games have come here.")
    # Four corners of a square are one move, and what was played is counted up to symmetry.
    mine = row(page, "b2")
    expect(mine.locator("th small")).to_have_text("or b4, d2, d4")
    expect(mine.locator(".own-results b")).to_have_text("3 ×")
    expect(mine.locator(".own-results small")).to_have_text("+1 =0 −1")
    expect(mine.locator(".own-results .visually-hidden")).to_have_text(
        "played in 3 games: won 1, drawn 0, lost 1"
    )
    expect(page.locator(".own-results b")).to_have_count(1)
    mine.locator("button").click()
    expect(caption).to_have_text("3 of your games have come here.")
    assert moves(page) == ["b2"]
    # Those who went on with the opposite corner: the loser of the one, the winner of the other.
    expect(row(page, "d4").locator(".own-results small")).to_have_text("+1 =0 −1")
    explored(page, "#/play/chefa?mode=study&turns=a1")
    expect(caption).to_have_text("None of your games has come here yet.")


def test_other_rules_and_analyses_are_not_counted(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/chefa?turns=b2_d4&line=contiguous")
    open_page(page, "#/play/chefa?turns=b2_d4_b3")
    page.click(".actions .analyse")
    explored(page, page.url[page.url.index("#") :])
    expect(page.locator(".explorer caption, .prompt-box.over")).to_have_text(
        "1 of your games has come here."
    )


def test_a_record_that_was_opened_is_counted(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/chefa")
    page.click(".actions .share")
    page.click("dialog .import summary")
    heads = '[Game "chefa"]\n[White "Ada"]\n[Black "Blaise"]\n[Result "0-1"]\n[Reason "resigned"]'
    record = f"{heads}\n\n1. b2 2. d4"
    page.locator("dialog textarea[name=paste]").fill(record)
    page.click("dialog .open")
    expect(page.locator(".turns .turn")).to_have_count(2)
    explored(page, "#/play/chefa?mode=study")
    expect(row(page, "b2").locator(".own-results small")).to_have_text("+0 =0 −1")


DRAWN = "#/play/badia?mode=study&repetition=draw&turns=b1_d1_b5_d5_a2_e2_a4_e4_a1_e1_b1-c1"


@pytest.mark.parametrize(("lang", "said"), [("en", "% of "), ("fr", "des réponses")])
def test_drawn_moves_say_what_is_difficult_about_them(
    new_page: NewPage, lang: str, said: str
) -> None:
    page = explored(new_page(lang=lang), DRAWN)
    link = DRAWN.replace("#/play/", "").split("?turns")[0]
    played = DRAWN.rpartition("=")[2].split("_")
    found = send_request(
        page,
        "analysis",
        {
            "game": link.split("?")[0],
            "options": {"repetition": "draw"},
            "turns": played,
            "seconds": 0.5,
        },
    )
    drawn = [v for v in found["turns"] if v["outcome"] == "draw" and 0.01 < (v["risk"] or 0) < 0.99]
    assert drawn, "no drawn move of this position sets a trap"
    cell = row(page, drawn[0]["turn"]).locator("td").first
    expect(cell).to_contain_text(f"{round(100 * drawn[0]['risk'])}")
    expect(cell).to_contain_text(said)
    shown = page.locator(".explorer .turn").evaluate_all("all => all.map((b) => b.dataset.turn)")
    order = [v["turn"] for v in found["turns"]]
    assert shown == sorted(shown, key=order.index)
    assert "⟨" not in page.content()


def test_the_explorer_by_keyboard(new_page: NewPage) -> None:
    page = explored(new_page(), "#/play/chefa?mode=study")
    page.locator(".explorer .turn").first.focus()
    page.keyboard.press("ArrowDown")
    second = page.locator(".explorer .turn").nth(1)
    expect(second).to_be_focused()
    move = second.inner_text()
    page.keyboard.press("Enter")
    expect(page.locator(".turns .turn")).to_have_count(1)
    # The focus is on the best reply: one goes on with Enter.
    expect(page.locator(".explorer .turn").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".turns .turn")).to_have_count(2)
    assert moves(page)[0] == move
    page.keyboard.press("ArrowLeft")
    settle(page)
    assert moves(page) == [move]


@every_width
def test_the_explorer_fits(new_page: NewPage, width: int, lang: str) -> None:
    page = new_page(width, 800, lang=lang, theme="dark" if lang == "fr" else "light")
    open_page(page, PLAYED[0])
    explored(page, DRAWN)
    explored(page, "#/play/chefa?mode=study")
    expect(page.locator(".own-results b")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    list_ = page.locator(".values")
    assert list_.evaluate("box => box.scrollWidth <= box.clientWidth")
    assert_accessible(page)
    page.locator(".tabs").scroll_into_view_if_needed()
    expect(page.locator(".board")).to_be_in_viewport(ratio=0.5)
