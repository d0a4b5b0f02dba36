"""Connections to a real server: silent, slow and broken ones do not keep others out."""

import asyncio
import json
import resource
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from damier.web import server as server_module
from damier.web.app import HEADERS, create_app
from damier.web.crew import Crew
from damier.web.server import Server
from test_web_server import in_a_loop, started

FEW_FILES = 256


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where a server listens that may open few files."""
    process, address = started(
        "--port", "8500",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (FEW_FILES, FEW_FILES)),
    )  # fmt: skip
    with process:
        yield address
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    # Each kind of trouble is told in one line.
    assert len(errors.strip().splitlines()) <= 2, errors[:2000]
    assert "connections are taken" in errors


def connected(address: str) -> socket.socket:
    where = urlsplit(address)
    return socket.create_connection((where.hostname or "", where.port or 0), timeout=30)


def test_silent_connections_keep_nobody_out(address: str) -> None:
    where = urlsplit(address)
    with ExitStack() as open_ones:
        for _ in range(300):
            open_ones.enter_context(connected(address))
        for begun in (b"", b"POST /api/v1/state HTTP/1.1\r\nHost: loc"):
            for _ in range(20):
                open_ones.enter_context(connected(address)).sendall(begun)
            asking = HTTPConnection(where.hostname or "", where.port, timeout=30)
            open_ones.callback(asking.close)
            body = json.dumps({"game": "chefa"})
            asking.request("POST", "/api/v1/state", body, {"Content-Type": "application/json"})
            answer = asking.getresponse()
            assert answer.status == 200
            assert json.load(answer)["game"] == "chefa"


def test_what_is_not_http_is_refused_like_all_else(address: str) -> None:
    for _ in range(30):
        with connected(address) as talking:
            talking.sendall(b"\x16\x03\x01 hello\r\n\r\n")
            said = b""
            while part := talking.recv(4096):
                said += part
    head, _, body = said.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    for name, value in HEADERS.items():
        assert f"{name}: {value}".lower().encode() in head.lower()
    assert json.loads(body)["error"]["key"] == "http"


ASK = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"


@pytest.mark.parametrize(
    ("before", "begun"),
    [(b"", b""), (b"", b"GET / HTT"), (ASK, b"GET"), (ASK + b"GET / HTT", b"")],
)
def test_a_head_that_does_not_come_ends_the_connection(
    before: bytes, begun: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that follows an answer, or was begun before it; who merely rests is kept."""
    monkeypatch.setattr(server_module, "HEAD_SECONDS", 0.3)

    async def test() -> tuple[bytes, bool]:
        server = Server(create_app())
        with socket.create_server(("127.0.0.1", 0)) as listener:
            serving = asyncio.create_task(server.serve([listener]))
            while not server.started:
                await asyncio.sleep(0.01)
            port = listener.getsockname()[1]
            reading, writing = await asyncio.open_connection("127.0.0.1", port)
            resting, asking = await asyncio.open_connection("127.0.0.1", port)
            asking.write(ASK)
            await resting.readuntil(b"}")
            try:
                if before:
                    writing.write(before)
                    await reading.readuntil(b"}")
                writing.write(begun)
                said = await asyncio.wait_for(reading.read(), 20)
            except ConnectionResetError:
                said = b""
            finally:
                rested = not resting.at_eof()
                for writer in (writing, asking):
                    writer.close()
                server.should_exit = True
                await serving
            return said, rested

    assert in_a_loop(test()) == (b"", True)


def test_a_closed_connection_stops_the_work_that_nobody_waits_for(tmp_path: Path) -> None:
    begun, stopped = tmp_path / "begun", tmp_path / "stopped"
    code = f"""
import time
from pathlib import Path
from damier.web import answers, worker

def thinking(body, stop):
    Path({str(begun)!r}).touch()
    while not stop.is_set():
        time.sleep(0.01)
    Path({str(stopped)!r}).touch()
    return {{}}

answers.ANSWERS["probe"] = thinking
worker.main()
"""

    async def test() -> None:
        server = Server(create_app(lambda: Crew(1, code=code)))
        with socket.create_server(("127.0.0.1", 0)) as listener:
            serving = asyncio.create_task(server.serve([listener]))
            while not server.started:
                await asyncio.sleep(0.01)
            _, writing = await asyncio.open_connection(*listener.getsockname())
            body = b'{"game": "chefa"}'
            head = f"POST /api/v1/probe HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\n"
            writing.write(head.encode() + b"Content-Type: application/json\r\n\r\n" + body)
            async with asyncio.timeout(18):  # before its own deadline would stop it
                while not begun.exists():
                    await asyncio.sleep(0.01)
                writing.close()
                while not stopped.exists():
                    await asyncio.sleep(0.01)
            server.should_exit = True
            await serving

    in_a_loop(test())


def test_listening_beyond_this_machine_warns_and_hosts_can_be_named() -> None:
    process, address = started(
        "--host", "0.0.0.0", "--port", "8600", "--allow-host", "games.example"
    )  # fmt: skip
    with process:
        where = urlsplit(address)
        for host, status in (("games.example", 200), ("localhost", 200), ("evil.example", 421)):
            asking = HTTPConnection(where.hostname or "", where.port, timeout=30)
            asking.request("GET", "/healthz", headers={"Host": host})
            assert asking.getresponse().status == status
            asking.close()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert errors.startswith("Warning:")
    assert len(errors.strip().splitlines()) == 1
