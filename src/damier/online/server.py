"""The server under online play: WebSockets, named proxies, and an end that nobody is lost by."""

from __future__ import annotations

import asyncio
import gc
import logging
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI

from damier.online.logs import log
from damier.online.store import Away
from damier.online.wire import Wire
from damier.web.server import Server

MOST_CONNECTIONS = 8000
WAITING = 1024  # connections that wait to be taken in: after a start all come back at once
TICK = 0.1  # seconds between two calls of `on_tick`
# Looking through all that a busy server holds for what nothing refers to any more takes as long as
# a turn may: it is done now and then, not after every so many tables.
TIDY_SECONDS = 300.0
NEVER = 1 << 30


class OnlineServer(Server):
    """A server with WebSockets, which says goodbye before it ends."""

    def __init__(
        self,
        app: FastAPI,
        trusted: Sequence[str] = (),
        when_serving: Callable[[], object] = lambda: None,
    ) -> None:
        """Make a server; what the `trusted` proxies say of addresses is believed."""
        super().__init__(
            app,
            MOST_CONNECTIONS,
            Wire,
            proxy_headers=bool(trusted),
            forwarded_allow_ips=list(trusted),
            log_config=None,
        )
        self.failure: str | None = None  # why it could not begin
        self._state = app.state
        self._ticked = self._tidied = 0.0
        self._when_serving = when_serving
        self._start = app.router.lifespan_context
        app.router.lifespan_context = self._lifespan

    @asynccontextmanager
    async def _lifespan(self, app: FastAPI) -> AsyncIterator[Any]:
        """Begin and end what the application needs; note why it could not begin."""
        try:
            async with self._start(app) as state:
                yield state
        except (Away, OSError) as error:
            self.failure = str(error).partition("\n")[0]
            raise
        except Exception:
            log.exception("failed")
            raise

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve."""
        complaints = logging.getLogger("uvicorn.error")
        with_level = complaints.level
        complaints.setLevel(logging.CRITICAL + 1)  # what fails now is told in words
        await super().startup(sockets)
        complaints.setLevel(with_level)
        for listener in sockets or ():
            listener.listen(WAITING)
        gc.collect()
        gc.freeze()
        gc.set_threshold(*gc.get_threshold()[:2], NEVER)
        log.info("serving")
        self._when_serving()

    async def on_tick(self, counter: int) -> bool:
        """Note how late the event loop is, and tidy up now and then."""
        now = asyncio.get_running_loop().time()
        if self._ticked:
            self._state.online.metrics.loop_seconds.observe(max(0.0, now - self._ticked - TICK))
        self._ticked = now
        if now - self._tidied > TIDY_SECONDS:
            gc.collect()
            self._tidied = now
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take nobody in any more, say goodbye, let what is being written be written, and end."""
        log.info("stopping")
        for server in self.servers:
            server.close()
        await self._state.online.stop()
        await super().shutdown(sockets)
        log.info("stopped")
