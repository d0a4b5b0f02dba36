"""Notation: the only writer and parser of moves and positions as text.

The text of a step follows from its `damier.games.steps.Action`; the text of a move is the texts of
its steps, joined. A legal move is parsed by writing the legal steps and comparing them with the
text, so only the canonical text is accepted. An illegal move is parsed by its form, to explain why
it is illegal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

from damier.errors import DamierError
from damier.games.board import Board
from damier.games.constants import step_of
from damier.games.contract import RulesModule, Words
from damier.games.steps import NOWHERE, PASS, Action, Kind

# ---- steps and moves, written -----------------------------------------------------------------


@lru_cache(maxsize=1 << 16)
def action_text(board: Board, action: Action, begun: bool) -> str:
    """Return the text of a step; `begun` tells whether steps of the same move precede it."""
    kind, origin, target, takes, puts, by, _ = action
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
    elif kind == "remove":
        text = f"{',' if begun else ''}{names[origin]}>"
    else:  # the captured pawns follow
        text = "--" if kind == "pass" else ""
    if takes and not by:
        text += "".join(f"x{name}" for name in board.sorted_names(takes))
    for cell, to in puts:
        text += f",{names[cell]}>{'' if to == NOWHERE else names[to]}"
    return text


def step_text(module: RulesModule, words: Words, step: int) -> str:
    """Return the text of a legal step inside its move's text."""
    r = words[2]
    return action_text(module.board(r), module.describe(*words, step), r & module.MIDTURN != 0)


def move_text(module: RulesModule, words: Words, steps: tuple[int, ...], begun: str = "") -> str:
    """Return the text of a move whose first part is `begun` and continues with `steps`."""
    for step in steps:
        begun += step_text(module, words, step)
        words = module.play(*words, step)
    return begun


def legal_steps(module: RulesModule, words: Words) -> list[int]:
    """Return the numbers of the legal steps."""
    legal = [0] * module.GROUPS
    if module.legal(*words, legal):
        return []
    found = []
    for group, cells in enumerate(legal):
        while cells:
            low = cells & -cells
            found.append(step_of(group, low.bit_length() - 1))
            cells ^= low
    return found


def canonical_order(module: RulesModule, words: Words, steps: tuple[int, ...]) -> tuple[int, ...]:
    """Return the steps of a move in canonical order.

    Where several orders of the same steps are the same move (see `superfluous`), one is canonical.
    """
    after = words
    for step in steps:
        if module.superfluous(after[2], step):
            return next(o for o in permutations(steps) if _is_canonical(module, words, o))
        after = module.play(*after, step)
    return steps


def _is_canonical(module: RulesModule, words: Words, steps: tuple[int, ...]) -> bool:
    """Tell whether steps are legal one after the other, and their order is canonical."""
    for step in steps:
        if step not in legal_steps(module, words) or module.superfluous(words[2], step):
            return False
        words = module.play(*words, step)
    return True


# ---- moves, read ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reading:
    """State of the parser: the text read, its legal steps, and the position after them."""

    written: str
    steps: tuple[int, ...]
    words: Words


def read_move(module: RulesModule, here: Reading, text: str) -> tuple[Reading | None, Reading]:
    """Return the legal move with a text, or None; and the longest prefix that is legal steps.

    Only steps whose text matches are followed, so the moves need not all be listed.
    """
    farthest = here
    if not text.startswith(here.written):
        return None, farthest
    open_ = [farthest]
    while open_:
        here = open_.pop()
        for step in legal_steps(module, here.words):
            written = here.written + step_text(module, here.words, step)
            if not text.startswith(written) or module.superfluous(here.words[2], step):
                continue
            there = Reading(written, (*here.steps, step), module.play(*here.words, step))
            if there.words[2] & module.MIDTURN:
                open_.append(there)
                if len(written) > len(farthest.written):
                    farthest = there
            elif written == text:
                return there, there
            elif len(written) > len(farthest.written) and not text[len(written)].isupper():
                farthest = there
    return None, farthest


def some_moves(module: RulesModule, here: Reading, limit: int, first: str = "") -> list[str]:
    """Return the texts of the first `limit` moves that continue `here`, sorted by text.

    `first` is a prefix of the next step's text. Further moves are not computed.
    """
    found: list[str] = []
    for text in _moves_from(module, here, first):
        found.append(text)
        if len(found) == limit:
            break
    return found


def _moves_from(module: RulesModule, here: Reading, first: str = "") -> Iterator[str]:
    steps = [
        (step_text(module, here.words, step), step) for step in legal_steps(module, here.words)
    ]
    for text, step in sorted(steps):
        if not text.startswith(first) or module.superfluous(here.words[2], step):
            continue
        after = module.play(*here.words, step)
        written = here.written + text
        if after[2] & module.MIDTURN:
            yield from _moves_from(module, Reading(written, (), after))
        else:
            yield written


_CELL = r"[a-u][1-9]\d?"
# A move of any game, legal or not; and the next step of one.
_MOVE = re.compile(
    rf"--|@{_CELL}|{_CELL}>(,{_CELL}>|[-+]?{_CELL})*"
    rf"|{_CELL}(x{_CELL})*(\+{_CELL}(x{_CELL})*)?"
    rf"|{_CELL}([-=]{_CELL}([A-Z]|(x{_CELL})*))+(,{_CELL}>({_CELL})?)*"
)
_CELLS = re.compile(_CELL)
_ON_A_CELL: tuple[Kind, ...] = ("drop", "take", "place")  # kinds that name a target only
_NEXT = re.compile(
    rf"(?P<pass>--)|@(?P<drop>{_CELL})|(?P<remove>{_CELL})>|,(?P<put>{_CELL})>(?P<to>{_CELL})?"
    rf"|(?P<origin>{_CELL})?(?P<sign>[-=])(?P<target>{_CELL})(?P<by>[A-Z]?)(?P<takes>x)?"
    rf"|x(?P<take>{_CELL})|\+?(?P<place>{_CELL})"
)


def looks_like_a_move(text: str) -> bool:
    """Tell whether a text has the form of a move, legal or not."""
    return _MOVE.fullmatch(text) is not None


def cells_named(text: str) -> list[str]:
    """Return the cell names in a move's text, on the board or not."""
    return _CELLS.findall(text)


def last_arrival(board: Board, begun: str) -> str:
    """Return the cell of the pawn that the move in progress moves or first placed, or ""."""
    found = ""
    for part in _NEXT.finditer(begun):
        found = part["target"] or (part["place"] if not found else "") or found
    return found if found in board.indices else ""


def displacement_of(text: str) -> str:
    """Return a move's text without the displacements of other pawns."""
    return text.partition(",")[0]


def other_order(text: str) -> str | None:
    """Return the text of the same placements in another order, or None if there are none."""
    parts = text.split("+")
    return "+".join(reversed(parts)) if len(parts) > 1 else None


def read_attempt(board: Board, text: str, active: int = NOWHERE) -> Action | None:
    """Return the step at the beginning of a text, legal or not; None if it has no such form.

    A displacement without an origin starts from the `active` pawn.
    """
    found = _NEXT.match(text)
    if found is None:
        return None

    def cell(name: str) -> int:
        return board.indices.get(found[name] or "", NOWHERE)

    if found["pass"]:
        return PASS
    if found["put"]:
        return Action("put", cell("put"), cell("to"))
    if found["remove"]:
        return Action("remove", cell("remove"))
    for kind in _ON_A_CELL:
        if found[kind]:
            return Action(kind, target=cell(kind))
    origin = cell("origin") if found["origin"] else active
    if found["sign"] == "=":
        return Action("swap", origin, cell("target"))
    takes = 1 if found["takes"] else 0  # only whether it captures matters, not what
    return Action("move", origin, cell("target"), takes, by=found["by"])


# ---- positions --------------------------------------------------------------------------------


def write_position(module: RulesModule, words: Words, begun: str = "") -> str:
    """Return the text of a position; inside a move, followed by the text `begun` of the move."""
    w, b, r = words
    text = join_position(module.board(r), w, b, "wb"[r & 1], module.write_fields(w, b, r))
    return f"{text} ({begun}…)" if r & module.MIDTURN else text


def join_position(board: Board, w: int, b: int, side: str, fields: list[str]) -> str:
    """Return the text of a position from its parts, valid or not."""
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
    """Tell whether a text has the form of a position, valid or not."""
    return _POSITION.fullmatch(text) is not None


def read_position(module: RulesModule, word: int, text: str) -> Words:
    """Return the words of a position's text under some options; raise DamierError if invalid."""
    if not isinstance(text, str):
        raise DamierError("position-type", type=type(text).__name__)
    parts = text.split(" ")
    if len(parts) != 2 + len(module.FIELDS):
        raise DamierError(
            "position-parts",
            found=len(parts),
            expected=2 + len(module.FIELDS),
            parts=" ".join(("rows", "side", *module.FIELDS)),
        )
    w, b = _read_rows(module.board(word), parts[0])
    most = module.pawns(word)
    for side, pawns in (("w", w), ("b", b)):
        if pawns.bit_count() > most:
            raise DamierError("position-pawns", side=side, count=pawns.bit_count(), most=most)
    if parts[1] not in ("w", "b"):
        raise DamierError("position-side", side=parts[1])
    r = word | "wb".index(parts[1])
    return w, b, _read_fields(module, w, b, r, parts[2:])


def _read_fields(module: RulesModule, w: int, b: int, r: int, fields: list[str]) -> int:
    """Return the third word with the fields of a position's text; raise DamierError if invalid.

    Fields must be as they are written, and kings must be pawns.
    """
    try:
        r = module.read_fields(w, b, r, fields)
        written = module.write_fields(w, b, r)
        kings = module.promoted(w, b, r) & ~(w | b)
    except DamierError:
        raise
    except Exception as error:  # a custom game may be less careful
        problem = f"{type(error).__name__}: {error}"
        raise DamierError("position-fields", fields=" ".join(fields), problem=problem) from error
    if written != fields:
        raise DamierError(
            "position-fields-order", fields=" ".join(fields), written=" ".join(written)
        )
    if kings:
        raise DamierError("no-pawn", cells=module.board(r).write_cells(kings))
    return r


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
