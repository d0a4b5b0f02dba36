"""Descriptions of puzzles in JSON."""

from __future__ import annotations

import datetime
from dataclasses import asdict

from damier.errors import DamierError
from damier.learning.puzzles import Puzzle, daily, find_puzzle, puzzles
from damier.learning.puzzles.attempts import hint_cells, next_solution_move
from damier.web.responses import Body
from damier.web.state import describe_actions


def describe_puzzles(game: str) -> Body:
    """Return a game's puzzles, without their positions and solutions."""
    return {"puzzles": [_summarise_puzzle(puzzle) for puzzle in puzzles(game)]}


def _summarise_puzzle(puzzle: Puzzle) -> Body:
    names = ("id", "kind", "within", "points", "deviation", "surprise", "proof", "length", "images")
    return {name: getattr(puzzle, name) for name in names} | {"themes": list(puzzle.themes)}


def requested_puzzle(body: Body) -> Puzzle:
    """Return the puzzle of a request, or the requested symmetric image of it."""
    return find_puzzle(body["game"], body["id"]).image(body["image"])


def describe_puzzle(body: Body) -> Body:
    """Return a puzzle to be solved."""
    puzzle = requested_puzzle(body)
    return {
        "game": puzzle.game,
        "id": puzzle.id,
        "image": body["image"],
        "options": dict(puzzle.options),
        "start": puzzle.position,
        "side": puzzle.start.side,
        "kind": puzzle.kind,
        "task": puzzle.task,
        "length": puzzle.length,
    }


def describe_verdict(body: Body) -> Body:
    """Return the verdict on an attempt."""
    verdict = asdict(requested_puzzle(body).attempt(body["turns"]))
    return {**verdict, "punishment": list(verdict["punishment"])}


def describe_hint(body: Body) -> Body:
    """Return the cells where the next move of the solution begins, and its steps."""
    puzzle, moves = requested_puzzle(body), body["turns"]
    position, move = next_solution_move(puzzle, moves)
    return {
        "cells": hint_cells(puzzle, moves),
        "steps": describe_actions(position, move.steps),
    }


def describe_daily_puzzle(date: str) -> Body:
    """Return the puzzle of a day."""
    try:
        puzzle = daily(datetime.date.fromisoformat(date))
    except ValueError:
        raise DamierError("puzzle-date", text=date) from None
    return {"game": puzzle.game, "id": puzzle.id}
