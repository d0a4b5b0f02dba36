"""Two players: on one screen, and by message, where each link holds the whole game."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import HELD, NewPage, pages
from tests.support.page_driver import open_page

# Chefa: White completes a row.
MOVES = ("b2", "b4", "d2", "d4", "c2", "e1", "e2")


@pytest.fixture
def site_page(browser: Browser, site: str) -> Iterator[NewPage]:
    """Yield a factory of pages of the static site, each with a browser profile of its own."""
    yield from pages(browser, site)


def link_of(page: Page) -> str:
    field = page.locator("[name=message-link]")
    expect(field).to_be_visible()
    return "#" + urlsplit(field.input_value()).fragment


def place(page: Page, cell: str) -> str:
    """Place a pawn and return the link to send."""
    expect(page.locator(f".cell[data-cell={cell}].selectable")).to_be_visible()
    page.click(f".cell[data-cell={cell}]")
    expect(page.locator("[name=message-link]")).to_have_value(re.compile(rf"[_=]{cell}(&|$)"))
    return link_of(page)


def test_two_browsers_finish_a_game_by_message_on_the_site(site_page: NewPage) -> None:
    anna, boris = site_page(), site_page(width=390, height=844)
    open_page(anna, "#/friend/chefa")
    anna.click(".message-w")
    open_page(boris, "")
    boris.evaluate(HELD)
    players = (anna, boris)
    link = ""
    for k, cell in enumerate(MOVES):
        mover = players[k % 2]
        if k == 3:
            boris.context.set_offline(True)  # the move and the link need no network
        if link:
            mover.goto(link if link.startswith("http") else f"./{link}")
        link = place(mover, cell)
        if k == 3:
            boris.context.set_offline(False)
    expect(anna.locator(".prompt")).to_contain_text("You have won!")
    boris.goto(f"./{link}")
    expect(boris.locator(".prompt")).to_contain_text("Your friend has won.")
    expect(boris.locator(".turns .turn")).to_have_count(len(MOVES))
    stored = boris.evaluate("JSON.parse(localStorage['damier.games']).length")
    assert stored == 1


def test_links_that_do_not_continue_the_game_are_rejected(new_page: NewPage) -> None:
    anna, boris = new_page(), new_page()
    open_page(anna, "#/friend/chefa")
    anna.click(".message-w")
    first = place(anna, "b2")
    open_page(boris, first)
    expect(boris.locator(".prompt")).not_to_contain_text(
        "friend"
    )  # it is the turn of the other player
    reply = place(boris, "b4")
    expect(boris.locator(".prompt")).to_contain_text("Now send the link")
    boris.click(".message-link .copy button")
    expect(boris.locator(".prompt")).to_contain_text("It is your friend’s turn")
    expect(boris.locator(".take-back")).to_have_count(0)  # the link is gone
    open_page(anna, reply)
    expect(anna.locator(".turns .turn")).to_have_count(2)
    place(anna, "d2")
    # The friend's earlier link shows the game as it stands.
    open_page(anna, reply)
    expect(anna.locator(".message")).to_contain_text("older")
    expect(anna.locator(".turns .turn")).to_have_count(3)
    # Another reply, another first move, a move in the player's name, other rules.
    for wrong in (
        reply.replace("b2_b4", "b2_c4"),
        reply.replace("b2_b4", "c2_b4"),
        reply.replace("b2_b4", "b2_b4_d2_d4_e1"),
        reply.replace("?", "?first_mover=last&"),
    ):
        open_page(anna, wrong)
        expect(anna.locator(".wrong .message")).to_contain_text("This link")
    anna.click(".wrong .main")
    expect(anna.locator(".turns .turn")).to_have_count(3)
    assert anna.evaluate("JSON.parse(localStorage['damier.games']).length") == 1


def test_a_link_is_pasted_where_it_cannot_be_opened(new_page: NewPage) -> None:
    # The tests' server has an address of this machine only, and the page says so.
    anna, boris = new_page(), new_page(lang="fr", width=390, height=844)
    open_page(anna, "#/friend/chefa")
    anna.click(".message-w")
    first = place(anna, "b2")
    expect(anna.locator(".message-link .reach-note")).to_contain_text("this computer only")
    received = anna.locator("[name=received-link]")
    expect(received).to_be_hidden()
    anna.click(".message-link .copy button")
    open_page(boris, "#/friend")
    boris.fill("[name=received-link]", "bonjour")
    boris.keyboard.press("Enter")
    expect(boris.locator(".paste-link .problem")).to_contain_text("pas le lien d’une partie")
    boris.fill("[name=received-link]", f"Voici : http://192.168.1.2:8000/{first}")
    boris.click(".paste-link .open")
    reply = place(boris, "b4")
    received.fill(link_of(anna))
    received.press("Enter")
    expect(anna.locator(".paste-link .problem")).to_contain_text("your own link")
    received.fill(f"https://example.org/damier/{reply}")
    received.press("Enter")
    expect(anna.locator(".turns .turn")).to_have_count(2)
    expect(anna.locator(".cell.selectable")).not_to_have_count(0)


def test_taking_back_before_sending_and_resigning(new_page: NewPage) -> None:
    page = new_page(lang="fr")
    open_page(page, "#/friend/chefa")
    page.click(".message-b")
    expect(page.locator(".prompt")).to_contain_text("Envoyez maintenant le lien")
    invitation = link_of(page)
    friend = new_page(lang="fr")
    open_page(friend, invitation)
    place(friend, "b2")
    friend.click(".take-back")
    reply = place(friend, "c2")
    open_page(page, reply)
    expect(page.locator(".turns .turn")).to_contain_text("c2")
    page.click(".actions .resign")
    page.click("dialog .confirm")
    expect(page.locator("[name=message-link]")).to_have_value(re.compile("resigned=b"))
    open_page(friend, link_of(page))
    expect(friend.locator(".prompt")).to_contain_text("Vous avez gagné")


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_two_players_is_offered_everywhere(new_page: NewPage, lang: str) -> None:
    title = {"en": "Two players", "fr": "À deux"}[lang]
    page = new_page(lang=lang)
    open_page(page, "")
    expect(page.locator(".card .friend")).to_have_count(5)
    page.click(f".multiplayer-links >> text={title}")
    expect(page.locator("h1")).to_have_text(title)
    expect(page.locator(".play-option")).to_have_count(3)
    expect(page.locator(".play-option.remote")).to_contain_text("damier serve --lan")
    page.click("text=Badia >> nth=-1")
    page.click(".on-screen .begin")
    expect(page.locator(".field .board.badia")).to_be_visible()
    page.click(".actions .menu")
    page.click(".menu-list .friend")
    expect(page).to_have_url(re.compile("#/friend/badia$"))


def test_moves_are_coloured_by_their_values(new_page: NewPage) -> None:
    page = new_page()
    open_page(page, "#/play/chefa?turns=b2_d4_b3_d3_a1_e1_c5_a4&b=level:1")
    expect(page.locator(".value")).to_have_count(0)
    page.click(".actions .menu")
    page.click(".menu-list .colours")
    expect(page.locator(".legend")).to_be_visible()
    pawns = page.locator(".cell.selectable").count()
    expect(page.locator(".value")).to_have_count(pawns)
    best = page.get_by_role("button", name=re.compile(r"draws \(best\)"))
    expect(best).to_have_count(1)
    page.click(".actions .menu")
    page.click(".menu-list .colours")
    expect(page.locator(".value")).to_have_count(0)
