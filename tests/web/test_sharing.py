"""HTTP interface for sharing and the explorer: whole games, symmetric moves, embedding."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

import damier
from damier import DamierError, Game
from damier.cli.web import public_address
from damier.games import GAMES
from damier.symmetry import symmetry_key
from damier.web.app import STATIC, create_app


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(create_app(), raise_server_exceptions=False) as client:
        yield client


def post(client: TestClient, path: str, status: int = 200, **body: Any) -> Any:
    answer = client.post(f"/api/v1/{path}", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


def random_game(name: str, max_moves: int = 40) -> Game:
    rng, game = random.Random(name), Game(damier.load_rules(name))
    while game.ply < max_moves and not game.over:
        game = game.play(rng.choice(game.legal_moves()))
    return game


@pytest.mark.parametrize("name", GAMES)
def test_a_line_leads_from_the_first_position_to_the_last(client: TestClient, name: str) -> None:
    game = random_game(name)
    moves = [move.text for move in game.moves_played]
    line = post(client, "line", game=name, turns=moves)
    assert [one["turn"] for one in line["turns"]] == moves
    marks = dict(line["cells"])
    assert marks == post(client, "state", game=name)["cells"]
    for ply, one in enumerate(line["turns"], 1):
        for step in one["steps"]:
            marks |= step["set"]
        if ply in (1, len(moves) // 2, len(moves)):
            state = post(client, "state", game=name, turns=moves[:ply])
            assert {k: v for k, v in marks.items() if v != "."} == state["cells"]
            assert one["mover"] == state["mover"]
    assert line["result"] == state["result"]


def test_a_line_is_refused_where_a_move_is(client: TestClient) -> None:
    error = post(client, "line", 400, game="chefa", turns=["b2", "d4", "q"])["error"]
    assert error["details"]["ply"] == 2


@pytest.mark.parametrize("name", GAMES)
def test_symmetric_positions_are_equivalent(name: str) -> None:
    module = damier.load_rules(name).module
    for position in random_game(name).positions[::7]:
        symmetries = range(len(module.board(position.rest).symmetries))
        found = {symmetry_key(module, position.transformed(k).words) for k in symmetries}
        assert len(found) == 1
        other = (position.white, position.black, position.rest ^ 1)
        assert symmetry_key(module, other) not in found


def test_moves_to_symmetric_positions_are_equivalent(client: TestClient) -> None:
    found = post(client, "turns", game="chefa")
    like = {one["turn"]: one["likeness"] for one in found["turns"]}
    assert like["a1"] == like["e1"] == like["a5"] == like["e5"]
    assert like["a1"] != like["b2"]
    line = post(client, "line", game="chefa", turns=["e5"])
    assert line["likeness"] == found["likeness"]
    assert line["turns"][0]["likeness"] == like["a1"]


def test_only_one_page_may_be_shown_in_a_frame(client: TestClient) -> None:
    framed = client.get("/embed.html")
    policy = framed.headers["content-security-policy"]
    assert policy.endswith("frame-ancestors *")
    assert "unsafe" not in policy
    assert framed.headers["content-type"].startswith("text/html")
    assert framed.headers["referrer-policy"] == "no-referrer"
    again = client.get("/embed.html", headers={"If-None-Match": framed.headers["etag"]})
    assert again.status_code == 304
    assert again.headers["content-security-policy"] == policy
    assert len(framed.headers.get_list("content-security-policy")) == 1
    files = [
        "/",
        "/nothing",
        "/api/v1/games",
        *(f"/static/{path.relative_to(STATIC).as_posix()}" for path in STATIC.rglob("*")),
    ]
    for path in files:
        answer = client.get(path, headers={"Accept": "text/html"})
        (policy,) = answer.headers.get_list("content-security-policy")
        assert policy.endswith("frame-ancestors 'none'"), path
    text = framed.text
    assert "<script>" not in text
    assert "style=" not in text
    assert 'href="/' not in text  # the page may stand below any path
    assert 'src="/' not in text


def test_the_page_receives_the_public_address(client: TestClient) -> None:
    assert client.get("/api/v1/games").json()["public"] is None
    with TestClient(create_app(public="https://games.example/damier/")) as other:
        assert other.get("/api/v1/games").json()["public"] == "https://games.example/damier/"


def test_a_public_address_is_checked() -> None:
    assert public_address("https://games.example") == "https://games.example/"
    assert public_address("http://games.example/damier/") == "http://games.example/damier/"
    for text in ("games.example", "ftp://games.example", "https://", "https://a/?b", "http://[a"):
        with pytest.raises(DamierError):
            public_address(text)
