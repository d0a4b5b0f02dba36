"""Driver of the page: plays by mouse or keyboard, and asks the engine for good moves."""

import json
from typing import Any
from uuid import uuid4

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

Json = dict[str, Any]
READY = "body[data-ready]"
# The page waits for no answer, or says that the server is away.
SETTLED = 'body[data-waiting="0"], .server-unreachable:not([hidden])'


# A module of the page's own scripts, wherever they lie.
OWN = "import(new URL(name, document.querySelector('script[src]').src).href)"


def send_request(page: Page, path: str, body: Json) -> Json:
    """Send a request as the page does: to its server, or to its worker."""
    found: Json = page.evaluate(
        f"async ([name, path, body]) => (await {OWN}).request(path, body)",
        ["core/api.js", path, body],
    )
    return found


def open_page(page: Page, link: str) -> Page:
    """Open a link and wait until the page is ready."""
    page.goto("about:blank")
    page.goto(f"./{link}")
    page.wait_for_selector(READY)
    settle(page)
    return page


def settle(page: Page) -> None:
    """Wait until no request of the page is pending."""
    page.wait_for_selector(SETTLED, state="attached")


def shown_game(page: Page) -> Json:
    """Return the game on the page, as the page's own address describes it."""
    found: Json = page.evaluate(
        """async (name) => {
            const { parseAddress } = await OWN;
            const { game, options, start, turns, at } = parseAddress(location.hash);
            return { game, options, start, turns: at === null ? turns : turns.slice(0, at) };
        }""".replace("OWN", OWN),
        "core/address.js",
    )
    return found


def moves(page: Page) -> list[str]:
    settle(page)
    played: list[str] = shown_game(page)["turns"]
    return played


def is_over(page: Page) -> bool:
    return page.locator(".prompt-box.over").count() > 0


def wait_for_move(page: Page) -> bool:
    """Wait until a person is asked to act; return whether the game goes on."""
    page.wait_for_selector(".prompt-box.over, .cell.selectable, .end-turn", state="attached")
    return not is_over(page)


def steps_to(page: Page, game: Json, move: str) -> list[Json]:
    """Return the steps that write a move."""
    state = send_request(page, "state", game)
    path: list[Json] = []

    def walk(steps: list[Json], written: str) -> bool:
        for step in steps:
            longer = written + step["text"]
            path.append(step)
            if step["turn"] == move:
                return True
            if step["turn"] is None and move.startswith(longer):
                after = step["then"]
                if after is None:
                    begun = [s["step"] for s in path]
                    after = send_request(page, "state", {**game, "begun": begun})["steps"]
                if walk(after, longer):
                    return True
            path.pop()
        return False

    assert walk(state["steps"], ""), move
    return path


def press_cell(page: Page, cell: str, keys: bool = False) -> None:
    """Click a cell, or walk to it with the arrow keys and press Enter."""
    settle(page)
    if not keys:
        page.click(f".cell[data-cell={cell}]")
        settle(page)
        return
    page.evaluate("document.querySelector('.cell[tabindex=\"0\"]').focus()")
    for _ in range(30):
        here = page.evaluate("document.activeElement.dataset.cell")
        if here == cell:
            break
        page.keyboard.press(_way(page, here, cell))
    else:
        raise AssertionError(f"no way to {cell}")
    page.keyboard.press("Enter")
    settle(page)


def _way(page: Page, here: str, cell: str) -> str:
    """Return the arrow key that goes nearer."""
    key = _way_up(page, here, cell)
    first, *_, last = page.eval_on_selector_all(".cell", "all => all.map((e) => e.dataset.cell)")
    flipped = first[1:] < last[1:]  # the first is at the top
    return _OPPOSITE[key] if flipped else key


_OPPOSITE = {
    "ArrowLeft": "ArrowRight",
    "ArrowRight": "ArrowLeft",
    "ArrowUp": "ArrowDown",
    "ArrowDown": "ArrowUp",
}


def _way_up(page: Page, here: str, cell: str) -> str:
    """Return the arrow key that goes nearer, on a board that is not flipped."""
    if page.locator(".board.badia").count():  # a ring around a centre
        return _badia_way(here, cell)
    if here[0] != cell[0]:
        return "ArrowRight" if cell[0] > here[0] else "ArrowLeft"
    return "ArrowUp" if cell[1:] > here[1:] else "ArrowDown"


_RING = (
    "a1",
    "b1",
    "c1",
    "d1",
    "e1",
    "e2",
    "e3",
    "e4",
    "e5",
    "d5",
    "c5",
    "b5",
    "a5",
    "a4",
    "a3",
    "a2",
)
_INWARD = {"c1": "ArrowUp", "e3": "ArrowLeft", "c5": "ArrowDown", "a3": "ArrowRight"}
_OUTWARD = {"a": "ArrowLeft", "e": "ArrowRight"}


def _badia_way(here: str, cell: str) -> str:
    if here == "c3":
        return _OUTWARD.get(cell[0], "ArrowUp" if cell[1] == "5" else "ArrowDown")
    if cell == "c3" and here in _INWARD:
        return _INWARD[here]
    at = _RING.index(here)
    goals = [_RING.index(name) for name in (_INWARD if cell == "c3" else [cell])]
    goal = min(goals, key=lambda k: min((k - at) % 16, (at - k) % 16))
    after = _RING[(at + (1 if (goal - at) % 16 <= 8 else -1)) % 16]
    if after[0] != here[0]:
        return "ArrowRight" if after[0] > here[0] else "ArrowLeft"
    return "ArrowUp" if after[1] > here[1] else "ArrowDown"


def play_move(page: Page, move: str, keys: bool = False, found: Json | None = None) -> None:
    """Play a move on the page, step by step; `found` is the game, if the address does not say."""
    found = found or shown_game(page)
    before = len(found["turns"])
    take_steps(page, steps_to(page, found, move), keys)
    expect(page.locator(".turns .turn").nth(before)).to_be_attached()


def take_steps(page: Page, steps: list[Json], keys: bool = False) -> None:
    """Play the steps of a move on the board."""
    for step in steps:
        if step["kind"] in ("stop", "pass"):
            if keys:
                page.keyboard.press("Enter")
            else:
                page.click(".end-turn")
            continue
        origin, target = step["origin"], f".cell[data-cell={step['target']}].selectable:not(.drag)"
        by_itself = False
        if origin and page.locator(target).count() == 0:
            press_cell(page, origin, keys)
            # With one possible displacement it goes by itself, or asks what to capture.
            chosen = page.locator(".pawn.picked, .pawn.lifted").count() > 0
            by_itself = not chosen or page.locator(".choice").count() > 0
        if not by_itself:
            press_cell(page, step["target"], keys)
        choice = page.locator(f".choice.by-{step['by']}")
        if step["by"] and choice.count():
            if keys:
                page.keyboard.press(step["by"].lower())
            else:
                choice.click()


def good_move(page: Page, level: int = 7) -> str:
    """Ask the engine for a move: at a level without random errors, so that games end soon."""
    answer = send_request(page, "move", {**shown_game(page), "level": level, "seed": 1})
    move: str = answer["turn"]
    return move


def play_to_the_end(page: Page, keys: bool = False, max_moves: int = 200) -> int:
    """Play whole moves until the game is over; return how many."""
    for count in range(max_moves):
        if not wait_for_move(page):
            return count
        play_move(page, good_move(page), keys)
    raise AssertionError("the game does not end")


def expect_over(page: Page) -> None:
    expect(page.locator(".prompt-box.over .prompt")).not_to_be_empty()


def touch_drag(page: Page, origin: str, target: str) -> None:
    """Drag a pawn with a finger."""
    finger = page.context.new_cdp_session(page)

    def middle(cell: str) -> tuple[float, float]:
        box = page.locator(f".cell[data-cell={cell}]").bounding_box()
        assert box is not None
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    (x, y), (x2, y2) = middle(origin), middle(target)
    for kind, part in [("touchStart", 0.0), *(("touchMove", k / 8) for k in range(1, 9))]:
        point = {"x": x + part * (x2 - x), "y": y + part * (y2 - y)}
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    settle(page)


def outcome(game: str, level: int, score: float, **more: Any) -> Json:
    """Return the result of a game as the page stores it."""
    row = {"id": str(uuid4()), "game": game, "options": {}, "level": level, "side": "w"}
    row |= {"score": score, "turns": 12, "reason": "line", "counts": True, "at": 1.79e12}
    return row | more


def store_results(page: Page, rows: list[Json], **more: Any) -> None:
    """Store these results for the page, oldest first."""
    timed = [{**row, "at": row["at"] + 60_000 * k} for k, row in enumerate(rows)]
    log = {"version": 1, "adopted": True, "rows": timed, **more}
    page.evaluate("text => localStorage.setItem('damier.results', text)", json.dumps(log))


def stored_results(page: Page) -> list[Json]:
    text = page.evaluate("localStorage.getItem('damier.results')")
    rows: list[Json] = json.loads(text)["rows"] if text else []
    return rows


def assert_accessible(page: Page) -> None:
    """Assert that axe finds no serious problem on the page."""
    found = Axe().run(page, options={"resultTypes": ["violations"]})
    grave = [v for v in found.response["violations"] if v["impact"] in ("serious", "critical")]
    assert [
        (page.url, v["id"], v["nodes"][0]["html"][:200], v["nodes"][0]["failureSummary"])
        for v in grave
    ] == []
