"""Why a turn is refused: the most helpful thing to say of a text that is no legal turn."""

import re

from damier.errors import DamierError
from damier.rules import Position

_CELL = r"[a-u][1-9]\d?"
# Any turn of any game, legal or not.
_SHAPE = re.compile(
    rf"--|@{_CELL}"
    rf"|{_CELL}(x{_CELL})*(\+{_CELL}(x{_CELL})*)?"
    rf"|{_CELL}([-=]{_CELL}([AW]|(x{_CELL})*))+(,{_CELL}>({_CELL})?)*"
)
_SHOWN = 6  # of the legal turns, how many a message names


def refusal(position: Position, text: str) -> DamierError:
    """Return the error to raise for a text that is not a legal turn of a position."""
    if position.over:
        return DamierError("over")
    turns = [turn.text for turn in position.turns()]
    if not _SHAPE.fullmatch(text):
        return DamierError("turn-form", text=_short(text), turns=_some(turns))
    cells = re.findall(_CELL, text)
    for cell in cells:
        if cell not in position.rules.board.indices:
            return DamierError("turn-cell", text=text, cell=cell)
    longer = [turn for turn in turns if turn.startswith(text)]
    if longer:
        return DamierError("turn-unfinished", text=text, turns=_some(longer))
    mirrored = "+".join(reversed(text.split("+")))
    if mirrored in turns:
        return DamierError("turn-order", text=text, turn=mirrored)
    begun, ways = _longest_beginning(text, turns)
    if begun:
        return DamierError("turn-goes-wrong", text=text, begun=begun, turns=_some(ways))
    key, details = _reason(position, text, cells, turns)
    same = [turn for turn in turns if cells and turn.startswith(cells[0])]
    return DamierError(key, text=text, turns=_some(same or turns), **details)


def _longest_beginning(text: str, turns: list[str]) -> tuple[str, list[str]]:
    """Return the longest beginning of the text that is one of a legal turn, after its first step.

    Steps are divided where a cell's name, a letter or a capture ends.
    """
    ends = [m.end() for m in re.finditer(rf"{_CELL}[AW]?(?![>\d])", text)][1:]
    for end in sorted(ends, reverse=True):
        ways = [turn for turn in turns if turn.startswith(text[:end])]
        if ways:
            return text[:end], ways
    return "", []


def _reason(
    position: Position, text: str, cells: list[str], turns: list[str]
) -> tuple[str, dict[str, object]]:
    """Return the key of the reason why the first step is refused, and what it names."""
    rules, own = position.rules, position.side
    if text == "--":
        return "no-pass", {}
    if text.startswith("@"):
        return ("drop-occupied", {"cell": cells[0]}) if turns[0][0] == "@" else ("no-drop", {})
    if turns[0] == "--":
        return "must-pass", {}
    if turns[0].startswith("@"):
        return "must-drop", {}
    placing = re.fullmatch(_CELL, turns[0].split("+")[0].split("x")[0]) is not None
    if "-" not in text and "=" not in text:
        if not placing:
            return "no-placement", {}
        for cell in cells:
            if position.cell(cell) != ".":
                return "occupied", {"cell": cell}
        if any(cell not in turn for cell in cells for turn in turns) and "+" not in turns[0]:
            return "place-closed", {"cell": cells[0]}
        return "placement", {}
    if placing:
        return "must-place", {}
    origin, target = cells[0], cells[1]
    if position.cell(origin) != own:
        return ("empty" if position.cell(origin) == "." else "enemy-pawn"), {"cell": origin}
    if position.cell(target) == own:
        return "own-pawn", {"cell": target}
    if rules.name == "chefa" and str(position).endswith(f" {text}"):
        return "ko-barred", {}
    if rules.name == "badia" and str(position).split(" ")[2 + (own == "b")] == origin:
        return "marked", {"cell": origin}
    if "=" not in text and position.cell(target) != "." and rules.name != "badia":
        return "occupied", {"cell": target}
    captures = re.compile(r"[xAW]")
    if (
        rules.options.get("capture") == "forced"
        and not captures.search(text)
        and all(captures.search(turn) for turn in turns)
    ):
        return "must-capture", {}
    if rules.name == "seega" and str(position).split(" ")[4] == "p":
        return "must-free", {}
    return "illegal", {}


def _some(turns: list[str]) -> str:
    return ", ".join(turns[:_SHOWN]) + (" …" if len(turns) > _SHOWN else "")


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}…"
