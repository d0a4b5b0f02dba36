"""The look of places, by their names: one palette for the terminal and one for pictures."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class Look:
    """The colours of one game's picture."""

    frame: str  # the plate under the board
    ink: str  # coordinates on the plate
    cell: str  # a cell without a meaning of its own
    other: str  # every second such cell
    line: str
    places: Mapping[str, str] = field(default_factory=dict)  # cells with a meaning


PLAIN = Look("#3a4250", "#e8ebf0", "#cfd6df", "#bfc8d3", "#3a4250", {"unused": "#6a7280"})
# The same for a terminal of 256 colours: all of a middling brightness, on which both the white
# and the black pawns stand out.
_ANSI = {
    "outer": 67, "inner": 172, "unused": 240, "arrow": 97, "centre": 136, "refuge": 94, "line": 137,
}  # fmt: skip
_ANSI_OTHER = 65


def look(described: Mapping[str, Any]) -> Look:
    """Return the colours that a game's `look.json` describes under "picture".

    What it leaves out is plain, and so is what is no colour.
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
    return isinstance(value, str) and re.fullmatch("[^<>&\"';{}]+", value) is not None


def ansi_ground(place: str) -> str:
    """Return the escape sequence for what is behind a place; "line" for a board of lines."""
    return f"\x1b[48;5;{_ANSI.get(place, _ANSI_OTHER)}m"


# Orange for bad, grey for even, blue for good: told apart by eyes that confuse red and green.
_HEAT = ((0xC2, 0x5A, 0x12), (0xE9, 0xE7, 0xE2), (0x1F, 0x66, 0xB0))


def heat_colour(value: float) -> tuple[str, str]:
    """Return the colour of a number from -1 to 1, and that of a text upon it."""
    value = max(-1.0, min(1.0, value))
    end, part = _HEAT[0 if value < 0 else 2], abs(value)
    mixed = [round(m + (e - m) * part) for m, e in zip(_HEAT[1], end, strict=True)]
    light = (0.299 * mixed[0] + 0.587 * mixed[1] + 0.114 * mixed[2]) > 150
    return "#{:02x}{:02x}{:02x}".format(*mixed), "#1b1b1b" if light else "#ffffff"
