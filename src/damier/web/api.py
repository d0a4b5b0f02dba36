"""The HTTP interface, version 1: what may be asked. Every request carries its game: none is kept.

A request is checked here and answered by a process of its own (`damier.web.crew`).
"""

from functools import lru_cache
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response
from fastapi.concurrency import run_in_threadpool

from damier.errors import DamierError
from damier.lang import LANGUAGES
from damier.position import game
from damier.web import models as m
from damier.web.answers import answer
from damier.web.crew import Crew, Job

Responses = dict[int | str, dict[str, Any]]


def _responses(**said: str) -> Responses:
    return {int(k[1:]): {"model": m.ErrorOut, "description": v} for k, v in said.items()}


ANY = _responses(_421="The host named is not this server.", _500="A fault of the server's.")
_NOT_THERE = _responses(_404="There is no such game, table or text.")
_BUSY = _responses(_503="Too much to do: try again after Retry-After.")
_POST = _responses(
    _400="The request cannot be used; the message says why.",
    _403="The request comes from a page elsewhere.",
    _408="The request took too long to arrive.",
    _413="The request is too long.",
    _422="The request has another form than described, or asks too much; the message says which.",
)
_ASKED: Responses = {**_POST, **_NOT_THERE, **_BUSY}
_GOT: Responses = {**_NOT_THERE, **_responses(_422="The address has another form than described.")}
router = APIRouter(prefix="/api/v1", responses=ANY)


async def _quick(request: Request, name: str, body: m.Strict) -> Response:
    """Answer a request at once."""
    crew: Crew = request.app.state.crew
    job = _job(request, name, body.model_dump())
    return _given(await crew.quick.ask(job, m.MOST_SECONDS, request.is_disconnected))


async def _thought(request: Request, name: str, body: m.Strict, seconds: float) -> Response:
    """Answer a request that the engine has to think about."""
    crew: Crew = request.app.state.crew
    job = _job(request, name, body.model_dump())
    return _given(await crew.engine.ask(job, seconds, request.is_disconnected))


def _job(request: Request, name: str, body: dict[str, Any]) -> Job:
    asker = request.client.host if request.client else ""
    return Job(name, body, request.state.language, asker)


def _given(answered: tuple[int, bytes]) -> Response:
    """Answer with what this package has made itself: checking it again would take longer."""
    status, body = answered
    return Response(body, status, media_type="application/json")


@lru_cache(maxsize=16)
def _fixed(name: str, language: str) -> tuple[int, bytes]:
    """Return an answer that is always the same."""
    return answer(name, {"language": language}, language, None)


@router.get("/games", response_model=m.GamesOut)
async def games(request: Request) -> Response:
    """List the games with their options, boards and starts."""
    crew: Crew = request.app.state.crew
    crew.quick.wake()  # whoever lists the games is about to play one
    return _given(await run_in_threadpool(_fixed, "games", "en"))


@router.post("/state", responses=_ASKED, response_model=m.StateOut)
async def state(body: m.Looked, request: Request) -> Response:
    """Return a game as it stands, with its legal steps."""
    return await _quick(request, "state", body)


@router.post("/turns", responses=_ASKED, response_model=m.TurnsOut)
async def turns(body: m.Played, request: Request) -> Response:
    """List the legal turns, at most 5,000, sorted by text; a position with over 20,000 has none."""
    return await _quick(request, "turns", body)


@router.post("/play", responses=_ASKED, response_model=m.StateOut)
async def play(body: m.Tried, request: Request) -> Response:
    """Return the game after one more turn."""
    return await _quick(request, "play", body)


@router.post("/why", responses=_ASKED, response_model=m.WhyOut)
async def why(body: m.Attempt, request: Request) -> Response:
    """Say why a player who chooses a cell, perhaps after a pawn of his, cannot do so."""
    return await _quick(request, "why", body)


@router.post("/position", responses=_ASKED, response_model=m.PositionOut)
async def position(body: m.Placed, request: Request) -> Response:
    """Return the text of a position from what stands where, and say what is wrong with it."""
    return await _quick(request, "position", body)


@router.post("/warm", responses=_ASKED)
async def warm(body: m.Named, request: Request) -> m.ReadyOut:
    """Prepare the engine for a game, and say whether it is: the first time takes seconds.

    Nothing has to be prepared: the engine does so when it is first asked.
    """
    crew: Crew = request.app.state.crew
    return m.ReadyOut(ready=crew.engine.prepare(game(body.game).name))


@router.post("/move", responses=_ASKED, response_model=m.MoveOut)
async def move(body: m.Asked, request: Request) -> Response:
    """Return the engine's turn at a level, and the game after it."""
    return await _thought(request, "move", body, m.MOST_SECONDS)


@router.post("/analysis", responses=_ASKED, response_model=m.AnalysisOut)
async def analysis(body: m.Examined, request: Request) -> Response:
    """Return the value of every legal turn: proved where a table or the search proves it."""
    return await _thought(request, "analysis", body, m.MOST_SECONDS + body.seconds)


@router.post("/probe", responses=_ASKED, response_model=m.ProbeOut)
async def probe(body: m.Played, request: Request) -> Response:
    """Return what a table of solved positions says of a position and of its turns."""
    return await _quick(request, "probe", body)


@router.post("/records/read", responses=_ASKED, response_model=m.RecordsOut)
async def read_records(body: m.RecordText, request: Request) -> Response:
    """Read game records, the first 50 of a text, or a position: a game that begins there."""
    return await _quick(request, "records/read", body)


@router.post("/records/write", responses=_ASKED, response_model=m.TextOut)
async def write_record(body: m.Recorded, request: Request) -> Response:
    """Write a game as a record."""
    return await _quick(request, "records/write", body)


@router.get("/texts/{language}", responses=_GOT, response_model=dict[str, str])
async def texts(language: Annotated[str, Path(max_length=10)]) -> Response:
    """Return the page's texts in a language."""
    if language not in LANGUAGES:
        raise DamierError("no-language", name=language)
    return _given(await run_in_threadpool(_fixed, "texts", language))


@router.get("/rules/{name}", responses={**_GOT, **_BUSY}, response_model=m.RulesOut)
async def rules(name: Annotated[str, Path(max_length=40)], request: Request) -> Response:
    """Return a game's rules for a reader: sections of text, and diagrams to draw and to try."""
    crew: Crew = request.app.state.crew
    job = _job(request, "rules", {"name": name})
    return _given(await crew.quick.ask(job, m.MOST_SECONDS, request.is_disconnected))
