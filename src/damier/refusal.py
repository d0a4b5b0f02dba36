"""Why a step or a turn is refused: one sentence, the same in the terminal, on the page, in Python.

What all games have in common is told from the legal steps; a game's own rules, from its `why`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from damier import notation
from damier.errors import DamierError
from damier.games import RulesFile, Words
from damier.games.steps import NOWHERE, Action, Note
from damier.lang import say_of
from damier.notation import Reading

_SHOWN = 6  # of the legal turns, how many a message names
_LOOKED = 5000  # turns, for those that end with what was written


@dataclass(frozen=True)
class Reason:
    """Why a step is not allowed; as text, the sentence in the language in use."""

    game: str
    key: str
    details: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, file: RulesFile, words: Words, note: Note) -> Reason:
        """Return the reason that rules have noted, with its cells by name."""
        return cls(file.NAME, note.key, named(file, words, note))

    def __str__(self) -> str:
        return say_of(self.game, f"why.{self.key}", **self.details)


class Refused(DamierError):
    """A turn that is not legal: which, why, and what could be played instead."""

    def __str__(self) -> str:
        return say_of("", "error.refused", **self.details)


def named(file: RulesFile, words: Words, note: Note) -> dict[str, str]:
    """Return what a note names, with cells by their names."""
    board = file.board(words[2])
    details = {}
    for key, value in note.details.items():
        if key.endswith("cell") and isinstance(value, int):
            details[key] = board.names[value] if value != NOWHERE else ""
        elif key.endswith("cells") and isinstance(value, int):
            details[key] = ", ".join(board.sorted_names(value))
        else:
            details[key] = str(value)
    return details


def refusal(file: RulesFile, here: Reading, text: str) -> DamierError:
    """Return the error to raise for a text that is not a legal turn from somewhere."""
    if file.legal(*here.words, [0] * file.GROUPS):
        return DamierError("over")
    if not notation.looks_like_a_turn(text):
        return DamierError("turn-form", text=_short(text), turns=_some(file, here))
    for cell in notation.cells_named(text):
        if cell not in file.board(here.words[2]).indices:
            return DamierError("turn-cell", text=text, cell=cell)
    _, farthest = notation.read_turn(file, here, text)
    rest = text.removeprefix(farthest.written)
    unfinished = not farthest.steps or farthest.words[2] & file.MIDTURN
    ways = _ways(file, here, farthest, rest) if unfinished else ""
    if ways:
        return DamierError("turn-unfinished", text=text, turns=ways)
    other = notation.other_order(text)
    if other and notation.read_turn(file, here, other)[0]:
        return DamierError("turn-order", text=text, turn=other)
    active = _active(file, here.words, farthest.steps)
    if farthest.steps and (active != NOWHERE or rest[0] not in "-="):
        return _goes_wrong(file, here, farthest, text, active)
    moved = notation.displacement_of(text)
    ways = _some(file, here, moved) if moved != text else ""
    if ways:  # the pawn may go there, but what it pushes goes elsewhere
        return DamierError("turn-goes-wrong", text=text, begun=moved, why="", turns=ways)
    reason = _why_text(file, here.words, text, NOWHERE)
    first = notation.cells_named(text)[:1]
    turns = _some(file, here, first[0]) if first else ""
    return Refused(reason.key, text=text, why=reason, turns=turns or _some(file, here))


def _goes_wrong(
    file: RulesFile, here: Reading, begun: Reading, text: str, active: int
) -> DamierError:
    """Return the error for a text that begins as a legal turn and goes on otherwise."""
    why: Reason | str = ""
    turns = begun.written  # a whole turn is written, and more
    if begun.words[2] & file.MIDTURN:
        why = _why_text(file, begun.words, text.removeprefix(begun.written), active)
        turns = _ways(file, here, begun)
    return DamierError("turn-goes-wrong", text=text, begun=begun.written, why=why, turns=turns)


def why(file: RulesFile, words: Words, tried: Action) -> Reason:
    """Return why a step, which is not legal, is not."""
    return Reason.of(file, words, _why(file, words, tried))


def why_not(file: RulesFile, words: Words, origin: str | None, target: str) -> Reason:
    """Return why nothing happens when a player chooses a cell, perhaps after another.

    `origin` is the pawn chosen before, if any; the position may be inside a turn.
    """
    board = file.board(words[2])
    for name in (origin, target):
        if name is not None and name not in board.indices:
            raise DamierError("cell", name=name)
    kinds = {action.kind for action in _legal(file, words)}
    to, from_ = board.indices[target], NOWHERE if origin is None else board.indices[origin]
    if "put" in kinds:
        return why(file, words, Action("put", from_, to))
    if "take" in kinds:
        return why(file, words, Action("take", target=to))
    if from_ not in (NOWHERE, to):
        return why(file, words, Action("move", from_, to))
    if "place" in kinds:
        return why(file, words, Action("place", target=to))
    if "drop" in kinds:
        return why(file, words, Action("drop", target=to))
    return why(file, words, Action("move", to))


def _why_text(file: RulesFile, words: Words, text: str, active: int) -> Reason:
    """Return why the step that a text begins with is not legal."""
    tried = notation.read_attempt(file.board(words[2]), text, active)
    return why(file, words, tried if tried is not None else Action("move"))


def _why(file: RulesFile, words: Words, tried: Action) -> Note:
    kind, target = tried.kind, tried.target
    legal = _legal(file, words)
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
        return file.why(*words, tried) or Note("must-take")
    if kind == "place" and "place" not in kinds:
        return Note("no-placement")
    if kind == "place":
        return Note("occupied" if taken else "place-closed", {"cell": target})
    if kinds == {"place"}:
        return Note("must-place")
    origins = {action.origin for action in legal if action.origin != NOWHERE}
    if "put" in kinds:
        return _why_put(file, words, tried, origins, taken)
    return _why_move(file, words, tried, origins, taken)


def _why_put(file: RulesFile, words: Words, tried: Action, origins: set[int], taken: bool) -> Note:
    """Return why an enemy pawn cannot be put somewhere."""
    if tried.kind != "put" or tried.origin not in origins:
        return Note("put-which")
    if tried.origin == tried.target:
        return Note("put-same")
    if taken:
        return Note("occupied", {"cell": tried.target})
    return file.why(*words, tried) or Note("put-closed", {"cell": tried.target})


def _why_move(file: RulesFile, words: Words, tried: Action, origins: set[int], taken: bool) -> Note:
    """Return why a pawn cannot go somewhere, or why it cannot be chosen."""
    w, b, r = words
    origin, target = tried.origin, tried.target
    # Where both sides' bits are set the cell is empty, and closed to the pawn in play.
    own, enemy = (w & ~b, b & ~w) if r & 1 == 0 else (b & ~w, w & ~b)
    begun = r & file.MIDTURN != 0
    if origin == NOWHERE or not (own | enemy) >> origin & 1:
        if begun and origin != NOWHERE:  # a cell is chosen while one pawn is in play
            active = next(iter(origins), NOWHERE)
            return file.why(w, b, r, Action("move", active, origin)) or Note("chain")
        return Note("empty", {"cell": origin})
    if begun and target == NOWHERE:
        return Note("active" if origin in origins else "chain", {"cell": origin})
    if enemy >> origin & 1:
        return Note("enemy-pawn", {"cell": origin})
    if target != NOWHERE and own >> target & 1:
        return Note("own-pawn", {"cell": target})
    found = file.why(w, b, r, tried)
    if found is not None:
        return found
    if tried.kind == "move" and taken:
        return Note("occupied", {"cell": target})
    must = file.must(w, b, r)
    if must and not tried.takes and not tried.by:
        return Note(f"must-{must}-with" if target == NOWHERE else f"must-{must}")
    return Note("stuck" if target == NOWHERE else "illegal", {"cell": origin})


def _legal(file: RulesFile, words: Words) -> list[Action]:
    return [file.describe(*words, step) for step in notation.legal_steps(file, words)]


def _active(file: RulesFile, words: Words, steps: tuple[int, ...]) -> int:
    """Return the cell of the pawn that the last displacement of a turn under way has moved."""
    active = NOWHERE
    for step in steps:
        action = file.describe(*words, step)
        active = action.target if action.kind == "move" else active
        words = file.play(*words, step)
    return active


def _some(file: RulesFile, here: Reading, first: str = "") -> str:
    return _shown(notation.some_turns(file, here, _SHOWN + 1, first))


def _ways(file: RulesFile, here: Reading, begun: Reading, rest: str = "") -> str:
    """Return how a turn that is begun may go on; where it is written last, turns that end so."""
    found = _some(file, begun, rest)
    if found or rest or not begun.steps:
        return found
    turns = notation.some_turns(file, here, _LOOKED)
    return _shown([turn for turn in turns if turn.endswith(begun.written)])


def _shown(turns: list[str]) -> str:
    return ", ".join(turns[:_SHOWN]) + (" …" if len(turns) > _SHOWN else "")


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}…"
