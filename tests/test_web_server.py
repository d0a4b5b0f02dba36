"""The command `damier web`, and the pool that its engine works in."""

import asyncio
import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest

from damier.cli.web import listen
from damier.errors import DamierError
from damier.search import Stop
from damier.web.pool import Busy, Gone, Pool

COMMAND = "import sys; from damier.cli import main; sys.exit(main(sys.argv[1:]))"


def started(*arguments: str) -> tuple[subprocess.Popen[str], str]:
    server = subprocess.Popen(
        [sys.executable, "-c", COMMAND, "--lang", "en", "web", "--no-browser", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    line = server.stdout.readline()
    return server, next(word for word in line.split() if word.startswith("http"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_next_free_port_is_taken_and_ctrl_c_stops_cleanly(number: int) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        server, address = started("--port", str(port))
        assert address.startswith("http://127.0.0.1:")
        assert not address.startswith(f"http://127.0.0.1:{port}/")
        with urlopen(address, timeout=20) as page:
            assert page.status == 200
            assert "server" not in page.headers
        with pytest.raises(HTTPError, match="421"):
            urlopen(Request(address, headers={"Host": "evil.example"}), timeout=20)
        server.send_signal(number)
        _, errors = server.communicate(timeout=20)
    assert "Traceback" not in errors
    if number == signal.SIGINT:
        assert server.returncode == 0


def test_ctrl_c_while_the_engine_thinks_and_others_wait() -> None:
    """A search under way answers with what it has; idle and slow connections hold nothing up."""
    server, address = started("--port", "8400")
    where = urlsplit(address)
    assert where.hostname
    thinking = HTTPConnection(where.hostname, where.port, timeout=60)
    idle = HTTPConnection(where.hostname, where.port, timeout=60)
    idle.request("GET", "/")
    assert idle.getresponse().read()
    with socket.create_connection((where.hostname, where.port or 80)) as slow:
        slow.sendall(b"POST /api/v1/state HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n")
        body = json.dumps({"game": "seega", "seconds": 20})
        thinking.request("POST", "/api/v1/analysis", body, {"Content-Type": "application/json"})
        time.sleep(1)
        server.send_signal(signal.SIGINT)
        answer = thinking.getresponse()
        assert answer.status in (200, 503)
        answer.read()
        _, errors = server.communicate(timeout=60)
    idle.close()
    thinking.close()
    assert errors.strip() == ""
    assert server.returncode == 0


def test_a_port_that_is_none_is_refused() -> None:
    with pytest.raises(DamierError, match="70000"):
        listen("127.0.0.1", 70000)
    for host in ("203.0.113.1", "999.1.1.1", "no.such.host.invalid"):
        with pytest.raises(DamierError, match=host):
            listen(host, 0)


class Asker:
    """A request whose asker may have gone."""

    def __init__(self, gone: bool = False) -> None:
        self.gone = gone

    async def is_disconnected(self) -> bool:
        return self.gone


def in_a_loop(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine in a thread of its own: the browser's tests may leave a loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


def run(pool: Pool, asker: Asker, job: Any, seconds: float) -> Any:
    try:
        return in_a_loop(pool.run(asker, job, seconds))  # type: ignore[arg-type]
    finally:
        pool.close()


def until_stopped(stop: Stop) -> str:
    while not stop.is_set():
        time.sleep(0.005)
    return "stopped"


def test_a_closed_tab_cancels_the_search() -> None:
    ended = threading.Event()

    def job(stop: Stop) -> None:
        until_stopped(stop)
        ended.set()

    with pytest.raises(Gone):
        run(Pool(1), Asker(gone=True), job, 30)
    assert ended.wait(5)


def test_a_search_is_stopped_at_its_deadline_and_answers() -> None:
    assert run(Pool(1), Asker(), until_stopped, 0.2) == "stopped"


def test_what_has_not_begun_at_its_deadline_is_busy() -> None:
    async def both() -> None:
        pool = Pool(1)
        first = asyncio.create_task(pool.run(Asker(), until_stopped, 3))  # type: ignore[arg-type]
        await asyncio.sleep(0.05)
        with pytest.raises(Busy):
            await pool.run(Asker(), until_stopped, 0.2)  # type: ignore[arg-type]
        assert pool.count == 1
        assert await first == "stopped"
        assert pool.count == 0
        pool.close()

    in_a_loop(both())


def test_errors_in_the_engine_reach_the_asker() -> None:
    def job(stop: Stop) -> None:
        raise DamierError("over")

    with pytest.raises(DamierError):
        run(Pool(1), Asker(), job, 5)
