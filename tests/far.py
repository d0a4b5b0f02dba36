"""Online play for tests: services that stand for processes, players, and a clock that is told."""

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
from damier.online.app import create_online_app, opened
from damier.online.clock import Settings
from damier.online.limits import Limits
from damier.online.models import ActIn
from damier.online.players import Player
from damier.online.service import Service
from damier.online.table import Table
from damier.online.wire import Wire
from damier.web.server import Server

START = 1_700_000_000_000
LIVE = e.LiveClock(minutes=3, seconds=2)


class Time:
    """What time it is."""

    def __init__(self, now: int = START) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now

    def pass_(self, milliseconds: int) -> None:
        self.now += milliseconds


@asynccontextmanager
async def process(url: str, now: Time | None = None) -> AsyncIterator[Service]:
    """Give what one process of the server has."""
    online = await opened(url, now or Time(), Limits(times=1000))
    try:
        yield online
    finally:
        await online.close()


async def pair(online: Service) -> tuple[Player, Player]:
    ada, _ = await online.players.create("Ada")
    blaise, _ = await online.players.create("Blaise")
    return ada, blaise


async def begun(
    online: Service, players: tuple[Player, Player], clock: Settings = LIVE, **terms: Any
) -> Table:
    """Return a table at which the first plays White."""
    agreed = e.Terms(**{"game": "chefa", "colour": "w", "clock": clock, **terms})
    table = await online.create(players[0], agreed)
    return await online.join(table.id, players[1])


def asked(kind: str, version: int = 1_000_000, name: str = "", **more: Any) -> ActIn:
    act = {"kind": kind, **more}
    return ActIn.model_validate({"id": name or kind, "version": version, "act": act})


async def play(
    online: Service, game: str, players: tuple[Player, Player], turns: int, name: str = "t"
) -> None:
    """Play so many turns, each the first that there is."""
    for _ in range(turns):
        table = (await online.fresh_room(game)).table
        assert table.to_move is not None
        turn = table.play.turns()[0].text
        player = players["wb".index(table.to_move)]
        what = asked("turn", table.version, f"{name}{table.version}", turn=turn)
        await online.act(game, player, what)


async def soon(what: Any, seconds: float = 10.0) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(seconds):
        while not what():
            await asyncio.sleep(0.01)


class Serving:
    """A real server in a thread, which can be stopped and begun anew on the same port."""

    def __init__(self, url: str, **more: Any) -> None:
        self._url, self._more = url, {"limits": Limits(times=1000), **more}
        self._listener = listen("127.0.0.1", 0)
        self.port: int = self._listener.getsockname()[1]
        self.begin()

    def begin(self) -> None:
        """Begin to serve."""
        self.app = create_online_app(self._url, **self._more)
        self._server = Server(self.app, sockets=Wire)
        listener = self._listener.dup()
        self._thread = Thread(target=asyncio.run, args=(self._server.serve([listener]),))
        self._thread.start()
        while not self._server.started:
            assert self._thread.is_alive()
            sleep(0.01)

    def end(self) -> None:
        """Stop; who connects waits until it begins anew."""
        self._server.should_exit = True
        self._thread.join(30)
        assert not self._thread.is_alive()

    def close(self) -> None:
        """Stop for good."""
        self.end()
        self._listener.close()

    def ask(
        self, path: str, body: Any = None, secret: str = "", *, get: bool = False, **headers: str
    ) -> tuple[int, Any]:
        """Return the status and the answer to a request; below /api/v1/online/ if not said."""
        asking = HTTPConnection("127.0.0.1", self.port, timeout=30)
        where = path if path.startswith("/") else f"/api/v1/online/{path}"
        more = {"Content-Type": "application/json", **headers}
        if secret:
            more["Authorization"] = f"Bearer {secret}"
        try:
            asking.request(
                "GET" if get else "POST", where, None if get else json.dumps(body or {}), more
            )
            answer = asking.getresponse()
            return answer.status, json.loads(answer.read() or b"null")
        finally:
            asking.close()

    def made(self, name: str) -> dict[str, Any]:
        """Return a new identity."""
        status, made = self.ask("identities", {"name": name})
        assert status == 200
        found: dict[str, Any] = made
        return found

    def connect(self, secret: str | None = None, hello: bool = True, **more: Any) -> "Line":
        """Return a WebSocket that has said hello."""
        address = f"ws://127.0.0.1:{self.port}/api/v1/online/socket"
        line = Line(connect(address, compression=None, open_timeout=30, **more))
        if hello:
            line.say(type="hello", secret=secret, language="en")
            line.until("welcome")
        return line


class Line:
    """A WebSocket, as a client has it."""

    def __init__(self, wire: Any) -> None:
        self.wire: ClientConnection = wire.__enter__()

    def __enter__(self) -> "Line":
        return self

    def __exit__(self, *_: object) -> None:
        self.wire.close()

    def say(self, **message: Any) -> None:
        self.wire.send(json.dumps(message))

    def act(self, game: str, kind: str, version: int = 1_000_000, **more: Any) -> str:
        """Do something; return the identifier of the act."""
        name = more.pop("name", None) or token_hex(8)
        act = {"kind": kind, **more}
        self.say(type="act", game=game, id=name, version=version, act=act)
        return name

    def hear(self, seconds: float = 20) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.wire.recv(seconds))
        return found

    def until(self, type_: str, **more: Any) -> dict[str, Any]:
        """Return the next message of a type, with what it says."""
        while True:
            heard = self.hear()
            if heard["type"] == type_ and all(heard.get(k) == v for k, v in more.items()):
                return heard

    def event(self, kind: str) -> dict[str, Any]:
        """Return the next event of a kind."""
        while True:
            heard = self.until("event")
            if heard["event"]["kind"] == kind:
                return heard

    def parted(self) -> tuple[str | None, int]:
        """Read to the end; return why the server has closed the connection, and its code."""
        reason = None
        try:
            while True:
                heard = self.hear()
                if heard["type"] == "bye":
                    reason = heard["reason"]
        except ConnectionClosed as error:
            return reason, error.rcvd.code if error.rcvd else 1006
