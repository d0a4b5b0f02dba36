"""Fairness among addresses: the lobby, reconnections, ratings, IPv6."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from sqlalchemy import select

from damier.errors import DamierError
from damier.learning.ratings import Rating
from damier.online import events as e
from damier.online.address_hashes import ROTATION_MS
from damier.online.clock import HOUR
from damier.online.database import client_addresses
from damier.online.fair_play import FairPlayGuard
from damier.online.game_queries import MAX_LOBBY_GAMES_PER_ADDRESS
from damier.online.limits import RATES, Rate, RateLimiter
from damier.online.service import OnlineService
from damier.web.addresses import network_of
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


def test_an_ipv6_client_is_its_network() -> None:
    assert network_of("2001:db8:1:2:3:4:5:6") == network_of("2001:db8:1:2:ffff::1")
    assert network_of("2001:db8:1:2::1") != network_of("2001:db8:1:3::1")
    assert network_of("::ffff:10.0.0.1") == network_of("10.0.0.1") == "10.0.0.1"
    assert network_of("10.0.0.1") != network_of("10.0.0.2")
    assert network_of("::1") == "::1"
    assert network_of("fe80::1%eth0") == network_of("fe80::2")
    assert network_of("testclient") == "testclient"


async def fill_lobby(online: OnlineService, time: FakeClock, address: str, games: int) -> int:
    """Create lobby games by new identities at one address; return how many were accepted."""
    for count in range(games):
        time.advance(1)
        player, _ = await online.players.create(f"P{count}")
        try:
            await online.create_game(player, e.GameSetup(game="chefa", open=True), address)
        except DamierError as error:
            assert error.key == "lobby-full"
            return count
    return games


def test_one_address_does_not_fill_the_lobby(database: str) -> None:
    async def test() -> None:
        time = FakeClock()
        async with process(database, time) as online:
            early = await fill_lobby(online, time, "10.0.0.9", 1)
            assert early == 1
            assert await fill_lobby(online, time, "10.0.0.1", 60) == MAX_LOBBY_GAMES_PER_ADDRESS
            for last in range(2, 6):  # more addresses of one attacker
                await fill_lobby(online, time, f"10.0.0.{last}", MAX_LOBBY_GAMES_PER_ADDRESS)
            time.advance(1)
            ada, _ = await online.players.create("Ada")
            await online.create_game(ada, e.GameSetup(game="chefa", open=True), "10.0.1.1")
            shown = await online.queries.lobby()
            assert len(shown) == 50
            first = {entry["creator"]["name"] for entry in shown[:7]}
            assert {"Ada", "P0"} <= first  # the newest of each address comes first
            # A game that begins makes room.
            blaise, _ = await online.players.create("Blaise")
            taken = next(entry for entry in shown if entry["creator"]["name"] == "P19")
            await online.join_game(taken["id"], blaise)
            assert await fill_lobby(online, time, "10.0.0.5", 3) == 1

    in_a_loop(test())


def test_ratings_are_damped_among_identities_of_one_address(database: str) -> None:
    async def test() -> None:
        async with process(database) as online:
            await FairPlayGuard(online).start()
            ada, _ = await create_pair(online)
            guard = online.fair_play
            assert guard is not None

            async def win(other: str) -> float:
                """Let Ada win a rated game against a new identity; return the new rating."""
                loser, _ = await online.players.create("Loser")
                game = await begun(online, (ada, loser), rated=True)
                await guard.record(game, ada.id, "10.0.0.1")
                await guard.record(game, loser.id, other)
                await play(online, game.id, (ada, loser), 2)
                await online.perform(game.id, loser, action_request("resign"))
                rows = await online.players.all_ratings([ada.id])
                points: float = rows["chefa", "live"][ada.id].points
                return points

            first = await win("10.0.0.1")
            assert first == pytest.approx(Rating().after([(Rating(), 1.0)]).points, abs=0.01)
            gains = [first - 1500]
            before = first
            for _ in range(9):
                after = await win("10.0.0.1")
                gains.append(after - before)
                before = after
            assert all(b < 0.75 * a for a, b in pairwise(gains)), gains
            assert before - 1500 < 2 * gains[0]
            elsewhere = await win("10.0.0.2")
            assert elsewhere - before > 20  # others count in full

    in_a_loop(test())


def test_players_of_one_address_are_recognised_after_the_salt_has_changed(database: str) -> None:
    async def test() -> None:
        time = FakeClock()
        async with process(database, time) as online:
            await FairPlayGuard(online).start()
            players = await create_pair(online)
            guard = online.fair_play
            assert guard is not None
            game = await begun(online, players, rated=True)
            time.advance(ROTATION_MS - HOUR)
            await guard.record(game, players[0].id, "10.0.0.1")
            time.advance(2 * HOUR)
            for player in players:
                await guard.record(game, player.id, "10.0.0.1")
            rows = await online.store.fetch(
                select(client_addresses.c.identity, client_addresses.c.address)
            )
            hashes = {player.id: {h for i, h in rows if i == player.id} for player in players}
            assert hashes[players[0].id] & hashes[players[1].id]

    in_a_loop(test())


@pytest.fixture
def strict_server(database: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[OnlineTestServer]:
    monkeypatch.setitem(RATES, "identities", Rate(1e6, 1e6))  # not what is tested
    # Time stands still for the limits: how fast this machine connects makes no difference.
    server = OnlineTestServer(database, limits=RateLimiter(now=lambda: 0.0))
    yield server
    server.close()


def test_a_school_behind_one_address_returns_at_once(strict_server: OnlineTestServer) -> None:
    server = strict_server
    pupils = 2 * int(RATES["sockets"].burst)
    secrets = [server.create_identity(f"P{n}")["secret"] for n in range(pupils)]
    connections = []
    for secret in secrets:  # each is accepted at once
        connections.append(server.connect(secret))
    # Visitors without an identity, and those with a wrong one, are limited.
    reasons = []
    for _ in range(int(RATES["sockets"].burst) + 20):
        connection = server.connect(hello=False)
        connection.send(type="hello", secret=None, language="en")
        if connection.receive()["type"] == "welcome":
            connections.append(connection)
        else:
            reasons.append(connection.read_close_reason())
    assert len(reasons) == 20
    for connection in connections:
        connection.socket.close()
