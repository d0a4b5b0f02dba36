"""Server for online play: WebSockets, trusted proxies and graceful shutdown."""

from __future__ import annotations

import asyncio
import gc
import logging
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI

from damier.errors import DamierError
from damier.online.logs import log
from damier.online.protocol import LagMeasuringProtocol
from damier.online.store import StoreUnavailable
from damier.web.server import Server

MAX_CONNECTIONS = 8000
LISTEN_BACKLOG = 1024  # pending connections: after a restart all clients reconnect at once
TICK_S = 0.1  # seconds between two calls of `on_tick`
# A full garbage collection of a busy server can take the whole time allowed for a move. It runs at
# this interval instead of after a number of allocations.
GC_INTERVAL_S = 300.0
GC_NEVER = 1 << 30


class OnlineServer(Server):
    """A server with WebSockets and graceful shutdown."""

    def __init__(
        self,
        app: FastAPI,
        trusted: Sequence[str] = (),
        when_serving: Callable[[], object] = lambda: None,
    ) -> None:
        """Create a server; forwarded addresses are accepted from the `trusted` proxies."""
        super().__init__(
            app,
            MAX_CONNECTIONS,
            LagMeasuringProtocol,
            trusted,
            proxy_headers=bool(trusted),
            forwarded_allow_ips=list(trusted),
            log_config=None,
        )
        self.failure: str | None = None  # why startup failed
        self._state = app.state
        self._ticked = self._tidied = 0.0
        self._when_serving = when_serving
        self._start = app.router.lifespan_context
        app.router.lifespan_context = self._lifespan

    @asynccontextmanager
    async def _lifespan(self, app: FastAPI) -> AsyncIterator[Any]:
        """Run the lifespan of the application; record why startup failed."""
        try:
            async with self._start(app) as state:
                yield state
        except (StoreUnavailable, OSError, DamierError) as error:
            self.failure = str(error).partition("\n")[0]
            raise
        except Exception:
            log.exception("startup or shutdown of the application failed")
            raise

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start serving."""
        uvicorn_log = logging.getLogger("uvicorn.error")
        level = uvicorn_log.level
        uvicorn_log.setLevel(logging.CRITICAL + 1)  # startup errors are reported in `failure`
        try:
            await super().startup(sockets)
        finally:
            uvicorn_log.setLevel(level)
        for listener in sockets or ():
            listener.listen(LISTEN_BACKLOG)
        gc.collect()
        gc.freeze()
        gc.set_threshold(*gc.get_threshold()[:2], GC_NEVER)
        log.info("serving")
        self._when_serving()

    async def on_tick(self, counter: int) -> bool:
        """Measure the delay of the event loop and collect garbage at intervals."""
        now = asyncio.get_running_loop().time()
        if self._ticked:
            self._state.online.metrics.loop_seconds.observe(max(0.0, now - self._ticked - TICK_S))
        self._ticked = now
        if now - self._tidied > GC_INTERVAL_S:
            gc.collect()
            self._tidied = now
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop accepting connections, disconnect all clients, finish pending writes and stop."""
        log.info("stopping")
        for server in self.servers:
            server.close()
        await self._state.online.stop()
        await super().shutdown(sockets)
        log.info("stopped")
