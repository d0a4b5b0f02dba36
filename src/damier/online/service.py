"""What the server does: load a table, decide, write, and only then tell.

Rules are asked in a thread: a turn takes microseconds, but to say why one is not legal may take a
while in a game with hundreds of thousands of turns, and nobody else is to wait for it.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from sqlalchemy import and_, case, func, or_, select

from damier import lang
from damier.errors import DamierError
from damier.online import events as e
from damier.online import table as t
from damier.online import views
from damier.online.database import games
from damier.online.events import Side
from damier.online.hub import Hub, Peer, Room, written
from damier.online.limits import Limits
from damier.online.logs import log
from damier.online.metrics import Metrics
from damier.online.models import Json
from damier.online.players import Player, Players
from damier.online.store import Append, Away, Conflict, Store, row_of
from damier.online.table import Decision, Lines, Moment, Table
from damier.record import Record

if TYPE_CHECKING:
    from damier.online.guard import Guard

TRIES = 8  # when other processes write to the same table
LISTED = 50  # games at a time
MOST_WAITING, MOST_IN_LOBBY, MOST_SEATS = 20, 3, 200  # tables of one player
CROWD, CROWD_SECONDS = 12, 0.5  # followers of a table to whom presence is told now and then
FORSAKEN_SECONDS = 20.0  # until a live game leaves the lobby whose creator has left
FAREWELL = 2.0  # seconds for everybody to leave, once told so
MOST_WATCHERS = 2000  # of a table, on a process
_T = TypeVar("_T")


def milliseconds() -> int:
    """Return the time of day."""
    return time.time_ns() // 1_000_000


class Service:
    """Online play, for whoever carries it to the players: HTTP and WebSocket."""

    def __init__(
        self, store: Store, now: Callable[[], int] = milliseconds, limits: Limits | None = None
    ) -> None:
        self.store, self.now, self.limits = store, now, limits or Limits()
        self.players = Players(store, now)
        self.hub = Hub()
        self.metrics = Metrics()
        self.metrics.games.set_function(lambda: len(self.hub.followed()))
        self.metrics.players.set_function(lambda: len(self.hub.peers))
        self._threads = ThreadPoolExecutor(2, "rules")
        self._loading: dict[str, asyncio.Future[Room]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._lobby_told: asyncio.TimerHandle | None = None
        self._presences: dict[str, asyncio.TimerHandle] = {}
        self.guard: Guard | None = None
        self.when_present: Callable[[Room], None] = lambda room: None  # other processes are told

    async def stop(self) -> None:
        """Say goodbye to everybody: what is asked from now on is asked of another process."""
        for peer in list(self.hub.everybody):
            peer.part("restart")
        with suppress(TimeoutError):
            async with asyncio.timeout(FAREWELL):
                while self.hub.everybody:
                    await asyncio.sleep(0.02)

    async def close(self) -> None:
        """End what is under way."""
        for timer in (self._lobby_told, *self._presences.values()):
            if timer is not None:
                timer.cancel()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.store.close()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def think(self, function: Callable[..., _T], *args: Any) -> _T:
        """Do in a thread what may take a while."""
        language = lang.language()

        def work() -> _T:
            with lang.speaking(language):
                return function(*args)

        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Let something go on beside; who misses it because the database is away asks again."""

        async def going_on() -> None:
            try:
                await work
            except (Away, Conflict) as error:
                log.warning("not told: %s", error)

        task = asyncio.get_running_loop().create_task(going_on())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # ---- tables ----

    async def room(self, game: str) -> Room:
        """Return a table, from memory if it is there."""
        found = self.hub.rooms.get(game)
        if found is not None:
            return found
        if game in self._loading:
            return await asyncio.shield(self._loading[game])
        loading = self._loading[game] = asyncio.ensure_future(self._load(game))
        try:
            return await asyncio.shield(loading)
        finally:
            self._loading.pop(game, None)

    async def _load(self, game: str) -> Room:
        kept = await self.store.read(game)
        if not kept:
            raise DamierError("no-online-game")
        table = await self.think(t.fold, game, [event for event, _ in kept])
        acts = {act: event.version for event, act in kept if act is not None}
        return self.hub.add(Room(table, acts, await self.store.lines_of(table)))

    async def fresh_room(self, game: str) -> Room:
        """Return a table as it stands in the database, where others may have written."""
        if game not in self.hub.rooms:
            return await self.room(game)
        room = await self.room(game)
        if (
            not room.followers
            and (await self.store.versions([game])).get(game) != room.table.version
        ):
            await self.catch_up(room)
        return room

    async def catch_up(self, room: Room) -> None:
        """Read what others have written to a table, and tell it to who follows here."""
        async with room.lock:
            await self._catch_up(room)

    async def _catch_up(self, room: Room) -> bool:
        """Tell whether others have written to a table, and take note of it."""
        kept = await self.store.read(room.table.id, room.table.version)
        if kept:
            events = [event for event, _ in kept]
            table = await self.think(_extended, room.table, events)
            room.acts.update({act: event.version for event, act in kept if act is not None})
            room.lines = await self.store.lines_of(table)
            self._tell(room, table, events)
        return bool(kept)

    async def create(self, player: Player, terms: e.Terms) -> Table:
        """Set up a table."""
        await self._check_tables(player, terms.open)
        if terms.rated and not await self.think(views.standard, terms):
            raise DamierError("rated-standard")
        if terms.rated and terms.clock.kind == "none":
            raise DamierError("rated-clock")
        event = e.Created(version=1, at=self.now(), creator=player.id, terms=terms)
        table = await self.think(t.begun, _fresh(), event)
        if table.play.over:
            raise DamierError("over")
        with suppress(Conflict):  # written already, although the database could not say so
            await self.store.append(Append(0, table, [event]))
        self.hub.add(Room(table, {}, {}))
        if terms.open:
            self.lobby_changed()
        return table

    async def _check_tables(self, player: Player, lobby: bool) -> None:
        """Refuse one table too many that waits, in the lobby or anywhere."""
        g = games.c
        mine = and_(g.creator == player.id, g.status == "waiting")
        asked = select(func.count(), func.sum(case((g.open, 1), else_=0))).where(mine)
        ((waiting, shown),) = await self.store.rows(asked)
        if waiting >= MOST_WAITING or (lobby and (shown or 0) >= MOST_IN_LOBBY):
            raise DamierError("too-many-tables", most=MOST_IN_LOBBY if lobby else MOST_WAITING)
        await self._check_seats(player)

    async def _check_seats(self, player: Player) -> None:
        """Refuse one game too many at a time."""
        g = games.c
        mine = or_(g.white == player.id, g.black == player.id)
        asked = select(func.count()).where(mine, g.status == "playing")
        ((count,),) = await self.store.rows(asked)
        if count >= MOST_SEATS:
            raise DamierError("too-many-games", most=MOST_SEATS)

    async def join(self, game: str, player: Player) -> Table:
        """Sit down at a table; to join twice is to join once."""
        room = await self.room(game)
        async with room.lock:
            for _ in range(TRIES):
                if room.table.seat(player.id) and room.table.status != "waiting":
                    return room.table
                await self._check_seats(player)
                lot: Side = secrets.choice(("w", "b"))
                decision = t.join(room.table, player.id, self.now(), lot)
                if await self._written(room, decision):
                    return room.table
        raise DamierError("busy")

    async def act(self, game: str, player: Player | None, asked: Any, lag: int = 0) -> int:
        """Do what a player asks for; return the version that it led to."""
        with self.metrics.acting(asked.act.kind):
            return await self._act(game, player, asked, lag)

    async def _act(self, game: str, player: Player | None, asked: Any, lag: int) -> int:
        now = self.now()
        room = await self.room(game)
        async with room.lock:
            for _ in range(TRIES):
                try:
                    side = self._seat_of(room.table, player, asked.act)
                    key = f"{side}:{asked.id}"
                    if key in room.acts:
                        return room.acts[key]
                    fresh = _fresh() if asked.act.kind in ("accept", "offer") else ""
                    planned = await self._planned(room, asked.act)
                    moment = Moment(now, asked.version, lag, fresh, planned)
                    decision = await self.think(t.decide, room.table, asked.act, side, moment)
                except DamierError:
                    if await self._catch_up(room):  # another process knew more: once more
                        continue
                    raise
                if await self._written(room, decision, key):
                    if isinstance(asked.act, e.TurnAct) and room.table.status == "aborted":
                        raise DamierError("too-late")
                    if decision.events and isinstance(decision.events[0], e.Flagged):
                        raise DamierError("too-late")
                    return room.acts.get(key, room.table.version)
        raise DamierError("busy")

    async def _planned(self, room: Room, act: e.Act) -> Mapping[Side, Lines]:
        """Return what players have planned, where it matters; another process may know more."""
        if room.table.pace != "live" and isinstance(act, e.TurnAct | e.LinesAct):
            room.lines = await self.store.lines_of(room.table)
        return room.lines

    def _seat_of(self, table: Table, player: Player | None, act: e.Act) -> Side:
        """Return for which side somebody may act, or raise DamierError."""
        side = table.seat(player.id if player else None)
        if side is not None:
            return side
        # Who has set up a table and waits for his colour can still call it off.
        if player and table.status == "waiting" and player.id == table.creator:
            if isinstance(act, e.AbortAct):
                return "w"
            raise DamierError("not-begun")
        raise DamierError("not-your-seat")

    async def server_act(self, room: Room, decide: Callable[[Table], Decision]) -> None:
        """Write what the server itself decides about a table: time, abandonment, an outage."""
        async with room.lock:
            for _ in range(TRIES):
                decision = await self.think(decide, room.table)
                if not decision.events or await self._written(room, decision):
                    return

    async def _written(self, room: Room, decision: Decision, key: str | None = None) -> bool:
        """Write a decision and tell of it; False if others have written first."""
        if not decision.events and decision.lines is None:
            return True
        rematch = None
        if decision.rematch is not None:
            again = decision.table.rematch
            assert again is not None
            created, joined = decision.rematch
            table = await self.think(t.fold, again, decision.rematch)
            rematch = Append(0, table, [created, joined])
        wanted = Append(
            room.table.version, decision.table, decision.events, key, decision.lines, rematch
        )
        try:
            done = await self.store.append(wanted)
        except Conflict:
            self.metrics.conflicts.inc()
            await self._catch_up(room)
            return False
        except asyncio.CancelledError:  # it may be written all the same
            self.begin(self.catch_up(room))
            raise
        if key is not None and decision.events:
            room.acts[key] = decision.events[0].version
        planned = room.lines
        if decision.lines is not None:
            room.lines = {side: lines for side, lines in decision.lines.items() if lines}
        self._tell(room, done.table, list(done.events))
        if room.lines != planned:  # only who has planned sees it, on all devices
            for peer in list(room.followers):
                if done.table.seat(peer.player.id if peer.player else None) in planned | room.lines:
                    self.begin(self.show(room, peer))
        if rematch is not None:
            self.hub.add(Room(rematch.table, {}, {}))
            self.begin(self.tell_players(rematch.table))
        return True

    # ---- telling ----

    def _tell(self, room: Room, table: Table, events: list[e.Event]) -> None:
        """Let everybody who follows a table know what has happened there."""
        before, room.table = room.table, table
        if table.rated is not before.rated:
            players = {player for player in (table.w, table.b, table.creator) if player}
            self.players.forget_strengths(players, table.rules.name, table.pace)
        self.hub.used(room)
        clock = views.clock_out(table.clock, self.now())
        for event in events:
            room.tell(self.told(table, event, clock))
        whole = any(isinstance(event, e.Joined | e.TakenBack) for event in events)
        if whole:  # another board, or other seats: each reader gets his own picture
            for peer in room.followers:
                self.note_where(table, peer.player, peer.address)
            self.begin(self._tell_whole(room))
        if events and any(self._looking_away(table)):
            self.begin(self.tell_players(table))
        if before.terms.open and before.status == "waiting" and table.status != "waiting":
            self.lobby_changed()

    def told(self, table: Table, event: e.Event, clock: Json | None = None) -> Json:
        """Return an event as those hear of it who follow a table."""
        return {
            "type": "event",
            "game": table.id,
            "event": event.model_dump(),
            "clock": clock or views.clock_out(table.clock, self.now()),
            "to_move": table.to_move,
        }

    def presence_changed(self, room: Room) -> None:
        """Tell who follows a table that somebody has come or gone; a crowd, once in a while."""
        if len(room.followers) <= CROWD:
            self.tell_presence(room)
        elif room.table.id not in self._presences:
            loop = asyncio.get_running_loop()
            self._presences[room.table.id] = loop.call_later(
                CROWD_SECONDS, self.tell_presence, room
            )
        self.when_present(room)
        if _forsaken(room):
            self.begin(self._close_forsaken(room))

    async def _close_forsaken(self, room: Room) -> None:
        """Take a live game out of the lobby when who proposed it has gone and stays away."""
        await asyncio.sleep(FORSAKEN_SECONDS)
        if _forsaken(room):
            await self.close_game(room.table.id, "abandoned")

    def tell_presence(self, room: Room) -> None:
        """Tell who follows a table who is there."""
        later = self._presences.pop(room.table.id, None)
        if later is not None:
            later.cancel()
        room.tell({"type": "presence", "game": room.table.id, **room.presence()})

    def check_watchers(self, room: Room, player: Player | None) -> None:
        """Refuse a watcher too many; players have their seats."""
        if len(room.followers) >= MOST_WATCHERS and not room.table.seat(
            player.id if player else None
        ):
            raise DamierError("too-many-watchers")

    def note_where(self, table: Table, player: Player | None, address: str) -> None:
        """Let the guard know from where somebody plays."""
        if self.guard is not None and player is not None and table.terms.rated:
            self.begin(self.guard.note(table, player.id, address))

    def shut_out(self, player: str, reason: str) -> None:
        """End the connections of a player whose secret has changed, or who is closed."""
        for peer in list(self.hub.peers.get(player, ())):
            peer.part(reason)

    async def _tell_whole(self, room: Room) -> None:
        for peer in list(room.followers):
            await self.show(room, peer)
        self.tell_presence(room)

    async def show(self, room: Room, peer: Peer) -> None:
        """Send a whole game to one who follows it, or is about to: it is the last version."""
        while True:
            with lang.speaking(peer.language):
                shown = await self.game_out(room, peer.player)
            if shown["version"] == room.table.version:
                break
        peer.tell(written({"type": "game", "game": shown}))

    def _looking_away(self, table: Table) -> Iterator[Peer]:
        """Yield the connections of a table's players that do not follow it."""
        waiting = table.creator if table.status == "waiting" else None
        for player in {table.w, table.b, waiting} - {None}:
            yield from (p for p in self.hub.peers.get(player or "", ()) if table.id not in p.rooms)

    async def tell_players(self, table: Table) -> None:
        """Tell the players who are here, but look at something else, that it goes on."""
        for peer in list(self._looking_away(table)):
            with lang.speaking(peer.language):
                row = _Row(row_of(table))
                (brief,) = await self._briefs([row], peer.player.id if peer.player else None)
            peer.tell(written({"type": "mine", "game": brief}))

    def lobby_changed(self) -> None:
        """Tell who looks at the lobby, soon: several changes at once are one."""
        if self.hub.lobby and self._lobby_told is None:
            loop = asyncio.get_running_loop()
            self._lobby_told = loop.call_later(0.2, lambda: self.begin(self._tell_lobby()))

    async def _tell_lobby(self) -> None:
        self._lobby_told = None
        entries = await self.lobby()
        text = written({"type": "lobby", "entries": entries})
        for peer in list(self.hub.lobby):
            peer.tell(text)

    # ---- looking ----

    async def _cast(self, players: Iterable[str | None], game: str, pace: str) -> views.Cast:
        ids = {player for player in players if player is not None}
        named = await self.players.named(ids)
        return views.Cast(named, await self.players.strengths(ids, game, pace))

    async def game_out(self, room: Room, player: Player | None) -> Json:
        """Return a game for a reader."""
        table = room.table
        cast = await self._cast((table.w, table.b, table.creator), table.rules.name, table.pace)
        you = table.seat(player.id if player else None)
        planned = room.lines.get(you, ()) if you else ()
        more = {"lines": [list(line) for line in planned], "presence": room.presence()}
        return await self.think(views.game_out, table, cast, self.now(), you, more)

    async def _briefs(self, rows: Sequence[Any], you: str | None) -> list[Json]:
        ids = {player for row in rows for player in (row.white, row.black, row.creator) if player}
        named = await self.players.named(ids)
        strengths = await self.players.all_strengths(ids)

        def shown() -> list[Json]:
            return [
                views.brief_out(
                    row, views.Cast(named, strengths.get((row.game, row.pace), {})), you
                )
                for row in rows
            ]

        return await self.think(shown)

    async def lobby(self) -> list[Json]:
        """Return the tables that wait for anybody, the newest first."""
        asked = select(games).where(games.c.open).order_by(games.c.created.desc()).limit(LISTED)
        return await self._briefs(await self.store.rows(asked), None)

    async def games_of(
        self, player: str, you: str | None, over: bool | None, before: int | None
    ) -> list[Json]:
        """Return a player's games: those that wait for him first, then the latest.

        A table that waits for a friend is shown to its creator alone: its address gives a seat.
        """
        g = games.c
        mine = or_(g.white == player, g.black == player)
        if player == you:
            mine = or_(mine, and_(g.creator == player, g.status == "waiting"))
        else:
            mine = and_(mine, or_(g.status != "waiting", g.open))
        asked = select(games).where(mine)
        if over is not None:
            done = g.status.in_(("over",) if over else ("waiting", "playing"))
            asked = asked.where(done)
        else:
            asked = asked.where(g.status != "aborted")
        if before is not None and over is not False:
            asked = asked.where(g.updated < before)
        ripe = case(
            (and_(g.white == player, g.to_move == "w"), 0),
            (and_(g.black == player, g.to_move == "b"), 0),
            else_=1,
        )
        if over is False:  # all of them, as many as one can have
            asked = asked.order_by(ripe, g.deadline.is_(None), g.deadline, g.updated.desc())
            asked = asked.limit(MOST_SEATS + MOST_WAITING)
        else:
            asked = asked.order_by(g.updated.desc()).limit(LISTED)
        return await self._briefs(await self.store.rows(asked), you)

    async def record(self, room: Room) -> str:
        """Return a game as text."""
        table = room.table
        named = await self.players.named([p for p in (table.w, table.b) if p is not None])

        def name(player: str | None) -> str:
            return named[player].name if player in named else "?"

        day = datetime.fromtimestamp(table.created / 1000, UTC).date().isoformat()
        record = Record(table.play, name(table.w), name(table.b), day, table.result)
        return await self.think(str, record)

    async def close_game(
        self, game: str, reason: Literal["abandoned", "administrator"] = "administrator"
    ) -> None:
        """Close a table: nobody wins, and nothing is rated."""
        room = await self.fresh_room(game)
        await self.server_act(room, lambda table: t.closed(table, self.now(), reason))

    async def close_player(self, player: str) -> int:
        """Let nobody act as an identity any more, close its games; return how many were on."""
        await self.players.close(await self.players.by_id(player))
        self.shut_out(player, "closed")
        g = games.c
        mine = or_(g.white == player, g.black == player, g.creator == player)
        asked = select(g.id).where(mine, g.status.in_(("waiting", "playing")))
        found = [game for (game,) in await self.store.rows(asked)]
        for game in found:
            await self.close_game(game, "administrator")
        return len(found)


class _Row:
    """What is kept of a table, as a row of the database would give it."""

    def __init__(self, values: Json) -> None:
        self.__dict__.update(values)


def _forsaken(room: Room) -> bool:
    """Tell whether nobody is at a table that waits in the lobby for a live game."""
    table = room.table
    waits = table.status == "waiting" and table.terms.open and table.pace == "live"
    return waits and not any(room.presence().values())


def _extended(table: Table, events: list[e.Event]) -> Table:
    for event in events:
        table = t.after(table, event)
    return table


def _fresh() -> str:
    """Return an identifier that nobody can guess: a link to a table gives a seat there."""
    return secrets.token_urlsafe(12)
