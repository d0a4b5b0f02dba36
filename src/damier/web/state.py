"""Descriptions of games, positions and moves in JSON: cells, legal steps, results.

Everything comes from the game's rules: this module decides no rule and parses no text.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import Any

from damier import notation
from damier.errors import DamierError
from damier.gameplay import Game
from damier.games import Words
from damier.games.board import Board
from damier.games.steps import NOWHERE, Action
from damier.i18n import translate, translate_for_game
from damier.illegal_moves import note_details
from damier.position import Move, Position, Result, Rules
from damier.symmetry import symmetry_key

# How many steps a response lists, which takes some milliseconds; the page requests further ones.
MAX_STEPS = 160


@cache
def describe_board(board: Board) -> dict[str, Any]:
    """Return the description of a board."""
    names = board.names
    return {
        "ranks": board.ranks,
        "files": board.files,
        "cells": cell_names(board, board.cells),
        "hexagonal": board.hexagonal,
        "width": _round_point(board.extent)[0],
        "height": _round_point(board.extent)[1],
        "at": {name: _round_point(board.middles[i]) for name, i in board.indices.items()},
        "lines": [(names[i], names[j]) for i, j in board.lines],
        "places": {name: cell_names(board, bits) for name, bits in board.places.items()},
        "arrows": [(names[i], names[j]) for i, j in board.arrows],
    }


def _round_point(point: tuple[float, float]) -> tuple[float, float]:
    """Return a point with three decimals, or as whole numbers."""
    x, y = (int(k) if k == int(k) else round(k, 3) for k in point)
    return x, y


def indices(bits: int) -> Iterator[int]:
    """Yield the indices of the cells in a bit set."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def cell_names(board: Board, bits: int) -> list[str]:
    """Return the names of the cells in a bit set."""
    return [board.names[i] for i in indices(bits)]


def describe_pawns(position: Position) -> dict[str, str]:
    """Return the pawns on the board: "w" or "b" by the name of the cell, in capitals for kings."""
    return _marks(position.rules, position.words)


def _marks(rules: Rules, words: Words) -> dict[str, str]:
    # A cell with the bits of both sides is empty, and closed to the pawn in play.
    w, b = words[0] & ~words[1], words[1] & ~words[0]
    promoted, names = rules.module.promoted(*words), rules.board.names
    return {names[i]: "wbWB"[(b >> i & 1) + 2 * (promoted >> i & 1)] for i in indices(w | b)}


def symmetry_key_of(position: Position) -> str:
    """Return a key that is equal for positions that differ only by a symmetry of the board."""
    return symmetry_key(position.rules.module, position.words)


def describe_state(game: Game, begun: tuple[int, ...] = ()) -> dict[str, Any]:
    """Return the state of a game, with the legal steps after the `begun` steps of a move."""
    position, rules = game.position, game.rules
    module, words, result = rules.module, game.position.words, game.result()
    hands, reminder = module.hands(*words), module.reminder(*words)
    before = game.at(game.ply - 1).position if game.ply else None
    names = rules.board.names
    return {
        "game": rules.name,
        "options": dict(rules.changed),
        "board": describe_board(rules.board),
        "start": str(game.start),
        "ply": game.ply,
        "position": str(position),
        "side": position.side,
        "cells": describe_pawns(position),
        "resting": cell_names(rules.board, module.resting(*words)),
        "barred": [(names[i], names[j]) for i, j in module.barred(*words)],
        "fields": dict(zip(module.FIELDS, module.write_fields(*words), strict=True)),
        "hands": None if hands is None else {"w": hands[0], "b": hands[1]},
        "pawns": rules.pawns,
        "captures": module.CAPTURES,
        "removed": count_removed(game),
        "superko": game.superko,
        "must": "" if result else module.must(*words),
        "reminder": ""
        if result or reminder is None
        else translate_for_game(
            rules.name, f"reminder.{reminder.key}", **note_details(module, words, reminder)
        ),
        "occurrences": game.occurrences(),
        "result": describe_result(result, position) if result else None,
        "steps": [] if result else describe_steps(game, begun),
        "last": describe_last_move(game),
        "mover": before.side if before else None,
        "movers": [position.side for position in game.positions[:-1]],
        "before": str(before) if before else None,
        "cells_before": describe_pawns(before) if before else None,
    }


def count_removed(game: Game) -> dict[str, int]:
    """Return how many of their own pawns the players have taken off the board."""
    count = {"w": 0, "b": 0}
    for move, before in zip(game.moves_played, game.positions, strict=False):
        if ">" in move.text:  # as in the text of such a step
            count[before.side] += sum(step.kind == "remove" for step in move.described)
    return count


def describe_result(result: Result, position: Position) -> dict[str, Any]:
    """Return the result of a game, with its text and the decisive pawns."""
    shown = 0
    if result.judgement:
        shown = position.rules.module.shown(*position.words, result.judgement)
    return {
        "winner": result.winner,
        "reason": result.reason,
        "text": result.sentence(),
        "cells": cell_names(position.rules.board, shown),
    }


def describe_steps(game: Game, begun: tuple[int, ...]) -> list[dict[str, Any]]:
    """Return the legal steps after the `begun` ones, each with its followers, breadth first."""
    position = game.position
    for number in begun:
        position = position.step(number)
    allowed = None
    if game.superko:
        allowed = {t.steps[:n] for t in game.legal_moves() for n in range(1, len(t.steps) + 1)}
    lister = _StepLister(game, allowed)
    steps = lister.list_steps(begun, position.words, position.begun)
    queue = deque((begun, position.begun, step) for step in steps)
    while queue and lister.count < MAX_STEPS:
        before, prefix, step = queue.popleft()
        if step["turn"] is None:
            path, text = (*before, step["step"]), prefix + step["text"]
            step["then"] = lister.list_steps(path, lister.after[path], text)
            queue.extend((path, text, after) for after in step["then"])
            # If only a few of many could be listed (as for pairs of placements), stop here.
            if len(step["then"]) * sum(s["turn"] is None for *_, s in queue) > 2 * MAX_STEPS:
                break
    return steps


class _StepLister:
    """Lists legal steps; counts them and stores the position after each sequence."""

    def __init__(self, game: Game, allowed: set[tuple[int, ...]] | None) -> None:
        self.game, self.rules, self.allowed = game, game.rules, allowed
        self.after: dict[tuple[int, ...], Words] = {}
        self.count = 0

    def list_steps(self, path: tuple[int, ...], words: Words, prefix: str) -> list[dict[str, Any]]:
        """Return the legal steps after a sequence of steps."""
        module = self.rules.module
        steps = []
        for number in notation.legal_steps(module, words):
            longer = (*path, number)
            if self.allowed is not None and longer not in self.allowed:
                continue
            after = self.after[longer] = module.play(*words, number)
            step = describe_step(self.rules, words, number, after)
            if not after[2] & module.MIDTURN:
                step["turn"] = (
                    self.game.position.move_from_steps(longer).text
                    if module.superfluous(words[2], number)
                    else prefix + step["text"]
                )
            steps.append(step)
        self.count += len(steps)
        return steps


def describe_step(rules: Rules, words: Words, number: int, after: Words) -> dict[str, Any]:
    """Return the effect of a step, with the new contents of the cells that it changes."""
    module, board = rules.module, rules.board
    action = module.describe(*words, number)
    before, now = _marks(rules, words), _marks(rules, after)
    marks = {
        name: now.get(name, ".") for name in board.indices if before.get(name) != now.get(name)
    }
    return {
        "step": number,
        "text": notation.action_text(board, action, words[2] & module.MIDTURN != 0),
        **describe_action(board, action),
        "set": marks,
        "closed": cell_names(board, after[0] & after[1]),
        "turn": None,
        "then": None,
    }


def describe_action(board: Board, action: Action) -> dict[str, Any]:
    """Return the effect of a step, with its cells by name."""
    names = board.names
    # The cell to click: a pawn that leaves the board goes nowhere.
    target = action.origin if action.kind == "remove" else action.target
    return {
        "kind": action.kind,
        "origin": None if action.origin == NOWHERE else names[action.origin],
        "target": None if target == NOWHERE else names[target],
        "by": action.by or None,
        "takes": cell_names(board, action.takes),
        "puts": [(names[i], None if j == NOWHERE else names[j]) for i, j in action.puts],
    }


def describe_actions(position: Position, steps: tuple[int, ...]) -> list[dict[str, Any]]:
    """Return the effects of the steps of a move."""
    module, words, effects = position.rules.module, position.words, []
    for number in steps:
        effects.append(describe_action(position.rules.board, module.describe(*words, number)))
        words = module.play(*words, number)
    return effects


def describe_last_move(game: Game) -> list[dict[str, Any]]:
    """Return the steps of the last move, or an empty list at the start."""
    if not game.ply:
        return []
    return _describe_played_steps(game.positions[game.ply - 1], game.moves_played[-1])


def _describe_played_steps(position: Position, move: Move) -> list[dict[str, Any]]:
    """Return the steps of a move with the cells that each changes."""
    words, steps = position.words, []
    for number in move.steps:
        after = position.rules.module.play(*words, number)
        steps.append(describe_step(position.rules, words, number, after))
        words = after
    return steps


def describe_line(game: Game) -> dict[str, Any]:
    """Return a game from its first position to its last, move by move."""
    first, result = game.start, game.result()
    return {
        "board": describe_board(game.rules.board),
        "side": first.side,
        "cells": describe_pawns(first),
        "likeness": symmetry_key_of(first),
        "turns": [
            {
                "turn": move.text,
                "mover": before.side,
                "steps": _describe_played_steps(before, move),
                "likeness": symmetry_key_of(move.after),
            }
            for before, move in zip(game.positions, game.moves_played, strict=False)
        ],
        "result": describe_result(result, game.position) if result else None,
    }


def describe_position(
    rules: Rules, cells: Mapping[str, str], side: str, fields: Mapping[str, str]
) -> dict[str, Any]:
    """Return the text of a position set up by hand, and its problem if it is illegal.

    Absent fields are as at the start.
    """
    board, module = rules.board, rules.module
    pawns = {"w": 0, "b": 0}
    for name, mark in cells.items():
        if name not in board.indices:
            raise DamierError("cell", name=name)
        pawns[mark.lower()] |= 1 << board.indices[name]
    named = dict(zip(module.FIELDS, module.write_fields(*rules.start().words), strict=True))
    for name in fields.keys() - named.keys():
        problem = translate("problem.extra_forbidden")
        raise DamierError("malformed", where=f"fields.{name}", problem=problem)
    refused: dict[str, dict[str, Any]] = {}  # by error key
    for values in _field_choices(rules, pawns, {**named, **fields}):
        text = notation.join_position(board, pawns["w"], pawns["b"], side, values)
        description = {
            "position": text,
            "fields": dict(zip(module.FIELDS, values, strict=True)),
            "result": None,
            "problem": "",
        }
        try:
            position = rules.position(text)
        except DamierError as error:
            refused.setdefault(error.key, {**description, "problem": str(error)})
            continue
        result = Game(position).result()
        return {**description, "result": describe_result(result, position) if result else None}
    # If no number of pawns in hand fits, there is a second problem: report that one.
    return list(refused.values())[:2][-1]


# Fields with the number of pawns in hand, and their side.
_HANDS = {"white-hand": "w", "black-hand": "b"}


def _field_choices(
    rules: Rules, pawns: Mapping[str, int], fields: Mapping[str, str]
) -> Iterator[list[str]]:
    """Yield the field values to try: pawns on the board cannot be in hand as well."""
    choices = []
    for name, value in fields.items():
        choices.append([value])
        if name in _HANDS:
            max_hand = max(0, rules.pawns - pawns[_HANDS[name]].bit_count())
            if value.isdecimal() and int(value) > max_hand:
                choices[-1] = [str(number) for number in range(max_hand, -1, -1)]
    yield from (list(values) for values in product(*choices))
