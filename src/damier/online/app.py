"""ASGI application with online play, on top of `damier.web.app`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse

from damier import paths
from damier.errors import DamierError
from damier.online import migrations
from damier.online.address_hashes import AddressHashes, salt_file
from damier.online.database_file import create_private_file, database_file, exclusive_use
from damier.online.fair_play import FairPlayGuard
from damier.online.http import router
from damier.online.limits import RateLimiter, RateLimitExceeded
from damier.online.service import OnlineService, milliseconds
from damier.online.store import (
    EventStore,
    StoreUnavailable,
    VersionConflict,
    insert_missing_settings,
)
from damier.online.sweeper import Sweeper
from damier.online.websocket import serve
from damier.web.api import RETRY_AFTER_S
from damier.web.app import create_app
from damier.web.responses import error_response
from damier.web.worker_pool import WorkerPools

if TYPE_CHECKING:
    from damier.online.pg_notify import PgListener


def default_database_url() -> str:
    """Return the URL of the default database, a SQLite file in the data directory."""
    return f"sqlite+aiosqlite:///{paths.data_directory() / 'online.sqlite'}"


def create_online_app(
    database_url: str | None = None,
    public: str | None = None,
    hosts: Collection[str] | None = None,
    worker_pools: Callable[[], WorkerPools] = WorkerPools,
    now: Callable[[], int] = milliseconds,
    limits: RateLimiter | None = None,
) -> FastAPI:
    """Return the application with online play; see `damier.web.app.create_app` for the rest.

    `now` returns the server's time in milliseconds; tests replace it and the rate limits.
    """
    app = create_app(worker_pools, hosts, public)
    url = database_url or default_database_url()
    inner = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with inner(app):
            with exclusive_use(url):
                async with _running_service(app, url, now, limits):
                    yield

    app.router.lifespan_context = lifespan
    app.state.checks.append(lambda: app.state.online.heartbeat.check())
    app.include_router(router)
    app.add_api_websocket_route("/api/v1/online/socket", serve)
    app.add_exception_handler(DamierError, _handle_error)
    app.add_exception_handler(StoreUnavailable, _handle_store_error)
    app.add_exception_handler(VersionConflict, _handle_store_error)
    return app


@asynccontextmanager
async def _running_service(
    app: FastAPI, url: str, now: Callable[[], int], limits: RateLimiter | None
) -> AsyncIterator[None]:
    """Run the online service of an application with its background services."""
    online = app.state.online = await open_service(url, now, limits)
    background = _background_services(online)
    try:
        for service in background:
            await service.start()
        assert online.fair_play is not None
        app.state.guard = online.fair_play.check
        yield
    finally:
        for service in reversed(background):
            await service.stop()
        await online.close()


async def open_service(
    url: str, now: Callable[[], int] = milliseconds, limits: RateLimiter | None = None
) -> OnlineService:
    """Open a database, migrate it to the current schema and return the online service."""
    file = database_file(url)
    if file is not None:
        create_private_file(file)
    store = EventStore(url)
    async with store.transaction() as connection:
        await connection.run_sync(migrations.run)
        # In the same transaction as the migration, which only one process at a time can hold.
        await insert_missing_settings(connection, pulse=str(now()))
    await store.open()
    return OnlineService(store, now, limits or RateLimiter(), AddressHashes(salt_file(url), now))


def _background_services(online: OnlineService) -> list[FairPlayGuard | Sweeper | PgListener]:
    """Return the services that run in the background; PostgreSQL needs a listener."""
    if not online.store.postgresql:
        return [FairPlayGuard(online), Sweeper(online)]
    from damier.online.pg_notify import PgListener

    return [FairPlayGuard(online), Sweeper(online), PgListener(online)]


async def _handle_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, DamierError)
    if isinstance(error, RateLimitExceeded):
        _, body = error_response(error)
        return JSONResponse(body, 429, {"Retry-After": str(error.seconds)})
    status, body = error_response(error)
    return JSONResponse(body, status)


async def _handle_store_error(request: Request, error: Exception) -> Response:
    status, body = error_response(DamierError("database-away"))
    return JSONResponse(body, status, {"Retry-After": str(RETRY_AFTER_S)})
