"""A game as the page shows it: what stands where, what may be clicked, how it ended.

No rule is decided here and no text is taken apart: everything comes from the game's rules.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import Any

from damier import notation
from damier.errors import DamierError
from damier.games import Words
from damier.games.board import Board
from damier.games.steps import NOWHERE, Action
from damier.history import Game
from damier.lang import say, say_of
from damier.position import Position, Result, Rules, Turn
from damier.refusal import named
from damier.symmetry import likeness

# How many steps an answer lists before it leaves the rest to be asked for: some milliseconds.
MOST_STEPS = 160


@cache
def board_out(board: Board) -> dict[str, Any]:
    """Return the description of a board."""
    names = board.names
    return {
        "ranks": board.ranks,
        "files": board.files,
        "cells": cells_of(board, board.cells),
        "at": {name: (i % board.files, i // board.files) for name, i in board.indices.items()},
        "lines": [(names[i], names[j]) for i, j in board.lines],
        "places": {name: cells_of(board, bits) for name, bits in board.places.items()},
        "arrows": [(names[i], names[j]) for i, j in board.arrows],
    }


def indices(bits: int) -> Iterator[int]:
    """Yield the indices of some cells."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def cells_of(board: Board, bits: int) -> list[str]:
    """Return the names of some cells."""
    return [board.names[i] for i in indices(bits)]


def pawns_out(position: Position) -> dict[str, str]:
    """Return what stands on each cell that is not empty: "w" or "b"."""
    names = position.rules.board.names
    w, b = position.white & ~position.black, position.black & ~position.white
    return {names[i]: "wb"[b >> i & 1] for i in indices(w | b)}


def likeness_of(position: Position) -> str:
    """Return what a position has in common with its images under the board's symmetries."""
    return likeness(position.rules.file, position.words)


def state_out(game: Game, begun: tuple[int, ...] = ()) -> dict[str, Any]:
    """Return a game as it stands, with the steps that may follow those of a turn under way."""
    position, rules = game.position, game.rules
    file, words, result = rules.file, game.position.words, game.result()
    hands, reminder = file.hands(*words), file.reminder(*words)
    before = game.at(game.ply - 1).position if game.ply else None
    names = rules.board.names
    return {
        "game": rules.name,
        "options": dict(rules.changed),
        "board": board_out(rules.board),
        "start": str(game.start),
        "ply": game.ply,
        "position": str(position),
        "side": position.side,
        "cells": pawns_out(position),
        "resting": cells_of(rules.board, file.resting(*words)),
        "barred": [(names[i], names[j]) for i, j in file.barred(*words)],
        "fields": dict(zip(file.FIELDS, file.write_fields(*words), strict=True)),
        "hands": None if hands is None else {"w": hands[0], "b": hands[1]},
        "pawns": rules.pawns,
        "captures": file.CAPTURES,
        "superko": game.superko,
        "must": "" if result else file.must(*words),
        "reminder": ""
        if result or reminder is None
        else say_of(rules.name, f"reminder.{reminder.key}", **named(file, words, reminder)),
        "occurrences": game.occurrences(),
        "result": result_out(result, position) if result else None,
        "steps": [] if result else steps_out(game, begun),
        "last": last_out(game),
        "mover": before.side if before else None,
        "movers": [position.side for position in game.positions[:-1]],
        "before": str(before) if before else None,
        "cells_before": pawns_out(before) if before else None,
    }


def result_out(result: Result, position: Position) -> dict[str, Any]:
    """Return how a game ended, in words and with the pawns that show it."""
    shown = 0
    if result.judgement:
        shown = position.rules.file.shown(*position.words, result.judgement)
    return {
        "winner": result.winner,
        "reason": result.reason,
        "text": result.sentence(),
        "cells": cells_of(position.rules.board, shown),
    }


def steps_out(game: Game, begun: tuple[int, ...]) -> list[dict[str, Any]]:
    """Return the steps that may follow, each with what may follow it, breadth first."""
    position = game.position
    for number in begun:
        position = position.step(number)
    allowed = None
    if game.superko:
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
            # Where few of many could be listed, none need be: pairs of placements, say.
            if len(step["then"]) * sum(s["turn"] is None for *_, s in open_) > 2 * MOST_STEPS:
                break
    return found


class _Lister:
    """Lists steps and remembers how many, and where each path of them leads."""

    def __init__(self, game: Game, allowed: set[tuple[int, ...]] | None) -> None:
        self.game, self.rules, self.allowed = game, game.rules, allowed
        self.after: dict[tuple[int, ...], Words] = {}
        self.count = 0

    def steps(self, path: tuple[int, ...], words: Words, written: str) -> list[dict[str, Any]]:
        """Return the legal steps after a path of steps."""
        file = self.rules.file
        found = []
        for number in notation.legal_steps(file, words):
            longer = (*path, number)
            if self.allowed is not None and longer not in self.allowed:
                continue
            after = self.after[longer] = file.play(*words, number)
            step = step_out(self.rules, words, number, after)
            if not after[2] & file.MIDTURN:
                step["turn"] = (
                    self.game.position.turn_of(longer).text
                    if file.superfluous(words[2], number)
                    else written + step["text"]
                )
            found.append(step)
        self.count += len(found)
        return found


def step_out(rules: Rules, words: Words, number: int, after: Words) -> dict[str, Any]:
    """Return what a step does, and what stands afterwards on the cells that it changes."""
    file, board = rules.file, rules.board
    action = file.describe(*words, number)
    # Where both sides' bits are set the cell is empty, and closed to the pawn in play.
    (w, b), (w2, b2) = ((x & ~y, y & ~x) for x, y in (words[:2], after[:2]))
    changed = (w ^ w2) | (b ^ b2)
    marks = {
        board.names[i]: "wb"[b2 >> i & 1] if (w2 | b2) >> i & 1 else "." for i in indices(changed)
    }
    return {
        "step": number,
        "text": notation.action_text(board, action, words[2] & file.MIDTURN != 0),
        **action_out(board, action),
        "set": marks,
        "closed": cells_of(board, after[0] & after[1]),
        "turn": None,
        "then": None,
    }


def action_out(board: Board, action: Action) -> dict[str, Any]:
    """Return what a step does, with its cells by name."""
    names = board.names
    return {
        "kind": action.kind,
        "origin": None if action.origin == NOWHERE else names[action.origin],
        "target": None if action.target == NOWHERE else names[action.target],
        "by": action.by or None,
        "takes": cells_of(board, action.takes),
        "puts": [(names[i], None if j == NOWHERE else names[j]) for i, j in action.puts],
    }


def actions_out(position: Position, steps: tuple[int, ...]) -> list[dict[str, Any]]:
    """Return what the steps of a turn do."""
    file, words, found = position.rules.file, position.words, []
    for number in steps:
        found.append(action_out(position.rules.board, file.describe(*words, number)))
        words = file.play(*words, number)
    return found


def last_out(game: Game) -> list[dict[str, Any]]:
    """Return the steps of the last turn, to follow it."""
    if not game.ply:
        return []
    return _followed(game.positions[game.ply - 1], game.turns_played[-1])


def _followed(position: Position, turn: Turn) -> list[dict[str, Any]]:
    """Return the steps of a turn and what each changes."""
    words, found = position.words, []
    for number in turn.steps:
        after = position.rules.file.play(*words, number)
        found.append(step_out(position.rules, words, number, after))
        words = after
    return found


def line_out(game: Game) -> dict[str, Any]:
    """Return a game from its first position to its last, to go through it or to look it up."""
    first, result = game.start, game.result()
    return {
        "board": board_out(game.rules.board),
        "side": first.side,
        "cells": pawns_out(first),
        "likeness": likeness_of(first),
        "turns": [
            {
                "turn": turn.text,
                "mover": before.side,
                "steps": _followed(before, turn),
                "likeness": likeness_of(turn.after),
            }
            for before, turn in zip(game.positions, game.turns_played, strict=False)
        ],
        "result": result_out(result, game.position) if result else None,
    }


def position_out(
    rules: Rules, cells: Mapping[str, str], side: str, fields: Mapping[str, str]
) -> dict[str, Any]:
    """Return the text of a position that someone sets up, and what is wrong with it, if anything.

    Fields that are not given are those of the start.
    """
    board, file = rules.board, rules.file
    pawns = {"w": 0, "b": 0}
    for name, mark in cells.items():
        if name not in board.indices:
            raise DamierError("cell", name=name)
        pawns[mark] |= 1 << board.indices[name]
    named = dict(zip(file.FIELDS, file.write_fields(*rules.start().words), strict=True))
    for name in fields.keys() - named.keys():
        problem = say("problem.extra_forbidden")
        raise DamierError("malformed", where=f"fields.{name}", problem=problem)
    refused: dict[str, dict[str, Any]] = {}  # by the key of what is wrong
    for values in _fitting(rules, pawns, {**named, **fields}):
        text = notation.join_position(board, pawns["w"], pawns["b"], side, values)
        found = {
            "position": text,
            "fields": dict(zip(file.FIELDS, values, strict=True)),
            "result": None,
            "problem": "",
        }
        try:
            position = rules.position(text)
        except DamierError as error:
            refused.setdefault(error.key, {**found, "problem": str(error)})
            continue
        result = Game(position).result()
        return {**found, "result": result_out(result, position) if result else None}
    # Where no hand fits, something else is wrong as well: that is told.
    return list(refused.values())[:2][-1]


# Fields that say how many pawns a side has still to place.
_HANDS = {"white-hand": "w", "black-hand": "b"}


def _fitting(
    rules: Rules, pawns: Mapping[str, int], fields: Mapping[str, str]
) -> Iterator[list[str]]:
    """Yield the values of the fields to try: pawns on the board are no longer in hand."""
    choices = []
    for name, value in fields.items():
        choices.append([value])
        if name in _HANDS:
            most = max(0, rules.pawns - pawns[_HANDS[name]].bit_count())
            if value.isdecimal() and int(value) > most:
                choices[-1] = [str(number) for number in range(most, -1, -1)]
    yield from (list(values) for values in product(*choices))
