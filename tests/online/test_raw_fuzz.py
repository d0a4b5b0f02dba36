"""Fuzzing of the online server byte by byte: HTTP and WebSocket frames, valid and broken.

Whatever a client sends, the server answers with HTTP or closes the connection, logs no traceback,
gives the place of the connection back, and serves the next client.
"""

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from time import sleep
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from damier.online.protocol import PART_BYTES
from tests.support.fuzzing import FUZZING, FailureRecorder, cases
from tests.support.online_client import OnlineTestServer

pytestmark = pytest.mark.slow

SETTINGS = settings(
    max_examples=60 if FUZZING else 40,
    deadline=None,
    derandomize=not FUZZING,
    phases=[Phase.explicit, Phase.generate, *([Phase.shrink] if FUZZING else [])],
    suppress_health_check=list(HealthCheck),
)


UPGRADE = (
    b"GET /api/v1/online/socket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
    b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


class Logged(logging.Handler):
    """What the server logs as an error."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.errors: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info or record.levelno >= logging.ERROR:
            self.errors.append(logging.Formatter().format(record))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OnlineTestServer]:
    server = OnlineTestServer(f"sqlite+aiosqlite:///{tmp_path_factory.mktemp('raw') / 'x.sqlite'}")
    yield server
    server.close()


@pytest.fixture
def logged() -> Iterator[Logged]:
    handler = Logged()
    loggers = [logging.getLogger(name) for name in ("uvicorn.error", "asyncio", "damier.online")]
    for logger in loggers:
        logger.addHandler(handler)
    yield handler
    for logger in loggers:
        logger.removeHandler(handler)


def exchange(port: int, parts: list[bytes]) -> bytes:
    """Send some parts, then the end of the input; return what the server says until it closes."""
    said = b""
    with socket.create_connection(("127.0.0.1", port), 10) as connection, suppress(OSError):
        for part in parts:
            connection.sendall(part)
            if part == UPGRADE:
                said += connection.recv(1 << 16)
        connection.settimeout(0.2)  # some connections stay open
        while data := connection.recv(1 << 16):
            said += data
    return said


def check(kind: str, server: OnlineTestServer, logged: Logged, parts: list[bytes]) -> bytes:
    """Send some parts and check the server; return what it said."""
    with FailureRecorder(kind, {"parts": [part.hex() for part in parts]}):
        said = exchange(server.port, parts)
        assert said == b"" or said.startswith(b"HTTP/1.1 "), said[:200]
        assert not said.startswith(b"HTTP/1.1 5"), said[:200]
        assert server.request("lobby", get=True)[0] == 200
        assert not logged.errors, logged.errors[0]
        for _ in range(200):
            if len(server.limiter) <= 1:  # that of the request above
                break
            sleep(0.05)
        assert len(server.limiter) <= 1
    return said


def cut(data: bytes, places: list[int]) -> list[bytes]:
    """Return data in parts, cut at some places."""
    ends = sorted({place % (len(data) + 1) for place in places})
    return [data[a:b] for a, b in zip([0, *ends], [*ends, len(data)], strict=True) if a < b]


METHODS = [
    b"GET",
    b"POST",
    b"HEAD",
    b"PUT",
    b"DELETE",
    b"OPTIONS",
    b"CONNECT",
    b"PRI",
    b"G\xc3\x89T",
]
TARGETS = [
    b"/healthz",
    b"/api/v1/state",
    b"/api/v1/online/socket",
    b"/api/v1/online/lobby",
    b"/static/main.js",
    b"*",
    b"http://localhost/",
    b"/%ff%00/../..",
    b"/?" + b"a=b&" * 40,
    b"",
]
HEADERS = [
    b"Host: localhost",
    b"Host: elsewhere",
    b"Content-Length: 3",
    b"Content-Length: 16",
    b"Content-Length: 3, 3",
    b"Content-Length: -1",
    b"Transfer-Encoding: chunked",
    b"Transfer-Encoding: identity",
    b"Expect: 100-continue",
    b"Connection: close",
    b"Connection: keep-alive, Upgrade",
    b"Upgrade: websocket",
    b"Upgrade: h2c",
    b"Sec-WebSocket-Version: 13",
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    b"Sec-WebSocket-Key: short",
    b"Content-Type: application/json",
    b"Accept-Language: fr;q=x",
    b"Origin: http://[",
    b"Range: bytes=0-1,2-3",
    b"If-None-Match: *",
    b" folded",
    b"X: \xff\x00",
    b"No colon",
    b"X: " + b"a" * 9000,
]
BODIES = [b"", b"{}", b'{"game": "chefa"}', b"3\r\nabc\r\n0\r\n\r\n", b"1\r\n \r\n" * 30, b"zz\r\n"]
requests = st.builds(
    lambda method, target, version, headers, body: (
        method + b" " + target + version + b"".join(h + b"\r\n" for h in headers) + b"\r\n" + body
    ),
    st.sampled_from(METHODS),
    st.sampled_from(TARGETS),
    st.sampled_from([b" HTTP/1.1\r\n", b" HTTP/1.0\r\n", b" HTTP/9.9\r\n", b"\r\n", b"\n"]),
    st.lists(st.sampled_from(HEADERS), max_size=7),
    st.sampled_from(BODIES) | st.binary(max_size=20),
)
places = st.lists(st.integers(0, 5000), max_size=4)


@SETTINGS
@given(st.lists(requests, min_size=1, max_size=3), places)
def test_any_bytes_are_answered_or_the_connection_ends(
    server: OnlineTestServer, logged: Logged, sent: list[bytes], places: list[int]
) -> None:
    check("raw-http", server, logged, cut(b"".join(sent), places))


def frame(opcode: int, payload: bytes, final: bool, masked: bool, length: int | None) -> bytes:
    """Return a WebSocket frame, whose length may be wrong."""
    size = len(payload) if length is None else length
    first = bytes([(0x80 if final else 0) | opcode])
    mask = 0x80 if masked else 0
    if size < 126:
        head = first + bytes([mask | size])
    elif size < 1 << 16:
        head = first + bytes([mask | 126]) + size.to_bytes(2, "big")
    else:
        head = first + bytes([mask | 127]) + size.to_bytes(8, "big")
    return head + (b"\0\0\0\0" if masked else b"") + payload


MESSAGES = [
    b'{"type": "hello"}',
    b'{"type": "hello", "secret": "x"}',
    b'{"type": "ping", "sent": 1}',
    b'{"type": "ping", "sent": 1e999}',
    b'{"type": "follow", "game": "abcdefgh", "version": 99999999999999999999}',
    b'{"type": "lobby", "on": true}',
    b'{"type": "act", "game": "abcdefgh", "id": "\\u0000", "version": 1, "act": {"kind": "turn"}}',
    b"[" * 2000,
    b'"\\ud800"',
    b"\xff\xfe",
    b"",
]
frames = st.builds(
    frame,
    st.sampled_from([1, 1, 1, 2, 0, 8, 9, 10, 3, 15, 0x41]),
    st.sampled_from(MESSAGES) | st.binary(max_size=130),
    st.booleans() | st.just(True),
    st.sampled_from([True, True, True, False]),
    st.sampled_from([None, None, None, 0, 125, 70_000, (1 << 63) + 1]),
)


@SETTINGS
@given(st.lists(frames, max_size=12), places)
def test_any_frames_are_answered_or_the_connection_ends(
    server: OnlineTestServer, logged: Logged, sent: list[bytes], places: list[int]
) -> None:
    said = check("raw-websocket", server, logged, [UPGRADE, *cut(b"".join(sent), places)])
    assert said.startswith(b"HTTP/1.1 101 ")


@pytest.mark.parametrize("case", cases("raw-http", "raw-websocket"), ids=lambda case: case["kind"])
def test_what_was_once_found(
    server: OnlineTestServer, logged: Logged, case: dict[str, Any]
) -> None:
    check(case["kind"], server, logged, [bytes.fromhex(part) for part in case["given"]["parts"]])


@pytest.mark.parametrize("opcode", [0x9, 0xA, 0x0], ids=["ping", "pong", "fragment"])
def test_floods_of_control_frames_and_fragments_end_the_connection(
    server: OnlineTestServer, logged: Logged, opcode: int
) -> None:
    """Answering each frame would take processor time from the other clients."""
    first = frame(1, b"", final=opcode != 0, masked=True, length=None)
    flood = frame(opcode, b"", final=opcode != 0, masked=True, length=None) * 50_000
    said = check("raw-websocket", server, logged, [UPGRADE, first, flood])
    assert said.count(b"\x8a\x00") <= 2 * PART_BYTES / 6  # pongs to the frames of two parts


@pytest.mark.skipif(os.name != "posix", reason="buffer sizes")
def test_a_client_that_never_reads_loses_its_websocket(
    server: OnlineTestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from damier.web import connections

    monkeypatch.setattr(connections, "UNREAD_TIMEOUT_S", 0.5)
    server._listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
    ask = frame(1, b'{"type": "follow", "game": "abcdefgh"}', True, True, None)
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        connection.connect(("127.0.0.1", server.port))
        connection.sendall(UPGRADE)
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 101 ")
        with suppress(OSError):
            connection.sendall(frame(1, MESSAGES[0], True, True, None) + ask * 110)
        for _ in range(200):  # shorter than the timeout of a ping
            if not len(server.limiter):
                return
            sleep(0.05)
    raise AssertionError("the connection keeps its place")
