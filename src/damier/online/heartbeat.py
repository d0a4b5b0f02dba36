"""Heartbeat: proof that this server can write, and compensation of the time when it could not.

A clock runs only while its player can move, and a move can be played only while it can be stored.
The server therefore writes a timestamp every second while live games are in progress. Whatever
prevents it for `MIN_OUTAGE_MS` (a locked, full or unreachable database, a stopped or suspended
process, a jump of the system clock), the time since the last timestamp is given back to all running
clocks before any clock is judged. If the system clock is set back, the clocks follow it.

A player whose move could not be stored loses no time until the move comes again, however short the
outage was.

With PostgreSQL, each process also stores its own timestamp. While one is silent, the others only
end games whose player to move is connected to them: it gives time back when it continues. They also
leave to it the games whose player to move is connected to it, because it alone knows the moves that
it has refused.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from sqlalchemy import and_, delete, or_, select, update

from damier.online import reducer
from damier.online.clock import DAY, MINUTE, SECOND
from damier.online.database import games, presences, settings
from damier.online.logs import log
from damier.online.players import Player
from damier.online.reducer import Decision, OnlineGame
from damier.online.refused_moves import RESEND_TIME_MS, RefusedMoves
from damier.online.store import StoreUnavailable, VersionConflict, insert_missing_settings

if TYPE_CHECKING:
    from damier.online.service import OnlineService

HEARTBEAT_MS, IDLE_HEARTBEAT_MS = SECOND, MINUTE  # with and without live games
MIN_OUTAGE_MS = 2 * SECOND  # shorter times without a heartbeat are not compensated
MIN_CORRESPONDENCE_OUTAGE_MS = 10 * MINUTE  # the same for correspondence games
MAX_SILENCE_MS = MINUTE  # a process that is silent for longer has ended
# A game that another process should end is ended here when it is overdue by more than this.
MAX_LEFT_TO_OTHERS_MS = 2 * RESEND_TIME_MS
HEALTH_CHECK_TIMEOUT_S = 2.0
SETTLE_TIMEOUT_S = 0.5  # for the games whose refused moves have not come again
PULSE = "pulse"  # setting: the last heartbeat of any process, all outages before it compensated
PROBE = "probe"  # setting: written to find out whether an outage is over


class Heartbeat:
    """The heartbeat of a process."""

    def __init__(self, online: OnlineService) -> None:
        self._online, self._store = online, online.store
        self._accounted = 0  # live clocks are right up to this time; 0 before the first heartbeat
        self._pulse = 0  # the last timestamp that this process knows
        self._beating: asyncio.Task[int] | None = None
        self.refused = RefusedMoves()
        # Only processes that share a database store their own timestamps.
        own_pulse = self._own_pulse = f"{PULSE}:{online.process_id}"
        self._pulses = [PULSE, own_pulse] if self._store.postgresql else [PULSE]

    async def start(self) -> None:
        """Compensate the time without any server."""
        self._accounted = self._pulse = await self._stored_pulse()
        await self._delete_old_pulses()
        await self.beat()

    async def stop(self) -> None:
        """Cancel a heartbeat that has not ended, and delete the timestamp of this process."""
        if self._beating is not None:
            self._beating.cancel()
            await asyncio.gather(self._beating, return_exceptions=True)
        if self._store.postgresql:
            with suppress(StoreUnavailable, VersionConflict):
                async with self._store.transaction() as connection:
                    own_row = settings.c.name == self._own_pulse
                    await connection.execute(delete(settings).where(own_row))

    async def tick(self) -> None:
        """Write the timestamp if it is time to; raise StoreUnavailable if this is impossible."""
        now = self._online.now()
        if not 0 <= now - self._accounted < HEARTBEAT_MS:
            if now < self._accounted or await self._has_live_games():
                await self.beat()
            else:
                self._accounted = now  # a live game can only begin later
                if now - self._pulse >= IDLE_HEARTBEAT_MS:
                    await self.beat()
        await self._settle_expired(now)

    async def beat(self) -> int:
        """Write the timestamp and return it; before, give back the time of an outage.

        At that time the server could write, so that clocks may be judged as of then.
        """
        if self._beating is None:
            self._beating = asyncio.create_task(self._beat())
            self._beating.add_done_callback(self._forget_finished_beat)
        return await asyncio.shield(self._beating)

    def _forget_finished_beat(self, task: asyncio.Task[int]) -> None:
        self._beating = None
        if not task.cancelled():
            task.exception()  # the callers have it; there may be none left

    async def settle(self, game_id: str) -> int:
        """Give lost time back before a clock of a game is judged; return as of when to judge."""
        await self._settle_refused(game_id)
        while True:
            now = self._online.now()
            if not self._accounted or now - self._accounted < MIN_OUTAGE_MS:
                return now
            await self.tick()

    def record_refusal(self, game_id: str, since: int, player: Player | None = None) -> None:
        """Record that a move could not be stored: its player's clock stands still since then.

        `player` is unknown if the identity could not be read.
        """
        channel = self._online.hub.channels.get(game_id)
        if channel is None:  # its events could not be read
            if player is not None:
                self.refused.record(game_id, since, None)
        elif player is None or channel.game.seat(player.id) == channel.game.to_move is not None:
            self.refused.record(game_id, since, channel.game.board_version)

    def awaits_move(self, game_id: str) -> bool:
        """Return whether a refused move of a game may still come."""
        channel = self._online.hub.channels.get(game_id)
        if channel is None:
            return self.refused.find(game_id) is not None
        return self.refused.is_awaited(channel.game, self._online.now())

    async def _settle_expired(self, now: int) -> None:
        """Let the clocks run again of games whose refused move has not come in time.

        A game that cannot be written is tried again later: it must not stop the heartbeat.
        """
        expired = list(self.refused.expired(now))
        if not expired:
            return
        with suppress(StoreUnavailable, TimeoutError):
            async with asyncio.timeout(SETTLE_TIMEOUT_S):
                await asyncio.gather(*map(self._settle_refused, expired))
        for game_id in expired:
            move = self.refused.find(game_id)
            if move is not None and move.until is not None:
                move.until = self._online.now() + RESEND_TIME_MS

    async def _settle_refused(self, game_id: str) -> None:
        """Give the time since a move was refused back to its player."""
        move = self.refused.find(game_id)
        if move is None:
            return
        channel = await self._online.channel(game_id)
        compensation = self._compensation(move.since, 1)
        await self._online.apply_decision(
            channel,
            lambda game: compensation(game) if move.concerns(game) else Decision([], game),
        )
        if move.board_version is None:
            move.board_version = channel.game.board_version
        if not self.refused.is_awaited(channel.game, self._online.now()):
            self.refused.forget(game_id, move)

    async def check(self) -> None:
        """Raise StoreUnavailable if the database cannot be read or written now.

        A successful heartbeat proves writing for a moment, so that frequent checks cost little.
        """
        try:
            async with asyncio.timeout(HEALTH_CHECK_TIMEOUT_S):
                pulse = await self._stored_pulse()
                if self._store.last_write_failed or self._online.now() - pulse >= HEARTBEAT_MS:
                    await self.beat()
        except TimeoutError:
            raise StoreUnavailable("the database takes too long") from None

    async def left_to_other_processes(self, game_ids: list[str]) -> set[str]:
        """Return the games that another process may have to judge.

        They are those whose player to move is connected to another process, and while a process is
        silent, all whose player is not connected to this one. A process that stays silent for long
        has ended without notice, and no longer counts.
        """
        if not self._store.postgresql:
            return set()
        now = self._online.now()
        pulses = await self._pulses_of_processes()
        pulses.pop(self._own_pulse, None)
        ages = {name: now - pulse for name, pulse in pulses.items() if now - pulse < MAX_SILENCE_MS}
        if not ages:
            return set()
        channels = self._online.hub.channels
        here = {k for k in game_ids if k in channels and channels[k].awaits_player_here()}
        if any(age >= MIN_OUTAGE_MS for age in ages.values()):
            return set(game_ids) - here
        processes = [name.removeprefix(f"{PULSE}:") for name in ages]
        return await self._connected_to(processes, game_ids) - here

    async def _connected_to(self, processes: list[str], game_ids: list[str]) -> set[str]:
        """Return the games, not long overdue, whose player to move is connected to a process."""
        g, p = games.c, presences.c
        is_to_move = or_(and_(g.to_move == "w", p.w), and_(g.to_move == "b", p.b))
        query = select(g.id).where(
            g.id == p.game,
            g.id.in_(game_ids),
            g.due > self._online.now() - MAX_LEFT_TO_OTHERS_MS,
            p.process.in_(processes),
            is_to_move,
        )
        return {game_id for (game_id,) in await self._store.fetch(query)}

    # ---- one heartbeat ----

    async def _beat(self) -> int:
        if not self._accounted:
            self._accounted = self._pulse = self._online.now()
        while True:
            now = self._online.now()
            if self._accounted - now >= HEARTBEAT_MS:
                await self._follow_clock_set_back(now, self._accounted - now)
            elif now - self._accounted >= MIN_OUTAGE_MS:
                await self._write([PROBE], now)
                now = self._online.now()
                await self._compensate()
            await self._write(self._pulses, now)
            self._accounted = self._pulse = now
            self.refused.server_can_write(now)
            if self._online.now() - now < MIN_OUTAGE_MS:  # otherwise writing took that long
                return now

    async def _write(self, names: list[str], now: int) -> None:
        """Store a time in some settings."""
        async with self._store.transaction() as connection:
            rows = settings.c.name.in_(names)
            result = await connection.execute(update(settings).where(rows).values(value=str(now)))
            if result.rowcount < len(names):
                await insert_missing_settings(connection, **dict.fromkeys(names, str(now)))

    async def _delete_old_pulses(self) -> None:
        """Delete the timestamps of processes that ended without notice."""
        oldest = self._online.now() - DAY
        old = [name for name, at in (await self._pulses_of_processes()).items() if at < oldest]
        if old:
            async with self._store.transaction() as connection:
                await connection.execute(delete(settings).where(settings.c.name.in_(old)))

    async def _pulses_of_processes(self) -> dict[str, int]:
        """Return the last timestamp of each process, by the name of its setting."""
        c = settings.c
        query = select(c.name, c.value).where(c.name.startswith(f"{PULSE}:", autoescape=True))
        return {name: int(value) for name, value in await self._store.fetch(query)}

    async def _stored_pulse(self) -> int:
        query = select(settings.c.value).where(settings.c.name == PULSE)
        ((value,),) = await self._store.fetch(query)
        return int(value)

    async def _has_live_games(self) -> bool:
        """Return whether a live game is in progress, on any process."""
        g = games.c
        query = select(g.id).where(g.status == "playing", g.pace == "live").limit(1)
        return bool(await self._store.fetch(query))

    # ---- compensation ----

    async def _compensate(self) -> None:
        """Give the time since the last heartbeat back to the running clocks.

        If another process could write meanwhile, only the players connected here were affected.
        Several processes may do this at once: time that was given back is not given back again.
        """
        since, stored = self._accounted, await self._stored_pulse()
        now = self._online.now()
        if now - stored < MIN_OUTAGE_MS:
            affected = self._games_of_players_here()
        else:
            since = max(since, stored)
            affected = await self._games_in_progress("live")
        await self._online.apply_to_each(affected, self._compensation(since, MIN_OUTAGE_MS))
        if now - stored >= MIN_CORRESPONDENCE_OUTAGE_MS:
            slow = await self._games_in_progress("days")
            await self._online.apply_to_each(slow, self._compensation(stored, MIN_OUTAGE_MS))
        log.warning(
            "clocks are compensated for %.1f s without writing, in %d live games",
            (now - since) / SECOND,
            len(affected),
        )

    async def _follow_clock_set_back(self, now: int, milliseconds: int) -> None:
        """Let the running clocks continue after the system clock was set back."""
        for pace in ("live", "days"):
            await self._online.apply_to_each(
                await self._games_in_progress(pace),
                lambda game: reducer.decide_clock_set_back(game, now, milliseconds),
            )
        log.warning("the system clock was set back by %.1f s", milliseconds / SECOND)

    def _games_of_players_here(self) -> list[str]:
        """Return the games of this process in which the player to move is connected here."""
        channels = self._online.hub.channels.values()
        return [channel.game.id for channel in channels if channel.awaits_player_here()]

    async def _games_in_progress(self, pace: str) -> list[str]:
        g = games.c
        query = select(g.id).where(g.due.is_not(None), g.status == "playing", g.pace == pace)
        return [game_id for (game_id,) in await self._store.fetch(query)]

    def _compensation(self, since: int, minimum: int) -> Callable[[OnlineGame], Decision]:
        return lambda game: reducer.decide_outage(game, self._online.now(), since, minimum)
