"""Log as lines of JSON, limited in length and in number per second.

No code logs a secret intentionally. As a precaution, text that looks like a secret is redacted.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from datetime import UTC, datetime
from time import monotonic
from typing import Any, TextIO

LEVELS = ("info", "warning", "error")
MAX_TEXT_LENGTH = 2000  # per field; a traceback keeps its end, which names the error
MAX_LINES_PER_SECOND = 50.0
MAX_BURST_LINES = 200.0

# A secret has 32 characters of this kind and its hash 64; a password is part of a database URL.
_SECRET = re.compile(r"[A-Za-z0-9_-]{32,}")
_PASSWORD = re.compile(r"://[^@/\s]+@")

log = logging.getLogger("damier.online")


class JsonFormatter(logging.Formatter):
    """Formatter that writes a log record as a line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, Any] = {"at": at, "level": record.levelname.lower()}
        line["what"] = _redact(record.getMessage())
        for name, value in getattr(record, "fields", {}).items():
            line[name] = _redact(value) if isinstance(value, str) else value
        if record.exc_info:
            line["error"] = _redact(self.formatException(record.exc_info), end=True)
        return json.dumps(line, ensure_ascii=False, default=str)


def _redact(text: str, end: bool = False) -> str:
    """Return a text without secrets, shortened; `end` keeps its end instead of its start."""
    text = text[-MAX_TEXT_LENGTH:] if end else text[:MAX_TEXT_LENGTH]
    return _SECRET.sub("[hidden]", _PASSWORD.sub("://[hidden]@", text))


class RateLimitFilter(logging.Filter):
    """Filter that limits the number of lines per second and reports how many were dropped."""

    def __init__(self) -> None:
        super().__init__()
        self._left, self._last, self._dropped = MAX_BURST_LINES, monotonic(), 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a record is written."""
        now = monotonic()
        self._left = min(MAX_BURST_LINES, self._left + MAX_LINES_PER_SECOND * (now - self._last))
        self._last = now
        if self._left < 1:
            self._dropped += 1
            return False
        self._left -= 1
        if self._dropped:
            record.fields = {**getattr(record, "fields", {}), "left_out": self._dropped}
            self._dropped = 0
        return True


def configure(level: str = "info", stream: TextIO | None = None) -> logging.Handler:
    """Configure all loggers to write JSON lines; return the handler."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonFormatter())
    handler.addFilter(RateLimitFilter())
    for name, threshold in (
        ("", "warning"),
        ("damier.online", level),
        ("uvicorn.error", "warning"),
    ):
        logging.getLogger(name).setLevel(threshold.upper())
    logging.getLogger().handlers = [handler]
    return handler
