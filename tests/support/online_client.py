"""Online play in tests: services, a server in a thread, players, and a manual clock."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http.client import HTTPConnection
from secrets import token_hex
from threading import Thread
from time import sleep
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from damier.cli.web import listen
from damier.online import events as e
from damier.online.app import create_online_app, open_service
from damier.online.clock import ClockSettings
from damier.online.limits import RateLimiter
from damier.online.models import ActionRequest
from damier.online.players import Player
from damier.online.protocol import LagMeasuringProtocol
from damier.online.reducer import OnlineGame
from damier.online.service import OnlineService
from damier.web.connections import ConnectionLimiter
from damier.web.server import Server

START = 1_700_000_000_000
LIVE = e.LiveClock(minutes=3, seconds=2)


class FakeClock:
    """A clock that tests set."""

    def __init__(self, now: int = START) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now

    def advance(self, milliseconds: int) -> None:
        self.now += milliseconds


@asynccontextmanager
async def process(url: str, now: FakeClock | None = None) -> AsyncIterator[OnlineService]:
    """Yield the service of one server process."""
    online = await open_service(url, now or FakeClock(), RateLimiter(factor=1000))
    try:
        yield online
    finally:
        await online.close()


async def create_pair(online: OnlineService) -> tuple[Player, Player]:
    ada, _ = await online.players.create("Ada")
    blaise, _ = await online.players.create("Blaise")
    return ada, blaise


async def begun(
    online: OnlineService, players: tuple[Player, Player], clock: ClockSettings = LIVE, **terms: Any
) -> OnlineGame:
    """Return a game in which the first player has White."""
    agreed = e.GameSetup(**{"game": "chefa", "colour": "w", "clock": clock, **terms})
    game = await online.create_game(players[0], agreed)
    return await online.join_game(game.id, players[1])


def action_request(
    kind: str, version: int = 1_000_000, name: str = "", **more: Any
) -> ActionRequest:
    act = {"kind": kind, **more}
    return ActionRequest.model_validate({"id": name or kind, "version": version, "act": act})


async def play(
    online: OnlineService, game_id: str, players: tuple[Player, Player], moves: int, name: str = "t"
) -> None:
    """Play a number of moves, each the first legal one."""
    for _ in range(moves):
        game = (await online.current_channel(game_id)).game
        assert game.to_move is not None
        move = game.gameplay.legal_moves()[0].text
        player = players["wb".index(game.to_move)]
        what = action_request("turn", game.version, f"{name}{game.version}", turn=move)
        await online.perform(game_id, player, what)


async def wait_until(what: Any, seconds: float = 10.0) -> None:
    """Wait until a condition holds."""
    async with asyncio.timeout(seconds):
        while not what():
            await asyncio.sleep(0.01)


class OnlineTestServer:
    """A real server in a thread, which can be stopped and restarted on the same port."""

    def __init__(self, url: str, **more: Any) -> None:
        self._url, self._more = url, {"limits": RateLimiter(factor=1000), **more}
        self._listener = listen("127.0.0.1", 0)
        self.port: int = self._listener.getsockname()[1]
        self.start()

    def start(self) -> None:
        """Start serving."""
        self.app = create_online_app(self._url, **self._more)
        self._server = Server(self.app, websocket_protocol=LagMeasuringProtocol)
        listener = self._listener.dup()
        self._thread = Thread(target=asyncio.run, args=(self._server.serve([listener]),))
        self._thread.start()
        while not self._server.started:
            assert self._thread.is_alive()
            sleep(0.01)

    @property
    def limiter(self) -> ConnectionLimiter:
        """The limiter of the server's connections."""
        return self._server.limiter

    def stop(self) -> None:
        """Stop; new connections wait until it restarts."""
        self._server.should_exit = True
        self._thread.join(30)
        assert not self._thread.is_alive()

    def close(self) -> None:
        """Stop and close the listening socket."""
        self.stop()
        self._listener.close()

    def request(
        self,
        path: str,
        body: Any = None,
        secret: str = "",
        *,
        get: bool = False,
        method: str = "",
        **headers: str,
    ) -> tuple[int, Any]:
        """Return status and body of a request; relative paths are below /api/v1/online/."""
        asking = HTTPConnection("127.0.0.1", self.port, timeout=30)
        where = path if path.startswith("/") else f"/api/v1/online/{path}"
        more = {"Content-Type": "application/json", **headers}
        if secret:
            more["Authorization"] = f"Bearer {secret}"
        try:
            method = method or ("GET" if get else "POST")
            asking.request(
                method, where, json.dumps(body or {}) if method == "POST" else None, more
            )
            answer = asking.getresponse()
            return answer.status, json.loads(answer.read() or b"null")
        finally:
            asking.close()

    def create_identity(self, name: str) -> dict[str, Any]:
        """Create an identity and return it with its secret."""
        status, made = self.request("identities", {"name": name})
        assert status == 200
        found: dict[str, Any] = made
        return found

    def connect(self, secret: str | None = None, hello: bool = True, **more: Any) -> "SocketClient":
        """Return a WebSocket client, authenticated unless `hello` is false."""
        address = f"ws://127.0.0.1:{self.port}/api/v1/online/socket"
        line = SocketClient(connect(address, compression=None, open_timeout=30, **more))
        if hello:
            line.send(type="hello", secret=secret, language="en")
            line.wait_for("welcome")
        return line


class SocketClient:
    """A WebSocket client."""

    def __init__(self, socket: Any) -> None:
        self.socket: ClientConnection = socket.__enter__()

    def __enter__(self) -> "SocketClient":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, **message: Any) -> None:
        self.socket.send(json.dumps(message))

    def act(self, game_id: str, kind: str, version: int = 1_000_000, **more: Any) -> str:
        """Send an action and return its id."""
        name = more.pop("name", None) or token_hex(8)
        act = {"kind": kind, **more}
        self.send(type="act", game=game_id, id=name, version=version, act=act)
        return name

    def receive(self, seconds: float = 20) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.socket.recv(seconds))
        return found

    def wait_for(self, type_: str, **more: Any) -> dict[str, Any]:
        """Return the next message of a type whose fields have given values."""
        while True:
            heard = self.receive()
            if heard["type"] == type_ and all(heard.get(k) == v for k, v in more.items()):
                return heard

    def wait_for_event(self, kind: str) -> dict[str, Any]:
        """Return the next event message of a kind."""
        while True:
            heard = self.wait_for("event")
            if heard["event"]["kind"] == kind:
                return heard

    def read_close_reason(self) -> tuple[str | None, int]:
        """Read until the connection is closed; return the reason and the close code."""
        reason = None
        try:
            while True:
                heard = self.receive()
                if heard["type"] == "bye":
                    reason = heard["reason"]
        except ConnectionClosed as error:
            return reason, error.rcvd.code if error.rcvd else 1006
