"""Moves in Fanorona and the other games: selection, capture choice, dragging."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.support.page_driver import (
    moves,
    open_page,
    press_cell,
    send_request,
    settle,
    shown_game,
    touch_drag,
)

FANORONA = "#/play/fanorona"


def cell(page: Page, name: str) -> None:
    press_cell(page, name)


def prompt(page: Page) -> str:
    settle(page)
    return page.inner_text(".prompt")


def why(page: Page) -> str:
    settle(page)
    return page.inner_text(".message")


def lit(page: Page) -> set[str]:
    """Return the cells that can be clicked."""
    settle(page)
    names: list[str] = page.eval_on_selector_all(
        ".cell.selectable", "cells => cells.map((c) => c.dataset.cell)"
    )
    return set(names)


def said_of(page: Page, name: str) -> str:
    settle(page)
    return page.get_attribute(f".cell[data-cell={name}]", "aria-label") or ""


def test_a_pawn_with_one_displacement_goes_by_itself(new_page: NewPage) -> None:
    page = open_page(new_page(), FANORONA)
    assert lit(page) == {"d2", "d3", "e2", "f2"}
    cell(page, "e2")
    expect(page.locator(".turns .turn")).to_have_text("1.e2-e3A")


def test_targets_light_up_and_a_click_plays(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/fraha")
    cell(page, "a1")
    assert {"a2", "b1"} <= lit(page)
    assert "in play" in said_of(page, "a1")
    assert page.locator(".pawn.picked").count() == 1
    cell(page, "b1")
    cell(page, "c1")  # where the black pawn of b2 is teleported
    assert moves(page) == ["a1-b1,b2>c1"]


def test_approach_or_withdrawal_is_asked_beside_the_board(new_page: NewPage) -> None:
    page = open_page(new_page(), FANORONA)
    cell(page, "d3")
    expect(page.locator(".choice")).to_have_count(2)
    assert "f3" in page.inner_text(".choice.by-A")
    assert "c3" in page.inner_text(".choice.by-W")
    assert "would be captured" in said_of(page, "f3")
    assert "would be captured" in said_of(page, "c3")
    page.keyboard.press("Escape")
    expect(page.locator(".choice")).to_have_count(0)
    cell(page, "d3")
    cell(page, "c3")  # clicking one of the pawns chooses too
    expect(page.locator(".turns .turn")).to_have_text("1.d3-e3W")


def test_a_chain_shows_the_active_pawn_stars_and_end_move(new_page: NewPage) -> None:
    page = open_page(
        new_page(), "#/play/fanorona?from=b..b...../........./.w.b...../.b.b...../b.......w~w~0"
    )
    state = send_request(page, "state", shown_game(page))
    chain = next(s for s in state["steps"] if s["then"])
    cell(page, chain["origin"])
    if page.locator(".pawn.picked").count() and not page.locator(".choice").count():
        cell(page, chain["target"])
    if page.locator(".choice").count():
        page.click(f".choice.by-{chain['by']}")
    expect(page.locator(".pawn.active")).to_have_count(1)
    expect(page.locator(".star")).to_have_count(len(chain["closed"]))
    assert "closed" in said_of(page, chain["closed"][0])
    cell(page, chain["closed"][0])
    assert "closed" in why(page)
    expect(page.locator(".end-turn")).to_be_visible()
    nxt = next(s["target"] for s in chain["then"] if s["kind"] == "move")
    assert nxt in lit(page)  # the next target is clicked directly
    page.locator(".prompt").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".turns .turn")).to_have_count(1)
    assert moves(page) == [next(s["turn"] for s in chain["then"] if s["kind"] == "stop")]


def test_the_move_passes_by_itself_when_no_capture_is_left(new_page: NewPage) -> None:
    page = open_page(new_page(), f"{FANORONA}?b=level:1")
    cell(page, "e2")
    expect(page.locator(".turns .turn")).to_have_count(2)
    expect(page.locator(".end-turn")).to_have_count(0)


def test_the_name_of_the_player_to_move_is_yellow_and_can_be_changed(new_page: NewPage) -> None:
    page = open_page(new_page(), FANORONA)
    yellow = "rgb(255, 216, 77)"
    expect(page.locator(".bar.turn .player-name")).to_have_css("background-color", yellow)
    page.click(".bar.turn .player-name")
    page.keyboard.type("Ada")
    page.keyboard.press("Enter")
    expect(page.locator(".bar.turn .player-name")).to_have_text("Ada")
    open_page(page, FANORONA)
    expect(page.locator(".bar.turn .player-name")).to_have_text("Ada")


def test_the_first_player_is_drawn_by_lot_and_then_alternates(new_page: NewPage) -> None:
    page = open_page(new_page(), "")
    page.get_by_role("button", name="Play Chefa", exact=True).click()
    colours = []
    for _ in range(3):
        page.wait_for_selector(".board")
        colours.append("w" if "b=level" in page.url else "b")
        before = page.url
        page.click(".actions .new")
        expect(page).not_to_have_url(before)
        settle(page)
    assert colours in (["w", "b", "w"], ["b", "w", "b"])


ENDS = [
    ("chefa", "turns=a1_a5_b1_b5_c1_e4_d1", "White wins: all pawns in a line", 4),
    ("seega", "from=bb.../bb.../wwwww/...../.....~b~0~0~-~3", "barrier", 5),
    ("fanorona", "from=w......../........./........./........./........b~w~10", "drawn", 0),
    ("fanorona", "from=w......../........./........./........./.........~b~0", "captured", 0),
    ("badia", "from=wwwww/b###./b#.#./b###./bb...~b~-~-~-", "block", 5),
    ("fraha", "from=wwww./.b.b./...../.b.b./.....~b", "line", 4),
]


@pytest.mark.parametrize(("name", "rest", "words", "pattern"), ENDS)
def test_the_end_is_announced_and_shown(
    new_page: NewPage, name: str, rest: str, words: str, pattern: int
) -> None:
    page = open_page(new_page(), f"#/play/{name}?{rest}")
    expect(page.locator(".prompt-box.over .prompt")).to_contain_text(words)
    expect(page.locator(".stage .pattern")).to_have_count(pattern)
    cell(page, "a1")
    assert "over" in why(page)


def test_placing_pairs_in_seega(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/seega")
    assert "two pawns" in prompt(page)
    assert "c3" not in lit(page)
    cell(page, "e5")
    assert "second" in prompt(page)
    cell(page, "c3")
    assert "No pawn may be placed" in why(page)
    page.keyboard.press("Escape")
    assert "two pawns" in prompt(page)
    cell(page, "e5")
    cell(page, "e5")  # taken back
    assert "two pawns" in prompt(page)
    cell(page, "e5")
    cell(page, "a1")
    expect(page.locator(".turns .turn")).to_have_text("1.a1+e5")


def test_forced_captures_and_the_refuge_in_seega(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/seega?from=...../.w.../b..../w..../....b~w~0~0~-~0")
    assert "must capture" in prompt(page)
    assert lit(page) == {"b4"}
    cell(page, "a2")
    assert "compulsory" in why(page)
    cell(page, "b4")
    expect(page.locator(".turns .turn")).to_have_text("1.b4-a4xa3")
    assert "refuge" in said_of(page, "c3")


def test_a_pass_in_seega(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/seega?from=...bw/...bb/...../...../bb...~w~0~0~-~0")
    assert "pass" in prompt(page)
    page.click(".end-turn")
    expect(page.locator(".turns .turn")).to_have_text("1.--")


def test_swaps_and_the_ko_in_chefa(new_page: NewPage) -> None:
    link = "#/play/chefa?turns=b2_b4_d4_d2_a1_e1_a5_e5"
    page = open_page(new_page(), link)
    assert "swap" in prompt(page)
    assert "never used" in said_of(page, "c3")
    cell(page, "b2")
    assert "b4" in lit(page)
    cell(page, "b4")
    expect(page.locator(".turns .turn").last).to_have_text("9.b2=b4")
    assert "Ko" in prompt(page)
    cell(page, "b2")
    cell(page, "b4")
    expect(page.locator(".message")).to_contain_text("Ko")


BADIA = "#/play/badia?turns=b1_d1_b5_d5_a2_e2_a4_e4_a1_e1"


def test_marks_and_pushes_in_badia(new_page: NewPage) -> None:
    page = open_page(new_page(), BADIA)
    cell(page, "b1")
    cell(page, "c1")
    expect(page.locator(".turns .turn").last).to_have_text("11.b1-c1")
    assert "must rest" in said_of(page, "c1")
    cell(page, "d1")  # its only way is to push the pawn on the arrow
    expect(page.locator(".turns .turn").last).to_have_text(re.compile("12.d1-c1,c1>c3"))
    expect(page.locator(".bar.turn .player-name")).to_have_text("Player 1")


def test_a_lifted_pawn_is_dropped_by_its_owner(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/badia?from=b.bb./.###b/w#w#./.###./.wwb.~w~-~-~d")
    assert "lifted" in prompt(page)
    assert "c3" not in lit(page)
    cell(page, "a1")
    expect(page.locator(".turns .turn")).to_have_text("1.@a1")
    expect(page.locator(".bar.turn .dot.w")).to_have_count(1)


def test_teleporting_one_after_the_other_in_fraha(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/fraha?from=...w./.b.bw/...b./w.b../.w...~b")
    cell(page, "c2")
    cell(page, "b2")
    assert "Several" in prompt(page)
    assert lit(page) >= {"a2", "b1"}
    cell(page, "e5")
    assert "first choose one" in why(page)
    cell(page, "a2")
    cell(page, "c2")
    expect(page.locator(".prompt")).to_contain_text("Teleport the pawn on b1")
    cell(page, "b1")
    assert "cannot stay" in why(page)
    cell(page, "e1")
    expect(page.locator(".turns .turn")).to_have_text("1.c2-b2,a2>c2,b1>e1")


@pytest.mark.parametrize("name", ["fraha", "chefa", "badia", "seega", "fanorona"])
def test_a_click_that_does_nothing_says_why(new_page: NewPage, name: str) -> None:
    page = open_page(new_page(), f"#/play/{name}")
    dull = "a5" if name == "fanorona" else "c3"
    cell(page, dull)
    expect(page.locator(".message")).not_to_be_empty()
    assert "⟨" not in page.inner_text("body")


def test_dragging_with_the_mouse(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/fraha")
    page.drag_and_drop(".cell[data-cell=e1]", ".cell[data-cell=d1]")
    assert "Teleport" in prompt(page)
    page.keyboard.press("Escape")
    page.drag_and_drop(".cell[data-cell=e1]", ".cell[data-cell=c3]")
    expect(page.locator(".message")).not_to_be_empty()
    assert moves(page) == []


def test_dragging_with_a_finger(new_page: NewPage) -> None:
    page = open_page(new_page(360, 740, has_touch=True, is_mobile=True), "#/play/fraha")
    page.tap(".cell[data-cell=e1]")  # a pawn already chosen can be dragged too
    touch_drag(page, "e1", "e2")
    assert "Teleport the pawn on d2" in prompt(page)
    touch_drag(page, "d2", "d3")  # and so can the pawn that is teleported
    assert moves(page) == ["e1-e2,d2>d3"]
    open_page(page, f"{FANORONA}?from=b..b...../........./.w.b...../.b.b...../b.......w~w~0")
    touch_drag(page, "b3", "b4")
    expect(page.locator(".end-turn")).to_be_visible()
    touch_drag(page, "b4", "c3")  # the pawn in play goes on
    expect(page.locator(".choice")).to_have_count(2)
    assert page.evaluate("scrollY") == 0


def test_pointing_at_a_target_shows_what_it_captures(new_page: NewPage) -> None:
    page = open_page(
        new_page(), f"{FANORONA}?from=b..b...../........./.w.b...../.b.b...../b.......w~w~0"
    )
    cell(page, "b3")
    page.hover(".cell[data-cell=c3]")
    expect(page.locator(".stage .take")).to_have_count(1)
    assert "would be captured" in said_of(page, "d3")
    page.hover(".cell[data-cell=i1]")
    expect(page.locator(".stage .take")).to_have_count(0)


def test_what_was_captured_last_is_marked(new_page: NewPage) -> None:
    page = open_page(new_page(), f"{FANORONA}?turns=e2-e3A")
    expect(page.locator(".taken")).to_have_count(2)
    assert "captured here" in said_of(page, "e4")
    assert "last move" in said_of(page, "e3")


REACH = [
    (
        "badia",
        "turns=b1_d1_b5_d5_a2_e2_a4_e4_a1_e1_b1-c1_e2-e3_a1-b1_d5-e5_c1=d1",
        "c1",
        "d1",
        "repeat an earlier",
    ),
    ("fraha", "", "a1", "c1", "neighbouring empty cell of its own track"),
    ("chefa", "turns=b2_b4_d4_d2_a1_e1_a5_e5", "a1", "c3", "never to the centre"),
    ("badia", "turns=b1_d1_b5_d5_a2_e2_a4_e4_a1_e1_b1-c1_d1-c1,c1>c3", "a2", "e5", "next cell"),
    (
        "seega",
        "from=...../.b.../...../w..../....b~w~0~0~-~0",
        "a2",
        "c4",
        "up, down, left or right",
    ),
    ("fanorona", "from=b......../........./........./w......../w........~w~0", "a2", "c4", "line"),
]


@pytest.mark.parametrize(("name", "rest", "origin", "target", "words"), REACH)
def test_a_wrong_target_is_explained_in_plain_words(
    new_page: NewPage, name: str, rest: str, origin: str, target: str, words: str
) -> None:
    page = open_page(new_page(), f"#/play/{name}?{rest}")
    page.drag_and_drop(f".cell[data-cell={origin}]", f".cell[data-cell={target}]")
    expect(page.locator(".message")).to_contain_text(words)


NOTES = [
    ("fanorona", "from=w......../........./........./........./........b~w~7", "7. At 10"),
    ("seega", "from=...../.w.../...../.bb../.....~w~0~0~-~44", "44. At 50"),
    ("chefa", "turns=b2_b4_d4_d2_a1_e1_a5_e5_a1-a2_e1-e2_a2-a1_e2-e1", "the third time"),
]


@pytest.mark.parametrize(("name", "rest", "words"), NOTES)
def test_an_approaching_end_is_announced(
    new_page: NewPage, name: str, rest: str, words: str
) -> None:
    page = open_page(new_page(), f"#/play/{name}?{rest}")
    expect(page.locator(".prompt small")).to_contain_text(words)


def test_the_board_is_reached_by_arrow_keys(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/chefa")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert moves(page) == ["c2"]
