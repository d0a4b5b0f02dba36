"""A whole game of each kind against the computer, by clicks alone and by keys alone."""

import pytest
from playwright.sync_api import expect

from damier.games import GAMES

from .conftest import NewPage
from .player import expect_over, opened, play_to_the_end, turns


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(
    ("new_page", "keys"),
    [("server", False), ("server", True), ("site", False)],
    indirect=["new_page"],
    ids=["clicks", "keys", "clicks without a network"],
)
def test_a_whole_game_against_level_1(new_page: NewPage, name: str, keys: bool) -> None:
    page = opened(new_page(), f"#/play/{name}?b=level:1")
    play_to_the_end(page, keys)
    expect_over(page)
    assert len(turns(page)) > 4
    expect(page.locator(".ask.over .main")).to_be_visible()  # a new game is one click away
