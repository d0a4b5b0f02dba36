"""Why a step or a turn is refused: one sentence, the same in the terminal, on the page, in Python.

What all games have in common is told from the legal steps; a game's own rules, from its `why`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from damier import notation
from damier.errors import DamierError
from damier.games.steps import NOWHERE, Action, Note
from damier.lang import say_of
from damier.notation import Reading
from damier.position import Position

_SHOWN = 6  # of the legal turns, how many a message names


@dataclass(frozen=True)
class Reason:
    """Why a step is not allowed; as text, the sentence in the language in use."""

    game: str
    key: str
    details: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, position: Position, note: Note) -> Reason:
        """Return the reason that rules have noted, with its cells by name."""
        return cls(position.rules.name, note.key, named(position, note))

    def __str__(self) -> str:
        return say_of(self.game, f"why.{self.key}", **self.details)


class Refused(DamierError):
    """A turn that is not legal: which, why, and what could be played instead."""

    def __str__(self) -> str:
        return say_of("", "error.refused", **self.details)


def named(position: Position, note: Note) -> dict[str, str]:
    """Return what a note names, with cells by their names."""
    board = position.rules.board
    details = {}
    for key, value in note.details.items():
        if key.endswith("cell") and isinstance(value, int):
            details[key] = board.names[value] if value != NOWHERE else ""
        elif key.endswith("cells") and isinstance(value, int):
            details[key] = ", ".join(board.sorted_names(value))
        else:
            details[key] = str(value)
    return details


def refusal(position: Position, text: str) -> DamierError:
    """Return the error to raise for a text that is not a legal turn of a position."""
    if position.over:
        return DamierError("over")
    file, board = position.rules.file, position.rules.board
    here = Reading(position.begun, (), position.words)
    if not notation.looks_like_a_turn(text):
        return DamierError("turn-form", text=_short(text), turns=_some(position, here))
    for cell in notation.cells_named(text):
        if cell not in board.indices:
            return DamierError("turn-cell", text=text, cell=cell)
    _, farthest = notation.read_turn(file, position.words, position.begun, text)
    rest = text.removeprefix(farthest.written)
    unfinished = not farthest.steps or farthest.words[2] & file.MIDTURN
    ways = _some(position, farthest, rest) if unfinished else ""
    if ways:
        return DamierError("turn-unfinished", text=text, turns=ways)
    other = notation.other_order(text)
    if other and notation.read_turn(file, position.words, position.begun, other)[0]:
        return DamierError("turn-order", text=text, turn=other)
    active = _active(position, farthest)
    if farthest.steps and (active != NOWHERE or rest[0] not in "-="):
        return _goes_wrong(position, farthest, text, active)
    moved = notation.displacement_of(text)
    ways = _some(position, here, moved) if moved != text else ""
    if ways:  # the pawn may go there, but what it pushes goes elsewhere
        return DamierError("turn-goes-wrong", text=text, begun=moved, why="", turns=ways)
    reason = _why_text(position, text, NOWHERE)
    first = notation.cells_named(text)[:1]
    turns = _some(position, here, first[0]) if first else ""
    return Refused(reason.key, text=text, why=reason, turns=turns or _some(position, here))


def _goes_wrong(position: Position, begun: Reading, text: str, active: int) -> DamierError:
    """Return the error for a text that begins as a legal turn and goes on otherwise."""
    here = Position(position.rules, *begun.words, begun.written)
    why: Reason | str = ""
    turns = begun.written  # a whole turn is written, and more
    if here.unfinished:
        why = _why_text(here, text.removeprefix(begun.written), active)
        turns = _some(position, begun)
    return DamierError("turn-goes-wrong", text=text, begun=begun.written, why=why, turns=turns)


def why(position: Position, tried: Action) -> Reason:
    """Return why a step, which is not legal, is not."""
    return Reason.of(position, _why(position, tried))


def why_not(position: Position, origin: str | None, target: str) -> Reason:
    """Return why nothing happens when a player chooses a cell, perhaps after another.

    `origin` is the pawn chosen before, if any; the position may be inside a turn.
    """
    board = position.rules.board
    for name in (origin, target):
        if name is not None and name not in board.indices:
            raise DamierError("cell", name=name)
    kinds = {action.kind for action in _legal(position)}
    to, from_ = board.indices[target], NOWHERE if origin is None else board.indices[origin]
    if "put" in kinds:
        return why(position, Action("put", from_, to))
    if kinds & {"place", "drop"} and from_ in (NOWHERE, to):
        return why(position, Action("place" if "place" in kinds else "drop", target=to))
    if from_ in (NOWHERE, to):
        return why(position, Action("move", to))
    return why(position, Action("move", from_, to))


def _why_text(position: Position, text: str, active: int) -> Reason:
    """Return why the step that a text begins with is not legal."""
    tried = notation.read_attempt(position.rules.board, text, active)
    return why(position, tried if tried is not None else Action("move"))


def _why(position: Position, tried: Action) -> Note:
    kind, target = tried.kind, tried.target
    legal = _legal(position)
    kinds = {action.kind for action in legal}
    held = position.white | position.black
    closed = position.white & position.black
    taken = target != NOWHERE and bool((held & ~closed) >> target & 1)
    if kind == "pass":
        return Note("no-pass")
    if kind == "drop" and kinds != {"drop"}:
        return Note("no-drop")
    if kind == "drop":
        return Note("drop-occupied", {"cell": target}) if taken else Note("brings-back")
    if kinds == {"pass"}:
        return Note("must-pass")
    if kinds == {"drop"}:
        return Note("must-drop")
    if kind == "place" and "place" not in kinds:
        return Note("no-placement")
    if kind == "place":
        return Note("occupied" if taken else "place-closed", {"cell": target})
    if kinds == {"place"}:
        return Note("must-place")
    if "put" in kinds:
        return _why_put(position, tried, {a.origin for a in legal}, taken)
    return _why_move(position, tried, {a.origin for a in legal}, taken)


def _why_put(position: Position, tried: Action, origins: set[int], taken: bool) -> Note:
    """Return why an enemy pawn cannot be put somewhere."""
    if tried.kind != "put" or tried.origin not in origins:
        return Note("put-which")
    if tried.origin == tried.target:
        return Note("put-same")
    if taken:
        return Note("occupied", {"cell": tried.target})
    own = position.rules.file.why(*position.words, tried)
    return own or Note("put-closed", {"cell": tried.target})


def _why_move(position: Position, tried: Action, origins: set[int], taken: bool) -> Note:
    """Return why a pawn cannot go somewhere, or why it cannot be chosen."""
    file, words = position.rules.file, position.words
    origin, target = tried.origin, tried.target
    own, enemy = (
        (position.white, position.black)
        if position.side == "w"
        else (position.black, position.white)
    )
    own, enemy = own & ~enemy, enemy & ~own
    if origin == NOWHERE or not (own | enemy) >> origin & 1:
        if position.unfinished and origin != NOWHERE:  # a cell, while one pawn is in play
            active = next(iter(origins - {NOWHERE}), NOWHERE)
            return file.why(*words, Action("move", active, origin)) or Note("chain")
        return Note("empty", {"cell": origin})
    if position.unfinished and target == NOWHERE:
        return Note("active" if origin in origins else "chain", {"cell": origin})
    if enemy >> origin & 1:
        return Note("enemy-pawn", {"cell": origin})
    if target != NOWHERE and own >> target & 1:
        return Note("own-pawn", {"cell": target})
    found = file.why(*words, tried)
    if found is not None:
        return found
    if tried.kind == "move" and taken:
        return Note("occupied", {"cell": target})
    must = file.must(*words)
    if must and not tried.takes and not tried.by:
        return Note(f"must-{must}-with" if target == NOWHERE else f"must-{must}")
    return Note("stuck" if target == NOWHERE else "illegal", {"cell": origin})


def _legal(position: Position) -> list[Action]:
    file, words = position.rules.file, position.words
    return [file.describe(*words, step) for step in notation.legal_steps(file, words)]


def _active(position: Position, reading: Reading) -> int:
    """Return the cell of the pawn that the last displacement of a turn under way has moved."""
    file, words, active = position.rules.file, position.words, NOWHERE
    for step in reading.steps:
        action = file.describe(*words, step)
        active = action.target if action.kind == "move" else active
        words = file.play(*words, step)
    return active


def _some(position: Position, here: Reading, first: str = "") -> str:
    turns = notation.some_turns(position.rules.file, here, _SHOWN + 1, first)
    return ", ".join(turns[:_SHOWN]) + (" …" if len(turns) > _SHOWN else "")


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}…"
