"""Puzzles as the HTTP interface gives them."""

from __future__ import annotations

import datetime
from dataclasses import asdict
from typing import Any

from damier.errors import DamierError
from damier.puzzles import Puzzle, daily, puzzle_of, puzzles

Body = dict[str, Any]


def listed_out(game: str) -> Body:
    """Return a game's puzzles, without what would give them away."""
    return {"puzzles": [_listed(puzzle) for puzzle in puzzles(game)]}


def _listed(puzzle: Puzzle) -> Body:
    names = ("id", "kind", "within", "points", "deviation", "surprise", "proof", "length", "images")
    return {name: getattr(puzzle, name) for name in names} | {"themes": list(puzzle.themes)}


def image_of(body: Body) -> Puzzle:
    """Return the puzzle that a request names, in the image that it asks for."""
    return puzzle_of(body["game"], body["id"]).image(body["image"])


def shown_out(body: Body) -> Body:
    """Return a puzzle to be solved."""
    puzzle = image_of(body)
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


def verdict_out(body: Body) -> Body:
    """Return what a try is worth."""
    found = asdict(image_of(body).attempt(body["turns"]))
    return {**found, "punishment": list(found["punishment"])}


def daily_out(date: str) -> Body:
    """Return the puzzle of a day."""
    try:
        puzzle = daily(datetime.date.fromisoformat(date))
    except ValueError:
        raise DamierError("puzzle-date", text=date) from None
    return {"game": puzzle.game, "id": puzzle.id}
