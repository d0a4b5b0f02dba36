"""WebSocket protocol of online play: lag measurement and limits of each connection."""

from __future__ import annotations

from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame
from websockets.http11 import Request

from damier.web.connections import Activity, ConnectionSlot, UpgradedProtocol

FIRST_PING_S = 0.5  # seconds after which the lag is measured for the first time


PART_BYTES = 4096  # given to the parser at a time: bounds the work between two checks
# Control frames and fragments: a browser answers a ping every 10 s and splits no short message.
MAX_FRAMES_BURST, MAX_FRAMES_PER_SECOND = 400.0, 20.0


class LagMeasuringProtocol(WebSocketsSansIOProtocol, UpgradedProtocol):
    """WebSocket protocol within the limits of the server, which measures the lag of each client.

    The lag is measured by ping frames, which page scripts cannot delay. Another connection may
    replace this one until its first message, while it closes, and while its client does not read.
    """

    _slot: ConnectionSlot | None = None
    _established = False
    _frames_left, _frames_at = MAX_FRAMES_BURST, 0.0

    def take(self, slot: ConnectionSlot) -> None:
        """Take over the slot of the connection."""
        self._slot = slot
        self._update_slot()

    def _update_slot(self) -> None:
        """Tell the limiter whether the connection is in use."""
        if self._slot is None:
            return
        if self._established and self.writable.is_set() and not self.close_sent:
            self._slot.set(Activity.ESTABLISHED)
        else:
            self._slot.set(Activity.WAITING)  # the application has its own timeouts

    def data_received(self, data: bytes) -> None:
        """Read frames, part by part, until there are too many."""
        for start in range(0, len(data), PART_BYTES):
            if self.transport.is_closing():
                return
            super().data_received(data[start : start + PART_BYTES])

    def _count_frame(self) -> None:
        """Close the connection if there are too many control frames and fragments."""
        now = self.loop.time()
        earned = (now - self._frames_at) * MAX_FRAMES_PER_SECOND
        self._frames_left = min(MAX_FRAMES_BURST, self._frames_left + earned) - 1
        self._frames_at = now
        if self._frames_left < 0:
            self.transport.abort()

    def handle_text(self, event: Frame) -> None:
        """Read a message; the first one shows that the client is not silent."""
        if not event.fin:
            self._count_frame()
        super().handle_text(event)
        if not self._established:
            self._established = True
            self._update_slot()

    def handle_cont(self, event: Frame) -> None:
        """Read a fragment of a message."""
        self._count_frame()
        super().handle_cont(event)

    def handle_ping(self) -> None:
        """Answer a ping."""
        self._count_frame()
        super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        """Measure the lag."""
        self._count_frame()
        super().handle_pong(event)

    def send_receive_event_to_app(self) -> None:
        """Pass a complete message to the application; close the connection if it is not UTF-8."""
        if self.curr_msg_data_type == "text" and not self.close_sent:
            try:
                b"".join(self.frames).decode()
            except UnicodeDecodeError as error:
                self.frames = []
                self.conn.parser_exc = error
                self.conn.send_close(1007)
                self.handle_parser_exception()
                return
        super().send_receive_event_to_app()

    def handle_parser_exception(self) -> None:
        """Log a malformed frame or text as one line; close the connection."""
        self.logger.warning("malformed WebSocket frame: %s", self.conn.parser_exc)
        super().handle_parser_exception()

    async def send(self, message: Any) -> None:
        """Send a message of the application."""
        await super().send(message)
        if self.close_sent:
            self._update_slot()

    def pause_writing(self) -> None:
        """Wait until the client reads."""
        super().pause_writing()
        self._update_slot()

    def resume_writing(self) -> None:
        """Continue to write."""
        super().resume_writing()
        self._update_slot()

    def handle_connect(self, event: Request) -> None:
        """Pass a function that returns the round-trip time in seconds to the application."""
        super().handle_connect(event)
        if hasattr(self, "scope"):
            self.scope["state"]["lag"] = lambda: self.last_ping_rtt

    def start_keepalive(self) -> None:
        """Send the first ping early; later ones follow at the ping interval."""
        if self.ping_interval is not None:
            self.ping_timer = self.loop.call_later(FIRST_PING_S, self.send_keepalive_ping)

    def connection_lost(self, exc: Exception | None) -> None:
        """Release the slot of the connection."""
        super().connection_lost(exc)
        if self._slot is not None:
            self._slot.release()
