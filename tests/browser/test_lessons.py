"""Lessons in a real browser: every step of every game, wrong moves, hints, progress."""

import json
from typing import Any

import pytest
from playwright.sync_api import Page, Response, expect

from damier.games import GAMES
from damier.learning import lessons
from damier.learning.lessons import LessonStep
from tests.browser.conftest import NewPage
from tests.support.page_driver import (
    assert_accessible,
    open_page,
    send_request,
    settle,
    steps_to,
    take_steps,
)

# Each game in another way: size of the screen, language, theme, and whether keys alone are used.
WAYS: dict[str, tuple[int, int, str, str, bool]] = {
    "fanorona": (1280, 800, "en", "light", False),
    "seega": (1280, 800, "fr", "light", True),
    "chefa": (320, 640, "en", "dark", False),
    "badia": (390, 844, "fr", "light", False),
    "fraha": (2560, 1440, "en", "dark", False),
}


def play(page: Page, name: str, position: str, move: str, keys: bool) -> None:
    take_steps(page, steps_to(page, {"game": name, "start": position}, move), keys)
    settle(page)


def press(page: Page, label: str, keys: bool) -> None:
    """Press the button that is offered, which has the focus."""
    offered = page.locator(".lesson .row .main")
    expect(offered).to_have_text(label)
    expect(offered).to_be_focused()
    if keys:
        page.keyboard.press("Enter")
    else:
        offered.click()
    settle(page)


def miss(page: Page, name: str, lang: str, step: LessonStep, keys: bool) -> None:
    """Play a move that misses the goal, hear so, and try again with a light on the board."""
    stage = step.stages[0]
    wrong = next(move for move in stage.position.legal_moves() if not stage.is_right(move))
    kind = stage.wrong_name(wrong)
    play(page, name, str(stage.position), wrong.text, keys)
    words = lessons.read(name).words[lang]
    expect(page.locator(".feedback.incorrect")).to_have_text(
        words[f"{step.key}.wrong" + (f".{kind}" if kind else "")]
    )
    assert_accessible(page)
    press(page, {"en": "Try again", "fr": "Réessayer"}[lang], keys)
    expect(page.locator(".lesson .pointer.ring")).to_have_count(1)


def win(page: Page, name: str, step: LessonStep, keys: bool) -> None:
    """Play the last game: whatever the gentle opponent does, a strong player answers."""
    replies: list[dict[str, Any]] = []

    def note(response: Response) -> None:
        asked = response.request.post_data_json
        if response.url.endswith("/api/v1/move") and asked and "seed" not in asked:
            replies.append(response.json()["state"])

    page.on("response", note)
    position = str(step.position)
    for count in range(60):
        best = send_request(page, "move", {"game": name, "start": position, "level": 7, "seed": 1})[
            "turn"
        ]
        play(page, name, position, best, keys)
        page.wait_for_selector(
            ".feedback.correct, .feedback.incorrect, .row .help", state="attached"
        )
        if page.locator(".feedback.correct").count():
            return
        assert len(replies) == count + 1
        position = replies[-1]["position"]
    raise AssertionError("the game does not end")


@pytest.mark.parametrize("name", GAMES)
def test_a_whole_lesson(new_page: NewPage, name: str) -> None:
    width, height, lang, theme, keys = WAYS[name]
    found = lessons.read(name)
    words = found.words[lang]
    page = open_page(new_page(width, height, lang=lang, theme=theme), f"#/learn/{name}")
    missed = False
    for number, step in enumerate(found.steps):
        expect(page.locator(".task h2")).to_have_text(words[f"{step.key}.title"])
        expect(page.locator(".steps [aria-current=step]")).to_contain_text(
            words[f"{step.key}.title"]
        )
        expect(page.locator(".task-text")).to_have_text(words[f"{step.key}.do"])
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        if step.against is not None:
            win(page, name, step, keys)
            break
        if not missed and len(step.stages[0].right) < len(step.stages[0].position.legal_moves()):
            miss(page, name, lang, step, keys)
            missed = True
        for stage in step.stages:
            play(page, name, str(stage.position), stage.shown.text, keys)
        expect(page.locator(".feedback.correct")).to_have_text(words[f"{step.key}.done"])
        assert page.locator(".steps .done").count() == number + 1
        press(page, {"en": "Next", "fr": "Suivant"}[lang], keys)
        assert page.url.endswith(f"#/learn/{name}/{number + 2}")
    expect(page.locator(".feedback.correct")).to_contain_text(words[f"{found.steps[-1].key}.done"])
    assert_accessible(page)
    page.go_back()
    expect(page.locator(".task h2")).to_have_text(words[f"{found.steps[-2].key}.title"])
    open_page(page, f"#/learn/{name}")  # all of it is done: it can be done again
    expect(page.locator(".steps .done")).to_have_count(len(found.steps))
    expect(page.locator(".steps li").first.locator("[aria-current=step]")).to_have_count(1)


def test_a_learner_who_is_stuck_gets_help(new_page: NewPage) -> None:
    """A light, then the arrow, step by step; what the rules forbid is said in kind words."""
    words = lessons.read("fraha").words["en"]
    page = open_page(new_page(), "#/learn/fraha/4")
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".feedback")).to_have_text("Begin with the pawn on e2.")
    expect(page.locator(".pointer.ring")).to_have_count(1)
    page.get_by_role("button", name="Show me").click()
    expect(page.locator(".feedback")).to_have_text("Follow the arrow: e2 → e3.")
    expect(page.locator("path.pointer")).to_have_count(1)
    page.click(".cell[data-cell=e2]")
    page.click(".cell[data-cell=e3]")
    expect(page.locator(".move-prompt")).to_contain_text("Teleport the pawn on d3")
    expect(page.locator("path.pointer")).to_have_count(1)  # where to throw it
    page.keyboard.press("Escape")
    expect(page.locator(".move-prompt")).to_be_empty()
    open_page(page, "#/learn/fraha/6")
    page.click(".cell[data-cell=d2]")  # another pawn: the right one is selected again
    page.click(".cell[data-cell=e3]")
    settle(page)
    expect(page.locator(".feedback.correct")).to_have_text(
        words["home.done"]
    )  # it has one way to go
    open_page(page, "#/learn/chefa/3")
    page.click(".cell[data-cell=c3]")
    chefa = lessons.read("chefa").words["en"]
    expect(page.locator(".feedback.incorrect")).to_have_text(chefa["place.wrong.middle"])
    open_page(page, "#/learn/chefa/4")
    page.click(".cell[data-cell=b4]")  # Black's: the rules themselves say why not
    expect(page.locator(".feedback.incorrect")).not_to_be_empty()
    open_page(page, "#/learn/chefa/11")  # in a game the engine helps
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".pointer.ring")).to_have_count(1, timeout=60_000)


@pytest.mark.parametrize(
    ("kept", "step"),
    [
        ({"an": "older page"}, "line"),
        ("line", "line"),
        (["line", "nonsense", 3, None], "square"),
        (["square", "line", "place"], "step"),
    ],
)
def test_damaged_progress_is_replaced(new_page: NewPage, kept: object, step: str) -> None:
    page = open_page(new_page(), "#/")
    settings = json.dumps({"lessons.chefa": kept})
    page.evaluate("(text) => localStorage.setItem('damier.settings', text)", settings)
    open_page(page, "#/learn/chefa")
    expect(page.locator(".task h2")).to_have_text(
        lessons.read("chefa").words["en"][f"{step}.title"]
    )


def test_the_lesson_is_offered_once_and_stays_available(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/badia?b=level:1")
    offer = page.locator(".aim .offer")
    expect(offer).to_have_text("New to this game? Learn it in five minutes.")
    open_page(
        page, "#/play/badia?b=level:1"
    )  # another game: never in the way, and not a second time
    expect(page.locator(".aim")).to_be_visible()
    expect(offer).to_have_count(0)
    open_page(page, "#/begin/seega")
    offer.click()
    expect(page.locator(".lesson h1")).to_have_text("Learn Seega")
    open_page(page, "#/rules/seega")
    page.get_by_role("link", name="Learn by playing").click()
    expect(page.locator(".lesson h1")).to_have_text("Learn Seega")
    open_page(page, "#/")
    page.get_by_role("link", name="Learn Chefa").click()
    expect(page.locator(".lesson h1")).to_have_text("Learn Chefa")
    open_page(page, "#/learn/chefa/99")  # no such step: the first that is to be done
    expect(page.locator(".steps [aria-current=step]")).to_contain_text("1")
    page.get_by_role("button", name="Français").click()
    expect(page.locator(".lesson h1")).to_have_text("Apprendre le Chefa")
