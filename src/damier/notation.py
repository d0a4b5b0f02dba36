"""Turns and positions as text: the one place that writes them and the one that reads them.

What a step does is structure (`damier.games.steps.Action`); its text follows from that, and a
turn's text is its steps' texts joined. So a legal turn is read by writing what is legal and
comparing, step by step, and nothing is accepted that would be written otherwise. Only what is not
legal is read by its form, to say why.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

from damier.errors import DamierError
from damier.games.board import Board
from damier.games.contract import RulesFile, Words
from damier.games.steps import NOWHERE, PASS, Action
from damier.games.terms import step_of

# ---- steps and turns, written -----------------------------------------------------------------


@lru_cache(maxsize=1 << 16)
def action_text(board: Board, action: Action, begun: bool) -> str:
    """Return the part of a turn's text that a step writes, at its beginning or when it goes on."""
    kind, origin, target, takes, puts, by = action
    names = board.names
    if kind == "move":
        text = f"{'' if begun else names[origin]}-{names[target]}{by}"
    elif kind == "place":
        text = f"+{names[target]}" if begun else names[target]
    elif kind == "swap":
        text = f"{names[origin]}={names[target]}"
    elif kind == "put":
        text = f",{names[origin]}>{names[target]}"
    elif kind == "drop":
        text = f"@{names[target]}"
    else:
        text = "--" if kind == "pass" else ""
    if takes and not by:
        text += "".join(f"x{name}" for name in board.sorted_names(takes))
    for cell, to in puts:
        text += f",{names[cell]}>{'' if to == NOWHERE else names[to]}"
    return text


def step_text(file: RulesFile, words: Words, step: int) -> str:
    """Return the part of a turn's text that a legal step writes."""
    r = words[2]
    return action_text(file.board(r), file.describe(*words, step), r & file.MIDTURN != 0)


def turn_text(file: RulesFile, words: Words, steps: tuple[int, ...], begun: str = "") -> str:
    """Return the text of a turn that goes on after what was begun."""
    for step in steps:
        begun += step_text(file, words, step)
        words = file.play(*words, step)
    return begun


def legal_steps(file: RulesFile, words: Words) -> list[int]:
    """Return the numbers of the legal steps."""
    legal = [0] * file.GROUPS
    if file.legal(*words, legal):
        return []
    found = []
    for group, cells in enumerate(legal):
        while cells:
            low = cells & -cells
            found.append(step_of(group, low.bit_length() - 1))
            cells ^= low
    return found


def as_written(file: RulesFile, words: Words, steps: tuple[int, ...]) -> tuple[int, ...]:
    """Return the steps of a turn in the order in which it is written.

    Where another order of the same steps is the same turn (see `superfluous`), one is written.
    """
    after = words
    for step in steps:
        if file.superfluous(after[2], step):
            return next(o for o in permutations(steps) if _writes(file, words, o))
        after = file.play(*after, step)
    return steps


def _writes(file: RulesFile, words: Words, steps: tuple[int, ...]) -> bool:
    """Tell whether steps, one after the other, are legal and written in this order."""
    for step in steps:
        if step not in legal_steps(file, words) or file.superfluous(words[2], step):
            return False
        words = file.play(*words, step)
    return True


# ---- turns, read ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reading:
    """How far legal steps follow a text: what they write, the steps, and where they lead."""

    written: str
    steps: tuple[int, ...]
    words: Words


def read_turn(file: RulesFile, here: Reading, text: str) -> tuple[Reading | None, Reading]:
    """Return the legal turn that a text writes, or None; and how far legal steps follow it.

    All turns need not be listed: only steps that write what stands in the text are followed.
    """
    farthest = here
    if not text.startswith(here.written):
        return None, farthest
    open_ = [farthest]
    while open_:
        here = open_.pop()
        for step in legal_steps(file, here.words):
            written = here.written + step_text(file, here.words, step)
            if not text.startswith(written) or file.superfluous(here.words[2], step):
                continue
            there = Reading(written, (*here.steps, step), file.play(*here.words, step))
            if there.words[2] & file.MIDTURN:
                open_.append(there)
                if len(written) > len(farthest.written):
                    farthest = there
            elif written == text:
                return there, there
            elif len(written) > len(farthest.written) and not text[len(written)].isupper():
                farthest = there
    return None, farthest


def some_turns(file: RulesFile, here: Reading, most: int, first: str = "") -> list[str]:
    """Return the texts of the first few turns that go on from somewhere, in the order of texts.

    With `first` the next step's text begins so. No more is looked at than is returned.
    """
    found: list[str] = []
    for text in _turns_from(file, here, first):
        found.append(text)
        if len(found) == most:
            break
    return found


def _turns_from(file: RulesFile, here: Reading, first: str = "") -> Iterator[str]:
    steps = [(step_text(file, here.words, step), step) for step in legal_steps(file, here.words)]
    for text, step in sorted(steps):
        if not text.startswith(first) or file.superfluous(here.words[2], step):
            continue
        after = file.play(*here.words, step)
        written = here.written + text
        if after[2] & file.MIDTURN:
            yield from _turns_from(file, Reading(written, (), after))
        else:
            yield written


_CELL = r"[a-u][1-9]\d?"
# A turn of any game, legal or not; and the next step of one.
_TURN = re.compile(
    rf"--|@{_CELL}"
    rf"|{_CELL}(x{_CELL})*(\+{_CELL}(x{_CELL})*)?"
    rf"|{_CELL}([-=]{_CELL}([A-Z]|(x{_CELL})*))+(,{_CELL}>({_CELL})?)*"
)
_CELLS = re.compile(_CELL)
_NEXT = re.compile(
    rf"(?P<pass>--)|@(?P<drop>{_CELL})|,(?P<put>{_CELL})>(?P<to>{_CELL})?"
    rf"|(?P<origin>{_CELL})?(?P<sign>[-=])(?P<target>{_CELL})(?P<by>[A-Z]?)(?P<takes>x)?"
    rf"|\+?(?P<place>{_CELL})"
)


def looks_like_a_turn(text: str) -> bool:
    """Tell whether a text has the form of a turn, legal or not."""
    return _TURN.fullmatch(text) is not None


def cells_named(text: str) -> list[str]:
    """Return the cells that a turn's text names, whether they are there or not."""
    return _CELLS.findall(text)


def last_arrival(board: Board, begun: str) -> str:
    """Return the cell of the pawn whose turn is under way, or of the first one placed, or ""."""
    found = ""
    for part in _NEXT.finditer(begun):
        found = part["target"] or (part["place"] if not found else "") or found
    return found if found in board.indices else ""


def displacement_of(text: str) -> str:
    """Return a turn's text without where it puts other pawns."""
    return text.partition(",")[0]


def other_order(text: str) -> str | None:
    """Return the text of the same placements in another order, or None if there are none."""
    parts = text.split("+")
    return "+".join(reversed(parts)) if len(parts) > 1 else None


def read_attempt(board: Board, text: str, active: int = NOWHERE) -> Action | None:
    """Return the step that a text, or the rest of one, begins with, legal or not.

    A displacement that does not say where it starts starts from the `active` pawn.
    """
    found = _NEXT.match(text)
    if found is None:
        return None

    def cell(name: str) -> int:
        return board.indices.get(found[name] or "", NOWHERE)

    if found["pass"]:
        return PASS
    if found["drop"]:
        return Action("drop", target=cell("drop"))
    if found["put"]:
        return Action("put", cell("put"), cell("to"))
    if found["place"]:
        return Action("place", target=cell("place"))
    origin = cell("origin") if found["origin"] else active
    if found["sign"] == "=":
        return Action("swap", origin, cell("target"))
    takes = 1 if found["takes"] else 0  # which ones does not matter: it says that it captures
    return Action("move", origin, cell("target"), takes, by=found["by"])


# ---- positions --------------------------------------------------------------------------------


def write_position(file: RulesFile, words: Words, begun: str = "") -> str:
    """Return the text of a position; inside a turn, what has been written of the turn follows."""
    w, b, r = words
    text = join_position(file.board(r), w, b, "wb"[r & 1], file.write_fields(w, b, r))
    return f"{text} ({begun}…)" if r & file.MIDTURN else text


def join_position(board: Board, w: int, b: int, side: str, fields: list[str]) -> str:
    """Return the text of a position from its parts, whether they make a good one or not."""
    marks = [
        "#" if not board.cells >> i & 1 else ".wb."[(w >> i & 1) + 2 * (b >> i & 1)]
        for i in range(board.size)
    ]
    rows = (
        "".join(marks[rank * board.files : (rank + 1) * board.files])
        for rank in reversed(range(board.ranks))
    )
    return " ".join(["/".join(rows), side, *fields])


_POSITION = re.compile(r"[wb.#]+(/[wb.#]+)+( \S+)*")


def looks_like_a_position(text: str) -> bool:
    """Tell whether a text has the form of a position, good or not."""
    return _POSITION.fullmatch(text) is not None


def read_position(file: RulesFile, word: int, text: str) -> Words:
    """Return the words of a position's text under the options of a word, or raise DamierError."""
    if not isinstance(text, str):
        raise DamierError("position-type", type=type(text).__name__)
    parts = text.split(" ")
    if len(parts) != 2 + len(file.FIELDS):
        raise DamierError(
            "position-parts", found=len(parts), expected=2 + len(file.FIELDS),
            parts=" ".join(("rows", "side", *file.FIELDS)),
        )  # fmt: skip
    w, b = _read_rows(file.board(word), parts[0])
    most = file.pawns(word)
    for side, pawns in (("w", w), ("b", b)):
        if pawns.bit_count() > most:
            raise DamierError("position-pawns", side=side, count=pawns.bit_count(), most=most)
    if parts[1] not in ("w", "b"):
        raise DamierError("position-side", side=parts[1])
    return w, b, file.read_fields(w, b, word | "wb".index(parts[1]), parts[2:])


def _read_rows(board: Board, text: str) -> tuple[int, int]:
    """Return White's pawns and Black's from the rows of a position's text."""
    rows = text.split("/")
    if len(rows) != board.ranks:
        raise DamierError("position-rows", count=board.ranks, found=len(rows))
    pawns = {"w": 0, "b": 0}
    for k, row in enumerate(rows):
        rank = board.ranks - k
        if len(row) != board.files:
            raise DamierError("position-row", rank=rank, count=len(row), expected=board.files)
        for file, mark in enumerate(row):
            i = (rank - 1) * board.files + file
            if (mark == "#") != (not board.cells >> i & 1) or mark not in "wb.#":
                raise DamierError("position-mark", mark=mark, cell=board.names[i])
            if mark in pawns:
                if 1 << i & board.unused:
                    raise DamierError("position-closed", cell=board.names[i])
                pawns[mark] |= 1 << i
    return pawns["w"], pawns["b"]
