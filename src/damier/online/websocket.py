"""WebSocket interface of online play."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress

from pydantic import ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from damier import i18n
from damier.errors import DamierError
from damier.online import messages as msg
from damier.online.hub import GameChannel, to_json
from damier.online.limits import RateLimitExceeded, TokenBucket
from damier.online.players import Player, hash_secret
from damier.online.service import OnlineService
from damier.online.store import StoreUnavailable
from damier.web.addresses import client_address
from damier.web.responses import error_response, malformed_request
from damier.web.server import MAX_MESSAGE_BYTES

HELLO_TIMEOUT_S = 10.0
MAX_QUEUED_MESSAGES = 400  # to a slow client
MAX_FOLLOWED = 30  # games per connection
MAX_REPLAYED_EVENTS = 30  # if more were missed, the whole game is sent
MAX_INVALID_MESSAGES = 20  # before the connection is closed


class SessionClosed(Exception):
    """The server closes the connection for a reason."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class ClientSession:
    """The session of a WebSocket client: its player, subscriptions and send queue."""

    def __init__(self, websocket: WebSocket, online: OnlineService) -> None:
        self.websocket, self.online = websocket, online
        self.player: Player | None = None
        self.language = "en"
        self.secret_hash = ""
        self.connected_at = online.now()
        self.channels: dict[str, GameChannel] = {}
        self.address = client_address(websocket)
        self._queue: deque[str] = deque()
        self._wake = asyncio.Event()
        self._close_reason: str | None = None
        self._invalid_count = 0
        self._bucket = TokenBucket(
            online.limits.rate("messages").burst, asyncio.get_running_loop().time()
        )

    # ---- sending ----

    def send(self, text: str) -> None:
        """Queue a message; disconnect a client that is too slow."""
        if len(self._queue) >= MAX_QUEUED_MESSAGES:
            self.disconnect("slow")
        elif self._close_reason is None:
            self._queue.append(text)
            self._wake.set()

    def disconnect(self, reason: str) -> None:
        """Send the queued messages and the reason, then close the connection."""
        if self._close_reason is None:
            self._close_reason = reason
            if reason == "slow":
                self._queue.clear()
            self._queue.append(to_json({"type": "bye", "reason": reason}))
            self._wake.set()

    async def _send(self) -> None:
        with suppress(WebSocketDisconnect, RuntimeError):
            while True:
                await self._wake.wait()
                self._wake.clear()
                while self._queue:
                    await self.websocket.send_text(self._queue.popleft())
                if self._close_reason is not None:
                    code = 1012 if self._close_reason == "restart" else 1008
                    await self.websocket.close(code, self._close_reason)
                    return

    # ---- receiving ----

    async def run(self) -> None:
        """Serve the client until either side closes the connection."""
        await self.websocket.accept()
        sender = asyncio.create_task(self._send())
        registered = False
        try:
            with self.online.hub.pending(self.address):
                async with asyncio.timeout(HELLO_TIMEOUT_S):
                    await self._hello()
            self._check_connection_count()
            self.online.hub.add_subscriber(self)
            registered = True
            while self._close_reason is None:
                await self._handle(await self._receive())
        except TimeoutError:
            self.disconnect("hello")
        except SessionClosed as closed:
            self.disconnect(closed.reason)
        except (WebSocketDisconnect, RuntimeError):
            sender.cancel()
        finally:
            if registered:
                self._unfollow_all()
                self.online.hub.remove_subscriber(self)
            with suppress(asyncio.CancelledError, TimeoutError):
                async with asyncio.timeout(5):
                    await sender
            sender.cancel()

    def _check_connection_count(self) -> None:
        """Raise SessionClosed if the player or the address has too many connections."""
        hub, maximum = self.online.hub, self.online.limits.max_connections
        own_connections = hub.by_player.get(self.player.id, ()) if self.player else ()
        if len(own_connections) >= maximum("player") or hub.connections_by_address[
            self.address
        ] >= maximum("address"):
            raise SessionClosed("limit")

    async def _receive(self) -> msg.ClientMessage | None:
        """Return the next message; None if it is not valid."""
        message = await self.websocket.receive()
        if message["type"] != "websocket.receive":
            raise WebSocketDisconnect
        now = asyncio.get_running_loop().time()
        if self._bucket.take(self.online.limits.rate("messages"), now):
            raise SessionClosed("limit")
        text = message.get("text")
        try:
            if text is None or len(text) > MAX_MESSAGE_BYTES:
                raise DamierError("message")
            return msg.CLIENT_MESSAGE.validate_json(text)
        except ValidationError as error:
            first = error.errors()[0]
            self._send_error(malformed_request(first["loc"], first["type"], first.get("ctx", {})))
        except DamierError as error:
            self._send_error(error)
        self._invalid_count += 1
        if self._invalid_count >= MAX_INVALID_MESSAGES:
            raise SessionClosed("junk")
        return None

    async def _hello(self) -> None:
        message = await self._receive()
        if not isinstance(message, msg.HelloMessage):
            raise SessionClosed("hello")
        self.language = message.language if message.language in i18n.LANGUAGES else "en"
        profile = None
        try:
            if message.secret is not None:
                self.online.limits.allow("hellos", f"@{self.address}")
                self.player = await self.online.players.by_secret(message.secret)
                self.secret_hash = hash_secret(message.secret)
                # Known players return at once, however many share an address.
                self.online.limits.allow("sockets", self.player.id)
                profile = await self.online.players.profile(self.player)
            else:
                self.online.limits.allow("sockets", f"@{self.address}")
        except RateLimitExceeded:
            raise SessionClosed("limit") from None
        except (DamierError, StoreUnavailable) as error:
            self._send_error(error)
            raise SessionClosed("hello") from None
        now = self.online.now()
        self.send(to_json({"type": "welcome", "player": profile, "now": now}))

    async def _handle(self, message: msg.ClientMessage | None) -> None:
        try:
            match message:
                case msg.ActionMessage():
                    await self._act(message)
                case msg.FollowMessage():
                    await self._follow(message)
                case msg.UnfollowMessage():
                    self._unfollow(message.game)
                case msg.LobbySubscription():
                    await self._lobby(message.on)
                case msg.PingMessage():
                    pong = {"type": "pong", "sent": message.sent, "now": self.online.now()}
                    self.send(to_json(pong))
                case msg.HelloMessage():
                    raise DamierError("message")
        except (DamierError, StoreUnavailable) as error:
            game_id = (
                message.game if isinstance(message, msg.ActionMessage | msg.FollowMessage) else None
            )
            self._send_error(
                error, message.id if isinstance(message, msg.ActionMessage) else None, game_id
            )

    def _send_error(
        self, error: Exception, action_id: str | None = None, game_id: str | None = None
    ) -> None:
        damier_error = error if isinstance(error, DamierError) else DamierError("database-away")
        with i18n.use_language(self.language):
            _, body = error_response(damier_error)
        self.send(to_json({"type": "refused", "id": action_id, "game": game_id, **body}))

    async def _act(self, message: msg.ActionMessage) -> None:
        with i18n.use_language(self.language):
            version = await self.online.perform(message.game, self.player, message, self._lag())
        self.send(to_json({"type": "done", "id": message.id, "version": version}))

    def _lag(self) -> int:
        """Return the measured round-trip time in milliseconds."""
        measured = self.websocket.scope.get("state", {}).get("lag")
        return round(1000 * measured()) if measured is not None else 0

    async def _follow(self, message: msg.FollowMessage) -> None:
        if message.game not in self.channels and len(self.channels) >= MAX_FOLLOWED:
            raise DamierError("too-many-followed", most=MAX_FOLLOWED)
        channel = await self.online.current_channel(message.game)
        self.online.check_watchers(channel, self.player)
        known = message.version or 0
        if not channel.game.version - MAX_REPLAYED_EVENTS <= known <= channel.game.version:
            known = 0
        while not self._start_following(channel, known):
            if channel is not (current := await self.online.channel(message.game)):
                channel = current
            elif known:
                known = await self._catch_up(channel, known)
            else:
                await self.online.send_view(channel, self)
                known = channel.game.version

    def _start_following(self, channel: GameChannel, known: int) -> bool:
        """Follow a channel if it is current and the client knows its latest version.

        Return whether it does. There is no await between check and subscription, hence no gap.
        """
        if (
            self.online.hub.channels.get(channel.game.id) is not channel
            or known != channel.game.version
        ):
            return False
        channel.followers[self] = None
        self.channels[channel.game.id] = channel
        self.online.presence_changed(channel)
        self.online.record_address(channel.game, self.player, self.address)
        return True

    async def _catch_up(self, channel: GameChannel, known: int) -> int:
        """Send missed events; return the version reached."""
        entries = await self.online.store.read_events(channel.game.id, known)
        if entries:
            await self.online.replay(channel, self, [event for event, _ in entries])
        reached = entries[-1][0].version if entries else known
        if reached > channel.game.version:
            await self.online.catch_up(channel)
        return reached

    def _unfollow(self, game_id: str) -> None:
        channel = self.channels.pop(game_id, None)
        if channel is not None:
            channel.followers.pop(self, None)
            self.online.presence_changed(channel)

    def _unfollow_all(self) -> None:
        for game_id in list(self.channels):
            self._unfollow(game_id)

    async def _lobby(self, on: bool) -> None:
        if on:
            self.online.hub.lobby_subscribers[self] = None
            entries = await self.online.queries.lobby()
            self.send(to_json({"type": "lobby", "entries": entries}))
        else:
            self.online.hub.lobby_subscribers.pop(self, None)


async def serve(websocket: WebSocket) -> None:
    """Serve a WebSocket client."""
    online: OnlineService = websocket.app.state.online
    address = client_address(websocket)
    pending = online.hub.pending_by_address
    if pending[address] >= online.limits.max_connections("pending"):
        await websocket.accept()
        await websocket.send_text(to_json({"type": "bye", "reason": "limit"}))
        await websocket.close(1008, "limit")
        return
    await ClientSession(websocket, online).run()
