"""Online play over a real server: two clients, a spectator, and abusive clients."""

import json
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from time import sleep
from typing import Any

import jsonschema_rs
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from damier import i18n
from damier.gameplay import Game
from damier.online import store as store_module
from damier.online import websocket as socket_module
from damier.online.limits import RateLimiter
from damier.online.reducer import MAX_PHRASES
from damier.position import load_rules
from tests.support.online_client import OnlineTestServer

pytestmark = pytest.mark.slow

LIVE = {"kind": "live", "minutes": 5, "seconds": 3}


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, no_outages: None
) -> Iterator[OnlineTestServer]:
    path: Path = tmp_path_factory.mktemp("online") / "online.sqlite"
    server = OnlineTestServer(f"sqlite+aiosqlite:///{path}", public="https://games.example/")
    yield server
    server.close()


@pytest.fixture(scope="module")
def ada(server: OnlineTestServer) -> str:
    secret: str = server.create_identity("Ada")["secret"]
    return secret


@pytest.fixture(scope="module")
def blaise(server: OnlineTestServer) -> str:
    secret: str = server.create_identity("Blaise")["secret"]
    return secret


def begun(server: OnlineTestServer, ada: str, blaise: str, **terms: Any) -> str:
    """Return a game in which Ada is White."""
    asked = {"game": "chefa", "colour": "w", "clock": LIVE, **terms}
    status, made = server.request("games", asked, ada)
    assert status == 200, made
    status, joined = server.request(f"games/{made['id']}/join", None, blaise)
    assert (status, joined["you"], joined["status"]) == (200, "b", "playing")
    found: str = made["id"]
    return found


def test_a_game_is_played_watched_and_rated(server: OnlineTestServer) -> None:
    ada, blaise = (server.create_identity(name)["secret"] for name in ("Ada", "Blaise"))
    id_ = begun(server, ada, blaise, rated=True)
    with server.connect(ada) as white, server.connect(blaise) as black, server.connect() as watcher:
        for line, you in ((white, "w"), (black, "b"), (watcher, None)):
            line.send(type="follow", game=id_)
            assert line.wait_for("game")["game"]["you"] == you
        assert white.wait_for("presence", watchers=1)["b"]
        play = Game(load_rules("chefa"))
        for ply in range(4):
            mover, other = (white, black) if ply % 2 == 0 else (black, white)
            move = play.legal_moves()[ply].text
            name = mover.act(id_, "turn", ply + 2, turn=move)
            assert mover.wait_for("done")["id"] == name
            for line in (other, watcher):
                message = line.wait_for_event("turn")
                assert message["event"]["turn"] == move
                assert message["event"]["version"] == ply + 3
                assert message["to_move"] == "wb"[(ply + 1) % 2]
            assert message["clock"]["running"] == (message["to_move"] if ply else None)
            play = play.play(move)
        # Who watches does nothing else.
        name = watcher.act(id_, "resign")
        refused = watcher.wait_for("refused")
        assert (refused["id"], refused["error"]["key"]) == (name, "not-your-seat")
        black.act(id_, "offer", what="draw")
        white.wait_for_event("offered")
        white.act(id_, "accept", what="draw")
        assert watcher.wait_for_event("ended")["event"]["reason"] == "agreed"
        assert watcher.wait_for_event("rated")["event"]["w"]["before"]["points"] == 1500
    _, record = server.request(f"games/{id_}/record", get=True)
    assert '[Result "1/2-1/2"]' in record["text"]
    assert '[White "Ada"]' in record["text"]
    _, shown = server.request(f"games/{id_}", get=True, **{"Accept-Language": "fr"})
    with i18n.use_language("fr"):
        assert shown["result"]["text"] == i18n.translate(
            "result.draw", reason=i18n.translate("reason.agreed")
        )


def test_an_event_carries_the_game_and_the_board_after_it(
    server: OnlineTestServer, ada: str, blaise: str
) -> None:
    id_ = begun(server, ada, blaise)
    with (
        server.connect(ada) as white,
        server.connect(blaise) as black,
        server.connect(hello=False) as french,
    ):
        french.send(type="hello", secret=None, language="fr")
        for line in (white, black, french):
            line.send(type="follow", game=id_)
            line.wait_for("game")
        white.act(id_, "turn", 2, turn="a1")
        for line, you in ((white, "w"), (black, "b"), (french, None)):
            message = line.wait_for_event("turn")
            _, game = server.request(f"games/{id_}", get=True)
            view = message["view"]
            assert (view["you"], view["turns"], view["lines"]) == (you, ["a1"], [])
            same = view.keys() - {"you", "clock", "presence"}
            assert {key: view[key] for key in same} == {key: game[key] for key in same}
            assert view["clock"] == message["clock"] | {"at": view["clock"]["at"]}
            asked = {"game": "chefa", "turns": ["a1"]}
            language = "fr" if you is None else "en"
            _, state = server.request(
                "/api/v1/state", asked, get=False, **{"Accept-Language": language}
            )
            assert message["state"] == state
        black.act(id_, "offer", 3, what="draw")
        message = white.wait_for_event("offered")
        assert message["view"]["offers"] == [{"what": "draw", "by": "b"}]
        assert message["state"] is None
        black.act(id_, "resign", 4)
        events = [white.wait_for_event("resigned"), white.wait_for_event("ended")]
        assert [message["view"]["status"] for message in events] == ["playing", "over"]
        assert events[1]["view"]["result"]["text"]
    with server.connect(ada) as white:
        white.send(type="follow", game=id_, version=3)
        replayed = [white.wait_for("event") for _ in range(3)]
        assert [message["view"] is None for message in replayed] == [True, True, False]
        assert replayed[-1]["view"]["status"] == "over"


def test_a_reconnecting_client_gets_missed_events(
    server: OnlineTestServer, ada: str, blaise: str
) -> None:
    id_ = begun(server, ada, blaise)
    with server.connect(ada) as white, server.connect(blaise) as black:
        for line in (white, black):
            line.send(type="follow", game=id_)
            line.wait_for("game")
        white.act(id_, "turn", 2, turn="a1")
        assert black.wait_for_event("turn")["event"]["version"] == 3
    for ply, (secret, move) in enumerate(((blaise, "a2"), (ada, "a3"))):
        act = {"id": f"http{ply}", "version": 3 + ply, "act": {"kind": "turn", "turn": move}}
        for _ in range(2):  # the same act twice is one act
            assert server.request(f"games/{id_}/acts", act, secret) == (200, {"version": 4 + ply})
    with server.connect(blaise) as black:
        black.send(type="follow", game=id_, version=3)
        assert [black.wait_for("event")["event"]["turn"] for _ in range(2)] == ["a2", "a3"]
        black.send(type="follow", game=id_, version=5)
        assert black.receive()["type"] == "presence"  # nothing was missed
        black.send(type="follow", game=id_, version=77)
        assert black.wait_for("game")["game"]["version"] == 5
    _, since = server.request(f"games/{id_}/events?since=3", get=True)
    assert [event["version"] for event in since["events"]] == [4, 5]


def test_a_restart_costs_nothing_but_time(server: OnlineTestServer, ada: str, blaise: str) -> None:
    id_ = begun(server, ada, blaise)
    with server.connect(ada) as white:
        white.send(type="follow", game=id_)
        name = white.act(id_, "turn", 2, turn="a1")
        white.wait_for("done")
        server.stop()
        _, code = white.read_close_reason()
        assert code == 1012
    server.start()
    with server.connect(ada) as white, server.connect(blaise) as black:
        white.send(type="follow", game=id_, version=2)
        assert white.wait_for_event("turn")["event"]["turn"] == "a1"
        white.act(id_, "turn", 2, turn="a1", name=name)  # the answer may have been lost
        assert white.wait_for("done")["version"] == 3
        black.act(id_, "turn", 3, turn="a2")
        assert white.wait_for_event("turn")["event"]["version"] == 4


def test_a_timeout_needs_no_request(server: OnlineTestServer, ada: str, blaise: str) -> None:
    clock = {"kind": "live", "minutes": 0.02, "seconds": 0}
    id_ = begun(server, ada, blaise, clock=clock, rated=False)
    with server.connect(ada) as white, server.connect(blaise) as black:
        white.send(type="follow", game=id_)
        white.act(id_, "turn", 2, turn="a1")
        white.wait_for("done")
        black.act(id_, "turn", 3, turn="a2")
        black.wait_for("done")
        assert white.wait_for_event("flagged")["event"]["by"] == "w"
        _, kept = server.request(f"games/{id_}/events?since=3", get=True)
        turn, flag = (event for event in kept["events"] if event["kind"] in ("turn", "flagged"))
        assert flag["at"] - turn["at"] >= 1200
        ended = white.wait_for_event("ended")["event"]
        assert (ended["winner"], ended["reason"]) == ("b", "time")
        white.act(id_, "turn", 4, turn="a3")
        assert white.wait_for("refused")["error"]["key"] == "over"


def test_lobby_and_own_games_are_broadcast(server: OnlineTestServer, ada: str, blaise: str) -> None:
    with server.connect(blaise) as stranger, server.connect(ada) as owner:
        stranger.send(type="lobby", on=True)
        assert stranger.wait_for("lobby")["entries"] == []
        _, made = server.request("games", {"game": "badia", "open": True, "clock": LIVE}, ada)
        (entry,) = stranger.wait_for("lobby")["entries"]
        assert (entry["id"], entry["creator"]["name"]) == (made["id"], "Ada")
        assert server.request(f"games/{made['id']}/join", None, ada)[0] == 409
        assert server.request(f"games/{made['id']}/join", None, blaise)[0] == 200
        assert stranger.wait_for("lobby")["entries"] == []
        mine = owner.wait_for("mine")["game"]
        while mine["id"] != made["id"]:  # games of other tests may end now
            mine = owner.wait_for("mine")["game"]
        assert mine["status"] == "playing"
        assert {mine["seats"]["w"]["name"], mine["seats"]["b"]["name"]} == {"Ada", "Blaise"}
    _, listed = server.request("me/games?over=false", None, ada, get=True)
    assert made["id"] in [one["id"] for one in listed["games"]]


def test_a_rematch_creates_another_game(server: OnlineTestServer, ada: str, blaise: str) -> None:
    id_ = begun(server, ada, blaise)
    with server.connect(ada) as white, server.connect(blaise) as black:
        for line in (white, black):
            line.send(type="follow", game=id_)
        white.act(id_, "resign")
        white.act(id_, "offer", what="rematch")
        black.wait_for_event("offered")
        black.act(id_, "accept", what="rematch")
        again = white.wait_for_event("rematch")["event"]["game"]
        white.send(type="follow", game=again)
        while (shown := white.wait_for("game")["game"])["id"] != again:
            pass
        assert (shown["you"], shown["status"]) == ("b", "playing")


def test_moves_are_taken_back_and_everybody_sees_it(
    server: OnlineTestServer, ada: str, blaise: str
) -> None:
    id_ = begun(server, ada, blaise)
    with server.connect(ada) as white, server.connect(blaise) as black:
        for line in (white, black):
            line.send(type="follow", game=id_)
            line.wait_for("game")
        white.act(id_, "turn", 2, turn="a1")
        white.act(id_, "offer", what="takeback")
        black.wait_for_event("offered")
        black.act(id_, "accept", what="takeback")
        for line in (white, black):
            shown = line.wait_for("game")["game"]
            assert (shown["turns"], shown["to_move"]) == ([], "w")


def test_conditional_moves_are_private(server: OnlineTestServer, ada: str, blaise: str) -> None:
    id_ = begun(server, ada, blaise, clock={"kind": "days", "days": 2})
    with server.connect(ada) as white, server.connect(blaise) as black:
        black.act(id_, "lines", 2, lines=[["a1", "a2"], ["a3", "a4"]])
        assert black.wait_for("done")["version"] == 2
        for line, lines in ((white, []), (black, [["a1", "a2"], ["a3", "a4"]])):
            line.send(type="follow", game=id_)
            assert line.wait_for("game")["game"]["lines"] == lines
        white.act(id_, "turn", 2, turn="a3")
        events = [white.wait_for_event("turn")["event"] for _ in range(2)]
        assert [(one["by"], one["turn"], one["planned"]) for one in events] == [
            ("w", "a3", False),
            ("b", "a4", True),
        ]


# ---- identities ----------------------------------------------------------------------------------


def test_an_identity_is_renamed_and_its_old_secret_is_invalid(
    server: OnlineTestServer,
) -> None:
    made = server.create_identity("Émilie")
    secret = made["secret"]
    assert (
        server.request("me", {"name": "Émilie du Châtelet"}, secret)[1]["name"]
        == "Émilie du Châtelet"
    )
    assert server.request(f"players/{made['id']}", get=True)[1]["name"] == "Émilie du Châtelet"
    with server.connect(secret) as here, server.connect(secret):  # two devices
        status, new = server.request("me/secret", None, secret)
        assert status == 200
        assert here.read_close_reason() == ("secret", 1008)
    assert server.request("me", None, secret, get=True)[0] == 401
    assert server.request("me", None, new["secret"], get=True)[1]["id"] == made["id"]
    for name in ("", " ", "x" * 31, "\u202e\u200b"):
        assert server.request("me", {"name": name}, new["secret"])[0] in (400, 422), name


# ---- no good -------------------------------------------------------------------------------------


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1"])
def test_a_page_of_another_site_opens_no_websocket(server: OnlineTestServer, origin: str) -> None:
    with pytest.raises(InvalidStatus) as caught:
        server.connect(hello=False, origin=origin)
    assert caught.value.response.status_code == 403
    own = f"http://127.0.0.1:{server.port}"
    with server.connect(origin=own) as line:
        line.send(type="ping", sent=1)
        assert line.wait_for("pong")["sent"] == 1


MAX_INVALID_MESSAGES = [
    "", "{", "[]", "null", "7", '{"type":"act"}', '{"type":"nonsense"}', '{"type":"hello"}',
    '{"type":"follow","game":"../../etc"}', '{"type":"follow","game":"' + "x" * 2000 + '"}',
    '{"type":"act","game":"x","id":"y","version":-1,"act":{"kind":"resign"}}',
    '{"type":"ping","sent":NaN}', "[" * 10_000, '{"type":"lobby","on":"yes"}', "\ud7ff\u0000",
    '{"type":"act","game":"x","id":"y","version":1,"act":{"kind":"phrase","phrase":"I hate you"}}',
]  # fmt: skip  # compact list


def test_clients_sending_junk_are_disconnected(server: OnlineTestServer) -> None:
    with server.connect() as line:
        for text in MAX_INVALID_MESSAGES:
            line.socket.send(text)
            assert line.wait_for("refused")["error"]["message"]
        line.socket.send(b"\x00\x01")
        assert line.wait_for("refused")["error"]["key"] == "message"
        with suppress(ConnectionClosed):  # the server may close it before the last
            for _ in range(socket_module.MAX_INVALID_MESSAGES):
                line.socket.send("{")
        assert line.read_close_reason() == ("junk", 1008)


NAMES = ["type", "game", "id", "version", "act", "kind", "turn", "what", "lines", "on", "sent"]
WORDS = [
    "hello",
    "follow",
    "act",
    "turn",
    "lobby",
    "ping",
    "draw",
    "resign",
    "",
    "\ud800",
    "é" * 99,
]
NUMBERS = [0, 1, -1, 2**80, 1e308, float("nan"), float("inf"), True, None]


def anything(chance: Random, id_: str, depth: int = 3) -> Any:
    """Return something that looks like a message, more or less."""
    kind = chance.random()
    if depth == 0 or kind < 0.3:
        return chance.choice([*WORDS, *NUMBERS, id_])
    if kind < 0.4:
        return [anything(chance, id_, depth - 1) for _ in range(chance.randrange(4))]
    found = {
        name: anything(chance, id_, depth - 1) for name in chance.sample(NAMES, chance.randrange(5))
    }
    return found | {"type": chance.choice(WORDS), "game": id_, "version": chance.choice([0, 2, 9])}


def test_every_message_is_answered_or_closes_the_connection(
    server: OnlineTestServer, ada: str, blaise: str
) -> None:
    """Fuzzed: nobody gets in, nothing falls over."""
    id_ = begun(server, ada, blaise)
    chance, line = Random(7), server.connect()
    received: list[tuple[str, float | None]] = []
    for _ in range(300):
        try:
            line.socket.send(json.dumps(anything(chance, id_)))
            line.send(type="ping", sent=8)
            while received[-1:] != [("pong", 8)]:
                message = line.receive()
                received.append((message["type"], message.get("sent")))
            received.append(("", None))
        except ConnectionClosed:
            line.socket.close()
            line = server.connect()
    line.socket.close()
    assert {kind for kind, _ in received} >= {"refused", "game", "pong", "bye"}
    assert "done" not in {kind for kind, _ in received}
    _, shown = server.request(f"games/{id_}", get=True)
    assert (shown["version"], shown["status"]) == (2, "playing")


def test_invalid_messages_close_the_connection(server: OnlineTestServer) -> None:
    with server.connect() as line:
        line.socket.send("x" * 20_000)
        assert line.read_close_reason()[1] == 1009
    with server.connect(hello=False) as line:
        line.send(type="lobby", on=True)
        assert line.read_close_reason() == ("hello", 1008)
    with server.connect(hello=False) as line:
        line.send(type="hello", secret="x" * 32)
        assert line.wait_for("refused")["error"]["key"] == "identity"
        assert line.read_close_reason() == ("hello", 1008)
    head = "GET /api/v1/online/socket HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
    for rest in (
        "Connection: Upgrade\r\n\r\n",
        "Connection: Upgrade\r\nSec-WebSocket-Key: x\r\n\r\n",
    ):
        with socket.create_connection(("127.0.0.1", server.port), 20) as wire:
            wire.sendall((head + rest).encode())
            assert wire.recv(1000).startswith(b"HTTP/1.1 4")
    with server.connect() as line:  # all is well
        line.send(type="ping", sent=2)
        line.wait_for("pong")


def test_a_client_without_hello_is_disconnected(
    server: OnlineTestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket_module, "HELLO_TIMEOUT_S", 0.2)
    with server.connect(hello=False) as line:
        assert line.read_close_reason() == ("hello", 1008)


def test_a_flooding_client_is_disconnected_without_effect_on_others(tmp_path: Path) -> None:
    server = OnlineTestServer(f"sqlite+aiosqlite:///{tmp_path / 'x.sqlite'}", limits=RateLimiter())
    try:
        ada = server.create_identity("Ada")["secret"]
        with server.connect() as opponent, server.connect(ada) as line:
            for _ in range(300):
                line.send(type="ping", sent=0)
            assert line.read_close_reason() == ("limit", 1008)
            opponent.send(type="ping", sent=3)
            assert opponent.wait_for("pong")["sent"] == 3
        lines = [server.connect(ada) for _ in range(20)]
        more = server.connect(ada)
        assert more.read_close_reason() == ("limit", 1008)
        for one in [*lines, more]:
            one.socket.close()
        for at in range(80):
            status, said = server.request("identities", {"name": f"n{at}"})
            if status != 200:
                break
        assert (status, said["error"]["key"]) == (429, "too-fast")
    finally:
        server.close()


def test_no_move_is_lost_while_the_database_is_unavailable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "SQLITE_LOCK_TIMEOUT_S", 0.2)
    path = tmp_path / "x.sqlite"
    server = OnlineTestServer(f"sqlite+aiosqlite:///{path}")
    try:
        ada, blaise = (server.create_identity(name)["secret"] for name in ("Ada", "Blaise"))
        id_ = begun(server, ada, blaise)
        act = {"id": "same", "version": 2, "act": {"kind": "turn", "turn": "a1"}}
        with server.connect(ada) as white:
            with closing(sqlite3.connect(path, isolation_level=None)) as opponent:
                opponent.execute("BEGIN IMMEDIATE")
                white.act(id_, "turn", 2, turn="a1", name="same")
                assert white.wait_for("refused")["error"]["key"] == "database-away"
                status, said = server.request(f"games/{id_}/acts", act, ada)
                assert (status, said["error"]["key"]) == (503, "database-away")
                assert server.request(f"games/{id_}", get=True)[1]["version"] == 2
                opponent.execute("ROLLBACK")
            white.act(id_, "turn", 2, turn="a1", name="same")
            version = white.wait_for("done")["version"]  # after that of the time given back
            assert server.request(f"games/{id_}/acts", act, ada) == (200, {"version": version})
            assert server.request(f"games/{id_}", get=True)[1]["turns"] == ["a1"]
    finally:
        server.close()


def test_a_guessed_link_leads_nowhere(server: OnlineTestServer, ada: str) -> None:
    for path in ("games/AAAAAAAAAAAAAAAA", "games/AAAAAAAAAAAAAAAA/events", "players/nobody"):
        status, said = server.request(path, get=True)
        assert status == 404, said
    assert server.request("games/AAAAAAAAAAAAAAAA/join", None, ada)[0] == 404
    assert server.request("games/..%2f..%2fx/join", None, ada)[0] in (404, 422)
    with server.connect(ada) as line:
        line.send(type="follow", game="AAAAAAAAAAAAAAAA")
        assert line.wait_for("refused")["error"]["key"] == "no-online-game"
    for secret in ("", "x" * 32, "wrong"):
        assert server.request("games", {"game": "chefa"}, secret)[0] == 401
    status, said = server.request("games", {"game": "draughts"}, ada)
    assert status == 404


# ---- what is described ---------------------------------------------------------------------------


def test_qr_codes_are_drawn_for_own_addresses_only(server: OnlineTestServer) -> None:
    status, drawn = server.request("qr", {"text": "https://games.example/#/play/abc"})
    assert status == 200
    assert drawn["svg"].startswith("<svg")
    assert server.request("qr", {"text": "https://evil.example/"})[0] == 400


def test_every_message_fits_its_schema(server: OnlineTestServer, ada: str, blaise: str) -> None:
    status, schema = server.request("events.schema.json", get=True)
    assert status == 200
    valid = jsonschema_rs.validator_for(
        {**schema["properties"]["server"], "$defs": schema["$defs"], "$schema": schema["$schema"]}
    )
    said = jsonschema_rs.validator_for(
        {**schema["properties"]["client"], "$defs": schema["$defs"], "$schema": schema["$schema"]}
    )
    id_ = begun(server, ada, blaise, rated=True)
    heard: list[dict[str, Any]] = []
    with server.connect(ada, hello=False) as white, server.connect(blaise) as black:
        hello = {"type": "hello", "secret": ada, "language": "fr"}
        said.validate(hello)
        white.send(**hello)
        white.send(type="follow", game=id_)
        white.send(type="lobby", on=True)
        white.send(type="ping", sent=4)
        white.act(id_, "turn", 2, turn="a1")
        white.act(id_, "phrase", phrase="hello")
        white.act(id_, "turn", 2, turn="zz")
        while not heard or heard[-1]["type"] != "refused":
            heard.append(white.receive())
        black.act(id_, "turn", 3, turn="a2")
        black.wait_for("done")
        black.act(id_, "resign")
        while not heard or heard[-1].get("event", {}).get("kind") != "rated":
            heard.append(white.receive())
    assert {"welcome", "game", "event", "done", "refused", "lobby", "pong", "presence"} <= {
        one["type"] for one in heard
    }
    for one in heard:
        valid.validate(one)
    assert not valid.is_valid({"type": "done", "id": 3})
    assert json.dumps(schema).count('"kind"') > 20


def test_the_openapi_document_describes_it(server: OnlineTestServer) -> None:
    _, profile = server.request("/api/v1/openapi.json", get=True)
    paths = [path for path in profile["paths"] if "/online/" in path]
    assert len(paths) >= 14
    for path in paths:
        for one in profile["paths"][path].values():
            assert one["description"], path
            assert "503" in one["responses"]


def test_lag_is_measured_by_the_server(
    server: OnlineTestServer, ada: str, blaise: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    id_ = begun(server, ada, blaise)
    measured: list[float] = []

    def noted(session: Any) -> int:
        measured.append(session.websocket.scope["state"]["lag"]())
        return 123

    monkeypatch.setattr(socket_module.ClientSession, "_lag", noted)
    with server.connect(ada) as white:
        for _ in range(MAX_PHRASES):  # until the first ping is answered
            white.act(id_, "phrase", phrase="hello")
            white.wait_for("done")
            if measured[-1]:
                break
            sleep(0.2)
        assert measured[-1] > 0
        white.act(id_, "turn", 2, turn="a1")
        white.wait_for("done")
        white.send(type="follow", game=id_)
    _, kept = server.request(f"games/{id_}/events?since=2", get=True)
    assert [event["lag"] for event in kept["events"] if event["kind"] == "turn"] == [123]


def test_a_secret_in_an_address_is_none(server: OnlineTestServer, ada: str) -> None:
    assert server.request(f"me?secret={ada}", get=True)[0] == 401
