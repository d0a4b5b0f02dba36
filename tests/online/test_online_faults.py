"""Servers that are killed, stopped or lose their database keep everything they confirmed.

They run in separate processes, with both kinds of database, while games are played.
"""

import asyncio
import os
import resource
import signal
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import time
from typing import Any

import pytest

from cluster import Cluster
from damier.cli import main
from online_audit import audit
from online_load import ClientGroup, MoveLoad, kill_servers
from online_players import OnlineClient, RequestRejected, ScriptedGame
from online_servers import ServerProcess, free_ports, running_servers

pytestmark = pytest.mark.slow

KILLS = 3
PATIENT = 20.0  # seconds that a busy machine may take: speed is measured elsewhere


class Place:
    """Servers of one database, and the database."""

    def __init__(
        self, database: str, servers: list[ServerProcess], cluster: Cluster | None
    ) -> None:
        self.database, self.servers, self.cluster = database, servers, cluster

    @property
    def addresses(self) -> list[str]:
        return [server.address for server in self.servers]

    @property
    def file(self) -> Path:
        return Path(self.database.partition("///")[2])


@pytest.fixture(scope="module")
def sqlite_place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    database = f"sqlite+aiosqlite:///{tmp_path_factory.mktemp('online') / 'online.sqlite'}"
    with running_servers(database, free_ports(1)) as servers:
        yield Place(database, servers, None)


@pytest.fixture(scope="module")
def postgresql_place(cluster: Cluster) -> Iterator[Place]:
    """Two servers, which began at the same time with an empty database."""
    database = cluster.new_database()
    with running_servers(database, free_ports(2)) as servers:
        yield Place(database, servers, cluster)


@pytest.fixture(params=["sqlite", "postgresql"], scope="module")
def place(request: pytest.FixtureRequest) -> Place:
    found: Place = request.getfixturevalue(f"{request.param}_place")
    return found


async def seated(place: Place, first: int, games: int = 1) -> ClientGroup:
    """Return players at some tables, from addresses that no other test uses."""
    crowd = ClientGroup()
    await crowd.enter(place.addresses, games, 0, first)
    return crowd


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(PATIENT):
        while not await holds():
            await asyncio.sleep(0.05)


async def refused_move(table: ScriptedGame) -> str:
    """Try a move that cannot be written; return with which key it is refused."""
    side, text = table.script[1][len(table.played)]
    mover = table.w if side == "w" else table.b
    with pytest.raises(RequestRejected) as refused:
        await mover.act(table.game, {"kind": "turn", "turn": text})
    return str(refused.value.args[0])


def test_no_move_is_lost_or_played_twice_when_servers_are_killed(place: Place) -> None:
    async def play() -> None:
        crowd = await seated(place, 0, 8)
        pace, outages, _ = await kill_servers(crowd, place.servers, KILLS, 30)
        found = await audit(crowd.tables, outages, slack=PATIENT)
        await crowd.leave()
        assert found.good, found
        assert pace.failed == []
        assert len(outages) == KILLS
        assert found.acknowledged == found.moves == sum(len(t.played) for t in crowd.tables)
        assert found.moves > 8

    asyncio.run(play())


def test_clients_reconnect_after_a_graceful_stop(place: Place) -> None:
    async def play() -> None:
        crowd = await seated(place, 100, 4)
        pace = MoveLoad(crowd)
        going = asyncio.create_task(pace.start_moves(30))
        await asyncio.sleep(0.3)
        server = place.servers[0]
        status = await asyncio.to_thread(server.stop)
        assert status in (0, -signal.SIGTERM)
        assert "restart" in {reason for player in crowd.players for reason in player.close_reasons}
        await asyncio.to_thread(server.start)
        await crowd.back()
        await asyncio.sleep(0.3)
        going.cancel()
        await pace.finish()
        found = await audit(crowd.tables, [], slack=PATIENT)
        await crowd.leave()
        assert found.good, found
        assert pace.failed == []

    asyncio.run(play())


def test_a_database_outage_is_reported_and_recovered(postgresql_place: Place) -> None:
    place = postgresql_place
    assert place.cluster is not None
    cluster = place.cluster

    async def play() -> None:
        crowd = await seated(place, 200)
        (table,) = crowd.tables
        await table.step(0)
        cluster.stop(signal.SIGQUIT)
        assert not await asyncio.to_thread(place.servers[0].is_healthy)
        assert await refused_move(table) == "database-away"
        with pytest.raises(RequestRejected) as refused:
            await table.w.ask("POST", "identities", {"name": "Late"})
        assert refused.value.args[0] == 503
        assert "database-away" in refused.value.args[1]
        cluster.start()
        for server in place.servers:
            await until(lambda s=server: asyncio.to_thread(s.is_healthy))  # type: ignore[misc]
        await table.step(0)
        await table.step(0)
        found = await audit(crowd.tables, [], slack=PATIENT)
        await crowd.leave()
        assert found.good, found
        assert found.moves == 3

    asyncio.run(play())


def test_a_locked_or_full_database_is_reported_and_recovers(sqlite_place: Place) -> None:
    place = sqlite_place

    async def play() -> None:
        crowd = await seated(place, 300)
        (table,) = crowd.tables
        await table.step(0)
        with closing(sqlite3.connect(place.file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert await refused_move(table) == "database-away"
            other.execute("ROLLBACK")
        await table.step(0)
        # No file of the server may grow: what a disk without room says comes from the system too.
        server = place.servers[0].pid
        usual = resource.prlimit(server, resource.RLIMIT_FSIZE)
        resource.prlimit(server, resource.RLIMIT_FSIZE, (0, usual[1]))
        assert await refused_move(table) == "database-away"
        assert not await asyncio.to_thread(place.servers[0].is_healthy)
        resource.prlimit(server, resource.RLIMIT_FSIZE, usual)
        await table.step(0)
        found = await audit(crowd.tables, [], slack=PATIENT)
        await crowd.leave()
        assert found.good, found
        assert found.moves == 3

    asyncio.run(play())


SHORT_CLOCK_S, OUTAGE_S = 3.0, 6.0


@contextmanager
def locked_file(place: Place) -> Iterator[None]:
    """Hold a write lock on the database file."""
    with closing(sqlite3.connect(place.file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


@contextmanager
def stopped_process(place: Place) -> Iterator[None]:
    """Suspend the server."""
    os.kill(place.servers[0].pid, signal.SIGSTOP)
    yield
    os.kill(place.servers[0].pid, signal.SIGCONT)


@contextmanager
def stopped_database(place: Place) -> Iterator[None]:
    """Stop PostgreSQL."""
    assert place.cluster is not None
    place.cluster.stop(signal.SIGQUIT)
    yield
    place.cluster.start()


@pytest.mark.parametrize(
    ("kind", "outage"),
    [
        ("sqlite", locked_file),
        ("sqlite", stopped_process),
        ("postgresql", stopped_database),
        ("postgresql", stopped_process),
    ],
)
def test_nobody_loses_time_while_the_server_cannot_write(
    request: pytest.FixtureRequest, kind: str, outage: Callable[[Place], Any]
) -> None:
    place: Place = request.getfixturevalue(f"{kind}_place")
    server = place.servers[0]

    async def play() -> None:
        clock = {"kind": "live", "minutes": SHORT_CLOCK_S / 60, "seconds": 0}
        crowd = await seated(place, 600)
        seats = crowd.tables[0]
        table = ScriptedGame(seats.script, seats.w, seats.b, clock)
        await table.set_up()
        for _ in range(2):  # the first move of a side is free
            await table.step(0)
        began = time()
        with outage(place):
            if outage is stopped_process:  # the move arrives, but nobody reads it
                step = asyncio.create_task(table.step(0))
            else:
                assert await refused_move(table) == "database-away"
                assert not await asyncio.to_thread(server.is_healthy)
            await asyncio.sleep(began + OUTAGE_S - time())
        if outage is not stopped_process:
            await until(lambda: asyncio.to_thread(server.is_healthy))
            step = asyncio.create_task(table.step(0))
        await step
        game = await table.w.ask("GET", f"games/{table.game}")
        stored = (await table.w.ask("GET", f"games/{table.game}/events"))["events"]
        paused = sum(event["milliseconds"] for event in stored if event["kind"] == "paused")
        assert len(game["turns"]) == 3
        # On a busy machine the opponent's time may be over before the game has been read.
        assert game["status"] == "playing" or game["result"]["winner"] == "w"
        assert paused > 1000 * (OUTAGE_S - SHORT_CLOCK_S)
        # What the move cost and what was given back is all the time since the move before.
        _, before, move = (event for event in stored if event["kind"] == "turn")
        assert move["spent"] + move["lag"] + paused == move["at"] - before["at"]
        assert game["clock"]["w"] == 1000 * SHORT_CLOCK_S - move["spent"]
        await crowd.leave()

    asyncio.run(play())


def test_a_backup_during_games_is_complete(
    sqlite_place: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "copy.sqlite"

    async def play() -> None:
        crowd = await seated(sqlite_place, 400, 4)
        pace = MoveLoad(crowd)
        going = asyncio.create_task(pace.start_moves(30))

        async def all_have_moves() -> bool:
            return all(any(move.version for move in table.played) for table in crowd.tables)

        await until(all_have_moves)
        before = {
            table.game: [move.text for move in table.played if move.version is not None]
            for table in crowd.tables
        }
        words = ["serve", "--database", sqlite_place.database, "--backup", str(copy)]
        assert await asyncio.to_thread(main, words) == 0
        going.cancel()
        await pace.finish()
        await crowd.leave()
        assert all(before.values())
        with running_servers(f"sqlite:///{copy}", free_ports(1)) as (restored,):
            reader = OnlineClient([restored.address])
            for game, moves in before.items():
                kept = (await reader.ask("GET", f"games/{game}"))["turns"]
                assert kept[: len(moves)] == moves

    asyncio.run(play())
    assert str(copy) in capsys.readouterr().out


def test_a_game_closed_by_the_administrator_is_closed_for_all(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    async def admin(*words: str) -> int:
        return await asyncio.to_thread(main, ["serve", "--database", place.database, *words])

    async def play() -> None:
        crowd = await seated(place, 500, 2)
        first, second = crowd.tables
        received: list[tuple[str, Any]] = []
        for player in crowd.players:
            player.on_event = lambda game, event: received.append((game, event))
        assert await admin("--close-game", first.game) == 0
        closed = {"kind": "closed", "reason": "administrator"}.items()

        async def both_know(game: str) -> bool:
            known = [event for g, event in received if g == game and closed <= event.items()]
            return len(known) == 2

        await until(lambda: both_know(first.game))
        assert (await first.w.ask("GET", f"games/{first.game}"))["status"] == "aborted"
        identity = await first.w.ask("GET", "me")
        assert await admin("--close-player", identity["id"]) == 0
        await until(lambda: _said(first.w, "closed"))
        with pytest.raises(RequestRejected) as refused:
            await first.w.ask("GET", "me")
        assert refused.value.args[0] == 401
        assert (await second.w.ask("GET", f"games/{second.game}"))["status"] == "playing"
        assert await admin("--close-game", "nowhere") == 2
        assert await admin("--close-player", "nobody") == 2
        await crowd.leave()

    asyncio.run(play())
    said = capsys.readouterr()
    assert "is closed" in said.out
    assert "Traceback" not in said.err


async def _said(player: OnlineClient, reason: str) -> bool:
    return reason in player.close_reasons
