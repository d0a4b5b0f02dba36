"""A player's first game: its aim, its end, and suggestions for the next."""

import re

import pytest
from playwright.sync_api import expect

from damier.games import GAMES
from tests.browser.conftest import NewPage
from tests.support.page_driver import assert_accessible, open_page, press_cell, settle


@pytest.mark.parametrize("name", GAMES)
def test_the_aim_is_on_the_table_with_a_picture(new_page: NewPage, name: str) -> None:
    page = open_page(new_page(), f"#/play/{name}?b=level:1")
    aim = page.locator(".aim")
    expect(aim.locator("h2")).to_have_text(GAMES[name].texts("en")["name"])
    expect(aim.locator("p")).to_have_text(GAMES[name].texts("en")["aim"])
    assert aim.locator(".board .pawn").count() >= 3
    # Either a pattern that wins, or a capture about to be made.
    assert aim.locator(".pattern").count() or aim.locator(".take").count()
    aim.get_by_role("link", name="Rules").click()
    expect(page.locator(".rules h1")).to_contain_text(GAMES[name].texts("en")["name"])


@pytest.mark.parametrize(("width", "height"), [(320, 640), (390, 844)])
def test_on_a_phone_the_aim_stays_available_below_the_buttons(
    new_page: NewPage, width: int, height: int
) -> None:
    page = open_page(new_page(width, height, lang="fr"), "#/play/chefa?turns=b2_d4_b3")

    def is_above() -> bool:
        aim, ask = (page.locator(part).bounding_box() for part in (".aim", ".prompt-box"))
        assert aim is not None
        assert ask is not None
        return aim["y"] < ask["y"]

    assert not is_above()  # the buttons stay above the fold
    hint = page.locator(".actions .hint").bounding_box()
    assert hint is not None
    assert hint["y"] + hint["height"] <= height
    press_cell(page, "d3")
    open_page(page, "#/play/chefa")  # another game
    assert not is_above()
    expect(page.locator(".aim")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(
    ("lang", "said", "ways"),
    [
        (
            "en",
            "line up on a1, b1, c1 and d1",
            ["Try again", "Show me", "Learn from your mistakes", "Learn"],
        ),
        (
            "fr",
            "s’aligner en a1, b1, c1 et d1",
            ["Réessayer", "Montrez-moi", "Apprendre de vos erreurs", "Apprendre"],
        ),
    ],
)
def test_a_lost_game_says_what_happened_and_shows_where(
    new_page: NewPage, lang: str, said: str, ways: list[str]
) -> None:
    page = open_page(new_page(lang=lang), "#/play/chefa?turns=a1_a5_b1_b5_c1_e4_d1&w=level:1")
    expect(page.locator(".prompt-box.over .prompt small")).to_contain_text(said)
    after = page.locator(".prompt-box.over .row")
    expect(after.locator("> *")).to_have_text(ways)
    assert_accessible(page)
    after.get_by_text(ways[1]).click()
    here = page.locator(".review li.current")
    expect(here).to_have_count(1, timeout=60_000)
    expect(here).to_contain_text("4. b5")  # lost from the start, but not so soon
    expect(page.locator(".pointer.worse")).not_to_have_count(0)  # and there it is on the board
    expect(page.locator(".pointer.best")).not_to_have_count(0)


def test_the_loser_is_shown_the_losing_move(new_page: NewPage) -> None:
    """White, who has resigned, was winning until c2."""
    page = open_page(new_page(), "#/play/chefa?turns=b2_d4_b3_d3_c2_d1&b=level:1&resigned=w")
    page.locator(".prompt-box.over .row").get_by_text("Show me").click()
    here = page.locator(".review li.current")
    expect(here).to_have_count(1, timeout=60_000)
    expect(here).to_have_class(re.compile("blunder"))
    expect(here).to_contain_text("5. c2")


def test_a_game_lost_by_captures_names_the_largest_capture(new_page: NewPage) -> None:
    start = "........./........./..w.bb.../........./.........~w~0"
    page = open_page(new_page(), f"#/play/fanorona?from={start}&turns=c3-d3A&w=level:1")
    expect(page.locator(".prompt-box.over .prompt small")).to_have_text(
        "Your pawns were all captured: move 1 alone took 2 of them."
    )


def test_pawn_counts_are_given_to_the_loser(new_page: NewPage) -> None:
    start = ".w..b/.w.../.w.../.w.../.w...~b~0~0~-~0"
    page = open_page(new_page(), f"#/play/seega?from={start}&w=level:1")
    expect(page.locator(".prompt-box.over .prompt small")).to_have_text(
        "Your pawns were outnumbered, 1 to 5, when a barrier divided the board."
    )


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_a_win_is_celebrated(new_page: NewPage, motion: str) -> None:
    page = open_page(new_page(motion=motion), "#/play/chefa?turns=a1_a5_b1_b5_c1_e4&b=level:1")
    for said in ("Your first win against level 1!", "Win number 2 against level 1."):
        press_cell(page, "d1")
        expect(page.locator(".prompt-box.over strong")).to_have_text("You have won!")
        expect(page.locator(".prompt-box.over .prompt small")).to_have_text(said)
        expect(page.locator(".burst")).to_have_count(int(motion != "reduce"))
        expect(page.locator(".burst")).to_have_count(0)  # it is over soon
        open_page(page, "#/play/chefa?turns=a1_a5_b1_b5_c1_e4&b=level:1")
    press_cell(page, "d1")
    page.reload()  # a game looked at again is not won again
    settle(page)
    expect(page.locator(".prompt-box.over strong")).to_have_text("You have won!")
    expect(page.locator(".prompt-box.over .prompt small")).to_have_count(0)


def test_the_draw_by_ten_moves_is_shown_to_its_end(new_page: NewPage) -> None:
    """Fewer than five pawns each: ten moves in a row without a capture, and the game is drawn."""
    start = "w......../........./........./........./........b~w~0"
    page = open_page(new_page(), f"#/play/fanorona?from={start}")
    there = ["a5-b5", "i1-h1", "b5-c5", "h1-g1", "c5-d5", "g1-f1"]
    for number, move in enumerate([*there, "d5-c5", "f1-g1", "c5-b5"], 1):
        page.fill(".typed input", move)
        page.keyboard.press("Enter")
        expect(page.locator(".turns .turn")).to_have_count(number)
        settle(page)
        expect(page.locator(".prompt-box.over")).to_have_count(0)
    expect(page.locator(".prompt small")).to_contain_text("9. At 10 the game is drawn.")
    page.fill(".typed input", "g1-h1")
    page.keyboard.press("Enter")
    expect(page.locator(".prompt-box.over.drawn strong")).to_have_text("A draw.")
    expect(page.locator(".prompt-box.over .prompt")).to_contain_text(
        re.compile("the limit of moves without a capture is reached")
    )
    expect(page.locator(".cell.selectable")).to_have_count(0)
    page.click(".cell[data-cell=b5]")
    expect(page.locator(".message")).to_have_text("The game is over: start a new one.")
