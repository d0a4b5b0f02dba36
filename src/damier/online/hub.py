"""Subscriptions of this process: games in memory, their followers, and the lobby."""

from __future__ import annotations

import asyncio
import json
from collections import Counter, OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol

from damier.online.events import Side
from damier.online.players import Player
from damier.online.reducer import ConditionalLines, OnlineGame

MAX_CHANNELS = 5000  # in memory; those without followers are dropped first


class Subscriber(Protocol):
    """A connected client."""

    player: Player | None
    language: str
    address: str
    secret_hash: str  # hash of the secret that authenticated the client
    connected_at: int
    channels: dict[str, GameChannel]

    def send(self, text: str) -> None:
        """Queue a message."""

    def disconnect(self, reason: str) -> None:
        """Send the reason and close the connection."""


@dataclass(eq=False)
class GameChannel:
    """A game in memory and its followers on this process."""

    game: OnlineGame
    action_versions: dict[str, int]  # versions that actions led to, by action key
    lines: dict[Side, ConditionalLines]
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    followers: dict[Subscriber, None] = field(default_factory=dict)
    # Whether White and Black are connected to other processes, and the number of watchers there.
    remote_presence: tuple[bool, bool, int] = (False, False, 0)

    def presence(self) -> dict[str, Any]:
        """Return the presence on all processes."""
        w, b, watchers = self.local_presence()
        return {
            "w": w or self.remote_presence[0],
            "b": b or self.remote_presence[1],
            "watchers": watchers + self.remote_presence[2],
        }

    def local_presence(self) -> tuple[bool, bool, int]:
        """Return whether White and Black are connected to this process, and how many watchers."""
        w = b = False
        watchers = 0
        for subscriber in self.followers:
            seat = self.game.seat(subscriber.player.id if subscriber.player else None)
            w, b = w or seat == "w", b or seat == "b"
            watchers += seat is None
        return w, b, watchers

    def awaits_player_here(self) -> bool:
        """Return whether the player to move is connected to this process."""
        w, b, _ = self.local_presence()
        return {"w": w, "b": b, None: False}[self.game.to_move]

    def has_player_only_here(self, since: int) -> bool:
        """Return whether the player to move has been connected here alone since before a time."""
        side = self.game.to_move
        if side is None or self.remote_presence["wb".index(side)]:
            return False
        player = self.game.player(side)
        return any(
            subscriber.player is not None
            and subscriber.player.id == player
            and subscriber.connected_at < since
            for subscriber in self.followers
        )

    def broadcast(self, message: dict[str, Any]) -> None:
        """Send a message to all followers; it is serialized once."""
        if self.followers:
            text = to_json(message)
            for subscriber in list(self.followers):
                subscriber.send(text)


def to_json(message: dict[str, Any]) -> str:
    """Return a message as JSON text."""
    return json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class Hub:
    """The game channels and the connected clients of this process."""

    def __init__(self) -> None:
        self.channels: OrderedDict[str, GameChannel] = OrderedDict()
        self.by_player: dict[str, dict[Subscriber, None]] = {}
        self.lobby_subscribers: dict[Subscriber, None] = {}
        self.subscribers: dict[Subscriber, None] = {}
        self.connections_by_address: Counter[str] = Counter()
        self.pending_by_address: Counter[str] = Counter()  # before their first message

    @contextmanager
    def pending(self, address: str) -> Iterator[None]:
        """Count a connection as pending during the block."""
        self.pending_by_address[address] += 1
        try:
            yield
        finally:
            self.pending_by_address -= Counter((address,))

    def add_subscriber(self, subscriber: Subscriber) -> None:
        """Register a client after its authentication."""
        self.subscribers[subscriber] = None
        self.connections_by_address[subscriber.address] += 1
        if subscriber.player is not None:
            self.by_player.setdefault(subscriber.player.id, {})[subscriber] = None

    def remove_subscriber(self, subscriber: Subscriber) -> None:
        """Remove a client."""
        self.subscribers.pop(subscriber, None)
        self.connections_by_address -= Counter((subscriber.address,))
        self.lobby_subscribers.pop(subscriber, None)
        if subscriber.player is not None:
            own_subscribers = self.by_player.get(subscriber.player.id, {})
            own_subscribers.pop(subscriber, None)
            if not own_subscribers:
                self.by_player.pop(subscriber.player.id, None)

    def add_channel(self, channel: GameChannel) -> GameChannel:
        """Add a channel and return it, or return the channel that the game already has."""
        existing = self.channels.setdefault(channel.game.id, channel)
        self.touch(existing)
        return existing

    def touch(self, channel: GameChannel) -> None:
        """Mark a channel as used; drop the least recently used ones beyond the limit."""
        if channel.game.id in self.channels:
            self.channels.move_to_end(channel.game.id)
        if len(self.channels) > MAX_CHANNELS:
            excess = len(self.channels) - MAX_CHANNELS
            for game_id, other in list(islice(self.channels.items(), 4 * excess)):
                if not other.followers and not other.lock.locked() and excess > 0:
                    del self.channels[game_id]
                    excess -= 1

    def followed_games(self) -> list[str]:
        """Return the ids of the games with followers on this process."""
        return [game_id for game_id, channel in self.channels.items() if channel.followers]
