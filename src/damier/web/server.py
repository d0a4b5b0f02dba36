"""HTTP server below the application: its limits, its log, and an orderly start and end."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
from collections.abc import Collection
from time import monotonic
from typing import Any

import uvicorn
from fastapi import FastAPI

from damier.i18n import translate
from damier.web.connections import (
    ADDRESS_SHARE,
    MIN_PER_ADDRESS,
    ConnectionLimiter,
    LimitedConnection,
    UpgradedProtocol,
)

MAX_CONNECTIONS = 1000
KEEP_ALIVE_S = 75  # longer than most players think about a move: saves new connections
LOG_REPEAT_S = 60.0  # between two messages of one kind in the log
MAX_MESSAGE_BYTES = 16 * 1024  # of a WebSocket message
PING_INTERVAL_S = 10.0  # between WebSocket pings, which notice lost clients and measure the lag
LISTEN_BACKLOG = 128  # connections that wait to be accepted
PREFERRED_OPEN_FILES = 4096
TICKS_PER_SWEEP = 10  # uvicorn's ticks, 0.1 s each
RESERVED_FILES = 64  # not for connections: pipes of workers, files of the page

log = logging.getLogger("uvicorn.error")


class RepeatFilter(logging.Filter):
    """Log filter that lets each kind of warning and error pass once a minute.

    The kind of an exception is its class and where it was raised: its message may differ each time.
    """

    def __init__(self) -> None:
        super().__init__()
        self._last_logged: dict[str, float] = {}
        self._suppressed: dict[str, int] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a record is logged."""
        if record.levelno < logging.WARNING:
            return True
        now, kind = monotonic(), _kind(record)
        if now - self._last_logged.get(kind, -LOG_REPEAT_S) < LOG_REPEAT_S:
            self._suppressed[kind] = self._suppressed.get(kind, 0) + 1
            return False
        if len(self._last_logged) > 100:
            self.clear()
        self._last_logged[kind] = now
        count = self._suppressed.pop(kind, 0)
        if count:
            record.msg, record.args = f"{record.getMessage().rstrip()} (and {count} more)", ()
        return True

    def clear(self) -> None:
        """Forget what was logged."""
        self._last_logged.clear()
        self._suppressed.clear()


def _kind(record: logging.LogRecord) -> str:
    """Return the kind of a message, by which repeated ones are recognised."""
    kind = str(getattr(record, "kind", record.msg))
    if record.exc_info and record.exc_info[0] is not None:
        kind += record.exc_info[0].__name__
        frame = record.exc_info[2]
        while frame is not None and frame.tb_next is not None:
            frame = frame.tb_next
        if frame is not None:
            kind += f"{frame.tb_frame.f_code.co_filename}:{frame.tb_lineno}"
    return kind


_repeat_filter = RepeatFilter()


class Server(uvicorn.Server):
    """A uvicorn server that stops running jobs first when it shuts down."""

    def __init__(
        self,
        app: FastAPI,
        max_connections: int = MAX_CONNECTIONS,
        websocket_protocol: type[UpgradedProtocol] | None = None,
        proxies: Collection[str] = (),
        **settings: Any,
    ) -> None:
        """Make a server; without a `websocket_protocol` it refuses WebSockets.

        `proxies` are the networks of proxies, which have the connections of many clients;
        `settings` are further settings of uvicorn.
        """
        files = raise_file_limit(PREFERRED_OPEN_FILES - MAX_CONNECTIONS + max_connections)
        # uvicorn accepts up to `backlog` connections at a time; three times as many can be on their
        # way before the first of them is counted.
        backlog = max(16, min(LISTEN_BACKLOG, files // 16))
        limit = max(16, min(max_connections, files - 4 * backlog - RESERVED_FILES))
        self.limiter = ConnectionLimiter(
            limit, max(MIN_PER_ADDRESS, limit // ADDRESS_SHARE), proxies
        )
        config = uvicorn.Config(
            app,
            http=type("ServerConnection", (LimitedConnection,), {"limiter": self.limiter}),
            ws=websocket_protocol or "none",
            ws_max_size=MAX_MESSAGE_BYTES,
            ws_ping_interval=PING_INTERVAL_S,
            ws_per_message_deflate=False,  # messages are short; it costs a buffer each
            log_level="warning",
            use_colors=False,  # control characters are not printed
            access_log=False,
            server_header=False,
            backlog=backlog,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=2,
            **settings,
        )
        super().__init__(config)
        self._app = app
        _repeat_filter.clear()
        log.addFilter(_repeat_filter)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to serve."""
        asyncio.get_running_loop().set_exception_handler(_report_loop_error)
        await super().startup(sockets)
        for listener in sockets or ():  # more may wait than uvicorn accepts at a time
            listener.listen(LISTEN_BACKLOG)

    async def on_tick(self, counter: int) -> bool:
        """Drop the connections whose time is over, once a second."""
        if counter % TICKS_PER_SWEEP == 0:
            self.limiter.sweep()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop; running searches answer with their best move so far."""
        self._app.state.worker_pools.close()
        # Requests are now cancelled on purpose: uvicorn's errors about them are noise.
        log.setLevel(logging.CRITICAL + 1)
        await super().shutdown(sockets)


def _report_loop_error(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log an error outside of requests; in one line if the system's resources are exhausted."""
    error = context.get("exception")
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOMEM):
        log.warning(translate("cli.web.no-room"))
    else:
        loop.default_exception_handler(context)


def raise_file_limit(preferred: int = PREFERRED_OPEN_FILES) -> int:
    """Raise the limit of open files to `preferred`, if allowed; return the limit in force."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return preferred
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = preferred if hard == resource.RLIM_INFINITY else min(preferred, hard)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return preferred if soft == resource.RLIM_INFINITY else soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted
