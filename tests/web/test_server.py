"""The command `damier web`: start, service and shutdown."""

import asyncio
import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest

from damier.cli.web import listen
from damier.errors import DamierError
from damier.games import RefusedGame, load
from damier.i18n import translate
from damier.web import handlers

pytestmark = pytest.mark.slow

COMMAND = "import sys; from damier.cli import main; sys.exit(main(sys.argv[1:]))"


def started(
    *arguments: str, preexec_fn: Callable[[], None] | None = None
) -> tuple[subprocess.Popen[str], str]:
    server = subprocess.Popen(
        [sys.executable, "-c", COMMAND, "--lang", "en", "web", "--no-browser", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=preexec_fn,
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


def test_a_broken_game_does_not_prevent_the_others(tmp_path: Path) -> None:
    broken, missing = tmp_path / "broken.py", tmp_path / "missing.py"
    broken.write_text("raise RuntimeError('no game')")
    good = "examples/tapatan"
    server, address = started(*(f"--game={path}" for path in (broken, good, missing)))
    with server:
        with urlopen(f"{address}api/v1/games", timeout=20) as answer:
            names = [game["name"] for game in json.load(answer)["games"]]
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=20)
    assert Path(good).name in names
    assert len(names) == 6
    for path in (broken, missing):
        assert f"the game {path} is left out" in errors
    assert errors.count("Their code runs with your rights") == 1
    assert "Traceback" not in errors


def test_a_game_that_cannot_be_described_is_left_out(
    monkeypatch: pytest.MonkeyPatch, own_registry: None
) -> None:
    load("examples/tapatan")
    describe = handlers._describe_game

    def fail(name: str) -> dict[str, Any]:
        if name == "tapatan":
            raise RuntimeError("in the game's own code")
        return describe(name)

    monkeypatch.setattr(handlers, "_describe_game", fail)
    with pytest.warns(RefusedGame, match="tapatan: RuntimeError: in the game's own code"):
        names = [game["name"] for game in handlers._describe_games()]
    assert "tapatan" not in names
    assert "chefa" in names


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


def test_a_game_from_a_path_reaches_the_processes_that_answer_and_think() -> None:
    path = Path(__file__).parents[2] / "examples" / "tapatan"
    server, address = started("--port", "8450", "--game", str(path))
    with server:
        for asked, status in (("state", 200), ("turns", 200), ("move", 200), ("probe", 404)):
            content = json.dumps({"game": "tapatan", **({"level": 1} if asked == "move" else {})})
            request = Request(
                f"{address}api/v1/{asked}", content.encode(), {"Content-Type": "application/json"}
            )
            try:
                with urlopen(request, timeout=60) as answer:
                    assert answer.status == status
            except HTTPError as error:
                assert error.code == status, error.read()
                assert json.load(error)["error"]["key"] == "no-table"
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=30)
    assert errors.strip() == translate("cli.games-rights")


def test_a_port_that_is_none_is_refused() -> None:
    with pytest.raises(DamierError, match="70000"):
        listen("127.0.0.1", 70000)
    for host in ("203.0.113.1", "999.1.1.1", "no.such.host.invalid"):
        with pytest.raises(DamierError, match=host):
            listen(host, 0)


def in_a_loop(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine in a thread of its own: the browser's tests may leave a loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()
