"""A whole game of each kind against the computer, by mouse only and by keyboard only."""

from collections.abc import Iterator

import pytest
from _pytest.mark import ParameterSet
from playwright.sync_api import expect

from damier.games import GAMES
from tests.browser.conftest import NewPage
from tests.support.page_driver import expect_over, moves, open_page, play_to_the_end

# Level 1 prolongs games of Badia to a hundred moves: nearly all pawns are placed at first, and well
# for White.
BEGUN = {"badia": "&turns=a4_b1_a1_e4_b5_e2_a2_d5"}


def cases() -> Iterator[ParameterSet]:
    """Yield each game by clicks, by keys and without a network; some are exhaustive."""
    for name in GAMES:
        yield pytest.param("server", name, False, id=f"clicks-{name}")
        # A ring around a centre, and moves of several captures.
        marks = () if name in ("badia", "fanorona") else pytest.mark.exhaustive
        yield pytest.param("server", name, True, marks=marks, id=f"keys-{name}")
        marks = () if name == "chefa" else pytest.mark.exhaustive
        yield pytest.param("site", name, False, marks=marks, id=f"clicks without a network-{name}")


@pytest.mark.parametrize(("new_page", "name", "keys"), [*cases()], indirect=["new_page"])
def test_a_whole_game_against_level_1(new_page: NewPage, name: str, keys: bool) -> None:
    page = open_page(new_page(), f"#/play/{name}?b=level:1{BEGUN.get(name, '')}")
    play_to_the_end(page, keys)
    expect_over(page)
    assert len(moves(page)) > 4
    expect(page.locator(".prompt-box.over .main")).to_be_visible()  # a new game is one click away
