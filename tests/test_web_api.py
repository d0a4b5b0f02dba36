"""The HTTP interface: right answers, clear refusals, bounds, headers and cancelling."""

import asyncio
import json
import random
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

import damier
from damier.games import GAMES
from damier.lang import texts
from damier.web.app import STATIC, create_app, spoken
from damier.web.crew import Crew
from damier.web.models import MOST_BYTES, MOST_TURNS
from test_web_server import in_a_loop


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(create_app(), raise_server_exceptions=False) as client:
        yield client


def post(client: TestClient, path: str, status: int = 200, **body: Any) -> Any:
    answer = client.post(f"/api/v1/{path}", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


def walked(client: TestClient, body: dict[str, Any], most: int = 2000) -> set[str]:
    """Return the turns that the steps write, asking for those that an answer leaves out."""
    found: set[str] = set()

    def walk(steps: list[dict[str, Any]], begun: list[int]) -> None:
        for step in steps:
            path = [*begun, step["step"]]
            if step["turn"] is not None:
                found.add(step["turn"])
            elif len(found) < most:
                then = step["then"]
                if then is None:
                    then = post(client, "state", **body, begun=path)["steps"]
                walk(then, path)

    walk(post(client, "state", **body)["steps"], [])
    return found


GAMES_SO_FAR = [
    ("fraha", {}, []),
    ("fraha", {}, ["a1-a2,b2>c2"]),
    ("chefa", {}, []),
    ("chefa", {}, ["b2", "b3", "d4", "d3", "a1", "e1", "a5", "e5", "b2=b3"]),
    ("badia", {}, ["b1", "d1", "b5", "d5", "a2", "e2", "a4", "e4", "a1", "e1"]),
    ("seega", {}, []),
    ("seega", {"placement_captures": "yes"}, ["a1+b1"]),
    ("fanorona", {}, []),
    ("fanorona", {"capture": "forced"}, ["d3-e3A"]),
    ("fanorona", {"board": "3x3"}, []),
]


@pytest.mark.parametrize(("name", "options", "turns"), GAMES_SO_FAR)
def test_steps_write_exactly_the_legal_turns(
    client: TestClient, name: str, options: dict[str, str], turns: list[str]
) -> None:
    body: dict[str, Any] = {"game": name, "options": options, "turns": turns}
    game = damier.Game(damier.game(name, **options)).play(*turns)
    legal = {turn.text for turn in game.turns()}
    assert walked(client, body) == legal
    listed = post(client, "turns", **body)
    assert {turn["turn"] for turn in listed["turns"]} == legal
    assert listed["total"] == len(legal)


def test_a_step_says_what_changes_on_the_board(client: TestClient) -> None:
    found = post(client, "state", game="fanorona")["steps"]
    step = next(s for s in found if s["text"] == "d3-e3A")
    assert (step["origin"], step["target"], step["by"]) == ("d3", "e3", "A")
    assert step["set"] == {"d3": ".", "e3": "w", "f3": "."}
    assert step["takes"] == ["f3"]


@pytest.mark.parametrize("name", GAMES)
def test_a_board_says_where_each_cell_is(client: TestClient, name: str) -> None:
    board = post(client, "state", game=name)["board"]
    assert board["at"].keys() == set(board["cells"])
    for cell, (file, rank) in board["at"].items():
        assert cell == f"{chr(97 + file)}{rank + 1}"


def test_what_cannot_be_seen_on_the_board_is_told(client: TestClient) -> None:
    turns = ["b2", "b4", "d4", "d2", "a1", "e1", "a5", "e5", "b2=b4"]
    state = post(client, "state", game="chefa", turns=turns)
    assert [set(pair) for pair in state["barred"]] == [{"b2", "b4"}]
    assert state["mover"] == "w"
    assert state["cells_before"]["b2"] == "w"
    assert state["cells"]["b2"] == "b"
    assert post(client, "state", game="badia", turns=[*BADIA_PLACED, "b1-c1"])["resting"] == ["c1"]
    assert post(client, "state", game="chefa")["mover"] is None


def test_placing_two_pawns_in_either_order_writes_one_turn(client: TestClient) -> None:
    first = next(s for s in post(client, "state", game="seega")["steps"] if s["target"] == "e5")
    then = post(client, "state", game="seega", begun=[first["step"]])["steps"]
    assert next(s for s in then if s["target"] == "a1")["turn"] == "a1+e5"


def test_the_end_is_said_with_its_pattern(client: TestClient) -> None:
    turns = ["a1", "a5", "b1", "b5", "c1", "e4", "d1"]
    result = post(client, "state", game="chefa", turns=turns)["result"]
    assert result["winner"] == "w"
    assert result["reason"] == "line"
    assert result["cells"] == ["a1", "b1", "c1", "d1"]


def test_a_barrier_is_shown(client: TestClient) -> None:
    rules = damier.game("seega")
    position = "bb.../bb.../wwwww/...../..... b 0 0 - 3"
    assert rules.position(position).result() == damier.Result("w", "barrier")
    result = post(client, "state", game="seega", start=position)["result"]
    assert result["cells"] == ["a3", "b3", "c3", "d3", "e3"]


def test_play_and_last(client: TestClient) -> None:
    state = post(client, "play", game="fraha", turns=[], turn="a1-a2,b2>e3")
    assert [step["text"] for step in state["last"]] == ["a1-a2", ",b2>e3"]
    assert state["ply"] == 1
    assert state["before"] == "w...w/.b.b./...../.b.b./w...w w"


def test_the_documented_request_is_answered(client: TestClient) -> None:
    page = (Path(__file__).parents[1] / "docs" / "api.md").read_text("utf-8")
    asked = re.findall(r"localhost:8000/api/v1/(\S+) .*?-d '(.*?)'", page, re.DOTALL)
    assert asked
    for path, body in asked:
        post(client, path, **json.loads(body))


def test_every_answer_and_field_is_described(client: TestClient) -> None:
    schema = client.get("/api/v1/openapi.json").json()
    for path, methods in schema["paths"].items():
        for asked in methods.values():
            assert asked["description"], path
    for name in ("Played", "Asked", "Examined", "Looked"):
        for field, described in schema["components"]["schemas"][name]["properties"].items():
            assert "description" in described or "examples" in described, (name, field)


def test_why_a_click_is_refused(client: TestClient) -> None:
    refused = post(client, "why", game="fraha", origin="a1", target="b2")
    assert refused == {"key": "occupied", "message": "b2 is not empty."}
    far = post(client, "why", game="fraha", origin="a1", target="c1")
    assert far["key"] == "illegal"
    assert "a1" in far["message"]
    assert post(client, "why", game="fraha", origin="a1", target="a2") == {"key": "", "message": ""}
    assert post(client, "why", game="chefa", origin="b2", target="b2")["message"] == ""
    assert post(client, "why", game="chefa", target="b2")["message"] == ""
    assert post(client, "why", game="chefa", target="c3")["key"] == "place-closed"
    assert post(client, "why", 400, game="chefa", target="z9")["error"]["key"] == "cell"


def test_why_a_click_inside_a_turn_is_refused(client: TestClient) -> None:
    """The second pawn of a pair does not go where the first one is."""
    state = post(client, "state", game="seega")
    first = next(s for s in state["steps"] if s["target"] == "e5")
    body: dict[str, Any] = {"game": "seega", "begun": [first["step"]]}
    assert post(client, "why", **body, target="a1")["key"] == ""
    assert post(client, "why", **body, target="e5")["key"] == "occupied"
    state = post(client, "state", game="fraha")
    touch = next(s for s in state["steps"] if (s["origin"], s["target"]) == ("a1", "a2"))
    body = {"game": "fraha", "begun": [touch["step"]]}
    assert post(client, "why", **body, origin="b2", target="b2")["key"] == "put-same"
    assert post(client, "why", **body, origin="b2", target="e3")["key"] == ""


BADIA_PLACED = ["b1", "d1", "b5", "d5", "a2", "e2", "a4", "e4", "a1", "e1"]


@pytest.mark.parametrize(
    ("played", "origin", "target"),
    [
        (["b1-c1", "e2-e3", "a1-b1", "d5-e5", "c1=d1"], "c1", "d1"),
        (["b5-c5", "d5-c5,c5>c3", "a4-a3", "e4-e5", "c3-c5,c5>c3"], "c3", "c5"),
    ],
)
def test_a_click_that_would_bring_a_position_back(
    client: TestClient, played: list[str], origin: str, target: str
) -> None:
    turns = [*BADIA_PLACED, *played]
    said = post(client, "why", game="badia", turns=turns, origin=origin, target=target)
    assert said["key"] == "brings-back"


def test_languages(client: TestClient) -> None:
    for wanted, word in (("fr-FR,fr;q=0.9,en;q=0.5", "jeu"), ("en", "game")):
        answer = client.post(
            "/api/v1/state", json={"game": "go"}, headers={"Accept-Language": wanted}
        )
        assert word in answer.json()["error"]["message"]
    assert [spoken(t) for t in ("", "de", "de,fr;q=0.3", "en;q=0.1,fr", "fr;q=x")] == [
        "en", "en", "fr", "fr", "en",
    ]  # fmt: skip


def test_the_page_has_every_text_in_both_languages() -> None:
    english, french = (texts(name) for name in ("en", "fr"))
    assert set(english) == set(french)
    for key in english:
        fields = [sorted(set(_fields(t[key]))) for t in (english, french)]
        assert fields[0] == fields[1], key


def _fields(text: str) -> list[str]:
    return [part.split("}")[0] for part in text.split("{")[1:]]


def test_every_text_that_the_page_names_exists() -> None:
    """Keys written out in the page's modules; those put together are met in the browser."""
    known = texts("en")
    said = 0
    for path in STATIC.glob("*.js"):
        for key in re.findall(r"\bt\(\s*'([a-z][\w.-]*)'", path.read_text("utf-8")):
            said += 1
            assert {f"web.{key}", f"web.{key}.other"} & known.keys(), (path.name, key)
    assert said > 150


@pytest.mark.parametrize("name", GAMES)
def test_every_option_field_and_place_has_a_text(client: TestClient, name: str) -> None:
    served = client.get("/api/v1/texts/en").json()
    file = GAMES[name].rules
    known = {key.removeprefix(f"game.{name}.") for key in served if key.startswith(f"game.{name}.")}
    for option in file.OPTIONS:
        assert f"option.{option.name}" in known
        assert f"option.{option.name}.why" in known
        for value in option.values:
            assert option.name == "board" or f"option.{option.name}.{value}" in known
    if len(file.PRESETS) > 1:
        assert all(f"preset.{preset}" in known for preset in file.PRESETS)
    for field in file.FIELDS:
        assert f"field.{field}" in known
        for value in {"state": "sp-", "drop": "-dD"}.get(field, ""):
            assert f"field.{field}.{value}" in known
    for place in damier.game(name).board.places:
        assert f"place.{place}" in known or f"place.{place}" in served


BAD = [
    ("state", {"game": "go"}, 404, "game"),
    ("state", {"game": "chefa", "options": {"line": "bent"}}, 400, "option-value"),
    ("state", {"game": "chefa", "options": {"x": "y"}}, 400, "option"),
    ("state", {"game": "chefa", "preset": "x"}, 400, "preset"),
    ("state", {"game": "chefa", "start": "what"}, 400, "position-parts"),
    ("state", {"game": "chefa", "turns": ["c3"]}, 400, "place-closed"),
    ("state", {"game": "chefa", "turns": ["b2", "b2"]}, 400, "occupied"),
    ("state", {"game": "chefa", "begun": [9999]}, 400, "step"),
    ("state", {"game": "chefa", "turns": ["b2"] * (MOST_TURNS + 1)}, 422, "malformed"),
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
    ):  # fmt: skip
        assert f"problem.{kind}" in texts("en")


def test_another_name_for_this_machine_is_refused() -> None:
    """A page elsewhere must not reach the server by a name of its own (DNS rebinding)."""
    with TestClient(create_app(hosts={"localhost", "[::1]"})) as client:
        for host, status in (
            ("localhost:8000", 200), ("LOCALHOST", 200), ("[::1]:8000", 200), ("[::1]", 200),
            ("evil.example", 421), ("evil.example:8000", 421), ("localhost.evil.example", 421),
        ):  # fmt: skip
            answer = client.get("/api/v1/games", headers={"Host": host})
            assert answer.status_code == status, host


def test_a_request_that_dribbles_in_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("damier.web.app.MOST_SECONDS", 0.05)
    sent: list[Any] = []

    async def never() -> Any:
        await asyncio.sleep(30)

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/api/v1/state", "headers": []}
    in_a_loop(create_app()(scope, never, send))
    assert sent[0]["status"] == 408


def test_a_refused_turn_says_how_many_are_good(client: TestClient) -> None:
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
    assert MOST_BYTES < 1_000_000


def test_unknown_addresses_and_methods(client: TestClient) -> None:
    for path in ("/nothing", "/static/nothing.js", "/static/../app.py", "/static/%2e%2e/app.py"):
        assert client.get(path).status_code == 404
    assert client.get("/api/v1/state").status_code == 405
    for path in ("/", "/static/main.js", "/api/v1/games"):
        assert client.head(path).status_code == 200
    assert client.get("/api/v1/texts/de").status_code == 404
    assert client.get("/api/v1/rules/go").status_code == 404


def test_every_answer_has_a_strict_policy(client: TestClient) -> None:
    for answer in (client.get("/"), client.get("/api/v1/games"), client.get("/nothing")):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"


def test_the_page_is_small_and_asks_no_other_host(client: TestClient) -> None:
    files = [path for path in STATIC.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 250_000
    for path in files:
        text = path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in text
        assert "https://" not in text
        assert "innerHTML" not in text
        name = "/" if path.name == "index.html" else f"/static/{path.name}"
        answer = client.get(name)
        assert answer.status_code == 200
        again = client.get(name, headers={"If-None-Match": answer.headers["etag"]})
        assert again.status_code == 304
    index = (STATIC / "index.html").read_text("utf-8")
    assert "<script>" not in index
    assert "style=" not in index


def test_no_line_of_the_page_is_too_long() -> None:
    for path in [*STATIC.glob("*.js"), *STATIC.glob("*.css")]:
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            assert len(line) <= 110, (path.name, number)


def test_a_position_s_text_is_read_as_a_game_that_begins_there(client: TestClient) -> None:
    text = "...../..b../...../..w../..... w -"
    read = post(
        client, "records/read", text=f" {text}\n", game="chefa", options={"line": "contiguous"}
    )
    assert read["problems"] == []
    (record,) = read["records"]
    assert (record["start"], record["turns"]) == (text, [])
    assert record["options"] == {"line": "contiguous"}
    error = post(client, "records/read", 400, text="..b/... w -", game="chefa")["error"]
    assert error["key"] == "position-rows"
    assert post(client, "records/read", text=text)["problems"]  # of which game?


def test_a_position_is_written_from_what_stands_where(client: TestClient) -> None:
    body: dict[str, Any] = {"game": "chefa", "cells": {"b2": "w", "d4": "b"}, "side": "b"}
    found = post(client, "position", **body)
    assert found == {
        "position": "...../...b./...../.w.../..... b -",
        "fields": {"ko": "-"},
        "result": None,
        "problem": "",
    }
    state = post(client, "state", game="chefa", start=found["position"])
    assert state["cells"] == body["cells"]
    assert state["side"] == "b"
    closed = post(client, "position", game="chefa", cells={"c3": "w"}, side="w")
    assert closed["position"] == "...../...../..w../...../..... w -"
    assert "c3" in closed["problem"]
    line = {"a1": "w", "b1": "w", "c1": "w", "d1": "w"}
    won = post(client, "position", game="chefa", cells=line, side="b", fields={"ko": "-"})
    assert won["result"]["winner"] == "w"
    assert post(client, "position", 400, **{**body, "cells": {"z9": "w"}})["error"]["key"] == "cell"
    wrong = post(client, "position", 400, **body, fields={"x": "y"})
    assert wrong["error"]["key"] == "malformed"


def test_pawns_on_the_board_are_no_longer_in_hand(client: TestClient) -> None:
    def hands(cells: dict[str, str], **fields: str) -> tuple[str, str, str]:
        found = post(client, "position", game="seega", cells=cells, side="w", fields=fields)
        return found["fields"]["white-hand"], found["fields"]["black-hand"], found["problem"]

    assert hands({}) == ("12", "12", "")
    assert hands({"a1": "w"}) == ("10", "12", "")
    assert hands({"a1": "w", "b1": "w", "e5": "b"}) == ("10", "10", "")
    assert hands({"a1": "w"}, **{"white-hand": "4"})[:2] == ("4", "12")  # as it was said
    assert "pawns are still in hand" in hands({"a1": "w"}, state="-")[2]


def test_records_there_and_back(client: TestClient) -> None:
    written = post(
        client, "records/write", game="fanorona", turns=["d3-e3A"], white="Ada <b>", black="Blaise"
    )["text"]
    read = post(client, "records/read", text=written)
    assert read["problems"] == []
    assert read["records"][0]["turns"] == ["d3-e3A"]
    assert read["records"][0]["white"] == "Ada <b>"
    bad = post(client, "records/read", text='[Game "chefa"]\n\n1. c3')
    assert bad["records"] == []
    assert bad["problems"][0]["line"] == 3


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("name", GAMES)
def test_rules_pages(client: TestClient, name: str, language: str) -> None:
    answer = client.get(f"/api/v1/rules/{name}", headers={"Accept-Language": language})
    page = answer.json()
    assert [s["key"] for s in page["sections"]][:3] == ["aim", "board", "turn"]
    diagrams = [p for s in page["sections"] for p in s["parts"] if not isinstance(p, str)]
    assert diagrams
    for diagram in diagrams:
        post(client, "state", game=name, options=diagram["options"], start=diagram["position"])


def test_the_engine_answers_and_a_seed_repeats(client: TestClient) -> None:
    body: dict[str, Any] = {"game": "chefa", "level": 1, "seed": 7}
    first = post(client, "move", **body)
    assert first["state"]["ply"] == 1
    assert post(client, "move", **body)["turn"] == first["turn"]


def test_analysis_lists_every_turn_best_first(client: TestClient) -> None:
    found = post(client, "analysis", game="chefa", turns=["b2"], seconds=0.2)
    legal = {t.text for t in damier.Game(damier.game("chefa")).play("b2").turns()}
    assert {value["turn"] for value in found["turns"]} == legal
    assert found["chance"] == found["turns"][0]["chance"]
    for value in found["turns"]:
        assert [step["target"] for step in value["steps"]] == [value["turn"]]
        assert len(value["then"]) == min(3, len(value["line"]) - 1)


def test_analysis_says_what_the_turns_of_a_line_do(client: TestClient) -> None:
    turns = [*BADIA_PLACED, "b1-c1"]
    found = post(client, "analysis", game="badia", turns=turns, seconds=0.2)
    value = next(v for v in found["turns"] if v["turn"] == "d1-c1,c1>c3")
    (step,) = value["steps"]
    assert (step["kind"], step["origin"], step["target"]) == ("move", "d1", "c1")
    assert step["puts"] == [["c1", "c3"]]
    for value in found["turns"]:
        for text, steps in zip(value["line"], [value["steps"], *value["then"]], strict=False):
            for step in steps:
                assert {step["origin"] or step["target"], step["target"]} <= set(
                    re.findall(r"[a-e][1-5]", text)
                )


def test_a_finished_game_has_no_analysis(client: TestClient) -> None:
    over = ["a1", "a5", "b1", "b5", "c1", "e4", "d1"]
    for path in ("move", "analysis", "probe"):
        error = post(client, path, 400, game="chefa", turns=over)["error"]
        assert error["key"] == "over"


def test_a_full_queue_answers_503(tmp_path: Path) -> None:
    begun, release = tmp_path / "begun", tmp_path / "release"
    code = f"""
import time
from pathlib import Path
from damier.web import answers, worker

def slow(body, stop):
    Path({str(begun)!r}).touch()
    while not Path({str(release)!r}).exists():
        time.sleep(0.01)
    return {{}}

answers.ANSWERS["move"] = slow
worker.main()
"""
    body = {"game": "chefa", "level": 1}
    with TestClient(create_app(lambda: Crew(1, waiting=0, code=code))) as client:
        first = threading.Thread(target=lambda: client.post("/api/v1/move", json=body))
        first.start()
        for _ in range(2000):
            if begun.exists():
                break
            time.sleep(0.01)
        assert begun.exists()
        answer = client.post("/api/v1/move", json=body)
        assert answer.status_code == 503
        assert int(answer.headers["retry-after"]) > 0
        assert client.get("/api/v1/games").status_code == 200
        release.touch()
        first.join(20)
        assert client.post("/api/v1/move", json=body).status_code == 200


def test_long_games_are_answered(client: TestClient) -> None:
    """The same as when the turns come one after the other."""
    game, chance = damier.Game(damier.game("fraha")), random.Random(2)
    while game.ply < 250:
        game = game.play(chance.choice([t for t in game.turns() if not game.play(t).result()]))
    played = [turn.text for turn in game.turns_played]
    assert post(client, "state", game="fraha", turns=played)["position"] == str(game.position)


EXPLOSIVE: list[dict[str, Any]] = [
    {
        "game": "fanorona",
        "options": {"board": "7x9", "turning": "no"},
        "start": "wwbbb.bbb/b...b..bb/bb...b..b/w.bb.bb.w/bw.b...bb/bb..b..b./w.bwbbb.b w 0",
    },
    {"game": "fraha", "start": "...../.w.b./.b.w./.bw.b/...w. b"},
]


@pytest.mark.parametrize("body", EXPLOSIVE, ids=["482,932 turns", "17,654 turns"])
def test_too_many_turns_are_refused_with_the_reason(
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


def test_refusing_a_turn_lists_few_of_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work is counted: steps played while a turn is refused."""
    from damier.web.answers import answer

    file = damier.game("fanorona").file
    count, play = 0, file.play

    def counted(*words: int) -> Any:
        nonlocal count
        count += 1
        return play(*words)

    monkeypatch.setattr(file, "play", counted)
    body: dict[str, Any] = {**EXPLOSIVE[0], "preset": None, "turns": [], "turn": "a1-b1"}
    assert answer("play", body, "en", None)[0] == 400
    assert 0 < count < 5000


def test_games_are_kept_by_their_bytes() -> None:
    """Nothing that strangers send makes them more, and what is played on counts once."""
    from damier.web.replay import Kept

    kept, rules = Kept(200_000), damier.game("chefa")
    turns = ["b2", "d4", "a1", "e5"]
    game = damier.Game(rules).play(*turns)
    assert game.turns()
    for k in range(100):
        kept.keep(rules, str(k), tuple(turns), game)
        assert kept.bytes <= 200_000
    assert 5 <= len(kept) < 15
    assert kept.take(rules, "0", tuple(turns)) is None
    known = kept.take(rules, "99", (*turns, "b3"))
    assert known == game  # the part of it that is known
    assert not vars(known)  # and not what was listed for it
    assert kept.take(rules, "99", tuple(turns)) is None
    while len(kept):
        kept.take(rules, str(100 - len(kept) - 1), tuple(turns))
    assert kept.bytes == 0


def test_every_refusal_is_in_the_schema(client: TestClient) -> None:
    paths = client.get("/api/v1/openapi.json").json()["paths"]
    for path, _, status, _ in BAD:
        assert str(status) in paths[f"/api/v1/{path}"]["post"]["responses"], (path, status)
    for path, methods in paths.items():
        for asked in methods.values():
            assert {"200", "421", "500"} <= asked["responses"].keys(), path
    for name in ("texts/{language}", "rules/{name}"):
        assert "404" in paths[f"/api/v1/{name}"]["get"]["responses"]


def test_health(client: TestClient) -> None:
    assert client.get("/healthz").json() == {"ok": True, "version": damier.__version__}


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
def test_a_page_elsewhere_cannot_post(
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


def test_only_so_many_records_are_read(client: TestClient) -> None:
    text = '[Game "chefa"]\n\n1. b2\n\n' * 60
    assert len(post(client, "records/read", text=text)["records"]) == 50


def test_every_file_of_the_page_is_named_in_the_package() -> None:
    assert (Path(damier.__file__).parent / "web" / "static" / "main.js").is_file()
