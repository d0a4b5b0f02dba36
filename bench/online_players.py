"""Clients of online games, for benchmarks and tests.

Each client keeps one WebSocket, reconnects when it is lost, asks for missed events and sends
unacknowledged actions again. Two clients play a game from a script that both know. The events that
a client received are recorded with their times, for comparison with the stored events.
"""

import asyncio
import itertools
import json
import random
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import time
from typing import Any
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

import damier
from damier.games import GAMES

API = "/api/v1/online/"
FIRST_RETRY_PAUSE_S, MAX_RETRY_PAUSE_S = 0.05, 0.5  # before a reconnection
MOVE_TIMEOUT_S = 60.0  # for a move to reach the opponent, including server restarts


class RequestRejected(Exception):
    """The server rejected a request or an action."""


async def ask(
    server: str,
    method: str,
    path: str,
    body: Any = None,
    secret: str | None = None,
    address: str = "127.0.0.1",
) -> Any:
    """Return the response to one request, sent from a loopback address."""
    where = urlsplit(server)
    reader, writer = await asyncio.open_connection(
        where.hostname, where.port, local_addr=(address, 0), limit=1 << 24
    )
    try:
        content = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", f"Host: {where.netloc}", "Connection: close"]
        if secret is not None:
            lines.append(f"Authorization: Bearer {secret}")
        if body is not None:
            lines += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
        writer.write("\r\n".join([*lines, "", ""]).encode() + content)
        answer = await reader.read()
    finally:
        writer.close()
    head, _, text = answer.partition(b"\r\n\r\n")
    if not head:
        raise ConnectionResetError
    status = int(head.split()[1])
    if status >= 400:
        raise RequestRejected(status, text.decode()[:300])
    return json.loads(text) if text.startswith((b"{", b"[")) else text.decode()


class OnlineClient:
    """Client with one WebSocket: a player with an identity, or a watcher without one."""

    def __init__(self, servers: Sequence[str], address: str = "127.0.0.1") -> None:
        self.servers = servers  # tried in turn until one answers
        self.address = address
        self.secret: str | None = None
        self.versions: dict[str, int] = {}  # by followed game
        self.on_event: Callable[[str, dict[str, Any]], None] = lambda game, event: None
        self.faults: list[str] = []  # protocol errors
        self.close_reasons: list[str] = []  # of connections that servers closed
        self.back = asyncio.Event()  # set while connected and up to date
        self.away: list[tuple[float, float]] = []  # periods without connection
        self._lost = time()
        self._socket: ClientConnection | None = None
        self._acts: dict[str, tuple[dict[str, Any], asyncio.Future[int]]] = {}
        self._staying: asyncio.Task[None] | None = None
        self._returning: asyncio.Task[None] | None = None

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Return the response to one request with this client's identity."""
        pauses = _pauses()
        for server in itertools.cycle(self.servers):
            try:
                return await ask(server, method, API + path, body, self.secret, self.address)
            except (OSError, asyncio.IncompleteReadError):
                await asyncio.sleep(next(pauses))
        raise AssertionError

    async def enter(self, name: str) -> None:
        """Create an identity and stay connected."""
        self.secret = (await self.ask("POST", "identities", {"name": name}))["secret"]
        self.stay()

    def stay(self) -> None:
        """Connect, and reconnect whenever the connection is lost."""
        self._staying = asyncio.create_task(self._stay())

    async def leave(self) -> None:
        """Disconnect."""
        if self._staying is not None:
            self._staying.cancel()
            await asyncio.gather(self._staying, return_exceptions=True)

    async def follow(self, game: str) -> None:
        """Subscribe to the events of a game."""
        self.versions[game] = 0
        if self._socket is not None:
            await self._send({"type": "follow", "game": game, "version": None})

    async def act(self, game: str, act: dict[str, Any]) -> int:
        """Send an action until it is acknowledged; return the version of its event."""
        identifier = str(uuid.uuid4())
        action = {"type": "act", "game": game, "id": identifier, "act": act}
        done: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._acts[identifier] = action, done
        if self.back.is_set():
            await self._send({**action, "version": self.versions[game]})
        try:
            return await done
        finally:
            del self._acts[identifier]

    async def _send(self, message: dict[str, Any]) -> None:
        socket = self._socket
        if socket is not None:
            with suppress(WebSocketException):  # it is sent again after the reconnection
                await socket.send(json.dumps(message))

    async def _stay(self) -> None:
        pauses = _pauses()
        for server in itertools.cycle(self.servers):
            address = server.replace("http", "ws", 1).rstrip("/") + API + "socket"
            try:
                async with connect(
                    address,
                    local_addr=(self.address, 0),
                    compression=None,
                    ping_interval=None,
                    open_timeout=10,
                    close_timeout=1,
                    proxy=None,
                ) as socket:
                    await self._greet(socket)
                    async for text in socket:
                        self._receive(json.loads(text))
                        if self.back.is_set():
                            pauses = _pauses()
            except (OSError, WebSocketException):
                pass
            finally:
                self._socket = None
                if self.back.is_set():
                    self._lost = time()
                    self.back.clear()
            await asyncio.sleep(next(pauses))

    async def _greet(self, socket: ClientConnection) -> None:
        """Send the identity and subscribe to the followed games."""
        hello = {"type": "hello", "secret": self.secret, "language": "en"}
        await socket.send(json.dumps(hello))
        for game, version in self.versions.items():
            follow = {"type": "follow", "game": game, "version": version or None}
            await socket.send(json.dumps(follow))
        self._socket = socket
        await self._send({"type": "ping", "sent": 0})

    async def _return(self) -> None:
        """Send unacknowledged actions again, after the missed events have arrived."""
        self.back.set()
        self.away.append((self._lost, time()))
        for action, _ in list(self._acts.values()):
            await self._send({**action, "version": self.versions[action["game"]]})

    def _receive(self, message: dict[str, Any]) -> None:
        kind = message["type"]
        if kind == "event":
            self._event(message["game"], message["event"])
        elif kind == "game":
            state = message["game"]
            known = self.versions.get(state["id"], 0)
            if state["version"] < known:
                self.faults.append(f"{state['id']}: from version {known} to {state['version']}")
            self.versions[state["id"]] = state["version"]
            for k, move in enumerate(state["turns"]):
                self.on_event(state["id"], {"kind": "turn", "turn": move, "number": k})
        elif kind == "done":
            _, done = self._acts.get(message["id"], (None, None))
            if done is not None and not done.done():
                done.set_result(message["version"])
        elif kind == "refused":
            self._refused(message)
        elif kind == "bye":
            self.close_reasons.append(message["reason"])
        elif kind == "pong" and not self.back.is_set():
            self._returning = asyncio.create_task(self._return())

    def _event(self, game: str, event: dict[str, Any]) -> None:
        known = self.versions.get(game, 0)
        if event["version"] > known + 1:
            self.faults.append(f"{game}: version {event['version']} after {known}")
        if event["version"] > known:
            self.versions[game] = event["version"]
            self.on_event(game, event)

    def _refused(self, message: dict[str, Any]) -> None:
        _, done = self._acts.get(message["id"] or "", (None, None))
        if done is not None and not done.done():
            done.set_exception(
                RequestRejected(message["error"]["key"], message["error"]["message"])
            )
        elif done is None:
            self.faults.append(f"refused: {message['error']['key']}")


def _pauses() -> Iterator[float]:
    """Yield random pauses between attempts, growing exponentially."""
    pause = FIRST_RETRY_PAUSE_S
    while True:
        yield pause * (0.5 + random.random())
        pause = min(MAX_RETRY_PAUSE_S, 2 * pause)


@dataclass
class TimedMove:
    """Move with its times at the clients, in seconds since 1970 like the server's."""

    number: int
    side: str
    text: str
    due: float  # time when it should be sent
    shown: float  # time when its client received the move before
    sent: float
    acknowledged: float | None = None
    version: int | None = None
    arrived: float | None = None  # time at the opponent


Script = tuple[str, list[tuple[str, str]]]


def scripts(length: int, seed: int = 1) -> list[Script]:
    """Return a random game of each kind with `length` moves, or the longest one found."""
    rng = random.Random(seed)
    result = []
    for name in GAMES:
        best: list[tuple[str, str]] = []
        for _ in range(20):
            played = _random_game(name, length, rng)
            best = max(best, played, key=len)
            if len(best) >= length:
                break
        result.append((name, best))
    return result


def _random_game(name: str, length: int, rng: random.Random) -> list[tuple[str, str]]:
    """Return random moves with their sides, avoiding moves that end the game."""
    game = damier.Game(damier.load_rules(name))
    played: list[tuple[str, str]] = []
    while len(played) < length:
        for move in rng.sample(moves := list(game.legal_moves()), len(moves)):
            after = game.play(move)
            if not after.over:
                break
        else:
            return played
        played.append((game.position.side, move.text))
        game = after
    return played


@dataclass
class ScriptedGame:
    """Game of two clients that play a script, with the times of its moves."""

    script: Script
    w: OnlineClient
    b: OnlineClient
    clock: dict[str, Any] = field(
        default_factory=lambda: {"kind": "live", "minutes": 60, "seconds": 5}
    )
    game: str = ""
    played: list[TimedMove] = field(default_factory=list)
    busy: bool = False
    _arrived: dict[tuple[str, int], asyncio.Event] = field(default_factory=dict)
    _counted: dict[str, int] = field(default_factory=dict)
    _seen: dict[tuple[str, int], float] = field(default_factory=dict)

    async def set_up(self) -> None:
        """Create a new online game and join it."""
        name = self.script[0]
        terms = {"game": name, "colour": "w", "clock": self.clock}
        created = await self.w.ask("POST", "games", terms)
        self.game, self.played = created["id"], []
        self._counted, self._seen = {"w": 0, "b": 0}, {}
        await self.b.ask("POST", f"games/{self.game}/join")
        for side, player in (("w", self.w), ("b", self.b)):
            player.on_event = self._event_handler(side)
            await player.follow(self.game)

    def _event_handler(self, side: str) -> Callable[[str, dict[str, Any]], None]:
        def on_event(game: str, event: dict[str, Any]) -> None:
            if game != self.game or event["kind"] != "turn":
                return
            number = event.get("number", self._counted[side])
            if number < self._counted[side]:
                return
            self._counted[side] = number + 1
            self._seen[side, number] = time()
            arrival = self._arrived.get((side, number))
            if arrival is not None:
                arrival.set()

        return on_event

    @property
    def over(self) -> bool:
        """Whether the script is finished."""
        return len(self.played) >= len(self.script[1])

    async def step(self, due: float) -> TimedMove:
        """Play the next move; return after it is acknowledged and the opponent has received it."""
        number = len(self.played)
        side, text = self.script[1][number]
        mover, other = (self.w, "b") if side == "w" else (self.b, "w")
        now = time()
        move = TimedMove(number, side, text, due, self._seen.get((side, number - 1), now), now)
        self.played.append(move)
        event = self._arrived[other, number] = asyncio.Event()
        async with asyncio.timeout(MOVE_TIMEOUT_S):
            move.version = await mover.act(self.game, {"kind": "turn", "turn": text})
            move.acknowledged = time()
            await event.wait()
        move.arrived = self._seen[other, number]
        del self._arrived[other, number]
        return move
