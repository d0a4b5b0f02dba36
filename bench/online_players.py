"""Players of online games, for benchmarks and tests: many, light, stubborn, and with a memory.

Each keeps one WebSocket, comes back when it is lost, asks for what it has missed, and sends again
what was not acknowledged. Two of them play a game by a script that both know. What each has seen
and when is kept, so that it can be compared with what the server has kept.
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
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 0.5  # before coming back, in seconds
PATIENCE = 60.0  # seconds for a turn to reach the other player, kills and all


class Refused(Exception):
    """A request or an act was refused."""


async def ask(
    server: str, method: str, path: str, body: Any = None, secret: str | None = None,
    address: str = "127.0.0.1",
) -> Any:  # fmt: skip
    """Return the answer to one request, made from an address of this machine."""
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
        raise Refused(status, text.decode()[:300])
    return json.loads(text) if text.startswith((b"{", b"[")) else text.decode()


class Player:
    """An identity with one WebSocket, or a watcher without identity."""

    def __init__(self, servers: Sequence[str], address: str = "127.0.0.1") -> None:
        self.servers = servers  # the first that answers is taken
        self.address = address
        self.secret: str | None = None
        self.versions: dict[str, int] = {}  # of the games that are followed
        self.heard: Callable[[str, dict[str, Any]], None] = lambda game, event: None
        self.faults: list[str] = []  # what must not happen
        self.farewells: list[str] = []  # why servers have parted
        self.back = asyncio.Event()  # connected, and told what was missed
        self.away: list[tuple[float, float]] = []  # from when to when it was not
        self._lost = time()
        self._socket: ClientConnection | None = None
        self._acts: dict[str, tuple[dict[str, Any], asyncio.Future[int]]] = {}
        self._staying: asyncio.Task[None] | None = None
        self._returning: asyncio.Task[None] | None = None

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Return the answer to one request as this player."""
        pauses = _pauses()
        for server in itertools.cycle(self.servers):
            try:
                return await ask(server, method, API + path, body, self.secret, self.address)
            except (OSError, asyncio.IncompleteReadError):
                await asyncio.sleep(next(pauses))
        raise AssertionError

    async def enter(self, name: str) -> None:
        """Become somebody, and stay connected."""
        self.secret = (await self.ask("POST", "identities", {"name": name}))["secret"]
        self.stay()

    def stay(self) -> None:
        """Stay connected from now on."""
        self._staying = asyncio.create_task(self._stay())

    async def leave(self) -> None:
        """Go away for good."""
        if self._staying is not None:
            self._staying.cancel()
            await asyncio.gather(self._staying, return_exceptions=True)

    async def follow(self, game: str) -> None:
        """Hear of all that happens in a game."""
        self.versions[game] = 0
        if self._socket is not None:
            await self._send({"type": "follow", "game": game, "version": None})

    async def act(self, game: str, act: dict[str, Any]) -> int:
        """Do something in a game until it is acknowledged; return the version that it made."""
        identifier = str(uuid.uuid4())
        told = {"type": "act", "game": game, "id": identifier, "act": act}
        done: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._acts[identifier] = told, done
        if self.back.is_set():
            await self._send({**told, "version": self.versions[game]})
        try:
            return await done
        finally:
            del self._acts[identifier]

    async def _send(self, message: dict[str, Any]) -> None:
        socket = self._socket
        if socket is not None:
            with suppress(WebSocketException):  # it comes back, and sends it again
                await socket.send(json.dumps(message))

    async def _stay(self) -> None:
        pauses = _pauses()
        for server in itertools.cycle(self.servers):
            address = server.replace("http", "ws", 1).rstrip("/") + API + "socket"
            try:
                async with connect(
                    address, local_addr=(self.address, 0), compression=None, ping_interval=None,
                    open_timeout=10, close_timeout=1, proxy=None,
                ) as socket:  # fmt: skip
                    await self._greet(socket)
                    async for text in socket:
                        self._hear(json.loads(text))
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
        """Say who this is, and ask for what it has missed."""
        hello = {"type": "hello", "secret": self.secret, "language": "en"}
        await socket.send(json.dumps(hello))
        for game, version in self.versions.items():
            follow = {"type": "follow", "game": game, "version": version or None}
            await socket.send(json.dumps(follow))
        self._socket = socket
        await self._send({"type": "ping", "sent": 0})

    async def _return(self) -> None:
        """Send again what was not acknowledged, now that all that was missed is known."""
        self.back.set()
        self.away.append((self._lost, time()))
        for told, _ in list(self._acts.values()):
            await self._send({**told, "version": self.versions[told["game"]]})

    def _hear(self, message: dict[str, Any]) -> None:
        kind = message["type"]
        if kind == "event":
            self._event(message["game"], message["event"])
        elif kind == "game":
            told = message["game"]
            known = self.versions.get(told["id"], 0)
            if told["version"] < known:
                self.faults.append(f"{told['id']}: from version {known} to {told['version']}")
            self.versions[told["id"]] = told["version"]
            for k, turn in enumerate(told["turns"]):
                self.heard(told["id"], {"kind": "turn", "turn": turn, "number": k})
        elif kind == "done":
            _, done = self._acts.get(message["id"], (None, None))
            if done is not None and not done.done():
                done.set_result(message["version"])
        elif kind == "refused":
            self._refused(message)
        elif kind == "bye":
            self.farewells.append(message["reason"])
        elif kind == "pong" and not self.back.is_set():
            self._returning = asyncio.create_task(self._return())

    def _event(self, game: str, event: dict[str, Any]) -> None:
        known = self.versions.get(game, 0)
        if event["version"] > known + 1:
            self.faults.append(f"{game}: version {event['version']} after {known}")
        if event["version"] > known:
            self.versions[game] = event["version"]
            self.heard(game, event)

    def _refused(self, message: dict[str, Any]) -> None:
        _, done = self._acts.get(message["id"] or "", (None, None))
        if done is not None and not done.done():
            done.set_exception(Refused(message["error"]["key"], message["error"]["message"]))
        elif done is None:
            self.faults.append(f"refused: {message['error']['key']}")


def _pauses() -> Iterator[float]:
    """Yield how long to wait before each further try: longer each time, and not all alike."""
    pause = FIRST_PAUSE
    while True:
        yield pause * (0.5 + random.random())
        pause = min(LONGEST_PAUSE, 2 * pause)


@dataclass
class Played:
    """A turn as its player saw it; times are seconds since 1970, as the server's are."""

    number: int
    side: str
    text: str
    due: float  # when it was to be sent
    shown: float  # when its player had seen the turn before
    sent: float
    acknowledged: float | None = None
    version: int | None = None
    arrived: float | None = None  # at the other player


Script = tuple[str, list[tuple[str, str]]]


def scripts(length: int, seed: int = 1) -> list[Script]:
    """Return a game of random turns of each kind that goes on for so long, or as long as any."""
    dice = random.Random(seed)
    found = []
    for name in GAMES:
        best: list[tuple[str, str]] = []
        for _ in range(20):
            played = _random_game(name, length, dice)
            best = max(best, played, key=len)
            if len(best) >= length:
                break
        found.append((name, best))
    return found


def _random_game(name: str, length: int, dice: random.Random) -> list[tuple[str, str]]:
    """Return random turns, with who plays each, none of which ends the game if it can be helped."""
    game = damier.Game(damier.game(name))
    played: list[tuple[str, str]] = []
    while len(played) < length:
        for turn in dice.sample(turns := list(game.turns()), len(turns)):
            after = game.play(turn)
            if not after.over:
                break
        else:
            return played
        played.append((game.position.side, turn.text))
        game = after
    return played


@dataclass
class Table:
    """Two players who play a script, and what they have seen of it."""

    script: Script
    w: Player
    b: Player
    clock: dict[str, Any] = field(
        default_factory=lambda: {"kind": "live", "minutes": 60, "seconds": 5}
    )
    game: str = ""
    played: list[Played] = field(default_factory=list)
    busy: bool = False
    _arrived: dict[tuple[str, int], asyncio.Event] = field(default_factory=dict)
    _counted: dict[str, int] = field(default_factory=dict)
    _seen: dict[tuple[str, int], float] = field(default_factory=dict)

    async def set_up(self) -> None:
        """Sit down at a new table."""
        name = self.script[0]
        terms = {"game": name, "colour": "w", "clock": self.clock}
        made = await self.w.ask("POST", "games", terms)
        self.game, self.played = made["id"], []
        self._counted, self._seen = {"w": 0, "b": 0}, {}
        await self.b.ask("POST", f"games/{self.game}/join")
        for side, player in (("w", self.w), ("b", self.b)):
            player.heard = self._hearing(side)
            await player.follow(self.game)

    def _hearing(self, side: str) -> Callable[[str, dict[str, Any]], None]:
        def heard(game: str, event: dict[str, Any]) -> None:
            if game != self.game or event["kind"] != "turn":
                return
            number = event.get("number", self._counted[side])
            if number < self._counted[side]:
                return
            self._counted[side] = number + 1
            self._seen[side, number] = time()
            waiting = self._arrived.get((side, number))
            if waiting is not None:
                waiting.set()

        return heard

    @property
    def over(self) -> bool:
        """Whether the script is at its end."""
        return len(self.played) >= len(self.script[1])

    async def step(self, due: float) -> Played:
        """Play the next turn; return when its player knows that it counts and the other has it."""
        number = len(self.played)
        side, text = self.script[1][number]
        mover, other = (self.w, "b") if side == "w" else (self.b, "w")
        now = time()
        turn = Played(number, side, text, due, self._seen.get((side, number - 1), now), now)
        self.played.append(turn)
        event = self._arrived[other, number] = asyncio.Event()
        async with asyncio.timeout(PATIENCE):
            turn.version = await mover.act(self.game, {"kind": "turn", "turn": text})
            turn.acknowledged = time()
            await event.wait()
        turn.arrived = self._seen[other, number]
        del self._arrived[other, number]
        return turn
