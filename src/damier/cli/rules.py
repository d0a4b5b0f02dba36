"""`damier rules`: for programs, questions about the rules as JSON lines."""

import argparse
import gc
import json
import sys
from typing import Any

from damier.cli.common import add_games, load_games
from damier.errors import DamierError
from damier.history import Game
from damier.lang import say
from damier.position import Position, game

_TYPES: dict[type, str] = {str: "string", list: "array", dict: "object"}  # as JSON calls them


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_games(parser)


def run(args: argparse.Namespace) -> int:
    """Answer each line of standard input with one line on standard output, in order."""
    load_games(args)
    # Answers are made of many small objects and no cycles: collecting less often is a fifth faster.
    gc.set_threshold(100_000)
    last: list[Game] = []
    with open(sys.stdin.fileno(), encoding="utf-8", errors="replace", closefd=False) as source:
        for line in source:
            print(json.dumps(answer_line(line, last)), flush=True)
    return 0


def answer_line(line: str, last: list[Game]) -> dict[str, Any]:
    """Return the answer to one line: never an exception. See `answer` for `last`."""
    try:
        question = json.loads(line)
    except (ValueError, RecursionError) as error:
        return {"error": say("error.json", message=error)}
    try:
        return answer(question, last)
    except DamierError as error:
        return {"error": str(error)}


def answer(question: Any, last: list[Game]) -> dict[str, Any]:
    """Return the position reached, its legal turns, its children's number and its result.

    `last` holds the game of the question before, and then of this one: programs often ask about a
    game turn by turn.
    """
    if not isinstance(question, dict) or "game" not in question:
        raise DamierError("question")
    unknown = set(question) - {"game", "preset", "options", "position", "turns"}
    if unknown:
        raise DamierError("question-key", name=sorted(unknown)[0])
    options = _typed(question, "options", dict, {})
    rules = game(
        _typed(question, "game", str, ""), _typed(question, "preset", str, None), **options
    )
    rules.compile()
    text = _typed(question, "position", str, None)
    start = rules.start() if text is None else rules.position(text)
    turns = _typed(question, "turns", list, [])
    if not all(isinstance(turn, str) for turn in turns):
        raise DamierError("question-type", name="turns", type="[string]")
    played = _shared(last, start, turns)
    played = played.play(*turns[played.ply :])
    last[:] = [played]
    legal, result = played.turns(), played.result()
    return {
        "position": str(played.position),
        "turns": [turn.text for turn in legal],
        "children": len({turn.words for turn in legal}),
        "result": [result.winner, result.reason] if result else None,
    }


def _shared(last: list[Game], start: Position, turns: list[str]) -> Game:
    """Return the last game as far as it has the same start and the same turns, or a new one."""
    if not last or last[0].start != start:
        return Game(start)
    ply = 0
    for played, turn in zip(last[0].turns_played, turns, strict=False):
        if played.text != turn:
            break
        ply += 1
    return last[0].at(ply)


def _typed(question: dict[str, Any], name: str, kind: type, default: Any) -> Any:
    value = question.get(name)
    if value is None:
        return default
    if not isinstance(value, kind):
        raise DamierError("question-type", name=name, type=_TYPES[kind])
    return value
