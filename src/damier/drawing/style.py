"""The look of places, by their names: one palette for the terminal and one for pictures."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Look:
    """The colours of one game's picture."""

    frame: str  # the plate under the board
    ink: str  # coordinates on the plate
    cell: str  # a cell without a meaning of its own
    other: str  # every second such cell
    line: str
    places: Mapping[str, str] = field(default_factory=dict)  # cells with a meaning


# Each game's board has its own material, Fraha's the blue and the orange track of its leaflet; a
# game that is not named here gets the last one.
_FRAHA = {"inner": "#f0ae63", "unused": "#3d4658"}
_BADIA = {"arrow": "#b48ae0", "centre": "#f3d27a"}
LOOKS = {
    "fraha": Look("#26324a", "#dfe7f5", "#7fb2de", "#74a8d6", "#26324a", _FRAHA),
    "chefa": Look("#2f4a3a", "#e3efe4", "#f1ead2", "#c3d6ab", "#2f4a3a", {"unused": "#a8433a"}),
    "badia": Look("#3b2b52", "#ece4f6", "#d9c8ee", "#d9c8ee", "#3b2b52", _BADIA),
    "seega": Look("#6b4526", "#f6e7d2", "#dcb27a", "#cfa067", "#6b4526", {"refuge": "#b9743c"}),
    "fanorona": Look("#8a3b2a", "#fbe9dc", "#f0cf9c", "#f0cf9c", "#5c2a1c"),
    "": Look("#3a4250", "#e8ebf0", "#cfd6df", "#bfc8d3", "#3a4250"),
}
# The same for a terminal of 256 colours: all of a middling brightness, on which both the white
# and the black pawns stand out.
_ANSI = {
    "outer": 67, "inner": 172, "unused": 240, "arrow": 97, "centre": 136, "refuge": 94, "line": 137,
}  # fmt: skip
_ANSI_OTHER = 65


def look(game: str) -> Look:
    """Return the colours of a game."""
    return LOOKS.get(game, LOOKS[""])


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
