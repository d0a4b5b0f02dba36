"""What sharing and the explorer ask of the server: whole games, likenesses, the page in a frame."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

import damier
from damier import DamierError, Game
from damier.cli.web import public_address
from damier.games import GAMES
from damier.symmetry import likeness
from damier.web.app import STATIC, create_app


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(create_app(), raise_server_exceptions=False) as client:
        yield client


def post(client: TestClient, path: str, status: int = 200, **body: Any) -> Any:
    answer = client.post(f"/api/v1/{path}", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


def random_game(name: str, most: int = 40) -> Game:
    chance, game = random.Random(name), Game(damier.game(name))
    while game.ply < most and not game.over:
        game = game.play(chance.choice(game.turns()))
    return game


@pytest.mark.parametrize("name", GAMES)
def test_a_line_leads_from_the_first_position_to_the_last(client: TestClient, name: str) -> None:
    game = random_game(name)
    turns = [turn.text for turn in game.turns_played]
    line = post(client, "line", game=name, turns=turns)
    assert [one["turn"] for one in line["turns"]] == turns
    marks = dict(line["cells"])
    assert marks == post(client, "state", game=name)["cells"]
    for ply, one in enumerate(line["turns"], 1):
        for step in one["steps"]:
            marks |= step["set"]
        if ply in (1, len(turns) // 2, len(turns)):
            state = post(client, "state", game=name, turns=turns[:ply])
            assert {k: v for k, v in marks.items() if v != "."} == state["cells"]
            assert one["mover"] == state["mover"]
    assert line["result"] == state["result"]


def test_a_line_is_refused_where_a_turn_is(client: TestClient) -> None:
    error = post(client, "line", 400, game="chefa", turns=["b2", "d4", "q"])["error"]
    assert error["details"]["ply"] == 2


@pytest.mark.parametrize("name", GAMES)
def test_positions_are_alike_that_differ_by_a_symmetry(name: str) -> None:
    file = damier.game(name).file
    for position in random_game(name).positions[::7]:
        symmetries = range(len(file.board(position.rest).symmetries))
        found = {likeness(file, position.transformed(k).words) for k in symmetries}
        assert len(found) == 1
        other = (position.white, position.black, position.rest ^ 1)
        assert likeness(file, other) not in found


def test_turns_that_lead_to_mirror_images_are_alike(client: TestClient) -> None:
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
        *(f"/static/{path.name}" for path in STATIC.iterdir()),
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


def test_the_page_is_told_where_others_find_it(client: TestClient) -> None:
    assert client.get("/api/v1/games").json()["public"] is None
    with TestClient(create_app(public="https://games.example/damier/")) as other:
        assert other.get("/api/v1/games").json()["public"] == "https://games.example/damier/"


def test_a_public_address_is_checked() -> None:
    assert public_address("https://games.example") == "https://games.example/"
    assert public_address("http://games.example/damier/") == "http://games.example/damier/"
    for text in ("games.example", "ftp://games.example", "https://", "https://a/?b", "http://[a"):
        with pytest.raises(DamierError):
            public_address(text)
