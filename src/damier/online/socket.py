"""Online play over a WebSocket: what happens, while it happens."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress

from pydantic import ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from damier import lang
from damier.errors import DamierError
from damier.online import messages as msg
from damier.online.hub import Room, written
from damier.online.limits import Bucket, TooFast
from damier.online.players import Player, hashed
from damier.online.service import Service
from damier.online.store import Away
from damier.web.answers import malformed, refusal
from damier.web.server import LONGEST_MESSAGE

HELLO_SECONDS = 10.0
MOST_WAITING = 400  # messages that a slow reader may be behind
MOST_FOLLOWED = 30  # games, by one connection
FAR_BEHIND = 30  # events: beyond, the whole game is sent
JUNK = 20  # messages that make no sense, before we part


class Farewell(Exception):
    """The connection is to be closed, with a reason."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Connection:
    """One WebSocket: who it is, what it follows, and what waits to be sent."""

    def __init__(self, websocket: WebSocket, online: Service) -> None:
        self.websocket, self.online = websocket, online
        self.player: Player | None = None
        self.language = "en"
        self.key = ""
        self.rooms: dict[str, Room] = {}
        self.address = websocket.client.host if websocket.client else ""
        self._waiting: deque[str] = deque()
        self._wake = asyncio.Event()
        self._parting: str | None = None
        self._junk = 0
        self._bucket = Bucket(
            online.limits.rate("messages").burst, asyncio.get_running_loop().time()
        )

    # ---- sending ----

    def tell(self, text: str) -> None:
        """Send something as soon as the connection takes it."""
        if len(self._waiting) >= MOST_WAITING:
            self.part("slow")
        elif self._parting is None:
            self._waiting.append(text)
            self._wake.set()

    def part(self, reason: str) -> None:
        """Send what waits, say why, and close."""
        if self._parting is None:
            self._parting = reason
            if reason == "slow":
                self._waiting.clear()
            self._waiting.append(written({"type": "bye", "reason": reason}))
            self._wake.set()

    async def _send(self) -> None:
        with suppress(WebSocketDisconnect, RuntimeError):
            while True:
                await self._wake.wait()
                self._wake.clear()
                while self._waiting:
                    await self.websocket.send_text(self._waiting.popleft())
                if self._parting is not None:
                    code = 1012 if self._parting == "restart" else 1008
                    await self.websocket.close(code, self._parting)
                    return

    # ---- receiving ----

    async def serve(self) -> None:
        """Speak with a client until it leaves."""
        await self.websocket.accept()
        sending = asyncio.create_task(self._send())
        entered = False
        try:
            async with asyncio.timeout(HELLO_SECONDS):
                await self._hello()
            self._check_count()
            self.online.hub.enter(self)
            entered = True
            while self._parting is None:
                await self._handle(await self._receive())
        except TimeoutError:
            self.part("hello")
        except Farewell as farewell:
            self.part(farewell.reason)
        except (WebSocketDisconnect, RuntimeError):
            sending.cancel()
        finally:
            if entered:
                self._leave_all()
                self.online.hub.leave(self)
            with suppress(asyncio.CancelledError, TimeoutError):
                async with asyncio.timeout(5):
                    await sending
            sending.cancel()

    def _check_count(self) -> None:
        """Part from one connection too many of a player or an address."""
        hub, most = self.online.hub, self.online.limits.most
        mine = hub.peers.get(self.player.id, ()) if self.player else ()
        if len(mine) >= most("player") or hub.addresses[self.address] >= most("address"):
            raise Farewell("limit")

    async def _receive(self) -> msg.Message | None:
        """Return the next message; None if it makes no sense."""
        message = await self.websocket.receive()
        if message["type"] != "websocket.receive":
            raise WebSocketDisconnect
        now = asyncio.get_running_loop().time()
        if self._bucket.take(self.online.limits.rate("messages"), now):
            raise Farewell("limit")
        text = message.get("text")
        try:
            if text is None or len(text) > LONGEST_MESSAGE:
                raise DamierError("message")
            return msg.MESSAGE.validate_json(text)
        except ValidationError as error:
            first = error.errors()[0]
            self._refuse(malformed(first["loc"], first["type"], first.get("ctx", {})))
        except DamierError as error:
            self._refuse(error)
        self._junk += 1
        if self._junk >= JUNK:
            raise Farewell("junk")
        return None

    async def _hello(self) -> None:
        message = await self._receive()
        if not isinstance(message, msg.Hello):
            raise Farewell("hello")
        self.language = message.language if message.language in lang.LANGUAGES else "en"
        described = None
        if message.secret is not None:
            try:
                self.player = await self.online.players.by_secret(message.secret)
                self.key = hashed(message.secret)
                described = await self.online.players.described(self.player)
            except (DamierError, Away) as error:
                self._refuse(error)
                raise Farewell("hello") from None
        now = self.online.now()
        self.tell(written({"type": "welcome", "player": described, "now": now}))

    async def _handle(self, message: msg.Message | None) -> None:
        try:
            match message:
                case msg.Do():
                    await self._act(message)
                case msg.Follow():
                    await self._follow(message)
                case msg.Leave():
                    self._leave(message.game)
                case msg.Lobby():
                    await self._lobby(message.on)
                case msg.Ping():
                    pong = {"type": "pong", "sent": message.sent, "now": self.online.now()}
                    self.tell(written(pong))
                case msg.Hello():
                    raise DamierError("message")
        except (DamierError, Away) as error:
            game = message.game if isinstance(message, msg.Do | msg.Follow) else None
            self._refuse(error, message.id if isinstance(message, msg.Do) else None, game)

    def _refuse(self, error: Exception, act: str | None = None, game: str | None = None) -> None:
        refused = error if isinstance(error, DamierError) else DamierError("database-away")
        with lang.speaking(self.language):
            _, body = refusal(refused)
        self.tell(written({"type": "refused", "id": act, "game": game, **body}))

    async def _act(self, message: msg.Do) -> None:
        with lang.speaking(self.language):
            version = await self.online.act(message.game, self.player, message, self._lag())
        self.tell(written({"type": "done", "id": message.id, "version": version}))

    def _lag(self) -> int:
        """Return how long a message takes to this client and back, as the server measured it."""
        measured = self.websocket.scope.get("state", {}).get("lag")
        return round(1000 * measured()) if measured is not None else 0

    async def _follow(self, message: msg.Follow) -> None:
        if message.game not in self.rooms and len(self.rooms) >= MOST_FOLLOWED:
            raise DamierError("too-many-followed", most=MOST_FOLLOWED)
        room = await self.online.fresh_room(message.game)
        self.online.check_watchers(room, self.player)
        known = message.version or 0
        if not room.table.version - FAR_BEHIND <= known <= room.table.version:
            known = 0
        while not self._enter(room, known):
            if room is not (kept := await self.online.room(message.game)):
                room = kept
            elif known:
                known = await self._catch_up(room, known)
            else:
                await self.online.show(room, self)
                known = room.table.version

    def _enter(self, room: Room, known: int) -> bool:
        """Follow a table, if it is the one in use and everything is known that happened there.

        Nothing can happen in between: there is no gap.
        """
        if self.online.hub.rooms.get(room.table.id) is not room or known != room.table.version:
            return False
        room.followers[self] = None
        self.rooms[room.table.id] = room
        self.online.presence_changed(room)
        self.online.note_where(room.table, self.player, self.address)
        return True

    async def _catch_up(self, room: Room, known: int) -> int:
        """Send what was missed; return the version reached."""
        kept = await self.online.store.read(room.table.id, known)
        for event, _ in kept:
            self.tell(written(self.online.told(room.table, event)))
        reached = kept[-1][0].version if kept else known
        if reached > room.table.version:
            await self.online.catch_up(room)
        return reached

    def _leave(self, game: str) -> None:
        room = self.rooms.pop(game, None)
        if room is not None:
            room.followers.pop(self, None)
            self.online.presence_changed(room)

    def _leave_all(self) -> None:
        for game in list(self.rooms):
            self._leave(game)

    async def _lobby(self, on: bool) -> None:
        if on:
            self.online.hub.lobby[self] = None
            entries = await self.online.lobby()
            self.tell(written({"type": "lobby", "entries": entries}))
        else:
            self.online.hub.lobby.pop(self, None)


async def serve(websocket: WebSocket) -> None:
    """Speak with a client over a WebSocket."""
    online: Service = websocket.app.state.online
    address = websocket.client.host if websocket.client else ""
    try:
        online.limits.allow("sockets", f"@{address}")
    except TooFast:
        await websocket.accept()
        await websocket.send_text(written({"type": "bye", "reason": "limit"}))
        await websocket.close(1008, "limit")
        return
    await Connection(websocket, online).serve()
