"""Explanations of illegal moves, the same in the terminal, on the page and in Python.

Reasons that all games share follow from the legal steps; a game's own reasons come from `why`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from damier import notation
from damier.errors import DamierError
from damier.games import RulesModule, Words
from damier.games.steps import NOWHERE, Action, Note
from damier.i18n import translate_for_game
from damier.notation import Reading

_MAX_SHOWN = 6  # legal moves that a message names
_MAX_SEARCHED = 5000  # moves searched for those with a given ending


@dataclass(frozen=True)
class IllegalMoveReason:
    """Reason why a step is illegal; `str()` is a sentence in the language in use."""

    game: str
    key: str
    details: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, module: RulesModule, words: Words, note: Note) -> IllegalMoveReason:
        """Return the reason given by a note of the rules."""
        return cls(module.NAME, note.key, note_details(module, words, note))

    def __str__(self) -> str:
        return translate_for_game(self.game, f"why.{self.key}", **self.details)


class IllegalMoveError(DamierError):
    """Error about an illegal move: its text, the reason and some legal moves."""

    def __str__(self) -> str:
        return translate_for_game("", "error.refused", **self.details)


def note_details(module: RulesModule, words: Words, note: Note) -> dict[str, str]:
    """Return the details of a note as text, with cells by name."""
    board = module.board(words[2])
    details = {}
    for key, value in note.details.items():
        if key.endswith("cell") and isinstance(value, int):
            details[key] = board.names[value] if value != NOWHERE else ""
        elif key.endswith("cells") and isinstance(value, int):
            details[key] = ", ".join(board.sorted_names(value))
        else:
            details[key] = str(value)
    return details


def illegal_move_error(module: RulesModule, here: Reading, text: str) -> DamierError:
    """Return the error for a text that is not a legal move after `here`."""
    if module.legal(*here.words, [0] * module.GROUPS):
        return DamierError("over")
    if not notation.looks_like_a_move(text):
        return DamierError("turn-form", text=_shorten(text), turns=_list_some_moves(module, here))
    for cell in notation.cells_named(text):
        if cell not in module.board(here.words[2]).indices:
            return DamierError("turn-cell", text=text, cell=cell)
    _, farthest = notation.read_move(module, here, text)
    rest = text.removeprefix(farthest.written)
    unfinished = not farthest.steps or farthest.words[2] & module.MIDTURN
    ways = _continuations(module, here, farthest, rest) if unfinished else ""
    if ways:
        if all(way[:-1] == text and way[-1].isupper() for way in ways.split(", ")):
            reason = IllegalMoveReason.of(module, here.words, Note("ambiguous"))
            return DamierError("turn-ambiguous", text=text, why=reason, turns=ways)
        return DamierError("turn-unfinished", text=text, turns=ways)
    other = notation.other_order(text)
    if other and notation.read_move(module, here, other)[0]:
        return DamierError("turn-order", text=text, turn=other)
    active = _active(module, here.words, farthest.steps)
    if farthest.steps and (active != NOWHERE or rest[0] not in "-="):
        return _error_after_legal_steps(module, here, farthest, text, active)
    moved = notation.displacement_of(text)
    ways = _list_some_moves(module, here, moved) if moved != text else ""
    if ways:  # the displacement is legal, but not where other pawns are put
        return DamierError("turn-goes-wrong", text=text, begun=moved, why="", turns=ways)
    reason = _why_text(module, here.words, text, NOWHERE)
    first = notation.cells_named(text)[:1]
    moves = _list_some_moves(module, here, first[0]) if first else ""
    return IllegalMoveError(
        reason.key, text=text, why=reason, turns=moves or _list_some_moves(module, here)
    )


def _error_after_legal_steps(
    module: RulesModule, here: Reading, begun: Reading, text: str, active: int
) -> DamierError:
    """Return the error for a text whose beginning is legal steps and whose rest is not."""
    why = IllegalMoveReason(module.NAME, "ended")
    moves = begun.written  # a complete move, followed by more text
    if begun.words[2] & module.MIDTURN:
        why = _why_text(module, begun.words, text.removeprefix(begun.written), active)
        moves = _continuations(module, here, begun)
    return DamierError("turn-goes-wrong", text=text, begun=begun.written, why=why, turns=moves)


def why(module: RulesModule, words: Words, tried: Action) -> IllegalMoveReason:
    """Return why an illegal step is illegal."""
    return IllegalMoveReason.of(module, words, _why(module, words, tried))


def why_not(
    module: RulesModule, words: Words, origin: str | None, target: str
) -> IllegalMoveReason:
    """Return why a player cannot choose the cell `target`.

    `origin` is the cell chosen before, if any; the position may be inside a move.
    """
    board = module.board(words[2])
    for name in (origin, target):
        if name is not None and name not in board.indices:
            raise DamierError("cell", name=name)
    kinds = {action.kind for action in _legal(module, words)}
    to, from_ = board.indices[target], NOWHERE if origin is None else board.indices[origin]
    if "put" in kinds:
        return why(module, words, Action("put", from_, to))
    if "take" in kinds:
        return why(module, words, Action("take", target=to))
    if kinds == {"remove"}:
        return why(module, words, Action("remove", to))
    if from_ not in (NOWHERE, to):
        return why(module, words, Action("move", from_, to))
    if "place" in kinds:
        return why(module, words, Action("place", target=to))
    if "drop" in kinds:
        return why(module, words, Action("drop", target=to))
    return why(module, words, Action("move", to))


def _why_text(module: RulesModule, words: Words, text: str, active: int) -> IllegalMoveReason:
    """Return why the step at the beginning of a text is illegal."""
    tried = notation.read_attempt(module.board(words[2]), text, active)
    return why(module, words, tried if tried is not None else Action("move"))


def _why(module: RulesModule, words: Words, tried: Action) -> Note:
    kind, target = tried.kind, tried.target
    legal = _legal(module, words)
    kinds = {action.kind for action in legal}
    taken = target != NOWHERE and bool((words[0] ^ words[1]) >> target & 1)
    if kind == "pass":
        return Note("no-pass")
    if kind == "drop" and kinds != {"drop"}:
        return Note("no-drop")
    if kind == "drop":
        return Note("drop-occupied", {"cell": target})
    if kinds == {"pass"}:
        return Note("must-pass")
    if kinds == {"drop"}:
        return Note("must-drop")
    if kinds == {"take"}:
        return module.why(*words, tried) or Note("must-take")
    if kind == "remove" and "remove" not in kinds:
        return Note("no-removal")
    if kinds == {"remove"} and kind != "remove":
        return module.why(*words, tried) or Note("must-remove")
    if kind == "place" and "place" not in kinds:
        return Note("no-placement")
    if kind == "place":
        return Note("occupied" if taken else "place-closed", {"cell": target})
    if kinds == {"place"}:
        return Note("must-place")
    origins = {action.origin for action in legal if action.origin != NOWHERE}
    if "put" in kinds:
        return _why_put(module, words, tried, origins, taken)
    return _why_move(module, words, tried, origins, taken)


def _why_put(
    module: RulesModule, words: Words, tried: Action, origins: set[int], taken: bool
) -> Note:
    """Return why an enemy pawn cannot be put somewhere."""
    if tried.kind != "put" or tried.origin not in origins:
        return Note("put-which")
    if tried.origin == tried.target:
        return Note("put-same")
    if taken:
        return Note("occupied", {"cell": tried.target})
    return module.why(*words, tried) or Note("put-closed", {"cell": tried.target})


def _why_move(
    module: RulesModule, words: Words, tried: Action, origins: set[int], taken: bool
) -> Note:
    """Return why a pawn cannot be displaced to a cell, or cannot be chosen."""
    w, b, r = words
    origin, target = tried.origin, tried.target
    # Where both sides' bits are set the cell is empty, and closed to the pawn in play.
    own, enemy = (w & ~b, b & ~w) if r & 1 == 0 else (b & ~w, w & ~b)
    begun = r & module.MIDTURN != 0
    if origin == NOWHERE or not (own | enemy) >> origin & 1:
        if begun and origin != NOWHERE:  # a cell is chosen while one pawn is in play
            active = next(iter(origins), NOWHERE)
            return module.why(w, b, r, Action("move", active, origin)) or Note("chain")
        return Note("empty", {"cell": origin})
    if begun and target == NOWHERE:
        return Note("active" if origin in origins else "chain", {"cell": origin})
    if enemy >> origin & 1:
        return Note("enemy-pawn", {"cell": origin})
    if target != NOWHERE and own >> target & 1:
        return Note("own-pawn", {"cell": target})
    found = module.why(w, b, r, tried)
    if found is not None:
        return found
    if tried.kind == "move" and taken:
        return Note("occupied", {"cell": target})
    if tried.kind == "remove":
        return Note("removal-other", {"cell": origin})
    must = module.must(w, b, r)
    if must and not tried.takes and not tried.by:
        return Note(f"must-{must}-with" if target == NOWHERE else f"must-{must}")
    return Note("stuck" if target == NOWHERE else "illegal", {"cell": origin})


def _legal(module: RulesModule, words: Words) -> list[Action]:
    return [module.describe(*words, step) for step in notation.legal_steps(module, words)]


def _active(module: RulesModule, words: Words, steps: tuple[int, ...]) -> int:
    """Return the cell of the pawn that the last displacement moved."""
    active = NOWHERE
    for step in steps:
        action = module.describe(*words, step)
        active = action.target if action.kind == "move" else active
        words = module.play(*words, step)
    return active


def _list_some_moves(module: RulesModule, here: Reading, first: str = "") -> str:
    return _format_moves(notation.some_moves(module, here, _MAX_SHOWN + 1, first))


def _continuations(module: RulesModule, here: Reading, begun: Reading, rest: str = "") -> str:
    """Return continuations of a begun move; if there are none, moves that end with its text."""
    found = _list_some_moves(module, begun, rest)
    if found or rest or not begun.steps:
        return found
    moves = notation.some_moves(module, here, _MAX_SEARCHED)
    return _format_moves([move for move in moves if move.endswith(begun.written)])


def _format_moves(moves: list[str]) -> str:
    return ", ".join(moves[:_MAX_SHOWN]) + (" …" if len(moves) > _MAX_SHOWN else "")


def _shorten(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}…"
