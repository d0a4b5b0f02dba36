"""What is written and what comes of it, on SQLite and PostgreSQL, by several processes at once."""

import asyncio
import sqlite3
from contextlib import closing

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, func, select

from cluster import Cluster
from damier.errors import DamierError
from damier.online import events as e
from damier.online import migrations
from damier.online import service as service_module
from damier.online import store as store_module
from damier.online import table as t
from damier.online.clock import DAY, MINUTE
from damier.online.database import events, games, identities, metadata, ratings, settings
from damier.online.guard import Guard
from damier.online.hub import Room
from damier.online.listening import Listening
from damier.online.players import Player, hashed
from damier.online.service import MOST_IN_LOBBY
from damier.online.store import Append, Away, Conflict
from damier.online.sweeper import Sweeper
from damier.ratings import Rating
from far import LIVE, Time, asked, begun, pair, play, process, soon
from test_web_server import in_a_loop


def test_a_turn_is_written_before_it_is_acknowledged_and_played_once(database: str) -> None:
    async def test() -> None:
        async with process(database) as online:
            players = await pair(online)
            table = await begun(online, players)
            turn = table.play.turns()[0].text
            what = asked("turn", table.version, "once", turn=turn)
            versions = await asyncio.gather(
                *(online.act(table.id, players[0], what) for _ in range(5))
            )
            assert set(versions) == {3}
            assert len(await online.store.read(table.id)) == 3
        # Another process, after a restart: the list says it all, and the act is known.
        async with process(database) as online:
            assert await online.act(table.id, players[0], what) == 3
            room = await online.room(table.id)
            assert room.table.turns == [turn]
            kept = [event for event, _ in await online.store.read(table.id)]
            assert t.fold(table.id, kept) == room.table

    in_a_loop(test())


def test_two_processes_never_write_the_same_version(database: str) -> None:
    async def test() -> None:
        async with process(database) as one, process(database) as two:
            players = await pair(one)
            table = await begun(one, players)
            await two.room(table.id)
            for ply in range(6):
                now = (await one.fresh_room(table.id)).table
                first, second = (turn.text for turn in now.play.turns()[:2])
                done = await asyncio.gather(
                    *(
                        online.act(
                            table.id, players[ply % 2], asked("turn", now.version, n, turn=x)
                        )
                        for online, n, x in ((one, f"a{ply}", first), (two, f"b{ply}", second))
                    ),
                    return_exceptions=True,
                )
                good = [x for x in done if isinstance(x, int)]
                (bad,) = (x for x in done if not isinstance(x, int))
                assert good == [now.version + 1]
                assert isinstance(bad, DamierError)
                assert bad.key in ("moved-on", "not-your-turn")
            tables = [(await online.fresh_room(table.id)).table for online in (one, two)]
            assert tables[0] == tables[1]
            assert tables[0].play.ply == 6

    in_a_loop(test())


def test_appends_that_wait_together_are_written_together(database: str) -> None:
    async def test() -> None:
        async with process(database) as online:
            players = await pair(online)
            tables = [await begun(online, players, e.NoClock()) for _ in range(30)]
            before = online.store.batches
            await asyncio.gather(*(play(online, table.id, players, 1) for table in tables))
            assert online.store.batches - before < 15
            # One that comes late does not harm the others.
            late, good = tables[0], tables[1]
            stale = Append(late.version, late, [])
            room = await online.room(good.id)
            fresh = Append(room.table.version, room.table, [])
            done = await asyncio.gather(
                *(online.store.append(one) for one in (stale, fresh)), return_exceptions=True
            )
            assert isinstance(done[0], Conflict)
            assert done[1] is fresh

    in_a_loop(test())


def test_nobody_acts_in_a_seat_that_is_not_his(database: str) -> None:
    async def test() -> None:
        async with process(database) as online:
            players = await pair(online)
            eve, _ = await online.players.create("Eve")
            table = await begun(online, players)
            turn = table.play.turns()[0].text
            for who in (eve, None):
                for what in (
                    asked("turn", turn=turn),
                    asked("resign"),
                    asked("offer", what="draw"),
                ):
                    with pytest.raises(DamierError) as caught:
                        await online.act(table.id, who, what)
                    assert caught.value.key == "not-your-seat"
            with pytest.raises(DamierError) as caught:
                await online.join(table.id, eve)
            assert caught.value.key == "seat-taken"
            # To join twice is to join once.
            assert (await online.join(table.id, players[1])).version == table.version

    in_a_loop(test())


def test_of_a_secret_only_a_hash_is_kept(database: str) -> None:
    async def test() -> None:
        async with process(database) as online:
            ada, secret = await online.players.create("  Ada\n Lovelace ")
            assert ada.name == "Ada Lovelace"
            assert len(secret) == 32
            rows = await online.store.rows(select(identities))
            assert [row.secret for row in rows] == [hashed(secret)]
            assert secret not in str(rows)
            assert await online.players.by_secret(secret) == ada
            other = await online.players.new_secret(ada)
            assert await online.players.by_secret(other) == ada
            for wrong in (secret, "x" * 32, "", hashed(other)):
                with pytest.raises(DamierError) as caught:
                    await online.players.by_secret(wrong)
                assert caught.value.key == "identity"

    in_a_loop(test())


def test_a_flag_falls_once_however_many_processes_look(database: str) -> None:
    async def test() -> None:
        time = Time()
        async with process(database, time) as one, process(database, time) as two:
            players = await pair(one)
            table = await begun(one, players, rated=True)
            sweepers = [Sweeper(one), Sweeper(two)]
            await play(one, table.id, players, 2)
            for passed, status in ((LIVE.minutes * MINUTE, "playing"), (500, "over")):
                time.pass_(int(passed))
                await asyncio.gather(*(sweeper.sweep() for sweeper in sweepers))
                assert (await two.fresh_room(table.id)).table.status == status
            await asyncio.gather(*(sweeper.sweep() for sweeper in sweepers))
            kinds = [event.kind for event, _ in await one.store.read(table.id)]
            assert kinds == ["created", "joined", "turn", "turn", "flagged", "ended", "rated"]

    in_a_loop(test())


def test_ratings_change_with_the_end_of_a_rated_game_and_with_no_other(database: str) -> None:
    async def test() -> None:
        async with process(database) as online:
            players = await pair(online)
            for rated in (False, True):
                table = await begun(online, players, rated=rated)
                await play(online, table.id, players, 2)
                await online.act(table.id, players[1], asked("resign"))
                count = (await online.store.rows(select(func.count()).select_from(ratings)))[0][0]
                assert count == (2 if rated else 0)
            expected = Rating().after([(Rating(), 1.0)])
            described = await online.players.described(players[0])
            assert described["ratings"] == [
                {
                    "game": "chefa", "pace": "live", "points": round(expected.points),
                    "deviation": round(expected.deviation), "games": 1, "provisional": True,
                }
            ]  # fmt: skip
            assert described["results"] == [{"game": "chefa", "won": 2, "drawn": 0, "lost": 0}]
            last, _ = (await online.store.read(table.id))[-1]
            assert isinstance(last, e.Rated)
            assert last.w.after.points == pytest.approx(expected.points, abs=0.01)
            # Called off before both have played: nothing is rated.
            table = await begun(online, players, rated=True)
            await online.act(table.id, players[0], asked("abort"))
            assert (await online.players.described(players[0]))["ratings"][0]["games"] == 1
            for terms in ({"clock": e.NoClock()}, {"options": {"first_mover": "last"}}):
                with pytest.raises(DamierError):
                    await begun(online, players, rated=True, **terms)

    in_a_loop(test())


def test_an_outage_costs_nobody_time(database: str) -> None:
    async def test() -> None:
        time = Time()
        async with process(database, time) as online:
            players = await pair(online)
            live = await begun(online, players)
            days = await begun(online, players, e.DaysClock(days=1))
            for table in (live, days):
                await play(online, table.id, players, 2)
            sweeper = Sweeper(online)
            await sweeper.begin()
            time.pass_(10_000)
            row = select(settings.c.value).where(settings.c.name == "pulse")
            async with asyncio.timeout(10):
                while (await online.store.rows(row))[0][0] != str(time.now):
                    await asyncio.sleep(0.05)
            await sweeper.end()
        time.pass_(30 * MINUTE)
        async with process(database, time) as online:
            sweepers = [Sweeper(online), Sweeper(online)]
            for sweeper in sweepers:
                await sweeper.begin()
            tables = [(await online.room(table.id)).table for table in (live, days)]
            for table, left in zip(tables, (3 * MINUTE, DAY), strict=True):
                assert table.status == "playing"
                assert table.clock.left("w", time.now) == left - 10_000
                assert [x.kind for x, _ in await online.store.read(table.id)].count("paused") == 1
            for sweeper in sweepers:
                await sweeper.end()

    in_a_loop(test())


def test_planned_turns_survive_a_restart(database: str) -> None:
    async def test() -> None:
        async with process(database) as online:
            players = await pair(online)
            table = await begun(online, players, e.DaysClock(days=3))
            his, mine = "a1", "a2"
            lines = asked("lines", table.version, lines=[[his, mine]])
            await online.act(table.id, players[1], lines)
        async with process(database) as online:
            room = await online.room(table.id)
            shown = await online.game_out(room, players[1])
            assert shown["lines"] == [[his, mine]]
            assert (await online.game_out(room, players[0]))["lines"] == []
            await online.act(table.id, players[0], asked("turn", table.version, turn=his))
            assert room.table.turns == [his, mine]
            assert await online.store.lines_of(room.table) == {}

    in_a_loop(test())


def test_what_is_planned_on_one_process_is_played_on_another(database: str) -> None:
    async def test() -> None:
        async with process(database) as one, process(database) as two:
            players = await pair(one)
            table = await one.create(players[0], e.Terms(game="chefa", colour="w"))
            await two.room(table.id)
            table = await one.join(table.id, players[1])  # nobody has told the other process
            plan = asked("lines", table.version, lines=[["a1", "a2"]])
            await two.act(table.id, players[1], plan)
            await one.act(table.id, players[0], asked("turn", table.version, turn="a1"))
            assert (await two.fresh_room(table.id)).table.turns == ["a1", "a2"]

    in_a_loop(test())


def test_who_gives_up_before_both_have_played_loses_no_points(database: str) -> None:
    async def test() -> None:
        async with process(database) as online:
            players = await pair(online)
            table = await begun(online, players, rated=True)
            await play(online, table.id, players, 1)
            await online.act(table.id, players[1], asked("resign"))
            kinds = [event.kind for event, _ in await online.store.read(table.id)]
            assert kinds[-2:] == ["resigned", "ended"]
            assert (await online.players.described(players[1]))["ratings"] == []

    in_a_loop(test())


def test_a_rematch_is_set_up_with_its_acceptance(database: str) -> None:
    async def test() -> None:
        async with process(database) as online:
            players = await pair(online)
            table = await begun(online, players)
            for who, what in (
                (0, asked("resign")), (0, asked("offer", what="rematch")),
                (1, asked("accept", what="rematch")),
            ):  # fmt: skip
                await online.act(table.id, players[who], what)
            again = (await online.room(table.id)).table.rematch
            assert again is not None
            kept = [event for event, _ in await online.store.read(again)]
            other = t.fold(again, kept)
            assert (other.w, other.b) == (players[1].id, players[0].id)
            await play(online, again, (players[1], players[0]), 2)

    in_a_loop(test())


def test_lists_show_what_is_whose_and_hide_links(database: str) -> None:
    async def test() -> None:
        time = Time()
        async with process(database, time) as online:
            players = await pair(online)
            ada, blaise = players
            hidden = await online.create(ada, e.Terms(game="chefa"))
            shown = await online.create(ada, e.Terms(game="badia", open=True, clock=LIVE))
            his = await begun(online, players)
            await play(online, his.id, players, 1)
            time.pass_(1000)
            mine = await begun(online, players)
            time.pass_(1000)
            over = await begun(online, players)
            await online.act(over.id, blaise, asked("resign"))
            assert [entry["id"] for entry in await online.lobby()] == [shown.id]
            found = [x["id"] for x in await online.games_of(ada.id, ada.id, False, None)]
            assert found[0] == mine.id
            assert set(found) == {hidden.id, shown.id, his.id, mine.id}
            for you in (None, blaise.id):  # the address of a table that waits gives a seat
                seen = [x["id"] for x in await online.games_of(ada.id, you, None, None)]
                assert hidden.id not in seen
                assert {his.id, mine.id, over.id} <= set(seen)
            (done,) = await online.games_of(ada.id, ada.id, True, None)
            assert done["result"]["winner"] == "w"
            assert done["your"] == "w"
            assert await online.games_of(ada.id, ada.id, True, done["updated"]) == []
            for _ in range(MOST_IN_LOBBY - 1):
                await online.create(ada, e.Terms(game="chefa", open=True))
            with pytest.raises(DamierError) as caught:
                await online.create(ada, e.Terms(game="chefa", open=True))
            assert caught.value.key == "too-many-tables"

    in_a_loop(test())


def test_forsaken_tables_are_closed_and_closed_players_shut_out(database: str) -> None:
    async def test() -> None:
        time = Time()
        async with process(database, time) as online:
            ada, secret = await online.players.create("Ada")
            blaise, _ = await online.players.create("Blaise")
            waiting = await online.create(ada, e.Terms(game="chefa", open=True))
            time.pass_(8 * DAY)
            await Sweeper(online).sweep()
            assert (await online.room(waiting.id)).table.status == "aborted"
            assert await online.lobby() == []
            table = await begun(online, (ada, blaise), e.NoClock())
            assert await online.close_player(ada.id) == 1
            assert (await online.room(table.id)).table.status == "aborted"
            with pytest.raises(DamierError) as caught:
                await online.players.by_secret(secret)
            assert caught.value.key == "identity-closed"
            assert (await online.players.by_id(ada.id)).name == "Ada"  # games still name her

    in_a_loop(test())


def test_the_migrations_make_what_the_code_expects(database: str) -> None:
    def differences(connection: Connection) -> object:
        migrations.run(connection)  # nothing is left to do
        context = MigrationContext.configure(connection)
        return compare_metadata(context, metadata)

    async def test() -> None:
        async with process(database) as online, online.store.writing() as connection:
            assert await connection.run_sync(differences) == []

    in_a_loop(test())


def test_processes_that_begin_at_once_do_not_trip_over_each_other(database: str) -> None:
    async def one() -> None:
        async with process(database) as online:
            sweeper = Sweeper(online)
            await Guard(online).begin()
            await sweeper.begin()
            await sweeper.end()

    async def test() -> None:
        await asyncio.gather(*(one() for _ in range(4)))
        async with process(database) as online:
            rows = await online.store.rows(select(settings.c.name).order_by(settings.c.name))
            assert [name for (name,) in rows] == ["pulse", "salt"]

    in_a_loop(test())


def test_a_table_s_row_says_what_its_events_do(database: str) -> None:
    async def test() -> None:
        async with process(database) as online:
            players = await pair(online)
            table = await begun(online, players, rated=True)
            await play(online, table.id, players, 5)
            await online.act(table.id, players[1], asked("resign"))
            kept = [event for event, _ in await online.store.read(table.id)]
            (row,) = await online.store.rows(select(games).where(games.c.id == table.id))
            assert row._asdict() == store_module.row_of(t.fold(table.id, kept))
            (count,) = await online.store.rows(select(func.count()).select_from(events))
            assert count[0] == len(kept) == 2 + 5 + 3

    in_a_loop(test())


def test_a_live_game_leaves_the_lobby_with_its_creator(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service_module, "FORSAKEN_SECONDS", 0.1)

    async def test() -> None:
        async with process(database) as online:
            ada, _ = await pair(online)
            live = await online.create(ada, e.Terms(game="chefa", open=True, clock=LIVE))
            days = await online.create(
                ada, e.Terms(game="chefa", open=True, clock=e.DaysClock(days=1))
            )
            for stays in (True, False):
                for table in (live, days):
                    room, ear = await online.room(table.id), Ear()
                    room.followers[ear] = None
                    online.presence_changed(room)
                    del room.followers[ear]
                    online.presence_changed(room)
                    if stays:  # a page that is loaded anew
                        room.followers[ear] = None
                if stays:
                    await asyncio.sleep(0.3)
                else:
                    await soon(lambda: online.hub.rooms[live.id].table.status == "aborted")
                for table in (live, days):
                    (await online.room(table.id)).followers.clear()
                left = {entry["id"] for entry in await online.lobby()}
                assert left == ({live.id, days.id} if stays else {days.id})

    in_a_loop(test())


def test_sqlite_writes_what_it_acknowledges(sqlite: str) -> None:
    async def test() -> None:
        async with process(sqlite) as online, online.store.writing() as connection:
            said = [
                (await connection.exec_driver_sql(f"PRAGMA {name}")).scalar()
                for name in ("journal_mode", "synchronous")
            ]
            assert said == ["wal", 2]  # FULL

    in_a_loop(test())


def test_a_secret_that_is_changed_elsewhere_opens_nothing_here(database: str) -> None:
    async def test() -> None:
        async with process(database) as one, process(database) as two:
            ada, secret = await one.players.create("Ada")
            ear = Ear()
            ear.player, ear.key = await two.players.by_secret(secret), hashed(secret)
            two.hub.enter(ear)
            await Sweeper(two).look()
            assert ear.heard == []
            await one.players.new_secret(ada)
            await Sweeper(two).look()
            assert ear.heard == ["secret"]
            with pytest.raises(DamierError):
                await two.players.by_secret(secret)

    in_a_loop(test())


# ---- processes that hear each other --------------------------------------------------------------


class Ear:
    """Somebody who follows a table."""

    def __init__(self) -> None:
        self.player: Player | None = None
        self.language, self.address, self.key = "en", "", ""
        self.rooms: dict[str, Room] = {}
        self.heard: list[str] = []

    def tell(self, text: str) -> None:
        self.heard.append(text)

    def part(self, reason: str) -> None:
        self.heard.append(reason)


def test_a_process_hears_what_another_writes(postgresql: str) -> None:
    async def test() -> None:
        async with process(postgresql) as one, process(postgresql) as two:
            listening = [Listening(one), Listening(two)]
            for one_ in listening:
                await one_.begin()
            await asyncio.sleep(0.3)
            players = await pair(one)
            table = await begun(one, players)
            room, ear = await two.room(table.id), Ear()
            room.followers[ear] = None
            two.presence_changed(room)
            await play(one, table.id, players, 3)
            await soon(lambda: room.table.play.ply == 3)
            assert sum('"kind":"turn"' in text for text in ear.heard) == 3
            mine = await one.room(table.id)
            await soon(lambda: mine.presence()["watchers"] == 1)
            for one_ in listening:
                await one_.end()

    in_a_loop(test())


def test_who_hears_nothing_reads_the_list(database: str) -> None:
    async def test() -> None:
        async with process(database) as one, process(database) as two:
            players = await pair(one)
            table = await begun(one, players)
            room, ear = await two.room(table.id), Ear()
            room.followers[ear] = None
            await play(one, table.id, players, 2)
            await Sweeper(two).look()
            assert room.table.play.ply == 2
            assert sum('"kind":"turn"' in text for text in ear.heard) == 2

    in_a_loop(test())


# ---- a database in trouble -----------------------------------------------------------------------


def test_a_database_that_is_gone_is_missed_and_found_again(
    cluster: Cluster, postgresql: str
) -> None:
    async def test() -> None:
        async with process(postgresql) as online:
            players = await pair(online)
            table = await begun(online, players)
            await asyncio.to_thread(cluster.stop)
            try:
                with pytest.raises(Away):
                    await play(online, table.id, players, 1)
                with pytest.raises(Away):
                    await online.store.read(table.id)
            finally:
                await asyncio.to_thread(cluster.start)
            await play(online, table.id, players, 2)
            assert (await online.room(table.id)).table.play.ply == 2

    in_a_loop(test())


def test_a_database_that_is_locked_or_full_says_so_and_recovers(
    sqlite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "LOCKED_SECONDS", 0.2)
    path = sqlite.partition("///")[2]

    async def test() -> None:
        async with process(sqlite) as online:
            players = await pair(online)
            table = await begun(online, players)
            with closing(sqlite3.connect(path, isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                with pytest.raises(Away, match="locked"):
                    await play(online, table.id, players, 1)
                assert await online.store.read(table.id)  # who only looks is not kept out
                other.execute("ROLLBACK")
            await play(online, table.id, players, 1)
            async with online.store.writing() as connection:
                pages = (await connection.exec_driver_sql("PRAGMA page_count")).scalar()
                await connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")
            with pytest.raises(Away, match="full"):
                await play(online, table.id, players, 200)
            ply = (await online.room(table.id)).table.play.ply
            kept = t.fold(table.id, [event for event, _ in await online.store.read(table.id)])
            assert kept.play.ply == ply  # nothing is believed that was not written
            async with online.store.writing() as connection:
                await connection.exec_driver_sql("PRAGMA max_page_count=1000000")
            await play(online, table.id, players, 1)

    in_a_loop(test())
