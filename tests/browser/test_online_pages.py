"""Where online games begin and are found again: the form, the lobby, lists, players."""

import re

from playwright.sync_api import Page, expect

from browser.conftest import NewPage
from browser.hall import Hall, expect_turns, game_id, play, secret_of, sit_down, typed
from browser.player import assert_accessible, opened, settle

CHEFA = ["d1", "d5", "d2", "d3", "e2", "e5", "e1"]


def check(page: Page) -> None:
    """Nothing is wider than the screen, no text is missing, and axe finds nothing."""
    settle(page)
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wide) <= 0, page.url
    assert "⟨" not in page.locator("body").inner_text(), page.url
    assert_accessible(page)


def test_a_friend_by_a_link(far_page: NewPage, hall: Hall) -> None:
    """From home to a game, with nothing but what is on the screen; the friend only opens a link."""
    anna = far_page()
    opened(anna, "")
    anna.click(".card.badia .friend")
    form = anna.locator(".new-online")
    expect(form.locator("[name=game]:checked + span")).to_have_text("Badia")
    expect(form.locator("[name=name]")).not_to_have_value("")  # a name to begin with
    expect(form).to_contain_text("If it forgets them, they are lost")
    form.locator("[name=game] + span", has_text="Chefa").click()
    expect(form.locator(".why-casual")).to_contain_text("This game is solved")
    form.locator("[name=kind] + span", has_text="No clock").click()
    expect(form.locator(".why-casual")).to_contain_text("only games with a clock")
    form.locator("[name=kind] + span", has_text="Live").click()
    form.locator("[name=live] + span", has_text="3+2").click()
    form.locator("[name=colour] + span", has_text="White").click()
    form.locator("[name=name]").fill("Anna")
    form.locator(".create").click()
    expect(anna.locator(".waiting img.qr")).to_be_visible()
    expect(anna.locator("img.qr")).to_have_attribute("src", re.compile("^blob:"))
    assert anna.evaluate("document.querySelector('.qr').decode().then(() => true)")
    check(anna)
    link = anna.input_value(".waiting [name=link]")
    assert link == f"{hall.address}/#/online/{game_id(anna)}"

    friend = far_page(320, 640, lang="fr", theme="dark", has_touch=True)
    friend.goto(link)  # and is in
    expect(friend.locator(".play.online .board")).to_be_visible()
    expect(anna.locator(".play.online .board")).to_be_visible()
    friend.fill(".name-form input", "Boris")
    friend.press(".name-form input", "Enter")
    expect(friend.locator(".name-form")).to_have_count(0)
    expect(friend.locator(".bar .clock").first).to_have_text("3:00")
    typed(anna, CHEFA[0])
    expect_turns(friend, CHEFA[:1])
    check(friend)
    check(anna)
    friend.reload()
    expect(friend.locator(".bar .who").nth(1)).to_contain_text("Boris")
    typed(friend, CHEFA[1])
    expect_turns(anna, CHEFA[:2])
    anna.keyboard.press("Escape")
    anna.keyboard.press("c")  # the clocks, for who cannot see them
    expect(anna.locator(".play > [aria-live]")).to_contain_text(
        re.compile(r"Anna: \d minutes.* Boris: \d")
    )
    anna.click(".actions .menu")
    expect(anna.locator("dialog .hint")).to_be_visible()  # a casual game
    anna.click("dialog .hint")
    expect(anna.locator(".ask .prompt")).to_contain_text("A good move is")
    anna.click(".actions .share")
    assert anna.input_value("dialog [name=link]") == link


def test_the_lobby_and_a_rated_game(far_page: NewPage, hall: Hall) -> None:
    anna, boris = far_page(), far_page(1700, 1000, lang="fr", theme="dark")
    opened(boris, "#/lobby")
    expect(boris.locator(".offers .none")).to_be_visible()
    opened(anna, "#/lobby")
    check(anna)
    anna.click(".lobby a.button")
    form = anna.locator(".new-online")
    expect(form.locator("[name=open]:checked + span")).to_contain_text("lobby")
    form.locator("[name=game] + span", has_text="Fanorona").click()
    form.locator("[name=rated] + span", has_text="Rated").click()
    form.locator("[name=colour] + span", has_text="White").click()
    form.locator("[name=name]").fill("Anna")
    check(anna)
    form.locator(".create").click()
    expect(anna.locator(".waiting")).to_be_visible()
    offer = boris.locator(".offers .brief")  # there by itself
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
    boris.click("dialog .yes")
    expect(anna.locator(".ask.over")).to_contain_text("Anna: 16")
    expect(boris.locator(".ask.over")).to_contain_text(re.compile(r"Anna.: 16\d\d \(\+1"))
    check(boris)

    boris.click(".bar .who >> nth=0")  # the other's page
    expect(boris.locator(".page.player h1")).to_have_text("Anna")
    expect(boris.locator(".page.player tbody tr").first).to_contain_text("Fanorona")
    expect(boris.locator(".page.player .brief")).to_have_count(1)
    check(boris)
    opened(anna, "#/mine")
    expect(anna.locator(".brief .matter")).to_contain_text("Won")
    with anna.expect_download() as download:
        anna.click(".brief .record")
    assert "1. d3-e3A 2. d4-d3A" in download.value.path().read_text()
    check(anna)
    anna.click(".brief .review")
    expect(anna.locator(".play.study")).to_be_visible()


def test_an_invitation_to_a_rated_game(far_page: NewPage, hall: Hall) -> None:
    """Who joins a rated game sees what it is before; a taken seat, and help that is refused."""
    anna, boris, late = far_page(noise="403"), far_page(360, 740, lang="fr"), far_page()
    link = sit_down(hall, anna, boris, rated=True)
    opened(late, link)
    expect(late.locator(".play.watching")).to_be_visible()
    assert late.locator(".actions .analyse").count() == 0
    opened(anna, "#/play/chefa")
    anna.click(".actions .hint")  # of the local page, for the position of the rated game
    expect(anna.locator(".ask .why")).not_to_be_empty()
    expect(anna.locator(".ask .why")).to_contain_text("rated")
    made = {"game": "chefa", "colour": "w", "clock": {"kind": "days", "days": 1}, "rated": True}
    open_link = f"#/online/{hall.call('games', made, secret_of(anna))['id']}"
    opened(boris, open_link)
    expect(boris.locator(".join .warning")).to_contain_text("résolu")
    check(boris)
    boris.click(".join button:not(.main):not(.quiet)")
    expect(boris.locator(".page [role=status]")).to_be_visible()  # only watches
    end = {"id": "end", "version": 2, "act": {"kind": "resign"}}
    hall.call(f"games/{link.split('/')[2]}/acts", end, secret_of(anna))  # help for others again
