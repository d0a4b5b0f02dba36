"""The answer to every request, from what it says to the bytes that are sent: no server needed.

A request is a name and a body that has the form described in `damier.web.models`; whoever hands it
over has seen to that. The same request has the same answer wherever it is answered.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from damier import lang, lessons
from damier.errors import DamierError
from damier.games import GAMES
from damier.games.levels import USUAL
from damier.history import Game
from damier.lang import say
from damier.notation import looks_like_a_position
from damier.position import Result, game
from damier.web.replay import BadTurn, replayed
from damier.web.state import (
    board_out,
    likeness_of,
    line_out,
    position_out,
    result_out,
    state_out,
)

if TYPE_CHECKING:
    from damier.search import Stop

Body = dict[str, Any]

LEVELS = len(USUAL)
MOST_RECORDS = 50
# Some positions have hundreds of thousands of turns: how many are listed, how many are shown.
MOST_LISTED, MOST_SHOWN = 20_000, 5_000
_STATUS = {
    **dict.fromkeys(("game", "no-table", "no-page", "no-language"), 404),
    **dict.fromkeys(("puzzle", "no-lessons", "no-lesson"), 404),
    **dict.fromkeys(("too-many-turns", "turn-too-long", "too-much"), 422),
    "table-changed": 503,  # whoever asks again is answered without it
}
_PLAIN: Body = {"page": {}, "miniature": [], "aim": None}  # the look of a game that says nothing


def answer(name: str, body: Body, language: str, stop: Stop | None) -> tuple[int, bytes]:
    """Return the status and the body of the answer to a request."""
    with lang.speaking(language):
        try:
            return 200, written(ANSWERS[name](body, stop))
        except DamierError as error:
            status, refused = refusal(error)
            return status, written(refused)


def written(content: Body) -> bytes:
    """Return what is sent for an answer."""
    return json.dumps(
        content, ensure_ascii=False, allow_nan=False, separators=(",", ":")
    ).encode()  # fmt: skip


def refusal(error: DamierError, status: int | None = None) -> tuple[int, Body]:
    """Return the status and the body that say what is wrong, in the language in use."""
    if status is None:
        status = _STATUS.get(error.key, 400)
    details: Body = dict(error.details)
    if isinstance(error, BadTurn):
        status, details["ply"] = 400, error.ply
    details = {
        k: v if isinstance(v, int | float | None) else str(v)[:300] for k, v in details.items()
    }
    return status, {"error": {"key": error.key, "message": str(error), "details": details}}


def malformed(where: Sequence[str | int], kind: str, bounds: Mapping[str, Any]) -> DamierError:
    """Return what is wrong with a request of another form; a key names each kind of difference."""
    named = ".".join(str(part) for part in where if part not in ("body", "path", "[key]"))
    key = f"problem.{kind}"
    problem = say(key if key in lang.texts("en") else "problem.other", **bounds)
    return DamierError("malformed", where=named or "body", problem=problem)


@lru_cache(maxsize=1)
def _all_games() -> Body:
    return {"games": [_game_out(name) for name in GAMES], "levels": LEVELS}


def _games(body: Body, stop: Stop | None) -> Body:
    return {**_all_games(), "public": body.get("public"), "online": body.get("online", False)}


def _game_out(name: str) -> Body:
    rules = game(name)
    file = rules.file
    return {
        "name": name,
        "presets": file.PRESETS,
        "options": [
            {"name": o.name, "values": list(o.values), "default": o.default, "most": o.most}
            for o in file.OPTIONS
        ],
        "board": board_out(rules.board),
        "start": str(rules.start()),
        "symmetric": file.COLOUR_SWAP,
        "pawns": rules.pawns,
        "captures": file.CAPTURES,
        "lessons": lessons.count(name),
        "look": {k: rules.folder.look.get(k, v) for k, v in _PLAIN.items()},
    }


def _texts(body: Body, stop: Stop | None) -> Body:
    language = body["language"]
    if language not in lang.LANGUAGES:
        raise DamierError("no-language", name=language)
    kinds = ("web.", "reason.", "result.", "place.", "puzzle.kind.", "puzzle.theme.")
    found = {k: v for k, v in lang.texts(language).items() if k.startswith(kinds)}
    for name, folder in GAMES.items():
        found |= {f"game.{name}.{k}": v for k, v in folder.texts(language).items()}
    return found


def _rules(body: Body, stop: Stop | None) -> Body:
    from damier.web.engine import worth_out
    from damier.web.pages import rules_out

    game(body["name"])
    return {**rules_out(body["name"], lang.language()), "worth": worth_out(body["name"])}


def _state(body: Body, stop: Stop | None) -> Body:
    """Return a game as it stands, with its legal steps."""
    return state_out(replayed(body), tuple(body["begun"]))


def _turns(body: Body, stop: Stop | None) -> Body:
    """List the legal turns, at most 5,000, sorted by text; a position with over 20,000 has none."""
    played = replayed(body)
    found = []
    if not played.result():
        listed = played.position.turns(most=MOST_LISTED)
        found = [turn for turn in listed if not played.bars(turn.words)]
    shown = [
        {"turn": turn.text, "after": str(turn.after), "likeness": likeness_of(turn.after)}
        for turn in found[:MOST_SHOWN]
    ]
    return {"turns": shown, "total": len(found), "likeness": likeness_of(played.position)}


def _line(body: Body, stop: Stop | None) -> Body:
    """Return a game from its first position to its last, turn by turn."""
    return line_out(replayed(body))


def _play(body: Body, stop: Stop | None) -> Body:
    """Return the game after one more turn."""
    return state_out(replayed(body).play(body["turn"]))


def _why(body: Body, stop: Stop | None) -> Body:
    """Say why a player who chooses a cell, perhaps after a pawn of his, cannot do so."""
    reason = replayed(body).why_not(body["target"], body["origin"], body["begun"])
    return {"key": reason.key if reason else "", "message": str(reason) if reason else ""}


def _position(body: Body, stop: Stop | None) -> Body:
    """Return the text of a position from what stands where, and say what is wrong with it."""
    rules = game(body["game"], body["preset"], **body["options"])
    return position_out(rules, body["cells"], body["side"], body["fields"])


def _training(body: Body, stop: Stop | None) -> Body:
    """Return a solver's rating after a puzzle (Glicko-2), and when that comes back (FSRS)."""
    from damier import training
    from damier.puzzles import puzzle_of
    from damier.ratings import Rating

    rating = Rating(body["points"], body["deviation"], body["volatility"])
    if body["score"] is not None:
        puzzle = puzzle_of(body["game"], body["id"] or "")
        rating = training.rated(rating, Rating(puzzle.points, puzzle.deviation), body["score"])
    card = body["card"]
    if body["grade"] is not None:
        card = training.scheduled(card, body["grade"], body["now"])
    return {**asdict(rating), "card": card}


def _open_game(body: Body) -> Game:
    """Return a game that is not over."""
    played = replayed(body)
    if played.over:
        raise DamierError("over")
    return played


def _move(body: Body, stop: Stop | None) -> Body:
    """Return the engine's turn at a level, and the game after it."""
    from damier.web.engine import choose

    played = _open_game(body)
    turn, hasty = choose(played, body["level"], body["seed"], stop)
    return {"turn": turn.text, "hasty": hasty, "state": state_out(played.play(turn))}


def _analysis(body: Body, stop: Stop | None) -> Body:
    """Return the value of every legal turn: proved where a table or the search proves it."""
    from damier.web.engine import analysis_out

    played = _open_game(body)
    played.position.turns(most=MOST_SHOWN)  # each is shown with its line: more are too many
    nodes = body["nodes"]
    return analysis_out(played, body["seconds"] if nodes is None else None, nodes, stop)


def _probe(body: Body, stop: Stop | None) -> Body:
    """Return what a table of solved positions says of a position and of its turns."""
    from damier.web.engine import probe_out

    played = _open_game(body)
    played.position.turns(most=MOST_SHOWN)
    found = probe_out(played)
    if found is None:
        raise DamierError("no-table")
    return found


def _lessons(body: Body, stop: Stop | None) -> Body:
    """Return a game's lessons: steps to be done on the board, in order."""
    from damier.web.pages import lessons_out

    return lessons_out(lessons.read(game(body["game"]).name), lang.language())


def _lessons_try(body: Body, stop: Stop | None) -> Body:
    """Say whether a turn does what a lesson asks for, and return the game after the reply to it."""
    found = lessons.read(game(body["game"]).name)
    step, stage, turn = body["step"], body["stage"], body["turn"]
    verdict = found.judge(step, stage, turn)
    played = Game(found.steps[step].stages[stage].position).play(turn)
    if verdict.reply is not None:
        played = played.play(verdict.reply)
    return {
        "met": verdict.met,
        "said": found.said(verdict.said, lang.language()),
        "reply": verdict.reply,
        "state": state_out(played),
    }


def _read_records(body: Body, stop: Stop | None) -> Body:
    """Read game records, the first 50 of a text, or a position: a game that begins there."""
    from damier.record import Record, read

    text = body["text"].strip()
    if body["game"] is not None and looks_like_a_position(text):
        start = game(body["game"], **body["options"]).position(text)
        return {"records": [_record_out(Record(Game(start)))], "problems": []}
    records, problems = read(body["text"], default=body["game"], most=MOST_RECORDS)
    return {
        "records": [_record_out(record) for record in records],
        "problems": [{"line": p.line, "message": p.message} for p in problems],
    }


def _record_out(record: Any) -> Body:
    played: Game = record.game
    result: Result | None = record.result
    from_start = played.start == played.rules.start()
    return {
        "game": played.rules.name,
        "options": dict(played.rules.changed),
        "start": None if from_start else str(played.start),
        "turns": [turn.text for turn in played.turns_played],
        "white": record.white,
        "black": record.black,
        "date": record.date,
        "result": result_out(result, played.position) if result else None,
    }


def _write_record(body: Body, stop: Stop | None) -> Body:
    """Write a game as a record."""
    from damier.record import AGREED_REASONS, Record, write

    played = replayed(body)
    agreed = None
    if body["winner"] and not played.result():
        if body["reason"] not in AGREED_REASONS:
            raise DamierError("record-not-over", text=body["reason"])
        agreed = Result(None if body["winner"] == "draw" else body["winner"], body["reason"])
    record = Record(played, body["white"], body["black"], body["date"], agreed)
    return {"text": write([record])}


def _puzzles(body: Body, stop: Stop | None) -> Body:
    """List the puzzles of a game, the easiest first, without what would give them away."""
    from damier.web.puzzles import listed_out

    return listed_out(body["game"])


def _puzzle(body: Body, stop: Stop | None) -> Body:
    """Return a puzzle to be solved, or an image of it."""
    from damier.web.puzzles import shown_out

    return shown_out(body)


def _attempt(body: Body, stop: Stop | None) -> Body:
    """Judge a try: give the reply, or what the wrong turn runs into, exactly where it is known."""
    from damier.web.puzzles import verdict_out

    return verdict_out(body)


def _hint(body: Body, stop: Stop | None) -> Body:
    """Return the cells with which the true turn begins."""
    from damier.web.puzzles import image_of

    return {"cells": image_of(body).hint(body["turns"])}


def _solution(body: Body, stop: Stop | None) -> Body:
    """Return the line that solves a puzzle."""
    from damier.web.puzzles import image_of

    return {"line": list(image_of(body).line)}


def _daily(body: Body, stop: Stop | None) -> Body:
    """Return the puzzle of a day, the same for everyone."""
    from damier.web.puzzles import daily_out

    return daily_out(body["date"])


# By the name of a request.
ANSWERS: dict[str, Callable[[Body, Stop | None], Body]] = {
    "games": _games,
    "texts": _texts,
    "rules": _rules,
    "state": _state,
    "turns": _turns,
    "line": _line,
    "play": _play,
    "why": _why,
    "position": _position,
    "training": _training,
    "move": _move,
    "analysis": _analysis,
    "probe": _probe,
    "lessons": _lessons,
    "lessons/try": _lessons_try,
    "records/read": _read_records,
    "records/write": _write_record,
    "puzzles": _puzzles,
    "puzzles/shown": _puzzle,
    "puzzles/attempt": _attempt,
    "puzzles/hint": _hint,
    "puzzles/solution": _solution,
    "puzzles/daily": _daily,
}
