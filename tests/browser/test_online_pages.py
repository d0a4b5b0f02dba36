"""Online pages: the invitation form, the lobby, lists of games and players."""

import json
import re
from urllib.error import HTTPError

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.support.online_server import (
    OnlineServer,
    expect_moves,
    game_id,
    play,
    secret_of,
    start_game,
    stored_identity,
    type_move,
)
from tests.support.page_driver import assert_accessible, open_page, settle

CHEFA = ["d1", "d5", "d2", "d3", "e2", "e5", "e1"]


def check(page: Page) -> None:
    """Nothing is wider than the screen, no text is missing, and axe finds nothing."""
    settle(page)
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wide) <= 0, page.url
    assert "⟨" not in page.locator("body").inner_text(), page.url
    assert_accessible(page)


def test_a_friend_by_a_link(online_page: NewPage, online_server: OnlineServer) -> None:
    """From home to a game, with nothing but what is on the screen; the friend only opens a link."""
    anna = online_page()
    open_page(anna, "")
    anna.click(".card.badia .friend")
    form = anna.locator(".new-online")
    expect(anna.get_by_role("radio", name="Chefa")).to_have_count(1)  # one choice of the game
    expect(anna.locator("[name=friend-game]:checked + span")).to_have_text("Badia")
    expect(form.locator("[name=name]")).not_to_have_value("")  # a name to begin with
    expect(form).to_contain_text("If its data are erased they are lost")
    anna.locator("[name=friend-game] + span", has_text="Chefa").click()
    expect(form.locator(".casual-reason")).to_contain_text("This game is solved")
    form.locator("[name=kind] + span", has_text="No clock").click()
    expect(form.locator(".casual-reason")).to_contain_text("only games with a clock")
    form.locator("[name=kind] + span", has_text="Live").click()
    form.locator("[name=live] + span", has_text="3+2").click()
    form.locator("[name=colour] + span", has_text="White").click()
    form.locator("[name=name]").fill("Anna")
    form.locator(".create").click()
    expect(anna.locator(".waiting img.qr")).to_be_visible()
    expect(anna.locator("img.qr")).to_have_attribute("src", re.compile("^blob:"))
    assert anna.evaluate("document.querySelector('.qr').decode().then(() => true)")
    check(anna)
    expect(anna.locator(".waiting .reach-note")).to_contain_text("this computer only")
    link = anna.input_value(".waiting [name=link]")
    assert link == f"{online_server.address}/#/online/{game_id(anna)}"

    friend = online_page(320, 640, lang="fr", theme="dark", has_touch=True)
    friend.goto(link)  # and is in
    expect(friend.locator(".play.online .board")).to_be_visible()
    expect(anna.locator(".play.online .board")).to_be_visible()
    friend.fill(".name-form input", "Boris")
    friend.press(".name-form input", "Enter")
    expect(friend.locator(".name-form")).to_have_count(0)
    expect(friend.locator(".bar .clock").first).to_have_text("3:00")
    type_move(anna, CHEFA[0])
    expect_moves(friend, CHEFA[:1])
    check(friend)
    check(anna)
    friend.reload()
    expect(friend.locator(".bar .player-name").nth(1)).to_contain_text("Boris")
    type_move(friend, CHEFA[1])
    expect_moves(anna, CHEFA[:2])
    anna.keyboard.press("Escape")
    anna.keyboard.press("c")  # the clocks, for who cannot see them
    expect(anna.locator(".play > [aria-live]")).to_contain_text(
        re.compile(r"Anna: \d minutes.* Boris: \d")
    )
    anna.click(".actions .menu")
    expect(anna.locator("dialog .hint")).to_be_visible()  # a casual game
    anna.click("dialog .hint")
    expect(anna.locator(".prompt-box .prompt")).to_contain_text("A good move is")
    anna.click(".actions .share")
    assert anna.input_value("dialog [name=link]") == link


def test_the_lobby_and_a_rated_game(online_page: NewPage, online_server: OnlineServer) -> None:
    anna, boris = online_page(), online_page(1700, 1000, lang="fr", theme="dark")
    open_page(boris, "#/lobby")
    expect(boris.locator(".offers .empty-note")).to_be_visible()
    open_page(anna, "#/lobby")
    check(anna)
    anna.click(".lobby a.button")
    form = anna.locator(".new-online")
    expect(form.locator("[name=open]:checked + span")).to_contain_text("lobby")
    anna.locator("[name=friend-game] + span", has_text="Fanorona").click()
    form.locator("[name=rated] + span", has_text="Rated").click()
    form.locator("[name=colour] + span", has_text="White").click()
    form.locator("[name=name]").fill("Anna")
    check(anna)
    form.locator(".create").click()
    expect(anna.locator(".waiting")).to_be_visible()
    offer = boris.locator(".offers .game-row")  # there by itself
    expect(offer).to_contain_text("Anna")
    expect(offer).to_contain_text("Classée")
    check(boris)
    offer.locator(".join").click()
    for page in (anna, boris):
        expect(page.locator(".play.online .board")).to_be_visible()
    expect(anna.locator(".actions .take-back")).to_have_count(0)
    anna.click(".actions .menu")
    expect(anna.locator("dialog .flip")).to_be_visible()
    assert anna.locator("dialog .hint, dialog .analyse").count() == 0
    anna.keyboard.press("Escape")
    play(anna, boris, ["d3-e3A", "d4-d3A"])
    boris.click(".actions .resign")
    boris.click("dialog .confirm")
    expect(anna.locator(".prompt-box.over")).to_contain_text("Anna: 16")
    expect(boris.locator(".prompt-box.over")).to_contain_text(re.compile(r"Anna.: 16\d\d \(\+1"))
    check(boris)

    boris.click(".bar .player-name >> nth=0")  # the other's page
    expect(boris.locator(".page.player h1")).to_have_text("Anna")
    expect(boris.locator(".page.player tbody tr").first).to_contain_text("Fanorona")
    expect(boris.locator(".page.player .game-row")).to_have_count(1)
    check(boris)
    open_page(anna, "#/mine")
    expect(anna.locator(".game-row .game-status")).to_contain_text("Won")
    with anna.expect_download() as download:
        anna.click(".game-row .record")
    assert "1. d3-e3A 2. d4-d3A" in download.value.path().read_text()
    check(anna)
    anna.click(".game-row .review")
    expect(anna.locator(".play.study")).to_be_visible()


def test_an_invitation_to_a_rated_game(online_page: NewPage, online_server: OnlineServer) -> None:
    """Who joins a rated game sees what it is before; a taken seat, and help that is refused."""
    anna, boris, late = online_page(noise="403"), online_page(360, 740, lang="fr"), online_page()
    link = start_game(online_server, anna, boris, rated=True)
    open_page(late, link)
    expect(late.locator(".play.watching")).to_be_visible()
    assert late.locator(".actions .analyse").count() == 0
    acts = f"games/{link.split('/')[2]}/acts"
    moves = ["a1", "a2", "b1", "b2"]  # the positions before are never protected
    for version, (turn, player) in enumerate(zip(moves, [anna, boris] * 2, strict=True), 2):
        act = {"id": turn, "version": version, "act": {"kind": "turn", "turn": turn}}
        online_server.call(acts, act, secret_of(player))
    open_page(anna, f"#/play/chefa?turns={'_'.join(moves)}")
    anna.click(".actions .hint")  # of the local page, for the position of the rated game
    expect(anna.locator(".prompt-box .message")).not_to_be_empty()
    expect(anna.locator(".prompt-box .message")).to_contain_text("rated")
    made = {"game": "chefa", "colour": "w", "clock": {"kind": "days", "days": 1}, "rated": True}
    open_link = f"#/online/{online_server.call('games', made, secret_of(anna))['id']}"
    open_page(boris, open_link)
    expect(boris.locator(".join .warning")).to_contain_text("résolu")
    check(boris)
    boris.click(".join button:not(.main):not(.quiet)")
    expect(boris.locator(".page [role=status]")).to_be_visible()  # only watches
    end = {"id": "end", "version": 6, "act": {"kind": "resign"}}
    online_server.call(acts, end, secret_of(anna))  # help for others again


def test_data_is_saved_and_an_identity_deleted(
    online_page: NewPage, online_server: OnlineServer
) -> None:
    anna, boris = online_page(noise="401"), online_page()
    link = start_game(online_server, anna, boris)
    play(anna, boris, CHEFA[:2])
    secret, game = secret_of(anna), game_id(anna)
    open_page(anna, "#/mine")
    expect(anna.locator(".mine .game-row .game-status")).to_be_visible()
    with anna.expect_download() as download:
        anna.click(".save-data")
    assert download.value.suggested_filename == "damier.json"
    saved = json.loads(download.value.path().read_text())
    assert saved == online_server.call("me/data", secret=secret)
    assert saved["player"]["name"] == "Anna"
    assert [kept["id"] for kept in saved["games"]] == [game]

    anna.click(".delete-identity")
    for promise in ("your name, your ratings and your seats", "under way are lost", "What stays"):
        expect(anna.locator("dialog p")).to_contain_text(promise)
    check(anna)
    anna.click("dialog .cancel")
    assert secret_of(anna) == secret
    anna.click(".delete-identity")
    anna.click("dialog .confirm")
    notice = anna.locator(".mine .deleted")
    expect(notice).to_contain_text("Your identity is deleted")
    expect(notice).to_be_focused()
    expect(anna.locator(".mine .game-row")).to_have_count(0)
    check(anna)
    assert json.loads(stored_identity(anna)) == {}
    with pytest.raises(HTTPError, match="401"):
        online_server.call("me", secret=secret)
    expect(boris.locator(".prompt-box.over")).to_be_visible()  # the opponent wins
    assert "Anna" not in json.dumps(online_server.call(f"games/{game}"))
    anna.reload()
    expect(anna.locator(".mine .name-form")).to_be_visible()
    expect(anna.locator(".delete-identity")).to_have_count(0)  # nothing to delete
    open_page(anna, link)
    expect(anna.locator(".play.watching")).to_be_visible()
