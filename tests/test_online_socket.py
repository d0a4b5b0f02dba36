"""Online play over a real server: two clients, one who watches, and those who mean no good."""

import json
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from time import monotonic, sleep
from typing import Any

import jsonschema_rs
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from damier import lang
from damier.history import Game
from damier.online import socket as socket_module
from damier.online import store as store_module
from damier.online.limits import Limits
from damier.position import game
from far import Serving

LIVE = {"kind": "live", "minutes": 5, "seconds": 3}


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    path: Path = tmp_path_factory.mktemp("online") / "online.sqlite"
    serving = Serving(f"sqlite+aiosqlite:///{path}", public="https://games.example/")
    yield serving
    serving.close()


@pytest.fixture(scope="module")
def ada(serving: Serving) -> str:
    secret: str = serving.made("Ada")["secret"]
    return secret


@pytest.fixture(scope="module")
def blaise(serving: Serving) -> str:
    secret: str = serving.made("Blaise")["secret"]
    return secret


def begun(serving: Serving, ada: str, blaise: str, **terms: Any) -> str:
    """Return a game in which Ada is White."""
    asked = {"game": "chefa", "colour": "w", "clock": LIVE, **terms}
    status, made = serving.ask("games", asked, ada)
    assert status == 200, made
    status, joined = serving.ask(f"games/{made['id']}/join", None, blaise)
    assert (status, joined["you"], joined["status"]) == (200, "b", "playing")
    found: str = made["id"]
    return found


def test_a_game_is_played_watched_and_rated(serving: Serving, ada: str, blaise: str) -> None:
    id_ = begun(serving, ada, blaise, rated=True)
    with serving.connect(ada) as white, serving.connect(blaise) as black, serving.connect() as eve:
        for line, you in ((white, "w"), (black, "b"), (eve, None)):
            line.say(type="follow", game=id_)
            assert line.until("game")["game"]["you"] == you
        assert white.until("presence", watchers=1)["b"]
        play = Game(game("chefa"))
        for ply in range(4):
            mine, his = (white, black) if ply % 2 == 0 else (black, white)
            turn = play.turns()[ply].text
            name = mine.act(id_, "turn", ply + 2, turn=turn)
            assert mine.until("done")["id"] == name
            for line in (his, eve):
                told = line.event("turn")
                assert told["event"]["turn"] == turn
                assert told["event"]["version"] == ply + 3
                assert told["to_move"] == "wb"[(ply + 1) % 2]
            assert told["clock"]["running"] == (told["to_move"] if ply else None)
            play = play.play(turn)
        # Who watches does nothing else.
        name = eve.act(id_, "resign")
        refused = eve.until("refused")
        assert (refused["id"], refused["error"]["key"]) == (name, "not-your-seat")
        black.act(id_, "offer", what="draw")
        white.event("offered")
        white.act(id_, "accept", what="draw")
        assert eve.event("ended")["event"]["reason"] == "agreed"
        assert eve.event("rated")["event"]["w"]["before"]["points"] == 1500
    _, record = serving.ask(f"games/{id_}/record", get=True)
    assert '[Result "1/2-1/2"]' in record["text"]
    assert '[White "Ada"]' in record["text"]
    _, shown = serving.ask(f"games/{id_}", get=True, **{"Accept-Language": "fr"})
    with lang.speaking("fr"):
        assert shown["result"]["text"] == lang.say("result.draw", reason=lang.say("reason.agreed"))


def test_who_comes_back_gets_what_was_missed(serving: Serving, ada: str, blaise: str) -> None:
    id_ = begun(serving, ada, blaise)
    with serving.connect(ada) as white, serving.connect(blaise) as black:
        for line in (white, black):
            line.say(type="follow", game=id_)
            line.until("game")
        white.act(id_, "turn", 2, turn="a1")
        assert black.event("turn")["event"]["version"] == 3
    for ply, (secret, turn) in enumerate(((blaise, "a2"), (ada, "a3"))):
        act = {"id": f"http{ply}", "version": 3 + ply, "act": {"kind": "turn", "turn": turn}}
        for _ in range(2):  # the same act twice is one act
            assert serving.ask(f"games/{id_}/acts", act, secret) == (200, {"version": 4 + ply})
    with serving.connect(blaise) as black:
        black.say(type="follow", game=id_, version=3)
        assert [black.until("event")["event"]["turn"] for _ in range(2)] == ["a2", "a3"]
        black.say(type="follow", game=id_, version=5)
        assert black.hear()["type"] == "presence"  # nothing was missed
        black.say(type="follow", game=id_, version=77)
        assert black.until("game")["game"]["version"] == 5
    _, since = serving.ask(f"games/{id_}/events?since=3", get=True)
    assert [event["version"] for event in since["events"]] == [4, 5]


def test_a_restart_costs_nothing_but_time(serving: Serving, ada: str, blaise: str) -> None:
    id_ = begun(serving, ada, blaise)
    with serving.connect(ada) as white:
        white.say(type="follow", game=id_)
        name = white.act(id_, "turn", 2, turn="a1")
        white.until("done")
        serving.end()
        _, code = white.parted()
        assert code == 1012
    serving.begin()
    with serving.connect(ada) as white, serving.connect(blaise) as black:
        white.say(type="follow", game=id_, version=2)
        assert white.event("turn")["event"]["turn"] == "a1"
        white.act(id_, "turn", 2, turn="a1", name=name)  # the answer may have been lost
        assert white.until("done")["version"] == 3
        black.act(id_, "turn", 3, turn="a2")
        assert white.event("turn")["event"]["version"] == 4


def test_a_flag_falls_without_anybody_asking(serving: Serving, ada: str, blaise: str) -> None:
    clock = {"kind": "live", "minutes": 0.02, "seconds": 0}
    id_ = begun(serving, ada, blaise, clock=clock, rated=False)
    with serving.connect(ada) as white, serving.connect(blaise) as black:
        white.say(type="follow", game=id_)
        white.act(id_, "turn", 2, turn="a1")
        white.until("done")
        black.act(id_, "turn", 3, turn="a2")
        black.until("done")
        began = monotonic()
        assert white.event("flagged")["event"]["by"] == "w"
        assert monotonic() - began > 1
        ended = white.event("ended")["event"]
        assert (ended["winner"], ended["reason"]) == ("b", "time")
        white.act(id_, "turn", 4, turn="a3")
        assert white.until("refused")["error"]["key"] == "over"


def test_the_lobby_and_one_s_own_games_are_told(serving: Serving, ada: str, blaise: str) -> None:
    with serving.connect(blaise) as stranger, serving.connect(ada) as owner:
        stranger.say(type="lobby", on=True)
        assert stranger.until("lobby")["entries"] == []
        _, made = serving.ask("games", {"game": "badia", "open": True, "clock": LIVE}, ada)
        (entry,) = stranger.until("lobby")["entries"]
        assert (entry["id"], entry["creator"]["name"]) == (made["id"], "Ada")
        assert serving.ask(f"games/{made['id']}/join", None, ada)[0] == 409
        assert serving.ask(f"games/{made['id']}/join", None, blaise)[0] == 200
        assert stranger.until("lobby")["entries"] == []
        mine = owner.until("mine")["game"]
        assert (mine["id"], mine["status"]) == (made["id"], "playing")
        assert {mine["seats"]["w"]["name"], mine["seats"]["b"]["name"]} == {"Ada", "Blaise"}
    _, listed = serving.ask("me/games?over=false", None, ada, get=True)
    assert made["id"] in [one["id"] for one in listed["games"]]


def test_a_rematch_leads_to_another_table(serving: Serving, ada: str, blaise: str) -> None:
    id_ = begun(serving, ada, blaise)
    with serving.connect(ada) as white, serving.connect(blaise) as black:
        for line in (white, black):
            line.say(type="follow", game=id_)
        white.act(id_, "resign")
        white.act(id_, "offer", what="rematch")
        black.event("offered")
        black.act(id_, "accept", what="rematch")
        again = white.event("rematch")["event"]["game"]
        white.say(type="follow", game=again)
        while (shown := white.until("game")["game"])["id"] != again:
            pass
        assert (shown["you"], shown["status"]) == ("b", "playing")


def test_turns_are_taken_back_and_everybody_sees_it(
    serving: Serving, ada: str, blaise: str
) -> None:
    id_ = begun(serving, ada, blaise)
    with serving.connect(ada) as white, serving.connect(blaise) as black:
        for line in (white, black):
            line.say(type="follow", game=id_)
            line.until("game")
        white.act(id_, "turn", 2, turn="a1")
        white.act(id_, "offer", what="takeback")
        black.event("offered")
        black.act(id_, "accept", what="takeback")
        for line in (white, black):
            shown = line.until("game")["game"]
            assert (shown["turns"], shown["to_move"]) == ([], "w")


def test_plans_are_answered_and_seen_by_their_owner_alone(
    serving: Serving, ada: str, blaise: str
) -> None:
    id_ = begun(serving, ada, blaise, clock={"kind": "days", "days": 2})
    with serving.connect(ada) as white, serving.connect(blaise) as black:
        black.act(id_, "lines", 2, lines=[["a1", "a2"], ["a3", "a4"]])
        assert black.until("done")["version"] == 2
        for line, lines in ((white, []), (black, [["a1", "a2"], ["a3", "a4"]])):
            line.say(type="follow", game=id_)
            assert line.until("game")["game"]["lines"] == lines
        white.act(id_, "turn", 2, turn="a3")
        told = [white.event("turn")["event"] for _ in range(2)]
        assert [(one["by"], one["turn"], one["planned"]) for one in told] == [
            ("w", "a3", False), ("b", "a4", True),
        ]  # fmt: skip


# ---- identities ----------------------------------------------------------------------------------


def test_an_identity_is_renamed_moved_and_its_old_secret_is_worth_nothing(serving: Serving) -> None:
    made = serving.made("Émilie")
    secret = made["secret"]
    assert (
        serving.ask("me", {"name": "Émilie du Châtelet"}, secret)[1]["name"] == "Émilie du Châtelet"
    )
    assert serving.ask(f"players/{made['id']}", get=True)[1]["name"] == "Émilie du Châtelet"
    with serving.connect(secret) as here, serving.connect(secret):  # two devices
        status, new = serving.ask("me/secret", None, secret)
        assert status == 200
        assert here.parted() == ("secret", 1008)
    assert serving.ask("me", None, secret, get=True)[0] == 401
    assert serving.ask("me", None, new["secret"], get=True)[1]["id"] == made["id"]
    for name in ("", " ", "x" * 31, "\u202e\u200b"):
        assert serving.ask("me", {"name": name}, new["secret"])[0] in (400, 422), name


# ---- no good -------------------------------------------------------------------------------------


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1"])
def test_a_page_elsewhere_opens_no_socket(serving: Serving, origin: str) -> None:
    with pytest.raises(InvalidStatus) as caught:
        serving.connect(hello=False, origin=origin)
    assert caught.value.response.status_code == 403
    own = f"http://127.0.0.1:{serving.port}"
    with serving.connect(origin=own) as line:
        line.say(type="ping", sent=1)
        assert line.until("pong")["sent"] == 1


JUNK = [
    "", "{", "[]", "null", "7", '{"type":"act"}', '{"type":"nonsense"}', '{"type":"hello"}',
    '{"type":"follow","game":"../../etc"}', '{"type":"follow","game":"' + "x" * 2000 + '"}',
    '{"type":"act","game":"x","id":"y","version":-1,"act":{"kind":"resign"}}',
    '{"type":"ping","sent":NaN}', "[" * 10_000, '{"type":"lobby","on":"yes"}', "\ud7ff\u0000",
    '{"type":"act","game":"x","id":"y","version":1,"act":{"kind":"phrase","phrase":"I hate you"}}',
]  # fmt: skip


def test_junk_is_refused_and_then_parted_from(serving: Serving) -> None:
    with serving.connect() as line:
        for text in JUNK:
            line.wire.send(text)
            assert line.until("refused")["error"]["message"]
        line.wire.send(b"\x00\x01")
        assert line.until("refused")["error"]["key"] == "message"
        with suppress(ConnectionClosed):  # a quick server has parted before the last is sent
            for _ in range(socket_module.JUNK):
                line.wire.send("{")
        assert line.parted() == ("junk", 1008)


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


def test_whatever_is_said_is_answered_or_parted_from(
    serving: Serving, ada: str, blaise: str
) -> None:
    """Fuzzed: nobody gets in, nothing falls over."""
    id_ = begun(serving, ada, blaise)
    chance, line = Random(7), serving.connect()
    heard: list[tuple[str, float | None]] = []
    for _ in range(300):
        try:
            line.wire.send(json.dumps(anything(chance, id_)))
            line.say(type="ping", sent=8)
            while heard[-1:] != [("pong", 8)]:
                message = line.hear()
                heard.append((message["type"], message.get("sent")))
            heard.append(("", None))
        except ConnectionClosed:
            line.wire.close()
            line = serving.connect()
    line.wire.close()
    assert {kind for kind, _ in heard} >= {"refused", "game", "pong", "bye"}
    assert "done" not in {kind for kind, _ in heard}
    _, shown = serving.ask(f"games/{id_}", get=True)
    assert (shown["version"], shown["status"]) == (2, "playing")


def test_too_long_and_too_early_and_broken(serving: Serving) -> None:
    with serving.connect() as line:
        line.wire.send("x" * 20_000)
        assert line.parted()[1] == 1009
    with serving.connect(hello=False) as line:
        line.say(type="lobby", on=True)
        assert line.parted() == ("hello", 1008)
    with serving.connect(hello=False) as line:
        line.say(type="hello", secret="x" * 32)
        assert line.until("refused")["error"]["key"] == "identity"
        assert line.parted() == ("hello", 1008)
    head = "GET /api/v1/online/socket HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
    for rest in (
        "Connection: Upgrade\r\n\r\n",
        "Connection: Upgrade\r\nSec-WebSocket-Key: x\r\n\r\n",
    ):
        with socket.create_connection(("127.0.0.1", serving.port), 20) as wire:
            wire.sendall((head + rest).encode())
            assert wire.recv(1000).startswith(b"HTTP/1.1 4")
    with serving.connect() as line:  # all is well
        line.say(type="ping", sent=2)
        line.until("pong")


def test_who_says_no_hello_is_parted_from(
    serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket_module, "HELLO_SECONDS", 0.2)
    with serving.connect(hello=False) as line:
        assert line.parted() == ("hello", 1008)


def test_a_flood_is_parted_from_and_nobody_else_notices(tmp_path: Path) -> None:
    serving = Serving(f"sqlite+aiosqlite:///{tmp_path / 'x.sqlite'}", limits=Limits())
    try:
        ada = serving.made("Ada")["secret"]
        with serving.connect() as other, serving.connect(ada) as line:
            for _ in range(300):
                line.say(type="ping", sent=0)
            assert line.parted() == ("limit", 1008)
            other.say(type="ping", sent=3)
            assert other.until("pong")["sent"] == 3
        lines = [serving.connect(ada) for _ in range(20)]
        more = serving.connect(ada)
        assert more.parted() == ("limit", 1008)
        for one in [*lines, more]:
            one.wire.close()
        for at in range(80):
            status, said = serving.ask("identities", {"name": f"n{at}"})
            if status != 200:
                break
        assert (status, said["error"]["key"]) == (429, "too-fast")
    finally:
        serving.close()


def test_a_database_that_does_not_answer_costs_nobody_a_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "LOCKED_SECONDS", 0.2)
    path = tmp_path / "x.sqlite"
    serving = Serving(f"sqlite+aiosqlite:///{path}")
    try:
        ada, blaise = (serving.made(name)["secret"] for name in ("Ada", "Blaise"))
        id_ = begun(serving, ada, blaise)
        act = {"id": "same", "version": 2, "act": {"kind": "turn", "turn": "a1"}}
        with serving.connect(ada) as white:
            with closing(sqlite3.connect(path, isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                white.act(id_, "turn", 2, turn="a1", name="same")
                assert white.until("refused")["error"]["key"] == "database-away"
                status, said = serving.ask(f"games/{id_}/acts", act, ada)
                assert (status, said["error"]["key"]) == (503, "database-away")
                assert serving.ask(f"games/{id_}", get=True)[1]["version"] == 2
                other.execute("ROLLBACK")
            white.act(id_, "turn", 2, turn="a1", name="same")
            assert white.until("done")["version"] == 3
            assert serving.ask(f"games/{id_}/acts", act, ada) == (200, {"version": 3})
    finally:
        serving.close()


def test_a_guessed_link_leads_nowhere(serving: Serving, ada: str) -> None:
    for path in ("games/AAAAAAAAAAAAAAAA", "games/AAAAAAAAAAAAAAAA/events", "players/nobody"):
        status, said = serving.ask(path, get=True)
        assert status == 404, said
    assert serving.ask("games/AAAAAAAAAAAAAAAA/join", None, ada)[0] == 404
    assert serving.ask("games/..%2f..%2fx/join", None, ada)[0] in (404, 422)
    with serving.connect(ada) as line:
        line.say(type="follow", game="AAAAAAAAAAAAAAAA")
        assert line.until("refused")["error"]["key"] == "no-online-game"
    for secret in ("", "x" * 32, "wrong"):
        assert serving.ask("games", {"game": "chefa"}, secret)[0] == 401
    status, said = serving.ask("games", {"game": "draughts"}, ada)
    assert status == 404


# ---- the guard -----------------------------------------------------------------------------------


def test_players_of_a_rated_game_get_no_help_with_it(
    serving: Serving, ada: str, blaise: str
) -> None:
    id_ = begun(serving, ada, blaise, rated=True)
    with serving.connect(ada) as white:
        white.say(type="follow", game=id_)
        white.act(id_, "turn", 2, turn="b2")
        white.until("done")
    sleep(0.2)

    def help_with(turns: list[str], secret: str = "", name: str = "probe", **more: Any) -> int:
        body = {"game": "chefa", "turns": turns, **more}
        return serving.ask(f"/api/v1/{name}", body, secret)[0]

    for secret in (ada, blaise, ""):  # by who they are, or from where they play
        assert help_with(["b2"], secret) == 403
        assert help_with(["d4"], secret) == 403  # the same, turned
        assert help_with(["b2", "a1"], secret) == 403  # how it may go on
        assert help_with(["b2"], secret, "move", level=1) == 403
        assert help_with(["a1"], secret) == 200  # another game
    status, said = serving.ask("/api/v1/analysis", {"game": "chefa", "turns": ["b2"]}, ada)
    assert (status, said["error"]["key"]) == (403, "rated-guard")
    assert serving.ask("/api/v1/state", {"game": "chefa", "turns": ["b2"]}, ada)[0] == 200
    act = {"id": "x", "version": 3, "act": {"kind": "resign"}}
    assert serving.ask(f"games/{id_}/acts", act, blaise)[0] == 200
    assert help_with(["b2"], ada) == 200  # it is over


# ---- what is described ---------------------------------------------------------------------------


def test_qr_codes_are_drawn_for_our_own_addresses_alone(serving: Serving) -> None:
    status, drawn = serving.ask("qr", {"text": "https://games.example/#/play/abc"})
    assert status == 200
    assert drawn["svg"].startswith("<svg")
    assert serving.ask("qr", {"text": "https://evil.example/"})[0] == 400


def test_every_message_fits_its_schema(serving: Serving, ada: str, blaise: str) -> None:
    status, schema = serving.ask("events.schema.json", get=True)
    assert status == 200
    valid = jsonschema_rs.validator_for(
        {**schema["properties"]["server"], "$defs": schema["$defs"], "$schema": schema["$schema"]}
    )
    said = jsonschema_rs.validator_for(
        {**schema["properties"]["client"], "$defs": schema["$defs"], "$schema": schema["$schema"]}
    )
    id_ = begun(serving, ada, blaise, rated=True)
    heard: list[dict[str, Any]] = []
    with serving.connect(ada, hello=False) as white, serving.connect(blaise) as black:
        hello = {"type": "hello", "secret": ada, "language": "fr"}
        said.validate(hello)
        white.say(**hello)
        white.say(type="follow", game=id_)
        white.say(type="lobby", on=True)
        white.say(type="ping", sent=4)
        white.act(id_, "turn", 2, turn="a1")
        white.act(id_, "phrase", phrase="hello")
        white.act(id_, "turn", 2, turn="zz")
        while not heard or heard[-1]["type"] != "refused":
            heard.append(white.hear())
        black.act(id_, "turn", 3, turn="a2")
        black.until("done")
        black.act(id_, "resign")
        while not heard or heard[-1].get("event", {}).get("kind") != "rated":
            heard.append(white.hear())
    assert {"welcome", "game", "event", "done", "refused", "lobby", "pong", "presence"} <= {
        one["type"] for one in heard
    }
    for one in heard:
        valid.validate(one)
    assert not valid.is_valid({"type": "done", "id": 3})
    assert json.dumps(schema).count('"kind"') > 20


def test_the_openapi_document_describes_it(serving: Serving) -> None:
    _, described = serving.ask("/api/v1/openapi.json", get=True)
    paths = [path for path in described["paths"] if "/online/" in path]
    assert len(paths) >= 14
    for path in paths:
        for one in described["paths"][path].values():
            assert one["description"], path
            assert "503" in one["responses"]


def test_lag_is_measured_by_the_server(
    serving: Serving, ada: str, blaise: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    id_ = begun(serving, ada, blaise)
    measured = []
    lag = socket_module.Connection._lag

    def noted(connection: Any) -> int:
        measured.append(lag(connection))
        return 123

    monkeypatch.setattr(socket_module.Connection, "_lag", noted)
    with serving.connect(ada) as white:
        sleep(0.7)  # until the first ping
        white.act(id_, "turn", 2, turn="a1")
        white.until("done")
        white.say(type="follow", game=id_)
    _, kept = serving.ask(f"games/{id_}/events?since=2", get=True)
    assert kept["events"][0]["lag"] == 123
    assert 0 <= measured[0] < 1000


def test_a_secret_in_an_address_is_none(serving: Serving, ada: str) -> None:
    assert serving.ask(f"me?secret={ada}", get=True)[0] == 401
