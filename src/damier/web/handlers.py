"""Handlers of the endpoints: each turns the body of a request into the body of a response.

A body has been validated against the request model of its endpoint (see `damier.web.endpoints`).
Handlers need no server: the same code answers in worker processes and in the browser. The docstring
of a handler is the description of its endpoint in the OpenAPI schema.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import asdict
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from damier import i18n
from damier.errors import DamierError
from damier.gameplay import Game
from damier.games import GAMES, RefusedGame
from damier.games.levels import DEFAULT_LEVELS
from damier.learning import lessons
from damier.notation import looks_like_a_position
from damier.position import Result, load_rules
from damier.web.replay import replay_game
from damier.web.responses import Body
from damier.web.state import (
    describe_board,
    describe_line,
    describe_position,
    describe_result,
    describe_state,
    symmetry_key_of,
)

if TYPE_CHECKING:
    from damier.search import Stop

LEVELS = len(DEFAULT_LEVELS)
MAX_RECORDS = 50
# Some positions have hundreds of thousands of moves: how many are counted, how many returned.
MAX_LISTED, MAX_SHOWN = 20_000, 5_000
_DEFAULT_LOOK: Body = {"page": {}, "miniature": [], "aim": None}


@lru_cache(maxsize=1)
def _all_games() -> Body:
    return {"games": list(_describe_games()), "levels": LEVELS}


def _describe_games() -> Iterator[Body]:
    """Yield the games that can be described; leave out a broken one from outside with a warning."""
    from_outside = {folder.name for folder in GAMES.custom()}
    for name in GAMES:
        try:
            yield _describe_game(name)
        except Exception as error:  # the game's own code
            if name not in from_outside:
                raise
            warnings.warn(RefusedGame(f"{name}: {type(error).__name__}: {error}"), stacklevel=2)


def list_games(body: Body) -> Body:
    """List the games with their options, boards and starts."""
    return {**_all_games(), "public": body.get("public"), "online": body.get("online", False)}


def _describe_game(name: str) -> Body:
    rules = load_rules(name)
    module = rules.module
    return {
        "name": name,
        "presets": module.PRESETS,
        "options": [
            {"name": o.name, "values": list(o.values), "default": o.default, "most": o.most}
            for o in module.OPTIONS
        ],
        "board": describe_board(rules.board),
        "start": str(rules.start()),
        "symmetric": module.COLOUR_SWAP,
        "pawns": rules.pawns,
        "captures": module.CAPTURES,
        "lessons": lessons.count(name),
        "look": {k: rules.folder.look.get(k, v) for k, v in _DEFAULT_LOOK.items()},
    }


def get_texts(body: Body) -> Body:
    """Return the page's texts in a language."""
    language = body["language"]
    if language not in i18n.LANGUAGES:
        raise DamierError("no-language", name=language)
    kinds = ("web.", "reason.", "result.", "place.", "puzzle.kind.", "puzzle.theme.")
    texts = {k: v for k, v in i18n.texts(language).items() if k.startswith(kinds)}
    for name, folder in GAMES.items():
        texts |= {f"game.{name}.{k}": v for k, v in folder.texts(language).items()}
    return texts


def get_rules(body: Body) -> Body:
    """Return a game's rules for a reader: sections of text, with diagrams to draw and to try."""
    from damier.web.engine import describe_start_value
    from damier.web.pages import describe_rules

    load_rules(body["name"])
    return {
        **describe_rules(body["name"], i18n.language()),
        "worth": describe_start_value(body["name"]),
    }


def warm_up(body: Body) -> Body:
    """Prepare the engine for a game and say whether it is ready: the first time takes seconds.

    Calling this is optional: otherwise the engine prepares itself at its first request.
    """
    # A server replaces this by its own answer. In the browser the kernels are loaded by now.
    load_rules(body["game"])
    return {"ready": True}


def get_state(body: Body) -> Body:
    """Return the state of a game, with its legal steps."""
    return describe_state(replay_game(body), tuple(body["begun"]))


def list_moves(body: Body) -> Body:
    """List the legal moves, at most 5,000, sorted by text; a position with over 20,000 has none."""
    game = replay_game(body)
    moves = []
    if not game.result():
        candidates = game.position.legal_moves(limit=MAX_LISTED)
        moves = [move for move in candidates if not game.forbids(move.words)]
    shown = [
        {"turn": move.text, "after": str(move.after), "likeness": symmetry_key_of(move.after)}
        for move in moves[:MAX_SHOWN]
    ]
    return {"turns": shown, "total": len(moves), "likeness": symmetry_key_of(game.position)}


def get_line(body: Body) -> Body:
    """Return a game from its first position to its last, move by move."""
    return describe_line(replay_game(body))


def play_move(body: Body) -> Body:
    """Return the game after one more move."""
    return describe_state(replay_game(body).play(body["turn"]))


def explain_refusal(body: Body) -> Body:
    """Say why a player cannot choose a cell, perhaps after a pawn."""
    reason = replay_game(body).why_not(body["target"], body["origin"], body["begun"])
    return {"key": reason.key if reason else "", "message": str(reason) if reason else ""}


def set_up_position(body: Body) -> Body:
    """Return the text of a position from its cells, and say what is wrong with it."""
    rules = load_rules(body["game"], body["preset"], **body["options"])
    return describe_position(rules, body["cells"], body["side"], body["fields"])


def update_training(body: Body) -> Body:
    """Return a solver's rating after a puzzle (Glicko-2) and when to repeat it (FSRS)."""
    from damier.learning import training
    from damier.learning.puzzles import find_puzzle
    from damier.learning.ratings import Rating

    rating = Rating(body["points"], body["deviation"], body["volatility"])
    if body["score"] is not None:
        puzzle = find_puzzle(body["game"], body["id"] or "")
        rating = training.update_rating(
            rating, Rating(puzzle.points, puzzle.deviation), body["score"]
        )
    card = body["card"]
    if body["grade"] is not None:
        card = training.schedule_card(card, body["grade"], body["now"])
    return {**asdict(rating), "card": card}


def _open_game(body: Body) -> Game:
    """Return the game of a request; raise DamierError if it is over."""
    game = replay_game(body)
    if game.over:
        raise DamierError("over")
    return game


def choose_move(body: Body, stop: Stop | None) -> Body:
    """Return the engine's move at a level, and the game after it."""
    from damier.web.engine import choose_engine_move

    game = _open_game(body)
    move, hasty = choose_engine_move(game, body["level"], body["seed"], stop)
    return {"turn": move.text, "hasty": hasty, "state": describe_state(game.play(move))}


def analyse(body: Body, stop: Stop | None) -> Body:
    """Return the value of every legal move: proved where a table or the search proves it."""
    from damier.web.engine import describe_analysis

    game = _open_game(body)
    game.position.legal_moves(limit=MAX_SHOWN)  # each is returned with its line: refuses more
    nodes = body["nodes"]
    return describe_analysis(game, body["seconds"] if nodes is None else None, nodes, stop)


def explain(body: Body, stop: Stop | None) -> Body:
    """Explain a move in words, with the line that refutes it or shows what it achieves."""
    from damier.search import explain as explain_move

    game = _open_game(body)
    game.position.legal_moves(limit=MAX_SHOWN)
    nodes = body["nodes"]
    seconds = body["seconds"] if nodes is None else None
    explanation = explain_move(game, body["turn"], seconds=seconds, nodes=nodes, stop=stop)
    return {
        "turn": explanation.move,
        "sentences": list(explanation.sentences),
        "line": list(explanation.line),
        "proved": explanation.proved,
    }


def probe(body: Body, stop: Stop | None) -> Body:
    """Return the value of a position and of its moves in a table of solved positions.

    With `positions`, return the values of many positions, or the error of each that has none.
    """
    from damier.web.engine import describe_probe, describe_probes

    if body["positions"] is not None:
        if body["start"] is not None or body["turns"]:
            raise DamierError("positions-or-game")
        rules = load_rules(body["game"], body["preset"], **body["options"])
        return {"positions": describe_probes(rules, body["positions"], MAX_SHOWN, stop)}
    game = _open_game(body)
    game.position.legal_moves(limit=MAX_SHOWN)
    values = describe_probe(game)
    if values is None:
        raise DamierError("no-table")
    return values


def get_lessons(body: Body) -> Body:
    """Return a game's lessons: tasks on the board, in order."""
    from damier.web.pages import describe_lessons

    return describe_lessons(lessons.read(load_rules(body["game"]).name), i18n.language())


def judge_lesson_attempt(body: Body) -> Body:
    """Say whether a move solves a lesson's task, and return the game after the reply to it."""
    game_lessons = lessons.read(load_rules(body["game"]).name)
    step, stage, move = body["step"], body["stage"], body["turn"]
    verdict = game_lessons.judge(step, stage, move)
    game = Game(game_lessons.steps[step].stages[stage].position).play(move)
    if verdict.reply is not None:
        game = game.play(verdict.reply)
    return {
        "met": verdict.met,
        "said": game_lessons.said(verdict.said, i18n.language()),
        "reply": verdict.reply,
        "state": describe_state(game),
    }


def read_records(body: Body) -> Body:
    """Read the first 50 game records of a text, or a position: a game that starts there."""
    from damier.record import Record, read

    text = body["text"].strip()
    if body["game"] is not None and looks_like_a_position(text):
        start = load_rules(body["game"], **body["options"]).position(text)
        return {"records": [_describe_record(Record(Game(start)))], "problems": []}
    records, problems = read(body["text"], default=body["game"], limit=MAX_RECORDS)
    return {
        "records": [_describe_record(record) for record in records],
        "problems": [{"line": p.line, "message": p.message} for p in problems],
    }


def _describe_record(record: Any) -> Body:
    game: Game = record.game
    result: Result | None = record.result
    from_start = game.start == game.rules.start()
    return {
        "game": game.rules.name,
        "options": dict(game.rules.changed),
        "start": None if from_start else str(game.start),
        "turns": [move.text for move in game.moves_played],
        "white": record.white,
        "black": record.black,
        "date": record.date,
        "result": describe_result(result, game.position) if result else None,
    }


def write_record(body: Body) -> Body:
    """Write a game as a record."""
    from damier.record import AGREED_REASONS, Record, write

    game = replay_game(body)
    agreed = None
    if body["winner"] and not game.result():
        if body["reason"] not in AGREED_REASONS:
            raise DamierError("record-not-over", text=body["reason"])
        agreed = Result(None if body["winner"] == "draw" else body["winner"], body["reason"])
    record = Record(game, body["white"], body["black"], body["date"], agreed)
    return {"text": write([record])}


def list_puzzles(body: Body) -> Body:
    """List the puzzles of a game, the easiest first, without their solutions."""
    from damier.web.puzzles import describe_puzzles

    return describe_puzzles(body["game"])


def get_puzzle(body: Body) -> Body:
    """Return a puzzle to be solved, or a symmetric image of it."""
    from damier.web.puzzles import describe_puzzle

    return describe_puzzle(body)


def judge_puzzle_attempt(body: Body) -> Body:
    """Judge an attempt: return the reply to a right move, or the punishment of a wrong one."""
    from damier.web.puzzles import describe_verdict

    return describe_verdict(body)


def get_puzzle_hint(body: Body) -> Body:
    """Return the cells with which the right move begins, and its steps."""
    from damier.web.puzzles import describe_hint

    return describe_hint(body)


def get_puzzle_solution(body: Body) -> Body:
    """Return the line that solves a puzzle."""
    from damier.web.puzzles import requested_puzzle

    return {"line": list(requested_puzzle(body).line)}


def get_daily_puzzle(body: Body) -> Body:
    """Return the puzzle of a day, the same for everyone."""
    from damier.web.puzzles import describe_daily_puzzle

    return describe_daily_puzzle(body["date"])


def get_lab_report(body: Body) -> Body:
    """Return the published report of the laboratory on a game with its usual rules."""
    from damier.lab import document, stored_report

    return document.describe(stored_report(load_rules(body["game"])))


def run_lab(body: Body, stop: Stop | None) -> Body:
    """Continue a short run of the laboratory for some seconds; the client keeps its results.

    The first request has no results. Each answer has the new ones, which the next request sends
    together with the earlier ones; the last answer has the report.
    """
    from damier.lab.short_run import run_stretch

    rules = load_rules(body["game"], body["preset"], **body["options"])
    return asdict(run_stretch(rules, body["seed"], body["results"], stop))
