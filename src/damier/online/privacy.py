"""Deletion of an identity, and the export of what is stored about it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, or_, select, update

from damier.online import reducer
from damier.online.database import client_addresses, events, games, identities, lines, ratings
from damier.online.events import DELETED_PLAYER
from damier.online.models import Json
from damier.online.players import Player
from damier.online.store import StoreUnavailable

if TYPE_CHECKING:
    from damier.online.service import OnlineService

EXPORT_BATCH = 100  # games whose events are read at a time


async def delete_identity(online: OnlineService, player: Player) -> None:
    """Remove an identity with its name, ratings and seats.

    It loses its games in progress, and those that wait are closed. Finished games are kept for the
    opponents, without the identity.
    """
    for _ in range(3):  # games may begin meanwhile
        game_ids = await _games_of(online, player.id)
        if not game_ids:
            break
        # Two steps: the end of a rated game needs to know whose ratings change.
        await online.apply_to_each(
            game_ids, lambda game: reducer.decide_departure(game, player.id, online.now())
        )
        await online.apply_to_each(
            game_ids, lambda game: reducer.decide_removal(game, player.id, online.now())
        )
        await _remove_from_first_events(online, game_ids, player.id)
    async with online.store.transaction() as connection:
        for table, column in (
            (ratings, ratings.c.identity),
            (client_addresses, client_addresses.c.identity),
            (identities, identities.c.id),
        ):
            await connection.execute(delete(table).where(column == player.id))
    online.players.forget(player)
    online.disconnect_player(player.id, "closed")
    with suppress(StoreUnavailable):  # the log is emptied later in any case
        await online.store.erase_deleted_data()


async def _games_of(online: OnlineService, player: str) -> list[str]:
    g = games.c
    own = or_(g.white == player, g.black == player, g.creator == player)
    return [game_id for (game_id,) in await online.store.fetch(select(g.id).where(own))]


async def _remove_from_first_events(
    online: OnlineService, game_ids: Sequence[str], player: str
) -> None:
    """Remove a player from the events that name players: the creation of a game, and its start."""
    v = events.c
    for offset in range(0, len(game_ids), EXPORT_BATCH):
        some = game_ids[offset : offset + EXPORT_BATCH]
        async with online.store.transaction() as connection:
            naming = select(v.game, v.version, v.body).where(v.game.in_(some), v.version <= 2)
            for game_id, version, body in (await connection.execute(naming)).all():
                event = json.loads(body)
                named = {key for key in ("creator", "w", "b") if event.get(key) == player}
                if named:
                    text = json.dumps(event | dict.fromkeys(named, DELETED_PLAYER))
                    row = (v.game == game_id) & (v.version == version)
                    await connection.execute(update(events).where(row).values(body=text))


async def export_identity(online: OnlineService, player: Player) -> AsyncIterator[str]:
    """Yield everything that is stored about an identity, as the text of a JSON object.

    Hashes of the secret and of addresses are left out: they are of no use to their owner.
    """
    w, own = client_addresses.c, lines.c
    addresses = await online.store.fetch(select(w.until).where(w.identity == player.id))
    game_ids = await _games_of(online, player.id)
    first = {
        "player": await online.players.profile(player),
        "addresses": [{"until": until} for (until,) in addresses],
    }
    yield json.dumps(first, ensure_ascii=False)[:-1] + ', "games": ['
    for offset in range(0, len(game_ids), EXPORT_BATCH):
        some = game_ids[offset : offset + EXPORT_BATCH]
        v = events.c
        query = select(v.game, v.body).where(v.game.in_(some)).order_by(v.game, v.version)
        bodies: dict[str, list[Any]] = {}
        for game_id, body in await online.store.fetch(query):
            bodies.setdefault(game_id, []).append(json.loads(body))
        plans = await online.store.fetch(
            select(own.game, own.side, own.lines).where(own.game.in_(some))
        )
        own_lines = {(game_id, side): json.loads(text) for game_id, side, text in plans}
        for index, (game_id, its_events) in enumerate(bodies.items()):
            side = _side_of(its_events, player.id)
            entry: Json = {"id": game_id, "events": its_events, "side": side}
            entry["lines"] = own_lines.get((game_id, side or ""), [])
            separator = ", " if offset or index else ""
            yield separator + json.dumps(entry, ensure_ascii=False)
    yield "]}"


def _side_of(its_events: Sequence[Json], player: str) -> str | None:
    """Return the side of a player in a game, given its events; None before the game has begun."""
    joined = next((event for event in its_events if event["kind"] == "joined"), {})
    return next((side for side in "wb" if joined.get(side) == player), None)
