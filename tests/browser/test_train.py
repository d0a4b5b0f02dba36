"""Training in a real browser: puzzles solved, missed, timed, selected, stored and repeated."""

import json
import re
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from damier.gameplay import Game
from damier.i18n import use_language
from damier.learning.puzzles import Puzzle, daily, find_puzzle, puzzles
from damier.web.state import describe_state
from tests.browser.conftest import NewPage
from tests.support.page_driver import (
    assert_accessible,
    open_page,
    send_request,
    settle,
    steps_to,
    take_steps,
)

Json = dict[str, Any]
KEY = "damier.training"


def posed(page: Page) -> Puzzle:
    """Return the puzzle on the page, as its address names it."""
    settle(page)
    found = re.fullmatch(r"#/train/(\w+)/(\w+)(?:\?image=(\d+))?", page.evaluate("location.hash"))
    assert found
    return find_puzzle(found[1], found[2]).image(int(found[3] or 0))


def play(
    page: Page, puzzle: Puzzle, before: tuple[str, ...], move: str, keys: bool = False
) -> None:
    """Play a move of a puzzle on the board, once the player is asked for it."""
    page.wait_for_selector(".cell.selectable", state="attached")
    game = {"game": puzzle.game, "options": dict(puzzle.options), "start": puzzle.position}
    take_steps(page, steps_to(page, {**game, "turns": list(before)}, move), keys)


def solve(page: Page, puzzle: Puzzle, keys: bool = False) -> None:
    for k in range(0, len(puzzle.line), 2):
        play(page, puzzle, puzzle.line[:k], puzzle.line[k], keys)
    settle(page)


def miss(page: Page, puzzle: Puzzle) -> str:
    """Play a move that is not the solution, and return it."""
    moves = [move.text for move in puzzle.start.legal_moves()]
    wrong = next(move for move in moves if not puzzle.attempt([move]).right)
    play(page, puzzle, (), wrong)
    return wrong


def kept(page: Page) -> Json:
    """Return what the page has stored."""
    found: Json = json.loads(page.evaluate(f"localStorage['{KEY}'] ?? '{{}}'"))
    return found


def cells(puzzle: Puzzle, *moves: str) -> Json:
    """Return what stands where after moves of a puzzle."""
    found: Json = describe_state(Game(puzzle.start).play(*moves))["cells"]
    return found


def verdict(page: Page, kind: str) -> None:
    expect(page.locator(f".prompt-box[data-kind={kind}] .verdict strong")).not_to_be_empty()


def long_one(game: str = "chefa") -> Puzzle:
    """Return a puzzle with a reply in its line, and a punishment to be seen."""
    return next(p for p in puzzles(game) if p.length > 1 and len(p.start.legal_moves()) > 3)


@pytest.mark.parametrize(
    ("width", "height", "lang", "keys"), [(1280, 800, "en", True), (390, 844, "fr", False)]
)
def test_five_puzzles(new_page: NewPage, width: int, height: int, lang: str, keys: bool) -> None:
    page = open_page(new_page(width, height, lang=lang, has_touch=not keys), "#/train/chefa")
    seen = set()
    for count in range(1, 6):
        puzzle = posed(page)
        seen.add(puzzle.id)
        with use_language(lang):
            expect(page.locator(".task")).to_have_text(puzzle.task)
        box = page.locator(".train .prompt-box").bounding_box()
        assert box is not None
        assert box["y"] + 60 <= height  # what is asked is seen beside the board, or below it
        solve(page, puzzle, keys)
        verdict(page, "right")
        expect(page.locator(".recent-attempts .solved")).to_have_count(count)
        if keys:
            page.keyboard.press("Enter")
        else:
            page.get_by_role("button", name="Problème suivant").click()
        expect(page.locator(".prompt-box[data-kind='']")).to_be_attached()
    assert len(seen) == 5
    own = kept(page)["games"]["chefa"]
    assert [one["right"] for one in own["tried"]] == [True] * 5
    points = [one["points"] for one in own["tried"]]
    assert points == sorted(points)
    assert own["rating"]["points"] == points[-1] > 1500
    assert own["missed"] == {}
    expect(page.locator(".points")).to_have_text(f"{round(points[-1])}?")
    expect(page.locator(".rating-chart")).to_be_attached()
    page.click(".filter summary")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert_accessible(page)


def test_a_wrong_move_is_refuted_and_may_be_retried(new_page: NewPage) -> None:
    puzzle = long_one()
    page = open_page(new_page(theme="dark"), f"#/train/{puzzle.game}/{puzzle.id}")
    wrong = miss(page, puzzle)
    verdict(page, "wrong")
    found = puzzle.attempt([wrong])
    expect(page.locator(".prompt-box .verdict")).to_contain_text(found.said)
    expect(page.locator(".prompt-box .verdict")).to_contain_text("Try again")  # it was played out
    after = cells(puzzle, wrong, *found.punishment)
    pawns = page.locator(".cell[aria-label*='pawn']")
    expect(pawns).to_have_count(len(after))
    for cell, mark in after.items():
        name = {"w": "white", "b": "black"}[mark]
        expect(page.locator(f".cell[data-cell={cell}]")).to_have_attribute(
            "aria-label", re.compile(f"{name} pawn")
        )
    assert_accessible(page)
    own = kept(page)["games"][puzzle.game]
    assert [one["right"] for one in own["tried"]] == [False]
    assert list(own["missed"]) == [puzzle.id]
    expect(page.locator(".rating-summary")).to_contain_text("shown after 4 more puzzles")
    expect(page.locator(".rating-summary .decrease")).to_have_count(0)
    # Once more, with a hint and a mistake that is no longer rated, then the solution.
    page.keyboard.press("Enter")
    page.keyboard.press("h")
    expect(page.locator(".board .pointer.ring")).to_have_count(1)
    solve(page, puzzle)
    verdict(page, "right")
    expect(page.locator(".verdict")).to_contain_text("no longer rated")
    assert kept(page)["games"][puzzle.game] == own
    page.keyboard.press("Enter")
    settle(page)
    other = posed(page)
    assert other.id != puzzle.id
    page.click(".actions .solution")
    expect(page.locator(".verdict")).to_contain_text("  ".join(other.line))
    expect(page.locator(".train .move-navigation")).to_be_visible()
    page.keyboard.press("Home")
    settle(page)
    expect(pawns).to_have_count(len(cells(other)))
    assert other.id in kept(page)["games"][other.game]["missed"]


def test_a_streak_ends_with_a_mistake_and_a_timed_run_with_the_time(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/train/fraha")
    shown: list[str] = []
    page.on("request", lambda request: shown.append(request.post_data or ""))
    page.click(".runs .streak")

    def current() -> Puzzle:
        """In a run the address does not name the puzzle: the last request for one does."""
        settle(page)
        body = next(json.loads(text) for text in reversed(shown) if '"image"' in text)
        return find_puzzle(body["game"], body["id"]).image(body["image"])

    points = []
    expect(page.locator(".run .score")).to_have_text("0 solved")
    for count in (1, 2):
        page.wait_for_selector(".cell.selectable", state="attached")
        puzzle = current()
        points.append(puzzle.points)
        solve(page, puzzle)
        expect(page.locator(".run .score")).to_have_text(f"{count} solved")
        expect(page.locator(".prompt-box[data-kind='']")).to_be_attached()
    assert points == sorted(points)
    assert not page.locator(".actions").is_visible()  # no help
    miss(page, current())
    expect(page.locator(".outcome strong")).to_have_text("2 solved")
    expect(page.locator(".outcome")).to_contain_text("A new best!")
    expect(page.locator(".outcome .solved")).to_have_count(2)
    expect(page.locator(".outcome .failed")).to_have_count(1)
    assert_accessible(page)
    assert kept(page)["best"] == {"streak.fraha": 2}
    assert kept(page)["games"]["fraha"]["rating"]["points"] == 1500  # runs are not rated
    # Three minutes: one solved, one missed, and the time goes by.
    page.get_by_role("button", name="Back to training").last.click()
    settle(page)
    page.clock.install()
    page.click(".runs .timed")
    expect(page.locator(".run .clock")).to_have_text(re.compile(r"^(3:00|2:5\d)$"))
    settle(page)
    solve(page, current())
    expect(page.locator(".run .score")).to_have_text("1 solved")
    expect(page.locator(".prompt-box[data-kind='']")).to_be_attached()
    miss(page, current())
    expect(page.locator(".strikes")).to_have_text("✗")
    expect(page.locator(".prompt-box[data-kind='']")).to_be_attached()
    page.clock.fast_forward("03:01")
    expect(page.locator(".outcome strong")).to_have_text("1 solved")
    expect(page.locator(".cell.selectable")).to_have_count(0)
    assert kept(page)["best"] == {"streak.fraha": 2, "timed.fraha": 1}


def test_themes_and_difficulty_are_chosen(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/train/chefa")
    listed = puzzles("chefa")
    theme = sorted({theme for p in listed for theme in p.themes})[0]
    page.click(".filter summary")
    page.locator(f"[name=theme-{theme}]").check(force=True)
    for _ in range(2):
        puzzle = posed(page)
        assert theme in puzzle.themes
        page.click(".actions .solution")
        page.locator(".prompt-box .next").click()
        expect(page.locator(".prompt-box[data-kind='']")).to_be_attached()
    page.locator(f"[name=theme-{theme}]").uncheck(force=True)
    settle(page)
    page.select_option("[name=difficulty]", "range")
    least = sorted(p.points for p in listed)[-4]
    page.fill("[name=to]", "3000")
    page.press("[name=to]", "Tab")
    settle(page)
    page.fill("[name=from]", str(least))
    page.press("[name=from]", "Tab")
    expect(page.locator("[name=from]")).to_have_value(str(least))
    assert posed(page).points >= least
    page.fill("[name=from]", "3000")  # nothing is as hard as that
    page.press("[name=from]", "Tab")
    expect(page.locator(".message")).to_contain_text("No puzzle matches")
    page.select_option("[name=game]", "fraha")
    expect(page.locator(".about")).to_contain_text("Fraha")
    assert posed(page).game == "fraha"
    open_page(page, "#/train")  # what was chosen is remembered
    assert posed(page).game == "fraha"


def own(**changes: Any) -> Json:
    """Return progress as the page stores it."""
    tried = [
        {"at": 1_790_000_000_000 + k, "id": f"{k:08x}", "right": True, "points": 1500 + k}
        for k in range(3)
    ]
    rating = {"points": 1502.0, "deviation": 200.0, "volatility": 0.06}
    return {"rating": rating, "tried": tried, "missed": {}, **changes}


def stored(text: str) -> str:
    """Return a script by which a visitor has been here before."""
    return f"if (location.protocol === 'http:') localStorage['{KEY}'] ??= {text!r}"


def test_progress_is_exported_and_damaged_progress_is_replaced(
    new_page: NewPage, tmp_path: Path
) -> None:
    page = open_page(new_page(), "#/train/chefa")
    solve(page, posed(page))
    expect(page.locator(".recent-attempts .solved")).to_have_count(1)
    page.click(".progress-file summary")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as a file").click()
    file = tmp_path / "progress.json"
    saved.value.save_as(file)
    assert json.loads(file.read_text()) == kept(page)

    # Another browser that has a past of its own, part of it damaged, part from another version.
    damaged = {
        "games": {
            "fraha": own(),
            "chefa": own(rating="?", tried=[*own()["tried"], {"id": 5}], missed={"x": {}}),
            "badia": 7,
        },
        "days": {"2026-11-01": True, "2026-11-02": "no"},
        "best": {"streak.all": 4},
        "laurels": [1, 2],
    }
    other = new_page(lang="fr")
    text = json.dumps(damaged)
    other.add_init_script(stored(text))
    open_page(other, "#/train/chefa")
    expect(other.locator(".progress-file [role=status]")).to_contain_text("5 entrées")
    found = kept(other)
    assert found["games"]["fraha"] == own()
    assert found["games"]["chefa"]["tried"] == own()["tried"]
    assert found["games"]["chefa"]["rating"]["points"] == 1502  # of the last puzzle that counted
    assert found["days"] == {"2026-11-01": True}
    assert found["best"] == {"streak.all": 4}
    with other.expect_download() as saved:
        other.get_by_role("button", name="Sauver ce qui était enregistré").click()
    saved.value.save_as(tmp_path / "unread.json")
    assert (tmp_path / "unread.json").read_text() == text  # nothing is lost
    other.set_input_files("[name=progress]", file)
    expect(other.locator(".progress-file [role=status]")).to_contain_text("1 problème essayé")
    both = kept(other)
    assert len(both["games"]["chefa"]["tried"]) == 4
    assert both["games"]["chefa"]["rating"] == kept(page)["games"]["chefa"]["rating"]  # the later
    assert both["games"]["fraha"] == own()
    (tmp_path / "no.json").write_text("{")
    other.set_input_files("[name=progress]", tmp_path / "no.json")
    expect(other.locator(".progress-file [role=status]")).to_contain_text("Rien n’a changé")
    assert kept(other) == both
    broken = new_page()
    broken.add_init_script(stored("{{"))
    open_page(broken, "#/train/chefa")
    expect(broken.locator(".progress-file [role=status]")).to_contain_text("1 entry")
    solve(broken, posed(broken))
    expect(broken.locator(".recent-attempts .solved")).to_have_count(1)
    assert_accessible(broken)


def test_the_day_s_puzzle_is_the_same_everywhere_on_a_date(new_page: NewPage) -> None:
    """What counts is the date in Universal Time, and the page says so."""
    moment = datetime(2026, 11, 18, 23, 30, tzinfo=UTC)
    expected = daily(date(2026, 11, 18))
    for zone, lang in (("Pacific/Auckland", "en"), ("America/Los_Angeles", "fr")):
        page = new_page(lang=lang, timezone_id=zone)
        page.clock.install(time=moment)
        open_page(page, "")
        assert page.evaluate("new Date().getDate()") == (19 if lang == "en" else 18)
        with use_language(lang):
            expect(page.locator(".daily-puzzle .turn")).to_have_text(expected.task)
        pawns = page.locator(".daily-puzzle .board .pawn")
        expect(pawns).to_have_count(len(cells(expected)))
        page.locator(".daily-puzzle .main").click()
        with use_language(lang):
            expect(page.locator(".task")).to_have_text(expected.task)
        expect(page.locator(".about .day")).to_contain_text(
            "18 novembre" if lang == "fr" else "18 November"
        )
        expect(page.locator(".about .day")).to_contain_text(
            "temps universel" if lang == "fr" else "Universal"
        )
        solve(page, expected)
        verdict(page, "right")
        assert kept(page)["days"] == {"2026-11-18": True}
        open_page(page, "")
        expect(page.locator(".daily-puzzle")).to_contain_text(
            "résolu" if lang == "fr" else "solved today"
        )
    days = [daily(date(2026, 11, day)).id for day in range(1, 15)]
    assert len(set(days)) == 14


def test_a_missed_puzzle_returns_as_another_image_when_due(new_page: NewPage) -> None:
    page = new_page()
    begin = datetime(2026, 11, 18, 12, tzinfo=UTC)
    page.clock.install(time=begin)
    puzzle = long_one("fraha")
    open_page(page, f"#/train/fraha/{puzzle.id}")
    miss(page, puzzle)
    verdict(page, "wrong")
    missed = kept(page)["games"]["fraha"]["missed"][puzzle.id]
    assert missed["card"]["due"] - missed["card"]["last"] == 10 * 60_000
    page.keyboard.press("n")
    expect(page.locator(".prompt-box[data-kind='']")).to_be_attached()
    assert posed(page).id != puzzle.id  # not yet due
    page.clock.fast_forward("11:00")
    open_page(page, "#/train/fraha")
    again = posed(page)
    assert again.id == puzzle.id
    assert again.position != puzzle.position
    expect(page.locator(".review-due")).to_be_visible()
    before = kept(page)["games"]["fraha"]["rating"]
    solve(page, again)
    verdict(page, "right")
    expect(page.locator(".recent-attempts .solved")).to_have_count(1)
    after = kept(page)["games"]["fraha"]
    card = after["missed"][puzzle.id]["card"]
    assert card["due"] - card["last"] >= 24 * 3600_000
    assert after["rating"] == before  # known before: it tells nothing of strength


def test_a_link_to_a_puzzle_is_shared(new_page: NewPage, address: str) -> None:
    page = new_page(permissions=["clipboard-read", "clipboard-write"])
    open_page(page, "#/train/badia")
    page.click(".actions .share")
    expect(page.locator(".message")).to_contain_text("copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    puzzle = posed(page)
    assert copied == f"{address}/#/train/badia/{puzzle.id}"
    friend = new_page(320, 640, lang="fr")
    friend.goto(copied)
    expect(friend.locator(".about")).to_contain_text("Badia")
    assert posed(friend).id == puzzle.id
    assert friend.evaluate("document.documentElement.scrollWidth") <= 320
    found = send_request(friend, "puzzles/shown", {"game": "badia", "id": puzzle.id, "image": 3})
    open_page(friend, f"#/train/badia/{puzzle.id}?image=3")
    expect(friend.locator(".task")).to_have_text(found["task"])
    assert posed(friend).position == found["start"]
    bad = new_page(noise="404")
    open_page(bad, "#/train/badia/nowhere")
    expect(bad.locator(".wrong .message")).to_contain_text("nowhere")


def test_own_mistakes_are_practised(new_page: NewPage) -> None:
    """What the review of a game has sent here: a mistake, and what would have been better."""
    puzzle = next(p for p in puzzles("chefa") if p.kind == "win-in")
    better, wrong = (
        puzzle.line[0],
        next(
            move.text
            for move in puzzle.start.legal_moves()
            if not puzzle.attempt([move.text]).right
        ),
    )
    row = {
        "game": "chefa",
        "options": dict(puzzle.options),
        "start": puzzle.position,
        "turns": [],
        "side": puzzle.start.side,
        "played": wrong,
        "best": better,
        "good": [better],
        "line": list(puzzle.line),
        "kind": "blunder",
        "date": 1_790_000_000_000,
        "value": {"outcome": "win", "distance": 1, "chance": 1},
    }
    page = new_page(noise="404")
    rows = json.dumps([row, {"game": 5}, None])
    page.add_init_script(
        f"if (location.protocol === 'http:') localStorage['{KEY}.mine'] ??= {rows!r}"
    )
    open_page(page, "#/train/fraha")
    page.get_by_role("link", name="1 of your own mistakes is waiting.").click()
    expect(page.locator(".task")).to_contain_text(f"You played {wrong} here")
    settle(page)
    play(page, puzzle, (), wrong)
    verdict(page, "wrong")
    expect(page.locator(".verdict")).to_contain_text("That is what you played.")
    page.click(".prompt-box .retry")
    solve(page, puzzle)
    verdict(page, "right")
    own = kept(page)["games"]["mine"]
    assert [one["right"] for one in own["tried"]] == [False]
    assert len(own["missed"]) == 1
    page.evaluate(f"localStorage['{KEY}.mine'] = '[]'")
    open_page(page, "#/train/mine")
    expect(page.locator(".message")).to_contain_text("No mistakes to practise yet")
    open_page(page, "#/train/nothing")
    expect(page.locator(".wrong .message")).to_contain_text("nothing")
