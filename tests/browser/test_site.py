"""The site without a server, below a path, in a real browser: with and without a network."""

import json
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, expect

import damier
from damier import solve
from damier.games import GAMES, load
from damier.i18n import LANGUAGES
from damier.search.tablebase import table_moves
from damier.solve import tables
from damier.web.endpoints import engine_endpoints
from tests.browser.conftest import (
    COMMAND,
    HELD,
    NODE,
    PYODIDE,
    ROOT,
    NewPage,
    cut_off,
    pages,
    served,
)
from tests.browser.test_train import kept, miss, posed, verdict
from tests.browser.test_train import solve as solve_puzzle
from tests.support.page_driver import (
    OWN,
    expect_over,
    moves,
    open_page,
    play_move,
    play_to_the_end,
    send_request,
)


@pytest.fixture
def new_page(browser: Browser, site: str) -> Iterator[NewPage]:
    """Make pages of newcomers to the site, who have a network."""
    yield from pages(browser, site)


def test_lessons_work_offline_on_a_phone_in_french(new_page: NewPage) -> None:
    phone = cut_off(new_page(390, 844, lang="fr", has_touch=True))
    open_page(phone, "#/play/chefa?mode=study&turns=b2_d4_b3_d3_a1_e1_c5_a4_b3-b4")
    phone.click(".actions .review")
    phone.wait_for_selector(".reviewed li", timeout=60_000)
    phone.click(".review .learn")
    phone.click(".to-view")
    expect(phone.locator(".prompt")).to_contain_text("Le meilleur coup était")
    phone.locator(".prompt-box .send").click()
    open_page(phone, "#/progress")
    expect(phone.locator("main h1")).to_have_text("Vos progrès")
    open_page(phone, "#/train/chefa")
    puzzle = posed(phone)
    miss(phone, puzzle)
    verdict(phone, "wrong")
    phone.click(".prompt-box .retry")
    solve_puzzle(phone, puzzle)
    verdict(phone, "right")
    assert list(kept(phone)["games"]["chefa"]["missed"]) == [puzzle.id]


def test_links_are_those_of_a_server(new_page: NewPage) -> None:
    link = "#/play/chefa?turns=b2_d4"
    page = open_page(new_page(), link)
    assert page.evaluate("location.hash") == link
    assert page.evaluate("location.pathname") == "/~me/damier/"
    page.click(".brand")
    expect(page.locator("main h1")).to_have_text("Small board games")
    assert page.evaluate("location.pathname") == "/~me/damier/"


def test_no_other_host_is_asked_and_nothing_is_evaluated(new_page: NewPage, site: str) -> None:
    page = new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("./#/play/fraha?w=level:3&b=level:3")
    expect(page.locator(".turns .turn").nth(1)).to_be_attached(timeout=60_000)
    assert asked
    assert all(address.startswith(site) for address in asked), asked
    policy = page.locator("meta[http-equiv]").get_attribute("content")
    assert policy is not None
    assert "'wasm-unsafe-eval'" in policy
    assert "'unsafe-eval'" not in policy


def test_a_worker_that_crashes_during_a_search_is_replaced(new_page: NewPage) -> None:
    page = new_page()
    page.goto("./#/play/seega?w=level:8&b=level:8")
    expect(page.locator(".turns .turn").first).to_be_attached(timeout=60_000)
    before = len(page.workers)
    for worker in page.workers:
        worker.evaluate("self.close()")
    expect(page.locator(".turns .turn").nth(6)).to_be_attached(timeout=60_000)
    assert before == 1


def test_taking_back_stops_the_search(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/fanorona?b=level:8")
    page.click(".cell.selectable >> nth=0")
    page.wait_for_selector(".choice, .thinking, .cell.selectable")
    open_page(page, "#/play/chefa?b=level:1")
    page.click(".cell[data-cell=b2]")
    expect(page.locator(".turns .turn").nth(1)).to_be_attached(timeout=60_000)


def test_requests_are_answered_during_a_search(new_page: NewPage) -> None:
    page = open_page(new_page(), "#/play/fanorona")
    send_request(page, "move", {"game": "fanorona", "level": 1})
    order = page.evaluate(
        """async (name) => {
            const { request } = await OWN;
            const order = [];
            const said = (what) => order.push(what);
            const move = request('move', { game: 'fanorona', level: 8 });
            const thought = move.then(() => said('move'));
            for (const what of ['why', 'turns', 'state']) {
                const more = what === 'why' ? { target: 'a1' } : {};
                await request(what, { game: 'fanorona', turns: ['d3-e3A'], ...more });
                said(what);
            }
            await thought;
            return order;
        }""".replace("OWN", OWN),
        "core/api.js",
    )
    assert order == ["why", "turns", "state", "move"]
    assert len(page.workers) == 1


def test_a_second_worker_searches_where_a_browser_cannot_pause(
    browser: Browser, built: Path, tmp_path: Path
) -> None:
    folder = copied(built, tmp_path)
    (script,) = folder.glob("*/engine/worker.js")
    unable = "delete WebAssembly.Suspending; delete WebAssembly.promising;\n"
    change(folder, script, unable + read(script))
    for address in served(folder):
        for new_page in pages(browser, address):
            page = open_page(new_page(), "#/play/seega?b=level:8")
            send_request(page, "why", {"game": "seega", "target": "a1"})
            played = send_request(page, "move", {"game": "seega", "level": 2})["turn"]
            play_move(page, played)
            send_request(page, "why", {"game": "seega", "target": "a1"})  # while the other thinks
            assert len(page.workers) == 2
            page.click(".take-back")
            expect(page.locator(".turns .turn")).to_have_count(0)
            play_move(page, played)
            expect(page.locator(".turns .turn").nth(1)).to_be_attached(timeout=60_000)


SOLVED = [("chefa", {}), ("chefa", {"line": "contiguous"}), ("fraha", {}), ("badia", {})]


@pytest.mark.exhaustive
def test_the_best_level_never_errs_in_a_solved_game(new_page: NewPage) -> None:
    page = cut_off(new_page())
    draw = random.Random(8)
    decided = 0
    for name, options in SOLVED:
        for game, (value, best) in tempting(draw, damier.load_rules(name, **options), 8):
            asked = {"game": name, "options": options, "turns": [t.text for t in game.moves_played]}
            chosen = send_request(page, "move", {**asked, "level": 8, "seed": 1})["turn"]
            # Moves that lead to the same position are one.
            assert game.position.parse_move(chosen).after in {move.after for move in best}, asked
            decided += value.outcome != "draw"
    assert 3 < decided < 32


def tempting(draw: random.Random, rules: damier.Rules, count: int) -> Iterator[tuple[Any, Any]]:
    """Yield games played by chance in which one can err, and what a table says of them."""
    while count:
        game = damier.Game(rules)
        for _ in range(draw.randrange(2, 24)):
            game = game if game.over else game.play(draw.choice(game.legal_moves()))
        known = None if game.over else table_moves(game)
        if known is not None and len(known[1]) < len(game.legal_moves()):
            count -= 1
            yield game, known


EXAMPLE = ROOT / "examples" / "tapatan"
SOLVED_GAME = ROOT / "tests" / "data" / "games" / "dodgem.py"
DAMIER = [sys.executable, "-c", COMMAND]


@pytest.mark.usefixtures("own_registry")
def test_games_from_outside_and_their_tables(browser: Browser, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    subprocess.run([*DAMIER, "solve", str(SOLVED_GAME)], check=True, stdout=subprocess.DEVNULL)
    tables.clear_table_cache()
    rules = damier.load_rules(load(SOLVED_GAME).name)
    games = ["--game", EXAMPLE, "--game", SOLVED_GAME]
    options = [*games, "--output", folder, "--pyodide", PYODIDE, "--node", NODE]
    subprocess.run([*DAMIER, "site", *map(str, options)], check=True, stdout=subprocess.DEVNULL)
    for address in served(folder):
        for make in pages(browser, address, cut_off):
            page = open_page(make(), "#/rules/tapatan")
            expect(page.locator("main h1")).to_contain_text("Tapatan")
            open_page(page, "#/play/tapatan?b=level:1")
            play_to_the_end(page)
            expect_over(page)
            for game, (value, best) in tempting(random.Random(3), rules, 6):
                asked = {"game": rules.name, "turns": [move.text for move in game.moves_played]}
                found = send_request(page, "probe", asked)
                assert (found["outcome"], found["distance"]) == (value.outcome, value.distance)
                known = {move.text: value for move, value in solve.probe_moves(game)}
                assert {turn["turn"]: turn["distance"] for turn in found["turns"]} == {
                    text: value.distance for text, value in known.items()
                }
                chosen = send_request(page, "move", {**asked, "level": 8, "seed": 1})["turn"]
                assert game.position.parse_move(chosen).after in {move.after for move in best}
    tables.clear_table_cache()


def test_loading_failures_are_reported_and_retried(
    browser: Browser, built: Path, tmp_path: Path
) -> None:
    folder = copied(built, tmp_path)
    (script,) = folder.glob("*/engine/worker.js")
    script.rename(tmp_path / "worker.js")
    for address in served(folder):
        for new_page in pages(browser, address):
            page = new_page(noise="404")
            page.goto("./#/play/chefa?b=level:1")
            page.wait_for_selector(".cell.selectable")  # the board is there all the same
            page.click(".cell[data-cell=b2]")
            expect(page.locator(".server-unreachable")).to_contain_text("no network")
            (tmp_path / "worker.js").rename(script)
            expect(page.locator(".turns .turn").nth(1)).to_be_attached(timeout=60_000)
            expect(page.locator(".server-unreachable")).to_be_hidden()


def test_a_damaged_cache_is_repaired(new_page: NewPage) -> None:
    page = cut_off(new_page())
    page.evaluate(
        """async () => {
            for (const name of await caches.keys()) {
                const cache = await caches.open(name);
                for (const { url } of await cache.keys())
                    if (/main\\.js$/.test(url)) await cache.put(url, new Response('broken('));
                    else if (/damier\\.zip$/.test(url)) await cache.put(url, new Response('PK'));
                    else if (/python\\.zip$/.test(url)) await cache.delete(url);
            }
        }"""
    )
    page.context.set_offline(False)
    open_page(page, "#/play/chefa?b=level:1")
    page.click(".cell[data-cell=b2]")
    expect(page.locator(".turns .turn").nth(1)).to_be_attached(timeout=60_000)


def test_an_update_is_offered_and_loses_nothing(
    browser: Browser, built: Path, tmp_path: Path
) -> None:
    folder = copied(built, tmp_path)
    for address in served(folder):
        for new_page in pages(browser, address):
            page = open_page(new_page(), "#/play/chefa?b=level:1")
            page.click(".cell[data-cell=b2]")
            expect(page.locator(".turns .turn").nth(1)).to_be_attached(timeout=60_000)
            page.evaluate(HELD)
            other = page.context.new_page()
            open_page(other, "")
            played = moves(page)
            newer(folder)
            page.evaluate("navigator.serviceWorker.ready.then((it) => it.update())")
            expect(page.locator(".newer")).to_be_visible(timeout=60_000)
            assert "second/" not in page.content()
            with other.expect_navigation(), page.expect_navigation():
                page.click(".newer .main")
            page.wait_for_selector("body[data-ready]")
            assert moves(page) == played
            for tab in (page, other):
                assert "/second/" in tab.evaluate("document.querySelector('script[src]').src")
            assert len(page.evaluate("caches.keys()")) == 1


def newer(folder: Path) -> None:
    """Put another version in the place of one, as an upload does."""
    (version,) = (path.name for path in folder.iterdir() if path.is_dir())
    (folder / version).rename(folder / "second")
    keeper = folder / "sw.js"
    keeper.write_text(read(keeper).replace(version, "second"), "utf-8")
    for path in (folder / "index.html", folder / "embed.html"):
        change(folder, path, read(path).replace(version, "second"))


def copied(built: Path, place: Path) -> Path:
    """Return a copy of the site, to be changed."""
    return Path(shutil.copytree(built, place / "site"))


def read(path: Path) -> str:
    return path.read_text("utf-8")


def change(folder: Path, path: Path, text: str) -> None:
    """Change a file of the site, and what its service worker knows of it."""
    assert text != read(path)
    path.write_text(text, "utf-8")
    name, digest = path.relative_to(folder).as_posix(), sha256(path.read_bytes()).hexdigest()
    keeper = folder / "sw.js"
    listed, count = re.subn(rf'"{name}": "\w+"', f'"{name}": "{digest}"', read(keeper))
    assert count == 1
    keeper.write_text(listed, "utf-8")


# ---- the same answers --------------------------------------------------------------------------


def requests(draw: random.Random) -> Iterator[tuple[str, Any]]:
    """Yield requests of all kinds, good and bad."""
    for name in GAMES:
        rules = damier.load_rules(name)
        for _ in range(29):
            game = damier.Game(rules)
            played: list[str] = []
            for _ in range(draw.randrange(14)):
                found = game.legal_moves()
                if not found:
                    break
                move = draw.choice(found)
                game, played = game.play(move), [*played, move.text]
            asked = {"game": name, "turns": played}
            cell = draw.choice(list(rules.board.indices))
            yield "state", asked
            yield "play", {**asked, "turn": draw.choice(["a1", "b2-b3", "zz", "c3", "a1-a2"])}
            yield "why", {**asked, "target": cell, "origin": draw.choice([None, "a1", "b2"])}
            yield "line", asked
            yield "records/write", {**asked, "white": "Zoé"}
            yield "records/read", {"text": " ".join(played), "game": name}
            yield "state", {**asked, "turns": [*played, "x" * draw.randrange(300)]}
            yield "state", {**asked, draw.choice(["preset", "begun", "zz"]): draw.choice([3, "q"])}
            yield "position", {"game": name, "cells": {cell: "w"}, "side": draw.choice("wbx")}
            yield "probe", asked
            yield "move", {**asked, "level": draw.randrange(1, 5), "seed": 7}
            yield "analysis", {**asked, "nodes": 300}
            yield "turns", {**asked, "options": {"zz": "1"}}
            yield draw.choice(["zz", "state"]), draw.choice([7, [], {}, {"game": "x" * 99}])
    known = (
        "games",
        "rules/chefa",
        "rules/zz",
        "rules/" + "z" * 99,
        "texts/fr",
        "texts/de",
        "warm",
    )
    for path in (*known, "texts", "zz", "state", "records/read", "rules/a/b", "rules/" + "z" * 99):
        yield path, None
        yield path, {}


WORKER = """async (asked) => {
    const page = document.querySelector('script[src]').src;
    const { root } = await import(new URL('core/address.js', page));
    const place = root + document.documentElement.dataset.siteVersion;
    const worker = new Worker(`${place}engine/worker.js`, { type: 'module' });
    const answers = [];
    return await new Promise((resolve, reject) => {
        worker.onmessage = ({ data }) => {
            if ('crashed' in data) reject(new Error(data.crashed));
            if (!('id' in data)) return;
            answers[data.id] = [data.status, data.text];
            if (data.id + 1 < asked.length) next(data.id + 1);
            else resolve(answers);
        };
        const next = (id) => worker.postMessage({ id, ...asked[id] });
        next(0);
    });
}"""


def test_server_and_worker_answer_alike_to_the_byte(new_page: NewPage, client: TestClient) -> None:
    draw = random.Random(15)
    asked = list(requests(draw))
    assert len(asked) > 2000
    languages = [draw.choice(LANGUAGES) for _ in asked]
    page = open_page(new_page(), "")
    page.set_default_timeout(600_000)
    given = [
        {
            "path": path,
            "language": language,
            "text": None if body is None else json.dumps(body),
            "isEngine": path in engine_endpoints(),
        }
        for (path, body), language in zip(asked, languages, strict=True)
    ]
    responses = page.evaluate(WORKER, given)
    for (path, body), language, (status, text) in zip(asked, languages, responses, strict=True):
        where, headers = f"/api/v1/{path}", {"Accept-Language": language}
        if body is None:
            answer = client.get(where, headers=headers)
        else:
            answer = client.post(where, json=body, headers=headers)
        assert (status, text) == (answer.status_code, answer.text), (path, body, language)
