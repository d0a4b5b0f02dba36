"""The log: a line of JSON for each thing that happened, of bounded length and number.

A secret is never handed to it on purpose; what looks like one is left out all the same.
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
MOST_CHARACTERS = 2000  # of a text in a line; of an error the end, which says what it was
MOST_A_SECOND = 50.0
MOST_AT_ONCE = 200.0

# A secret is 32 characters of this kind, what is stored of it 64; a password is in an address.
_SECRET = re.compile(r"[A-Za-z0-9_-]{32,}")
_PASSWORD = re.compile(r"://[^@/\s]+@")

log = logging.getLogger("damier.online")


class Lines(logging.Formatter):
    """Writes a record as a line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, Any] = {"at": at, "level": record.levelname.lower()}
        line["what"] = _told(record.getMessage())
        for name, value in getattr(record, "fields", {}).items():
            line[name] = _told(value) if isinstance(value, str) else value
        if record.exc_info:
            line["error"] = _told(self.formatException(record.exc_info), end=True)
        return json.dumps(line, ensure_ascii=False, default=str)


def _told(text: str, end: bool = False) -> str:
    """Return a text without what looks like a secret, and not too much of it."""
    text = text[-MOST_CHARACTERS:] if end else text[:MOST_CHARACTERS]
    return _SECRET.sub("[hidden]", _PASSWORD.sub("://[hidden]@", text))


class Bounded(logging.Filter):
    """Lets so many lines a second through, and says how many it did not."""

    def __init__(self) -> None:
        super().__init__()
        self._left, self._last, self._dropped = MOST_AT_ONCE, monotonic(), 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether a line is written."""
        now = monotonic()
        self._left = min(MOST_AT_ONCE, self._left + MOST_A_SECOND * (now - self._last))
        self._last = now
        if self._left < 1:
            self._dropped += 1
            return False
        self._left -= 1
        if self._dropped:
            record.fields = {**getattr(record, "fields", {}), "left_out": self._dropped}
            self._dropped = 0
        return True


def begin(level: str = "info", stream: TextIO | None = None) -> logging.Handler:
    """Write all that is logged from now on as lines; return what writes them."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(Lines())
    handler.addFilter(Bounded())
    for name, least in (("", "warning"), ("damier.online", level), ("uvicorn.error", "warning")):
        logging.getLogger(name).setLevel(least.upper())
    logging.getLogger().handlers = [handler]
    return handler
