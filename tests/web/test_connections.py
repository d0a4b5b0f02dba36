"""Connections to a real server: silent, slow and broken ones do not block others."""

import asyncio
import json
import resource
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import h11
import pytest

from damier.web import connections
from damier.web.app import HEADERS, create_app
from damier.web.connections import (
    MAX_CHUNKS,
    MAX_HEADERS,
    Activity,
    BoundedParser,
    ConnectionLimiter,
    client_network,
)
from damier.web.server import Server
from damier.web.worker_pool import WorkerPools
from tests.web.test_server import in_a_loop, started

FEW_FILES = 256


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Yield the address of a server that may open few files."""
    process, address = started(
        "--port",
        "8500",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (FEW_FILES, FEW_FILES)),
    )
    with process:
        yield address
        for addresses in (1, 12):  # the tests may have been shared among several processes
            with silent_connections(address, addresses):
                pass
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    # Each kind of fault is logged in one line.
    assert len(errors.strip().splitlines()) <= 3, errors[:2000]
    assert "connections are in use" in errors
    assert "One address has taken all" in errors


def open_connection(address: str, source: str = "127.0.0.1", unread: bool = False) -> socket.socket:
    """Connect to a server; with `unread`, with the smallest buffer for what it sends."""
    where = urlsplit(address)
    connection = socket.socket()
    connection.settimeout(30)
    if unread:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    connection.bind((source, 0))
    connection.connect((where.hostname or "", where.port or 0))
    return connection


ASK = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
POST = b"POST /api/v1/state HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
LARGE = b"GET /api/v1/texts/en HTTP/1.1\r\nHost: localhost\r\n\r\n"


@contextmanager
def silent_connections(address: str, addresses: int, begun: bytes = b"") -> Iterator[None]:
    """Hold more connections than the server has places, each with a request that was begun."""
    with ExitStack() as open_ones:
        for k in range(300):
            made = open_connection(
                address, f"127.0.1.{1 + k % addresses}", unread=begun.startswith(LARGE)
            )
            open_ones.enter_context(made).sendall(begun)
        yield


@pytest.mark.slow
@pytest.mark.parametrize("addresses", [1, 12], ids=["one-address", "many-addresses"])
@pytest.mark.parametrize(
    "begun",
    [b"", POST, POST + b'Content-Length: 50\r\n\r\n{"ga', LARGE * 20],
    ids=["silent", "head", "body", "unread"],
)
def test_clients_that_keep_the_server_waiting_block_nobody(
    address: str, begun: bytes, addresses: int
) -> None:
    """Neither silent ones, nor those with unfinished requests, nor those that do not read."""
    where = urlsplit(address)
    with silent_connections(address, addresses, begun), ExitStack() as open_ones:
        # Shorter than any timeout of the server: only replaced connections make room in this time.
        client = HTTPConnection(where.hostname or "", where.port, timeout=9)
        open_ones.callback(client.close)
        body = json.dumps({"game": "chefa"})
        client.request("POST", "/api/v1/state", body, {"Content-Type": "application/json"})
        assert client.getresponse().status == 200


def refusal(address: str, request: bytes) -> tuple[int, str]:
    """Send a request; return the status and the key of the error, after which the server closes."""
    with open_connection(address) as connection, suppress(ConnectionError):
        with suppress(ConnectionError):
            connection.sendall(request)
        response = b""
        while part := connection.recv(4096):
            response += part
    head, _, body = response.partition(b"\r\n\r\n")
    for name, value in HEADERS.items():
        assert f"{name}: {value}".lower().encode() in head.lower()
    return int(head.split()[1]), json.loads(body)["error"]["key"]


CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("request_bytes", "expected"),
    [
        (CHUNKED + b"1\r\n \r\n" * (MAX_CHUNKS + 1), (413, "too-many-chunks")),
        (POST + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", (400, "http")),
        (POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n", (400, "http")),
        (POST + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", (400, "http")),
        (POST + b"X: " + b"a" * 17_000 + b"\r\n\r\n", (431, "head-too-long")),
        (POST + b"X: a\r\n" * (MAX_HEADERS - 1) + b"\r\n", (431, "head-too-long")),
        (POST + b"X: a\r\n" * 100_000, (431, "head-too-long")),
    ],
    ids=["chunks", "both-lengths", "coding", "two-lengths", "long-header", "headers", "endless"],
)
def test_a_request_beyond_the_limits_is_refused(
    address: str, request_bytes: bytes, expected: tuple[int, str]
) -> None:
    assert refusal(address, request_bytes) == expected


def test_chunks_are_read_up_to_their_limit() -> None:
    """Each costs the server time, in which it serves nobody else."""
    parser = BoundedParser()
    parser.receive_data(CHUNKED + b"1\r\n \r\n" * 20 * MAX_CHUNKS)
    assert isinstance(parser.next_event(), h11.Request)
    for _ in range(MAX_CHUNKS):
        assert isinstance(parser.next_event(), h11.Data)
    with pytest.raises(h11.RemoteProtocolError):
        parser.next_event()
    again = BoundedParser()
    again.receive_data(CHUNKED + b"1\r\n \r\n" * MAX_CHUNKS + b"0\r\n\r\n")
    events = [again.next_event() for _ in range(MAX_CHUNKS + 2)]
    assert isinstance(events[-1], h11.EndOfMessage)


def test_connections_that_were_answered_are_replaced(address: str) -> None:
    """Also by others of the same client: they are idle."""
    with ExitStack() as open_ones:
        for _ in range(3 * FEW_FILES // 4):
            connection = open_ones.enter_context(open_connection(address, "127.0.2.1"))
            connection.sendall(ASK)
            assert connection.recv(4096).startswith(b"HTTP/1.1 200 ")


@pytest.mark.slow
def test_many_requests_in_one_packet_are_all_answered(address: str) -> None:
    asked = 500
    with open_connection(address) as connection:
        connection.sendall(ASK * asked)
        response = b""
        while response.count(b"HTTP/1.1 200 ") < asked:
            part = connection.recv(1 << 20)
            assert part
            response += part


class FakeTransport(asyncio.Transport):
    """A connection of a client with an address."""

    def __init__(self, address: str) -> None:
        super().__init__({"peername": (address, 1)})
        self.aborted = False

    def abort(self) -> None:
        self.aborted = True


def test_an_address_replaces_its_own_connections() -> None:
    async def test() -> None:
        limiter = ConnectionLimiter(20, 4, ["10.0.0.0/8"])
        other = limiter.add(FakeTransport("192.0.2.1"))
        assert other is not None
        ours = [FakeTransport(f"2001:db8::{k}") for k in range(6)]
        places = [limiter.add(transport) for transport in ours]
        assert [transport.aborted for transport in ours] == [True, True, *[False] * 4]
        assert len(limiter) == 5
        for place in places[2:]:
            assert place is not None
            place.set(Activity.ESTABLISHED)
        assert limiter.add(FakeTransport("2001:db8::ffff")) is None
        assert limiter.add(FakeTransport("2001:db8:0:1::1")) is not None
        proxied = [limiter.add(FakeTransport("10.1.2.3")) for _ in range(14)]
        assert all(proxied)
        assert len(limiter) == 20
        # Those whose clients keep the server waiting go first, then idle ones, oldest first.
        for place in proxied:
            assert place is not None
            place.set(Activity.IDLE)
        other.set(Activity.IDLE)
        for client in ("198.51.100.1", "198.51.100.2"):
            place = limiter.add(FakeTransport(client))
            assert place is not None
            place.set(Activity.ESTABLISHED)
        assert len(limiter) == 20
        assert [place.transport.aborted for place in proxied if place] == [True] + [False] * 13  # type: ignore[attr-defined]

    in_a_loop(test())


def test_requests_being_answered_are_replaced_for_clients_with_few() -> None:
    """Only those of a client with more connections than a browser opens."""

    async def test() -> None:
        def fill(*clients: str) -> ConnectionLimiter:
            limiter = ConnectionLimiter(20, 16)
            for k in range(20):
                place = limiter.add(FakeTransport(clients[k % len(clients)]))
                assert place is not None
                place.set(Activity.ANSWERING)
            return limiter

        crowded = fill("192.0.2.1", "192.0.2.2")
        assert crowded.add(FakeTransport("192.0.2.1")) is None
        assert crowded.add(FakeTransport("192.0.2.3")) is not None
        assert len(crowded) == 20
        assert fill(*(f"192.0.2.{k}" for k in range(5))).add(FakeTransport("192.0.2.9")) is None

    in_a_loop(test())


def test_an_ipv6_client_has_a_whole_network() -> None:
    assert client_network("2001:db8::1") == client_network("2001:db8:0:0:ffff::2%eth0")
    assert client_network("2001:db8:0:1::1") != client_network("2001:db8::1")
    assert client_network("::ffff:192.0.2.1") == client_network("192.0.2.1") == "192.0.2.1"
    assert client_network("") == ""


def test_silent_connections_do_not_block_others(address: str) -> None:
    where = urlsplit(address)
    with ExitStack() as open_ones:
        for _ in range(300):
            open_ones.enter_context(open_connection(address))
        for begun in (b"", b"POST /api/v1/state HTTP/1.1\r\nHost: loc"):
            for _ in range(20):
                open_ones.enter_context(open_connection(address)).sendall(begun)
            client = HTTPConnection(where.hostname or "", where.port, timeout=30)
            open_ones.callback(client.close)
            body = json.dumps({"game": "chefa"})
            client.request("POST", "/api/v1/state", body, {"Content-Type": "application/json"})
            answer = client.getresponse()
            assert answer.status == 200
            assert json.load(answer)["game"] == "chefa"


def test_invalid_http_is_refused_with_an_error_body(address: str) -> None:
    for _ in range(30):
        with open_connection(address) as connection:
            connection.sendall(b"\x16\x03\x01 hello\r\n\r\n")
            response = b""
            while part := connection.recv(4096):
                response += part
    head, _, body = response.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    for name, value in HEADERS.items():
        assert f"{name}: {value}".lower().encode() in head.lower()
    assert json.loads(body)["error"]["key"] == "http"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "begun"),
    [
        (b"", b""),
        (b"", b"GET / HTT"),
        (ASK, b"GET"),
        (ASK + b"GET / HTT", b""),
        (b"", POST + b"Content-Length: 9\r\n\r\n{"),
        (b"", CHUNKED + b"5\r\n{"),
        (ASK.replace(b"\r\n\r\n", b"\r\nContent-Length: 9\r\n\r\n{"), b""),
    ],
)
def test_a_request_that_does_not_come_ends_the_connection(
    before: bytes, begun: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that follows an answer, or was begun before it; who merely rests is kept."""
    monkeypatch.setattr(connections, "REQUEST_HEAD_TIMEOUT_S", 0.3)
    monkeypatch.setattr(connections, "BODY_IDLE_TIMEOUT_S", 0.3)

    async def test() -> tuple[bytes, bool]:
        server = Server(create_app())
        with socket.create_server(("127.0.0.1", 0)) as listener:
            serving = asyncio.create_task(server.serve([listener]))
            while not server.started:
                await asyncio.sleep(0.01)
            port = listener.getsockname()[1]
            reading, writing = await asyncio.open_connection("127.0.0.1", port)
            resting, client = await asyncio.open_connection("127.0.0.1", port)
            client.write(ASK)
            await resting.readuntil(b"}")
            try:
                if before:
                    writing.write(before)
                    await reading.readuntil(b"}")
                writing.write(begun)
                response = await asyncio.wait_for(reading.read(), 20)
            except ConnectionResetError:
                response = b""
            finally:
                rested = not resting.at_eof()
                for writer in (writing, client):
                    writer.close()
                server.should_exit = True
                await serving
            return response, rested

    assert in_a_loop(test()) == (b"", True)


def test_a_client_that_does_not_read_loses_its_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """While the server writes, when it has written all, and when it has closed the connection."""
    monkeypatch.setattr(connections, "UNREAD_TIMEOUT_S", 0.3)
    close = LARGE.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")

    async def test() -> None:
        server = Server(create_app())
        with socket.create_server(("127.0.0.1", 0)) as listener, ExitStack() as open_ones:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
            serving = asyncio.create_task(server.serve([listener]))
            while not server.started:
                await asyncio.sleep(0.01)
            address = f"http://127.0.0.1:{listener.getsockname()[1]}"
            for request in (LARGE * 100, LARGE, close):
                made = open_connection(address, unread=True)
                open_ones.enter_context(made).sendall(request)
            while len(server.limiter) < 3:
                await asyncio.sleep(0.01)
            async with asyncio.timeout(20):
                while len(server.limiter):
                    await asyncio.sleep(0.01)
            server.should_exit = True
            await serving

    in_a_loop(test())


def test_a_closed_connection_stops_its_work(tmp_path: Path) -> None:
    begun, stopped = tmp_path / "begun", tmp_path / "stopped"
    code = f"""
import time
from pathlib import Path
from damier.web import worker_process
from damier.web.endpoints import ENDPOINTS, Endpoint

def thinking(body, stop):
    Path({str(begun)!r}).touch()
    while not stop.is_set():
        time.sleep(0.01)
    Path({str(stopped)!r}).touch()
    return {{}}

ENDPOINTS["probe"] = Endpoint("probe", thinking, stoppable=True)
worker_process.main()
"""

    async def test() -> None:
        server = Server(create_app(lambda: WorkerPools(1, code=code)))
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
    )
    with process:
        where = urlsplit(address)
        for host, status in (("games.example", 200), ("localhost", 200), ("evil.example", 421)):
            client = HTTPConnection(where.hostname or "", where.port, timeout=30)
            client.request("GET", "/healthz", headers={"Host": host})
            assert client.getresponse().status == status
            client.close()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert errors.startswith("Warning:")
    assert len(errors.strip().splitlines()) == 1
