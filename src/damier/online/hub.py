"""Who follows what on this process: games, the lobby, one's own games."""

from __future__ import annotations

import asyncio
import json
from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol

from damier.online.events import Side
from damier.online.players import Player
from damier.online.table import Lines, Table

MOST_ROOMS = 5000  # kept although nobody follows them


class Peer(Protocol):
    """Whoever listens: one connection."""

    player: Player | None
    language: str
    address: str
    key: str  # the hash of the secret that it came with
    rooms: dict[str, Room]

    def tell(self, text: str) -> None:
        """Send something, now or a little later."""

    def part(self, reason: str) -> None:
        """Say why, and close."""


@dataclass(eq=False)
class Room:
    """A table in memory, and who follows it here."""

    table: Table
    acts: dict[str, int]  # acts that were done, and the version they led to
    lines: dict[Side, Lines]
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    followers: dict[Peer, None] = field(default_factory=dict)
    elsewhere: tuple[bool, bool, int] = (False, False, 0)  # who is there on other processes

    def presence(self) -> dict[str, Any]:
        """Return who is there."""
        w, b, watchers = self.here()
        return {
            "w": w or self.elsewhere[0],
            "b": b or self.elsewhere[1],
            "watchers": watchers + self.elsewhere[2],
        }

    def here(self) -> tuple[bool, bool, int]:
        """Return who is there on this process."""
        w = b = False
        watchers = 0
        for peer in self.followers:
            seat = self.table.seat(peer.player.id if peer.player else None)
            w, b = w or seat == "w", b or seat == "b"
            watchers += seat is None
        return w, b, watchers

    def tell(self, message: dict[str, Any]) -> None:
        """Send the same to all who follow: it is written once."""
        if self.followers:
            text = written(message)
            for peer in list(self.followers):
                peer.tell(text)


def written(message: dict[str, Any]) -> str:
    """Return a message as it is sent."""
    return json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class Hub:
    """All rooms and all connections of this process."""

    def __init__(self) -> None:
        self.rooms: OrderedDict[str, Room] = OrderedDict()
        self.peers: dict[str, dict[Peer, None]] = {}  # by player
        self.lobby: dict[Peer, None] = {}
        self.everybody: dict[Peer, None] = {}
        self.addresses: Counter[str] = Counter()

    def enter(self, peer: Peer) -> None:
        """Take in a connection whose player is known."""
        self.everybody[peer] = None
        self.addresses[peer.address] += 1
        if peer.player is not None:
            self.peers.setdefault(peer.player.id, {})[peer] = None

    def leave(self, peer: Peer) -> None:
        """Forget a connection."""
        self.everybody.pop(peer, None)
        self.addresses -= Counter((peer.address,))
        self.lobby.pop(peer, None)
        if peer.player is not None:
            mine = self.peers.get(peer.player.id, {})
            mine.pop(peer, None)
            if not mine:
                self.peers.pop(peer.player.id, None)

    def add(self, room: Room) -> Room:
        """Keep a room in memory, if it is not there already; return the one that is."""
        found = self.rooms.setdefault(room.table.id, room)
        self.used(found)
        return found

    def used(self, room: Room) -> None:
        """Note that a room was used; forget those that nobody has used for longest."""
        if room.table.id in self.rooms:
            self.rooms.move_to_end(room.table.id)
        if len(self.rooms) > MOST_ROOMS:
            spare = len(self.rooms) - MOST_ROOMS
            for game, one in list(islice(self.rooms.items(), 4 * spare)):
                if not one.followers and not one.lock.locked() and spare > 0:
                    del self.rooms[game]
                    spare -= 1

    def followed(self) -> list[str]:
        """Return the games that somebody follows here."""
        return [game for game, room in self.rooms.items() if room.followers]
