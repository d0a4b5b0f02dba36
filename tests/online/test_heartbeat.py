"""Clocks while the server cannot write, after a refused move, and when the system clock changes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from sqlalchemy import select

from damier.errors import DamierError
from damier.gameplay import Game
from damier.online import events as e
from damier.online.clock import DAY, MINUTE
from damier.online.database import presences, settings
from damier.online.heartbeat import MAX_LEFT_TO_OTHERS_MS
from damier.online.pg_notify import PgListener
from damier.online.players import Player
from damier.online.refused_moves import MAX_REFUSED_MOVES, RESEND_TIME_MS, RefusedMoves
from damier.online.service import OnlineService
from damier.online.store import StoreUnavailable, VersionConflict
from damier.online.sweeper import Sweeper
from damier.position import load_rules
from tests.support.online_client import (
    FakeClock,
    OnlineTestServer,
    action_request,
    begun,
    create_pair,
    play,
    process,
)
from tests.web.test_server import in_a_loop

pytestmark = pytest.mark.slow


def test_an_outage_costs_no_time(database: str) -> None:
    async def test() -> None:
        time = FakeClock()
        async with process(database, time) as online:
            players = await create_pair(online)
            live = await begun(online, players)
            days = await begun(online, players, e.CorrespondenceClock(days=1))
            for game in (live, days):
                await play(online, game.id, players, 2)
            sweeper = Sweeper(online)
            await sweeper.start()
            row = select(settings.c.value).where(settings.c.name == "pulse")
            for _ in range(10):  # a longer step would be an outage
                time.advance(1000)
                async with asyncio.timeout(10):
                    while (await online.store.fetch(row))[0][0] != str(time.now):
                        await asyncio.sleep(0.05)
            await sweeper.stop()
        time.advance(30 * MINUTE)
        async with process(database, time) as online:
            sweepers = [Sweeper(online), Sweeper(online)]
            for sweeper in sweepers:
                await sweeper.start()
            tables = [(await online.channel(game.id)).game for game in (live, days)]
            for game, left in zip(tables, (3 * MINUTE, DAY), strict=True):
                assert game.status == "playing"
                assert game.clock.time_left("w", time.now) == left - 10_000
                assert [x.kind for x, _ in await online.store.read_events(game.id)].count(
                    "paused"
                ) == 1
            for sweeper in sweepers:
                await sweeper.stop()

    in_a_loop(test())


def test_clocks_follow_a_system_clock_that_is_set_back(database: str) -> None:
    async def test() -> None:
        time = FakeClock()
        async with process(database, time) as online:
            players = await create_pair(online)
            live = await begun(online, players)
            await play(online, live.id, players, 2)
            sweepers = [Sweeper(online), Sweeper(online)]  # as of two processes
            await online.heartbeat.start()
            await online.heartbeat.beat()
            time.advance(-60 * MINUTE)
            await online.heartbeat.tick()
            assert await online.heartbeat.settle(live.id) == time.now
            await play(online, live.id, players, 1)
            game = (await online.channel(live.id)).game
            assert game.status == "playing"
            assert game.clock.side_clock("w").left == 3 * MINUTE + 2000
            for _ in range(3 * 60 + 1):
                time.advance(1000)
                await online.heartbeat.tick()
            for sweeper in sweepers:
                await sweeper.end_expired_games()
            assert (await online.channel(live.id)).game.reason == "time"
            await online.heartbeat.stop()

    in_a_loop(test())


# ---- moves that could not be stored --------------------------------------------------------------

CLOCK_MS, USED_MS = 5000, 4700
SHORT_CLOCK = e.LiveClock(minutes=CLOCK_MS / 60_000, seconds=0)


class Scene:
    """A service, its background loop, and a game whose player to move has little time left."""

    def __init__(self, online: OnlineService, clock: FakeClock, monkeypatch: Any) -> None:
        self.online, self.clock, self._monkeypatch = online, clock, monkeypatch
        self.sweeper = Sweeper(online)

    async def begin(self) -> None:
        self.players = await create_pair(self.online)
        self.id = (await begun(self.online, self.players, SHORT_CLOCK)).id
        await play(self.online, self.id, self.players, 2)  # the first move of a side is free
        await self.online.heartbeat.start()
        await self.wait(USED_MS)

    async def wait(self, milliseconds: int) -> None:
        """Let time pass, and the background loop do its work."""
        while milliseconds > 0:
            self.clock.advance(min(500, milliseconds))
            milliseconds -= 500
            await self.online.heartbeat.tick()
            await self.sweeper.end_expired_games()

    async def refuse(self, player: Player, name: str = "move") -> None:
        """Let a move of a player be refused, because events cannot be stored."""

        async def append(_: Any) -> Any:
            raise StoreUnavailable("locked")

        with self._monkeypatch.context() as patched:
            patched.setattr(self.online.store, "append", append)
            with pytest.raises((StoreUnavailable, DamierError)):
                await self.move(player, name)

    async def move(self, player: Player, name: str = "move") -> int:
        game = (await self.online.channel(self.id)).game
        text = game.gameplay.legal_moves()[0].text
        return await self.online.perform(
            self.id, player, action_request("turn", name=name, turn=text)
        )

    async def game(self) -> Any:
        return (await self.online.current_channel(self.id)).game


@asynccontextmanager
async def scene(database: str, monkeypatch: Any) -> AsyncIterator[Scene]:
    clock = FakeClock()
    async with process(database, clock) as online:
        found = Scene(online, clock, monkeypatch)
        await found.begin()
        yield found
        await online.heartbeat.stop()


def test_a_refused_move_may_come_again_although_its_time_is_over(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        async with scene(database, monkeypatch) as here:
            await here.refuse(here.players[0])
            await here.wait(CLOCK_MS)
            assert (await here.game()).status == "playing"
            await here.refuse(here.players[0])
            await here.wait(RESEND_TIME_MS - 1000)  # again the whole time
            await here.move(here.players[0])
            game = await here.game()
            assert game.status == "playing"
            assert game.spent[-1] == USED_MS
            # The opponent's clock runs as usual.
            await here.wait(CLOCK_MS + 1000)
            assert (await here.game()).reason == "time"

    in_a_loop(test())


def test_a_refused_move_stops_the_clock_for_a_limited_time(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        async with scene(database, monkeypatch) as here:
            await here.refuse(here.players[0])
            await here.wait(RESEND_TIME_MS + 1000)
            game = await here.game()
            assert game.status == "playing"
            left = game.clock.time_left("w", here.clock.now)
            assert left is not None
            assert left <= CLOCK_MS - USED_MS
            await here.wait(CLOCK_MS - USED_MS + 1000)
            game = await here.game()
            assert (game.winner, game.reason) == ("b", "time")
            paused = [
                event.milliseconds
                for event, _ in await here.online.store.read_events(here.id)
                if isinstance(event, e.ClockCompensated)
            ]
            assert RESEND_TIME_MS <= sum(paused) <= RESEND_TIME_MS + 1000

    in_a_loop(test())


def test_a_move_refused_because_others_write_stops_the_clock_too(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        async with scene(database, monkeypatch) as here:

            async def append(_: Any) -> Any:
                raise VersionConflict

            with monkeypatch.context() as patched:
                patched.setattr(here.online.store, "append", append)
                with pytest.raises(DamierError) as refused:
                    await here.move(here.players[0])
            assert refused.value.key == "busy"
            await here.wait(CLOCK_MS)
            assert (await here.game()).status == "playing"
            await here.move(here.players[0])

    in_a_loop(test())


def test_a_game_that_cannot_be_written_does_not_stop_the_heartbeat(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        async with scene(database, monkeypatch) as here:
            await here.refuse(here.players[0])
            refused = here.online.heartbeat.refused
            while not list(refused.expired(here.clock.now + 1000)):
                await here.wait(500)
            tried = []

            async def append(_: Any) -> Any:
                tried.append(1)
                await asyncio.Event().wait()

            with monkeypatch.context() as patched:
                patched.setattr(here.online.store, "append", append)
                here.clock.advance(1000)
                await asyncio.wait_for(here.online.heartbeat.tick(), 20)
            assert tried
            query = select(settings.c.value).where(settings.c.name == "pulse")
            assert (await here.online.store.fetch(query))[0][0] == str(here.clock.now)
            assert here.online.heartbeat.awaits_move(here.id)  # tried again later
            await here.wait(RESEND_TIME_MS + CLOCK_MS)
            assert (await here.game()).reason == "time"

    in_a_loop(test())


def test_only_a_move_of_the_player_to_move_stops_the_clock(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        async with scene(database, monkeypatch) as here:
            stranger, _ = await here.online.players.create("Stranger")
            await here.refuse(here.players[1])
            await here.refuse(stranger, "other")
            await here.wait(CLOCK_MS)
            game = await here.game()
            assert (game.winner, game.reason) == ("b", "time")

    in_a_loop(test())


def test_a_move_that_cannot_be_authenticated_stops_the_clock_too(
    sqlite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = OnlineTestServer(sqlite)
    try:
        ada, blaise = (server.create_identity(name)["secret"] for name in ("Ada", "Blaise"))
        clock = {"kind": "live", "minutes": 3, "seconds": 0}
        setup = {"game": "chefa", "colour": "w", "clock": clock}
        game = server.request("games", setup, ada)[1]["id"]
        server.request(f"games/{game}/join", {}, blaise)
        move = Game(load_rules("chefa").start()).legal_moves()[0].text
        body = {"id": "one", "version": 2, "act": {"kind": "turn", "turn": move}}
        online = server.app.state.online

        async def by_secret(_: str) -> Player:
            raise StoreUnavailable("unreachable")

        with monkeypatch.context() as patched:
            patched.setattr(online.players, "by_secret", by_secret)
            assert server.request(f"games/{game}/acts", body, ada)[0] == 503
            assert server.request("games/nowhere/acts", body, ada)[0] == 503
        assert online.heartbeat.awaits_move(game)
        assert online.heartbeat.refused.find("nowhere") is None
        assert server.request(f"games/{game}/acts", body, ada)[0] == 200
        assert not online.heartbeat.awaits_move(game)
    finally:
        server.close()


def test_another_process_waits_for_the_one_that_refused_the_move(
    postgresql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        async with (
            scene(postgresql, monkeypatch) as here,
            process(postgresql, here.clock) as there,
        ):
            listener = PgListener(here.online)
            await listener.start()
            await there.heartbeat.start()
            channel = await here.online.channel(here.id)
            subscriber = Follower(here.players[0])
            channel.followers[subscriber] = None
            here.online.presence_changed(channel)
            await here.refuse(here.players[0])
            await wait_until_present(there, here.id)
            here.clock.advance(1000)
            sweeper = Sweeper(there)
            for online in (here.online, there):
                await online.heartbeat.beat()
            await sweeper.end_expired_games()
            assert (await here.game()).status == "playing"
            # If that process does nothing for long, the other one ends the game.
            here.clock.advance(MAX_LEFT_TO_OTHERS_MS + CLOCK_MS)
            for online in (here.online, there):
                online.heartbeat._accounted = here.clock.now  # no outage: both were at work
                await online.heartbeat.beat()
            await sweeper.end_expired_games()
            assert (await there.channel(here.id)).game.reason == "time"
            channel.followers.clear()
            await listener.stop()
            await there.heartbeat.stop()

    in_a_loop(test())


class Follower:
    """A connected client that ignores its messages."""

    language, address, secret_hash = "en", "", ""

    def __init__(self, player: Player) -> None:
        self.player: Player | None = player
        self.channels: dict[str, Any] = {}

    def send(self, text: str) -> None:
        pass

    def disconnect(self, reason: str) -> None:
        pass


async def wait_until_present(online: OnlineService, game_id: str) -> None:
    """Wait until the presence at a game is published."""
    query = select(presences.c.w).where(presences.c.game == game_id)
    async with asyncio.timeout(10):
        while not await online.store.fetch(query):
            await asyncio.sleep(0.02)


def test_the_number_of_refused_moves_is_bounded() -> None:
    moves = RefusedMoves()
    for number in range(MAX_REFUSED_MOVES + 10):
        moves.record(str(number), 0, 1)
    kept = [number for number in range(MAX_REFUSED_MOVES + 10) if moves.find(str(number))]
    assert kept == list(range(10, MAX_REFUSED_MOVES + 10))
    assert list(moves.expired(1 << 60)) == []  # not while the server cannot write
    moves.server_can_write(1000)
    assert len(list(moves.expired(1000 + RESEND_TIME_MS))) == MAX_REFUSED_MOVES
