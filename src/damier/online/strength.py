"""Ratings: how a rated game's end changes what its players are held to be, per game and pace."""

from __future__ import annotations

from typing import Any

from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from damier.online import events as e
from damier.online.database import ratings
from damier.online.table import Table
from damier.ratings import DRAW, LOSS, WIN, Rating

PROVISIONAL = 110.0  # a deviation above which a rating is a guess


async def rated_event(connection: AsyncConnection, table: Table) -> e.Rated | None:
    """Write the ratings after a game that is over, and return the event that tells them."""
    if table.w is None or table.b is None or table.w == table.b:
        return None
    here = (ratings.c.game == table.rules.name) & (ratings.c.pace == table.pace)
    asked = select(ratings).where(here, ratings.c.identity.in_((table.w, table.b)))
    asked = asked.order_by(ratings.c.identity).with_for_update()
    known = {row.identity: row for row in await connection.execute(asked)}
    before = {player: _rating(known.get(player)) for player in (table.w, table.b)}
    score = DRAW if table.winner is None else WIN if table.winner == "w" else LOSS
    after = {
        table.w: before[table.w].after([(before[table.b], score)]),
        table.b: before[table.b].after([(before[table.w], 1 - score)]),
    }
    for player, rating in sorted(after.items()):
        values = {
            "points": rating.points,
            "deviation": rating.deviation,
            "volatility": rating.volatility,
            "updated": table.updated,
        }
        if player in known:
            mine = here & (ratings.c.identity == player)
            more = {**values, "games": known[player].games + 1}
            await connection.execute(update(ratings).where(mine).values(more))
        else:
            key = {"identity": player, "game": table.rules.name, "pace": table.pace, "games": 1}
            await connection.execute(insert(ratings).values(key | values))
    changes = {
        side: e.Change(before=_strength(before[player]), after=_strength(after[player]))
        for side, player in (("w", table.w), ("b", table.b))
    }
    return e.Rated(version=table.version + 1, at=table.updated, w=changes["w"], b=changes["b"])


def _rating(row: Any) -> Rating:
    return Rating() if row is None else Rating(row.points, row.deviation, row.volatility)


def _strength(rating: Rating) -> e.Strength:
    return e.Strength(points=round(rating.points, 2), deviation=round(rating.deviation, 2))
