"""HTTP interface: values of one position and of many positions in a table."""

import json
from random import Random

import pytest
from fastapi.testclient import TestClient

from damier import Game, load_rules
from damier.search import Stop
from damier.web.endpoints import ENDPOINTS, answer
from damier.web.models import MAX_PROBED_POSITIONS, ProbeRequest
from tests.support.http_client import post

OVER = ["a1", "a5", "b1", "b5", "c1", "e4", "d1"]


def positions_of(name: str, count: int) -> list[str]:
    """Return the texts of different positions of random games."""
    random, rules = Random(1), load_rules(name)
    found: dict[str, None] = {}
    while len(found) < count:
        game = Game(rules)
        while not game.over and game.ply < 30:
            found[str(game.position)] = None
            game = game.play(random.choice(game.legal_moves()))
    return list(found)[:count]


@pytest.mark.parametrize("name", ["chefa", "fraha", "badia"])
def test_many_positions_have_the_values_of_single_requests(name: str, client: TestClient) -> None:
    texts = positions_of(name, 12)
    found = post(client, "probe", game=name, positions=texts)
    assert found.keys() == {"positions"}
    longest = 0
    for text, entry in zip(texts, found["positions"], strict=True):
        single = post(client, "probe", game=name, start=text)
        assert single.keys() == {"outcome", "distance", "to", "bound", "turns"}
        moves = single["turns"]
        assert entry == {**single, "turns": moves[:50], "total": len(moves)}
        longest = max(longest, len(moves))
    assert (longest > 50) == (name == "fraha")


def test_an_invalid_position_has_an_error_and_the_others_a_value(client: TestClient) -> None:
    over = str(Game(load_rules("chefa")).play(*OVER).position)
    start = str(load_rules("chefa").start())
    texts = ["nonsense", start, over, "", start]
    entries = post(client, "probe", game="chefa", positions=texts)["positions"]
    assert ["outcome" in entry for entry in entries] == [False, True, False, False, True]
    assert entries[2]["error"]["key"] == "over"
    assert entries[1] == entries[4]
    for index in (0, 2, 3):
        assert entries[index] == post(client, "probe", 400, game="chefa", start=texts[index])


def test_positions_in_no_table_and_games_without_a_table(client: TestClient) -> None:
    texts = ["ww.../ww.../...../...../bbbb. w", str(load_rules("fraha").start())]
    entries = post(client, "probe", game="fraha", positions=texts)["positions"]
    assert entries[0]["error"]["key"] == "no-table"
    assert entries[0] == post(client, "probe", 404, game="fraha", start=texts[0])
    assert "outcome" in entries[1]
    for positions in (["nonsense"], []):
        error = post(client, "probe", 404, game="seega", positions=positions)["error"]
        assert error["key"] == "no-table"


def test_limits_of_many_positions(client: TestClient) -> None:
    start = str(load_rules("chefa").start())
    most = post(client, "probe", game="chefa", positions=["x"] * MAX_PROBED_POSITIONS)
    assert len(most["positions"]) == MAX_PROBED_POSITIONS
    assert post(client, "probe", game="chefa", positions=[]) == {"positions": []}
    for positions in (["x"] * (MAX_PROBED_POSITIONS + 1), ["x" * 201], [1], "x"):
        error = post(client, "probe", 422, game="chefa", positions=positions)["error"]
        assert error["key"] == "malformed"
    for also in ({"start": start}, {"turns": ["b2"]}):
        error = post(client, "probe", 422, game="chefa", positions=[start], **also)["error"]
        assert error["key"] == "positions-or-game"


def test_positions_after_the_deadline_have_an_error() -> None:
    class StopAfter(Stop):
        """Signal that is set when it has been read some times."""

        reads = 2

        def is_set(self) -> bool:
            self.reads -= 1
            return self.reads < 0

    start = str(load_rules("chefa").start())
    body = ProbeRequest(game="chefa", positions=[start] * 4).model_dump()
    status, content = answer("probe", body, "en", StopAfter())
    assert status == 200
    entries = json.loads(content)["positions"]
    assert ["outcome" in entry for entry in entries] == [True, True, False, False]
    assert {entry["error"]["key"] for entry in entries[2:]} == {"too-much"}


def test_the_engine_processes_look_up_many_positions() -> None:
    probe = ENDPOINTS["probe"]
    assert probe.pool_for(ProbeRequest(game="chefa").model_dump()) == "interactive"
    assert probe.pool_for(ProbeRequest(game="chefa", positions=[]).model_dump()) == "engine"
