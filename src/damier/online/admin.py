"""What an administrator does from the command line, beside the servers that run."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from sqlalchemy.engine import make_url

from damier.errors import DamierError
from damier.online.app import opened
from damier.online.service import Service
from damier.online.store import Away


@asynccontextmanager
async def _service(database: str) -> AsyncIterator[Service]:
    """Give online play on a database for a moment."""
    url = make_url(database)
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
        raise DamierError("no-database", path=url.database)
    try:
        online = await opened(database)
        try:
            yield online
        finally:
            await online.close()
    except Away as error:
        raise DamierError("database-unreachable", message=error) from error


async def close_game(database: str, game: str) -> None:
    """Close a game: nobody wins, it counts for nothing."""
    async with _service(database) as online:
        await online.close_game(game)


async def close_player(database: str, player: str) -> int:
    """Close an identity: its secret is refused from now on. Return how many games end with it."""
    async with _service(database) as online:
        return await online.close_player(player)
