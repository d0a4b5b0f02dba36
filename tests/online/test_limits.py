"""Limits: bounded requests, events per game, one server per file, private files."""

import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from damier.cli import main
from damier.errors import DamierError
from damier.online.app import create_online_app
from damier.online.database_file import exclusive_use
from damier.online.messages import schema
from damier.online.reducer import MAX_OFFERS
from tests.support.online_client import OnlineTestServer

LIVE = {"kind": "live", "minutes": 5, "seconds": 3}


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, no_outages: None
) -> Iterator[OnlineTestServer]:
    if request.param == "sqlite":
        path = tmp_path_factory.mktemp("online") / "online.sqlite"
        database = f"sqlite+aiosqlite:///{path}"
    else:
        cluster = request.getfixturevalue("cluster")
        if not cluster.running:
            cluster.start()
        database = cluster.new_database()
    server = OnlineTestServer(database)
    yield server
    server.close()


def begun(server: OnlineTestServer) -> tuple[str, str, str]:
    """Return a game and the secrets of its players."""
    ada, blaise = (server.create_identity(name)["secret"] for name in ("Ada", "Blaise"))
    _, made = server.request("games", {"game": "chefa", "colour": "w", "clock": LIVE}, ada)
    assert server.request(f"games/{made['id']}/join", None, blaise)[0] == 200
    return made["id"], ada, blaise


def act(server: OnlineTestServer, game: str, secret: str, **what: Any) -> tuple[int, Any]:
    body = {"id": str(uuid4()), "version": 2, "act": what}
    return server.request(f"games/{game}/acts", body, secret)


def unbounded(part: Any, defs: dict[str, Any], path: str = "") -> Iterator[str]:
    """Yield the paths of numbers, strings and lists without limits in a schema."""
    if "$ref" in part:
        name = part["$ref"].rpartition("/")[2]
        if name not in path.split("."):
            yield from unbounded(defs[name], defs, f"{path}.{name}")
        return
    kind = None if "const" in part or "enum" in part else part.get("type")
    lowest, highest = {"minimum", "exclusiveMinimum"}, {"maximum", "exclusiveMaximum"}
    is_number = kind in ("integer", "number")
    if is_number and not (lowest & part.keys() and highest & part.keys()):
        yield path
    if kind == "string" and "maxLength" not in part:
        yield path
    if kind == "array" and "maxItems" not in part:
        yield path
    for word in ("anyOf", "oneOf", "allOf"):
        for index, one in enumerate(part.get(word, ())):
            yield from unbounded(one, defs, f"{path}.{word}{index}")
    for name, one in part.get("properties", {}).items():
        yield from unbounded(one, defs, f"{path}.{name}")
    if "items" in part:
        yield from unbounded(part["items"], defs, f"{path}[]")


def test_every_number_string_and_list_of_a_request_is_bounded() -> None:
    messages = schema()
    found = list(unbounded(messages["properties"]["client"], messages["$defs"], "message"))
    profile = create_online_app("sqlite+aiosqlite:///:memory:").openapi()
    defs = profile["components"]["schemas"]
    count = 0
    for path, methods in profile["paths"].items():
        for method, operation in methods.items():
            count += 1
            for parameter in operation.get("parameters", ()):
                found += unbounded(
                    parameter["schema"], defs, f"{method} {path} {parameter['name']}"
                )
            if "requestBody" in operation:
                (content,) = operation["requestBody"]["content"].values()
                found += unbounded(content["schema"], defs, f"{method} {path}")
    assert count > 40
    assert found == []


HUGE = (2**31, 2**63, 2**64, 10**30, 3_000_000_000)


def test_huge_numbers_and_control_characters_are_refused(server: OnlineTestServer) -> None:
    game, ada, _ = begun(server)
    for number in HUGE:
        for query in (
            f"games/{game}/events?since={number}",
            f"me/games?before={number if number > 2**60 else 2**54}",
            f"me/games?before=-{number}",
        ):
            assert server.request(query, None, ada, get=True)[0] == 422, query
        body = {"id": "x", "version": number, "act": {"kind": "turn", "turn": "a1"}}
        assert server.request(f"games/{game}/acts", body, ada)[0] == 422
    for bad in ("\0", "a\0b", "\x1f", "é", "\ud800"):
        body = {"id": bad, "version": 2, "act": {"kind": "turn", "turn": "a1"}}
        assert server.request(f"games/{game}/acts", body, ada)[0] == 422
        assert act(server, game, ada, kind="turn", turn=f"a1{bad}")[0] in (400, 422)
        status, _ = server.request("games", {"game": "chefa", "start": bad}, ada)
        assert status in (400, 422)
        status, _ = server.request("games", {"game": "chefa", "options": {bad: bad}}, ada)
        assert status in (400, 422)
        if bad != "é":
            assert server.request("identities", {"name": bad})[0] in (400, 422, 200)
    assert act(server, game, ada, kind="turn", turn="a1")[0] == 200


def test_offers_in_a_game_are_limited_and_its_events_come_in_pages(
    server: OnlineTestServer,
) -> None:
    game, ada, blaise = begun(server)
    assert act(server, game, ada, kind="resign")[0] == 200
    refused = 0
    for turn in range(20):
        offers, declines = (ada, blaise)[:: 1 if turn % 2 else -1]
        status, answer = act(server, game, offers, kind="offer", what="rematch")
        if status == 200:
            assert act(server, game, declines, kind="decline", what="rematch")[0] == 200
        else:
            assert answer["error"]["key"] == "too-many-offers"
            refused += 1
    assert refused == 20 - 2 * MAX_OFFERS["rematch"]
    _, whole = server.request(f"games/{game}/events", get=True)
    assert [event["version"] for event in whole["events"]] == list(range(1, 17))
    assert not whole["more"]
    pages, since = [], 0
    while True:
        _, page = server.request(f"games/{game}/events?since={since}&limit=5", get=True)
        assert len(page["events"]) <= 5
        pages += page["events"]
        if not page["more"]:
            break
        since = page["events"][-1]["version"]
    assert pages == whole["events"]
    assert server.request(f"games/{game}/events?limit=0", get=True)[0] == 422
    assert server.request(f"games/{game}/events?limit=100000", get=True)[0] == 422


# ---- the database file ---------------------------------------------------------------------------


def test_two_servers_do_not_use_one_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "online.sqlite"
    link = tmp_path / "link.sqlite"
    server = OnlineTestServer(f"sqlite+aiosqlite:///{file}")
    link.symlink_to(file)
    try:
        for path in (file, link):
            words = ["serve", "--port", "0", "--database", f"sqlite:///{path}"]
            assert main(words) == 2
            said = capsys.readouterr().err
            assert "another server uses" in said
            assert "PostgreSQL" in said
            assert "Traceback" not in said
        assert main(["serve", "--database", f"sqlite:///{file}", "--close-game", "none"]) == 2
        assert "another server" not in capsys.readouterr().err  # administration is possible
    finally:
        server.close()
    with exclusive_use(f"sqlite:///{file}"), pytest.raises(DamierError):
        exclusive_use(f"sqlite+aiosqlite:///{link}").__enter__()
    OnlineTestServer(f"sqlite+aiosqlite:///{file}").close()


def test_the_database_and_its_backup_are_private(tmp_path: Path) -> None:
    file, copy = tmp_path / "online.sqlite", tmp_path / "copy.sqlite"
    with closing(sqlite3.connect(file)) as old:  # of an earlier version, readable by all
        old.execute("CREATE TABLE t (x)")
    file.chmod(0o644)
    server = OnlineTestServer(f"sqlite+aiosqlite:///{file}")
    try:
        server.create_identity("Ada")
        assert main(["serve", "--database", f"sqlite:///{file}", "--backup", str(copy)]) == 0
        for path in tmp_path.iterdir():
            if not path.name.endswith(".lock"):
                assert stat.S_IMODE(path.stat().st_mode) == 0o600, path.name
        assert {"online.sqlite", "online.sqlite-wal", "copy.sqlite"} <= {
            path.name for path in tmp_path.iterdir()
        }
    finally:
        server.close()
