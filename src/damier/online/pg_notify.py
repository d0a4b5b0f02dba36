"""Notifications between server processes through PostgreSQL's LISTEN and NOTIFY.

A notification has a game's id and version; version 0 means that its presence has changed. A process
that misses one is brought up to date by the sweeper.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

import asyncpg
from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.engine import make_url

from damier.online.clock import SECOND
from damier.online.database import games, presences
from damier.online.hub import GameChannel
from damier.online.service import OnlineService
from damier.online.store import NOTIFY_CHANNEL, StoreUnavailable, VersionConflict

PRESENCE_TTL_MS = 60 * SECOND  # after which a process without renewal is considered stopped
PRESENCE_RENEWAL_S = 20.0  # between two renewals
MAX_CACHED_SEATS = 20_000  # games whose players are cached
PRESENCE_DELAY_S = 0.3  # changes within this time are published together

log = logging.getLogger("damier.online")


class PgListener:
    """Listener for events of other processes; also publishes the presence on this process."""

    def __init__(self, online: OnlineService) -> None:
        self.online, self.store = online, online.store
        self.process = online.process_id
        self.is_listening = False
        self._task: asyncio.Task[None] | None = None
        self._seats: dict[str, tuple[str | None, ...]] = {}
        self._changed: dict[str, GameChannel] = {}

    async def start(self) -> None:
        """Start listening."""
        self.online.on_presence_change = self._schedule_presence
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Stop listening and remove the presence of this process."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        with suppress(StoreUnavailable, VersionConflict):
            async with self.store.transaction() as connection:
                own_rows = presences.c.process == self.process
                await connection.execute(delete(presences).where(own_rows))

    async def _run(self) -> None:
        url = make_url(self.store.url).set(drivername="postgresql")
        while True:
            try:
                connection = await asyncpg.connect(url.render_as_string(hide_password=False))
                try:
                    await connection.add_listener(NOTIFY_CHANNEL, self._on_notification)
                    self.is_listening = True
                    await self._renew_presence(connection)
                finally:
                    self.is_listening = False
                    with suppress(Exception):
                        await asyncio.wait_for(connection.close(), 2)
            except (
                OSError,
                TimeoutError,
                asyncpg.PostgresError,
                asyncpg.InterfaceError,
                StoreUnavailable,
            ):
                log.warning("PostgreSQL notifications are unavailable; reconnecting in 1 s")
            await asyncio.sleep(1)

    async def _renew_presence(self, connection: asyncpg.Connection) -> None:
        """Renew the presence of this process until the connection is closed."""
        while not connection.is_closed():
            now = self.online.now()
            async with self.store.transaction() as transaction:
                own_rows = presences.c.process == self.process
                await transaction.execute(update(presences).where(own_rows).values(at=now))
                await transaction.execute(
                    delete(presences).where(presences.c.at < now - PRESENCE_TTL_MS)
                )
            for _ in range(int(PRESENCE_RENEWAL_S)):
                await asyncio.sleep(1)
                if connection.is_closed():
                    return
                await connection.execute("SELECT 1")  # detects a connection that was lost silently

    # ---- games ----

    def _on_notification(self, connection: object, pid: int, channel: str, payload: object) -> None:
        game_id, _, version = str(payload).partition(" ")
        if not version.isdecimal():
            return
        self.online.run_in_background(self._handle_notification(game_id, int(version)))

    async def _handle_notification(self, game_id: str, version: int) -> None:
        with suppress(StoreUnavailable, VersionConflict):
            channel = self.online.hub.channels.get(game_id)
            if version == 0:
                if channel is not None:
                    await self.update_remote_presence(channel)
                return
            if channel is not None:
                if channel.game.version < version:
                    await self.online.catch_up(channel)
            elif await self._has_local_player(game_id):
                await self.online.notify_players((await self.online.channel(game_id)).game)
            if version <= 2:  # created, joined or aborted: the lobby may change
                self.online.lobby_changed()

    async def _has_local_player(self, game_id: str) -> bool:
        """Return whether a player of a game is connected to this process."""
        players = self._seats.get(game_id)
        if players is None:
            g = games.c
            query = select(g.white, g.black).where(g.id == game_id)
            rows = await self.store.fetch(query)
            players = tuple(rows[0]) if rows else ()
            if all(players):
                self._seats[game_id] = players
                while len(self._seats) > MAX_CACHED_SEATS:
                    self._seats.pop(next(iter(self._seats)))
        return any(player in self.online.hub.by_player for player in players)

    # ---- presence ----

    def _schedule_presence(self, channel: GameChannel) -> None:
        """Publish a changed presence after a short delay."""
        if not self._changed:
            loop = asyncio.get_running_loop()
            loop.call_later(
                PRESENCE_DELAY_S, lambda: self.online.run_in_background(self._publish_presence())
            )
        self._changed[channel.game.id] = channel

    async def _publish_presence(self) -> None:
        changed, self._changed = self._changed, {}
        now = self.online.now()
        rows = []
        for game_id, channel in changed.items():
            w, b, watchers = channel.local_presence()
            rows.append(
                {
                    "game": game_id,
                    "process": self.process,
                    "w": w,
                    "b": b,
                    "watchers": watchers,
                    "at": now,
                }
            )
        with suppress(StoreUnavailable, VersionConflict):
            async with self.store.transaction() as connection:
                own_rows = presences.c.process == self.process
                outdated = delete(presences).where(own_rows, presences.c.game.in_(list(changed)))
                await connection.execute(outdated)
                await connection.execute(insert(presences), rows)
                for game_id in changed:
                    await connection.execute(select(func.pg_notify(NOTIFY_CHANNEL, f"{game_id} 0")))
            for channel in changed.values():
                await self.update_remote_presence(channel)

    async def update_remote_presence(self, channel: GameChannel) -> None:
        """Read the presence at a game on other processes and send it to its followers here."""
        p = presences.c
        query = select(
            func.bool_or(p.w), func.bool_or(p.b), func.coalesce(func.sum(p.watchers), 0)
        ).where(
            p.game == channel.game.id,
            p.process != self.process,
            p.at > self.online.now() - PRESENCE_TTL_MS,
        )
        ((w, b, watchers),) = await self.store.fetch(query)
        presence = (bool(w), bool(b), int(watchers))
        if presence != channel.remote_presence:
            channel.remote_presence = presence
            self.online.broadcast_presence(channel)
