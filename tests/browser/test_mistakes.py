"""Learning from mistakes, and the games that the page stores."""

import json
import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.support.page_driver import (
    OWN,
    Json,
    assert_accessible,
    good_move,
    open_page,
    outcome,
    play_move,
    press_cell,
    settle,
    store_results,
    stored_results,
    wait_for_move,
)

# With c1 White lost the draw, and Black lost the win with e5. White had let Black off with a2: four
# other moves draw as well, and are difficult to answer. The largest loss comes first.
LINE = "b2_c2_a2_a1_c1"
LOST = f"#/play/chefa?first_mover=last&turns={LINE}&b=level:1&resigned=w"
SHARED = f"#/play/chefa?first_mover=last&turns={LINE}_e5&resigned=w"


def learning(page: Page, link: str) -> Page:
    """Open a finished game and press what leads to its mistakes."""
    open_page(page, link)
    page.click(".prompt-box.over .learn")
    expect(page.locator(".puzzles")).to_be_visible(timeout=60_000)
    settle(page)
    return page


def sent(page: Page) -> list[Json]:
    text = page.evaluate("localStorage.getItem('damier.training.mine')")
    rows: list[Json] = json.loads(text or "[]")
    return rows


def press(page: Page, name: str) -> None:
    page.click(f".prompt-box .to-{name}")
    settle(page)


def assert_both_are_in_training(page: Page) -> None:
    first, second = sorted(sent(page), key=lambda row: len(row["turns"]))
    assert first["turns"] == ["b2", "c2"]
    assert (first["game"], first["options"]) == ("chefa", {"first_mover": "last"})
    assert (first["side"], first["played"], first["kind"]) == ("w", "a2", "missed")
    assert set(first["good"]) == {"b1", "b3", "b4", "b5"}
    assert first["best"] == first["good"][0] == first["line"][0]
    assert second["value"] == {"outcome": "draw", "distance": None, "chance": 0.5}
    assert (first["loss"], second["loss"]) == (0, 0.5)


def test_each_mistake_is_a_puzzle_in_place(new_page: NewPage) -> None:
    page = learning(new_page(), LOST)
    prompt, head = page.locator(".prompt"), page.locator(".prompt strong")
    chips = page.locator(".puzzles li button")
    expect(head).to_have_text("Mistake 1 of 2")
    expect(prompt).to_contain_text("You played c1: blunder.")
    expect(page.locator(".pointer.worse")).to_have_count(1)  # what was played
    for given_away in (".values", ".graph", ".value-bar", ".marks-above .value", ".pointer.best"):
        expect(page.locator(given_away).locator("visible=true")).to_have_count(0)
    assert_accessible(page)

    press_cell(page, "e1")  # holds the draw, but is easy to answer
    expect(prompt).to_contain_text("e1 is better than c1, but there is better still.")
    press(page, "retry")
    press_cell(page, "c1")
    expect(prompt).to_contain_text("c1 is the move from the game: Black wins in 5.")
    page.keyboard.press("Home")  # to look elsewhere, and come back
    expect(prompt).to_contain_text("You are at another position of the game.")
    press(page, "back")
    press(page, "fails")
    expect(prompt).to_contain_text(
        re.compile("After c1: Black wins in 5.*loses by force, in 5 moves.*On the board: c1")
    )
    expect(page.locator(".turns .turn")).to_have_count(9)
    press(page, "view")
    expect(prompt).to_contain_text("The best was d2: Draw.")
    expect(chips.first).to_have_class("shown")
    press(page, "next")

    expect(head).to_have_text("Mistake 2 of 2")
    expect(prompt).to_contain_text("You played a2: chance missed.")
    press_cell(page, "e5")  # worse than what was played: the punishment is played out
    expect(prompt).to_contain_text("e5 is no better: Black wins in 7.")
    expect(page.locator(".variation .turn")).to_have_count(7)
    expect(prompt).to_contain_text("On the board: e5")
    page.click(".cell[data-cell=a1]")
    expect(page.locator(".message")).to_contain_text("A line is being shown")
    press(page, "retry")
    expect(page.locator(".variation")).to_have_count(0)  # what was tried is not kept
    page.click(".to-hint")
    expect(prompt).to_contain_text("Best possible result: Draw. Ask again to see the move.")
    expect(page.locator(".pointer.best")).to_have_count(0)
    page.click(".to-hint")
    expect(prompt).to_contain_text("Hint: b")
    expect(page.locator(".pointer.best")).to_have_count(1)
    press_cell(page, "b5")  # one of four that are good
    expect(prompt).to_contain_text(re.compile("^Mistake 2 of 2 b5"))
    expect(chips.nth(1)).to_have_class("hinted")
    page.click(".prompt-box .send")
    expect(page.locator(".prompt-box .send")).to_have_text("In your training")
    press(page, "finish")

    expect(prompt).to_contain_text("You found 1 with a hint. You looked at 1 solution.")
    page.get_by_role("button", name="Practise 1 of them later").click()
    expect(prompt).to_contain_text("2 of them will come back in your training.")
    assert_both_are_in_training(page)
    assert_accessible(page)
    page.get_by_role("button", name="Back to the review").click()
    settle(page)
    expect(page.locator(".review li")).to_have_count(2)
    expect(page.locator(".puzzles, .variation")).to_have_count(0)
    expect(page.locator(".review .learn")).to_be_focused()


def test_the_question_is_in_sight_when_learning_begins_far_below(new_page: NewPage) -> None:
    page = new_page(320, 640)
    open_page(page, "#/play/chefa?mode=study&turns=b2_d4_b3_d3_a1_e1_c5_a4_b3-b4")
    page.click(".actions .review")
    page.click(".review .learn")
    prompt = page.locator(".learning .prompt-box .prompt")
    expect(prompt).to_contain_text("Mistake 1 of")
    stage = page.locator(".stage").bounding_box()
    asked = prompt.bounding_box()
    assert stage is not None
    assert asked is not None
    assert stage["y"] + stage["height"] <= asked["y"] + 1  # the board does not cover it
    assert asked["y"] + asked["height"] <= 640


# A mistake in place of a winning move of two parts: a push, or a step that teleports.
TWO_PARTS = {
    "push": ("badia", ".wb.w/.###w/.#w#./w###./bbb.b~b~b5~c1~-", "e1-d1", "c5", "c3"),
    "teleport": ("fraha", "..www/.b..b/w..b./...b./.....~b", "d2-c2", "b4", "b3"),
}


@pytest.mark.parametrize("kind", TWO_PARTS)
def test_hints_for_a_mistake_cover_the_whole_move(new_page: NewPage, kind: str) -> None:
    game, start, played, origin, target = TWO_PARTS[kind]
    link = f"#/play/{game}?from={quote(start, safe='~')}&turns={played}&w=level:1&resigned=b"
    page = learning(new_page(), link)
    prompt, arrows = page.locator(".prompt"), page.locator(".pointer.best")
    page.click(".to-hint")
    expect(prompt).to_contain_text(f"Look at the pawn on {origin}.")
    expect(page.locator(".pointer.ring.best")).to_have_count(1)
    page.click(".to-hint")
    expect(prompt).to_contain_text(f"Hint: {origin} → {target}.")
    expect(page.locator(".pointer.best:not(.ring)")).to_have_count(1)
    expect(page.locator(".to-hint")).to_have_count(0)
    page.click(f".cell[data-cell={origin}]")
    if page.locator(f".cell[data-cell={target}].selectable").count():
        expect(arrows).to_have_count(1)
        page.click(f".cell[data-cell={target}]")
    expect(prompt).to_contain_text("Next: ")
    expect(arrows).to_have_count(1)
    last = re.search(r"Next: \w\d → (\w\d)", prompt.inner_text())
    assert last is not None
    page.click(f".cell[data-cell={last[1]}]")
    expect(prompt).to_contain_text("that is it!")


def test_learning_by_keys_in_french_on_a_phone(new_page: NewPage) -> None:
    page = learning(new_page(320, 640, lang="fr", theme="dark"), LOST)
    prompt = page.locator(".prompt")
    expect(prompt).to_contain_text("Erreur 1 sur 2 Vous avez joué c1")
    box = page.locator(".stage .board").bounding_box()
    ask = page.locator(".prompt-box").bounding_box()
    assert box is not None
    assert ask is not None
    assert box["y"] + box["height"] <= ask["y"] + 1 < 640  # the question is under the board
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    cut = page.eval_on_selector_all(
        ".prompt-box button, .puzzles button",
        "all => all.filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent)",
    )
    assert cut == []
    assert "⟨" not in page.content()
    assert_accessible(page)
    page.keyboard.press("h")
    expect(prompt).to_contain_text("Meilleur résultat possible\u00a0: Nulle.")
    press_cell(page, "c1", keys=True)
    expect(prompt).to_contain_text("c1 est le coup de la partie\u00a0: Les Noirs gagnent en 5.")
    expect(page.locator(".to-retry")).to_be_focused()
    page.keyboard.press("Enter")
    settle(page)
    page.keyboard.press("t")  # a move can be typed as well
    page.keyboard.type("d2")
    page.keyboard.press("Enter")
    expect(prompt).to_contain_text("d2\u00a0: c’est cela\u00a0!")
    expect(page.locator(".puzzles .hinted")).to_have_count(1)
    page.locator(".puzzles li button").nth(1).press("Enter")
    expect(prompt).to_contain_text("Erreur 2 sur 2")
    press_cell(page, "b5", keys=True)
    expect(prompt).to_contain_text("b5")
    expect(page.locator(".to-finish")).to_be_focused()
    page.keyboard.press("Enter")
    expect(prompt).to_contain_text("Vous en avez trouvé 1 sans aide.")
    assert_accessible(page)


def test_two_people_learn_from_both_colours_and_a_clean_game_is_praised(new_page: NewPage) -> None:
    page = learning(new_page(), SHARED)
    prompt = page.locator(".prompt")
    expect(page.locator(".puzzles li")).to_have_count(3)
    page.locator(".puzzles li button").last.click()  # the smallest loss of value
    expect(prompt).to_contain_text("White played a2: chance missed.")
    page.locator(".puzzles").get_by_role("button", name="e5").click()
    expect(prompt).to_contain_text("Black played e5: blunder.")
    press_cell(page, "d1")
    expect(prompt).to_contain_text("d1: that is it! Black wins in 4.")
    learning(page, "#/play/chefa?turns=a1_a5_b1_b5_c1_e4_d1&b=level:1")
    expect(prompt).to_contain_text("No serious mistake of yours was found in this game.")


def test_results_are_stored_with_the_review(new_page: NewPage) -> None:
    page = open_page(new_page(), LOST)  # a game from elsewhere is nobody's result
    assert stored_results(page) == []
    open_page(page, "#/play/chefa?first_mover=last&turns=b2_c2_a2_a1&b=level:1")
    press_cell(page, "c1")
    wait_for_move(page)
    page.click(".actions .menu")
    page.click(".menu-list .resign")
    page.click("dialog .confirm")
    (row,) = stored_results(page)
    assert row["score"] == 0
    assert (row["game"], row["level"], row["side"], row["reason"]) == ("chefa", 1, "w", "resigned")
    assert row["counts"] is False  # it did not begin here
    page.locator(".prompt-box.over").get_by_role("button", name="Show me").click()
    expect(page.locator(".review h3")).to_be_visible(timeout=60_000)
    settle(page)
    slips = stored_results(page)[0]["slips"]
    assert [(s["ply"], s["kind"], s["sort"]) for s in slips][:2] == [
        (3, "missed", "missed"),
        (5, "blunder", "draw"),
    ]
    for helped in (True, False):
        open_page(page, "#/play/chefa?b=level:2")
        press_cell(page, "b2")
        wait_for_move(page)
        if helped:
            page.keyboard.press("h")
            expect(page.locator(".prompt")).to_contain_text("A good move is")
        page.click(".actions .menu")
        page.click(".menu-list .resign")
        page.click("dialog .confirm")
        settle(page)
        assert stored_results(page)[-1]["counts"] is not helped
        assert stored_results(page)[-1]["level"] == 2
    page.locator(".notice .undo").click()  # who has not resigned after all has no result yet
    settle(page)
    assert len(stored_results(page)) == 2
    page.click(".actions .menu")
    page.click(".menu-list .resign")
    page.click("dialog .confirm")
    settle(page)
    assert len(stored_results(page)) == 3


def test_the_next_level_is_offered_when_it_is_earned(new_page: NewPage) -> None:
    page = open_page(new_page(), "")
    offered = page.locator(".next-level")
    for rows, level in (
        ([(1, 1)], None),
        ([(1, 1), (1, 1)], 2),
        ([(1, 1), (1, 0), (1, 1)], 2),
        ([(1, 1), (1, 1), (1, 0.5), (1, 0)], None),
        ([(1, 1), (2, 1)], None),
        ([(1, 1), (1, 1), (2, 1), (2, 1), (3, 0)], 3),
        ([(8, 1), (8, 1)], None),
    ):
        store_results(page, [outcome("chefa", *row) for row in rows])
        open_page(page, "#/progress/chefa")
        expect(page.locator(".rule")).to_contain_text("two of your last three games")
        expect(offered).to_have_count(int(level is not None))
        if level:
            expect(offered).to_have_text(f"Play level {level}")
    store_results(page, [outcome("chefa", 1, 1, counts=False), outcome("chefa", 1, 1)])
    open_page(page, "#/progress/chefa")
    expect(offered).to_have_count(0)
    open_page(page, "#/play/chefa?b=level:1")  # White wins by force
    while wait_for_move(page):
        play_move(page, good_move(page, 8))
    expect(page.locator(".prompt-box.over .row > *").first).to_have_text("Play level 2")
    assert len(stored_results(page)) == 3
    open_page(page, "#/progress")
    offered.click()
    expect(page.locator(".bar", has_text="level 2")).to_be_visible()


def test_progress(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/progress")
    expect(page.locator("main")).to_contain_text("No finished games yet.")
    slip = {"ply": 11, "kind": "blunder", "sort": "win", "capture": True, "threat": False}
    rows = [outcome("chefa", 1 + k // 6, [1, 1, 0.5, 0][k % 4], slips=[slip]) for k in range(24)]
    store_results(page, [outcome("seega", 2, 0), outcome("seega", 0, 1), *rows])
    open_page(page, "")
    page.get_by_role("link", name="Your progress").click()
    overview = page.locator(".progress-page table").first.locator("tbody tr")
    expect(overview).to_have_count(2)
    expect(overview.nth(0)).to_contain_text(re.compile("Seega.*1.*too few games"))
    page.locator(".games").get_by_role("link", name="Chefa").click()
    expect(page.locator("p.level-summary")).to_contain_text(re.compile(r"level is about [34]"))
    expect(page.locator("svg.results")).to_have_attribute(
        "aria-label", re.compile("The last 24 games.* Won: 12, drawn: 6, lost: 6")
    )
    assert page.locator("svg.results .won").count() == 12
    levels = page.locator(".time tbody tr")
    expect(levels).to_have_count(4)
    expect(levels.last).to_have_text(re.compile("^16"))
    typical = page.locator(".typical")
    expect(typical).to_contain_text("Counted in 24 games that were reviewed.")
    expect(typical).to_contain_text("Most often you let a win slip away")
    expect(typical).to_contain_text("in the last third of a game")
    expect(typical.locator("tr", has_text="More could be captured")).to_contain_text("24")
    expect(page.locator(".list tbody tr")).to_have_count(10)
    page.click(".list .more")
    expect(page.locator(".list tbody tr")).to_have_count(24)
    assert_accessible(page)
    with page.expect_download() as saved:
        page.click(".data .save")
    content = json.loads(saved.value.path().read_text("utf-8"))
    assert len(content["results"]) == 26
    page.click(".data .erase")
    expect(page.locator("main")).to_contain_text("No finished games yet.")
    page.click(".notice .undo")
    expect(page.locator(".list tbody tr")).not_to_have_count(0)
    assert len(stored_results(page)) == 26


def test_the_current_level_is_shown(new_page: NewPage) -> None:
    page = open_page(new_page(), "")

    def stands(*results: tuple[int, float]) -> tuple[float, float, float]:
        rows = [{"level": level, "score": score} for level, score in results]
        code = f"async ([name, rows]) => (await {OWN}).estimateLevel(rows)"
        found = page.evaluate(code, ["learn/level-estimate.js", rows])
        return found["low"], found["level"], found["high"]

    low, level, high = stands(*[(4, 1), (4, 0)] * 8)
    assert low < level < high
    assert abs(level - 4) < 0.5
    assert stands(*[(4, 1)] * 8)[1] > 5
    assert stands(*[(4, 0)] * 8)[1] < 3
    few, many = stands(*[(3, 0.5)] * 5), stands(*[(3, 0.5)] * 20)
    assert many[2] - many[0] < few[2] - few[0]  # surer
    assert stands(*[(2, 0)] * 10, *[(2, 1)] * 10)[1] > stands(*[(2, 1)] * 10, *[(2, 0)] * 10)[1]


def test_damaged_stored_results_are_ignored(new_page: NewPage) -> None:
    page = open_page(new_page(), "")
    unread = page.locator(".damaged")
    for stored in ("{", "[]", "5", '{"rows": 7}', '{"rows": [null, {"id": 3}]}'):
        for key in ("damier.results", "damier.training.mine"):
            page.evaluate("([key, text]) => localStorage.setItem(key, text)", [key, stored])
        open_page(page, "#/progress")
        expect(page.locator("main")).to_contain_text("No finished games yet.")
        expect(unread).to_have_count(int("null" in stored))
    expect(unread).to_contain_text("2 results kept in this browser cannot be read")
    learning(page, LOST)
    press(page, "view")
    page.click(".prompt-box .send")
    assert len(sent(page)) == 1
    old = {"id": "old", "game": "gone", "level": 1, "side": "b", "score": 1, "at": 1}
    store_results(page, [old, {**old, "id": "older"}])  # as an older page might have written it
    open_page(page, "#/progress")
    expect(page.locator(".list tbody tr")).to_have_count(2)  # though the game is here no longer
    expect(page.locator(".next-level")).to_have_count(0)


def test_games_stored_earlier_are_counted_once(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/chefa?turns=a1_a5_b1_b5_c1_e4_d1&b=level:1")
    page.evaluate("""() => {
        const games = JSON.parse(localStorage.getItem('damier.games'));
        for (const game of games) delete game.counts; // as an older page wrote it
        localStorage.setItem('damier.games', JSON.stringify(games));
    }""")
    open_page(page, "#/progress")
    expect(page.locator(".list tbody tr")).to_have_count(1)
    expect(page.locator(".list tbody tr")).to_contain_text("won")
    page.get_by_role("button", name="Look through 1 game not reviewed yet").click()
    expect(page.locator(".typical")).to_contain_text("No mistake was found", timeout=60_000)
    page.click(".data .erase")
    open_page(page, "#/progress")
    expect(page.locator("main")).to_contain_text("No finished games yet.")


@pytest.mark.parametrize(
    ("width", "height", "lang", "theme"),
    [(320, 640, "fr", "light"), (2560, 1300, "en", "dark")],
)
def test_progress_on_every_screen(
    new_page: NewPage, width: int, height: int, lang: str, theme: str
) -> None:
    page = open_page(new_page(width, height, lang=lang, theme=theme), "")
    slip = {"ply": 3, "kind": "mistake", "sort": "chances", "capture": True, "threat": True}
    store_results(page, [outcome("chefa", 1 + k % 8, k % 2, slips=[slip]) for k in range(30)])
    for link in ("#/progress", "#/progress/chefa", ""):
        open_page(page, link)
        assert "⟨" not in page.content()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert_accessible(page)
