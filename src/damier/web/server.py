"""The server under the application: connections that say nothing do not keep others out.

There are as many connections as the system has room for, and no more. When all are taken, the one
that has been idle longest makes room; one whose request is being answered never does.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
from collections.abc import Callable
from time import monotonic
from typing import Any, cast

import h11
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from damier import lang
from damier.errors import DamierError
from damier.lang import say
from damier.web.answers import refusal, written
from damier.web.app import HEADERS

MOST_CONNECTIONS = 1000
HEAD_SECONDS = 10.0  # for the head of a request to arrive
ANSWER_SECONDS = 120.0  # for a request to arrive, be answered and the answer be read
KEEP_SECONDS = 75  # longer than a player thinks: no connection is made anew
QUIET_SECONDS = 60.0  # between two lines of log that say the same
LONGEST_MESSAGE = 16 * 1024  # bytes, over a WebSocket
PING_SECONDS = 10.0  # after which it is asked whether a WebSocket is still there, and how far away
QUEUE = 128  # connections that wait to be taken in
FILES = 4096  # that the server would like to have open at once
OWN_FILES = 64  # what else is open: pipes of workers, files of the page

log = logging.getLogger("uvicorn.error")


class Connections:
    """The connections that there are, and which of them makes room."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.count = 0
        self._new: dict[Connection, None] = {}  # have asked nothing yet, oldest first
        self._idle: dict[Connection, None] = {}  # have their answer, oldest first

    def add(self, connection: Connection) -> bool:
        """Take in a connection, if there is room or another makes room for it."""
        if self.count >= self.most:
            log.warning(say("cli.web.full", most=self.most))
            oldest = next(iter(self._new), None) or next(iter(self._idle), None)
            if oldest is None:
                return False
            oldest.drop()
        self.count += 1
        self._new[connection] = None
        return True

    def asks(self, connection: Connection) -> None:
        """Note that a connection has a request under way, and makes no room."""
        self._new.pop(connection, None)
        self._idle.pop(connection, None)

    def rests(self, connection: Connection) -> None:
        """Note that a connection has its answer."""
        self._idle[connection] = None


class Connection(H11Protocol):
    """A connection that has so long to ask, and so long to read the answer."""

    guard: Connections

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._counted = False
        self._working = False
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take in the connection, or refuse it."""
        super().connection_made(transport)
        self._counted = self.guard.add(self)
        if self._counted:
            self._allow(HEAD_SECONDS)
        else:
            transport.abort()

    def data_received(self, data: bytes) -> None:
        """Read on; what follows an answer has as long to arrive as what comes first."""
        if self._timer is None:
            self._allow(HEAD_SECONDS)
        super().data_received(data)
        self._note()

    def on_response_complete(self) -> None:
        """Rest, unless there is another request already."""
        self._working = False
        self._allow(None)
        super().on_response_complete()
        self._note()
        if not self._working and self._counted:
            self.guard.rests(self)
            if self.conn.trailing_data[0]:  # a part of the next request came with this one
                self._allow(HEAD_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Leave the place to another."""
        self._allow(None)
        self._leave()
        super().connection_lost(exc)

    def _leave(self) -> None:
        if self._counted:
            self._counted = False
            self.guard.asks(self)
            self.guard.count -= 1

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Let another protocol go on with the connection, which still counts as one."""
        self._allow(None)
        self.guard.asks(self)
        super().handle_websocket_upgrade(event)
        cast(Socket, self.transport.get_protocol()).when_lost = self._leave

    def drop(self) -> None:
        """End the connection at once."""
        self.guard.asks(self)
        self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP as everything else is refused."""
        with lang.speaking("en"):  # nothing is known of the asker
            _, body = refusal(DamierError("http"), 400)
        headers = [("content-type", "application/json"), ("connection", "close"), *HEADERS.items()]
        response = h11.Response(status_code=400, headers=headers, reason=b"Bad Request")
        for event in (response, h11.Data(data=written(body)), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _note(self) -> None:
        """Note whether a request has begun."""
        if not self._working and self.cycle is not None and not self.cycle.response_complete:
            self._working = True
            self._allow(ANSWER_SECONDS)
            self.guard.asks(self)

    def _allow(self, seconds: float | None) -> None:
        """Give the connection so long for what is next."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if seconds is None else self.loop.call_later(seconds, self.drop)


class Socket(asyncio.Protocol):
    """What goes on with a connection as a WebSocket, and says when it has ended."""

    when_lost: Callable[[], None]


class Seldom(logging.Filter):
    """Lets a warning through once in a while, however often it is given."""

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether a line is written."""
        if record.levelno != logging.WARNING:
            return True
        now, text = monotonic(), str(record.msg)
        if now - self._last.get(text, -QUIET_SECONDS) < QUIET_SECONDS:
            return False
        if len(self._last) > 100:
            self._last.clear()
        self._last[text] = now
        return True


class Server(uvicorn.Server):
    """A server that stops the work under way first of all."""

    def __init__(
        self,
        app: FastAPI,
        most: int = MOST_CONNECTIONS,
        sockets: type[asyncio.Protocol] | None = None,
        **more: Any,
    ) -> None:
        """Make a server for so many connections; `sockets` speaks WebSocket, where it is spoken.

        More settings are uvicorn's own.
        """
        files = open_files(FILES - MOST_CONNECTIONS + most)
        # So many connections are taken in at a time; three times as many can be on the way before
        # the first of them is counted.
        backlog = max(16, min(QUEUE, files // 16))
        most = max(16, min(most, files - 4 * backlog - OWN_FILES))
        config = uvicorn.Config(
            app,
            http=type("Guarded", (Connection,), {"guard": Connections(most)}),
            ws=sockets or "none",
            ws_max_size=LONGEST_MESSAGE,
            ws_ping_interval=PING_SECONDS,
            ws_per_message_deflate=False,  # messages are short, and each would cost a window
            log_level="warning",
            access_log=False,
            server_header=False,
            backlog=backlog,
            timeout_keep_alive=KEEP_SECONDS,
            timeout_graceful_shutdown=2,
            **more,
        )
        super().__init__(config)
        self._app = app
        log.addFilter(Seldom())

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve."""
        asyncio.get_running_loop().set_exception_handler(_complain)
        await super().startup(sockets)
        for listener in sockets or ():  # more may wait in the system than are taken in at a time
            listener.listen(QUEUE)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop: searches under way answer with what they have."""
        self._app.state.crew.close()
        # Requests that are cut off now are cut off on purpose.
        log.setLevel(logging.CRITICAL + 1)
        await super().shutdown(sockets)


def _complain(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Say what went wrong outside of requests; that there is no more room, in a line."""
    error = context.get("exception")
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOMEM):
        log.warning(say("cli.web.no-room"))
    else:
        loop.default_exception_handler(context)


def open_files(liked: int = FILES) -> int:
    """Return how many files the server may have open: as many as it likes, if it is allowed to."""
    try:
        import resource
    except ImportError:  # a system that has no such limit
        return liked
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = liked if hard == resource.RLIM_INFINITY else min(liked, hard)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return liked if soft == resource.RLIM_INFINITY else soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted
