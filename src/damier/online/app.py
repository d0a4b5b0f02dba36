"""The server with online play: what `damier.web.app` serves, and the tables of people far apart."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse

from damier import places
from damier.errors import DamierError
from damier.online import migrations
from damier.online.guard import Guard
from damier.online.http import router
from damier.online.limits import Limits, TooFast
from damier.online.service import Service, milliseconds
from damier.online.socket import serve
from damier.online.store import Away, Conflict, Store, keep_settings
from damier.online.sweeper import Sweeper
from damier.web.answers import refusal
from damier.web.app import create_app
from damier.web.crew import Crew

if TYPE_CHECKING:
    from damier.online.listening import Listening

_STATUS = {
    **dict.fromkeys(("no-online-game", "no-player"), 404),
    **dict.fromkeys(("not-your-seat", "rated-guard"), 403),
    **dict.fromkeys(("seat-taken", "own-table", "moved-on", "not-your-turn", "too-late"), 409),
    **dict.fromkeys(("too-many-tables", "too-many-games", "too-many-watchers"), 429),
    **dict.fromkeys(("identity", "identity-closed"), 401),
}


def usual_database() -> str:
    """Return the address of the database that is used if none is named."""
    return f"sqlite+aiosqlite:///{places.data_directory() / 'online.sqlite'}"


def create_online_app(
    database_url: str | None = None,
    public: str | None = None,
    hosts: Collection[str] | None = None,
    crew: Callable[[], Crew] = Crew,
    now: Callable[[], int] = milliseconds,
    limits: Limits | None = None,
) -> FastAPI:
    """Return the application with online play; the rest is as `damier.web.app.create_app` says.

    `now` is the server's clock in milliseconds, `limits` how much anybody may do: tests set them.
    """
    app = create_app(crew, hosts, public)
    url = database_url or usual_database()
    inner = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with inner(app):
            online = app.state.online = await opened(url, now, limits)
            beside = _beside(online)
            try:
                for one in beside:
                    await one.begin()
                assert online.guard is not None
                app.state.guard = online.guard.check
                yield
            finally:
                for one in reversed(beside):
                    await one.end()
                await online.close()

    app.router.lifespan_context = lifespan
    app.state.checks.append(lambda: app.state.online.store.check())
    app.include_router(router)
    app.add_api_websocket_route("/api/v1/online/socket", serve)
    app.add_exception_handler(DamierError, _refuse)
    app.add_exception_handler(Away, _away)
    app.add_exception_handler(Conflict, _away)
    return app


async def opened(
    url: str, now: Callable[[], int] = milliseconds, limits: Limits | None = None
) -> Service:
    """Return online play on a database, brought up to date."""
    if url.startswith("sqlite") and "///" in url:
        Path(url.partition("///")[2].partition("?")[0]).parent.mkdir(parents=True, exist_ok=True)
    store = Store(url)
    async with store.writing() as connection:
        await connection.run_sync(migrations.run)
        # In the same transaction, which one process at a time can have.
        await keep_settings(connection, salt=secrets.token_hex(16), pulse=str(now()))
    await store.open()
    return Service(store, now, limits or Limits())


def _beside(online: Service) -> list[Guard | Sweeper | Listening]:
    """Return what goes on beside requests."""
    if not online.store.postgresql:
        return [Guard(online), Sweeper(online)]
    from damier.online.listening import Listening

    return [Guard(online), Sweeper(online), Listening(online)]


async def _refuse(request: Request, error: Exception) -> Response:
    assert isinstance(error, DamierError)
    if isinstance(error, TooFast):
        _, body = refusal(error)
        return JSONResponse(body, 429, {"Retry-After": str(error.seconds)})
    status, body = refusal(error)
    return JSONResponse(body, _STATUS.get(error.key, status))


async def _away(request: Request, error: Exception) -> Response:
    _, body = refusal(DamierError("database-away"))
    return JSONResponse(body, 503, {"Retry-After": "2"})
