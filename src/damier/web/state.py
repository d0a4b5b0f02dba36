"""A game as the page shows it: what stands where, what may be clicked, how it ended.

No rule is decided here. Steps come from the game's file; what a step does is read off the
positions before and after it and off its text, which all games write in one notation.
"""

import re
from functools import lru_cache
from typing import Any

from damier.game import Game
from damier.games import Words
from damier.games.board import Board
from damier.lang import say
from damier.rules import Position, Result, Rules

# How many steps an answer lists before it leaves the rest to be asked for: some milliseconds.
MOST_STEPS = 160

_CELL = r"[a-u]\d\d?"
_SHAPES = (
    ("put", re.compile(rf",({_CELL})>({_CELL})")),
    ("drop", re.compile(rf"@()({_CELL})")),
    ("place", re.compile(rf"\+?()({_CELL})(?:x{_CELL})*")),
    ("swap", re.compile(rf"({_CELL})=({_CELL})")),
    ("move", re.compile(rf"({_CELL}|)-({_CELL})([AW]?)(?:x{_CELL})*(?:,{_CELL}>(?:{_CELL})?)?")),
)


def board_out(board: Board) -> dict[str, Any]:
    """Return the description of a board."""
    return _board_out(board.ranks, board.files, board.cells, _Held(board))


class _Held:
    """A board as a cache's argument that makes no difference: mappings have no hash."""

    def __init__(self, board: Board) -> None:
        self.board = board

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held) and other.board is self.board

    def __hash__(self) -> int:
        return id(self.board)


@lru_cache(maxsize=64)
def _board_out(ranks: int, files: int, cells: int, held: _Held) -> dict[str, Any]:
    board = held.board
    names = board.names
    return {
        "ranks": ranks,
        "files": files,
        "cells": cells_of(board, cells),
        "lines": [(names[i], names[j]) for i, j in board.lines],
        "places": {name: cells_of(board, bits) for name, bits in board.places.items()},
        "arrows": [(names[i], names[j]) for i, j in board.arrows],
    }


def cells_of(board: Board, bits: int) -> list[str]:
    """Return the names of some cells."""
    return [name for i, name in enumerate(board.names) if bits >> i & 1]


def state_out(game: Game, begun: tuple[int, ...] = ()) -> dict[str, Any]:
    """Return a game as it stands, with the steps that may follow those of a turn under way."""
    position, rules = game.position, game.rules
    result = game.result()
    fields = dict(zip(rules.file.FIELDS, str(position).split(" ")[2:], strict=True))
    return {
        "game": rules.name,
        "options": dict(rules.changed),
        "board": board_out(rules.board),
        "start": str(game.start),
        "ply": game.ply,
        "position": str(position),
        "side": position.side,
        "fields": fields,
        "hands": hands(position, fields),
        "pawns": rules.pawns,
        "occurrences": game.occurrences(),
        "result": result_out(result, position) if result else None,
        "steps": [] if result else steps_out(game, begun),
        "last": last_out(game),
        "before": str(game.at(game.ply - 1).position) if game.ply else None,
    }


def hands(position: Position, fields: dict[str, str]) -> dict[str, int] | None:
    """Return how many pawns each side has in hand, or None where pawns are never placed."""
    if "white-hand" in fields:
        return {"w": int(fields["white-hand"]), "b": int(fields["black-hand"])}
    if not hasattr(position.rules.file, "PLACE"):
        return None
    most = position.rules.pawns
    in_hand = {"w": most - position.white.bit_count(), "b": most - position.black.bit_count()}
    if fields.get("drop", "-") != "-":
        in_hand[position.side] -= 1
    return in_hand


def result_out(result: Result, position: Position) -> dict[str, Any]:
    """Return how a game ended, in words and with the pawns that show it."""
    return {
        "winner": result.winner,
        "reason": result.reason,
        "text": say(f"result.{result.winner or 'draw'}", reason=reason_text(result, position)),
        "cells": cells_of(position.rules.board, pattern(result, position)),
    }


def reason_text(result: Result, position: Position) -> str:
    """Return the reason in words: Seega's ends count the pawns."""
    if position.rules.name == "seega" and result.reason in ("blocked", "stalled", "repetition"):
        return say(f"reason.{result.reason}.count")
    return say(f"reason.{result.reason}")


def pattern(result: Result, position: Position) -> int:
    """Return the cells of the winning pattern, or of those who are blocked."""
    own = position.black if result.winner == "b" else position.white
    if result.reason in ("line", "figure", "square", "block"):
        return own
    if result.reason == "blocked":
        return position.black if position.side == "b" else position.white
    if result.reason == "barrier":
        file: Any = position.rules.file
        return sum(
            {
                line
                for line, one, other in zip(
                    file.LINES, file.ONE_SIDE, file.OTHER_SIDE, strict=True
                )
                for mine, theirs in (
                    (position.white, position.black),
                    (position.black, position.white),
                )
                if not line & ~mine and not (theirs & one and theirs & other)
                and (line | one | other) == position.rules.board.cells
            }
        )  # fmt: skip
    return 0


def steps_out(game: Game, begun: tuple[int, ...]) -> list[dict[str, Any]]:
    """Return the steps that may follow, each with what may follow it, breadth first."""
    position = game.position
    for number in begun:
        position = position.step(number)
    allowed = None
    if not game.rules.file.returning(position.rest):
        allowed = {t.steps[:n] for t in game.turns() for n in range(1, len(t.steps) + 1)}
    lister = _Lister(game, allowed)
    found = lister.steps(begun, position.words, position.begun)
    open_ = [(begun, position.begun, step) for step in found]
    while open_ and lister.count < MOST_STEPS:
        before, written, step = open_.pop(0)
        if step["turn"] is None:
            path, text = (*before, step["step"]), written + step["text"]
            step["then"] = lister.steps(path, lister.after[path], text)
            open_.extend((path, text, after) for after in step["then"])
            # Where few of many could be listed, none need be: Seega's pairs, say.
            if len(step["then"]) * sum(s["turn"] is None for *_, s in open_) > 2 * MOST_STEPS:
                break
    return found


class _Lister:
    """Lists steps and remembers how many, and where each path of them leads."""

    def __init__(self, game: Game, allowed: set[tuple[int, ...]] | None) -> None:
        self.game, self.rules, self.allowed = game, game.rules, allowed
        self.after: dict[tuple[int, ...], Words] = {}
        self.count = 0
        self._texts: dict[Words, str] | None = None

    def steps(self, path: tuple[int, ...], words: Words, written: str) -> list[dict[str, Any]]:
        """Return the legal steps after a path of steps."""
        file = self.rules.file
        legal = [0] * file.GROUPS
        file.legal(*words, legal)
        found = []
        for group, cells in enumerate(legal):
            while cells:
                number = 64 * group + (cells & -cells).bit_length() - 1
                cells &= cells - 1
                longer = (*path, number)
                if self.allowed is not None and longer not in self.allowed:
                    continue
                after = self.after[longer] = file.play(*words, number)
                step = step_out(self.rules, words, number, after)
                if not after[2] & file.MIDTURN:
                    text = written + step["text"]
                    step["turn"] = (
                        self._canonical(after) if file.superfluous(words[2], number) else text
                    )
                found.append(step)
        self.count += len(found)
        return found

    def _canonical(self, after: Words) -> str:
        """Return the text of a turn whose steps were taken in another order than it is written."""
        if self._texts is None:
            self._texts = {turn.words: turn.text for turn in self.game.turns()}
        return self._texts[after]


def step_out(rules: Rules, words: Words, number: int, after: Words) -> dict[str, Any]:
    """Return what a step does."""
    text = rules.file.step_text(*words, number)
    kind, origin, target, by = read_step(text)
    if kind == "move" and origin is None:
        origin = rules.board.names[_pawn_in_play(rules, words, after)]
    names = rules.board.names
    # Where both sides' bits are set the cell is empty, and closed to the pawn in play.
    (w, b), (w2, b2) = ((x & ~y, y & ~x) for x, y in (words[:2], after[:2]))
    changed = (w ^ w2) | (b ^ b2)
    marks = {
        name: "wb"[b2 >> i & 1] if (w2 | b2) >> i & 1 else "."
        for i, name in enumerate(names)
        if changed >> i & 1
    }
    enemy, enemy2 = (b, b2) if words[2] & 1 == 0 else (w, w2)
    taken = enemy & ~enemy2 if enemy.bit_count() > enemy2.bit_count() else 0
    return {
        "step": number,
        "text": text,
        "kind": kind,
        "origin": origin,
        "target": target,
        "by": by,
        "takes": [name for i, name in enumerate(names) if taken >> i & 1],
        "set": marks,
        "closed": [name for i, name in enumerate(names) if (after[0] & after[1]) >> i & 1],
        "turn": None,
        "then": None,
    }


def _pawn_in_play(rules: Rules, words: Words, after: Words) -> int:
    """Return the cell that the pawn in play leaves."""
    own, own2 = (w & ~b for w, b in ((words[:2]), after[:2]))
    if words[2] & 1:
        own, own2 = (b & ~w for w, b in ((words[:2]), after[:2]))
    return (own & ~own2).bit_length() - 1


def read_step(text: str) -> tuple[str, str | None, str | None, str | None]:
    """Return a step's kind, where it starts, where it goes, and by approach or withdrawal."""
    if text in ("", "--"):
        return ("stop" if text == "" else "pass"), None, None, None
    for kind, shape in _SHAPES:
        match = shape.fullmatch(text)
        if match:
            by = match[3] if kind == "move" else ""
            return kind, match[1] or None, match[2], by or None
    raise ValueError(text)


def last_out(game: Game) -> list[dict[str, Any]]:
    """Return the steps of the last turn, to follow it."""
    if not game.ply:
        return []
    words, found = game.at(game.ply - 1).position.words, []
    for number in game.turns_played[-1].steps:
        after = game.rules.file.play(*words, number)
        found.append(step_out(game.rules, words, number, after))
        words = after
    return found
