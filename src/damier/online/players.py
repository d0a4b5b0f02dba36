"""Player identities: a random secret stored by the browser, and a name. There are no accounts."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BindParameter,
    Select,
    bindparam,
    case,
    func,
    insert,
    select,
    union_all,
    update,
)

from damier.errors import DamierError
from damier.online.database import games, identities, ratings
from damier.online.names import normalize_name
from damier.online.ratings import PROVISIONAL_DEVIATION
from damier.online.store import EventStore

SECRET_BYTES = 24  # 32 characters
_SECRET = re.compile(r"[A-Za-z0-9_-]{32}")
CACHE_TTL_MS, MAX_CACHED_PLAYERS = 10_000, 20_000  # milliseconds, players


@dataclass(frozen=True)
class Player:
    """The public data of an identity."""

    id: str
    name: str
    bot: bool
    created: int


class InvalidIdentity(DamierError):
    """The identity does not exist or was closed."""


def hash_secret(secret: str) -> str:
    """Return the stored hash of a secret. Secrets are random, so a hash without salt is enough."""
    return hashlib.sha256(secret.encode()).hexdigest()


class Players:
    """Repository of identities and ratings, with a short-lived cache."""

    def __init__(self, store: EventStore, now: Callable[[], int]) -> None:
        self._store, self._now = store, now
        self._by_secret: OrderedDict[str, tuple[int, Player]] = OrderedDict()
        self._by_id: OrderedDict[str, tuple[int, Player]] = OrderedDict()
        self._ratings: dict[tuple[str, ...], tuple[int, dict[str, Any]]] = {}

    async def create(self, name: str, bot: bool = False) -> tuple[Player, str]:
        """Create an identity; return it and its secret, of which only a hash is stored."""
        secret = secrets.token_urlsafe(SECRET_BYTES)
        player = Player(secrets.token_urlsafe(9), normalize_name(name), bot, self._now())
        row = {
            "id": player.id,
            "secret": hash_secret(secret),
            "name": player.name,
            "bot": bot,
            "created": player.created,
        }
        async with self._store.transaction() as connection:
            await connection.execute(insert(identities).values(row))
        return player, secret

    async def by_secret(self, secret: str) -> Player:
        """Return the identity of a secret, or raise InvalidIdentity."""
        if not _SECRET.fullmatch(secret):
            raise InvalidIdentity("identity")
        key = hash_secret(secret)
        cached = _cached_player(self._by_secret, key, self._now())
        if cached is not None:
            return cached
        rows = await self._find(identities.c.secret == key)
        if not rows:
            raise InvalidIdentity("identity")
        ((player, closed),) = rows
        if closed:
            raise InvalidIdentity("identity-closed")
        _cache(self._by_secret, key, player, self._now())
        _cache(self._by_id, player.id, player, self._now())
        return player

    async def secret_hashes(self, players: list[str]) -> dict[str, str | None]:
        """Return the current secret hashes of identities; None for a closed or deleted one.

        Outdated secrets are removed from the cache.
        """
        c = identities.c
        query = select(c.id, c.secret, c.closed).where(c.id.in_(players))
        hashes: dict[str, str | None] = dict.fromkeys(players)
        for row in await self._store.fetch(query):
            hashes[row.id] = None if row.closed else row.secret
        for key in [
            k for k, (_, identity) in self._by_secret.items() if hashes.get(identity.id, k) != k
        ]:
            del self._by_secret[key]
        return hashes

    async def by_id(self, player: str) -> Player:
        """Return an identity by its id, or raise DamierError."""
        result = await self.by_ids([player])
        if player not in result:
            raise DamierError("no-player", player=player)
        return result[player]

    async def by_ids(self, players: Iterable[str]) -> dict[str, Player]:
        """Return the identities that exist among some ids, by id."""
        result, missing = {}, []
        for player in set(players):
            cached = _cached_player(self._by_id, player, self._now())
            if cached is None:
                missing.append(player)
            else:
                result[player] = cached
        for identity, _ in await self._find(identities.c.id.in_(missing)) if missing else ():
            _cache(self._by_id, identity.id, identity, self._now())
            result[identity.id] = identity
        return result

    async def rename(self, player: Player, name: str) -> Player:
        """Change the name of an identity and return it."""
        renamed = Player(player.id, normalize_name(name), player.bot, player.created)
        await self._update(player, name=renamed.name)
        return renamed

    async def new_secret(self, player: Player) -> str:
        """Replace the secret of an identity and return the new one."""
        secret = secrets.token_urlsafe(SECRET_BYTES)
        await self._update(player, secret=hash_secret(secret))
        return secret

    async def close(self, player: Player) -> None:
        """Close an identity, so that its secret becomes invalid."""
        await self._update(player, closed=self._now())

    async def _update(self, player: Player, **values: object) -> None:
        async with self._store.transaction() as connection:
            await connection.execute(
                update(identities).where(identities.c.id == player.id).values(values)
            )
        self.forget(player)

    def forget(self, player: Player) -> None:
        """Remove an identity from the cache."""
        self._by_id.pop(player.id, None)
        for key in [k for k, (_, cached) in self._by_secret.items() if cached.id == player.id]:
            del self._by_secret[key]

    async def _find(self, condition: Any) -> list[tuple[Player, bool]]:
        """Return the identities that meet a condition, each with whether it is closed."""
        c = identities.c
        query = select(c.id, c.name, c.bot, c.created, c.closed).where(condition)
        rows = await self._store.fetch(query)
        return [(Player(*row[:4]), row.closed is not None) for row in rows]

    # ---- ratings and profiles ----

    async def ratings_of(self, players: Iterable[str], game: str, pace: str) -> dict[str, Any]:
        """Return the ratings of some players for a game and pace, by player; may be cached."""
        key = (game, pace, *sorted(players))
        cached_at, ratings_by_player = self._ratings.get(key, (0, None))
        if ratings_by_player is None or self._now() - cached_at >= CACHE_TTL_MS:
            ratings_by_player = (await self.all_ratings(players)).get((game, pace), {})
            self._ratings[key] = self._now(), ratings_by_player
            while len(self._ratings) > MAX_CACHED_PLAYERS:
                self._ratings.pop(next(iter(self._ratings)))
        return ratings_by_player

    def forget_ratings(self, players: Iterable[str], game: str, pace: str) -> None:
        """Remove ratings from the cache because they have changed."""
        self._ratings.pop((game, pace, *sorted(players)), None)

    async def all_ratings(self, players: Iterable[str]) -> dict[tuple[str, str], dict[str, Any]]:
        """Return all ratings of some players, by game and pace, then by player."""
        c = ratings.c
        query = select(c.identity, c.game, c.pace, c.points, c.deviation)
        result: dict[tuple[str, str], dict[str, Any]] = {}
        for row in await self._store.fetch(query.where(c.identity.in_(list(players)))):
            result.setdefault((row.game, row.pace), {})[row.identity] = row
        return result

    async def profile(self, player: Player) -> dict[str, Any]:
        """Return a player with ratings and results."""
        c = ratings.c
        query = select(c.game, c.pace, c.points, c.deviation, c.games).where(
            c.identity == player.id
        )
        rated = [
            {
                "game": row.game,
                "pace": row.pace,
                "points": round(row.points),
                "deviation": round(row.deviation),
                "games": row.games,
                "provisional": row.deviation > PROVISIONAL_DEVIATION,
            }
            for row in await self._store.fetch(query.order_by(c.game, c.pace))
        ]
        results = [
            {"game": row.game, "won": row.won, "drawn": row.drawn, "lost": row.lost}
            for row in await self._store.fetch(_RESULTS.params(player=player.id))
        ]
        return {
            "id": player.id,
            "name": player.name,
            "bot": player.bot,
            "created": player.created,
            "ratings": rated,
            "results": results,
        }


def _results() -> Select[Any]:
    """Return the query that counts the games a player has won, drawn and lost."""
    g = games.c
    player: BindParameter[str] = bindparam("player")
    seats = union_all(
        *(
            select(
                g.game,
                case((g.winner == side, 1), else_=0).label("won"),
                case((g.winner.is_(None), 1), else_=0).label("drawn"),
            ).where(seat == player, g.status == "over")
            for side, seat in (("w", g.white), ("b", g.black))
        )
    ).subquery()
    won, drawn = func.sum(seats.c.won), func.sum(seats.c.drawn)
    return (
        select(
            seats.c.game,
            won.label("won"),
            drawn.label("drawn"),
            (func.count() - won - drawn).label("lost"),
        )
        .group_by(seats.c.game)
        .order_by(seats.c.game)
    )


_RESULTS = _results()  # built once: it runs at every connection


def _cached_player(
    cache: OrderedDict[str, tuple[int, Player]], key: str, now: int
) -> Player | None:
    cached_at, player = cache.get(key, (0, None))
    return player if player is not None and now - cached_at < CACHE_TTL_MS else None


def _cache(cache: OrderedDict[str, tuple[int, Player]], key: str, player: Player, now: int) -> None:
    cache[key] = now, player
    while len(cache) > MAX_CACHED_PLAYERS:
        cache.popitem(last=False)
