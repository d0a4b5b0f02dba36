"""Bodies of HTTP responses: JSON encoding, and errors with their status codes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from damier import i18n
from damier.errors import DamierError

Body = dict[str, Any]

# The HTTP status of each error key; any other error has status 400. An error with an attribute
# `http_status` has that status instead.
ERROR_STATUS = {
    "cross-site": 403,
    "game": 404,
    "no-lab-report": 404,
    "no-language": 404,
    "no-lesson": 404,
    "no-lessons": 404,
    "no-page": 404,
    "no-table": 404,
    "puzzle": 404,
    "method": 405,
    "too-slow": 408,
    "too-long": 413,
    "too-many-chunks": 413,
    "host": 421,
    "too-many-turns": 422,
    "too-much": 422,
    "turn-too-long": 422,
    "positions-or-game": 422,
    "head-too-long": 431,
    "fault": 500,
    "game-endless": 500,
    "game-raised": 500,
    "page": 500,
    "preparing": 503,
    "table-changed": 503,  # the next request is answered without the table
    # Online play.
    "identity": 401,
    "identity-closed": 401,
    "not-your-seat": 403,
    "rated-guard": 403,
    "no-online-game": 404,
    "no-player": 404,
    "moved-on": 409,
    "not-your-turn": 409,
    "own-table": 409,
    "seat-taken": 409,
    "too-late": 409,
    "too-many-games": 429,
    "too-many-tables": 429,
    "too-many-watchers": 429,
    "database-away": 503,
}


class MalformedRequest(DamierError):
    """A request body or path that does not match its schema."""

    http_status = 422


def encode_json(content: Body) -> bytes:
    """Return the bytes of a response body."""
    return json.dumps(
        content,
        ensure_ascii=False,
        allow_nan=False,
        separators=(",", ":"),
    ).encode()


def error_response(error: DamierError, status: int | None = None) -> tuple[int, Body]:
    """Return the status and the body that report an error, in the current language."""
    if status is None:
        status = getattr(error, "http_status", ERROR_STATUS.get(error.key, 400))
    details: Body = dict(error.details)
    details = {
        name: value if isinstance(value, int | float | None) else str(value)[:300]
        for name, value in details.items()
    }
    return status, {"error": {"key": error.key, "message": str(error), "details": details}}


def malformed_request(
    location: Sequence[str | int], kind: str, bounds: Mapping[str, Any]
) -> MalformedRequest:
    """Return the error for a request that does not match its schema.

    `kind` and `bounds` are the type and the context of a pydantic error.
    """
    field = ".".join(str(part) for part in location if part not in ("body", "path", "[key]"))
    key = f"problem.{kind}"
    problem = i18n.translate(key if key in i18n.texts("en") else "problem.other", **bounds)
    return MalformedRequest("malformed", where=field or "body", problem=problem)
