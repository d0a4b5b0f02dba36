"""The server: the HTTP interface, the page's files, and what every answer carries."""

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

from damier import __version__, lang
from damier.errors import DamierError
from damier.web import models as m
from damier.web.answers import malformed, refusal
from damier.web.api import ANY, router
from damier.web.crew import Busy, Crew, Gone, Preparing, TooMuch
from damier.web.models import MOST_BYTES, MOST_SECONDS

STATIC = Path(__file__).parent / "static"
# Whatever the system calls them.
mimetypes.add_type("text/javascript", ".js")
mimetypes.add_type("application/manifest+json", ".webmanifest")
# Pictures of a board are drawn from a file that the page has made itself: a blob.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors "
)
HEADERS = {
    "Content-Security-Policy": POLICY + "'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def create_app(
    crew: Callable[[], Crew] = Crew,
    hosts: Collection[str] | None = None,
    public: str | None = None,
) -> FastAPI:
    """Return the application; `crew` makes the processes that do its work.

    With `hosts` it answers only to these names: a page elsewhere could otherwise give a name of
    its own to this machine and speak to the server in the reader's place. `public` is the address
    under which others find the page, for the links that a reader shares.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.crew = crew()
        yield
        await app.state.crew.end()

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
    app.state.guard = None  # may refuse a question: see `damier.online.guard`
    app.state.checks = []  # what must be well for the server to be
    app.include_router(router)
    app.add_api_route("/healthz", _health, response_model=m.HealthOut, responses=ANY)
    files = Files(directory=STATIC)

    async def index(request: Request) -> Response:
        return await files.get_response("index.html", request.scope)

    async def embed(request: Request) -> Response:
        """The one page that others may show in a frame: nothing can be lost by a click on it."""
        response = await files.get_response("embed.html", request.scope)
        response.headers["Content-Security-Policy"] = POLICY + "*"
        return response

    async def offline(request: Request) -> Response:
        """The page's service worker: it speaks for what lies below its own address."""
        return await files.get_response("offline.js", request.scope)

    app.add_api_route("/", index, include_in_schema=False)
    app.add_api_route("/sw.js", offline, include_in_schema=False)
    app.add_api_route("/embed.html", embed, include_in_schema=False)
    app.mount("/static", files)
    app.add_exception_handler(DamierError, _refuse)
    app.add_exception_handler(Busy, _busy)
    app.add_exception_handler(TooMuch, _too_much)
    app.add_exception_handler(Gone, _gone)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_middleware(Envelope, hosts=hosts)
    return app


class Files(StaticFiles):
    """The page's files: kept by the browser, and asked for each time whether they still stand."""

    def file_response(self, *args: Any, **more: Any) -> Response:
        """Return a file, or that it is still the same."""
        response = super().file_response(*args, **more)
        response.headers["Cache-Control"] = "no-cache"
        return response


class Envelope:
    """What holds for every request: its language, its greatest size, the answer's headers."""

    def __init__(self, app: ASGIApp, hosts: Collection[str] | None = None) -> None:
        self.app = app
        self.hosts = None if hosts is None else {host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        headers = dict(scope.get("headers", ()))
        if scope["type"] == "websocket" and not self._welcome(headers):
            await send({"type": "websocket.close"})  # before it was accepted: 403
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        language = spoken(headers.get(b"accept-language", b"").decode("latin-1"))
        scope.setdefault("state", {})["language"] = language
        if scope["method"] == "HEAD":  # the server leaves the body out
            scope = {**scope, "method": "GET"}

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name for name, _ in message["headers"]}
                usual = {**HEADERS, "Cache-Control": "no-store"}
                more = [(k.lower().encode(), v.encode()) for k, v in usual.items()]
                message["headers"] += [(k, v) for k, v in more if k not in present]
            await send(message)

        with lang.speaking(language):
            answer: ASGIApp
            try:
                self._check_host(headers.get(b"host", b"").decode("latin-1"))
                if scope["method"] not in ("GET", "HEAD", "OPTIONS"):
                    _check_site(headers)
                async with asyncio.timeout(MOST_SECONDS):
                    body = await _whole_body(receive) if scope["method"] == "POST" else None
                answer, receive = self.app, _given(body, receive)
            except _WrongHost as error:
                answer = _error(421, DamierError("host", host=str(error)[:300]))
            except _Elsewhere:
                answer = _error(403, DamierError("cross-site"))
            except OverflowError:
                answer = _error(413, DamierError("too-long", most=MOST_BYTES // 1024))
            except TimeoutError:
                answer = _error(408, DamierError("too-slow", seconds=int(MOST_SECONDS)))
            await answer(scope, receive, send_with_headers)

    def _welcome(self, headers: dict[bytes, bytes]) -> bool:
        """Tell whether a WebSocket may be opened: to this server, by a page of this server."""
        try:
            self._check_host(headers.get(b"host", b"").decode("latin-1"))
            _check_site(headers)
        except (_WrongHost, _Elsewhere):
            return False
        return True

    def _check_host(self, host: str) -> None:
        """Refuse a name that is not this server's: what comes after the last colon is the port.

        Starlette's TrustedHostMiddleware would do so with 400, as plain text and in English alone.
        """
        name = host if host.endswith("]") else host.rpartition(":")[0] or host
        if self.hosts is not None and name.lower() not in self.hosts:
            raise _WrongHost(host)


class _WrongHost(Exception):
    """The request is meant for another server."""


class _Elsewhere(Exception):
    """The request comes from a page of another site."""


def _check_site(headers: dict[bytes, bytes]) -> None:
    """Refuse what a page of another site sends: browsers say from where a request comes.

    Not asked of what changes nothing and cannot be read there: GET, HEAD, OPTIONS.
    """
    if headers.get(b"sec-fetch-site", b"none") not in (b"none", b"same-origin"):
        raise _Elsewhere
    origin = headers.get(b"origin")
    if origin is None:
        return
    try:
        site = urlsplit(origin.decode("latin-1").lower())
        here = urlsplit(f"{site.scheme}://{headers.get(b'host', b'').decode('latin-1').lower()}")
        usual = {"http": 80, "https": 443}.get(site.scheme, 0)
        same = (site.hostname, site.port or usual) == (here.hostname, here.port or usual)
    except ValueError:  # no address at all
        same = False
    if not same or not site.hostname:
        raise _Elsewhere


async def _whole_body(receive: Receive) -> bytes:
    parts, length = [], 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b""
        length += len(message.get("body", b""))
        if length <= MOST_BYTES:
            parts.append(message.get("body", b""))
        if not message.get("more_body"):
            if length > MOST_BYTES:  # read to its end: else the asker never sees the answer
                raise OverflowError
            return b"".join(parts)
        if length > 64 * MOST_BYTES:
            raise OverflowError


def _given(body: bytes | None, receive: Receive) -> Receive:
    """Return a receiver that gives a body already read, then what else comes."""
    if body is None:
        return receive
    waiting = [body]

    async def give() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return give


def spoken(accepted: str) -> str:
    """Return the language of this package that a browser would like most."""
    best, chosen = 0.0, "en"
    for part in accepted[:200].split(","):
        name, _, quality = part.strip().partition(";q=")
        try:
            weight = float(quality or 1)
        except ValueError:
            weight = 0.0
        if name[:2].lower() in lang.LANGUAGES and weight > best:
            best, chosen = weight, name[:2].lower()
    return chosen


def _error(
    status: int | None, error: DamierError, headers: dict[str, str] | None = None
) -> JSONResponse:  # fmt: skip
    status, body = refusal(error, status)
    return JSONResponse(body, status, headers)


async def _health(request: Request) -> m.HealthOut:
    """Tell that the server answers, and all that it stands on."""
    for check in request.app.state.checks:
        await check()
    return m.HealthOut(ok=True, version=__version__)


async def _refuse(request: Request, error: Exception) -> Response:
    assert isinstance(error, DamierError)
    return _error(None, error)


async def _busy(request: Request, error: Exception) -> Response:
    key = "preparing" if isinstance(error, Preparing) else "busy"
    return _error(503, DamierError(key), {"Retry-After": "2"})


async def _too_much(request: Request, error: Exception) -> Response:
    return _error(422, DamierError("too-much"))


async def _gone(request: Request, error: Exception) -> Response:
    return Response(status_code=499)  # nobody reads it


async def _malformed(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    return _error(422, malformed(first["loc"], first["type"], first.get("ctx", {})))


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        if "text/html" in request.headers.get("accept", ""):  # a person: the page says it kindly
            page = (STATIC / "index.html").read_text("utf-8")
            return HTMLResponse(page.replace('"./', '"/'), 404)  # wherever it is shown
        return _error(404, DamierError("no-page", path=request.url.path[:300]))
    if error.status_code == 400:  # numbers too long, brackets too deep
        return _error(400, malformed((), "json_invalid", {}))
    refused = DamierError("method", method=request.method, path=request.url.path[:300])
    return _error(error.status_code, refused, dict(error.headers or {}))
