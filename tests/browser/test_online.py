"""Online games between two browsers: whole games, outages and reconnection."""

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Request, expect

from tests.browser.conftest import NewPage
from tests.support.online_server import (
    CuttableProxy,
    OnlineServer,
    click_move,
    expect_moves,
    game_id,
    movers,
    play,
    secret_of,
    start_game,
    stored_identity,
    type_move,
)
from tests.support.page_driver import open_page, settle

# Short games, each won by somebody.
GAMES = {
    "fraha": "a1-a2,b2>c4_d2-c2",
    "chefa": "d1_d5_d2_d3_e2_e5_e1",
    "badia": "a4_b1_a1_e4_b5_e2_a2_d5_a5_d1_a4-a3_b1-c1_a5-a4_e2-e3_b5-a5",
    "seega": "a2+b3_a3+b1_a4+b4_c4+d5_d4+e2_a5+e1_c2+d1_b2+e5_c5+d3_a1+e3_c1+e4_b5+d2_"
    "c4-c3xb3xd3-b3xb4_d4-d3xd2_b3-c3xd3_e4-d4_e3-d3xd4-e3xe2_c5-c4_d5-c5xc4_"
    "d1-d2_e1-d1xc1-c1xc2_d2-c2xb2_e5-e4_a2-b2_c3-b3xb2-c3xc2_a4-b4_a3-b3xb4",
    "fanorona": "e2-e3A_f5-e5_f2-e2_g5-f5_g3-f2W_g4-g3A-h4W_h2-g2_f4-e4_e3-f2W-g3A_i4-h4_"
    "g3-f2W_h5-g5_d3-e3W_b4-c3A-d3W-d2A_h1-g1_e4-d4_b2-c3A-b4W-c5W_a4-b4_"
    "i3-h4A-h5W-g5A_b4-a3W-a4W_g2-g3_f3-f4W-e5W_c2-c3A-d4A_b5-c5_b1-a1_a4-b4_"
    "c1-b1_a5-a4_e2-f2_b4-a5_a1-b2_d5-e5_d4-c3W-b4A-a3W-a2W",
}
LOST = "ERR_,WebSocket"  # what a browser notes when there is no way to the server
CHEFA = GAMES["chefa"].split("_")


@pytest.fixture
def network(online_server: OnlineServer) -> Iterator[CuttableProxy]:
    network = CuttableProxy(online_server.port)
    yield network
    network.end()


def watch_positions(page: Page) -> list[int]:
    """Return a list to which the ply of each position that a page requests is added."""
    plies: list[int] = []

    def add(request: Request) -> None:
        body = request.post_data_json if request.url.endswith("/api/v1/state") else None
        if body and "options" in body:  # not a request of the test itself
            plies.append(len(body["turns"]))

    page.on("request", add)
    return plies


@pytest.mark.parametrize(
    "game",
    [pytest.param(game, marks=pytest.mark.exhaustive if game == "seega" else ()) for game in GAMES],
)
def test_two_people_play_a_whole_game(
    online_page: NewPage, online_server: OnlineServer, game: str
) -> None:
    """White types in English at a desk, Black taps in French on a phone."""
    white = online_page()
    black = online_page(390, 780, lang="fr", theme="dark", has_touch=True)
    start_game(online_server, white, black, game=game)
    moves = GAMES[game].split("_")
    sides = list(movers(game, moves))
    asked = {"w": watch_positions(white), "b": watch_positions(black)}
    for k, (move, side) in enumerate(zip(moves, sides, strict=True)):
        if side == "w":
            type_move(white, move)
        else:
            click_move(black, {"game": game, "turns": moves[:k]}, move)
        for page in (white, black):
            expect(page.locator(".turns > .turn").nth(k)).to_contain_text(move)
    assert online_server.moves(white) == moves
    for side, plies in asked.items():  # an event carries the position after the opponent's move
        assert [sides[ply - 1] for ply in plies] == [side] * len(plies)
    for page in (white, black):
        expect(page.locator(".prompt-box.over .prompt strong")).not_to_be_empty()
        expect(page.locator(".rematch")).to_be_visible()
        assert "⟨" not in page.locator("body").inner_text()
    winner, said = (
        (white, "You have won!")
        if white.locator(".prompt-box.over:not(.drawn)").count()
        else (black, "Vous avez gagné")
    )
    expect(winner.locator(".prompt-box.over .prompt")).to_contain_text(said)


def test_the_network_is_lost_during_a_move(
    online_page: NewPage, online_server: OnlineServer, network: CuttableProxy
) -> None:
    white = online_page()
    black = online_page(noise=LOST)
    link = start_game(online_server, white, black, game="seega")
    same = f"localStorage.setItem('damier.identity', '{stored_identity(black)}')"
    black.context.add_init_script(f"if (location.port === '{network.port}') {same}")
    black.goto(f"{network.address}/{link}")  # the same player, by a network of their own
    expect(black.locator(".play.online .board")).to_be_visible()
    moves = GAMES["seega"].split("_")[:4]
    play(white, black, moves[:1])
    black.wait_for_selector(".cell.selectable")
    black.click(".cell[data-cell=a3]")  # the first pawn of two
    settle(black)
    network.cut()
    expect(black.locator(".connection-lost")).to_be_visible()
    black.click(".cell[data-cell=b1]")  # the move is made without a network
    expect(black.locator(".connection-lost")).to_contain_text("saved")
    expect(black.locator(".turns > .turn")).to_have_count(2)
    assert online_server.moves(white) == moves[:1]
    expect(white.locator(".bar .presence.present")).to_have_count(1)
    black.goto("about:blank")  # even so nothing is lost
    network.mend()
    black.goto(f"{network.address}/{link}")
    expect_moves(white, moves[:2])
    expect_moves(black, moves[:2])
    expect(black.locator(".connection-lost")).to_be_hidden()
    assert online_server.moves(white) == moves[:2]
    play(white, black, moves[2:], 2)
    assert online_server.moves(white) == moves


def test_the_server_is_killed_and_comes_back(
    online_page: NewPage, online_server: OnlineServer
) -> None:
    white, black = online_page(noise=LOST), online_page(noise=LOST, lang="fr")
    start_game(online_server, white, black)
    play(white, black, CHEFA[:2])
    online_server.kill()
    expect(white.locator(".connection-lost")).to_contain_text("restored automatically")
    expect(black.locator(".connection-lost")).to_contain_text("se rétablit")
    white.click(f".cell[data-cell={CHEFA[2]}]")
    expect(white.locator(".connection-lost")).to_contain_text("saved")
    online_server.start()
    for page in (white, black):
        expect(page.locator(".connection-lost")).to_be_hidden(timeout=15_000)
        expect_moves(page, CHEFA[:3])
    assert online_server.moves(white) == CHEFA[:3]
    play(white, black, CHEFA[3:], 3)
    for page in (white, black):
        expect(page.locator(".prompt-box.over")).to_be_visible()
    assert online_server.moves(white) == CHEFA


def test_offers_a_spectator_and_a_rematch(
    online_page: NewPage, online_server: OnlineServer
) -> None:
    white, black, third = online_page(), online_page(lang="fr"), online_page(500, 900)
    link = start_game(online_server, white, black)
    open_page(third, link)  # the seat is taken: who comes later watches
    expect(third.locator(".play.watching")).to_be_visible()
    expect(third.locator(".match")).to_contain_text("you are watching")
    expect(white.locator(".match")).to_contain_text("1 watching")
    play(white, black, CHEFA[:2])
    expect_moves(third, CHEFA[:2])
    third.click(".cell[data-cell=a1]")
    expect(third.locator(".prompt-box .message")).to_contain_text("You are watching")
    black.click(".phrase-menu summary")
    black.click(".phrase-menu .phrase >> nth=2")  # said in French, read in English
    expect(white.locator(".phrase-log")).to_contain_text("Well played!")
    expect(third.locator(".phrase-log")).to_contain_text("Boris Well played!")

    black.click(".actions .take-back")
    expect(white.locator(".offer")).to_contain_text("Boris would like to take a move back.")
    white.click(".accept")
    for page in (white, black, third):
        expect_moves(page, CHEFA[:1])
    play(white, black, CHEFA[1:2], 1)  # seen by both: a move is an answer to an offer before it

    white.click(".actions .offer-draw")
    expect(black.locator(".offer")).to_contain_text("Anna propose nulle.")
    black.click(".decline")
    expect(white.locator(".withdraw")).to_have_count(0)
    play(white, black, CHEFA[2:3], 2)
    black.click(".actions .offer-draw")
    white.click(".accept")
    for page in (white, black, third):
        expect(page.locator(".prompt-box.over")).to_be_visible()
    expect(white.locator(".prompt-box.over")).to_contain_text(
        "The game is drawn: the players agreed."
    )
    expect(black.locator(".prompt-box.over")).to_contain_text("Partie nulle")

    old = game_id(white)
    white.click(".rematch")
    expect(black.locator(".offer")).to_contain_text("revanche")
    black.click(".accept")
    for page in (white, black):
        expect(page).not_to_have_url(re.compile(old))
        expect(page.locator(".turns .turn")).to_have_count(0)
    expect(third.locator(".prompt-box.over a.button.main")).to_have_attribute(
        "href", f"/#/online/{game_id(white)}"
    )
    type_move(black, "b2")  # colours have changed
    expect_moves(white, ["b2"])
    type_move(white, "d4")
    expect_moves(black, ["b2", "d4"])
    black.click(".actions .resign")
    black.click("dialog .confirm")
    expect(white.locator(".prompt-box.over .prompt")).to_contain_text("You have won!")
    expect(black.locator(".prompt-box.over .prompt")).to_contain_text("Anna a gagné")

    black.click(".prompt-box .review")  # the study of the local page
    expect(black.locator(".play.study .review h3")).to_be_visible(timeout=60_000)


def test_time_runs_out_and_a_game_is_called_off(
    online_page: NewPage, online_server: OnlineServer
) -> None:
    white, black = online_page(), online_page(lang="fr")
    start_game(online_server, white, black, clock={"kind": "live", "minutes": 0.05, "seconds": 0})
    play(white, black, CHEFA[:2])
    expect(white.locator(".clock.running.low")).to_contain_text("0:0")
    assert "." in white.locator(".clock.running").inner_text()  # tenths
    expect(white.locator(".prompt-box.over")).to_contain_text("the time is up", timeout=10_000)
    expect(black.locator(".prompt-box.over")).to_contain_text("Vous avez gagné")

    link = start_game(online_server, white, black)
    play(white, black, CHEFA[:1])
    black.click(".actions .abort")
    expect(white.locator(".prompt-box.over")).to_contain_text("The game was called off.")
    expect(black.locator(".prompt-box.over")).to_contain_text("n’a pas eu lieu")
    stranger = online_page(noise="404")
    open_page(stranger, f"{link[:-3]}xyz")  # a guessed link
    expect(stranger.locator(".wrong")).to_contain_text("There is no such game here.")


def test_absence_hints_and_taken_seats_are_said_in_words(
    online_page: NewPage, online_server: OnlineServer
) -> None:
    white, black, third = online_page(), online_page(), online_page()
    link = start_game(online_server, white, black)
    open_page(third, link)
    expect(third.locator(".match")).to_contain_text("both seats are taken")
    play(white, black, CHEFA[:1])
    question = {"game": "chefa", "turns": CHEFA[:1], "nodes": 10}
    asked = """([body, secret]) => fetch('/api/v1/analysis', {
        method: 'POST',
        headers: {'Content-Type': 'application/json', Authorization: `Bearer ${secret}`},
        body: JSON.stringify(body),
    }).then((answer) => answer.status)"""
    assert black.evaluate(asked, [question, secret_of(black)]) == 200
    expect(white.locator(".match")).to_contain_text("hints: Boris 1")
    expect(white.locator(".absent")).to_have_count(0)
    black.goto("about:blank")
    expect(white.locator(".prompt-box")).to_contain_text("Boris is away")
    expect(white.locator(".absent")).to_have_count(1)
    expect(white.locator("bdi", has_text="Boris")).to_be_visible()


def test_coloured_moves_of_a_casual_game_count_as_a_hint(
    online_page: NewPage, online_server: OnlineServer
) -> None:
    white, black = online_page(), online_page(lang="fr")
    start_game(online_server, white, black)
    play(white, black, CHEFA[:1])
    black.click(".actions .menu")
    expect(black.locator(".menu-list .colours")).to_contain_text("l’adversaire en est averti")
    black.click(".menu-list .colours")
    expect(black.locator(".legend")).to_be_visible()
    expect(black.locator(".legend")).to_contain_text("Meilleur résultat de chaque choix")
    expect(white.locator(".match")).to_contain_text("hints: Boris 1")
    type_move(black, CHEFA[1])
    expect_moves(white, CHEFA[:2])
    white.click(".actions .menu")  # the switch is the other player's alone
    expect(white.locator(".menu-list .colours")).to_contain_text("Colour moves (counts as a hint")
    white.keyboard.press("Escape")
    expect(white.locator(".legend")).to_be_hidden()
    again = start_game(online_server, white, black)
    play(white, black, CHEFA[:1])
    expect(black.locator(".legend")).to_be_hidden()  # off in the next game
    expect(black.locator(".match")).not_to_contain_text("indice")
    assert again


def test_premoves(online_page: NewPage, online_server: OnlineServer) -> None:
    white, black = online_page(), online_page()
    sent: list[str] = []  # to the server, by White's page
    white.on(
        "websocket", lambda socket: socket.on("framesent", lambda text: sent.append(str(text)))
    )
    start_game(online_server, white, black)
    type_move(white, CHEFA[0])
    expect_moves(black, CHEFA[:1])
    white.click(".cell[data-cell=a1]")  # chosen, and given up
    expect(white.locator(".pointer.premove")).to_be_visible()
    white.keyboard.press("Escape")
    expect(white.locator(".pointer.premove")).to_have_count(0)
    white.click(f".cell[data-cell={CHEFA[2]}]")
    expect(white.locator(".prompt-box .prompt")).to_contain_text("Your next move is chosen")
    type_move(black, CHEFA[1])
    for page in (white, black):
        expect_moves(page, CHEFA[:3])
    (premove,) = (json.loads(text)["act"] for text in sent if f'"{CHEFA[2]}"' in text)
    assert premove["premove"]  # which costs no time, unless it comes late
    white.click(f".cell[data-cell={CHEFA[3]}]")  # where Black goes
    type_move(black, CHEFA[3])
    expect(white.locator(".prompt-box .message")).to_contain_text("not possible now")
    expect_moves(white, CHEFA[:4])


def planned(page: Page, *moves: str) -> None:
    """Play moves of a line that is planned."""
    for move in moves:
        type_move(page, move)
        expect(page.locator(".turns > [aria-current]")).to_contain_text(move)


def test_a_game_by_correspondence(online_page: NewPage, online_server: OnlineServer) -> None:
    white, black = online_page(), online_page(390, 780, lang="fr")
    start_game(online_server, white, black, clock={"kind": "days", "days": 3})
    type_move(white, CHEFA[0])
    expect(white.locator(".prompt-box .prompt")).to_contain_text("until")
    white.click(".plan")
    expect(white.locator(".offer")).to_contain_text("what Boris might play")
    planned(white, CHEFA[1])
    expect(white.locator(".offer")).to_contain_text("your answer")
    planned(white, CHEFA[2], "a4", "a5")
    white.click(".keep")
    expect(white.locator(".lines li")).to_have_count(1)
    expect_moves(white, CHEFA[:1])  # nothing is played yet
    white.click(".plan")
    planned(white, "a2", "a3")
    white.click(".keep")
    expect(white.locator(".lines li")).to_have_count(2)
    white.click(".lines li:nth-child(2) button")
    expect(white.locator(".lines li")).to_have_count(1)
    white.reload()
    expect(white.locator(".lines li")).to_have_text([f"{CHEFA[1]} {CHEFA[2]} a4 a5 "])
    assert black.locator(".lines li").count() == 0  # nobody else sees it
    white.goto("about:blank")  # who plans need not be there
    settle(black)
    type_move(black, CHEFA[1])
    expect_moves(black, CHEFA[:3])
    type_move(black, CHEFA[3])  # not what was planned
    expect_moves(black, CHEFA[:4])
    open_page(white, "#/mine")
    expect(white.locator(".game-row.your-turn .game-status").first).to_contain_text("Your move.")
    expect(white.locator(".badge")).to_be_visible()
    white.click(".game-row.your-turn >> nth=0 >> a")
    expect_moves(white, CHEFA[:4])
    assert white.title().startswith("●")


def test_a_player_moves_to_another_device(
    online_page: NewPage, online_server: OnlineServer
) -> None:
    white, black, phone = online_page(), online_page(), online_page(360, 700, has_touch=True)
    link = start_game(online_server, white, black)
    play(white, black, CHEFA[:2])
    open_page(white, "#/mine")
    white.click(".take-along")
    expect(white.locator("dialog .warning")).to_contain_text(
        "Anyone who has this link can play as you."
    )
    expect(white.locator("dialog img.qr")).to_be_visible()
    taken = white.input_value("dialog [name=link]")
    phone.goto(taken)
    expect(phone.locator(".become h1")).to_have_text("Go on as Anna")
    assert "#/take/" not in phone.url  # no secret stays in the address
    phone.click(".become .confirm")
    expect(phone.locator(".game-row.your-turn")).to_have_count(1)
    phone.click(".game-row.your-turn a")
    type_move(phone, CHEFA[2])
    expect_moves(black, CHEFA[:3])
    open_page(white, link)
    expect_moves(white, CHEFA[:3])  # both devices are the same player
    type_move(black, CHEFA[3])
    type_move(white, CHEFA[4])
    expect_moves(phone, CHEFA[:5])
