"""Registry of the endpoints of the HTTP interface: one entry holds every fact about an endpoint.

The server's routes, the dispatch in worker processes, the fair-play guard of rated games, the
dispatcher of the static site and the page's list of engine endpoints all derive from `ENDPOINTS`.
Request and response models are named, not imported: this module also runs in the browser, where
there is no pydantic.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from damier import i18n
from damier.errors import DamierError
from damier.games.run_time_errors import located_errors
from damier.web import handlers
from damier.web.responses import Body, encode_json, error_response

if TYPE_CHECKING:
    from damier.search import Stop

# The pool of worker processes that answers: "engine" runs searches at low priority.
Pool = Literal["interactive", "engine"]


@dataclass(frozen=True)
class PathParameter:
    """A parameter in the path of a GET endpoint."""

    name: str
    max_length: int


@dataclass(frozen=True)
class Endpoint:
    """An endpoint below /api/v1/. One with a request model is asked with POST, others with GET."""

    name: str
    handler: Callable[..., Body]  # takes the request body, and a Stop if `stoppable`
    response: str | None = None  # name of a model; None: an object of strings
    request: str | None = None  # name of a model
    parameter: PathParameter | None = None
    pool: Pool | None = "interactive"  # None: answered by the server process itself
    stoppable: bool = False
    helps_players: bool = False  # refused for positions of a rated game to those who play it
    batch_field: str | None = None  # a request with this list is answered by the engine pool
    needs_kernels: bool = False  # needs the compiled kernels of its game, or its table

    @property
    def method(self) -> str:
        """The HTTP method."""
        return "GET" if self.request is None else "POST"

    @property
    def path(self) -> str:
        """The path below /api/v1, with the parameter in braces."""
        return f"/{self.name}" + (f"/{{{self.parameter.name}}}" if self.parameter else "")

    @property
    def error_statuses(self) -> list[int]:
        """The HTTP statuses of the errors that are specific to this endpoint."""
        if self.request is not None:
            return [400, 403, 404, 408, 413, 422, 503]
        statuses = [404, 422] if self.parameter else []
        return [*statuses, 503] if self.pool else statuses

    def pool_for(self, body: Body) -> Pool | None:
        """Return the pool of worker processes that answers a request."""
        is_batch = self.batch_field is not None and body[self.batch_field] is not None
        return "engine" if is_batch else self.pool

    def handle(self, body: Body, stop: Stop | None) -> Body:
        """Return the response to a request; raise DamierError if it cannot be answered."""
        return self.handler(body, stop) if self.stoppable else self.handler(body)


_ENDPOINTS = (
    Endpoint("games", handlers.list_games, "GamesResponse", pool=None),
    Endpoint("texts", handlers.get_texts, parameter=PathParameter("language", 10), pool=None),
    Endpoint(
        "rules",
        handlers.get_rules,
        "RulesResponse",
        parameter=PathParameter("name", 40),
        needs_kernels=True,
    ),
    Endpoint(
        "warm",
        handlers.warm_up,
        "WarmUpResponse",
        "GameNameRequest",
        pool=None,
        needs_kernels=True,
    ),
    Endpoint("state", handlers.get_state, "StateResponse", "StateRequest"),
    Endpoint("turns", handlers.list_moves, "LegalMovesResponse", "GameRequest"),
    Endpoint("line", handlers.get_line, "LineResponse", "GameRequest"),
    Endpoint("play", handlers.play_move, "StateResponse", "PlayRequest"),
    Endpoint("why", handlers.explain_refusal, "WhyNotResponse", "WhyNotRequest"),
    Endpoint("position", handlers.set_up_position, "PositionResponse", "PositionRequest"),
    Endpoint("records/read", handlers.read_records, "ReadRecordsResponse", "ReadRecordsRequest"),
    Endpoint("records/write", handlers.write_record, "WriteRecordResponse", "WriteRecordRequest"),
    Endpoint(
        "move",
        handlers.choose_move,
        "EngineMoveResponse",
        "EngineMoveRequest",
        pool="engine",
        stoppable=True,
        helps_players=True,
        needs_kernels=True,
    ),
    Endpoint(
        "analysis",
        handlers.analyse,
        "AnalysisResponse",
        "AnalysisRequest",
        pool="engine",
        stoppable=True,
        helps_players=True,
        needs_kernels=True,
    ),
    Endpoint(
        "explanation",
        handlers.explain,
        "ExplanationResponse",
        "ExplanationRequest",
        pool="engine",
        stoppable=True,
        helps_players=True,
        needs_kernels=True,
    ),
    Endpoint(
        "probe",
        handlers.probe,
        "ProbeResponse",
        "ProbeRequest",
        stoppable=True,
        helps_players=True,
        batch_field="positions",
        needs_kernels=True,
    ),
    Endpoint(
        "training",
        handlers.update_training,
        "TrainingResponse",
        "TrainingRequest",
        helps_players=True,
    ),
    Endpoint(
        "lessons",
        handlers.get_lessons,
        "LessonsResponse",
        "GameNameRequest",
        helps_players=True,
    ),
    Endpoint(
        "lessons/try",
        handlers.judge_lesson_attempt,
        "LessonAttemptResponse",
        "LessonAttemptRequest",
        helps_players=True,
    ),
    Endpoint(
        "puzzles",
        handlers.list_puzzles,
        "PuzzlesResponse",
        "GameNameRequest",
        helps_players=True,
    ),
    Endpoint(
        "puzzles/shown",
        handlers.get_puzzle,
        "PuzzleResponse",
        "PuzzleRequest",
        helps_players=True,
    ),
    Endpoint(
        "puzzles/attempt",
        handlers.judge_puzzle_attempt,
        "PuzzleAttemptResponse",
        "PuzzleAttemptRequest",
        pool="engine",
        helps_players=True,
        needs_kernels=True,
    ),
    Endpoint(
        "puzzles/hint",
        handlers.get_puzzle_hint,
        "PuzzleHintResponse",
        "PuzzleAttemptRequest",
        helps_players=True,
    ),
    Endpoint(
        "puzzles/solution",
        handlers.get_puzzle_solution,
        "PuzzleSolutionResponse",
        "PuzzleRequest",
        helps_players=True,
    ),
    Endpoint(
        "puzzles/daily",
        handlers.get_daily_puzzle,
        "DailyPuzzleResponse",
        "DailyPuzzleRequest",
        helps_players=True,
    ),
    Endpoint("lab/report", handlers.get_lab_report, "LabReport", "GameNameRequest"),
    Endpoint(
        "lab/run",
        handlers.run_lab,
        "LabRunResponse",
        "LabRunRequest",
        pool="engine",
        stoppable=True,
        needs_kernels=True,
    ),
)
ENDPOINTS = {endpoint.name: endpoint for endpoint in _ENDPOINTS}


def answer(name: str, body: Body, language: str, stop: Stop | None) -> tuple[int, bytes]:
    """Return the status and the encoded body of the answer to a valid request."""
    with i18n.use_language(language):
        try:
            with located_errors():
                return 200, encode_json(ENDPOINTS[name].handle(body, stop))
        except DamierError as error:
            status, error_body = error_response(error)
            return status, encode_json(error_body)


def engine_endpoints() -> list[str]:
    """Return the names of the endpoints that the engine pool answers: those that may take long."""
    return [endpoint.name for endpoint in ENDPOINTS.values() if endpoint.pool == "engine"]
