"""What happens by itself: time runs out, the server's pulse, and what other processes have written.

Deadlines are rows, not tasks: one loop a process asks which are due. Several processes may find the
same one; the first to write its end has written it, the others see that it is written.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from sqlalchemy import select, update

from damier.online import table as t
from damier.online.clock import MINUTE, SECOND
from damier.online.database import games, settings
from damier.online.service import Service
from damier.online.store import Away, Conflict

TICK = 0.25  # seconds between two looks at what is due
LOOK = 5.0  # seconds after which what others have written is looked for, whatever was heard
BEAT, SLOW_BEAT = SECOND, MINUTE  # between two beats of the pulse, while live games are on or not
MISSED = 2 * SECOND  # without a pulse: an outage
LONG = 10 * MINUTE  # an outage that matters in correspondence too
MOST_DUE = 200  # at a time
CHUNK = 500

log = logging.getLogger("damier.online")


class Sweeper:
    """One loop a process."""

    def __init__(self, online: Service) -> None:
        self.online, self.store = online, online.store
        self._task: asyncio.Task[None] | None = None
        self._beaten = 0
        self._looked = 0.0

    async def begin(self) -> None:
        """Give back what an outage has cost, then look after time."""
        await self._after_outage()
        self._task = asyncio.create_task(self._run())

    async def end(self) -> None:
        """Look no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        away = False
        while True:
            await asyncio.sleep(TICK)
            try:
                await self.sweep()
                await self._beat()
                loop = asyncio.get_running_loop()
                if loop.time() - self._looked > LOOK:
                    self._looked = loop.time()
                    await self.look()
                away = False
            except (Away, Conflict) as error:
                if not away:
                    log.warning("database away: %s", error)
                away = True
                await asyncio.sleep(1)
            except Exception:
                log.exception("the sweeper stumbled")
                await asyncio.sleep(1)

    async def sweep(self) -> None:
        """End what is due."""
        now = self.online.now()
        asked = select(games.c.id).where(games.c.due <= now).order_by(games.c.due).limit(MOST_DUE)
        due = [game for (game,) in await self.store.rows(asked)]
        await self._each(due, lambda table: t.expired(table, self.online.now()))

    async def _each(self, found: list[str], decide: Callable[[t.Table], t.Decision]) -> None:
        """Decide about some tables, many at once: what they write is written together."""

        async def one(game: str) -> None:
            await self.online.server_act(await self.online.room(game), decide)

        for at in range(0, len(found), MOST_DUE):
            await asyncio.gather(*map(one, found[at : at + MOST_DUE]))

    async def look(self) -> None:
        """Read what others have written to the games that are followed here."""
        followed = self.online.hub.followed()
        for at in range(0, len(followed), CHUNK):
            versions = await self.store.versions(followed[at : at + CHUNK])
            for game, version in versions.items():
                room = self.online.hub.rooms.get(game)
                if room is not None and room.table.version < version:
                    await self.online.catch_up(room)
        await self._look_at_players()

    async def _look_at_players(self) -> None:
        """Part from whoever was closed, or came with a secret that is not valid any more."""
        peers = self.online.hub.peers
        players = list(peers)
        for at in range(0, len(players), CHUNK):
            keys = await self.online.players.keys(players[at : at + CHUNK])
            for player, key in keys.items():
                for peer in list(peers.get(player, ())):
                    if peer.key != key:
                        peer.part("closed" if key is None else "secret")

    # ---- the pulse ----

    async def _beat(self) -> None:
        """Write that the server is there: every second while a live game is on."""
        now = self.online.now()
        if now - self._beaten < BEAT:
            return
        live = any(
            room.table.status == "playing" and room.table.pace == "live"
            for room in self.online.hub.rooms.values()
        )
        if not live and now - self._beaten < SLOW_BEAT:
            return
        async with self.store.writing() as connection:
            await connection.execute(
                update(settings).where(settings.c.name == "pulse").values(value=str(now))
            )
        self._beaten = now

    async def _after_outage(self) -> None:
        """Give running clocks back the time for which no server was there; one process does."""
        now = self.online.now()
        pulse = settings.c.name == "pulse"
        async with self.store.writing() as connection:
            last = (await connection.execute(select(settings.c.value).where(pulse))).scalar_one()
            mine = pulse & (settings.c.value == last)  # nobody else has just done so
            changed = await connection.execute(update(settings).where(mine).values(value=str(now)))
            first = changed.rowcount == 1
        self._beaten = now
        if not first or now - int(last) < MISSED:
            return
        paces = ("live", "days") if now - int(last) > LONG else ("live",)
        g = games.c
        asked = select(g.id).where(g.due.is_not(None), g.status == "playing", g.pace.in_(paces))
        since = int(last)
        running = [game for (game,) in await self.store.rows(asked)]
        await self._each(running, lambda table: t.away(table, now, since))
