"""HTTP interface: error responses, size limits and permitted clients."""

import asyncio
import json
from typing import Any

import pytest
from fastapi.testclient import TestClient

import damier
from damier.i18n import texts
from damier.web.app import create_app
from damier.web.models import MAX_BYTES, MAX_MOVES
from tests.support.http_client import post
from tests.web.test_server import in_a_loop

BAD = [
    ("state", {"game": "go"}, 404, "game"),
    ("state", {"game": "chefa", "options": {"line": "bent"}}, 400, "option-value"),
    ("state", {"game": "chefa", "options": {"x": "y"}}, 400, "option"),
    ("state", {"game": "chefa", "preset": "x"}, 400, "preset"),
    ("state", {"game": "chefa", "start": "what"}, 400, "position-parts"),
    ("state", {"game": "chefa", "turns": ["c3"]}, 400, "place-closed"),
    ("state", {"game": "chefa", "turns": ["b2", "b2"]}, 400, "occupied"),
    ("state", {"game": "chefa", "begun": [9999]}, 400, "step"),
    ("state", {"game": "chefa", "turns": ["b2"] * (MAX_MOVES + 1)}, 422, "malformed"),
    ("state", {"game": "chefa", "turns": ["x" * 300]}, 422, "malformed"),
    ("state", {"game": "chefa", "turns": "b2"}, 422, "malformed"),
    ("state", {"game": 5}, 422, "malformed"),
    ("state", {}, 422, "malformed"),
    ("state", {"game": "chefa", "hello": 1}, 422, "malformed"),
    ("play", {"game": "chefa", "turn": "z9"}, 400, "turn-form"),
    ("move", {"game": "chefa", "level": 9}, 422, "malformed"),
    ("move", {"game": "chefa", "level": "3"}, 422, "malformed"),
    ("analysis", {"game": "chefa", "seconds": 1e9}, 422, "malformed"),
    ("analysis", {"game": "chefa", "seconds": "1"}, 422, "malformed"),
    ("analysis", {"game": "chefa", "seconds": True}, 422, "malformed"),
    ("records/write", {"game": "chefa", "winner": "me"}, 422, "malformed"),
    ("records/write", {"game": "chefa", "winner": "w", "reason": "luck"}, 400, "record-not-over"),
]


@pytest.mark.parametrize(("path", "body", "status", "key"), BAD)
def test_bad_input_is_refused(
    client: TestClient, path: str, body: dict[str, Any], status: int, key: str
) -> None:
    error = post(client, path, status, **body)["error"]
    assert error["key"] == key
    assert error["message"]


def test_refusals_speak_one_language(client: TestClient) -> None:
    french = {"Accept-Language": "fr"}
    bodies = [(path, json.dumps(body)) for path, body, *_ in BAD]
    junk = [("state", text) for text in ("[" * 100_000, "{", "[]", '{"game": %s}' % ("9" * 5000))]
    for path, body in [*bodies, *junk, ("analysis", '{"game": "chefa", "seconds": NaN}')]:
        answer = client.post(
            f"/api/v1/{path}", content=body, headers={**french, "Content-Type": "application/json"}
        )
        assert 400 <= answer.status_code < 500
        message = answer.json()["error"]["message"]
        assert not {"should", "must", "error", "Input", "is", "the"} & set(message.split()), message
    said = client.put("/api/v1/state", headers=french).json()["error"]["message"]
    assert "PUT" in said
    assert "Allowed" not in said


def test_every_kind_of_malformed_request_has_its_text() -> None:
    """The kinds that the interface's own types can raise."""
    for kind in (
        "missing", "extra_forbidden", "string_type", "string_unicode", "string_too_long",
        "int_type", "float_type", "list_type", "dict_type", "model_attributes_type", "too_long",
        "less_than", "less_than_equal", "greater_than", "greater_than_equal", "literal_error",
        "json_invalid", "other",
    ):  # fmt: skip  # compact list
        assert f"problem.{kind}" in texts("en")


def test_another_name_for_this_machine_is_refused() -> None:
    """A page elsewhere must not reach the server by a name of its own (DNS rebinding)."""
    with TestClient(create_app(hosts={"localhost", "[::1]"})) as client:
        for host, status in (
            ("localhost:8000", 200),
            ("LOCALHOST", 200),
            ("[::1]:8000", 200),
            ("[::1]", 200),
            ("evil.example", 421),
            ("evil.example:8000", 421),
            ("localhost.evil.example", 421),
        ):
            answer = client.get("/api/v1/games", headers={"Host": host})
            assert answer.status_code == status, host


def test_a_slow_request_body_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("damier.web.app.MAX_SECONDS", 0.05)
    sent: list[Any] = []

    async def never() -> Any:
        await asyncio.sleep(30)

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/api/v1/state", "headers": []}
    in_a_loop(create_app()(scope, never, send))
    assert sent[0]["status"] == 408


def test_a_refused_move_reports_the_number_of_legal_moves(client: TestClient) -> None:
    error = post(client, "state", 400, game="chefa", turns=["b2", "d4", "q"])["error"]
    assert error["details"]["ply"] == 2


def test_junk_is_refused(client: TestClient) -> None:
    for content, status in (
        (b"x" * 1_000_000, 413),
        (b"{" * 100_000, 422),
        (b"[" * 100_000, 400),
        (b"\xff\xfe", 422),
        (b"", 422),
        (b"null", 422),
        (json.dumps({"game": "\ud800"}).encode(), 422),
        (b'{"game": "chefa", "turns": [1e400]}', 422),
    ):
        answer = client.post(
            "/api/v1/state", content=content, headers={"Content-Type": "application/json"}
        )
        assert answer.status_code == status, content[:20]
        assert answer.json()["error"]["message"]
    assert MAX_BYTES < 1_000_000


def test_unknown_addresses_and_methods(client: TestClient) -> None:
    for path in ("/nothing", "/static/nothing.js", "/static/../app.py", "/static/%2e%2e/app.py"):
        assert client.get(path).status_code == 404
    assert client.get("/api/v1/state").status_code == 405
    for path in ("/", "/static/main.js", "/api/v1/games"):
        assert client.head(path).status_code == 200
    assert client.get("/api/v1/texts/de").status_code == 404
    assert client.get("/api/v1/rules/go").status_code == 404


EXPLOSIVE: list[dict[str, Any]] = [
    {
        "game": "fanorona",
        "options": {"board": "7x9", "turning": "no"},
        "start": "wwbbb.bbb/b...b..bb/bb...b..b/w.bb.bb.w/bw.b...bb/bb..b..b./w.bwbbb.b w 0",
    },
    {"game": "fraha", "start": "...../.w.b./.b.w./.bw.b/...w. b"},
]


@pytest.mark.parametrize("body", EXPLOSIVE, ids=["482,932 turns", "17,654 turns"])
def test_too_many_moves_are_refused_with_the_reason(
    client: TestClient, body: dict[str, Any]
) -> None:
    many = len(body) == 3
    listed = client.post("/api/v1/turns", json=body)
    assert listed.status_code == (422 if many else 200)
    for answer in [*([listed] if many else []), client.post("/api/v1/analysis", json=body)]:
        assert answer.status_code == 422
        error = answer.json()["error"]
        assert error["key"] == "too-many-turns"
        assert str(error["details"]["most"]) in error["message"]
    assert post(client, "state", **body)["steps"]
    refused = post(client, "play", 400, **body, turn="a1-b1")["error"]
    assert refused["message"]


def test_refusing_a_move_lists_few_of_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work is counted: steps played while a move is refused."""
    from damier.web.endpoints import answer

    module = damier.load_rules("fanorona").module
    count, play = 0, module.play

    def counted(*words: int) -> Any:
        nonlocal count
        count += 1
        return play(*words)

    monkeypatch.setattr(module, "play", counted)
    body: dict[str, Any] = {**EXPLOSIVE[0], "preset": None, "turns": [], "turn": "a1-b1"}
    assert answer("play", body, "en", None)[0] == 400
    assert 0 < count < 5000


def test_every_refusal_is_in_the_schema(client: TestClient) -> None:
    paths = client.get("/api/v1/openapi.json").json()["paths"]
    for path, _, status, _ in BAD:
        assert str(status) in paths[f"/api/v1/{path}"]["post"]["responses"], (path, status)
    for path, methods in paths.items():
        for asked in methods.values():
            assert {"200", "421", "500"} <= asked["responses"].keys(), path
    for name in ("texts/{language}", "rules/{name}"):
        assert "404" in paths[f"/api/v1/{name}"]["get"]["responses"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "http://testserver"}, 200),
        ({"Sec-Fetch-Site": "none"}, 200),
        ({"Origin": "http://testserver:80"}, 200),
        ({"Origin": "https://TestServer"}, 200),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "http://evil.example"}, 403),
        ({"Origin": "http://testserver:3000"}, 403),
        ({"Origin": "http://testserver.evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Origin": "http://[::1"}, 403),
    ],
)
@pytest.mark.parametrize("kind", ["application/json", "text/plain", None])
def test_a_page_of_another_site_cannot_post(
    client: TestClient, headers: dict[str, str], status: int, kind: str | None
) -> None:
    """Whatever it calls what it sends, and however it is read later: our own check comes first."""
    if kind is not None:
        headers = {**headers, "Content-Type": kind}
    answer = client.post("/api/v1/warm", content=b'{"game": "chefa"}', headers=headers)
    if status == 403:
        assert answer.status_code == 403
        assert answer.json()["error"]["key"] == "cross-site"
        assert answer.headers["x-content-type-options"] == "nosniff"
    else:
        assert answer.status_code != 403
    assert client.get("/api/v1/texts/en", headers=headers).status_code == 200
