"""Privacy: deletion and export of an identity, names, hashes of addresses."""

import json
import stat
from pathlib import Path

import pytest
from sqlalchemy import func, select

from damier.errors import DamierError
from damier.online import events as e
from damier.online import reducer
from damier.online.address_hashes import ROTATION_MS, AddressHashes
from damier.online.clock import DAY
from damier.online.database import client_addresses, events, games, identities, ratings, settings
from damier.online.database import lines as lines_table
from damier.online.fair_play import FairPlayGuard
from damier.online.models import IdentityExport
from damier.online.names import normalize_name
from damier.online.privacy import delete_identity, export_identity
from damier.online.sweeper import Sweeper
from tests.support.online_client import (
    START,
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


def test_a_deleted_identity_leaves_no_trace(database: str) -> None:
    async def test() -> None:
        async with process(database) as online:
            players = await create_pair(online)
            ada, blaise = players
            await FairPlayGuard(online).start()
            over = await begun(online, players, rated=True)
            await play(online, over.id, players, 3)
            await online.perform(over.id, blaise, action_request("resign"))
            running = await begun(online, players, rated=True)
            await play(online, running.id, players, 2)
            assert online.fair_play is not None
            await online.fair_play.record(running, ada.id, "10.0.0.1")
            waiting = await online.create_game(
                ada, e.GameSetup(game="chefa", open=True), "10.0.0.1"
            )
            await delete_identity(online, ada)
            statuses = {}
            for game in (over, running, waiting):
                kept = [event for event, _ in await online.store.read_events(game.id)]
                folded = reducer.fold(game.id, kept)
                assert folded == (await online.channel(game.id)).game
                statuses[game.id] = folded.status, folded.winner
                assert ada.id not in (folded.w, folded.b, folded.creator)
            assert statuses[over.id] == ("over", "w")
            assert statuses[running.id] == ("over", "b")  # left like this, the opponent wins
            assert statuses[waiting.id][0] == "aborted"
            view = await online.game_view(await online.channel(over.id), blaise)
            assert view["seats"]["w"]["name"] == "deleted player"
            assert view["seats"]["b"]["name"] == "Blaise"
            for table in (events, games, identities, ratings, client_addresses):
                rows = await online.store.fetch(select(table))
                assert ada.id not in str(rows), table.name
                assert "Ada" not in str(rows), table.name
            rated = await online.store.fetch(select(ratings.c.identity, ratings.c.games))
            assert [tuple(row) for row in rated] == [(blaise.id, 2)]
            # The opponent's results and ratings are kept.
            profile = await online.players.profile(blaise)
            assert profile["results"][0] | {"game": "chefa"} == {
                "game": "chefa",
                "won": 1,
                "drawn": 0,
                "lost": 1,
            }
            with pytest.raises(DamierError):
                await online.players.by_id(ada.id)
        async with process(database) as online:  # after a restart as well
            assert (await online.channel(over.id)).game.w == e.DELETED_PLAYER

    in_a_loop(test())


def test_the_name_of_a_deleted_identity_is_in_no_file_of_the_database(tmp_path: Path) -> None:
    async def test() -> None:
        async with process(f"sqlite+aiosqlite:///{tmp_path / 'online.sqlite'}") as online:

            def files_with(text: str) -> list[str]:
                names = [path for path in tmp_path.iterdir() if path.suffix != ".lock"]
                return [path.name for path in names if text.encode() in path.read_bytes()]

            player, _ = await online.players.create("Zanzibar Quokka")
            await online.create_game(player, e.GameSetup(game="chefa"))
            await online.store.erase_deleted_data()
            assert files_with(player.name)
            await delete_identity(online, player)
            assert not files_with(player.name)
            assert not files_with(player.id)

    in_a_loop(test())


def test_conditional_moves_end_with_their_game(database: str) -> None:
    async def test() -> None:
        async with process(database) as online:
            players = await create_pair(online)
            for ending in ("resign", "delete"):
                game = await begun(online, players, e.CorrespondenceClock(days=1))
                plans = action_request("lines", name=ending, lines=[["a1", "a2"]])
                await online.perform(game.id, players[1], plans)
                assert await online.store.fetch(select(lines_table))
                if ending == "resign":
                    await online.perform(game.id, players[0], action_request("resign"))
                else:
                    await delete_identity(online, players[0])
                assert not await online.store.fetch(select(lines_table))

    in_a_loop(test())


def test_an_export_has_everything_that_is_stored(database: str) -> None:
    async def test() -> None:
        async with process(database) as online:
            players = await create_pair(online)
            clock = e.CorrespondenceClock(days=1)
            made = [await begun(online, players, clock) for _ in range(3)]
            await play(online, made[0].id, players, 3)
            lines = [["a1", "a2"]]
            game = made[1]
            await online.perform(game.id, players[1], action_request("lines", lines=lines))
            for player, side in zip(players, "wb", strict=True):
                text = "".join([part async for part in export_identity(online, player)])
                export = IdentityExport.model_validate(json.loads(text))
                assert export.player.name == player.name
                assert {entry.id for entry in export.games} == {game.id for game in made}
                assert {entry.side for entry in export.games} == {side}
                by_id = {entry.id: entry for entry in export.games}
                assert by_id[game.id].lines == (lines if side == "b" else [])
                stored = [event for event, _ in await online.store.read_events(made[0].id)]
                assert by_id[made[0].id].events == stored

    in_a_loop(test())


def test_deletion_and_export_over_http(tmp_path: Path) -> None:
    server = OnlineTestServer(f"sqlite+aiosqlite:///{tmp_path / 'x.sqlite'}")
    try:
        made = server.create_identity("Ada")
        with server.connect(made["secret"]) as line:
            status, data = server.request("me/data", None, made["secret"], get=True)
            assert (status, data["player"]["name"], data["games"]) == (200, "Ada", [])
            assert server.request("me", None, made["secret"], method="DELETE")[0] == 204
            assert line.read_close_reason()[0] == "closed"
        for path in ("me", "me/data"):
            assert server.request(path, None, made["secret"], get=True)[0] == 401
        assert server.request(f"players/{made['id']}", get=True)[0] == 404
        assert server.request("me", None, "x" * 32, method="DELETE")[0] == 401
    finally:
        server.close()


def test_games_between_friends_are_listed_to_their_players_only(database: str) -> None:
    async def test() -> None:
        async with process(database) as online:
            players = await create_pair(online)
            eve, _ = await online.players.create("Eve")
            private = await begun(online, players)
            public = await begun(online, players, open=True)

            async def listed(reader: str | None, over: bool) -> set[str]:
                shown = await online.queries.player_games(players[0].id, reader, over, None)
                return {game["id"] for game in shown}

            for reader in (eve.id, None):
                assert await listed(reader, False) == {public.id}
            assert await listed(players[0].id, False) == {private.id, public.id}
            for game in (private, public):
                await play(online, game.id, players, 2)
                await online.perform(game.id, players[1], action_request("resign"))
            assert await listed(None, True) == {private.id, public.id}

    in_a_loop(test())


# ---- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("  Ada\n Lovelace ", "Ada Lovelace"),
        ("Zoe\u0308", "Zoë"),
        ("Nguyễn Thị Bích", "Nguyễn Thị Bích"),
        ("नमस्ते", "नमस्ते"),
        ("ปิ่น", "ปิ่น"),
        ("عائشة", "عائشة"),
        ("A\u3164B", "A B"),
        ("\u202eAda\u2066", "Ada"),
        ("♥\ufe0f 7", "♥ 7"),
        ("李", "李"),
    ],
)
def test_visible_names_are_kept(name: str, shown: str) -> None:
    assert normalize_name(name) == shown


@pytest.mark.parametrize(
    "name",
    [
        "\u3164",
        "\u2800\u2800",
        "\u115f\u1160",
        "\uffa0",
        "\u200b\u200d\u2060",
        "\u00ad",
        "\ufe0f",
        "\u034f",
        "\U000e0041\U000e0100",
        " ",
        "",
        "...",
        "\u0301",
        "A \u0301\u0302",
        "A" + "\u0301\u0302\u0303\u0304" * 3,
        "Z\u0351\u036b\u0343\u036a\u0302a",
        "x" * 31,
    ],
)
def test_invisible_and_stacked_names_are_refused(name: str) -> None:
    with pytest.raises(DamierError):
        normalize_name(name)


# ---- addresses -----------------------------------------------------------------------------------


def test_the_salt_is_outside_the_database_private_and_replaced(tmp_path: Path) -> None:
    path, time = tmp_path / "online.sqlite.salt", FakeClock()
    one, two = AddressHashes(path, time), AddressHashes(path, time)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    first = one.current("10.0.0.1")
    assert two.current("10.0.0.1") == first != one.current("10.0.0.2")
    time.advance(ROTATION_MS)
    second = two.current("10.0.0.1")
    assert second != first
    assert one.valid("10.0.0.1") == two.valid("10.0.0.1") == [second, first]
    time.advance(ROTATION_MS)
    assert first not in one.valid("10.0.0.1")
    salts = path.read_text()
    time.advance(5 * ROTATION_MS)
    assert len(one.valid("10.0.0.1")) == 1
    assert not set(json.loads(path.read_text())[0]) & set(map(str, json.loads(salts)[0]))
    path.write_text("damaged")
    time.advance(ROTATION_MS)
    assert len(two.current("10.0.0.1")) == 64


def test_no_address_and_no_salt_is_in_the_database(database: str) -> None:
    async def test() -> None:
        time = FakeClock(START)
        async with process(database, time) as online:
            players = await create_pair(online)
            guard = FairPlayGuard(online)
            await guard.start()
            game = await begun(online, players, rated=True)
            await guard.record(game, players[0].id, "10.0.0.1")
            await online.create_game(players[0], e.GameSetup(game="chefa", open=True), "10.0.0.1")
            rows = await online.store.fetch(select(client_addresses))
            stored = str(rows) + str(await online.store.fetch(select(games.c.origin)))
            assert online.addresses.current("10.0.0.1") in stored
            assert "10.0.0.1" not in stored
            assert "salt" not in str(await online.store.fetch(select(settings)))
            time.advance(2 * DAY)
            sweeper = Sweeper(online)
            await sweeper._delete_expired_addresses()
            count = select(func.count()).select_from(client_addresses)
            assert (await online.store.fetch(count))[0][0] == 0

    in_a_loop(test())
