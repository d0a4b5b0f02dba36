"""Heartbeat: proof that this server can write, and compensation of the time when it could not.

A clock runs only while its player can move, and a move can be played only while it can be stored.
The server therefore writes a timestamp every second while live games are in progress. Whatever
prevents it for `MIN_OUTAGE_MS` (a locked, full or unreachable database, a stopped or suspended
process, a jump of the system clock), the time since the last timestamp is given back to all running
clocks before any clock is judged. If the system clock is set back, the clocks follow it.

A player whose move could not be stored loses no time until the move comes again, however short the
outage was. After a start or an outage, any player with little time left may have sent such a move,
and may have to connect again: it is awaited in the same way.

Each process also stores until when it has stored or forgotten all moves that have reached it. No
process judges a clock that ran out after this time of another process, unless the player to move is
connected to it alone. A process that is silent for `MAX_SILENCE_MS` has ended.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from sqlalchemy import delete, select, update

from damier.online import reducer
from damier.online.clock import DAY, MINUTE, SECOND
from damier.online.database import games, settings
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
NO_LIMIT = sys.maxsize  # as a time
# A late move waits this long until the other processes have settled all earlier ones.
MAX_CHECKS_OF_OTHERS, CHECK_OF_OTHERS_S = 8, 0.25
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
        self._arrivals: dict[object, int] = {}  # of the moves that are being stored
        # A file is used by one process at a time.
        self._own_pulse = f"{PULSE}:{online.process_id if self._store.postgresql else 'file'}"

    async def start(self) -> None:
        """Compensate the time without any server, and await moves that may have been refused."""
        self._accounted = self._pulse = await self._stored_pulse()
        settled_until = await self._last_settled(self._pulse)
        await self._delete_old_pulses()
        now = await self.beat()
        await self._await_moves(settled_until)
        self.refused.server_can_write(now)

    async def stop(self) -> None:
        """Cancel a heartbeat that has not ended, and delete the timestamp of this process.

        It stays if a refused move may come again, to another process or the next one.
        """
        if self._beating is not None:
            self._beating.cancel()
            await asyncio.gather(self._beating, return_exceptions=True)
        if not any(self._awaited_since()):
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
        while self._accounted and self._online.now() - self._accounted >= MIN_OUTAGE_MS:
            await self.tick()
        await self._settle_refused(game_id)
        return self._online.now()

    @contextmanager
    def arriving(self, arrival: int) -> Iterator[None]:
        """Let other processes wait until a move has been stored or refused."""
        key = object()
        self._arrivals[key] = arrival
        try:
            yield
        finally:
            del self._arrivals[key]

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

        def decide(game: OnlineGame) -> Decision:
            if not move.concerns(game):
                return Decision([], game)
            return reducer.decide_refused_move(game, self._online.now(), move.since)

        await self._online.apply_decision(channel, decide)
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

    # ---- several processes ----

    async def others_settled_until(self) -> int:
        """Return until when all other processes have settled the moves that have reached them.

        A clock that ran out later may belong to a player whose move another process has refused.
        """
        if not self._store.postgresql:
            return NO_LIMIT
        now, pulses = self._online.now(), await self._pulses_of_processes()
        pulses.pop(self._own_pulse, None)
        return min((at for at in pulses.values() if now - at < MAX_SILENCE_MS), default=NO_LIMIT)

    def is_judged_here(self, game_id: str, settled_until: int) -> bool:
        """Return whether the player to move has used this process alone since a time."""
        channel = self._online.hub.channels.get(game_id)
        return channel is not None and channel.has_player_only_here(settled_until)

    async def decide_late_move(self, game: OnlineGame) -> Decision:
        """Return the time that a late move gets back: another process may have refused it."""
        due = game.clock.latest_deadline
        if due is None:
            return Decision([], game)
        for _ in range(MAX_CHECKS_OF_OTHERS):
            settled_until = await self.others_settled_until()
            if due <= settled_until or self.is_judged_here(game.id, settled_until):
                return Decision([], game)
            await asyncio.sleep(CHECK_OF_OTHERS_S)
        return reducer.decide_refused_move(game, self._online.now(), settled_until)

    async def _last_settled(self, pulse: int) -> int:
        """Return until when the processes that wrote before this one started had settled moves."""
        pulses = (await self._pulses_of_processes()).values()
        return min([pulse, *(at for at in pulses if pulse - at < MAX_SILENCE_MS)])

    async def _await_moves(self, since: int) -> None:
        """Let clocks that soon run out stand still, as after a refused move.

        After a start or an outage, nobody knows which moves were refused, and the players may have
        to connect again.
        """
        g = games.c
        query = select(g.id).where(
            g.status == "playing",
            g.deadline.is_not(None),
            g.due > since,
            g.due <= self._online.now() + RESEND_TIME_MS,
        )
        for (game_id,) in await self._store.fetch(query):
            channel = await self._online.channel(game_id)
            self.refused.record(game_id, since, channel.game.board_version)

    def _awaited_since(self) -> Iterator[int]:
        """Yield since when each refused move, that is still to be played, has been awaited."""
        for game_id, move in self.refused.items():
            channel = self._online.hub.channels.get(game_id)
            if channel is None or move.concerns(channel.game):
                yield move.since

    # ---- one heartbeat ----

    async def _beat(self) -> int:
        if not self._accounted:
            self._accounted = self._pulse = self._online.now()
        while True:
            now = self._online.now()
            if self._accounted - now >= HEARTBEAT_MS:
                await self._follow_clock_set_back(now, self._accounted - now)
            elif now - self._accounted >= MIN_OUTAGE_MS:
                await self._write({PROBE: now})
                now = self._online.now()
                await self._compensate()
            settled_until = min([now, *self._arrivals.values(), *self._awaited_since()])
            await self._write({PULSE: now, self._own_pulse: settled_until})
            self._accounted = self._pulse = now
            self.refused.server_can_write(now)
            if self._online.now() - now < MIN_OUTAGE_MS:  # otherwise writing took that long
                return now

    async def _write(self, times: dict[str, int]) -> None:
        """Store times in some settings."""
        async with self._store.transaction() as connection:
            missing = {}
            for name, at in times.items():
                row = settings.c.name == name
                change = update(settings).where(row).values(value=str(at))
                if not (await connection.execute(change)).rowcount:
                    missing[name] = str(at)
            if missing:
                await insert_missing_settings(connection, **missing)

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
        await self._online.apply_to_each(affected, self._compensation(since))
        if now - stored >= MIN_CORRESPONDENCE_OUTAGE_MS:
            slow = await self._games_in_progress("days")
            await self._online.apply_to_each(slow, self._compensation(stored))
        log.warning(
            "clocks are compensated for %.1f s without writing, in %d live games",
            (now - since) / SECOND,
            len(affected),
        )
        await self._await_moves(self._accounted)

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

    def _compensation(self, since: int) -> Callable[[OnlineGame], Decision]:
        return lambda game: reducer.decide_outage(game, self._online.now(), since, MIN_OUTAGE_MS)
