"""HTTP interface: reading and writing records and position texts."""

from fastapi.testclient import TestClient

from tests.support.http_client import post


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


def test_records_round_trip_over_http(client: TestClient) -> None:
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


def test_the_number_of_records_is_limited(client: TestClient) -> None:
    text = '[Game "chefa"]\n\n1. b2\n\n' * 60
    assert len(post(client, "records/read", text=text)["records"]) == 50
