"""Update of the players' ratings at the end of a rated game, per game and pace.

Of games between identities of one address, which may be one person, the first of a day counts in
full, and each further one half as much as the one before: together less than two games.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from damier.learning.ratings import DRAW, LOSS, WIN, Rating
from damier.online import events as e
from damier.online.clock import DAY
from damier.online.database import client_addresses, games, ratings
from damier.online.reducer import OnlineGame

PROVISIONAL_DEVIATION = 110.0  # a rating with a larger deviation is provisional


async def update_ratings(connection: AsyncConnection, game: OnlineGame) -> e.RatingsChanged | None:
    """Store the ratings after a finished game and return the event; None if they do not change."""
    if game.w is None or game.b is None or game.w == game.b:
        return None
    category = (ratings.c.game == game.rules.name) & (ratings.c.pace == game.pace)
    query = select(ratings).where(category, ratings.c.identity.in_((game.w, game.b)))
    query = query.order_by(ratings.c.identity).with_for_update()
    rows = {row.identity: row for row in await connection.execute(query)}
    before = {player: _rating(rows.get(player)) for player in (game.w, game.b)}
    score = DRAW if game.winner is None else WIN if game.winner == "w" else LOSS
    after = {
        game.w: before[game.w].after([(before[game.b], score)]),
        game.b: before[game.b].after([(before[game.w], 1 - score)]),
    }
    if await _share_address(connection, game.w, game.b):
        for player, rating in after.items():
            count = await _games_at_address(connection, player, game.updated - DAY)
            after[player] = _between(before[player], rating, 0.5**count)
    for player, rating in sorted(after.items()):
        values = {
            "points": rating.points,
            "deviation": rating.deviation,
            "volatility": rating.volatility,
            "updated": game.updated,
        }
        if player in rows:
            own_row = category & (ratings.c.identity == player)
            new_values = {**values, "games": rows[player].games + 1}
            await connection.execute(update(ratings).where(own_row).values(new_values))
        else:
            key = {"identity": player, "game": game.rules.name, "pace": game.pace, "games": 1}
            await connection.execute(insert(ratings).values(key | values))
    changes = {
        side: e.RatingChange(
            before=_rating_value(before[player]), after=_rating_value(after[player])
        )
        for side, player in (("w", game.w), ("b", game.b))
    }
    return e.RatingsChanged(
        version=game.version + 1, at=game.updated, w=changes["w"], b=changes["b"]
    )


async def _share_address(connection: AsyncConnection, one: str, other: str) -> bool:
    """Return whether two players have played from the same address lately."""
    w = client_addresses.c
    addresses = select(w.address).where(w.identity == one)
    query = select(w.identity).where(w.identity == other, w.address.in_(addresses)).limit(1)
    return (await connection.execute(query)).first() is not None


async def _games_at_address(connection: AsyncConnection, player: str, since: int) -> int:
    """Return how many rated games a player has ended at one address since a time."""
    w, g = client_addresses.c, games.c
    addresses = select(w.address).where(w.identity == player)
    others = select(w.identity).where(w.address.in_(addresses))
    pair = ((g.white == player) & g.black.in_(others)) | ((g.black == player) & g.white.in_(others))
    query = select(func.count()).where(pair, g.rated, g.status == "over", g.updated > since)
    return (await connection.execute(query)).scalar_one()


def _between(before: Rating, after: Rating, weight: float) -> Rating:
    """Return a rating between two others; at `weight` 1 the second one."""

    def mean(old: float, new: float) -> float:
        return old + weight * (new - old)

    return Rating(
        mean(before.points, after.points),
        mean(before.deviation, after.deviation),
        mean(before.volatility, after.volatility),
    )


def _rating(row: Any) -> Rating:
    return Rating() if row is None else Rating(row.points, row.deviation, row.volatility)


def _rating_value(rating: Rating) -> e.RatingValue:
    return e.RatingValue(points=round(rating.points, 2), deviation=round(rating.deviation, 2))
