"""Servers that are killed, stopped or cut off from their database lose nothing that they confirmed.

They run in processes of their own, with both kinds of database, and are played on meanwhile.
"""

import asyncio
import resource
import signal
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cluster import Cluster
from damier.cli import main
from online_audit import audit
from online_load import Crowd, Pace, killing
from online_players import Player, Refused, Table
from online_servers import Process, free_ports, serving

KILLS = 3
PATIENT = 20.0  # seconds that a busy machine may take: speed is measured elsewhere


class Place:
    """Servers of one database, and the database."""

    def __init__(self, database: str, servers: list[Process], cluster: Cluster | None) -> None:
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
    with serving(database, free_ports(1)) as servers:
        yield Place(database, servers, None)


@pytest.fixture(scope="module")
def postgresql_place(cluster: Cluster) -> Iterator[Place]:
    """Two servers, which began at the same time with an empty database."""
    database = cluster.new_database()
    with serving(database, free_ports(2)) as servers:
        yield Place(database, servers, cluster)


@pytest.fixture(params=["sqlite", "postgresql"], scope="module")
def place(request: pytest.FixtureRequest) -> Place:
    found: Place = request.getfixturevalue(f"{request.param}_place")
    return found


async def seated(place: Place, first: int, games: int = 1) -> Crowd:
    """Return players at some tables, from addresses that no other test uses."""
    crowd = Crowd()
    await crowd.enter(place.addresses, games, 0, first)
    return crowd


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(PATIENT):
        while not await holds():
            await asyncio.sleep(0.05)


async def refused_turn(table: Table) -> str:
    """Try a turn that cannot be written; return with which key it is refused."""
    side, text = table.script[1][len(table.played)]
    mover = table.w if side == "w" else table.b
    with pytest.raises(Refused) as refused:
        await mover.act(table.game, {"kind": "turn", "turn": text})
    return str(refused.value.args[0])


def test_no_turn_is_lost_or_played_twice_when_servers_are_killed(place: Place) -> None:
    async def play() -> None:
        crowd = await seated(place, 0, 8)
        pace, outages, _ = await killing(crowd, place.servers, KILLS, 30)
        found = await audit(crowd.tables, outages, slack=PATIENT)
        await crowd.leave()
        assert found.good, found
        assert pace.failed == []
        assert len(outages) == KILLS
        assert found.acknowledged == found.turns == sum(len(t.played) for t in crowd.tables)
        assert found.turns > 8

    asyncio.run(play())


def test_a_server_that_is_stopped_says_so_and_everybody_comes_back(place: Place) -> None:
    async def play() -> None:
        crowd = await seated(place, 100, 4)
        pace = Pace(crowd)
        going = asyncio.create_task(pace.go_on(30))
        await asyncio.sleep(0.3)
        server = place.servers[0]
        status = await asyncio.to_thread(server.stop)
        assert status in (0, -signal.SIGTERM)
        assert "restart" in {reason for player in crowd.players for reason in player.farewells}
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


def test_a_database_that_goes_away_is_told_of_and_comes_back(postgresql_place: Place) -> None:
    place = postgresql_place
    assert place.cluster is not None
    cluster = place.cluster

    async def play() -> None:
        crowd = await seated(place, 200)
        (table,) = crowd.tables
        await table.step(0)
        cluster.stop(signal.SIGQUIT)
        assert not await asyncio.to_thread(place.servers[0].healthy)
        assert await refused_turn(table) == "database-away"
        with pytest.raises(Refused) as refused:
            await table.w.ask("POST", "identities", {"name": "Late"})
        assert refused.value.args[0] == 503
        assert "database-away" in refused.value.args[1]
        cluster.start()
        for server in place.servers:
            await until(lambda s=server: asyncio.to_thread(s.healthy))  # type: ignore[misc]
        await table.step(0)
        await table.step(0)
        found = await audit(crowd.tables, [], slack=PATIENT)
        await crowd.leave()
        assert found.good, found
        assert found.turns == 3

    asyncio.run(play())


def test_a_database_that_is_locked_or_full_is_told_of_and_recovers(sqlite_place: Place) -> None:
    place = sqlite_place

    async def play() -> None:
        crowd = await seated(place, 300)
        (table,) = crowd.tables
        await table.step(0)
        with closing(sqlite3.connect(place.file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert await refused_turn(table) == "database-away"
            other.execute("ROLLBACK")
        await table.step(0)
        # No file of the server may grow: what a disk without room says comes from the system too.
        server = place.servers[0].number
        usual = resource.prlimit(server, resource.RLIMIT_FSIZE)
        resource.prlimit(server, resource.RLIMIT_FSIZE, (0, usual[1]))
        assert await refused_turn(table) == "database-away"
        assert await asyncio.to_thread(place.servers[0].healthy)  # it still answers
        resource.prlimit(server, resource.RLIMIT_FSIZE, usual)
        await table.step(0)
        found = await audit(crowd.tables, [], slack=PATIENT)
        await crowd.leave()
        assert found.good, found
        assert found.turns == 3

    asyncio.run(play())


def test_a_backup_made_while_it_plays_is_complete(
    sqlite_place: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "copy.sqlite"

    async def play() -> None:
        crowd = await seated(sqlite_place, 400, 4)
        pace = Pace(crowd)
        going = asyncio.create_task(pace.go_on(30))
        await asyncio.sleep(0.7)
        before = {
            table.game: [turn.text for turn in table.played if turn.version is not None]
            for table in crowd.tables
        }
        words = ["serve", "--database", sqlite_place.database, "--backup", str(copy)]
        assert await asyncio.to_thread(main, words) == 0
        going.cancel()
        await pace.finish()
        await crowd.leave()
        assert any(before.values())
        with serving(f"sqlite:///{copy}", free_ports(1)) as (restored,):
            reader = Player([restored.address])
            for game, turns in before.items():
                kept = (await reader.ask("GET", f"games/{game}"))["turns"]
                assert kept[: len(turns)] == turns

    asyncio.run(play())
    assert str(copy) in capsys.readouterr().out


def test_what_an_administrator_closes_is_closed_for_all(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    async def admin(*words: str) -> int:
        return await asyncio.to_thread(main, ["serve", "--database", place.database, *words])

    async def play() -> None:
        crowd = await seated(place, 500, 2)
        first, second = crowd.tables
        heard: list[tuple[str, Any]] = []
        for player in crowd.players:
            player.heard = lambda game, event: heard.append((game, event))
        assert await admin("--close-game", first.game) == 0
        closed = {"kind": "closed", "reason": "administrator"}.items()

        async def both_know(game: str) -> bool:
            known = [event for g, event in heard if g == game and closed <= event.items()]
            return len(known) == 2

        await until(lambda: both_know(first.game))
        assert (await first.w.ask("GET", f"games/{first.game}"))["status"] == "aborted"
        told = await first.w.ask("GET", "me")
        assert await admin("--close-player", told["id"]) == 0
        await until(lambda: _said(first.w, "closed"))
        with pytest.raises(Refused) as refused:
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


async def _said(player: Player, reason: str) -> bool:
    return reason in player.farewells
