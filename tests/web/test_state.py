"""HTTP interface: the state of a game, its legal moves, and why a move is illegal."""

import random
from typing import Any

import pytest
from fastapi.testclient import TestClient

import damier
from damier.games import GAMES
from tests.support.http_client import BADIA_PLACED, post


def walked(client: TestClient, body: dict[str, Any], max_positions: int = 2000) -> set[str]:
    """Return the moves that the steps write, asking for those that an answer leaves out."""
    found: set[str] = set()

    def walk(steps: list[dict[str, Any]], begun: list[int]) -> None:
        for step in steps:
            path = [*begun, step["step"]]
            if step["turn"] is not None:
                found.add(step["turn"])
            elif len(found) < max_positions:
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


@pytest.mark.parametrize(("name", "options", "moves"), GAMES_SO_FAR)
def test_steps_write_exactly_the_legal_moves(
    client: TestClient, name: str, options: dict[str, str], moves: list[str]
) -> None:
    body: dict[str, Any] = {"game": name, "options": options, "turns": moves}
    game = damier.Game(damier.load_rules(name, **options)).play(*moves)
    legal = {move.text for move in game.legal_moves()}
    assert walked(client, body) == legal
    listed = post(client, "turns", **body)
    assert {move["turn"] for move in listed["turns"]} == legal
    assert listed["total"] == len(legal)


def test_a_step_lists_the_changed_cells(client: TestClient) -> None:
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


def test_hidden_facts_are_described(client: TestClient) -> None:
    moves = ["b2", "b4", "d4", "d2", "a1", "e1", "a5", "e5", "b2=b4"]
    state = post(client, "state", game="chefa", turns=moves)
    assert [set(pair) for pair in state["barred"]] == [{"b2", "b4"}]
    assert state["mover"] == "w"
    assert state["cells_before"]["b2"] == "w"
    assert state["cells"]["b2"] == "b"
    assert post(client, "state", game="badia", turns=[*BADIA_PLACED, "b1-c1"])["resting"] == ["c1"]
    assert post(client, "state", game="chefa")["mover"] is None


def test_placing_two_pawns_in_either_order_writes_one_move(client: TestClient) -> None:
    first = next(s for s in post(client, "state", game="seega")["steps"] if s["target"] == "e5")
    then = post(client, "state", game="seega", begun=[first["step"]])["steps"]
    assert next(s for s in then if s["target"] == "a1")["turn"] == "a1+e5"


def test_the_end_is_described_with_its_pattern(client: TestClient) -> None:
    moves = ["a1", "a5", "b1", "b5", "c1", "e4", "d1"]
    result = post(client, "state", game="chefa", turns=moves)["result"]
    assert result["winner"] == "w"
    assert result["reason"] == "line"
    assert result["cells"] == ["a1", "b1", "c1", "d1"]


def test_a_barrier_is_shown(client: TestClient) -> None:
    rules = damier.load_rules("seega")
    position = "bb.../bb.../wwwww/...../..... b 0 0 - 3"
    assert rules.position(position).result() == damier.Result("w", "barrier")
    result = post(client, "state", game="seega", start=position)["result"]
    assert result["cells"] == ["a3", "b3", "c3", "d3", "e3"]


def test_play_and_last(client: TestClient) -> None:
    state = post(client, "play", game="fraha", turns=[], turn="a1-a2,b2>e3")
    assert [step["text"] for step in state["last"]] == ["a1-a2", ",b2>e3"]
    assert state["ply"] == 1
    assert state["before"] == "w...w/.b.b./...../.b.b./w...w w"


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


def test_why_a_click_inside_a_move_is_refused(client: TestClient) -> None:
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


@pytest.mark.parametrize(
    ("played", "origin", "target"),
    [
        (["b1-c1", "e2-e3", "a1-b1", "d5-e5", "c1=d1"], "c1", "d1"),
        (["b5-c5", "d5-c5,c5>c3", "a4-a3", "e4-e5", "c3-c5,c5>c3"], "c3", "c5"),
    ],
)
def test_a_click_that_would_repeat_a_position(
    client: TestClient, played: list[str], origin: str, target: str
) -> None:
    moves = [*BADIA_PLACED, *played]
    said = post(client, "why", game="badia", turns=moves, origin=origin, target=target)
    assert said["key"] == "brings-back"


def test_a_position_is_written_from_its_cells(client: TestClient) -> None:
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
    assert "while pawns are in hand" in hands({"a1": "w"}, state="-")[2]


def test_long_games_are_answered(client: TestClient) -> None:
    """The same as when the moves come one after the other."""
    game, rng = damier.Game(damier.load_rules("fraha")), random.Random(2)
    while game.ply < 250:
        game = game.play(rng.choice([t for t in game.legal_moves() if not game.play(t).result()]))
    played = [move.text for move in game.moves_played]
    assert post(client, "state", game="fraha", turns=played)["position"] == str(game.position)


def test_the_replay_cache_is_limited_in_bytes() -> None:
    """No request makes it larger, and a game that is continued occupies one entry."""
    from damier.web.replay import ReplayCache

    cache, rules = ReplayCache(200_000), damier.load_rules("chefa")
    moves = ["b2", "d4", "a1", "e5"]
    game = damier.Game(rules).play(*moves)
    assert game.legal_moves()
    for k in range(100):
        cache.put(rules, str(k), tuple(moves), game)
        assert cache.bytes <= 200_000
    assert 5 <= len(cache) < 15
    assert cache.take(rules, "0", tuple(moves)) is None
    known = cache.take(rules, "99", (*moves, "b3"))
    assert known == game  # the part of it that is known
    assert not vars(known)  # and not what was listed for it
    assert cache.take(rules, "99", tuple(moves)) is None
    while len(cache):
        cache.take(rules, str(100 - len(cache) - 1), tuple(moves))
    assert cache.bytes == 0
