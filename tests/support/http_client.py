"""Requests to the HTTP interface, and the first moves of a game."""

from typing import Any

from fastapi.testclient import TestClient

BADIA_PLACED = ["b1", "d1", "b5", "d5", "a2", "e2", "a4", "e4", "a1", "e1"]


def post(client: TestClient, path: str, status: int = 200, **body: Any) -> Any:
    answer = client.post(f"/api/v1/{path}", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()
