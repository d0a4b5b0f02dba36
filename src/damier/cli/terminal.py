"""Output to the terminal: control characters in texts are shown, not executed.

Records, error messages and names may come from others. `SafeStream` replaces the control characters
in all that is printed by their codes, such as \\u001b; only `print_raw` writes damier's own.
"""

from __future__ import annotations

import re
import sys
from typing import Any, TextIO

# Control characters except tab and line feed, and those that reorder or split lines.
_CONTROL = re.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u2028-\\u202e\\u2066-\\u2069]")


def escape_controls(text: str) -> str:
    """Return a text with its control characters as codes, which JSON reads as the same text."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class SafeStream:
    """A text stream that writes no control characters of the texts that are printed."""

    def __init__(self, stream: TextIO) -> None:
        self.raw_stream = stream

    def write(self, text: str) -> int:
        """Write a text."""
        self.raw_stream.write(escape_controls(text))
        return len(text)

    def writelines(self, lines: Any) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw_stream, name)


def print_raw(text: str, stream: TextIO | None = None, end: str = "\n") -> None:
    """Print damier's own text with its control sequences: a board in colour, a progress line."""
    stream = stream or sys.stdout
    print(text, end=end, file=getattr(stream, "raw_stream", stream), flush=True)
