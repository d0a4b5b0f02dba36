"""HTTP/1.1 connections within limits: of number, of time, and of what a request may contain.

Every open connection has a slot. When all slots are taken, or all of one client's, a new
connection takes the slot of another: first of one whose client keeps the server waiting (for a
request, or because it does not read the response), then of one that is idle; of the oldest, one of
the client with the most connections. A connection whose request is being answered is only replaced
if its client has more connections than a browser opens, and a WebSocket in use never.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Collection
from enum import Enum
from ipaddress import IPv6Address, ip_address, ip_network
from itertools import chain, islice
from typing import Any, cast

import h11
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol

from damier import i18n
from damier.errors import DamierError
from damier.i18n import translate
from damier.web.app import HEADERS
from damier.web.responses import encode_json, error_response

REQUEST_HEAD_TIMEOUT_S = 10.0  # for the head of a request to arrive
BODY_IDLE_TIMEOUT_S = 10.0  # between two parts of a request body
UNREAD_TIMEOUT_S = 10.0  # in which a client must read some of the data sent to it
CLOSE_TIMEOUT_S = 10.0  # for a closed connection to send the rest
REQUEST_TIMEOUT_S = 120.0  # for a request to arrive, be answered and the response be read
MAX_HEAD_BYTES = 16 * 1024
MAX_HEADERS = 100
# Reading a chunk costs 6 µs, however short it is. A program that sends a body of the longest
# accepted length in chunks of 256 bytes stays below this number.
MAX_CHUNKS = 1000
PART_BYTES = MAX_HEAD_BYTES  # given to the parser at a time, which limits the head of a request
ADDRESS_SHARE = 4  # one address may have a quarter of the connections
MIN_PER_ADDRESS = 16
BROWSER_CONNECTIONS = 8  # at least as many as a browser opens
MAX_COMPARED = 64  # connections, to choose the one to replace

log = logging.getLogger("uvicorn.error")


def client_network(address: str) -> str:
    """Return the network that counts as one client: an IPv4 address, or the /64 of an IPv6 one."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return address
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ip_network((parsed, 64), strict=False))


class Activity(Enum):
    """What a connection is doing."""

    WAITING = "the client keeps the server waiting"
    IDLE = "there is no request"
    ANSWERING = "a request is being answered"
    ESTABLISHED = "a WebSocket is in use"


class ConnectionSlot:
    """The slot of an open connection among all others."""

    def __init__(self, limiter: ConnectionLimiter, transport: asyncio.Transport) -> None:
        self.transport = transport
        self.network = client_network((transport.get_extra_info("peername") or ("",))[0])
        self.activity = Activity.WAITING
        self._limiter: ConnectionLimiter | None = limiter
        self._loop = asyncio.get_running_loop()
        self._deadline: float | None = self._loop.time() + REQUEST_HEAD_TIMEOUT_S
        self._unsent, self._read_at = 0, self._loop.time()
        self._closing = False

    def set(self, activity: Activity, seconds: float | None = None) -> None:
        """Set the activity of the connection, and its deadline in seconds from now."""
        if self._limiter is not None:
            self._limiter.move(self, activity)
            self._deadline = None if seconds is None else self._loop.time() + seconds

    def release(self) -> None:
        """Make room for another connection."""
        if self._limiter is not None:
            self._limiter.remove(self)
            self._limiter = None

    def drop(self) -> None:
        """Close the connection at once and make room for another."""
        self.release()
        self.transport.abort()

    def check(self, now: float) -> None:
        """Drop the connection if its time is over or its client has not read for too long."""
        unsent = self.transport.get_write_buffer_size()
        if not unsent or unsent < self._unsent:
            self._read_at = now
        self._unsent = unsent
        if not self._closing and self.transport.is_closing():
            self._closing, self._deadline = True, now + CLOSE_TIMEOUT_S
        late = self._deadline is not None and now > self._deadline
        if late or now - self._read_at > UNREAD_TIMEOUT_S:
            self.drop()


class ConnectionLimiter:
    """The slots of all open connections, and the choice of one to replace."""

    def __init__(
        self, max_connections: int, max_per_address: int, unlimited: Collection[str] = ()
    ) -> None:
        """Make a limiter; `unlimited` are the networks of proxies, which may take every slot."""
        self.max_connections, self.max_per_address = max_connections, max_per_address
        self._unlimited = [ip_network(network, strict=False) for network in unlimited]
        # Those of each activity, in the order in which they began it.
        self._slots: dict[Activity, dict[ConnectionSlot, None]] = {
            activity: {} for activity in Activity
        }
        self._by_network: Counter[str] = Counter()

    def __len__(self) -> int:
        return sum(map(len, self._slots.values()))

    def add(self, transport: asyncio.Transport) -> ConnectionSlot | None:
        """Return the slot of a new connection, or None if no other one can be replaced."""
        slot = ConnectionSlot(self, transport)
        if not self._make_room(slot.network):
            return None
        self._slots[slot.activity][slot] = None
        self._by_network[slot.network] += 1
        return slot

    def _make_room(self, network: str) -> bool:
        """Replace a connection if necessary; return whether there is room for another one."""
        unhurried = chain(self._slots[Activity.WAITING], self._slots[Activity.IDLE])
        if self._by_network[network] >= self.max_per_address and not self._is_unlimited(network):
            log.warning(translate("cli.web.address-full", most=self.max_per_address))
            victim = next((slot for slot in unhurried if slot.network == network), None)
        elif len(self) >= self.max_connections:
            log.warning(translate("cli.web.full", most=self.max_connections))
            victim = max(islice(unhurried, MAX_COMPARED), key=self._count_of, default=None)
            if victim is None and self._by_network[network] < BROWSER_CONNECTIONS:
                answering = islice(self._slots[Activity.ANSWERING], MAX_COMPARED)
                victim = max(answering, key=self._count_of, default=None)
                if victim is not None and self._count_of(victim) <= BROWSER_CONNECTIONS:
                    victim = None
        else:
            return True
        if victim is not None:
            victim.drop()
        return victim is not None

    def _count_of(self, slot: ConnectionSlot) -> int:
        """Return how many connections a client has; those of a proxy have many clients."""
        return 1 if self._is_unlimited(slot.network) else self._by_network[slot.network]

    def _is_unlimited(self, network: str) -> bool:
        """Return whether a network is that of a proxy."""
        if not self._unlimited:
            return False
        try:
            own = ip_network(network)
        except ValueError:  # not an IP address
            return False
        return any(
            own.version == known.version and own.overlaps(known) for known in self._unlimited
        )

    def move(self, slot: ConnectionSlot, activity: Activity) -> None:
        """Set the activity of a connection; an activity that continues keeps its starting time."""
        if activity is not slot.activity:
            del self._slots[slot.activity][slot]
            slot.activity = activity
            self._slots[activity][slot] = None

    def remove(self, slot: ConnectionSlot) -> None:
        """Forget a connection."""
        del self._slots[slot.activity][slot]
        self._by_network[slot.network] -= 1
        if not self._by_network[slot.network]:
            del self._by_network[slot.network]

    def sweep(self) -> None:
        """Drop all connections whose time is over."""
        now = asyncio.get_running_loop().time()
        for slot in [slot for slots in self._slots.values() for slot in slots]:
            slot.check(now)


class BoundedParser(h11.Connection):
    """HTTP parser that refuses requests with two lengths, too many headers or too many chunks.

    `refusal` is the error that the client gets.
    """

    def __init__(self) -> None:
        super().__init__(h11.SERVER, MAX_HEAD_BYTES)
        self.refusal = DamierError("http")
        self._chunks = 0

    def next_event(self) -> Any:
        """Return the next event, as h11 does."""
        try:
            event = super().next_event()
        except h11.RemoteProtocolError as error:
            if error.error_status_hint == 431:
                self.refusal = _head_too_long()
            raise
        if isinstance(event, h11.Request):
            self._chunks = 0
            self._check_head(event)
        elif isinstance(event, h11.Data) and event.chunk_start:
            self._chunks += 1
            if self._chunks > MAX_CHUNKS:
                self._refuse(DamierError("too-many-chunks", most=MAX_CHUNKS))
        return event

    def _check_head(self, request: h11.Request) -> None:
        headers = list(request.headers)
        length = len(request.target) + sum(len(name) + len(value) + 4 for name, value in headers)
        if length > MAX_HEAD_BYTES or len(headers) > MAX_HEADERS:
            self._refuse(_head_too_long())
        # A proxy in front of the server may believe the other one of the two.
        if {b"content-length", b"transfer-encoding"} <= {name for name, _ in headers}:
            self._refuse(DamierError("http"))

    def _refuse(self, error: DamierError) -> None:
        self.refusal = error
        raise h11.RemoteProtocolError(error.key)


def _head_too_long() -> DamierError:
    return DamierError("head-too-long", most=MAX_HEAD_BYTES // 1024, headers=MAX_HEADERS)


class LimitedConnection(H11Protocol):
    """HTTP/1.1 connection with a slot, timeouts in every state, and a bounded parser."""

    limiter: ConnectionLimiter
    slot: ConnectionSlot | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.conn: BoundedParser = BoundedParser()
        self._unparsed = bytearray()
        self._refused = False
        self._state = "head"
        self._request_deadline = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # uvicorn's own narrowing
        """Accept the connection, or close it."""
        super().connection_made(transport)
        self.slot = self.limiter.add(transport)
        if self.slot is None:
            transport.abort()

    def data_received(self, data: bytes) -> None:
        """Read a part of a request."""
        self._unset_keepalive_if_required()
        self._unparsed += data
        self._parse()

    def _parse(self) -> None:
        """Give the received data to the parser, up to the end of the current request."""
        while self._unparsed and self.transport.get_protocol() is self:
            state = self.conn.their_state
            if self._refused or state in (h11.MUST_CLOSE, h11.CLOSED, h11.ERROR):
                self._unparsed.clear()  # nothing that follows can be answered
            elif state in (h11.IDLE, h11.SEND_BODY):
                self.conn.receive_data(bytes(self._unparsed[:PART_BYTES]))
                del self._unparsed[:PART_BYTES]
                self.handle_events()
            else:  # the next request waits for the response to this one
                self.flow.pause_reading()
                break
        self._update_slot()

    def on_response_complete(self) -> None:
        """Become idle, unless there is another request already."""
        self._state = "idle"  # a request that follows has its own time
        if self.slot is not None:
            self.slot.set(Activity.IDLE)
        super().on_response_complete()
        self._parse()

    def pause_writing(self) -> None:
        """Wait until the client reads."""
        super().pause_writing()
        self._update_slot()

    def resume_writing(self) -> None:
        """Continue to write."""
        super().resume_writing()
        self._update_slot()

    def connection_lost(self, exc: Exception | None) -> None:
        """Release the slot of the connection."""
        if self.slot is not None:
            self.slot.release()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hand the connection and its slot to the WebSocket protocol."""
        super().handle_websocket_upgrade(event)
        if self.slot is not None:
            cast(UpgradedProtocol, self.transport.get_protocol()).take(self.slot)

    def send_400_response(self, msg: str) -> None:
        """Refuse a request that cannot be read with an error response like any other."""
        self._refused = True
        if self.cycle is not None:  # its application need not answer any more
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            with i18n.use_language("en"):  # the client's language is unknown
                status, body = error_response(self.conn.refusal)
            content = encode_json(body)
            headers = [
                ("content-type", "application/json"),
                ("content-length", str(len(content))),
                ("connection", "close"),
            ]
            response = h11.Response(
                status_code=status,
                headers=[*headers, *HEADERS.items()],
                reason=STATUS_PHRASES[status],
            )
            for event in (response, h11.Data(data=content), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _update_slot(self) -> None:
        """Tell the limiter what the connection is doing now."""
        if self.slot is None or self.transport.get_protocol() is not self:
            return
        before, self._state = self._state, self._current_state()
        now = self.loop.time()
        if before in ("head", "idle") and self._state not in ("head", "idle"):
            self._request_deadline = now + REQUEST_TIMEOUT_S
        left = self._request_deadline - now
        if self._state == "body":
            self.slot.set(Activity.WAITING, min(left, BODY_IDLE_TIMEOUT_S))
        elif self._state == before:  # with the same deadline
            pass
        elif self._state == "head":
            self.slot.set(Activity.WAITING, REQUEST_HEAD_TIMEOUT_S)
        elif self._state == "unread":
            self.slot.set(Activity.WAITING, left)
        elif self._state == "answering":
            self.slot.set(Activity.ANSWERING, left)
        else:
            self.slot.set(Activity.IDLE)

    def _current_state(self) -> str:
        """Return what the connection is doing: a key of `_update_slot`."""
        if self.conn.their_state is h11.SEND_BODY:
            return "body"
        if self.cycle is not None and not self.cycle.response_complete:
            return "unread" if self.flow.write_paused else "answering"
        begun = self.cycle is None or self.conn.trailing_data[0]
        return "head" if begun else "idle"


class UpgradedProtocol(asyncio.Protocol):
    """WebSocket protocol that takes over a connection with its slot, and releases it."""

    def take(self, slot: ConnectionSlot) -> None:
        """Take over a slot."""
