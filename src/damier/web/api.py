"""The HTTP interface, version 1. Every request carries its game: nothing is kept between two."""

from functools import lru_cache
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response
from fastapi.concurrency import run_in_threadpool

from damier import lang
from damier.errors import DamierError
from damier.games import GAMES
from damier.history import Game
from damier.notation import looks_like_a_position
from damier.position import Result, game
from damier.web import models as m
from damier.web.pool import Pool
from damier.web.replay import replayed
from damier.web.state import board_out, position_out, result_out, state_out

# Replays longer than this are made in a thread: the event loop has others to answer.
_LONG = 50
_ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"model": m.ErrorOut, "description": "The request cannot be used; the message says why."},
    413: {"model": m.ErrorOut, "description": "The request is too long."},
    422: {"model": m.ErrorOut, "description": "The request has another form than described."},
}
_ENGINE_ERRORS: dict[int | str, dict[str, Any]] = {
    **_ERRORS,
    503: {"model": m.ErrorOut, "description": "Too much to do: try again after Retry-After."},
}
_NO_TABLE: dict[int | str, dict[str, Any]] = {
    **_ERRORS,
    404: {"model": m.ErrorOut, "description": "No table knows this position."},
}
_PLAIN: dict[str, Any] = {"page": {}, "miniature": []}  # the look of a game that says nothing
router = APIRouter(prefix="/api/v1", responses=_ERRORS)


async def _game(played: m.Played) -> Game:
    if len(played.turns) > _LONG:
        return await run_in_threadpool(replayed, played)
    return replayed(played)


def _pool(request: Request) -> Pool:
    pool: Pool = request.app.state.pool
    return pool


@router.get("/games", responses={})
async def games() -> m.GamesOut:
    """List the games with their options, boards and starts."""
    return _games()


@lru_cache(maxsize=1)
def _games() -> m.GamesOut:
    return m.GamesOut(games=[_game_out(name) for name in GAMES], levels=m.LEVELS)


def _game_out(name: str) -> m.GameOut:
    rules = game(name)
    file = rules.file
    return m.GameOut(
        name=name,
        presets=file.PRESETS,
        options=[
            m.OptionOut(name=o.name, values=list(o.values), default=o.default, most=o.most)
            for o in file.OPTIONS
        ],
        board=m.BoardOut(**board_out(rules.board)),
        start=str(rules.start()),
        symmetric=file.COLOUR_SWAP,
        pawns=rules.pawns,
        captures=file.CAPTURES,
        look=m.LookOut(**{k: rules.folder.look.get(k, v) for k, v in _PLAIN.items()}),
    )


@router.post("/state", response_model=m.StateOut)
async def state(body: m.Looked) -> Response:
    """Return a game as it stands, with its legal steps."""
    return _json(state_out(await _game(body), tuple(body.begun)))


@router.post("/turns")
async def turns(body: m.Played) -> m.TurnsOut:
    """List the legal turns, at most 5,000, sorted by text."""
    played = await _game(body)
    found = await run_in_threadpool(played.turns)
    shown = [m.TurnOut(turn=t.text, after=str(t.after)) for t in found[:5000]]
    return m.TurnsOut(turns=shown, total=len(found))


@router.post("/play", response_model=m.StateOut)
async def play(body: m.Tried) -> Response:
    """Return the game after one more turn."""
    return _json(state_out((await _game(body)).play(body.turn)))


@router.post("/why")
async def why(body: m.Attempt) -> m.WhyOut:
    """Say why a player who chooses a cell, perhaps after a pawn of his, cannot do so."""
    played = await _game(body)
    reason = played.why_not(body.target, body.origin, body.begun)
    return m.WhyOut(key=reason.key if reason else "", message=str(reason) if reason else "")


@router.post("/position")
async def position(body: m.Placed) -> m.PositionOut:
    """Return the text of a position from what stands where, and say what is wrong with it."""
    rules = game(body.game, body.preset, **body.options)
    return m.PositionOut(**position_out(rules, body.cells, body.side, body.fields))


@router.post("/warm")
async def warm(body: m.Named, request: Request) -> m.ReadyOut:
    """Prepare the engine for a game, and say whether it is: the first time takes seconds.

    Nothing has to be prepared: the engine does so when it is first asked.
    """
    rules = game(body.game)
    return m.ReadyOut(ready=_pool(request).prepare(rules))


@router.post("/move", responses=_ENGINE_ERRORS, response_model=m.MoveOut)
async def move(body: m.Asked, request: Request) -> Response:
    """Return the engine's turn at a level, and the game after it."""
    from damier.web.engine import choose

    played = await _game(body)
    if played.over:
        raise DamierError("over")
    text = await _pool(request).run(
        request, lambda stop: choose(played, body.level, body.seed, stop), m.MOST_SECONDS
    )
    return _json({"turn": text, "state": state_out(played.play(text))})


@router.post("/analysis", responses=_ENGINE_ERRORS)
async def analysis(body: m.Examined, request: Request) -> m.AnalysisOut:
    """Return the value of every legal turn: proved where a table or the search proves it."""
    from damier.web.engine import analysis_out

    played = await _game(body)
    if played.over:
        raise DamierError("over")
    found = await _pool(request).run(
        request,
        lambda stop: analysis_out(played, body.seconds, stop),
        m.MOST_SECONDS + body.seconds,
    )
    return m.AnalysisOut(**found)


@router.post("/probe", responses=_NO_TABLE)
async def probe(body: m.Played) -> m.ProbeOut:
    """Return what a table of solved positions says of a position and of its turns."""
    from damier.web.engine import probe_out

    played = await _game(body)
    if played.over:
        raise DamierError("over")
    found = await run_in_threadpool(probe_out, played)
    if found is None:
        raise DamierError("no-table")
    return m.ProbeOut(**found)


@router.post("/records/read")
async def read_records(body: m.RecordText, request: Request) -> m.RecordsOut:
    """Read game records, the first 50 of a text, or a position: a game that begins there."""
    from damier.record import Record, read

    language = request.state.language

    def work() -> m.RecordsOut:
        with lang.speaking(language):
            text = body.text.strip()
            if body.game is not None and looks_like_a_position(text):
                start = game(body.game, **body.options).position(text)
                return m.RecordsOut(records=[_record_out(Record(Game(start)))], problems=[])
            records, problems = read(body.text, default=body.game, most=m.MOST_RECORDS)
            return m.RecordsOut(
                records=[_record_out(r) for r in records],
                problems=[m.ProblemOut(line=p.line, message=p.message) for p in problems],
            )

    return await run_in_threadpool(work)


def _record_out(record: Any) -> m.RecordOut:
    played: Game = record.game
    result: Result | None = record.result
    from_start = played.start == played.rules.start()
    return m.RecordOut(
        game=played.rules.name,
        options=dict(played.rules.changed),
        start=None if from_start else str(played.start),
        turns=[turn.text for turn in played.turns_played],
        white=record.white,
        black=record.black,
        date=record.date,
        result=m.ResultOut(**result_out(result, played.position)) if result else None,
    )


@router.post("/records/write")
async def write_record(body: m.Recorded) -> m.TextOut:
    """Write a game as a record."""
    from damier.record import AGREED_REASONS, Record, write

    played = await _game(body)
    agreed = None
    if body.winner and not played.result():
        if body.reason not in AGREED_REASONS:
            raise DamierError("record-not-over", text=body.reason)
        agreed = Result(None if body.winner == "draw" else body.winner, body.reason)
    return m.TextOut(text=write([Record(played, body.white, body.black, body.date, agreed)]))


@router.get("/texts/{language}", responses={})
async def texts(language: Annotated[str, Path(max_length=10)]) -> dict[str, str]:
    """Return the page's texts in a language."""
    if language not in lang.LANGUAGES:
        raise DamierError("no-language", name=language)
    return _texts(language)


@lru_cache(maxsize=8)
def _texts(language: str) -> dict[str, str]:
    kinds = ("web.", "reason.", "result.", "place.")
    found = {k: v for k, v in lang.texts(language).items() if k.startswith(kinds)}
    for name, folder in GAMES.items():
        found |= {f"game.{name}.{k}": v for k, v in folder.texts(language).items()}
    return found


@router.get("/rules/{name}", responses=_NO_TABLE)
async def rules(name: Annotated[str, Path(max_length=40)], request: Request) -> m.RulesOut:
    """Return a game's rules for a reader: sections of text, and diagrams to draw and to try."""
    from damier.web.engine import worth_out
    from damier.web.pages import rules_out

    game(name)
    page = await run_in_threadpool(rules_out, name, request.state.language)
    worth = await run_in_threadpool(worth_out, name)
    return m.RulesOut(**page, worth=m.TableValue(**worth) if worth else None)


def _json(content: dict[str, Any]) -> Response:
    """Answer with what this package has made itself: checking it again would take longer."""
    from json import dumps

    return Response(
        dumps(content, ensure_ascii=False, separators=(",", ":")), media_type="application/json"
    )
