"""Routes of the HTTP interface, version 1. The server stores no game: a request carries its game.

Requests are validated here and answered by worker processes (`damier.web.worker_pool`), except for
a few that the server process answers itself. The routes derive from `damier.web.endpoints`.
"""

import inspect
from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Any, cast

from fastapi import APIRouter, Path, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel

from damier.errors import DamierError
from damier.i18n import LANGUAGES
from damier.position import load_rules
from damier.web import lab_models, learning_models
from damier.web import models as m
from damier.web.addresses import client_address
from damier.web.endpoints import ENDPOINTS, Endpoint, answer
from damier.web.worker_pool import Job, WorkerPools

RETRY_AFTER_S = 2  # for requests refused with status 503

ErrorResponses = dict[int | str, dict[str, Any]]

_ERROR_DESCRIPTIONS = {
    400: "The request cannot be used; the message says why.",
    403: "The request comes from a page of another site.",
    404: "There is no such game, table or text.",
    408: "The request took too long to arrive.",
    413: "The request is too long.",
    421: "The host name is not one of this server.",
    422: "The request does not match its schema, or asks for too much; the message says which.",
    500: "An internal error.",
    503: "The server is overloaded or a table has changed: try again after Retry-After.",
}


def _describe_errors(*statuses: int) -> ErrorResponses:
    """Return the OpenAPI description of some error statuses."""
    return {
        status: {"model": m.ErrorResponse, "description": _ERROR_DESCRIPTIONS[status]}
        for status in statuses
    }


COMMON_ERRORS = _describe_errors(421, 500)
router = APIRouter(prefix="/api/v1", responses=COMMON_ERRORS)


def model_named(name: str) -> type[BaseModel]:
    """Return the request or response model of this name."""
    module = next(found for found in (m, learning_models, lab_models) if hasattr(found, name))
    return cast(type[BaseModel], getattr(module, name))


def _path_parameter(endpoint: Endpoint) -> Any:
    """Return the FastAPI declaration of the parameter in an endpoint's path."""
    assert endpoint.parameter is not None
    constraints = Path(alias=endpoint.parameter.name, max_length=endpoint.parameter.max_length)
    return Annotated[str, constraints]


def _worker_route(endpoint: Endpoint) -> Callable[..., Any]:
    """Return a route function that lets a worker process answer."""
    route: Callable[..., Any]
    if endpoint.parameter is not None:
        parameter = endpoint.parameter.name

        async def get(value: str, request: Request) -> Response:
            return await _answer_in_worker(request, endpoint, {parameter: value})

        get.__annotations__["value"] = _path_parameter(endpoint)  # FastAPI validates by these
        route = get
    else:
        assert endpoint.request is not None

        async def post(body: m.StrictModel, request: Request) -> Response:
            return await _answer_in_worker(request, endpoint, body.model_dump())

        post.__annotations__["body"] = model_named(endpoint.request)
        route = post
    return route


async def _answer_in_worker(request: Request, endpoint: Endpoint, body: dict[str, Any]) -> Response:
    """Let a worker process answer a request. An analysis may take its own time on top."""
    if request.app.state.guard is not None:
        await request.app.state.guard(request, endpoint.name, body)
    pools: WorkerPools = request.app.state.worker_pools
    pool = pools.engine if endpoint.pool_for(body) == "engine" else pools.interactive
    client = client_address(request)
    job = Job(endpoint.name, body, request.state.language, client)
    timeout_s = m.MAX_SECONDS + body.get("seconds", 0.0)

    async def wait_for_disconnect() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    return _response(*await pool.run(job, timeout_s, wait_for_disconnect))


def _response(status: int, body: bytes) -> Response:
    """Build the HTTP response. The body is not validated again, for speed."""
    headers = {"Retry-After": str(RETRY_AFTER_S)} if status == 503 else None
    return Response(body, status, headers, media_type="application/json")


# ---- answered by the server process itself --------------------------------------------------


@lru_cache(maxsize=16)
def _cached_answer(
    name: str, language: str, public: str | None = None, online: bool = False
) -> tuple[int, bytes]:
    """Return an answer that never changes."""
    body = {"language": language, "public": public, "online": online}
    return answer(name, body, language, None)


async def _list_games(request: Request) -> Response:
    state = request.app.state
    pools: WorkerPools = state.worker_pools
    pools.interactive.prestart()  # a client that lists the games is about to play one
    online = getattr(state, "online", None) is not None  # set by `damier serve`
    return _response(*await run_in_threadpool(_cached_answer, "games", "en", state.public, online))


async def _get_texts(
    language: _path_parameter(ENDPOINTS["texts"]),  # type: ignore[valid-type]  # made at run time
) -> Response:
    if language not in LANGUAGES:
        raise DamierError("no-language", name=language)
    return _response(*await run_in_threadpool(_cached_answer, "texts", language))


async def _warm_up(body: m.GameNameRequest, request: Request) -> m.WarmUpResponse:
    pools: WorkerPools = request.app.state.worker_pools
    return m.WarmUpResponse(ready=pools.engine.warm_up(load_rules(body.game).name))


_SERVER_ROUTES: dict[str, Callable[..., Any]] = {
    "games": _list_games,
    "texts": _get_texts,
    "warm": _warm_up,
}


def _add_route(endpoint: Endpoint) -> None:
    """Register the route of an endpoint."""
    response = dict[str, str] if endpoint.response is None else model_named(endpoint.response)
    router.add_api_route(
        endpoint.path,
        _worker_route(endpoint) if endpoint.pool else _SERVER_ROUTES[endpoint.name],
        methods=[endpoint.method],
        name=endpoint.name.replace("/", "_"),
        description=inspect.getdoc(endpoint.handler),
        responses=_describe_errors(*endpoint.error_statuses),
        response_model=response,
    )


for _endpoint in ENDPOINTS.values():
    _add_route(_endpoint)
