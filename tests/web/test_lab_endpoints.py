"""HTTP interface: reports and short runs of the laboratory."""

import pytest
from fastapi.testclient import TestClient

from damier.games import GAMES
from damier.lab import stored_report
from damier.position import load_rules
from tests.support.http_client import post

BUNDLED = [name for name, folder in GAMES.items() if folder.bundled]


@pytest.mark.parametrize("game", BUNDLED)
def test_a_published_report_is_shown_in_both_languages(client: TestClient, game: str) -> None:
    report = stored_report(load_rules(game))
    found = {
        language: client.post(
            "/api/v1/lab/report", json={"game": game}, headers={"accept-language": language}
        ).json()
        for language in ("en", "fr")
    }
    for content in found.values():
        assert len(content["sections"]) == len(report.sections)
        assert 3 <= len(content["summary"]) <= 6
        for section, source in zip(content["sections"], report.sections, strict=True):
            assert len(section["pictures"]) == len(source.charts)
            *grids, figures = section["tables"]
            assert [len(grid["rows"]) for grid in grids] == [len(g.rows) for g in source.grids]
            assert len(figures["rows"]) == len(source.figures)
            for table in section["tables"]:
                assert all(len(row) == len(table["head"]) for row in table["rows"])
    assert found["en"]["title"] != found["fr"]["title"]


@pytest.mark.slow
def test_a_short_run_proceeds_in_stretches(client: TestClient) -> None:
    first = post(client, "lab/run", game="chefa", options={"line": "contiguous"})
    assert first["report"] is None
    assert 0 < first["part"] < 1
    again = post(
        client,
        "lab/run",
        game="chefa",
        options={"line": "contiguous"},
        results=first["results"],
    )
    assert again["part"] > first["part"]
    assert not first["results"].keys() & again["results"].keys()


def test_bad_requests_are_refused(client: TestClient) -> None:
    def refused(path: str, **body: object) -> tuple[int, str]:
        answer = client.post(f"/api/v1/{path}", json=body)
        return answer.status_code, answer.json()["error"]["key"]

    assert refused("lab/report", game="go") == (404, "game")
    assert refused("lab/run", game="chefa", options={"line": "curved"}) == (400, "option-value")
    assert refused("lab/run", game="chefa", results={"game": "no JSON"}) == (400, "lab-results")
    status, key = refused("lab/run", game="chefa", seed=-1)
    assert (status, key) == (422, "malformed")
