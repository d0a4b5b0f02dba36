"""The online service on SQLite and PostgreSQL, with several processes at once."""

import asyncio
import sqlite3
from contextlib import closing

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, func, select

from cluster import Cluster
from damier.errors import DamierError
from damier.learning.ratings import Rating
from damier.online import events as e
from damier.online import migrations
from damier.online import reducer as t
from damier.online import service as service_module
from damier.online import store as store_module
from damier.online.clock import DAY, MINUTE
from damier.online.database import events, games, identities, metadata, ratings, settings
from damier.online.fair_play import FairPlayGuard
from damier.online.game_queries import MAX_LOBBY_GAMES
from damier.online.hub import GameChannel
from damier.online.pg_notify import PgListener
from damier.online.players import Player, hash_secret
from damier.online.store import EventAppend, StoreUnavailable, VersionConflict
from damier.online.sweeper import Sweeper
from tests.support.online_client import (
    LIVE,
    FakeClock,
    action_request,
    begun,
    create_pair,
    play,
    process,
    wait_until,
)
from tests.web.test_server import in_a_loop

pytestmark = pytest.mark.slow


def test_a_move_is_written_before_it_is_acknowledged_and_played_once(database: str) -> None:
    async def test() -> None:
        async with process(database) as online:
            players = await create_pair(online)
            game = await begun(online, players)
            move = game.gameplay.legal_moves()[0].text
            what = action_request("turn", game.version, "once", turn=move)
            versions = await asyncio.gather(
                *(online.perform(game.id, players[0], what) for _ in range(5))
            )
            assert set(versions) == {3}
            assert len(await online.store.read_events(game.id)) == 3
        # Another process, after a restart: the list says it all, and the act is known.
        async with process(database) as online:
            assert await online.perform(game.id, players[0], what) == 3
            channel = await online.channel(game.id)
            assert channel.game.moves == [move]
            kept = [event for event, _ in await online.store.read_events(game.id)]
            assert t.fold(game.id, kept) == channel.game

    in_a_loop(test())


def test_two_processes_never_write_the_same_version(database: str) -> None:
    async def test() -> None:
        async with process(database) as one, process(database) as two:
            players = await create_pair(one)
            game = await begun(one, players)
            await two.channel(game.id)
            for ply in range(6):
                now = (await one.current_channel(game.id)).game
                first, second = (move.text for move in now.gameplay.legal_moves()[:2])
                done = await asyncio.gather(
                    *(
                        online.perform(
                            game.id,
                            players[ply % 2],
                            action_request("turn", now.version, n, turn=x),
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
            tables = [(await online.current_channel(game.id)).game for online in (one, two)]
            assert tables[0] == tables[1]
            assert tables[0].gameplay.ply == 6

    in_a_loop(test())


def test_pending_appends_share_a_transaction(database: str) -> None:
    async def test() -> None:
        async with process(database) as online:
            players = await create_pair(online)
            tables = [await begun(online, players, e.NoClock()) for _ in range(30)]
            before = online.store.batches
            await asyncio.gather(*(play(online, game.id, players, 1) for game in tables))
            assert online.store.batches - before < 15
            # One that comes late does not harm the others.
            late, good = tables[0], tables[1]
            stale = EventAppend(late.version, late, [])
            channel = await online.channel(good.id)
            fresh = EventAppend(channel.game.version, channel.game, [])
            done = await asyncio.gather(
                *(online.store.append(one) for one in (stale, fresh)), return_exceptions=True
            )
            assert isinstance(done[0], VersionConflict)
            assert done[1] is fresh

    in_a_loop(test())


def test_players_act_only_for_their_own_seat(database: str) -> None:
    async def test() -> None:
        async with process(database) as online:
            players = await create_pair(online)
            eve, _ = await online.players.create("Eve")
            game = await begun(online, players)
            move = game.gameplay.legal_moves()[0].text
            for who in (eve, None):
                for what in (
                    action_request("turn", turn=move),
                    action_request("resign"),
                    action_request("offer", what="draw"),
                ):
                    with pytest.raises(DamierError) as caught:
                        await online.perform(game.id, who, what)
                    assert caught.value.key == "not-your-seat"
            with pytest.raises(DamierError) as caught:
                await online.join_game(game.id, eve)
            assert caught.value.key == "seat-taken"
            # To join twice is to join once.
            assert (await online.join_game(game.id, players[1])).version == game.version

    in_a_loop(test())


def test_only_the_hash_of_a_secret_is_stored(database: str) -> None:
    async def test() -> None:
        async with process(database) as online:
            ada, secret = await online.players.create("  Ada\n Lovelace ")
            assert ada.name == "Ada Lovelace"
            assert len(secret) == 32
            rows = await online.store.fetch(select(identities))
            assert [row.secret for row in rows] == [hash_secret(secret)]
            assert secret not in str(rows)
            assert await online.players.by_secret(secret) == ada
            other = await online.players.new_secret(ada)
            assert await online.players.by_secret(other) == ada
            for wrong in (secret, "x" * 32, "", hash_secret(other)):
                with pytest.raises(DamierError) as caught:
                    await online.players.by_secret(wrong)
                assert caught.value.key == "identity"

    in_a_loop(test())


def test_a_timeout_is_stored_once_by_several_processes(database: str) -> None:
    async def test() -> None:
        time = FakeClock()
        async with process(database, time) as one, process(database, time) as two:
            players = await create_pair(one)
            game = await begun(one, players, rated=True)
            sweepers = [Sweeper(one), Sweeper(two)]
            await play(one, game.id, players, 2)
            for passed, status in ((LIVE.minutes * MINUTE, "playing"), (500, "over")):
                time.advance(int(passed))
                await asyncio.gather(*(sweeper.end_expired_games() for sweeper in sweepers))
                assert (await two.current_channel(game.id)).game.status == status
            await asyncio.gather(*(sweeper.end_expired_games() for sweeper in sweepers))
            kinds = [event.kind for event, _ in await one.store.read_events(game.id)]
            assert kinds == ["created", "joined", "turn", "turn", "flagged", "ended", "rated"]

    in_a_loop(test())


def test_ratings_change_with_the_end_of_a_rated_game_and_with_no_other(database: str) -> None:
    async def test() -> None:
        async with process(database) as online:
            players = await create_pair(online)
            for rated in (False, True):
                game = await begun(online, players, rated=rated)
                await play(online, game.id, players, 2)
                await online.perform(game.id, players[1], action_request("resign"))
                count = (await online.store.fetch(select(func.count()).select_from(ratings)))[0][0]
                assert count == (2 if rated else 0)
            expected = Rating().after([(Rating(), 1.0)])
            profile = await online.players.profile(players[0])
            assert profile["ratings"] == [
                {
                    "game": "chefa",
                    "pace": "live",
                    "points": round(expected.points),
                    "deviation": round(expected.deviation),
                    "games": 1,
                    "provisional": True,
                }
            ]
            assert profile["results"] == [{"game": "chefa", "won": 2, "drawn": 0, "lost": 0}]
            last, _ = (await online.store.read_events(game.id))[-1]
            assert isinstance(last, e.RatingsChanged)
            assert last.w.after.points == pytest.approx(expected.points, abs=0.01)
            # Called off before both have played: nothing is rated.
            game = await begun(online, players, rated=True)
            await online.perform(game.id, players[0], action_request("abort"))
            assert (await online.players.profile(players[0]))["ratings"][0]["games"] == 1
            for terms in ({"clock": e.NoClock()}, {"options": {"first_mover": "last"}}):
                with pytest.raises(DamierError):
                    await begun(online, players, rated=True, **terms)

    in_a_loop(test())


def test_planned_moves_survive_a_restart(database: str) -> None:
    async def test() -> None:
        async with process(database) as online:
            players = await create_pair(online)
            game = await begun(online, players, e.CorrespondenceClock(days=3))
            theirs, reply = "a1", "a2"
            lines = action_request("lines", game.version, lines=[[theirs, reply]])
            await online.perform(game.id, players[1], lines)
        async with process(database) as online:
            channel = await online.channel(game.id)
            shown = await online.game_view(channel, players[1])
            assert shown["lines"] == [[theirs, reply]]
            assert (await online.game_view(channel, players[0]))["lines"] == []
            await online.perform(
                game.id, players[0], action_request("turn", game.version, turn=theirs)
            )
            assert channel.game.moves == [theirs, reply]
            assert await online.store.conditional_lines(channel.game) == {}

    in_a_loop(test())


def test_what_is_planned_on_one_process_is_played_on_another(database: str) -> None:
    async def test() -> None:
        async with process(database) as one, process(database) as two:
            players = await create_pair(one)
            game = await one.create_game(players[0], e.GameSetup(game="chefa", colour="w"))
            await two.channel(game.id)
            game = await one.join_game(game.id, players[1])  # the other process was not notified
            plan = action_request("lines", game.version, lines=[["a1", "a2"]])
            await two.perform(game.id, players[1], plan)
            await one.perform(game.id, players[0], action_request("turn", game.version, turn="a1"))
            assert (await two.current_channel(game.id)).game.moves == ["a1", "a2"]

    in_a_loop(test())


def test_resigning_before_both_have_played_changes_no_rating(database: str) -> None:
    async def test() -> None:
        async with process(database) as online:
            players = await create_pair(online)
            game = await begun(online, players, rated=True)
            await play(online, game.id, players, 1)
            await online.perform(game.id, players[1], action_request("resign"))
            kinds = [event.kind for event, _ in await online.store.read_events(game.id)]
            assert kinds[-2:] == ["resigned", "ended"]
            assert (await online.players.profile(players[1]))["ratings"] == []

    in_a_loop(test())


def test_a_rematch_is_set_up_with_its_acceptance(database: str) -> None:
    async def test() -> None:
        async with process(database) as online:
            players = await create_pair(online)
            game = await begun(online, players)
            for who, what in (
                (0, action_request("resign")),
                (0, action_request("offer", what="rematch")),
                (1, action_request("accept", what="rematch")),
            ):
                await online.perform(game.id, players[who], what)
            again = (await online.channel(game.id)).game.rematch
            assert again is not None
            kept = [event for event, _ in await online.store.read_events(again)]
            other = t.fold(again, kept)
            assert (other.w, other.b) == (players[1].id, players[0].id)
            await play(online, again, (players[1], players[0]), 2)

    in_a_loop(test())


def test_lists_show_own_games_and_hide_links(database: str) -> None:
    async def test() -> None:
        time = FakeClock()
        async with process(database, time) as online:
            players = await create_pair(online)
            ada, blaise = players
            hidden = await online.create_game(ada, e.GameSetup(game="chefa"))
            shown = await online.create_game(ada, e.GameSetup(game="badia", open=True, clock=LIVE))
            started = await begun(online, players)
            await play(online, started.id, players, 1)
            time.advance(1000)
            latest = await begun(online, players)
            time.advance(1000)
            over = await begun(online, players)
            await online.perform(over.id, blaise, action_request("resign"))
            assert [entry["id"] for entry in await online.queries.lobby()] == [shown.id]
            found = [
                x["id"] for x in await online.queries.player_games(ada.id, ada.id, False, None)
            ]
            assert found[0] == latest.id
            assert set(found) == {hidden.id, shown.id, started.id, latest.id}
            # The link of a waiting game gives a seat, and games between friends are private.
            for you, games in ((None, [over]), (blaise.id, [started, latest, over])):
                seen = await online.queries.player_games(ada.id, you, None, None)
                assert {x["id"] for x in seen} == {game.id for game in games}
            (done,) = await online.queries.player_games(ada.id, ada.id, True, None)
            assert done["result"]["winner"] == "w"
            assert done["your"] == "w"
            assert await online.queries.player_games(ada.id, ada.id, True, done["updated"]) == []
            for _ in range(MAX_LOBBY_GAMES - 1):
                await online.create_game(ada, e.GameSetup(game="chefa", open=True))
            with pytest.raises(DamierError) as caught:
                await online.create_game(ada, e.GameSetup(game="chefa", open=True))
            assert caught.value.key == "too-many-tables"

    in_a_loop(test())


def test_abandoned_games_and_closed_players(database: str) -> None:
    async def test() -> None:
        time = FakeClock()
        async with process(database, time) as online:
            ada, secret = await online.players.create("Ada")
            blaise, _ = await online.players.create("Blaise")
            waiting = await online.create_game(ada, e.GameSetup(game="chefa", open=True))
            time.advance(8 * DAY)
            await Sweeper(online).end_expired_games()
            assert (await online.channel(waiting.id)).game.status == "aborted"
            assert await online.queries.lobby() == []
            game = await begun(online, (ada, blaise), e.NoClock())
            assert await online.close_player(ada.id) == 1
            assert (await online.channel(game.id)).game.status == "aborted"
            with pytest.raises(DamierError) as caught:
                await online.players.by_secret(secret)
            assert caught.value.key == "identity-closed"
            assert (await online.players.by_id(ada.id)).name == "Ada"  # games still show the name

    in_a_loop(test())


def test_the_migrations_make_what_the_code_expects(database: str) -> None:
    def differences(connection: Connection) -> object:
        migrations.run(connection)  # nothing is left to do
        context = MigrationContext.configure(connection)
        return compare_metadata(context, metadata)

    async def test() -> None:
        async with process(database) as online, online.store.transaction() as connection:
            assert await connection.run_sync(differences) == []

    in_a_loop(test())


def test_processes_can_start_at_the_same_time(database: str) -> None:
    async def one() -> None:
        async with process(database) as online:
            sweeper = Sweeper(online)
            await FairPlayGuard(online).start()
            await sweeper.start()
            await sweeper.stop()

    async def test() -> None:
        await asyncio.gather(*(one() for _ in range(4)))
        async with process(database) as online:
            rows = await online.store.fetch(select(settings.c.name).order_by(settings.c.name))
            assert [name for (name,) in rows] == ["pulse"]

    in_a_loop(test())


def test_the_row_of_a_game_agrees_with_its_events(database: str) -> None:
    async def test() -> None:
        async with process(database) as online:
            players = await create_pair(online)
            game = await begun(online, players, rated=True)
            await play(online, game.id, players, 5)
            await online.perform(game.id, players[1], action_request("resign"))
            kept = [event for event, _ in await online.store.read_events(game.id)]
            (row,) = await online.store.fetch(select(games).where(games.c.id == game.id))
            assert row._asdict() == store_module.game_row(t.fold(game.id, kept))
            (count,) = await online.store.fetch(select(func.count()).select_from(events))
            assert count[0] == len(kept) == 2 + 5 + 3

    in_a_loop(test())


def test_a_live_game_leaves_the_lobby_with_its_creator(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service_module, "ABANDONED_LOBBY_TIMEOUT_S", 0.1)

    async def test() -> None:
        async with process(database) as online:
            ada, _ = await create_pair(online)
            live = await online.create_game(ada, e.GameSetup(game="chefa", open=True, clock=LIVE))
            days = await online.create_game(
                ada, e.GameSetup(game="chefa", open=True, clock=e.CorrespondenceClock(days=1))
            )
            for stays in (True, False):
                for game in (live, days):
                    channel, subscriber = await online.channel(game.id), FakeSubscriber()
                    channel.followers[subscriber] = None
                    online.presence_changed(channel)
                    del channel.followers[subscriber]
                    online.presence_changed(channel)
                    if stays:  # a page that is reloaded
                        channel.followers[subscriber] = None
                if stays:
                    await asyncio.sleep(0.3)
                else:
                    await wait_until(lambda: online.hub.channels[live.id].game.status == "aborted")
                for game in (live, days):
                    (await online.channel(game.id)).followers.clear()
                left = {entry["id"] for entry in await online.queries.lobby()}
                assert left == ({live.id, days.id} if stays else {days.id})

    in_a_loop(test())


def test_sqlite_syncs_before_acknowledging(sqlite: str) -> None:
    async def test() -> None:
        async with process(sqlite) as online, online.store.transaction() as connection:
            said = [
                (await connection.exec_driver_sql(f"PRAGMA {name}")).scalar()
                for name in ("journal_mode", "synchronous")
            ]
            assert said == ["wal", 2]  # FULL

    in_a_loop(test())


def test_a_secret_changed_on_another_process_is_invalid(database: str) -> None:
    async def test() -> None:
        async with process(database) as one, process(database) as two:
            ada, secret = await one.players.create("Ada")
            subscriber = FakeSubscriber()
            subscriber.player, subscriber.secret_hash = (
                await two.players.by_secret(secret),
                hash_secret(secret),
            )
            two.hub.add_subscriber(subscriber)
            await Sweeper(two).sync()
            assert subscriber.received == []
            await one.players.new_secret(ada)
            await Sweeper(two).sync()
            assert subscriber.received == ["secret"]
            with pytest.raises(DamierError):
                await two.players.by_secret(secret)

    in_a_loop(test())


# ---- processes that hear each other --------------------------------------------------------------


class FakeSubscriber:
    """Subscriber that records what it receives."""

    def __init__(self) -> None:
        self.player: Player | None = None
        self.language, self.address, self.secret_hash, self.connected_at = "en", "", "", 0
        self.channels: dict[str, GameChannel] = {}
        self.received: list[str] = []

    def send(self, text: str) -> None:
        self.received.append(text)

    def disconnect(self, reason: str) -> None:
        self.received.append(reason)


def test_a_process_is_notified_of_events_of_another(postgresql: str) -> None:
    async def test() -> None:
        async with process(postgresql) as one, process(postgresql) as two:
            listening = [PgListener(one), PgListener(two)]
            for one_ in listening:
                await one_.start()
            await wait_until(lambda: all(listener.is_listening for listener in listening))
            players = await create_pair(one)
            game = await begun(one, players)
            channel, subscriber = await two.channel(game.id), FakeSubscriber()
            channel.followers[subscriber] = None
            two.presence_changed(channel)
            await play(one, game.id, players, 3)
            await wait_until(lambda: channel.game.gameplay.ply == 3)
            assert sum('"kind":"turn"' in text for text in subscriber.received) == 3
            channel = await one.channel(game.id)
            await wait_until(lambda: channel.presence()["watchers"] == 1)
            for one_ in listening:
                await one_.stop()

    in_a_loop(test())


def test_missed_notifications_are_made_up_by_polling(database: str) -> None:
    async def test() -> None:
        async with process(database) as one, process(database) as two:
            players = await create_pair(one)
            game = await begun(one, players)
            channel, subscriber = await two.channel(game.id), FakeSubscriber()
            channel.followers[subscriber] = None
            await play(one, game.id, players, 2)
            await Sweeper(two).sync()
            assert channel.game.gameplay.ply == 2
            assert sum('"kind":"turn"' in text for text in subscriber.received) == 2

    in_a_loop(test())


# ---- a database in trouble -----------------------------------------------------------------------


def test_a_lost_database_connection_is_restored(cluster: Cluster, postgresql: str) -> None:
    async def test() -> None:
        async with process(postgresql) as online:
            players = await create_pair(online)
            game = await begun(online, players)
            await asyncio.to_thread(cluster.stop)
            try:
                with pytest.raises(StoreUnavailable):
                    await play(online, game.id, players, 1)
                with pytest.raises(StoreUnavailable):
                    await online.store.read_events(game.id)
            finally:
                await asyncio.to_thread(cluster.start)
            await play(online, game.id, players, 2)
            assert (await online.channel(game.id)).game.gameplay.ply == 2

    in_a_loop(test())


def test_a_locked_or_full_database_raises_an_error_and_recovers(
    sqlite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "SQLITE_LOCK_TIMEOUT_S", 0.2)
    path = sqlite.partition("///")[2]

    async def test() -> None:
        async with process(sqlite) as online:
            players = await create_pair(online)
            game = await begun(online, players)
            with closing(sqlite3.connect(path, isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                with pytest.raises(StoreUnavailable, match="locked"):
                    await play(online, game.id, players, 1)
                assert await online.store.read_events(game.id)  # who only looks is not kept out
                other.execute("ROLLBACK")
            await play(online, game.id, players, 1)
            async with online.store.transaction() as connection:
                pages = (await connection.exec_driver_sql("PRAGMA page_count")).scalar()
                await connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")
            with pytest.raises(StoreUnavailable, match="full"):
                await play(online, game.id, players, 200)
            ply = (await online.channel(game.id)).game.gameplay.ply
            kept = t.fold(game.id, [event for event, _ in await online.store.read_events(game.id)])
            assert kept.gameplay.ply == ply  # nothing is believed that was not written
            async with online.store.transaction() as connection:
                await connection.exec_driver_sql("PRAGMA max_page_count=1000000")
            await play(online, game.id, players, 1)

    in_a_loop(test())
