"""Administration from the command line, also while servers are running."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from sqlalchemy.engine import make_url

from damier.errors import DamierError
from damier.online.app import open_service
from damier.online.service import OnlineService
from damier.online.store import StoreUnavailable


@asynccontextmanager
async def _service(database: str) -> AsyncIterator[OnlineService]:
    """Open the online service on an existing database; raise DamierError if it cannot be opened."""
    url = make_url(database)
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
        raise DamierError("no-database", path=url.database)
    try:
        online = await open_service(database)
        try:
            yield online
        finally:
            await online.close()
    except StoreUnavailable as error:
        raise DamierError("database-unreachable", message=error) from error


async def close_game(database: str, game_id: str) -> None:
    """Close a game without a result; ratings do not change."""
    async with _service(database) as online:
        await online.close_game(game_id)


async def close_player(database: str, player: str) -> int:
    """Close an identity, so that its secret is invalid. Return how many games were closed."""
    async with _service(database) as online:
        return await online.close_player(player)
