"""WebSocket below the application: how far away a client is, and when it has gone."""

from __future__ import annotations

from collections.abc import Callable

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

FIRST_PING = 0.5  # seconds after which the distance is measured for the first time


class Wire(WebSocketsSansIOProtocol):
    """A connection whose lag is measured by the server, with pings that a page cannot delay."""

    when_lost: Callable[[], None] = staticmethod(lambda: None)

    def handle_connect(self, event: Request) -> None:
        """Let the application know how long a message takes there and back, in seconds."""
        super().handle_connect(event)
        if hasattr(self, "scope"):
            self.scope["state"]["lag"] = lambda: self.last_ping_rtt

    def start_keepalive(self) -> None:
        """Measure soon, and then now and again."""
        if self.ping_interval is not None:
            self.ping_timer = self.loop.call_later(FIRST_PING, self.send_keepalive_ping)

    def connection_lost(self, exc: Exception | None) -> None:
        """Leave the place to another."""
        super().connection_lost(exc)
        self.when_lost()
