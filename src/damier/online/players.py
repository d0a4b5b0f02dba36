"""Identities: a random secret that a browser keeps, a name, and nothing else. No accounts."""

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
from damier.online.events import LONGEST_NAME
from damier.online.store import Store
from damier.online.strength import PROVISIONAL

SECRET_BYTES = 24  # 32 characters
_SECRET = re.compile(r"[A-Za-z0-9_-]{32}")
REMEMBERED, MOST_REMEMBERED = 10_000, 20_000  # milliseconds, players


@dataclass(frozen=True)
class Player:
    """Who plays: what others may know."""

    id: str
    name: str
    bot: bool
    created: int


class Unknown(DamierError):
    """No such identity, or none that may act."""


def hashed(secret: str) -> str:
    """Return what is kept of a secret: it is random, so that a plain hash hides it."""
    return hashlib.sha256(secret.encode()).hexdigest()


def tidy(name: str) -> str:
    """Return a name as it is shown: printable, without needless space."""
    shown = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    if not shown or len(shown) > LONGEST_NAME:
        raise DamierError("name", most=LONGEST_NAME)
    return shown


class Players:
    """The identities in the database, with a short memory."""

    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store, self._now = store, now
        self._by_secret: OrderedDict[str, tuple[int, Player]] = OrderedDict()
        self._by_id: OrderedDict[str, tuple[int, Player]] = OrderedDict()
        self._strengths: dict[tuple[str, ...], tuple[int, dict[str, Any]]] = {}

    async def create(self, name: str, bot: bool = False) -> tuple[Player, str]:
        """Return a new identity and its secret, which nobody else will ever know."""
        secret = secrets.token_urlsafe(SECRET_BYTES)
        player = Player(secrets.token_urlsafe(9), tidy(name), bot, self._now())
        row = {
            "id": player.id, "secret": hashed(secret), "name": player.name, "bot": bot,
            "created": player.created,
        }  # fmt: skip
        async with self._store.writing() as connection:
            await connection.execute(insert(identities).values(row))
        return player, secret

    async def by_secret(self, secret: str) -> Player:
        """Return whose secret this is, or raise Unknown."""
        if not _SECRET.fullmatch(secret):
            raise Unknown("identity")
        key = hashed(secret)
        known = _recalled(self._by_secret, key, self._now())
        if known is not None:
            return known
        rows = await self._find(identities.c.secret == key)
        if not rows:
            raise Unknown("identity")
        ((player, closed),) = rows
        if closed:
            raise Unknown("identity-closed")
        _remember(self._by_secret, key, player, self._now())
        _remember(self._by_id, player.id, player, self._now())
        return player

    async def keys(self, players: list[str]) -> dict[str, str | None]:
        """Return the hashes of the secrets of some identities; None where one is closed.

        What is remembered of them is forgotten: somebody looks whether it still holds.
        """
        c = identities.c
        asked = select(c.id, c.secret, c.closed).where(c.id.in_(players))
        found = {
            row.id: None if row.closed else row.secret for row in await self._store.rows(asked)
        }
        for key in [k for k, (_, one) in self._by_secret.items() if found.get(one.id, k) != k]:
            del self._by_secret[key]
        return found

    async def by_id(self, player: str) -> Player:
        """Return an identity, or raise DamierError."""
        found = await self.named([player])
        if player not in found:
            raise DamierError("no-player", player=player)
        return found[player]

    async def named(self, players: Iterable[str]) -> dict[str, Player]:
        """Return some identities by their ids."""
        found, missing = {}, []
        for player in set(players):
            known = _recalled(self._by_id, player, self._now())
            if known is None:
                missing.append(player)
            else:
                found[player] = known
        for one, _ in await self._find(identities.c.id.in_(missing)) if missing else ():
            _remember(self._by_id, one.id, one, self._now())
            found[one.id] = one
        return found

    async def rename(self, player: Player, name: str) -> Player:
        """Give an identity another name."""
        renamed = Player(player.id, tidy(name), player.bot, player.created)
        await self._change(player, name=renamed.name)
        return renamed

    async def new_secret(self, player: Player) -> str:
        """Give an identity another secret: the old one opens nothing any more."""
        secret = secrets.token_urlsafe(SECRET_BYTES)
        await self._change(player, secret=hashed(secret))
        return secret

    async def close(self, player: Player) -> None:
        """Let nobody act as an identity any more."""
        await self._change(player, closed=self._now())

    async def _change(self, player: Player, **values: object) -> None:
        async with self._store.writing() as connection:
            await connection.execute(
                update(identities).where(identities.c.id == player.id).values(values)
            )
        self._by_id.pop(player.id, None)
        for key in [k for k, (_, known) in self._by_secret.items() if known.id == player.id]:
            del self._by_secret[key]

    async def _find(self, condition: Any) -> list[tuple[Player, bool]]:
        """Return identities, and of each whether it is closed."""
        c = identities.c
        asked = select(c.id, c.name, c.bot, c.created, c.closed).where(condition)
        rows = await self._store.rows(asked)
        return [(Player(*row[:4]), row.closed is not None) for row in rows]

    # ---- what a player's page shows ----

    async def strengths(self, players: Iterable[str], game: str, pace: str) -> dict[str, Any]:
        """Return the ratings of some players for a game and pace, by player: as of late."""
        key = (game, pace, *sorted(players))
        then, found = self._strengths.get(key, (0, None))
        if found is None or self._now() - then >= REMEMBERED:
            found = (await self.all_strengths(players)).get((game, pace), {})
            self._strengths[key] = self._now(), found
            while len(self._strengths) > MOST_REMEMBERED:
                self._strengths.pop(next(iter(self._strengths)))
        return found

    def forget_strengths(self, players: Iterable[str], game: str, pace: str) -> None:
        """Note that ratings have changed."""
        self._strengths.pop((game, pace, *sorted(players)), None)

    async def all_strengths(self, players: Iterable[str]) -> dict[tuple[str, str], dict[str, Any]]:
        """Return all ratings of some players, by game and pace, then by player."""
        c = ratings.c
        asked = select(c.identity, c.game, c.pace, c.points, c.deviation)
        found: dict[tuple[str, str], dict[str, Any]] = {}
        for row in await self._store.rows(asked.where(c.identity.in_(list(players)))):
            found.setdefault((row.game, row.pace), {})[row.identity] = row
        return found

    async def described(self, player: Player) -> dict[str, Any]:
        """Return a player with ratings and results."""
        c = ratings.c
        mine = select(c.game, c.pace, c.points, c.deviation, c.games).where(c.identity == player.id)
        rated = [
            {
                "game": row.game, "pace": row.pace, "points": round(row.points),
                "deviation": round(row.deviation), "games": row.games,
                "provisional": row.deviation > PROVISIONAL,
            }
            for row in await self._store.rows(mine.order_by(c.game, c.pace))
        ]  # fmt: skip
        results = [
            {"game": row.game, "won": row.won, "drawn": row.drawn, "lost": row.lost}
            for row in await self._store.rows(_RESULTS.params(player=player.id))
        ]
        return {
            "id": player.id, "name": player.name, "bot": player.bot, "created": player.created,
            "ratings": rated, "results": results,
        }  # fmt: skip


def _results() -> Select[Any]:
    """Return the question how many games a player has won, drawn and lost."""
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
            seats.c.game, won.label("won"), drawn.label("drawn"),
            (func.count() - won - drawn).label("lost"),
        )
        .group_by(seats.c.game)
        .order_by(seats.c.game)
    )  # fmt: skip


_RESULTS = _results()  # asked whenever somebody comes


def _recalled(memory: OrderedDict[str, tuple[int, Player]], key: str, now: int) -> Player | None:
    then, player = memory.get(key, (0, None))
    return player if player is not None and now - then < REMEMBERED else None


def _remember(
    memory: OrderedDict[str, tuple[int, Player]], key: str, player: Player, now: int
) -> None:
    memory[key] = now, player
    while len(memory) > MOST_REMEMBERED:
        memory.popitem(last=False)
