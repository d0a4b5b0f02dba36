"""The page's behaviour: no accidental loss, readable texts, keyboard and screen reader."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from damier.games import GAMES
from tests.browser.conftest import NewPage
from tests.support.page_driver import (
    assert_accessible,
    moves,
    open_page,
    outcome,
    press_cell,
    settle,
    shown_game,
    store_results,
    wait_for_move,
)


def test_letters_typed_after_a_move_are_not_shortcuts(new_page: NewPage) -> None:
    page = open_page(new_page(noise="400"), "#/play/chefa?b=level:1")
    page.keyboard.press("t")
    page.keyboard.type("b2")
    page.keyboard.press("Enter")
    page.keyboard.type("nfu")  # while the computer thinks
    field = page.locator(".typed input")
    expect(field).to_be_focused()
    wait_for_move(page)
    expect(page.locator(".turns .turn")).to_have_count(2)
    expect(field).to_be_focused()
    page.keyboard.type("nnn")
    assert moves(page)[0] == "b2"
    expect(field).to_have_value("nfunnn")


def test_new_game_start_over_and_resign_are_undone(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/chefa?turns=b2_d4_b3_d3")
    undo = page.locator(".notice .undo")
    for does in ("new", "restart", "resign"):
        if does == "new":
            page.click(".actions .new")
        else:
            page.click(".actions .menu")
            page.click(f".menu-list .{does}")
        if does == "resign":
            page.click("dialog .confirm")
        expect(page.locator(".turns .turn")).to_have_count(4 if does == "resign" else 0)
        expect(page.locator(".prompt-box.over")).to_have_count(int(does == "resign"))
        undo.click()
        expect(page.locator(".turns .turn")).to_have_count(4)
        expect(page.locator(".prompt-box.over")).to_have_count(0)
        expect(undo).to_have_count(0)
    assert moves(page) == ["b2", "d4", "b3", "d3"]
    open_page(page, "")
    expect(page.locator(".saved-games li")).to_have_count(1)


def test_playing_on_removes_the_undo_button(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/chefa?turns=b2_d4")
    page.click(".actions .menu")
    page.click(".menu-list .restart")
    expect(page.locator(".notice")).to_be_visible()
    assert_accessible(page)
    press_cell(page, "a1")
    expect(page.locator(".notice")).to_have_count(0)
    assert moves(page) == ["a1"]


WON = "#/play/chefa?turns=a1_a5_b1_b5_c1_e4&b=level:1"
SENTENCES = {
    "en": ("Place", "You", "have won", "You have won!", "The computer (level 1) has won."),
    "fr": (
        "Posez",
        "Vous",
        "avez gagné",
        "Vous avez gagné\u00a0!",
        "L’ordinateur (niveau 1) a gagné.",
    ),
}


@pytest.mark.parametrize("lang", SENTENCES)
def test_sentences_about_both_players_are_grammatical(new_page: NewPage, lang: str) -> None:
    begins, you, have_won, won, lost = SENTENCES[lang]
    page = open_page(new_page(lang=lang), WON)
    expect(page.locator(".prompt")).to_have_text(re.compile(f"^{begins}"))  # no name before it
    press_cell(page, "d1")
    expect(page.locator(".prompt-box.over strong")).to_have_text(won)
    expect(page.locator(".bar.winner")).to_have_text(f"{you}{have_won}")
    page.click(".actions .analyse")  # the names go with it
    expect(page.locator(".bar.winner")).to_have_text(f"{you}{have_won}")
    open_page(page, "#/play/chefa?turns=a1_a5_b1_b5_c1_e4_d1&w=level:1")
    expect(page.locator(".prompt-box.over strong")).to_have_text(lost)


def test_the_prompt_says_when_the_computer_is_to_move(new_page: NewPage) -> None:
    page = new_page(lang="fr")
    page.route("**/api/v1/move", lambda _: None)  # it thinks on
    page.goto("/#/play/chefa?w=level:1")
    expect(page.locator(".prompt")).to_contain_text("L’ordinateur (niveau 1) réfléchit")
    page.click(".cell[data-cell=b2]")
    expect(page.locator(".message")).to_have_text("Attendez\u00a0: c’est à l’ordinateur de jouer.")


def test_two_players_keep_their_names_in_a_link(new_page: NewPage) -> None:
    page = open_page(new_page(), "")
    page.get_by_role("button", name="Chefa: choose opponent and rules").click()
    page.get_by_text("Two people here").click()
    page.click("dialog .begin")
    names = page.locator(".bar .player-name")
    expect(names).to_have_text(["Player 2", "Player 1"])  # White, who begins, below
    page.click(".actions .new")
    expect(names).to_have_text(["Player 1", "Player 2"])
    link = "#" + page.url.partition("#")[2]
    expect(open_page(new_page(), link).locator(".bar .player-name")).to_have_text(
        ["Player 1", "Player 2"]
    )


@pytest.mark.parametrize("width", [320, 1280])
def test_the_header_names_the_game_and_links_to_its_rules(new_page: NewPage, width: int) -> None:
    page = open_page(new_page(width, 700), "#/play/chefa?turns=b2_d4")
    if width == 1280:
        expect(page.locator(".top nav a[aria-current]")).to_have_text("Chefa")
        other = page.locator(".top nav a", has_text="Seega")
        tab = page.context.new_page()  # as with the middle button of a mouse
        tab.goto(page.evaluate("(a) => a.href", other.element_handle()))
        tab.wait_for_selector(".board.seega")
        tab.close()
        other.click()
        expect(page.locator(".top nav a[aria-current]")).to_have_text("Seega")
        page.go_back()
        expect(page.locator(".turns .turn")).to_have_count(2)
    else:
        expect(page.locator(".rules-link b")).to_have_text("Chefa")
    page.click(".rules-link")
    expect(page.locator(".rules h1")).to_contain_text("Chefa")
    expect(page.locator("nav:visible a", has_text="Seega")).to_have_count(1)  # one bar of games


@pytest.mark.parametrize(("width", "height"), [(320, 640), (390, 844), (1280, 800)])
def test_the_buttons_keep_their_place_and_words_fit_them(
    new_page: NewPage, width: int, height: int
) -> None:
    page = open_page(new_page(width, height, lang="fr"), "#/play/fanorona?b=level:1")
    top = "document.querySelector('.actions').getBoundingClientRect().top"
    before = page.evaluate(top)
    press_cell(page, "e1")  # a pawn that cannot move: said so
    expect(page.locator(".message")).not_to_be_empty()
    assert page.evaluate(top) == before
    press_cell(page, "d3")  # two ways to capture
    expect(page.locator(".choice")).to_have_count(2)
    assert page.evaluate(top) == before
    cut = page.eval_on_selector_all(
        ".actions button, .prompt-box button",
        "all => all.filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.textContent)",
    )
    assert cut == []
    page.locator(".choice.by-A").click()
    wait_for_move(page)
    assert page.evaluate(top) == before


def test_a_double_click_on_try_here_stays_on_the_page(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/rules/chefa")
    page.get_by_role("button", name="Try it here").first.dblclick()
    settle(page)
    expect(page.locator(".rules")).to_be_visible()
    expect(page.locator(".feedback").first).not_to_be_empty()


@pytest.mark.parametrize("lang", SENTENCES)
def test_the_rules_speak_to_players_of_options(new_page: NewPage, lang: str) -> None:
    page = new_page(lang=lang)
    for name in GAMES:
        open_page(page, f"#/rules/{name}")
        options = page.locator("#s-options")
        assert options.locator("li li, tbody tr").count() >= 2  # the values, under what they are of
        text = page.locator(".rules").inner_text()
        assert not re.search(r"[A-Z]{2}-\d|`", text), name
        for option in GAMES[name].rules.OPTIONS:
            assert f"{option.name}=" not in text
        values = options.locator("td:nth-child(2)").all_inner_texts()
        assert [value for value in values if ":" in value] == []  # the option is named before
        chosen = options.inner_text()
        assert "stall" not in chosen
        assert "leaflet" not in chosen


def test_setting_up_does_not_judge_a_board_without_pawns(new_page: NewPage) -> None:
    page = new_page()
    for name in GAMES:
        open_page(page, f"#/setup/{name}")
        page.get_by_role("button", name="Empty board").click()
        settle(page)
        assert "win" not in page.locator(".setup .prompt-box").inner_text(), name
    open_page(page, "#/setup/fanorona")
    page.get_by_role("button", name="Empty board").click()
    expect(page.locator(".setup .prompt-box")).to_contain_text("pawns of both colours")
    expect(page.locator(".actions .new")).to_be_disabled()
    press_cell(page, "a1")
    assert "win" not in page.locator(".setup .prompt-box").inner_text()
    press_cell(page, "b1")
    press_cell(page, "b1")
    expect(page.locator(".actions .new")).to_be_enabled()


def test_one_analysis_per_game_is_open(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/chefa?turns=b2_d4_b3")
    press_cell(page, "d3")
    for tried in ("a1", "e1"):
        page.click(".actions .analyse")
        expect(page.locator(".play.study")).to_be_visible()
        press_cell(page, tried)
        page.go_back()
        expect(page.locator(".play.study")).to_have_count(0)
        expect(page.locator(".turns .turn")).to_have_count(4)
    page.click(".actions .analyse")
    expect(page.locator(".turns > .turn")).to_have_count(5)
    expect(page.locator(".variation")).to_have_count(1)  # both tries are there
    open_page(page, "")
    expect(page.locator(".saved-games li")).to_have_count(2)


def test_a_local_address_is_not_offered_for_sharing(new_page: NewPage) -> None:
    page = open_page(new_page(noise="400"), "#/play/chefa?turns=b2_d4")
    page.click(".actions .share")
    expect(page.locator("dialog .reach-note")).to_contain_text("this computer only")
    with page.expect_download() as download:
        page.click("dialog .picture .svg")
    drawn = Path(download.value.path()).read_text("utf-8")
    assert drawn.count('class="pawn ') == 2
    assert "target" not in drawn
    assert "var(" not in drawn
    page.click("dialog .import summary")
    page.locator("dialog textarea[name=paste]").fill("nonsense [")
    page.click("dialog .open")
    said = page.locator("dialog .message")
    expect(said).not_to_be_empty()
    before = said.inner_text()
    page.locator("dialog textarea[name=paste]").fill("")
    page.click("dialog .open")
    expect(said).to_have_text("There is no game in this text.")
    assert before != said.inner_text()


def test_buttons_are_not_printed(new_page: NewPage) -> None:
    page = open_page(new_page(theme="dark"), "#/play/chefa?turns=b2_d4_b3")
    page.emulate_media(media="print")
    expect(page.locator(".stage .board")).to_be_visible()
    expect(page.locator(".turns .turn").first).to_be_visible()
    for hidden in (".top", ".actions", ".move-navigation", ".typed"):
        expect(page.locator(hidden)).to_be_hidden()
    open_page(page, "#/rules/chefa")
    expect(page.locator(".rules button:visible:not(.cell)")).to_have_count(0)


REVIEWED = "#/play/chefa?turns=b2_d4_b3_d3_c2_e1_a1_d5"


@pytest.mark.parametrize(("width", "height"), [(320, 640), (390, 844), (1280, 800)])
def test_the_review_opens_at_the_first_mistake_with_the_board_visible(
    new_page: NewPage, width: int, height: int
) -> None:
    page = open_page(new_page(width, height), REVIEWED + "&mode=study")
    page.click(".actions .review")
    faults = page.locator(".panel .review li")
    expect(faults.first).to_be_visible(timeout=60_000)
    first = int(faults.first.inner_text().partition(".")[0])
    expect(faults.first).to_have_class(re.compile("current"))
    assert len(shown_game(page)["turns"]) == first - 1
    expect(page.locator(".pointer.worse")).not_to_have_count(0)
    last = faults.last
    last.locator(".show-position").click()
    expect(last).to_have_class(re.compile("current"))
    board = page.locator(".stage .board").bounding_box()
    row = last.bounding_box()
    assert board is not None
    assert row is not None
    assert board["y"] >= 0
    assert board["y"] + board["height"] <= height
    if width < 900:
        assert row["y"] >= board["y"] + board["height"]  # below it, not behind it
    nested = page.eval_on_selector_all(
        ".panel *",
        "all => all.filter((e) => e.scrollHeight > e.clientHeight + 1 && /auto|scroll/.test("
        "getComputedStyle(e).overflowY)).map((e) => e.className)",
    )
    assert nested == []
    assert_accessible(page)


def test_crossing_barriers_are_both_shown(new_page: NewPage) -> None:
    crossing = ".w..b/.w.../.w.../wwwww/.w...~w~0~0~-~0"
    page = open_page(new_page(), f"#/play/seega?from={crossing}")
    labels = page.locator(".cell[aria-label*='winning pattern']")
    cells = labels.evaluate_all("all => all.map((cell) => cell.dataset.cell).sort()")
    assert cells == ["a2", "b1", "b2", "b3", "b4", "b5", "c2", "d2", "e2"]


def test_touch_prompts_and_french_capture_letters(new_page: NewPage) -> None:
    phone = new_page(390, 844, lang="fr", has_touch=True, is_mobile=True)
    open_page(phone, "#/play/fanorona?b=level:1")
    expect(phone.locator(".prompt")).to_have_text(re.compile("^Touchez un de vos pions"))
    page = open_page(new_page(lang="fr"), "#/play/fanorona?b=level:1")
    expect(page.locator(".prompt")).to_have_text(re.compile("^Cliquez sur un de vos pions"))
    press_cell(page, "d3")
    expect(page.locator(".choice i")).to_have_text(["A", "É"])
    page.evaluate(
        "document.activeElement.dispatchEvent("
        "new KeyboardEvent('keydown', { key: 'é', bubbles: true }))"
    )
    expect(page.locator(".turns .turn").first).to_have_text("1.d3-e3W")  # notation has one letter


def test_a_capturing_target_is_distinguishable(new_page: NewPage) -> None:
    start = "........b/........./..w.bb.b./........./b....w...~w~0"
    page = open_page(new_page(), f"#/play/fanorona?from={start}")
    press_cell(page, "c3")
    expect(page.locator(".capturing")).not_to_have_count(0)
    expect(page.locator(".marks-above > .target")).not_to_have_count(0)  # quiet ones as well
    target = page.locator(".cell[data-cell=d3]")
    expect(target).to_have_attribute("aria-label", re.compile("takes e3, f3"))
    target.hover()
    expect(page.locator(".stage .take")).to_have_count(2)  # the pawns themselves


def test_a_first_game_shows_the_aim_and_has_level_1(new_page: NewPage) -> None:
    page = open_page(new_page(), "")
    page.get_by_role("button", name="Play Fanorona").click()
    wait_for_move(page)
    expect(page.locator(".aim.first p")).to_contain_text("by moving up to a line")
    expect(page.locator(".bar", has_text="level 1")).to_be_visible()


def test_suggestions_after_a_game_against_the_computer(new_page: NewPage) -> None:
    page = open_page(new_page(), "")
    store_results(
        page, [outcome("chefa", 1, 1), outcome("chefa", 1, 1)]
    )  # the next level is earned
    open_page(page, "#/play/chefa?turns=a1_a5_b1_b5_c1_e4_d1&b=level:1")
    after = page.locator(".prompt-box.over .row > *")
    learn = "Learn from your mistakes"
    expect(after).to_have_text(["Play level 2", "Rematch", "Review", learn])
    open_page(page, "#/play/chefa?turns=a1_a5_b1_b5_c1_e4_d1&w=level:1")
    expect(after).to_have_text(["Try again", "Show me", learn, "Learn"])
    after.first.click()
    expect(page.locator(".bar", has_text="level 1")).to_be_visible()
    expect(page.locator(".prompt-box.over")).to_have_count(0)
    open_page(page, "#/play/chefa?turns=a1_a5_b1_b5_c1_e4_d1&b=level:1")
    after.first.click()
    expect(page.locator(".bar", has_text="level 2")).to_be_visible()
