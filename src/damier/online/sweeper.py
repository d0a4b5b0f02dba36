"""Background loop: heartbeat, ends expired games, reads events of other processes.

Deadlines are rows of the database, not tasks: one loop per process queries the expired ones. If
several processes find the same expired game, the first one stores its end and the others get a
version conflict.
"""

from __future__ import annotations

import asyncio
import logging

from sqlalchemy import delete, select

from damier.online import reducer as t
from damier.online.clock import HOUR
from damier.online.database import client_addresses, games
from damier.online.service import OnlineService
from damier.online.store import StoreUnavailable, VersionConflict

SWEEP_INTERVAL_S = 0.25  # between two queries for expired games
# Between two reads of other processes' events, which find events without a notification.
SYNC_INTERVAL_S = 5.0
CLEANUP_INTERVAL_MS = HOUR  # between two deletions of expired data
MAX_SWEEP_BATCH = 200  # expired games that are ended at a time
QUERY_BATCH = 500  # games or players per query

log = logging.getLogger("damier.online")


class Sweeper:
    """The background loop of a process."""

    def __init__(self, online: OnlineService) -> None:
        self.online, self.store = online, online.store
        self._task: asyncio.Task[None] | None = None
        self._last_heartbeat = 0
        self._last_sync = 0.0
        self._last_cleanup = 0

    async def start(self) -> None:
        """Compensate the clocks for the time without a server, then start the loop."""
        await self.online.heartbeat.start()
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Stop the loop."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self.online.heartbeat.stop()

    async def _run(self) -> None:
        unavailable = False
        while True:
            await asyncio.sleep(SWEEP_INTERVAL_S)
            try:
                await self.online.heartbeat.tick()
                await self.end_expired_games()
                loop = asyncio.get_running_loop()
                if loop.time() - self._last_sync > SYNC_INTERVAL_S:
                    self._last_sync = loop.time()
                    await self.sync()
                    await self._delete_expired_addresses()
                unavailable = False
            except (StoreUnavailable, VersionConflict) as error:
                if not unavailable:
                    log.warning("database unavailable: %s; retrying every second", error)
                unavailable = True
                await asyncio.sleep(1)
            except Exception:
                log.exception("background sweep failed; retrying in 1 s")
                await asyncio.sleep(1)

    async def end_expired_games(self) -> None:
        """End the games whose time has expired.

        Clocks are judged as of the last heartbeat: whatever happened since, nobody loses on time
        while the server cannot write, nor while a move that it or another process refused may come
        again.
        """
        now = self.online.now()
        query = (
            select(games.c.id, games.c.due)
            .where(games.c.due <= now)
            .order_by(games.c.due)
            .limit(MAX_SWEEP_BATCH)
        )
        expired = await self.store.fetch(query)
        if not expired:
            return
        heartbeat = self.online.heartbeat
        settled_until = await heartbeat.others_settled_until()
        judged_here = {k for k, _ in expired if heartbeat.is_judged_here(k, settled_until)}
        due = [
            game_id
            for game_id, at in expired
            if (at <= settled_until or game_id in judged_here)
            and not heartbeat.awaits_move(game_id)
        ]
        if not due:
            return
        for game_id in due:
            await heartbeat.settle(game_id)
        at = await heartbeat.beat()

        def decide(game: t.OnlineGame) -> t.Decision:
            # Asked again here: a move may have been refused while this waited for its game.
            if heartbeat.refused.is_awaited(game, self.online.now()):
                return t.Decision([], game)
            return t.decide_expiry(game, at if game.id in judged_here else min(at, settled_until))

        await self.online.apply_to_each(due, decide)

    async def sync(self) -> None:
        """Read the events of other processes in the games followed on this process."""
        followed = self.online.hub.followed_games()
        for offset in range(0, len(followed), QUERY_BATCH):
            versions = await self.store.versions(followed[offset : offset + QUERY_BATCH])
            for game_id, version in versions.items():
                channel = self.online.hub.channels.get(game_id)
                if channel is not None and channel.game.version < version:
                    await self.online.catch_up(channel)
        await self._check_secrets()

    async def _delete_expired_addresses(self) -> None:
        """Delete hashes of addresses that are no longer needed."""
        now = self.online.now()
        if now - self._last_cleanup < CLEANUP_INTERVAL_MS:
            return
        self._last_cleanup = now
        async with self.store.transaction() as connection:
            await connection.execute(delete(client_addresses).where(client_addresses.c.until < now))

    async def _check_secrets(self) -> None:
        """Disconnect players whose identity was closed or whose secret has changed."""
        subscribers = self.online.hub.by_player
        players = list(subscribers)
        for offset in range(0, len(players), QUERY_BATCH):
            hashes = await self.online.players.secret_hashes(players[offset : offset + QUERY_BATCH])
            for player, secret_hash in hashes.items():
                for subscriber in list(subscribers.get(player, ())):
                    if subscriber.secret_hash != secret_hash:
                        subscriber.disconnect("closed" if secret_hash is None else "secret")
