"""The HTTP interface, version 1: what may be asked. Every request carries its game: none is kept.

A request is checked here and answered by a process of its own (`damier.web.crew`).
"""

from functools import lru_cache
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel

from damier.errors import DamierError
from damier.lang import LANGUAGES
from damier.position import game
from damier.web import learning
from damier.web import models as m
from damier.web.answers import ANSWERS, answer
from damier.web.crew import Crew, Job

Responses = dict[int | str, dict[str, Any]]


def _responses(**said: str) -> Responses:
    return {int(k[1:]): {"model": m.ErrorOut, "description": v} for k, v in said.items()}


ANY = _responses(_421="The host named is not this server.", _500="A fault of the server's.")
_NOT_THERE = _responses(_404="There is no such game, table or text.")
_BUSY = _responses(_503="Too much to do, or a table has changed: try again after Retry-After.")
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


# What can be asked with POST, in what form, and the form of the answer. What it is for is said
# where it is answered.
POSTS: dict[str, tuple[type[m.Strict], type[BaseModel]]] = {
    "state": (m.Looked, m.StateOut),
    "turns": (m.Played, m.TurnsOut),
    "line": (m.Played, m.LineOut),
    "play": (m.Tried, m.StateOut),
    "why": (m.Attempt, m.WhyOut),
    "position": (m.Placed, m.PositionOut),
    "training": (learning.Trained, learning.TrainedOut),
    "move": (m.Asked, m.MoveOut),
    "analysis": (m.Examined, m.AnalysisOut),
    "probe": (m.Played, m.ProbeOut),
    "lessons": (m.Named, learning.LessonsOut),
    "lessons/try": (learning.Attempted, learning.JudgedOut),
    "records/read": (m.RecordText, m.RecordsOut),
    "records/write": (m.Recorded, m.TextOut),
    "puzzles": (m.Named, learning.PuzzlesOut),
    "puzzles/shown": (learning.PuzzleNamed, learning.PuzzleShownOut),
    "puzzles/attempt": (learning.PuzzleTried, learning.VerdictOut),
    "puzzles/hint": (learning.PuzzleTried, learning.HintOut),
    "puzzles/solution": (learning.PuzzleNamed, learning.SolutionOut),
    "puzzles/daily": (learning.Dated, learning.DailyOut),
}
THINKING = {
    "move",
    "analysis",
    "puzzles/attempt",
}  # what the engine answers, and lets the others go first


def _add(name: str, asked: type[m.Strict], answered: type[BaseModel]) -> None:
    """Let something be asked with POST."""

    async def ask(body: m.Strict, request: Request) -> Response:
        return await _answered(request, name, body.model_dump())

    ask.__annotations__["body"] = asked  # by which FastAPI reads and checks it
    router.add_api_route(
        f"/{name}",
        ask,
        methods=["POST"],
        name=name.replace("/", "_"),
        description=ANSWERS[name].__doc__,
        responses=_ASKED,
        response_model=answered,
    )


async def _answered(request: Request, name: str, body: dict[str, Any]) -> Response:
    """Let a process answer a request; an analysis has the time that it asks for besides."""
    if request.app.state.guard is not None:
        await request.app.state.guard(request, name, body)
    crew: Crew = request.app.state.crew
    lane = crew.engine if name in THINKING else crew.quick
    asker = request.client.host if request.client else ""
    job = Job(name, body, request.state.language, asker)
    seconds = m.MOST_SECONDS + body.get("seconds", 0.0)

    async def gone() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    return _given(await lane.ask(job, seconds, gone))


def _given(answered: tuple[int, bytes]) -> Response:
    """Answer with what this package has made itself: checking it again would take longer."""
    status, body = answered
    later = {"Retry-After": "2"} if status == 503 else None
    return Response(body, status, later, media_type="application/json")


@lru_cache(maxsize=16)
def _fixed(
    name: str, language: str, public: str | None = None, online: bool = False
) -> tuple[int, bytes]:  # fmt: skip
    """Return an answer that is always the same."""
    body = {"language": language, "public": public, "online": online}
    return answer(name, body, language, None)


@router.get("/games", response_model=m.GamesOut)
async def games(request: Request) -> Response:
    """List the games with their options, boards and starts."""
    crew: Crew = request.app.state.crew
    crew.quick.wake()  # whoever lists the games is about to play one
    known = request.app.state
    online = getattr(known, "online", None) is not None  # what `damier serve` adds
    return _given(await run_in_threadpool(_fixed, "games", "en", known.public, online))


@router.post("/warm", responses=_ASKED)
async def warm(body: m.Named, request: Request) -> m.ReadyOut:
    """Prepare the engine for a game, and say whether it is: the first time takes seconds.

    Nothing has to be prepared: the engine does so when it is first asked.
    """
    crew: Crew = request.app.state.crew
    return m.ReadyOut(ready=crew.engine.prepare(game(body.game).name))


@router.get("/texts/{language}", responses=_GOT, response_model=dict[str, str])
async def texts(language: Annotated[str, Path(max_length=10)]) -> Response:
    """Return the page's texts in a language."""
    if language not in LANGUAGES:
        raise DamierError("no-language", name=language)
    return _given(await run_in_threadpool(_fixed, "texts", language))


@router.get("/rules/{name}", responses={**_GOT, **_BUSY}, response_model=m.RulesOut)
async def rules(name: Annotated[str, Path(max_length=40)], request: Request) -> Response:
    """Return a game's rules for a reader: sections of text, and diagrams to draw and to try."""
    return await _answered(request, "rules", {"name": name})


for _name, _forms in POSTS.items():
    _add(_name, *_forms)
