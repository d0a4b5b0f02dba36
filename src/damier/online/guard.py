"""No help from this server for a position of a rated game that its players are playing.

They are known by their identity, and by the addresses from which they play: of those a salted hash
is kept for some hours.
"""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import suppress
from typing import Any

from fastapi import Request
from sqlalchemy import delete, insert, or_, select

from damier.errors import DamierError
from damier.history import Game
from damier.online.clock import HOUR
from damier.online.database import games, settings, whereabouts
from damier.online.service import Service
from damier.online.table import Table
from damier.symmetry import likeness
from damier.web.replay import replayed

KEPT = 12 * HOUR
# What tells the rules and nothing of what is good: all else is help.
HARMLESS = {
    "state", "turns", "line", "play", "why", "position", "records/read", "records/write", "rules",
}  # fmt: skip


class Guard:
    """Knows where the players of rated games are."""

    def __init__(self, online: Service) -> None:
        self._online, self._store = online, online.store
        self._salt = ""
        self._noted: dict[tuple[str, str], int] = {}

    async def begin(self) -> None:
        """Find the salt that addresses are hashed with."""
        asked = select(settings.c.value).where(settings.c.name == "salt")
        ((self._salt,),) = await self._store.rows(asked)
        self._online.guard = self

    async def end(self) -> None:
        """Nothing is under way."""

    def _hidden(self, address: str) -> str:
        return hashlib.sha256(f"{self._salt} {address}".encode()).hexdigest()

    async def note(self, table: Table, player: str, address: str) -> None:
        """Keep from where a player of a rated game plays."""
        now = self._online.now()
        if not table.terms.rated or table.status != "playing" or table.seat(player) is None:
            return
        if self._noted.get((player, address), 0) > now + KEPT // 2:
            return
        key = {"identity": player, "address": self._hidden(address)}
        w = whereabouts.c
        async with self._store.writing() as connection:
            old = or_(w.until < now, (w.identity == player) & (w.address == key["address"]))
            await connection.execute(delete(whereabouts).where(old))
            await connection.execute(insert(whereabouts).values(**key, until=now + KEPT))
        if len(self._noted) > 10_000:
            self._noted.clear()
        self._noted[player, address] = now + KEPT

    async def check(self, request: Request, name: str, body: dict[str, Any]) -> None:
        """Refuse help for a position of a rated game to those who play it."""
        if name in HARMLESS or "game" not in body:
            return
        address = request.client.host if request.client else ""
        for table in await self._rated(request, address, body["game"]):
            if await asyncio.to_thread(_of_game, table, body):
                raise DamierError("rated-guard")

    async def _rated(self, request: Request, address: str, game: str) -> list[Table]:
        """Return the rated games of a kind that somebody who asks is playing."""
        w, g = whereabouts.c, games.c
        here = select(w.identity).where(
            w.address == self._hidden(address), w.until > self._online.now()
        )
        players = {player for (player,) in await self._store.rows(here)}
        _, _, secret = request.headers.get("authorization", "").partition(" ")
        if secret:
            with suppress(DamierError):  # who shows a wrong secret is nobody in particular
                players.add((await self._online.players.by_secret(secret.strip())).id)
        if not players:
            return []
        mine = or_(g.white.in_(players), g.black.in_(players))
        asked = select(g.id).where(g.rated, g.status == "playing", g.game == game, mine)
        return [(await self._online.room(row.id)).table for row in await self._store.rows(asked)]


def _of_game(table: Table, body: dict[str, Any]) -> bool:
    """Tell whether somebody asks about a game that is on: its positions, or how it may go on.

    Positions are compared up to symmetry.
    """
    try:
        asked: Game = replayed({"preset": None, "options": {}, "start": None, "turns": [], **body})
    except DamierError:
        return False  # the answer will say what is wrong
    if asked.rules != table.rules:
        return False
    file = table.rules.file
    was = {likeness(file, position.words) for position in table.play.positions}
    if likeness(file, asked.position.words) in was:
        return True
    now = likeness(file, table.play.position.words)
    return any(likeness(file, position.words) == now for position in asked.positions)
