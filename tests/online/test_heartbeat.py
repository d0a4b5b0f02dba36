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
from damier.online.database import settings
from damier.online.heartbeat import MAX_SILENCE_MS, NO_LIMIT
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
        await self.online.heartbeat.start()
        self.players = await create_pair(self.online)
        self.id = (await begun(self.online, self.players, SHORT_CLOCK)).id
        await play(self.online, self.id, self.players, 2)  # the first move of a side is free
        await self.wait(USED_MS)

    async def wait(self, milliseconds: int) -> None:
        """Let time pass, and the background loop do its work."""
        while milliseconds > 0:
            self.clock.advance(min(500, milliseconds))
            milliseconds -= 500
            await self.online.heartbeat.tick()
            await self.sweeper.end_expired_games()

    async def wait_for_flag(self, milliseconds: int) -> None:
        """Wait, with PostgreSQL also until a process that was killed counts as ended."""
        await self.wait(MAX_SILENCE_MS if self.online.store.postgresql else milliseconds)

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

    def elsewhere(self, online: OnlineService) -> "Scene":
        """Return the same game as another process sees it."""
        other = Scene(online, self.clock, self._monkeypatch)
        other.players, other.id = self.players, self.id
        return other

    @asynccontextmanager
    async def successor(self, milliseconds: int) -> AsyncIterator["Scene"]:
        """Start a process some time after this one was killed."""
        self.clock.advance(milliseconds)
        async with process(self.online.store.url, self.clock) as online:
            await online.heartbeat.start()
            yield self.elsewhere(online)
            await online.heartbeat.stop()


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


# ---- a killed server, and several processes ------------------------------------------------------


@pytest.mark.parametrize("seconds", [1, 30])
def test_after_a_kill_a_refused_move_may_come_again(
    database: str, monkeypatch: pytest.MonkeyPatch, seconds: int
) -> None:
    async def test() -> None:
        async with scene(database, monkeypatch) as here:
            await here.refuse(here.players[0])
            await here.wait(CLOCK_MS)  # its clock stands still until the kill
            async with here.successor(1000 * seconds) as after:
                await after.wait(RESEND_TIME_MS - 1000)
                assert (await after.game()).status == "playing"
                await after.move(after.players[0])
                game = await after.game()
                assert game.status == "playing"
                assert CLOCK_MS > game.spent[-1] >= USED_MS - 1000
                await after.wait_for_flag(CLOCK_MS + 1000)
                assert (await after.game()).reason == "time"

    in_a_loop(test())


def test_after_a_start_a_clock_stands_still_for_a_limited_time(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        async with scene(database, monkeypatch) as here, here.successor(1000) as after:
            await after.wait(RESEND_TIME_MS - 1000)
            assert (await after.game()).status == "playing"
            await after.wait_for_flag(3000)
            game = await after.game()
            assert (game.winner, game.reason) == ("b", "time")
            stored = await after.online.store.read_events(after.id)
            paused = sum(x.milliseconds for x, _ in stored if isinstance(x, e.ClockCompensated))
            assert RESEND_TIME_MS <= paused <= RESEND_TIME_MS + 3000

    in_a_loop(test())


def test_after_an_outage_a_clock_stands_still_for_a_limited_time(
    sqlite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        async with scene(sqlite, monkeypatch) as here:
            here.clock.advance(12_000)
            await here.wait(RESEND_TIME_MS - 1000)
            assert (await here.game()).status == "playing"
            await here.wait(3000)
            assert (await here.game()).reason == "time"

    in_a_loop(test())


def test_after_a_start_other_clocks_run(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        async with scene(database, monkeypatch) as here:
            game = await begun(here.online, here.players, e.LiveClock(minutes=1, seconds=0))
            await play(here.online, game.id, here.players, 2)
            async with here.successor(1000) as after:
                assert after.online.heartbeat.awaits_move(after.id)
                assert not after.online.heartbeat.awaits_move(game.id)

    in_a_loop(test())


@asynccontextmanager
async def two_processes(
    postgresql: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Scene, Scene]]:
    """Yield a game as two processes see it; its players are connected to neither."""
    async with scene(postgresql, monkeypatch) as here, process(postgresql, here.clock) as online:
        there = here.elsewhere(online)
        await there.online.heartbeat.start()
        there.online.heartbeat.refused = RefusedMoves()  # as if it had been at work for long
        yield here, there
        await there.online.heartbeat.stop()


async def both_wait(here: Scene, there: Scene, milliseconds: int) -> None:
    """Let time pass while both processes are at work."""
    while milliseconds > 0:
        here.clock.advance(min(500, milliseconds))
        milliseconds -= 500
        for one in (here, there):
            await one.online.heartbeat.tick()
            await one.sweeper.end_expired_games()


def test_no_process_ends_a_game_whose_move_another_one_refused(
    postgresql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        async with two_processes(postgresql, monkeypatch) as (here, there):
            await here.refuse(here.players[0])
            await both_wait(here, there, RESEND_TIME_MS - 1000)
            assert (await there.game()).status == "playing"
            await there.move(there.players[0])  # it comes again, to the other process
            game = await there.game()
            assert game.status == "playing"
            assert game.spent[-1] <= CLOCK_MS
            await both_wait(here, there, CLOCK_MS + RESEND_TIME_MS)
            assert (await there.game()).reason == "time"

    in_a_loop(test())


def test_no_process_ends_a_game_whose_move_reached_a_silent_one(
    postgresql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        async with two_processes(postgresql, monkeypatch) as (here, there):
            await here.refuse(here.players[0])  # and this process is killed or suspended
            await there.wait(MAX_SILENCE_MS - 10_000)
            assert (await there.game()).status == "playing"
            await there.move(there.players[0])
            assert (await there.game()).status == "playing"
            await there.wait(MAX_SILENCE_MS)
            assert (await there.game()).reason == "time"

    in_a_loop(test())


def test_no_process_ends_a_game_whose_move_another_one_is_storing(
    postgresql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        async with two_processes(postgresql, monkeypatch) as (here, there):
            append, storing, go_on = here.online.store.append, asyncio.Event(), asyncio.Event()

            async def slow_append(what: Any) -> Any:
                storing.set()
                await go_on.wait()
                return await append(what)

            with monkeypatch.context() as patched:
                patched.setattr(here.online.store, "append", slow_append)
                move = asyncio.create_task(here.move(here.players[0]))
                await storing.wait()
                here.clock.advance(1000)
                for one in (here, there):
                    await one.online.heartbeat.beat()
                await there.sweeper.end_expired_games()
                go_on.set()
                await move
            assert (await there.game()).status == "playing"

    in_a_loop(test())


@pytest.mark.parametrize("is_silent", [False, True])
def test_a_player_connected_to_one_process_alone_is_judged_by_it(
    postgresql: str, monkeypatch: pytest.MonkeyPatch, is_silent: bool
) -> None:
    async def test() -> None:
        async with two_processes(postgresql, monkeypatch) as (here, there):
            channel = await there.online.channel(here.id)
            subscriber = Follower(here.players[0])
            channel.followers[subscriber] = None
            if not is_silent:
                await here.online.heartbeat.beat()
            await there.wait(CLOCK_MS - USED_MS + 1000)
            assert (await there.game()).reason == "time"

    in_a_loop(test())


def test_a_late_move_loses_when_the_other_processes_have_not_refused_it(
    postgresql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        async with two_processes(postgresql, monkeypatch) as (here, there):
            for _ in range(2):
                here.clock.advance(500)
                for one in (here, there):
                    await one.online.heartbeat.beat()
            with pytest.raises(DamierError) as refused:
                await there.move(there.players[0])
            assert refused.value.key == "too-late"
            assert (await there.game()).reason == "time"

    in_a_loop(test())


def test_a_process_that_stops_leaves_word_of_its_refused_moves(
    postgresql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        async with two_processes(postgresql, monkeypatch) as (here, there):
            assert await there.online.heartbeat.others_settled_until() < NO_LIMIT
            await here.refuse(here.players[0])
            await here.online.heartbeat.stop()
            await there.wait(RESEND_TIME_MS)
            assert (await there.game()).status == "playing"
            here.online.heartbeat.refused = RefusedMoves()
            await here.online.heartbeat.stop()
            assert await there.online.heartbeat.others_settled_until() == NO_LIMIT

    in_a_loop(test())


class Follower:
    """A connected client that ignores its messages."""

    language, address, secret_hash, connected_at = "en", "", "", 0

    def __init__(self, player: Player) -> None:
        self.player: Player | None = player
        self.channels: dict[str, Any] = {}

    def send(self, text: str) -> None:
        pass

    def disconnect(self, reason: str) -> None:
        pass


def test_the_number_of_refused_moves_is_bounded() -> None:
    moves = RefusedMoves()
    for number in range(MAX_REFUSED_MOVES + 10):
        moves.record(str(number), 0, 1)
    kept = [number for number in range(MAX_REFUSED_MOVES + 10) if moves.find(str(number))]
    assert kept == list(range(10, MAX_REFUSED_MOVES + 10))
    assert list(moves.expired(1 << 60)) == []  # not while the server cannot write
    moves.server_can_write(1000)
    assert len(list(moves.expired(1000 + RESEND_TIME_MS))) == MAX_REFUSED_MOVES
