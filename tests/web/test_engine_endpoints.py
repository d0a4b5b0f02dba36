"""HTTP interface: engine moves and analysis."""

import re
import threading
import time
from pathlib import Path
from typing import Any, get_args

import pytest
from fastapi.testclient import TestClient

import damier
from damier.web.app import create_app
from damier.web.worker_pool import WorkerPools
from tests.support.http_client import BADIA_PLACED, post


def test_the_engine_answers_and_a_seed_repeats(client: TestClient) -> None:
    body: dict[str, Any] = {"game": "chefa", "level": 1, "seed": 7}
    first = post(client, "move", **body)
    assert first["state"]["ply"] == 1
    assert post(client, "move", **body)["turn"] == first["turn"]
    assert first["hasty"] is False  # what a seed promises is never given up for haste


def test_analysis_lists_every_move_best_first(client: TestClient) -> None:
    found = post(client, "analysis", game="chefa", turns=["b2"], seconds=0.2)
    legal = {t.text for t in damier.Game(damier.load_rules("chefa")).play("b2").legal_moves()}
    assert {value["turn"] for value in found["turns"]} == legal
    assert found["chance"] == found["turns"][0]["chance"]
    for value in found["turns"]:
        assert [step["target"] for step in value["steps"]] == [value["turn"]]
        assert len(value["then"]) == min(3, len(value["line"]) - 1)


def test_analysis_says_how_difficult_a_draw_is_and_which_chances_are_missed(
    client: TestClient,
) -> None:
    found = post(client, "analysis", game="chefa", preset="fair", turns=["b2", "c2"])
    valued = {value["turn"]: value for value in found["turns"]}
    assert (found["outcome"], found["hasty"]) == ("draw", False)
    assert found["risk"] == found["turns"][0]["risk"] == pytest.approx(18 / 21)
    assert found["turns"][0]["fault"] is None
    assert (valued["a2"]["risk"], valued["a2"]["fault"]) == (0, "missed")
    assert (valued["a1"]["risk"], valued["a1"]["fault"]) == (None, "blunder")


def test_every_fault_is_in_the_schema(client: TestClient) -> None:
    from damier.search.analysis import Fault

    schemas = client.get("/api/v1/openapi.json").json()["components"]["schemas"]
    described = schemas["MoveAnalysis"]["properties"]["fault"]["anyOf"][0]["enum"]
    assert sorted(described) == sorted(get_args(Fault))


def test_analysis_says_what_the_moves_of_a_line_do(client: TestClient) -> None:
    moves = [*BADIA_PLACED, "b1-c1"]
    found = post(client, "analysis", game="badia", turns=moves, seconds=0.2)
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
from damier.web import worker_process
from damier.web.endpoints import ENDPOINTS, Endpoint

def slow(body):
    Path({str(begun)!r}).touch()
    while not Path({str(release)!r}).exists():
        time.sleep(0.01)
    return {{}}

ENDPOINTS["move"] = Endpoint("move", slow)
worker_process.main()
"""
    body = {"game": "chefa", "level": 1}
    with TestClient(create_app(lambda: WorkerPools(1, waiting=0, code=code))) as client:
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
