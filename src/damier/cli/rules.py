"""`damier rules`: answer questions about the rules as JSON lines, for other programs."""

import argparse
import gc
import json
import sys
from typing import Any

from damier.cli.common import add_games, load_games
from damier.errors import DamierError
from damier.gameplay import Game
from damier.i18n import translate
from damier.position import Position, load_rules

_TYPES: dict[type, str] = {str: "string", list: "array", dict: "object"}  # names of types in JSON


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_games(parser)


def run(args: argparse.Namespace) -> int:
    """Answer each line of standard input with one line on standard output, in order."""
    load_games(args)
    # Answers have many small objects and no cycles: rare garbage collection is a fifth faster.
    gc.set_threshold(100_000)
    last: list[Game] = []
    with open(sys.stdin.fileno(), encoding="utf-8", errors="replace", closefd=False) as source:
        for line in source:
            print(json.dumps(answer_line(line, last)), flush=True)
    return 0


def answer_line(line: str, last: list[Game]) -> dict[str, Any]:
    """Return the answer to one line, or an error object. See `answer` for `last`."""
    try:
        question = json.loads(line)
    except (ValueError, RecursionError) as error:
        return {"error": translate("error.json", message=error)}
    try:
        return answer(question, last)
    except DamierError as error:
        return {"error": str(error)}


def answer(question: Any, last: list[Game]) -> dict[str, Any]:
    """Return the position, its legal moves, the number of its child positions and its result.

    `last` is a cache that contains the game of the previous question, if any, and is updated:
    programs often ask about the same game move by move. Raise DamierError if the question is
    invalid.
    """
    if not isinstance(question, dict) or "game" not in question:
        raise DamierError("question")
    unknown = set(question) - {"game", "preset", "options", "position", "turns"}
    if unknown:
        raise DamierError("question-key", name=sorted(unknown)[0])
    options = _field(question, "options", dict, {})
    rules = load_rules(
        _field(question, "game", str, ""), _field(question, "preset", str, None), **options
    )
    rules.compile()
    text = _field(question, "position", str, None)
    start = rules.start() if text is None else rules.position(text)
    moves = _field(question, "turns", list, [])
    if not all(isinstance(move, str) for move in moves):
        raise DamierError("question-type", name="turns", type="[string]")
    played = _common_beginning(last, start, moves)
    played = played.play(*moves[played.ply :])
    last[:] = [played]
    legal, result = played.legal_moves(), played.result()
    return {
        "position": str(played.position),
        "turns": [move.text for move in legal],
        "children": len({move.words for move in legal}),
        "result": [result.winner, result.reason] if result else None,
    }


def _common_beginning(last: list[Game], start: Position, moves: list[str]) -> Game:
    """Return the common beginning of the cached game and these moves, or a new game."""
    if not last or last[0].start != start:
        return Game(start)
    ply = 0
    for played, move in zip(last[0].moves_played, moves, strict=False):
        if played.text != move:
            break
        ply += 1
    return last[0].at(ply)


def _field(question: dict[str, Any], name: str, kind: type, default: Any) -> Any:
    """Return a value of the question, or the default; raise DamierError if its type is wrong."""
    value = question.get(name)
    if value is None:
        return default
    if not isinstance(value, kind):
        raise DamierError("question-type", name=name, type=_TYPES[kind])
    return value
