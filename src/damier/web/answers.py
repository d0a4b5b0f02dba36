"""The answer to every request, from what it says to the bytes that are sent: no server needed.

A request is a name and a body that has the form described in `damier.web.models`; whoever hands it
over has seen to that. The same request has the same answer wherever it is answered.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from damier import lang
from damier.errors import DamierError
from damier.games import GAMES
from damier.games.levels import USUAL
from damier.history import Game
from damier.notation import looks_like_a_position
from damier.position import Result, game
from damier.web.replay import BadTurn, replayed
from damier.web.state import board_out, position_out, result_out, state_out

if TYPE_CHECKING:
    from damier.search import Stop

Body = dict[str, Any]

LEVELS = len(USUAL)
MOST_RECORDS = 50
# Some positions have hundreds of thousands of turns: how many are listed, how many are shown.
MOST_LISTED, MOST_SHOWN = 20_000, 5_000
_NOT_FOUND = {"game", "no-table", "no-page", "no-language"}
_TOO_MUCH = {"too-many-turns", "turn-too-long", "too-much"}
_PLAIN: Body = {"page": {}, "miniature": []}  # the look of a game that says nothing


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
        status = 404 if error.key in _NOT_FOUND else 422 if error.key in _TOO_MUCH else 400
    details: Body = dict(error.details)
    if isinstance(error, BadTurn):
        status, details["ply"] = 400, error.ply
    details = {
        k: v if isinstance(v, int | float | None) else str(v)[:300] for k, v in details.items()
    }
    return status, {"error": {"key": error.key, "message": str(error), "details": details}}


@lru_cache(maxsize=1)
def _all_games() -> Body:
    return {"games": [_game_out(name) for name in GAMES], "levels": LEVELS}


def _games(body: Body, stop: Stop | None) -> Body:
    return _all_games()


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
        "look": {k: rules.folder.look.get(k, v) for k, v in _PLAIN.items()},
    }


def _texts(body: Body, stop: Stop | None) -> Body:
    language = body["language"]
    if language not in lang.LANGUAGES:
        raise DamierError("no-language", name=language)
    kinds = ("web.", "reason.", "result.", "place.")
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
    return state_out(replayed(body), tuple(body["begun"]))


def _turns(body: Body, stop: Stop | None) -> Body:
    played = replayed(body)
    found = []
    if not played.result():
        listed = played.position.turns(most=MOST_LISTED)
        found = [turn for turn in listed if not played.bars(turn.words)]
    shown = [{"turn": turn.text, "after": str(turn.after)} for turn in found[:MOST_SHOWN]]
    return {"turns": shown, "total": len(found)}


def _play(body: Body, stop: Stop | None) -> Body:
    return state_out(replayed(body).play(body["turn"]))


def _why(body: Body, stop: Stop | None) -> Body:
    reason = replayed(body).why_not(body["target"], body["origin"], body["begun"])
    return {"key": reason.key if reason else "", "message": str(reason) if reason else ""}


def _position(body: Body, stop: Stop | None) -> Body:
    rules = game(body["game"], body["preset"], **body["options"])
    return position_out(rules, body["cells"], body["side"], body["fields"])


def _open_game(body: Body) -> Game:
    """Return a game that is not over."""
    played = replayed(body)
    if played.over:
        raise DamierError("over")
    return played


def _move(body: Body, stop: Stop | None) -> Body:
    from damier.web.engine import choose

    played = _open_game(body)
    text = choose(played, body["level"], body["seed"], stop)
    return {"turn": text, "state": state_out(played.play(text))}


def _analysis(body: Body, stop: Stop | None) -> Body:
    from damier.web.engine import analysis_out

    played = _open_game(body)
    played.position.turns(most=MOST_SHOWN)  # each is shown with its line: more are too many
    return analysis_out(played, body["seconds"], stop)


def _probe(body: Body, stop: Stop | None) -> Body:
    from damier.web.engine import probe_out

    played = _open_game(body)
    played.position.turns(most=MOST_SHOWN)
    found = probe_out(played)
    if found is None:
        raise DamierError("no-table")
    return found


def _read_records(body: Body, stop: Stop | None) -> Body:
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
    from damier.record import AGREED_REASONS, Record, write

    played = replayed(body)
    agreed = None
    if body["winner"] and not played.result():
        if body["reason"] not in AGREED_REASONS:
            raise DamierError("record-not-over", text=body["reason"])
        agreed = Result(None if body["winner"] == "draw" else body["winner"], body["reason"])
    record = Record(played, body["white"], body["black"], body["date"], agreed)
    return {"text": write([record])}


# By the name of a request.
ANSWERS: dict[str, Callable[[Body, Stop | None], Body]] = {
    "games": _games,
    "texts": _texts,
    "rules": _rules,
    "state": _state,
    "turns": _turns,
    "play": _play,
    "why": _why,
    "position": _position,
    "move": _move,
    "analysis": _analysis,
    "probe": _probe,
    "records/read": _read_records,
    "records/write": _write_record,
}
