"""What other processes say through PostgreSQL: a game and its version, and nothing else.

Who misses a notification reads the list of events: the sweeper looks now and then.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from contextlib import suppress

import asyncpg
from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.engine import make_url

from damier.online.clock import SECOND
from damier.online.database import games, presences
from damier.online.hub import Room
from damier.online.service import Service
from damier.online.store import CHANNEL, Away, Conflict

FRESH = 60 * SECOND  # for so long a process is believed to be there
RENEWED = 20.0  # seconds after which it says that it is
CACHED = 20_000  # games whose players are known
SETTLED = 0.3  # seconds: who comes and goes meanwhile is told once

log = logging.getLogger("damier.online")


class Listening:
    """Hears what other processes write, and tells who is present here."""

    def __init__(self, online: Service) -> None:
        self.online, self.store = online, online.store
        self.process = secrets.token_urlsafe(9)
        self._task: asyncio.Task[None] | None = None
        self._seats: dict[str, tuple[str | None, ...]] = {}
        self._changed: dict[str, Room] = {}

    async def begin(self) -> None:
        """Begin to listen."""
        self.online.when_present = self._present
        self._task = asyncio.create_task(self._run())

    async def end(self) -> None:
        """Listen no more, and say that nobody is here."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        with suppress(Away, Conflict):
            async with self.store.writing() as connection:
                mine = presences.c.process == self.process
                await connection.execute(delete(presences).where(mine))

    async def _run(self) -> None:
        address = make_url(self.store.url).set(drivername="postgresql")
        while True:
            try:
                connection = await asyncpg.connect(address.render_as_string(hide_password=False))
                try:
                    await connection.add_listener(CHANNEL, self._heard)
                    await self._stay(connection)
                finally:
                    with suppress(Exception):
                        await asyncio.wait_for(connection.close(), 2)
            except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError, Away):
                log.warning("nothing can be heard from the database")
            await asyncio.sleep(1)

    async def _stay(self, connection: asyncpg.Connection) -> None:
        """Renew what is said of this process, for as long as the connection lasts."""
        while not connection.is_closed():
            now = self.online.now()
            async with self.store.writing() as writing:
                mine = presences.c.process == self.process
                await writing.execute(update(presences).where(mine).values(at=now))
                await writing.execute(delete(presences).where(presences.c.at < now - FRESH))
            for _ in range(int(RENEWED)):
                await asyncio.sleep(1)
                if connection.is_closed():
                    return
                await connection.execute("SELECT 1")  # notices what has gone silently

    # ---- games ----

    def _heard(self, connection: object, pid: int, channel: str, said: object) -> None:
        game, _, version = str(said).partition(" ")
        if not version.isdecimal():
            return
        self.online.begin(self._take_note(game, int(version)))

    async def _take_note(self, game: str, version: int) -> None:
        with suppress(Away, Conflict):
            room = self.online.hub.rooms.get(game)
            if version == 0:
                if room is not None:
                    await self.look_elsewhere(room)
                return
            if room is not None:
                if room.table.version < version:
                    await self.online.catch_up(room)
            elif await self._concerns(game):
                await self.online.tell_players((await self.online.room(game)).table)
            if version <= 2:  # set up, joined or called off: perhaps in the lobby
                self.online.lobby_changed()

    async def _concerns(self, game: str) -> bool:
        """Tell whether a player of a game is connected here."""
        players = self._seats.get(game)
        if players is None:
            g = games.c
            asked = select(g.white, g.black).where(g.id == game)
            rows = await self.store.rows(asked)
            players = tuple(rows[0]) if rows else ()
            if all(players):
                self._seats[game] = players
                while len(self._seats) > CACHED:
                    self._seats.pop(next(iter(self._seats)))
        return any(player in self.online.hub.peers for player in players)

    # ---- presence ----

    def _present(self, room: Room) -> None:
        """Note that somebody has come or gone here; it is told a little later."""
        if not self._changed:
            loop = asyncio.get_running_loop()
            loop.call_later(SETTLED, lambda: self.online.begin(self._tell_presence()))
        self._changed[room.table.id] = room

    async def _tell_presence(self) -> None:
        changed, self._changed = self._changed, {}
        now = self.online.now()
        rows = []
        for game, room in changed.items():
            w, b, watchers = room.here()
            rows.append(
                {
                    "game": game,
                    "process": self.process,
                    "w": w,
                    "b": b,
                    "watchers": watchers,
                    "at": now,
                }
            )
        with suppress(Away, Conflict):
            async with self.store.writing() as connection:
                mine = presences.c.process == self.process
                gone = delete(presences).where(mine, presences.c.game.in_(list(changed)))
                await connection.execute(gone)
                await connection.execute(insert(presences), rows)
                for game in changed:
                    await connection.execute(select(func.pg_notify(CHANNEL, f"{game} 0")))
            for room in changed.values():
                await self.look_elsewhere(room)

    async def look_elsewhere(self, room: Room) -> None:
        """Read who is at a table on other processes, and tell who follows it here."""
        p = presences.c
        asked = select(
            func.bool_or(p.w), func.bool_or(p.b), func.coalesce(func.sum(p.watchers), 0)
        ).where(
            p.game == room.table.id, p.process != self.process, p.at > self.online.now() - FRESH
        )
        ((w, b, watchers),) = await self.store.rows(asked)
        found = (bool(w), bool(b), int(watchers))
        if found != room.elsewhere:
            room.elsewhere = found
            self.online.tell_presence(room)
