"""Checks of what the functions of rules return: types, cells and keys of texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from damier.games.board import Board
from damier.games.static_checks import annotation, is_int
from damier.games.steps import NOWHERE, Action, Note
from damier.i18n import Translated

# Return types whose names in the contract say little to an inventor: the text about each.
_TYPE_TEXTS = {
    "Words": "type.words",
    "int": "type.int",
    "bool": "type.bool",
    "str": "type.str",
    "Note | None": "type.note",
    "list[Note]": "type.notes",
    "list[str]": "type.fields",
    "tuple[int, int] | None": "type.hands",
    "tuple[tuple[int, int], ...]": "type.pairs",
}


def _optional(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or fits(value)


def is_words(value: Any) -> bool:
    """Tell whether a value is a tuple of three whole numbers."""
    return isinstance(value, tuple) and len(value) == 3 and all(is_int(x) for x in value)


def is_pairs(value: Any) -> bool:
    """Tell whether a value is a tuple of pairs of whole numbers."""
    return isinstance(value, tuple) and all(
        isinstance(x, tuple) and len(x) == 2 and all(map(is_int, x)) for x in value
    )


def is_note(value: Any) -> bool:
    """Tell whether a value is a note with a key and named details."""
    return (
        isinstance(value, Note)
        and isinstance(value.key, str)
        and isinstance(value.details, dict)
        and all(isinstance(name, str) for name in value.details)
    )


# Checks of return values. Where the contract says bool, kernels only test for 0.
RETURN_CHECKS: dict[str, Callable[[Any], bool]] = {
    "board": lambda value: isinstance(value, Board),
    "start": is_words,
    "play": is_words,
    "legal": is_int,
    "describe": lambda value: isinstance(value, Action),
    "pawns": is_int,
    "hands": _optional(
        lambda value: isinstance(value, tuple) and len(value) == 2 and all(map(is_int, value))
    ),
    "superfluous": lambda value: isinstance(value, int),
    "repeatable": lambda value: isinstance(value, int),
    "repeated": is_int,
    "superko": lambda value: isinstance(value, int),
    "shut_in": is_int,
    "write_fields": lambda value: (
        isinstance(value, list) and all(isinstance(x, str) and x and " " not in x for x in value)
    ),
    "read_fields": is_int,
    "transformed": is_int,
    "must": lambda value: isinstance(value, str),
    "shown": is_int,
    "promoted": is_int,
    "resting": is_int,
    "barred": is_pairs,
    "notes": lambda value: isinstance(value, list) and all(map(is_note, value)),
    "reminder": _optional(is_note),
    "why": _optional(is_note),
}


def type_text(name: str) -> object:
    """Return the type that a function of the contract returns, for a message."""
    declared = str(annotation(name))
    return Translated(_TYPE_TEXTS[declared]) if declared in _TYPE_TEXTS else declared


# Per kind of step: whether it names an origin, and a target.
STEP_CELLS = {
    "place": (False, True),
    "move": (True, True),
    "swap": (True, True),
    "put": (True, True),
    "drop": (False, True),
    "take": (False, True),
    "remove": (True, False),
    "stop": (False, False),
    "pass": (False, False),
}


def has_its_cells(board: Board, action: Action) -> bool:
    """Tell whether an action names the cells that its kind needs, and only cells of the board."""
    for named, cell in zip(STEP_CELLS[action.kind], (action.origin, action.target), strict=True):
        if not is_int(cell) or _is_cell(board, cell) != named:
            return False
    return is_pairs(action.puts) and all(
        _is_cell(board, cell) and (to == NOWHERE or _is_cell(board, to)) for cell, to in action.puts
    )


def _is_cell(board: Board, cell: int) -> bool:
    return cell >= 0 and board.cells >> cell & 1 == 1


def action_text(action: Action) -> str:
    """Return an action as an inventor would write it, without the fields that are left out."""
    plain = Action(action.kind)._asdict()
    given = [f"{k}={v!r}" for k, v in action._asdict().items() if k != "kind" and v != plain[k]]
    return f"Action({', '.join([repr(action.kind), *given])})"
