"""Colours of boards: a palette for the terminal, one for pictures, and the heat scale."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class Look:
    """Colours of the pictures of one game."""

    frame: str  # plate under the board
    ink: str  # coordinates on the plate
    cell: str  # ordinary cell
    other: str  # every second ordinary cell, as on a chessboard
    line: str
    places: Mapping[str, str] = field(default_factory=dict)  # colours of special cells


PLAIN = Look("#3a4250", "#e8ebf0", "#cfd6df", "#bfc8d3", "#3a4250", {"unused": "#6a7280"})
# Background colours for a terminal of 256 colours. All are of medium brightness, so that white and
# black pawns are both visible.
_ANSI = {
    "outer": 67,
    "inner": 172,
    "unused": 240,
    "arrow": 97,
    "centre": 136,
    "refuge": 94,
    "line": 137,
}
_ANSI_OTHER = 65


def look(described: Mapping[str, Any]) -> Look:
    """Return the colours under "picture" in the content of a game's `look.json`.

    Missing and invalid colours are those of `PLAIN`.
    """
    colours = described.get("picture")
    if not isinstance(colours, Mapping):
        return PLAIN
    names = [name for name in PLAIN.__dataclass_fields__ if name != "places"]
    chosen: Any = {name: colours[name] for name in names if _is_colour(colours.get(name))}
    places = colours.get("places")
    if isinstance(places, Mapping):
        chosen["places"] = {name: c for name, c in places.items() if _is_colour(c)}
    return replace(PLAIN, **chosen)


def _is_colour(value: object) -> bool:
    """Tell whether a value is text that is safe in an SVG attribute."""
    return isinstance(value, str) and re.fullmatch("[^<>&\"';{}]+", value) is not None


def ansi_background(place: str) -> str:
    """Return the escape sequence of a place's background; "line" means a board of lines."""
    return f"\x1b[48;5;{_ANSI.get(place, _ANSI_OTHER)}m"


# Orange for bad, grey for even, blue for good: distinguishable with red-green colour blindness.
_HEAT = ((0xC2, 0x5A, 0x12), (0xE9, 0xE7, 0xE2), (0x1F, 0x66, 0xB0))


def heat_colour(value: float) -> tuple[str, str]:
    """Return the colour for a number from -1 to 1, and the colour of a text on it."""
    value = max(-1.0, min(1.0, value))
    end, part = _HEAT[0 if value < 0 else 2], abs(value)
    mixed = [round(m + (e - m) * part) for m, e in zip(_HEAT[1], end, strict=True)]
    light = (0.299 * mixed[0] + 0.587 * mixed[1] + 0.114 * mixed[2]) > 150
    return "#{:02x}{:02x}{:02x}".format(*mixed), "#1b1b1b" if light else "#ffffff"
