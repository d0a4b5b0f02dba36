"""Online game service: loads a game, validates an action, stores the events, then broadcasts them.

Rules run in a thread: a move takes microseconds, but finding out why a move is illegal may take
long in a game with hundreds of thousands of moves, and must not block the event loop.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from sqlalchemy import or_, select

from damier import i18n
from damier.errors import DamierError
from damier.online import events as e
from damier.online import reducer, views
from damier.online.address_hashes import AddressHashes
from damier.online.database import games
from damier.online.events import Side
from damier.online.game_queries import (
    GameQueries,
)
from damier.online.heartbeat import Heartbeat
from damier.online.hub import GameChannel, Hub, Subscriber, to_json
from damier.online.limits import RateLimiter
from damier.online.logs import log
from damier.online.metrics import Metrics
from damier.online.models import Json
from damier.online.players import Player, Players
from damier.online.reducer import ActionContext, ConditionalLines, Decision, OnlineGame
from damier.online.store import EventAppend, EventStore, StoreUnavailable, VersionConflict, game_row

if TYPE_CHECKING:
    from damier.online.fair_play import FairPlayGuard

MAX_ATTEMPTS = 8  # to store events while other processes write to the same game
# With more followers than this, presence is sent at most once per interval.
PRESENCE_THROTTLE_FOLLOWERS, PRESENCE_THROTTLE_S = 12, 0.5
ABANDONED_LOBBY_TIMEOUT_S = 20.0  # after the creator of a live game has left
SHUTDOWN_GRACE_S = 2.0  # for clients to close their connections
MAX_WATCHERS = 2000  # of a game, per process
MAX_DECIDED_AT_ONCE = 200  # games for which the server decides something
_T = TypeVar("_T")
Snapshots = dict[str, list[views.Snapshot]]  # by language, one for each event


def milliseconds() -> int:
    """Return the current time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class OnlineService:
    """Online play, used by the HTTP and WebSocket interfaces."""

    def __init__(
        self,
        store: EventStore,
        now: Callable[[], int],
        limits: RateLimiter,
        addresses: AddressHashes,
    ) -> None:
        self.store, self.now, self.limits, self.addresses = store, now, limits, addresses
        self.process_id = secrets.token_urlsafe(9)
        self.players = Players(store, now)
        self.queries = GameQueries(store, self.players, self.run_in_thread)
        self.hub = Hub()
        self.heartbeat = Heartbeat(self)
        self.metrics = Metrics()
        self.metrics.games.set_function(lambda: len(self.hub.followed_games()))
        self.metrics.players.set_function(lambda: len(self.hub.by_player))
        self._threads = ThreadPoolExecutor(2, "rules")
        self._loading: dict[str, asyncio.Future[GameChannel]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._lobby_timer: asyncio.TimerHandle | None = None
        self._presences: dict[str, asyncio.TimerHandle] = {}
        self.fair_play: FairPlayGuard | None = None
        # Replaced by the PostgreSQL listener, which informs other processes.
        self.on_presence_change: Callable[[GameChannel], None] = lambda channel: None

    async def stop(self) -> None:
        """Close all connections so that clients reconnect to another process."""
        for subscriber in list(self.hub.subscribers):
            subscriber.disconnect("restart")
        with suppress(TimeoutError):
            async with asyncio.timeout(SHUTDOWN_GRACE_S):
                while self.hub.subscribers:
                    await asyncio.sleep(0.02)

    async def close(self) -> None:
        """Cancel timers and tasks, store pending events and close the database."""
        for timer in (self._lobby_timer, *self._presences.values()):
            if timer is not None:
                timer.cancel()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.store.close()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def run_in_thread(self, function: Callable[..., _T], *args: Any) -> _T:
        """Run a function in a thread, in the current language; return its result."""
        language = i18n.language()

        def call() -> _T:
            with i18n.use_language(language):
                return function(*args)

        return await asyncio.get_running_loop().run_in_executor(self._threads, call)

    def run_in_background(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine in the background. Database errors are logged; clients resynchronise."""

        async def run() -> None:
            try:
                await coroutine
            except (StoreUnavailable, VersionConflict) as error:
                log.warning("background task failed: %s; clients will resynchronise", error)

        task = asyncio.get_running_loop().create_task(run())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # ---- games ----

    async def channel(self, game_id: str) -> GameChannel:
        """Return the channel of a game, loading it if needed; raise DamierError if unknown."""
        cached = self.hub.channels.get(game_id)
        if cached is not None:
            return cached
        if game_id in self._loading:
            return await asyncio.shield(self._loading[game_id])
        loading = self._loading[game_id] = asyncio.ensure_future(self._load(game_id))
        try:
            return await asyncio.shield(loading)
        finally:
            self._loading.pop(game_id, None)

    async def _load(self, game_id: str) -> GameChannel:
        entries = await self.store.read_events(game_id)
        if not entries:
            raise DamierError("no-online-game")
        game = await self.run_in_thread(reducer.fold, game_id, [event for event, _ in entries])
        action_versions = {action: event.version for event, action in entries if action is not None}
        return self.hub.add_channel(
            GameChannel(game, action_versions, await self.store.conditional_lines(game))
        )

    async def current_channel(self, game_id: str) -> GameChannel:
        """Return the channel of a game, including events that other processes have stored."""
        if game_id not in self.hub.channels:
            return await self.channel(game_id)
        channel = await self.channel(game_id)
        if (
            not channel.followers
            and (await self.store.versions([game_id])).get(game_id) != channel.game.version
        ):
            await self.catch_up(channel)
        return channel

    async def catch_up(self, channel: GameChannel) -> None:
        """Read the events of other processes and broadcast them to the followers here."""
        async with channel.lock:
            await self._catch_up(channel)

    async def _catch_up(self, channel: GameChannel) -> bool:
        """Apply the events of other processes; return whether there were any."""
        entries = await self.store.read_events(channel.game.id, channel.game.version)
        if entries:
            events = [event for event, _ in entries]
            states = await self.run_in_thread(reducer.apply_each, channel.game, events)
            lines = await self.store.conditional_lines(states[-1])
            snapshots = await self._snapshots(channel, events, states)
            channel.action_versions.update(
                {action: event.version for event, action in entries if action is not None}
            )
            channel.lines = lines
            self._broadcast(channel, states[-1], events, snapshots)
        return bool(entries)

    async def create_game(
        self, player: Player, setup: e.GameSetup, address: str = ""
    ) -> OnlineGame:
        """Create a game and return it, or raise DamierError."""
        await self.queries.check_waiting_games(player, setup.open)
        origin = None
        if setup.open and address:
            await self.queries.check_lobby_games(self.addresses.valid(address))
            origin = self.addresses.current(address)
        if setup.rated and not await self.run_in_thread(views.is_standard, setup):
            raise DamierError("rated-standard")
        if setup.rated and setup.clock.kind == "none":
            raise DamierError("rated-clock")
        event = e.GameCreated(version=1, at=self.now(), creator=player.id, terms=setup)
        game = await self.run_in_thread(reducer.create_game, _new_id(), event)
        if game.gameplay.over:
            raise DamierError("over")
        with suppress(VersionConflict):  # stored although the first reply of the database was lost
            await self.store.append(EventAppend(0, game, [event], origin=origin))
        self.hub.add_channel(GameChannel(game, {}, {}))
        if setup.open:
            self.lobby_changed()
        return game

    async def join_game(self, game_id: str, player: Player) -> OnlineGame:
        """Join a game and return it, or raise DamierError; joining again has no effect."""
        channel = await self.channel(game_id)
        async with channel.lock:
            for _ in range(MAX_ATTEMPTS):
                if channel.game.seat(player.id) and channel.game.status != "waiting":
                    return channel.game
                await self.queries.check_active_games(player)
                random_side: Side = secrets.choice(("w", "b"))
                decision = reducer.decide_join(channel.game, player.id, self.now(), random_side)
                if await self._commit(channel, decision):
                    return channel.game
        raise DamierError("busy")

    async def perform(self, game_id: str, player: Player | None, request: Any, lag: int = 0) -> int:
        """Perform a player's action; return the version that it led to, or raise DamierError."""
        arrival = self.now()
        with self.metrics.measure_action(request.act.kind), self.heartbeat.arriving(arrival):
            try:
                now = await self.heartbeat.settle(game_id)
                return await self._perform(game_id, player, request, lag, now)
            except (StoreUnavailable, DamierError) as error:
                is_lasting = isinstance(error, DamierError) and error.key != "busy"
                if isinstance(request.act, e.MoveAction) and not is_lasting:
                    self.heartbeat.record_refusal(game_id, arrival, player)
                raise

    async def _perform(
        self, game_id: str, player: Player | None, request: Any, lag: int, now: int
    ) -> int:
        channel = await self.channel(game_id)
        late_is_decided = False
        async with channel.lock:
            for _ in range(MAX_ATTEMPTS):
                try:
                    side = self._seat_of(channel.game, player, request.act)
                    key = f"{side}:{request.id}"
                    if key in channel.action_versions:
                        return channel.action_versions[key]
                    rematch_id = _new_id() if request.act.kind in ("accept", "offer") else ""
                    lines = await self._load_lines(channel, request.act)
                    # The clock may have been compensated while this waited for the lock.
                    at = max(now, channel.game.compensated_until)
                    context = ActionContext(at, request.version, lag, rematch_id, lines)
                    decision = await self.run_in_thread(
                        reducer.decide, channel.game, request.act, side, context
                    )
                except DamierError:
                    if await self._catch_up(channel):  # decided on an outdated game: try again
                        continue
                    raise
                if _is_late_move(request.act, decision) and not late_is_decided:
                    late_is_decided = True
                    refund = await self.heartbeat.decide_late_move(channel.game)
                    if refund.events:
                        await self._commit(channel, refund)
                        continue
                if await self._commit(channel, decision, key):
                    if _is_late_move(request.act, decision):
                        raise DamierError("too-late")
                    return channel.action_versions.get(key, channel.game.version)
        raise DamierError("busy")

    async def _load_lines(
        self, channel: GameChannel, action: e.PlayerAction
    ) -> Mapping[Side, ConditionalLines]:
        """Return the conditional moves, read again where another process may have changed them."""
        if channel.game.pace != "live" and isinstance(
            action, e.MoveAction | e.ConditionalLinesAction
        ):
            channel.lines = await self.store.conditional_lines(channel.game)
        return channel.lines

    def _seat_of(self, game: OnlineGame, player: Player | None, action: e.PlayerAction) -> Side:
        """Return the side that a player may act for, or raise DamierError."""
        side = game.seat(player.id if player else None)
        if side is not None:
            return side
        # The creator of a waiting game may not have a colour yet, but can abort the game.
        if player and game.status == "waiting" and player.id == game.creator:
            if isinstance(action, e.AbortAction):
                return "w"
            raise DamierError("not-begun")
        raise DamierError("not-your-seat")

    async def apply_decision(
        self, channel: GameChannel, decide: Callable[[OnlineGame], Decision]
    ) -> None:
        """Store a decision of the server: about time, abandonment or an outage."""
        async with channel.lock:
            for _ in range(MAX_ATTEMPTS):
                decision = await self.run_in_thread(decide, channel.game)
                if not decision.events or await self._commit(channel, decision):
                    return

    async def apply_to_each(
        self, game_ids: Sequence[str], decide: Callable[[OnlineGame], Decision]
    ) -> None:
        """Apply a decision to games, many at once so that their events share a transaction."""

        async def apply_to_one(game_id: str) -> None:
            await self.apply_decision(await self.channel(game_id), decide)

        for offset in range(0, len(game_ids), MAX_DECIDED_AT_ONCE):
            await asyncio.gather(
                *map(apply_to_one, game_ids[offset : offset + MAX_DECIDED_AT_ONCE])
            )

    async def _commit(
        self, channel: GameChannel, decision: Decision, key: str | None = None
    ) -> bool:
        """Store a decision and broadcast it; return False if another process has written first."""
        if not decision.events and decision.lines is None:
            return True
        rematch = None
        if decision.rematch is not None:
            rematch_id = decision.game.rematch
            assert rematch_id is not None
            created, joined = decision.rematch
            game = await self.run_in_thread(reducer.fold, rematch_id, decision.rematch)
            rematch = EventAppend(0, game, [created, joined])
        append = EventAppend(
            channel.game.version, decision.game, decision.events, key, decision.lines, rematch
        )
        try:
            stored = await self.store.append(append)
            # The store may have added one event: changed ratings.
            states = [*decision.states, stored.game][: len(stored.events)]
            snapshots = await self._snapshots(channel, stored.events, states)
        except VersionConflict:
            self.metrics.conflicts.inc()
            await self._catch_up(channel)
            return False
        except asyncio.CancelledError:  # the events may have been stored all the same
            self.run_in_background(self.catch_up(channel))
            raise
        if key is not None and decision.events:
            channel.action_versions[key] = decision.events[0].version
        lines = channel.lines
        if decision.lines is not None:
            channel.lines = {side: lines for side, lines in decision.lines.items() if lines}
        self._broadcast(channel, stored.game, stored.events, snapshots)
        if channel.lines != lines:  # the owner sees the new lines on all devices
            for subscriber in list(channel.followers):
                if (
                    stored.game.seat(subscriber.player.id if subscriber.player else None)
                    in lines | channel.lines
                ):
                    self.run_in_background(self.send_view(channel, subscriber))
        if rematch is not None:
            self.hub.add_channel(GameChannel(rematch.game, {}, {}))
            self.run_in_background(self.notify_players(rematch.game))
        return True

    # ---- sending ----

    async def _snapshots(
        self, channel: GameChannel, events: Sequence[e.GameEvent], states: Sequence[OnlineGame]
    ) -> Snapshots:
        """Return the game after each event, by the languages of the channel's followers.

        Return an empty dict if the players' names cannot be read; clients then request the game.
        """
        if not events:
            return {}
        game = states[-1]
        if game.rating_changes is not channel.game.rating_changes:
            players = {player for player in (game.w, game.b, game.creator) if player}
            self.players.forget_ratings(players, game.rules.name, game.pace)
        languages = {subscriber.language for subscriber in channel.followers}
        if not languages:
            return {}
        try:
            directory = await self.queries.directory(game)
        except StoreUnavailable as error:
            log.warning("events of game %s are sent without the game: %s", game.id, error)
            return {}
        snapshots: Snapshots = {}
        for language in languages:
            with i18n.use_language(language):
                snapshots[language] = await self.run_in_thread(
                    views.snapshots, events, states, directory, self.now(), channel.presence()
                )
        return snapshots

    def _broadcast(
        self,
        channel: GameChannel,
        game: OnlineGame,
        events: Sequence[e.GameEvent],
        snapshots: Snapshots,
    ) -> None:
        """Set the game of a channel and send its events to all followers."""
        before, channel.game = channel.game, game
        self.hub.touch(channel)
        clock = views.clock_state(game.clock, self.now())
        for index, event in enumerate(events):
            message = self.event_message(game, event, clock)
            texts: dict[tuple[str, Side | None], str] = {}
            for subscriber in list(channel.followers):
                seat = game.seat(subscriber.player.id if subscriber.player else None)
                key = subscriber.language, seat
                if key not in texts:
                    snapshot = snapshots[key[0]][index] if key[0] in snapshots else None
                    texts[key] = _event_text(message, snapshot, seat, channel)
                subscriber.send(texts[key])
        needs_views = any(isinstance(event, e.PlayerJoined | e.MovesTakenBack) for event in events)
        if needs_views:  # other seats or an earlier board: each reader gets the whole game
            for subscriber in channel.followers:
                self.record_address(game, subscriber.player, subscriber.address)
            self.run_in_background(self._send_views(channel))
        if events and any(self._subscribers_elsewhere(game)):
            self.run_in_background(self.notify_players(game))
        if before.setup.open and before.status == "waiting" and game.status != "waiting":
            self.lobby_changed()

    def event_message(
        self, game: OnlineGame, event: e.GameEvent, clock: Json | None = None
    ) -> Json:
        """Return an event message without the game after it."""
        return {
            "type": "event",
            "game": game.id,
            "event": event.model_dump(),
            "clock": clock or views.clock_state(game.clock, self.now()),
            "to_move": game.to_move,
            "view": None,
            "state": None,
        }

    async def replay(
        self, channel: GameChannel, subscriber: Subscriber, events: Sequence[e.GameEvent]
    ) -> None:
        """Send missed events to a subscriber; the last one carries the game if it is current."""
        game, last = channel.game, events[-1]
        snapshot = None
        if last.version == game.version:
            directory = await self.queries.directory(game)
            with i18n.use_language(subscriber.language):
                (snapshot,) = await self.run_in_thread(
                    views.snapshots, [last], [game], directory, self.now(), channel.presence()
                )
        seat = game.seat(subscriber.player.id if subscriber.player else None)
        for event in events:
            known = snapshot if event is last else None
            subscriber.send(_event_text(self.event_message(game, event), known, seat, channel))

    def presence_changed(self, channel: GameChannel) -> None:
        """Broadcast a changed presence, throttled for games with many followers."""
        if len(channel.followers) <= PRESENCE_THROTTLE_FOLLOWERS:
            self.broadcast_presence(channel)
        elif channel.game.id not in self._presences:
            loop = asyncio.get_running_loop()
            self._presences[channel.game.id] = loop.call_later(
                PRESENCE_THROTTLE_S, self.broadcast_presence, channel
            )
        self.on_presence_change(channel)
        if _is_abandoned(channel):
            self.run_in_background(self._close_if_abandoned(channel))

    async def _close_if_abandoned(self, channel: GameChannel) -> None:
        """Close a live game in the lobby if its creator does not come back."""
        await asyncio.sleep(ABANDONED_LOBBY_TIMEOUT_S)
        if _is_abandoned(channel):
            await self.close_game(channel.game.id, "abandoned")

    def broadcast_presence(self, channel: GameChannel) -> None:
        """Send the presence at a game to its followers."""
        timer = self._presences.pop(channel.game.id, None)
        if timer is not None:
            timer.cancel()
        channel.broadcast({"type": "presence", "game": channel.game.id, **channel.presence()})

    def check_watchers(self, channel: GameChannel, player: Player | None) -> None:
        """Raise DamierError if a game has too many watchers; its players are always admitted."""
        if len(channel.followers) >= MAX_WATCHERS and not channel.game.seat(
            player.id if player else None
        ):
            raise DamierError("too-many-watchers")

    def record_address(self, game: OnlineGame, player: Player | None, address: str) -> None:
        """Record the address of a player of a rated game for the fair-play guard."""
        if self.fair_play is not None and player is not None and game.setup.rated:
            self.run_in_background(self.fair_play.record(game, player.id, address))

    def disconnect_player(self, player: str, reason: str) -> None:
        """Close a player's connections after a change of the secret or the end of the identity."""
        for subscriber in list(self.hub.by_player.get(player, ())):
            subscriber.disconnect(reason)

    async def _send_views(self, channel: GameChannel) -> None:
        for subscriber in list(channel.followers):
            await self.send_view(channel, subscriber)
        self.broadcast_presence(channel)

    async def send_view(self, channel: GameChannel, subscriber: Subscriber) -> None:
        """Send the latest version of a game to a follower."""
        while True:
            with i18n.use_language(subscriber.language):
                view = await self.game_view(channel, subscriber.player)
            if view["version"] == channel.game.version:
                break
        subscriber.send(to_json({"type": "game", "game": view}))

    def _subscribers_elsewhere(self, game: OnlineGame) -> Iterator[Subscriber]:
        """Yield the clients of a game's players that do not follow it."""
        waiting_creator = game.creator if game.status == "waiting" else None
        for player in {game.w, game.b, waiting_creator} - {None}:
            yield from (
                subscriber
                for subscriber in self.hub.by_player.get(player or "", ())
                if game.id not in subscriber.channels
            )

    async def notify_players(self, game: OnlineGame) -> None:
        """Send a summary of a game to its players' clients that do not follow it."""
        for subscriber in list(self._subscribers_elsewhere(game)):
            with i18n.use_language(subscriber.language):
                (summary,) = await self.queries.summaries(
                    [game_row(game)], subscriber.player.id if subscriber.player else None
                )
            subscriber.send(to_json({"type": "mine", "game": summary}))

    def lobby_changed(self) -> None:
        """Broadcast the lobby soon; several changes are sent together."""
        if self.hub.lobby_subscribers and self._lobby_timer is None:
            loop = asyncio.get_running_loop()
            self._lobby_timer = loop.call_later(
                0.2, lambda: self.run_in_background(self._broadcast_lobby())
            )

    async def _broadcast_lobby(self) -> None:
        self._lobby_timer = None
        entries = await self.queries.lobby()
        text = to_json({"type": "lobby", "entries": entries})
        for subscriber in list(self.hub.lobby_subscribers):
            subscriber.send(text)

    async def game_view(self, channel: GameChannel, player: Player | None) -> Json:
        """Return a game as a reader sees it."""
        game = channel.game
        directory = await self.queries.directory(game)
        you = game.seat(player.id if player else None)
        lines = channel.lines.get(you, ()) if you else ()
        more = {"lines": [list(line) for line in lines], "presence": channel.presence()}
        return await self.run_in_thread(views.game_view, game, directory, self.now(), you, more)

    async def close_game(
        self, game_id: str, reason: Literal["abandoned", "administrator"] = "administrator"
    ) -> None:
        """Close a game without a result; ratings do not change."""
        channel = await self.current_channel(game_id)
        await self.apply_decision(
            channel, lambda game: reducer.decide_closure(game, self.now(), reason)
        )

    async def close_player(self, player: str) -> int:
        """Close an identity and its unfinished games; return the number of games."""
        await self.players.close(await self.players.by_id(player))
        self.disconnect_player(player, "closed")
        g = games.c
        own_games = or_(g.white == player, g.black == player, g.creator == player)
        query = select(g.id).where(own_games, g.status.in_(("waiting", "playing")))
        game_ids = [game_id for (game_id,) in await self.store.fetch(query)]
        for game_id in game_ids:
            await self.close_game(game_id, "administrator")
        return len(game_ids)


def _is_late_move(action: e.PlayerAction, decision: Decision) -> bool:
    """Return whether the outcome of a move is that its time was over."""
    return isinstance(action, e.MoveAction) and any(
        isinstance(event, e.TimeExpired | e.GameAborted) for event in decision.events
    )


def _is_abandoned(channel: GameChannel) -> bool:
    """Return whether a live game waits in the lobby without anybody present."""
    game = channel.game
    waits = game.status == "waiting" and game.setup.open and game.pace == "live"
    return waits and not any(channel.presence().values())


def _event_text(
    message: Json, snapshot: views.Snapshot | None, seat: Side | None, channel: GameChannel
) -> str:
    """Return an event message as it is sent to the reader at a seat."""
    if snapshot is None:
        return to_json(message)
    lines = channel.lines.get(seat, ()) if seat else ()
    return to_json({**message, **snapshot.for_seat(seat, lines)})


def _new_id() -> str:
    """Return an id that cannot be guessed, because the link to a game is enough to join it."""
    return secrets.token_urlsafe(12)
