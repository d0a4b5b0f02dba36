"""The board: its cells, markers, animations and sounds."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.support.page_driver import assert_accessible, open_page, press_cell, settle

GAMES = ("fraha", "chefa", "badia", "seega", "fanorona")
BOARDS = ("wood", "stone", "contrast")
PIECES = ("turned", "stone", "contrast")
# A capture of two and one of one, beside quiet steps.
CAPTURES = "#/play/fanorona?from=........b/........./..w.bb.b./........./b....w...~w~0"
PUSH = "#/play/badia?turns=b1_d1_b5_d5_a2_e2_a4_e4_a1_e1_a2-a3_e2-e3_b5-c5"
SWAP = "#/play/chefa?turns=b2_b4_d2_d4_c2_e1_a1_a3"
THROW = "#/play/fraha"


def label(page: Page, cell: str) -> str:
    return page.locator(f".cell[data-cell={cell}]").get_attribute("aria-label") or ""


def made_of(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate("({ ...document.documentElement.dataset })")
    return {part: found.get(part) for part in ("board", "pieces")}


# What it is made of


def test_the_material_is_chosen_by_keyboard_and_remembered(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/chefa?turns=b2_d4")
    assert made_of(page) == {"board": "wood", "pieces": "turned"}
    square = "getComputedStyle(document.querySelector('main .board:not(.aim *) .square')).fill"
    before = page.evaluate(square)
    page.locator(".top .appearance").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("radio", name="Wood", exact=True)).to_be_checked()
    expect(page.locator("dialog .sample .pawn")).to_have_count(12)
    assert_accessible(page)
    page.get_by_role("radio", name="Wood", exact=True).focus()
    page.keyboard.press("ArrowRight")
    page.get_by_role("group", name="Pieces").get_by_role("radio").last.focus()
    page.keyboard.press("Space")
    assert made_of(page) == {"board": "stone", "pieces": "contrast"}
    stone = page.evaluate(square)
    assert stone != before
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    for link in ("#/setup/chefa", "#/rules/chefa", "", "#/play/chefa?turns=b2"):
        open_page(page, link)
        assert made_of(page) == {"board": "stone", "pieces": "contrast"}
        shown = page.locator("main .board.chefa .square.plain:not(.odd)").first
        expect(shown).to_have_css("fill", stone)
    black = page.locator(".stage .pawn.w")
    expect(black.locator(".bold")).to_be_visible()
    expect(black.locator(".turned")).to_be_hidden()


def test_samples_show_their_own_material(new_page: NewPage) -> None:
    page = open_page(new_page(320, 640, lang="fr"), "#/play/fanorona")
    expect(page.locator(".top .appearance")).to_be_hidden()
    page.click(".actions .menu")
    page.click(".menu-list .appearance")
    expect(page.get_by_role("radio", name="Bois et os")).to_be_checked()

    def frames() -> list[str]:
        found: list[str] = page.eval_on_selector_all(
            "dialog fieldset:first-of-type .sample .frame",
            "all => all.map((e) => getComputedStyle(e).fill)",
        )
        return found

    before = frames()
    assert len(set(before)) == 3
    page.get_by_text("Contraste élevé").first.click()
    assert made_of(page)["board"] == "contrast"
    assert frames() == before
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert page.evaluate("document.querySelector('dialog').scrollWidth") <= 300
    assert_accessible(page)


def test_the_contrast_preference_is_respected(new_page: NewPage) -> None:
    page = open_page(new_page(contrast="more"), "#/play/seega")
    assert made_of(page) == {"board": "contrast", "pieces": "contrast"}


CONTRAST = """() => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const light = (colour) => {
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((v) => {
            const part = v / 255;
            return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const between = (a, b) => {
        const [high, low] = [light(a), light(b)].sort((x, y) => y - x);
        return (high + 0.05) / (low + 0.05);
    };
    const board = document.querySelector('main .board:not(.aim *)');
    const of = (selector, what) => getComputedStyle(board.querySelector(selector))[what];
    const grounds = [...board.querySelectorAll(
        board.classList.contains('lined') ? '.table' : '.square:not(.unused)',
    )].map((e) => getComputedStyle(e).fill);
    const least = (...colours) =>
        Math.min(...grounds.map((g) => Math.max(...colours.map((c) => between(c, g)))));
    return {
        names: between(of('.name', 'fill'), of('.frame', 'fill')),
        targets: least(of('.target', 'fill'), of('.target', 'stroke')),
        white: least(...['fill', 'stroke'].map((what) => of('.pawn.w:not(.picked) .body', what))),
        black: least(...['fill', 'stroke'].map((what) => of('.pawn.b .body', what))),
        lines: board.classList.contains('lined')
            ? least(of('.line:not(.light-edge)', 'stroke'))
            : 21,
    };
}"""
STANDING = {  # White may go somewhere, and both have pawns
    "fraha": "",
    "chefa": "turns=b2_d4",
    "badia": "turns=b1_d1",
    "seega": "turns=a1+b2_c2+c4",
    "fanorona": "from=........b/........./..w....../........./b....w...~w~0",
}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("game", GAMES)
def test_board_signs_contrast_with_every_material(new_page: NewPage, game: str, theme: str) -> None:
    page = open_page(new_page(theme=theme), f"#/play/{game}?{STANDING[game]}")
    if not page.locator(".target").count():
        press_cell(page, {"fraha": "a1", "fanorona": "c3"}[game])
    for board in BOARDS:
        for pieces in PIECES:
            page.evaluate(
                "([board, pieces]) => Object.assign(document.documentElement.dataset, "
                "{ board, pieces })",
                [board, pieces],
            )
            found = page.evaluate(CONTRAST)
            assert found.pop("names") >= 4.5, (board, pieces)
            assert min(found.values()) >= 3, (board, pieces, found)


# Coordinates

OVERLAPS = """() => {
    const box = (e) => e.getBoundingClientRect();
    // Where lines meet at the edge of a board, there is room beside the pawns.
    const lined = document.querySelector('main .board.lined:not(.aim *)');
    const stand = lined ? '.turned .body' : '.cell';
    const stands = [...document.querySelectorAll(`main ${stand}:not(.aim *)`)];
    const names = [...document.querySelectorAll('main .board:not(.aim *) .name')];
    const board = box(document.querySelector('main .board:not(.aim *)'));
    return {
        names: names.length,
        stands: stands.length,
        small: Math.min(...names.map((e) => box(e).height)),
        out: names.filter((e) => box(e).left < board.left || box(e).bottom > board.bottom)
            .map((e) => e.textContent),
        over: names.filter((e) => stands.some((s) => {
            const [a, b] = [box(e), box(s)];
            return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
        })).map((e) => e.textContent),
    };
}"""
SIZES = [(320, 640), (390, 844), (844, 390), (1280, 800), (2560, 1440)]


@pytest.mark.parametrize("game", GAMES)
def test_no_coordinate_is_under_a_pawn(new_page: NewPage, game: str) -> None:
    page = open_page(new_page(), f"#/play/{game}")
    for flipped in (False, True):
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            found = page.evaluate(OVERLAPS)
            assert found["names"] >= 10
            assert found["stands"] >= 17
            assert found["out"] == []
            assert found["over"] == [], (width, flipped)
            assert found["small"] >= 9, width
        page.keyboard.press("f")


def test_a_long_board_has_readable_coordinates_too(new_page: NewPage) -> None:
    page = open_page(new_page(390, 844), "#/play/chefa")
    page.evaluate(
        """async () => {
            const { Board } = await import('/static/board/board.js');
            const at = {};
            for (let f = 0; f < 21; f++) {
                for (let r = 0; r < 3; r++) at[String.fromCharCode(97 + f) + (r + 1)] = [f, r];
            }
            const cells = Object.keys(at);
            const board = new Board(
                { files: 21, ranks: 3, width: 21, height: 3, cells, at, lines: [],
                  places: {}, arrows: [] },
                { name: 'long', look: { page: {}, miniature: [] } },
            );
            board.element.classList.add('coordinates');
            board.show(Object.fromEntries(cells.map((cell, k) => [cell, 'wb'[k % 2]])), false);
            document.querySelector('main').replaceChildren(board.element);
        }"""
    )
    found = page.evaluate(OVERLAPS)
    assert found["names"] == 24
    assert found["over"] == found["out"] == []
    assert found["small"] >= 9


# The last move


def test_the_last_move_is_marked_until_the_next(new_page: NewPage) -> None:
    page = open_page(new_page(), CAPTURES)
    press_cell(page, "c3")
    press_cell(page, "d3")
    expect(page.locator(".turns .turn")).to_have_count(1)
    expect(page.locator(".last:not(.left)")).to_have_count(1)  # around the pawn that moved
    expect(page.locator(".last.left")).to_have_count(1)  # where it stood
    expect(page.locator(".taken")).to_have_count(2)
    expect(page.locator(".stage .take")).to_have_count(0)  # no crosses that stay
    assert "captured here" in label(page, "e3")
    press_cell(page, "i5")
    press_cell(page, "i4")
    expect(page.locator(".turns .turn")).to_have_count(2)
    expect(page.locator(".taken")).to_have_count(0)
    expect(page.locator(".last")).to_have_count(2)
    assert "captured here" not in label(page, "e3")


# What a move does before it is made

PREVIEWS = [
    (CAPTURES, "c3", "d3", ".take", 2, "takes e3, f3", "prend e3, f3"),
    (PUSH, "d5", "c5", ".shift", 1, "pushes c5 to c3", "pousse c5 en c3"),
    (SWAP, "a1", "a3", ".shift", 2, "swaps with a3", "échange avec a3"),
    (THROW, "a1", "a2", ".shift", 1, "sends b2 elsewhere", "envoie b2 ailleurs"),
]


@pytest.mark.parametrize(
    ("link", "pawn", "target", "mark", "count", "said", "dit"),
    PREVIEWS,
    ids=["capture", "push", "swap", "throw"],
)
def test_a_target_shows_and_describes_its_effect(
    new_page: NewPage, link: str, pawn: str, target: str, mark: str, count: int, said: str, dit: str
) -> None:
    page = open_page(new_page(), link)
    marks = page.locator(f".preview {mark}")
    expect(page.locator(".preview > *")).to_have_count(0)
    pick(page, pawn, target)
    expect(marks).to_have_count(0)
    page.hover(f".cell[data-cell={target}]")
    expect(marks).to_have_count(count)
    assert said in label(page, target)
    page.mouse.move(0, 0)
    expect(marks).to_have_count(0)
    page.evaluate("(cell) => document.querySelector(`[data-cell=${cell}]`).focus()", target)
    expect(marks).to_have_count(count)
    assert_accessible(page)
    french = open_page(new_page(lang="fr"), link)
    pick(french, pawn, target)
    assert dit in label(french, target)


def pick(page: Page, pawn: str, target: str) -> None:
    """Choose a pawn that has several ways, by keys: nothing is pointed at."""
    page.evaluate("(cell) => document.querySelector(`[data-cell=${cell}]`).focus()", pawn)
    page.keyboard.press("Enter")
    settle(page)
    assert page.locator(f".cell.selectable[data-cell={target}]").count() == 1


def test_a_pawn_with_one_move_describes_it_at_once(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/badia?turns=b1_d1_b5_d5_a2_e2_a4_e4_a1_e1_b1-c1")
    assert "pushes c1 to c3" in label(page, "d1")
    page.hover(".cell[data-cell=d1]")
    expect(page.locator(".preview .shift")).to_have_count(1)


def test_the_first_tap_shows_the_moves_of_a_pawn(new_page: NewPage) -> None:
    phone = new_page(390, 844, has_touch=True, is_mobile=True)
    open_page(phone, CAPTURES)
    phone.tap(".cell[data-cell=c3]")
    expect(phone.locator(".preview .threat")).to_have_count(
        3
    )  # a1 on one way, e3 and f3 on another
    expect(phone.locator(".capturing .target")).to_have_count(2)
    open_page(phone, THROW)
    phone.tap(".cell[data-cell=a1]")
    expect(phone.locator(".preview .threat.moved")).to_have_count(1)
    expect(phone.locator(".shifting .target")).to_have_count(2)
    phone.tap(".cell[data-cell=a1]")
    expect(phone.locator(".preview > *")).to_have_count(0)


def test_the_rules_page_shows_move_effects(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/rules/fanorona")
    figure = page.locator(".diagram:has(.cells)").first
    source = figure.locator(".cell[aria-label*='choose']").first
    source.hover()
    expect(figure.locator(".preview .threat")).not_to_have_count(0)


# The tray


def test_captured_pawns_lie_beside_their_captor(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/fanorona")
    trays = page.locator(".tray.captured")
    expect(trays).to_have_count(0)
    before = page.locator(".stage .board").bounding_box()
    press_cell(page, "e2")
    white = page.locator(".bar:has(> .dot.w) .tray")
    expect(white).to_have_attribute("title", "2 pawns captured")
    expect(white.locator(".dot.b")).to_have_count(2)
    assert page.locator(".stage .board").bounding_box() == before
    open_page(page, "#/play/fanorona?from=........./..bbb..../..bbb..../..b.b..../....w....~w~0")
    expect(trays).to_have_count(0)  # nothing was captured before a game begins
    open_page(page, "#/play/fanorona?mode=study&turns=d3-e3A_d4-d3A")
    expect(page.locator(".bar:has(> .dot.b) .tray b")).to_have_text("2")
    expect(white.locator(".dot.b")).to_have_count(1)


def test_pawns_in_hand_are_shown_in_a_heap_with_their_number(new_page: NewPage) -> None:
    page = open_page(new_page(lang="fr"), "#/play/seega?turns=a1+b2")
    trays = page.locator(".tray.hand")
    expect(trays).to_have_count(2)
    expect(trays.first).to_have_attribute("title", "12 en main")
    expect(trays.first.locator(".dot.b")).to_have_count(6)  # more would not fit
    expect(trays.first.locator("b")).to_have_text("12")
    expect(trays.last.locator("b")).to_have_text("10")
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


# Motion

MOVING = """() => document.getAnimations()
    .filter((a) => a.effect.target.closest?.('.pawns') && a.effect.getKeyframes()[0].transform)
    .map((a) => ({
        frames: a.effect.getKeyframes().length,
        ms: a.effect.getComputedTiming().endTime,
        delay: a.effect.getComputedTiming().delay,
        gone: a.effect.target.classList.contains('gone'),
    }))"""


def moving_after(page: Page, cell: str) -> list[dict[str, Any]]:
    """Click a cell and return what moves at once."""
    found: list[dict[str, Any]] = page.evaluate(
        f"(cell) => {{ document.querySelector(`[data-cell=${{cell}}]`).click(); "
        f"return ({MOVING})(); }}",
        cell,
    )
    return found


@pytest.mark.parametrize(
    ("link", "pawn", "target", "count", "curved"),
    [(PUSH, "d5", "c5", 2, False), (SWAP, "a1", "a3", 2, True), (CAPTURES, "c3", "d3", 1, False)],
    ids=["push", "swap", "capture"],
)
def test_motion_explains_the_move(
    new_page: NewPage, link: str, pawn: str, target: str, count: int, curved: bool
) -> None:
    page = open_page(new_page(motion="no-preference"), link)
    pick(page, pawn, target)
    moving = moving_after(page, target)
    assert len(moving) == count
    assert all((one["frames"] > 2) == curved for one in moving)
    assert all(150 <= one["ms"] <= 250 for one in moving)
    if "fanorona" in link:  # what is captured goes when the other has come
        delays = page.eval_on_selector_all(
            ".pawn.gone", "all => all.map((e) => e.getAnimations()[0].effect.getTiming().delay)"
        )
        assert len(delays) == 2
        assert all(delay > 100 for delay in delays)
    if "badia" in link:  # a push begins when it is reached
        assert sorted(one["delay"] > 0 for one in moving) == [False, True]


def test_a_teleported_pawn_is_animated_without_blocking_input(new_page: NewPage) -> None:
    page = open_page(new_page(motion="no-preference"), THROW)
    press_cell(page, "a1")
    moving_after(page, "a2")
    moving = moving_after(page, "c2")  # at once, while the first is on its way
    assert any(one["frames"] > 2 for one in moving)
    expect(page.locator(".turns .turn")).to_have_text("1.a1-a2,b2>c2")


def test_reduced_motion_is_respected(new_page: NewPage) -> None:
    page = open_page(new_page(), SWAP)
    pick(page, "a1", "a3")
    assert moving_after(page, "a3") == []
    expect(page.locator(".pawn.gone")).to_have_count(0)


# Sounds

HEARD = """async (name) => {
    const { scheduleSound } = await import('/static/core/sound.js');
    const context = new OfflineAudioContext(1, 44100, 44100);
    scheduleSound(context, name, 0);
    const samples = (await context.startRendering()).getChannelData(0);
    const loud = [...samples].map(Math.abs);
    return {
        peak: Math.max(...loud.slice(0, 44100)),
        first: loud.findIndex((v) => v > 0.02) / 44100,
        last: loud.findLastIndex((v) => v > 0.004) / 44100,
    };
}"""


@pytest.mark.parametrize(
    ("name", "longest"),
    [("place", 0.15), ("step", 0.15), ("take", 0.25), ("no", 0.15), ("end", 0.9)],
)
def test_sounds_are_short_soft_and_not_cut(new_page: NewPage, name: str, longest: float) -> None:
    found = open_page(new_page(), "").evaluate(HEARD, name)
    assert 0.1 < found["peak"] < 0.8
    assert found["first"] < 0.02
    assert 0.02 < found["last"] < longest


def test_sounds_are_off_by_default_and_do_not_overlap(new_page: NewPage) -> None:
    page = open_page(new_page(), "")
    page.evaluate(
        """() => {
            window.struck = 0;
            const make = AudioContext.prototype.createBufferSource;
            AudioContext.prototype.createBufferSource = function () {
                window.struck++;
                return make.call(this);
            };
        }"""
    )
    ten = """async () => {
        const { playSound } = await import('/static/core/sound.js');
        for (let k = 0; k < 10; k++) playSound('step');
        return window.struck;
    }"""
    assert page.evaluate(ten) == 0
    page.click(".top .sound")  # plays a sample
    expect(page.locator(".top .sound")).to_have_attribute("aria-pressed", "true")
    assert 1 <= page.evaluate(ten) <= 2


# The analysis


def test_badges_are_few_and_inside_their_cells(new_page: NewPage) -> None:
    page = open_page(new_page(390, 844), "#/play/chefa?mode=study&turns=b2_d4_b3_d3_a1_e1_c5_a4")
    page.wait_for_selector(".values li", timeout=60_000)
    badges = page.locator(".marks-above .value")
    assert badges.count() >= 3
    expect(page.locator(".value.best")).to_have_count(1)
    assert set(badges.locator("text").all_text_contents()) <= {"+", "−", "="}
    outside = page.evaluate(
        """() => {
            const cells = [...document.querySelectorAll('main .cell:not(.aim *)')]
                .map((e) => e.getBoundingClientRect());
            return [...document.querySelectorAll('.marks-above .value .dot')].filter((e) => {
                const b = e.getBoundingClientRect();
                return !cells.some((c) => c.left - 1 <= b.left && b.right <= c.right + 1
                    && c.top - 1 <= b.top && b.bottom <= c.bottom + 1);
            }).length;
        }"""
    )
    assert outside == 0
    press_cell(page, "a1")
    expect(page.locator(".target-value")).not_to_have_count(0)  # the dot itself carries the value
