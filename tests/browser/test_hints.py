"""Hints to the end of a move, lifted pawns, typed moves, and whom sentences are about."""

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from damier.learning.puzzles import puzzles
from tests.browser.conftest import NewPage
from tests.support.page_driver import open_page

# Positions with a winning move of two parts: a push, or a step that teleports.
PUSH = ("badia", ".wb.w/.###w/.#w#./w###./bbb.b b b5 c1 -", "c5", "c3")
TELEPORT = ("fraha", "..www/.b..b/w..b./...b./..... b", "b4", "b3")


def position_link(game: str, position: str, rest: str = "&w=level:1") -> str:
    return f"#/play/{game}?from={quote(position.replace(' ', '~'), safe='~')}{rest}"


def cell(page: Page, name: str) -> None:
    page.click(f".cell[data-cell={name}]")


@pytest.mark.parametrize("given", [PUSH, TELEPORT], ids=["push", "teleport"])
def test_a_hint_shows_the_whole_move(new_page: NewPage, given: tuple[str, str, str, str]) -> None:
    game, position, origin, target = given
    page = open_page(new_page(), position_link(game, position))
    prompt, arrows = page.locator(".prompt"), page.locator(".pointer.best")
    page.click(".actions .hint")
    expect(prompt).to_contain_text(f"A good move is {origin}-{target}")
    said = re.search(r",(\w\d)>(\w\d)", prompt.inner_text())
    assert said is not None
    cell(page, origin)
    if page.locator(f".cell[data-cell={target}].selectable").count():
        cell(page, target)
    expect(prompt).to_contain_text(f"Next: {said[1]} → {said[2]}")
    expect(arrows).to_have_count(1)
    cell(page, said[2])
    expect(page.locator(".turns .turn").first).to_contain_text(f"{said[1]}>{said[2]}")


def test_a_hint_is_given_in_the_middle_of_a_move(new_page: NewPage) -> None:
    game, position, origin, target = TELEPORT
    page = open_page(new_page(), position_link(game, position))
    cell(page, origin)
    cell(page, target)
    expect(page.locator(".prompt")).to_contain_text("Teleport")
    page.click(".actions .hint")
    expect(page.locator(".prompt")).to_contain_text("Next: a3 →")
    expect(page.locator(".pointer.best")).to_have_count(1)


def test_a_displaced_pawn_stays_visible_until_it_is_placed(new_page: NewPage) -> None:
    game, position, origin, target = PUSH
    page = open_page(new_page(), position_link(game, position))
    expect(page.locator(".floating")).to_have_count(0)
    cell(page, origin)
    if page.locator(f".cell[data-cell={target}].selectable").count():
        cell(page, target)
    expect(page.locator(".floating .pawn.w")).to_be_visible()
    label = page.locator(f".cell[data-cell={target}]").get_attribute("aria-label")
    assert "a white pawn is lifted from here" in str(label)
    free = page.locator(".cell[data-cell=a5]")
    expect(free).to_have_attribute("aria-label", "a5, empty, you can place here")
    cell(page, "a5")
    expect(page.locator(".floating")).to_have_count(0)


def test_a_cell_says_whether_a_pawn_is_placed_there_or_goes_there(new_page: NewPage) -> None:
    page = open_page(new_page(lang="fr"), "#/play/chefa?turns=b2_d4_b3_d3_a1_e1_c5")
    free = page.locator(".cell[data-cell=a2]")
    expect(free).to_have_attribute("aria-label", "a2, vide, vous pouvez poser ici")
    cell(page, "a4")  # the last placement: from now on pawns move
    cell(page, "a1")
    expect(free).to_have_attribute("aria-label", "a2, vide, vous pouvez y aller")


def test_puzzle_hints_come_in_two_visible_stages(new_page: NewPage) -> None:
    puzzle = next(one for one in puzzles("chefa") if "-" in one.line[0] and one.length > 1)
    origin, target = re.findall(r"\w\d", puzzle.line[0])[:2]
    page = open_page(new_page(lang="fr"), f"#/train/chefa/{puzzle.id}")
    prompt = page.locator(".prompt")
    page.click(".actions .hint")
    expect(prompt).to_have_text(re.compile(rf"Indice\s:\sregardez {origin}"))
    expect(page.locator(".pointer.ring.best")).to_have_count(1)
    page.click(".actions .hint")
    expect(prompt).to_have_text(re.compile(rf"Indice\s:\s{origin} → {target}"))
    expect(page.locator(".pointer.best:not(.ring)")).to_have_count(1)
    expect(page.locator(".actions .hint")).to_be_disabled()


def test_a_loss_is_explained_on_the_end_screen(new_page: NewPage) -> None:
    lost = "#/play/chefa?first_mover=last&turns=b2_c2_a2_a1_c1_e5&resigned=w"
    page = open_page(new_page(), f"{lost}&b=level:1")
    expect(page.locator(".prompt-box.over")).to_be_visible()
    expect(page.locator(".loss-reason")).to_be_hidden()  # resigned: nothing on the board to explain
    played = "b2_b4_d2_d4_c2_e1_e2"
    open_page(page, f"#/play/chefa?turns={played}&b=level:1")
    expect(page.locator(".prompt-box.over")).to_contain_text("You have won")
    expect(page.locator(".loss-reason")).to_be_hidden()
    open_page(page, f"#/play/chefa?turns={played}&w=level:1")
    reason = page.locator(".loss-reason")
    page.locator(".prompt-box.over .ask-why").click()
    expect(reason.locator("strong")).to_have_text("Move 6, e1:")
    expect(reason.locator(".explanation")).to_contain_text("wins at once: all pawns in a line")
    reason.locator("summary").click()
    expect(reason.locator("details")).to_contain_text(re.compile(r"e1\s+a2"))
    page.keyboard.press("ArrowLeft")
    expect(reason).to_be_hidden()


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_typed_moves(new_page: NewPage, lang: str) -> None:
    page = open_page(new_page(lang=lang, noise="400"), "#/play/fanorona")
    field = page.locator(".typed input")
    field.fill("d3-e3")
    field.press("Enter")
    choices = page.locator(".typed-choice")
    names = {"en": ("Approach", "Withdrawal"), "fr": ("Approche ", "Éloignement ")}[lang]
    expect(choices).to_have_text([f"{names[0]}: d3-e3A", f"{names[1]}: d3-e3W"])
    # The refused text is selected: what is typed next replaces it.
    page.keyboard.type("d3-e3A-d3A")
    expect(field).to_have_value("d3-e3A-d3A")
    field.press("Enter")
    reason = {"en": "never twice to the same point", "fr": "jamais deux fois sur le même point"}[
        lang
    ]
    expect(page.locator(".message")).to_contain_text(reason)
    field.fill("d3-e3é" if lang == "fr" else "d3-e3")
    field.press("Enter")
    if lang == "en":
        choices.nth(1).click()
    expect(page.locator(".turns .turn")).to_contain_text("d3-e3W")
    expect(choices).to_have_count(0)


def test_sides_without_names_are_plural_in_french(new_page: NewPage) -> None:
    page = open_page(new_page(lang="fr"), "#/play/chefa?mode=study&turns=b2_b4_d2_d4_c2_e1_e2")
    expect(page.locator(".bar .won")).to_have_text("ont gagné")
    # A player with a name of their own.
    open_page(page, "#/play/chefa?turns=b2_b4_d2_d4_c2_e1_e2")
    expect(page.locator(".bar .won")).to_have_text("a gagné")


def test_a_lesson_says_the_side_once_and_ends_no_forced_chain(new_page: NewPage) -> None:
    page = open_page(new_page(lang="fr"), "#/learn/fraha/2")
    for number in range(1, 8):
        open_page(page, f"#/learn/fraha/{number}")
        assert page.locator(".task").inner_text().count("Vous avez les") <= 1
    open_page(page, "#/learn/seega/5")
    cell(page, "b1")
    cell(page, "b2")
    expect(page.locator(".reply button")).not_to_have_count(0)
    expect(page.locator(".end-turn")).to_have_count(0)


def test_the_game_field_fits_a_linked_puzzle(new_page: NewPage) -> None:
    page = new_page()
    open_page(page, "#/train/fraha")
    expect(page.locator("[name=game]")).to_have_value("fraha")
    linked = puzzles("seega")[0]
    open_page(page, f"#/train/seega/{linked.id}")
    expect(page.locator(".about")).to_contain_text("Seega")
    assert page.input_value("[name=game]") in ("", "seega")


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844), (320, 640)])
def test_nothing_covers_the_move_input(new_page: NewPage, width: int, height: int) -> None:
    page = open_page(new_page(width, height), "#/play/chefa?turns=a1_a5_b1_b5_c1_e4_d1&w=level:1")
    expect(page.locator(".prompt-box.over")).to_be_visible()
    page.locator(".typed input").scroll_into_view_if_needed()
    field = page.locator(".typed input").bounding_box()
    assert field is not None
    assert field["y"] + field["height"] <= height
    open_page(page, "#/play/chefa?turns=b2_d4_b3_d3")
    page.click(".actions .new")
    notice = page.locator(".notice").bounding_box()
    page.locator(".typed input").evaluate("field => field.scrollIntoView({ block: 'end' })")
    field = page.locator(".typed input").bounding_box()
    assert field is not None
    assert notice is not None
    apart = field["y"] + field["height"] <= notice["y"]
    assert apart or notice["x"] + notice["width"] <= field["x"]
