"""FastAPI application: the HTTP interface, the page's files, and middleware for all requests."""

import asyncio
import mimetypes
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from damier import __version__, i18n
from damier.errors import DamierError
from damier.web import models as m
from damier.web.api import COMMON_ERRORS, RETRY_AFTER_S, router
from damier.web.models import MAX_BYTES, MAX_SECONDS
from damier.web.responses import error_response, malformed_request
from damier.web.worker_pool import (
    ClientDisconnected,
    EngineWarmingUp,
    JobLimitExceeded,
    PoolBusy,
    WorkerPools,
)

STATIC = Path(__file__).parent / "static"
# Independent of the operating system's list of media types.
mimetypes.add_type("text/javascript", ".js")
mimetypes.add_type("application/manifest+json", ".webmanifest")
# The page draws pictures of a board from blobs that it has made itself.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors "
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY + "'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def create_app(
    worker_pools: Callable[[], WorkerPools] = WorkerPools,
    hosts: Collection[str] | None = None,
    public: str | None = None,
) -> FastAPI:
    """Return the application; `worker_pools` makes the processes that answer requests.

    With `hosts`, requests for other host names are refused. This prevents DNS rebinding: a page of
    another site cannot reach the server under a name of its own. `public` is the public address of
    the page, for links that users share.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.worker_pools = worker_pools()
        yield
        await app.state.worker_pools.end()

    app = FastAPI(
        title="damier",
        version=__version__,
        description="Play, analyse and look up small board games.",
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.public = public
    app.state.guard = None  # may refuse a request: see `damier.online.fair_play`
    app.state.checks = []  # health checks: coroutine functions that raise if something is wrong
    app.include_router(router)
    app.add_api_route("/healthz", _health, response_model=m.HealthResponse, responses=COMMON_ERRORS)
    files = PageFiles(directory=STATIC)

    async def index(request: Request) -> Response:
        return await files.get_response("index.html", request.scope)

    async def embed(request: Request) -> Response:
        """Serve the only page that other sites may embed: clicks on it have no lasting effect."""
        response = await files.get_response("embed.html", request.scope)
        response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY + "*"
        return response

    async def offline(request: Request) -> Response:
        """Serve the service worker from the root: its scope is the folder it is served from."""
        return await files.get_response("offline.js", request.scope)

    app.add_api_route("/", index, include_in_schema=False)
    app.add_api_route("/sw.js", offline, include_in_schema=False)
    app.add_api_route("/embed.html", embed, include_in_schema=False)
    app.mount("/static", files)
    app.add_exception_handler(DamierError, _damier_error)
    app.add_exception_handler(PoolBusy, _busy)
    app.add_exception_handler(JobLimitExceeded, _handle_limit_exceeded)
    app.add_exception_handler(ClientDisconnected, _handle_disconnect)
    app.add_exception_handler(RequestValidationError, _handle_malformed)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_middleware(RequestMiddleware, hosts=hosts)
    return app


class PageFiles(StaticFiles):
    """The page's files: browsers cache them, and revalidate them at each use."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        """Return a file, or status 304 if it has not changed."""
        response = super().file_response(*args, **kwargs)
        response.headers["Cache-Control"] = "no-cache"
        return response


class RequestMiddleware:
    """Middleware for every request: host and origin checks, language, size limit, headers."""

    def __init__(self, app: ASGIApp, hosts: Collection[str] | None = None) -> None:
        self.app = app
        self.hosts = None if hosts is None else {host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request or a WebSocket handshake."""
        headers = dict(scope.get("headers", ()))
        if scope["type"] == "websocket" and not self._may_connect(headers):
            await send(
                {"type": "websocket.close"}
            )  # before it is accepted: the client gets status 403
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        language = preferred_language(headers.get(b"accept-language", b"").decode("latin-1"))
        scope.setdefault("state", {})["language"] = language
        if scope["method"] == "HEAD":  # uvicorn omits the body
            scope = {**scope, "method": "GET"}

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name for name, _ in message["headers"]}
                defaults = {**HEADERS, "Cache-Control": "no-store"}
                encoded = [(k.lower().encode(), v.encode()) for k, v in defaults.items()]
                message["headers"] += [(k, v) for k, v in encoded if k not in present]
            await send(message)

        with i18n.use_language(language):
            responder: ASGIApp
            try:
                self._check_host(headers.get(b"host", b"").decode("latin-1"))
                if scope["method"] not in ("GET", "HEAD", "OPTIONS"):
                    _check_origin(headers)
                async with asyncio.timeout(MAX_SECONDS):
                    body = await _read_body(receive) if scope["method"] == "POST" else None
                responder, receive = self.app, _replay_body(body, receive)
            except _WrongHost as error:
                responder = _error(DamierError("host", host=str(error)[:300]))
            except _CrossSiteRequest:
                responder = _error(DamierError("cross-site"))
            except _BodyTooLong:
                responder = _error(DamierError("too-long", most=MAX_BYTES // 1024))
            except TimeoutError:
                responder = _error(DamierError("too-slow", seconds=int(MAX_SECONDS)))
            await responder(scope, receive, send_with_headers)

    def _may_connect(self, headers: dict[bytes, bytes]) -> bool:
        """Return whether a WebSocket may be opened: to this host, by a page of this origin."""
        try:
            self._check_host(headers.get(b"host", b"").decode("latin-1"))
            _check_origin(headers)
        except (_WrongHost, _CrossSiteRequest):
            return False
        return True

    def _check_host(self, host: str) -> None:
        """Raise _WrongHost for a host name that is not this server's.

        Not done by Starlette's TrustedHostMiddleware, which answers 400 in English plain text.
        """
        name = host if host.endswith("]") else host.rpartition(":")[0] or host  # without port
        if self.hosts is not None and name.lower() not in self.hosts:
            raise _WrongHost(host)


class _WrongHost(Exception):
    """The request names another host."""


class _CrossSiteRequest(Exception):
    """The request comes from a page of another site."""


class _BodyTooLong(Exception):
    """The request body exceeds MAX_BYTES."""


def _check_origin(headers: dict[bytes, bytes]) -> None:
    """Raise _CrossSiteRequest for a request of another site's page, by the browser's headers.

    Not needed for GET, HEAD and OPTIONS: they change nothing, and the other page cannot read the
    response.
    """
    if headers.get(b"sec-fetch-site", b"none") not in (b"none", b"same-origin"):
        raise _CrossSiteRequest
    origin = headers.get(b"origin")
    if origin is None:
        return
    try:
        site = urlsplit(origin.decode("latin-1").lower())
        own = urlsplit(f"{site.scheme}://{headers.get(b'host', b'').decode('latin-1').lower()}")
        default_port = {"http": 80, "https": 443}.get(site.scheme, 0)
        same = (site.hostname, site.port or default_port) == (
            own.hostname,
            own.port or default_port,
        )
    except ValueError:  # not a valid address
        same = False
    if not same or not site.hostname:
        raise _CrossSiteRequest


async def _read_body(receive: Receive) -> bytes:
    """Return the body of a request; raise _BodyTooLong."""
    parts, length = [], 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b""
        length += len(message.get("body", b""))
        if length <= MAX_BYTES:
            parts.append(message.get("body", b""))
        if not message.get("more_body"):
            if length > MAX_BYTES:  # after reading it all: else the client misses the response
                raise _BodyTooLong
            return b"".join(parts)
        if length > 64 * MAX_BYTES:
            raise _BodyTooLong


def _replay_body(body: bytes | None, receive: Receive) -> Receive:
    """Return a receive function that yields a body already read, then further messages."""
    if body is None:
        return receive
    unread = [body]

    async def replay() -> Message:
        if unread:
            return {"type": "http.request", "body": unread.pop(), "more_body": False}
        return await receive()

    return replay


def preferred_language(accepted: str) -> str:
    """Return the available language that an Accept-Language header prefers; "en" by default."""
    best, chosen = 0.0, "en"
    for part in accepted[:200].split(","):
        name, _, quality = part.strip().partition(";q=")
        try:
            weight = float(quality or 1)
        except ValueError:
            weight = 0.0
        if name[:2].lower() in i18n.LANGUAGES and weight > best:
            best, chosen = weight, name[:2].lower()
    return chosen


def _error(
    error: DamierError, status: int | None = None, headers: dict[str, str] | None = None
) -> JSONResponse:
    """Return the response that reports an error, by default with the status of its key."""
    status, body = error_response(error, status)
    return JSONResponse(body, status, headers)


async def _health(request: Request) -> m.HealthResponse:
    """Run the health checks and return the version of the server."""
    for check in request.app.state.checks:
        await check()
    return m.HealthResponse(ok=True, version=__version__)


async def _damier_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, DamierError)
    return _error(error)


async def _busy(request: Request, error: Exception) -> Response:
    key = "preparing" if isinstance(error, EngineWarmingUp) else "busy"
    return _error(DamierError(key), 503, {"Retry-After": str(RETRY_AFTER_S)})


async def _handle_limit_exceeded(request: Request, error: Exception) -> Response:
    return _error(DamierError("too-much"))


async def _handle_disconnect(request: Request, error: Exception) -> Response:
    return Response(status_code=499)  # not received by anyone


async def _handle_malformed(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    return _error(malformed_request(first["loc"], first["type"], first.get("ctx", {})))


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        if "text/html" in request.headers.get(
            "accept", ""
        ):  # a browser: shows the page, which explains the error
            page = (STATIC / "index.html").read_text("utf-8")
            return HTMLResponse(
                page.replace('"./', '"/'), 404
            )  # the address may have several levels
        return _error(DamierError("no-page", path=request.url.path[:300]))
    if error.status_code == 400:  # invalid JSON for Python: numbers too long, brackets too deep
        return _error(malformed_request((), "json_invalid", {}), 400)
    problem = DamierError("method", method=request.method, path=request.url.path[:300])
    return _error(problem, error.status_code, dict(error.headers or {}))
