"""Malformed WebSocket frames: each closes its connection and is logged as one line."""

import logging
import socket
import struct
from collections.abc import Iterator

import pytest

from damier.web.server import RepeatFilter, log
from tests.support.online_client import OnlineTestServer

pytestmark = pytest.mark.slow


def frame(first: int, payload: bytes = b"", *, masked: bool = True, length: int = -1) -> bytes:
    """Return a WebSocket frame, given its first byte."""
    size = len(payload) if length < 0 else length
    head = struct.pack("!BBQ", first, 127, size) if size > 125 else struct.pack("!BB", first, size)
    head = bytes([head[0], head[1] | (128 if masked else 0)]) + head[2:]
    return head + (bytes(4) if masked else b"") + payload


MALFORMED_FRAMES = {
    "reserved bit": (frame(0xC1, b"{}"), 1002),
    "unknown opcode": (frame(0x83, b"{}"), 1002),
    "not masked": (frame(0x81, b"{}", masked=False), 1002),
    "long ping": (frame(0x89, bytes(126)), 1002),
    "ping in parts": (frame(0x09, b"x"), 1002),
    "continuation of nothing": (frame(0x80, b"{}"), 1002),
    "message within a message": (frame(0x01, b"{") + frame(0x81, b"{}"), 1002),
    "close code of one byte": (frame(0x88, b"x"), 1002),
    "invalid close code": (frame(0x88, b"\x00\x01"), 1002),
    "close reason not UTF-8": (frame(0x88, b"\x03\xe8\xff"), 1007),
    "text not UTF-8": (frame(0x81, b"\xff"), 1007),
    "text not UTF-8 across parts": (frame(0x01, b"\xc3") + frame(0x80, b"("), 1007),
    "too long": (frame(0x81, length=1 << 40), 1009),
    "negative length": (frame(0x81, length=1 << 63), 1009),
}


class ServerLog(logging.Handler):
    """The warnings and errors that the server logs, which are usually limited to one a minute."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record."""
        self._records.append(record)

    def take(self) -> list[logging.LogRecord]:
        """Return and forget the records; the next of each kind is logged again."""
        for repeat_filter in log.filters:
            assert isinstance(repeat_filter, RepeatFilter)
            repeat_filter.clear()
        records, self._records = self._records, []
        return records


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OnlineTestServer]:
    path = tmp_path_factory.mktemp("online") / "online.sqlite"
    server = OnlineTestServer(f"sqlite+aiosqlite:///{path}")
    yield server
    server.close()


@pytest.fixture
def server_log(server: OnlineTestServer) -> Iterator[ServerLog]:
    handler = ServerLog()
    loggers = (log, logging.getLogger("asyncio"))
    for logger in loggers:
        logger.addHandler(handler)
    handler.take()
    yield handler
    for logger in loggers:
        logger.removeHandler(handler)


def test_malformed_frames_are_logged_as_one_line(
    server: OnlineTestServer, server_log: ServerLog
) -> None:
    for kind, (data, code) in MALFORMED_FRAMES.items():
        with server.connect() as line:
            line.socket.socket.sendall(data + data)  # what follows is not read
            assert line.read_close_reason()[1] == code, kind
        (record,) = server_log.take()
        expected = (logging.WARNING, None, None)
        assert (record.levelno, record.exc_info, record.stack_info) == expected, kind
        text = record.getMessage()
        assert text.startswith("malformed WebSocket frame: "), kind
        assert text.isprintable(), kind
        assert len(text) < 200, kind
    for data, _ in MALFORMED_FRAMES.values():
        with server.connect() as line:
            line.socket.socket.sendall(data)
            line.read_close_reason()
    assert len(server_log.take()) == 1  # repeated ones are counted


def test_malformed_text_after_the_end_of_a_connection_is_ignored(
    server: OnlineTestServer, server_log: ServerLog
) -> None:
    key = "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
    head = "GET /api/v1/online/socket HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
    with socket.create_connection(("127.0.0.1", server.port), 20) as wire:
        wire.sendall(f"{head}{key}AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode())
        assert wire.recv(1000).endswith(b"\r\n\r\n")
        wire.sendall(frame(0x81, b'{"type":"lobby","on":true}'))
        received = b""
        while not received.endswith(b"\x03\xf0hello"):  # code 1008 and the reason
            received += wire.recv(1000)
        wire.sendall(frame(0x81, b"\xff") + frame(0x88, b"\x03\xf0"))
        while wire.recv(1000):
            pass
    assert server_log.take() == []
