"""How the page treats its players: nothing is lost by accident, and everybody is addressed well."""

from playwright.sync_api import expect

from .conftest import NewPage
from .player import opened, turns, wait_for_turn


def test_letters_typed_on_after_a_turn_are_never_shortcuts(new_page: NewPage) -> None:
    page = opened(new_page(noise="400"), "#/play/chefa?b=level:1")
    page.keyboard.press("t")
    page.keyboard.type("b2")
    page.keyboard.press("Enter")
    page.keyboard.type("nfu")  # while the computer thinks
    field = page.locator(".typed input")
    expect(field).to_be_focused()
    wait_for_turn(page)
    expect(page.locator(".turns .turn")).to_have_count(2)
    expect(field).to_be_focused()
    page.keyboard.type("nnn")
    assert turns(page)[0] == "b2"
    expect(field).to_have_value("nfunnn")
