"""A game on the page: undo, hints, reloading, links, records, analysis, server outages."""

import json
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

import damier
from damier.games import GAMES
from tests.browser.conftest import COMMAND, NewPage, mainly_on_server, on_both
from tests.support.page_driver import (
    assert_accessible,
    good_move,
    moves,
    open_page,
    play_move,
    press_cell,
    send_request,
    settle,
    shown_game,
    wait_for_move,
)


@pytest.mark.parametrize(
    ("new_page", "name"),
    [*(("server", name) for name in GAMES), ("site", "fanorona")],
    indirect=["new_page"],
)
def test_take_back_hint_reload_and_link(new_page: NewPage, name: str) -> None:
    page = open_page(new_page(), f"#/play/{name}?b=level:1")
    for _ in range(2):
        wait_for_move(page)
        play_move(page, good_move(page, 1))
    if wait_for_move(page):
        _hint(page)
    before = moves(page)
    page.reload()
    wait_for_move(page)
    assert moves(page) == before
    assert page.locator(".turns .turn").count() == len(before)

    # The link opens the same game elsewhere.
    other = open_page(new_page(), "#" + page.url.partition("#")[2])
    wait_for_move(other)
    assert shown_game(other) == shown_game(page)
    assert other.locator(".pawn").count() == page.locator(".pawn").count()

    page.click(".take-back")
    expect(page.locator(".turns .turn")).not_to_have_count(len(before))
    assert moves(page) == before[: len(moves(page))]
    state = send_request(page, "state", shown_game(page))
    assert state["side"] == "w"


def _hint(page: Page) -> None:
    page.click(".actions .hint")
    expect(page.locator(".prompt")).to_contain_text("A good move is", timeout=40_000)
    expect(page.locator(".pointer.best")).not_to_have_count(0)
    page.click(".actions .hint")
    expect(page.locator(".prompt")).to_contain_text("Best line")


def test_typed_moves_and_what_is_wrong_with_them(new_page: NewPage) -> None:
    page = open_page(new_page(noise="400"), "#/play/fanorona")
    page.keyboard.press("t")
    page.keyboard.type("d3-e3W")
    page.keyboard.press("Enter")
    expect(page.locator(".turns .turn")).to_have_text("1.d3-e3W")
    page.keyboard.type("a1-a9")
    page.keyboard.press("Enter")
    expect(page.locator(".message")).to_contain_text("a1-a9")
    assert moves(page) == ["d3-e3W"]


def test_resign_restart_and_flip(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/chefa?b=level:1")
    press_cell(page, "b2")
    expect(page.locator(".turns .turn")).to_have_count(2)
    top = page.locator(".bar").first.inner_text()
    page.click(".actions .menu")
    page.click(".menu-list .flip")
    assert page.locator(".bar").first.inner_text() != top
    page.click(".actions .menu")
    page.click(".menu-list .resign")
    page.click("dialog .confirm")
    expect(page.locator(".prompt-box.over .prompt")).to_contain_text("the opponent resigned.")
    expect(page.locator(".take-back, .actions .hint")).to_have_count(0)  # there is no move to make
    page.get_by_role("button", name="Play on from here").click()  # the resignation, not a move
    expect(page.locator(".prompt-box.over")).to_have_count(0)
    expect(page.locator(".turns .turn")).to_have_count(2)
    page.click(".actions .menu")
    page.click(".menu-list .restart")
    expect(page.locator(".turns .turn")).to_have_count(0)
    wait_for_move(page)


def test_no_takeback_before_the_player_s_first_move(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/chefa?w=level:1&turns=b2")
    page.click(".take-back")
    expect(page.locator(".message")).to_contain_text("no move to take back")
    assert moves(page) == ["b2"]


def test_two_people_change_colours_from_game_to_game(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/fraha")
    names = page.locator(".bar .player-name")
    expect(names).to_have_text(["Player 2", "Player 1"])  # Black above, White below
    names.last.click()
    page.keyboard.type("Ada")
    page.keyboard.press("Enter")
    page.click(".actions .new")
    expect(names).to_have_text(["Ada", "Player 2"])
    page.click(".actions .new")
    expect(names).to_have_text(["Player 2", "Ada"])


def test_the_winner_is_congratulated(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/chefa?turns=a1_a5_b1_b5_c1_e4&b=level:1")
    press_cell(page, "d1")
    expect(page.locator(".prompt-box.over .prompt strong")).to_have_text("You have won!")
    expect(page.locator(".stage .pawn.wins")).to_have_count(4)


def test_a_resigned_game_is_over_in_another_browser(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/chefa?turns=b2_d4&resigned=b")
    expect(page.locator(".prompt-box.over .prompt")).to_contain_text("White wins")
    page.get_by_role("button", name="Play on from here").click()
    expect(page.locator(".prompt-box.over")).to_have_count(0)
    assert "resigned" not in page.url


def test_a_very_long_game_is_kept(new_page: NewPage) -> None:
    game, rng = damier.Game(damier.load_rules("fraha")), random.Random(4)
    while game.ply < 1500:
        next_ = game.play(rng.choice(game.legal_moves()))
        game = game.back() if next_.result() else next_
    played = "_".join(move.text for move in game.moves_played)
    page = open_page(new_page(), f"#/play/fraha?turns={played}")
    expect(page.locator(".turns .turn")).to_have_count(1500)
    assert len(page.evaluate("JSON.parse(localStorage['damier.games'])[0].tree")) == 1500


@pytest.mark.parametrize(
    "kept", ["{}", "[null, 1]", '"x"', "[{", '[{"game": "chefa", "turns": 3}]']
)
def test_foreign_stored_data_is_ignored(new_page: NewPage, kept: str) -> None:
    page = open_page(new_page(), "")
    page.evaluate(
        "(text) => ['games', 'settings'].forEach((k) => (localStorage[`damier.${k}`] = text))", kept
    )
    open_page(page, "")
    expect(page.locator(".card")).to_have_count(5)
    open_page(page, "#/play/chefa")
    press_cell(page, "b2")
    page.reload()
    expect(page.locator(".turns .turn")).to_have_text("1.b2")


def test_looking_back_and_playing_on(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/chefa?turns=b2_d4_b3&at=1")
    expect(page.locator(".prompt")).to_contain_text("earlier position")
    press_cell(page, "a1")
    expect(page.locator(".message")).to_contain_text("earlier position")
    page.get_by_role("button", name="Play on from here").click()
    expect(page.locator(".turns .turn")).to_have_count(1)
    press_cell(page, "a1")
    assert moves(page) == ["b2", "a1"]


def test_games_are_kept_and_resumed(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/chefa")
    press_cell(page, "b2")
    open_page(page, "#/play/badia")
    press_cell(page, "b1")
    open_page(page, "")
    expect(page.locator(".saved-games li")).to_have_count(2)
    expect(page.locator(".saved-games li", has_text="Chefa")).to_contain_text("1 move ·")
    page.click(".language")
    expect(page.locator(".saved-games li", has_text="Chefa")).to_contain_text("1 coup ·")
    page.locator(".saved-games a", has_text="Chefa").click()
    expect(page.locator(".turns .turn")).to_have_text("1.b2")


def test_computer_against_computer_with_a_speed(new_page: NewPage) -> None:
    page = new_page()
    page.clock.install()
    open_page(page, "#/play/fraha?w=level:1&b=level:1")
    page.locator(".speed input").fill("100")
    expect(page.locator(".turns .turn").nth(3)).to_be_attached(timeout=40_000)
    page.get_by_role("button", name="Pause").click()
    settle(page)
    count = page.locator(".turns .turn").count()
    page.clock.run_for(10_000)
    settle(page)
    expect(page.locator(".turns .turn")).to_have_count(count)


def test_the_server_is_unavailable_for_a_while(new_page: NewPage) -> None:
    page = open_page(new_page(noise="Failed to load resource"), "#/play/chefa")
    page.route("**/api/v1/**", lambda route: route.abort())
    press_cell(page, "b2")
    expect(page.locator(".server-unreachable")).to_be_visible()
    assert moves(page) == ["b2"]  # the page holds the game
    page.unroute("**/api/v1/**")
    expect(page.locator(".server-unreachable")).to_be_hidden(timeout=15_000)
    expect(page.locator(".turns .turn")).to_have_count(1)


def test_the_language_waits_for_the_server(new_page: NewPage) -> None:
    page = open_page(new_page(noise="Failed to load resource"), "#/play/chefa")
    page.route("**/api/v1/**", lambda route: route.abort())
    page.click(".language")
    expect(page.locator(".server-unreachable")).to_be_visible()
    page.unroute("**/api/v1/**")
    expect(page.locator(".actions .new")).to_have_text("Nouvelle partie", timeout=15_000)


def test_the_page_waits_while_the_queue_is_full(new_page: NewPage) -> None:
    page = new_page(noise="503")
    refused: list[str] = []

    def busy_once(route: Route) -> None:
        if refused:
            route.continue_()
            return
        refused.append(route.request.url)
        route.fulfill(status=503, headers={"Retry-After": "1"}, json={"error": {"key": "busy"}})

    page.route("**/api/v1/move", busy_once)
    open_page(page, "#/play/chefa?b=level:1")
    press_cell(page, "b2")
    expect(page.locator(".turns .turn")).to_have_count(2, timeout=30_000)
    assert len(refused) == 1


PROBED = [
    ("chefa", ["b2", "d4", "b3"]),
    ("fraha", ["a1-a2,b2>c2"]),
    ("badia", ["b1", "d1", "b5", "d5", "a2", "e2", "a4", "e4", "a1", "e1"]),
    ("badia", ["b1", "d1", "b5", "d5", "a2", "e2", "a4", "e4", "a1", "e1", "b1-c1", "d5-c5"]),
]


@pytest.mark.parametrize(
    ("new_page", "name", "played"),
    [
        *(("server", *one) for one in PROBED),
        pytest.param("site", *PROBED[-1], marks=pytest.mark.exhaustive),
    ],
    indirect=["new_page"],
)
def test_analysis_agrees_with_probe(new_page: NewPage, name: str, played: list[str]) -> None:
    page = open_page(new_page(), f"#/play/{name}?mode=study&turns={'_'.join(played)}")
    expect(page.locator(".values li").first).to_be_visible(timeout=40_000)
    moves, here = (page.locator(f".turns{part}").bounding_box() for part in ("", " [aria-current]"))
    assert moves is not None
    assert here is not None
    assert moves["y"] <= here["y"]
    assert here["y"] + here["height"] <= moves["y"] + moves["height"] + 1
    more = page.locator(".values > button")
    if more.count():
        more.click()
    worth = page.locator(".values li .move-value").all_inner_texts()
    shown_values = dict(
        zip(page.locator(".values li .turn b").all_inner_texts(), worth, strict=True)
    )
    printed = subprocess.run(
        [sys.executable, "-c", COMMAND, "probe", name, "--json", "--turns", *played],
        capture_output=True,
        text=True,
        check=True,
    )
    mover, other = ("White", "Black") if len(played) % 2 == 0 else ("Black", "White")
    words = {"win": f"{mover} wins in {{}}", "loss": f"{other} wins in {{}}", "draw": "Draw"}
    probed = json.loads(printed.stdout)["turns"]
    assert len(shown_values) == len(probed)
    for value in probed:
        shown = shown_values[value["turn"]]
        if value.get("bound"):  # not decided by the table: a search adds an estimate or a proof
            assert re.search(r"^\d+% for |wins in \d|^Draw", shown), shown
        else:
            assert shown == words[value["outcome"]].format(value["distance"])


STUDIED = [
    ("fraha", "a1-a2,b2>c2_d2-d3"),
    ("chefa", "b2_d4_b3"),
    ("badia", "b1_d1_b5_d5_a2_e2_a4_e4_a1_e1_b1-c1"),
    ("seega", "a1+b2_c2+c4_a4+e1"),
    ("fanorona", "d3-e3A_d4-d3A"),
]


@pytest.mark.parametrize(
    ("new_page", "name", "played"),
    [*(("server", *one) for one in STUDIED), ("site", *STUDIED[3])],
    indirect=["new_page"],
)
def test_every_game_is_analysed(new_page: NewPage, name: str, played: str) -> None:
    """Every move with its value, the best line on the board; by keys and on a phone, in French."""
    page = new_page(360, 740, lang="fr")
    open_page(page, f"#/play/{name}?mode=study&turns={played}")
    expect(page.locator(".values li").first).to_be_visible(timeout=60_000)
    if page.locator(".values > button").count():
        page.click(".values > button")
    legal = send_request(page, "turns", shown_game(page))["total"]
    expect(page.locator(".values li")).to_have_count(legal)
    assert all(page.locator(".values .move-value").all_inner_texts())
    expect(page.locator(".value-bar")).to_have_attribute("aria-label", re.compile("Blancs"))
    expect(page.locator(".pointer.best")).not_to_have_count(0)
    assert_accessible(page)
    before = len(played.split("_"))
    best = page.locator(".values li .turn b").first.inner_text()
    page.locator(".values li .turn").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".turns [aria-current]")).to_have_text(f"{before + 1}.{best}")
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".turns [aria-current]")).to_have_text(re.compile(f"^{before}\\."))


def test_the_best_line_is_played_to_its_end(new_page: NewPage) -> None:
    """Chefa is won in nine: the line that the page shows leads there."""
    page = open_page(new_page(), "#/play/chefa?mode=study")
    first = page.locator(".values li").first
    expect(first.locator(".move-value")).to_have_text("White wins in 9")
    expect(first.locator(".line button")).to_have_count(8)
    first.locator(".line button").last.click()
    expect(page.locator(".turns .turn")).to_have_count(9)
    expect(page.locator(".prompt-box.over .prompt")).to_contain_text("White wins")


@mainly_on_server
def test_branches_graph_and_review(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/chefa?mode=study&turns=b2_d4_b3_d3_c2_e1&at=2")
    press_cell(page, "a1")  # another third turn: a branch
    expect(page.locator(".variation")).to_have_count(1)
    opened_moves = moves(page)
    assert opened_moves[:3] == ["b2", "d4", "a1"]
    page.locator(".turns > .turn").nth(3).click()
    page.get_by_role("button", name="Review").click()
    expect(page.locator(".review h3")).to_be_visible(timeout=60_000)
    expect(page.locator(".graph polyline")).to_have_count(1)
    page.locator(".graph input").fill("1")
    expect(page.locator(".turns [aria-current]")).to_have_text(re.compile("^1."))
    if page.locator(".review .better").count():
        page.locator(".review .better").first.click()
        expect(page.locator(".variation")).not_to_have_count(0)


def test_one_click_from_the_end_to_the_review(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/chefa?turns=a1_a5_b1_b5_c1_e4_d1")
    page.locator(".prompt-box.over").get_by_role("button", name="Review").click()
    expect(page.locator(".review h3")).to_be_visible(timeout=60_000)
    assert "mode=study" in page.url


@on_both
def test_records_are_copied_and_opened(new_page: NewPage) -> None:
    page = open_page(new_page(noise="400"), "#/play/fanorona?turns=d3-e3A")
    page.click(".actions .share")
    record = page.locator("dialog textarea[name=record]").input_value()
    assert "d3-e3A" in record
    position = page.locator("dialog input[name=position]").input_value()
    assert position.endswith("b 0")
    page.click("dialog .record summary")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the record").click()
    assert "d3-e3A" in Path(download.value.path()).read_text("utf-8")
    page.click("dialog .import summary")
    page.locator("dialog textarea[name=paste]").fill('[Game "chefa"]\n\n1. b2 2. c3')
    page.click("dialog .open")
    expect(page.locator("dialog .message")).to_contain_text("Line 3")
    page.locator("dialog textarea[name=paste]").fill(
        '[Game "chefa"]\n[White "<b>Ada</b>"]\n\n1. b2'
    )
    page.click("dialog .open")
    expect(page.locator(".turns .turn")).to_have_text("1.b2")
    expect(page.locator(".bar .player-name").last).to_have_text("<b>Ada</b>")
    page.click(".actions .share")
    page.click("dialog .import summary")
    page.locator("dialog textarea[name=paste]").fill("...../..b../...../..w../..... w -")
    page.click("dialog .open")
    expect(page.locator(".pawn:not(.gone)")).to_have_count(2)


def test_setting_up_a_position(new_page: NewPage) -> None:
    page = open_page(new_page(noise="400"), "#/setup/chefa")
    press_cell(page, "b2")
    press_cell(page, "d4")
    press_cell(page, "d4")
    value = "...../...b./...../.w.../..... w -"
    expect(page.locator("input[name=position]")).to_have_value(value)
    press_cell(page, "c3")
    expect(page.locator(".prompt-box .message")).to_contain_text("c3")
    press_cell(page, "c3")
    press_cell(page, "c3")
    page.click(".actions .analyse")
    expect(page.locator(".pawn")).to_have_count(2)
    assert "mode=study" in page.url


def test_setting_up_seega(new_page: NewPage) -> None:
    """Pawns on the board are no longer in hand, and the state is chosen in words."""
    page = open_page(new_page(noise="400"), "#/setup/seega")
    press_cell(page, "a1")
    value = page.locator("input[name=position]")
    expect(value).to_have_value("...../...../...../...../w.... w 10 12 s 0")
    expect(page.locator(".prompt-box .message")).to_be_empty()
    page.select_option("select[name=state]", "-")
    page.fill("input[name=white-hand]", "0")
    page.keyboard.press("Tab")
    page.fill("input[name=black-hand]", "0")
    page.keyboard.press("Tab")
    expect(value).to_have_value("...../...../...../...../w.... w 0 0 - 0")


DAMAGED = [
    ("#/play/go", "go"),
    ("#/play/chefa?turns=b2_zz", "zz"),
    ("#/play/chefa?line=bent", "bent"),
    ("#/play/chefa?from=hello", "parts"),
    ("#/play/chefa?turns=b2&at=7", "move"),
    ("#/play/chefa?b=level:99", "level:99"),
    ("#/play/chefa?turns=%E0%A4%A", "read"),
    ("#/play/", "cut short"),
    ("#/play/chefa?turns=b2_", "cut short"),
    ("#/play/chefa?from=", "cut short"),
    ("#/nowhere", "nowhere"),
    ("#/__proto__", "__proto__"),
    ("#/toString/chefa", "toString"),
    ("#/setup/go", "go"),
    ("#/rules/go", "go"),
]


@pytest.mark.parametrize(("link", "word"), DAMAGED)
def test_a_damaged_link_gets_a_friendly_page(new_page: NewPage, link: str, word: str) -> None:
    page = open_page(new_page(noise="Failed to load resource"), link)
    expect(page.locator(".wrong h1")).to_be_visible()
    expect(page.locator(".wrong .message")).to_contain_text(word)


def test_the_valid_beginning_of_a_damaged_game_can_be_opened(new_page: NewPage) -> None:
    page = open_page(new_page(noise="Failed to load resource"), "#/play/chefa?turns=b2_d4_zz")
    page.get_by_role("button", name="Open it as far as move 2").click()
    expect(page.locator(".turns .turn")).to_have_count(2)


def test_a_game_without_valid_moves_can_be_opened_at_its_start(new_page: NewPage) -> None:
    page = open_page(new_page(noise="Failed to load resource"), "#/play/chefa?turns=zz")
    page.get_by_role("button", name="Open the game at its start").click()
    expect(page.locator(".turns .turn")).to_have_count(0)
    expect(page.locator(".cell.target, .target")).not_to_have_count(0)
