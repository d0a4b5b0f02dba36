"""Read-only queries about online games: lists, players' names and ratings, records, limits."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Select, and_, case, func, not_, or_, select

from damier.errors import DamierError
from damier.online import views
from damier.online.database import games
from damier.online.models import Json
from damier.online.players import Player, Players
from damier.online.reducer import OnlineGame
from damier.online.store import EventStore
from damier.record import Record

PAGE_SIZE = 50  # games in a list
MAX_WAITING_GAMES, MAX_LOBBY_GAMES, MAX_ACTIVE_GAMES = 20, 3, 200  # per player
MAX_LOBBY_GAMES_PER_ADDRESS = 20  # a school may share one address


class GameQueries:
    """Queries about games; `run_in_thread` runs a function outside the event loop."""

    def __init__(
        self, store: EventStore, players: Players, run_in_thread: Callable[..., Awaitable[Any]]
    ) -> None:
        self._store, self._players, self._run_in_thread = store, players, run_in_thread

    async def directory(self, game: OnlineGame) -> views.PlayerDirectory:
        """Return the names and ratings of a game's players."""
        ids = {player for player in (game.w, game.b, game.creator) if player is not None}
        identities = await self._players.by_ids(ids)
        ratings = await self._players.ratings_of(ids, game.rules.name, game.pace)
        return views.PlayerDirectory(identities, ratings)

    async def lobby(self) -> list[Json]:
        """Return the games in the lobby: first the newest of each address, then the second ones.

        However many games come from one address, they do not displace those of others.
        """
        g = games.c
        creator = func.coalesce(g.origin, g.creator)
        rank = func.row_number().over(partition_by=creator, order_by=g.created.desc())
        query = select(games).where(g.open).order_by(rank, g.created.desc()).limit(PAGE_SIZE)
        return await self._list(query, None)

    async def player_games(
        self, player: str, you: str | None, over: bool | None, before: int | None
    ) -> list[Json]:
        """Return a player's games, first those in which it is the player's turn.

        An unfinished game between friends is shown only to its players: its link may give a seat.
        `you` is the reader, `over` selects finished or unfinished games, `before` is for paging.
        """
        g = games.c
        own_games = or_(g.white == player, g.black == player)
        if player == you:
            own_games = or_(own_games, and_(g.creator == player, g.status == "waiting"))
        else:
            is_shown = or_(g.listed, not_(g.status.in_(("waiting", "playing"))))
            if you is not None:
                is_shown = or_(is_shown, g.white == you, g.black == you)
            own_games = and_(own_games, is_shown)
        query = select(games).where(own_games)
        if over is not None:
            status = g.status.in_(("over",) if over else ("waiting", "playing"))
            query = query.where(status)
        else:
            query = query.where(g.status != "aborted")
        if before is not None and over is not False:
            query = query.where(g.updated < before)
        turn_order = case(
            (and_(g.white == player, g.to_move == "w"), 0),
            (and_(g.black == player, g.to_move == "b"), 0),
            else_=1,
        )
        if over is False:  # no paging: their number is limited
            query = query.order_by(turn_order, g.deadline.is_(None), g.deadline, g.updated.desc())
            query = query.limit(MAX_ACTIVE_GAMES + MAX_WAITING_GAMES)
        else:
            query = query.order_by(g.updated.desc()).limit(PAGE_SIZE)
        return await self._list(query, you)

    async def _list(self, query: Select[Any], you: str | None) -> list[Json]:
        """Return the summaries of the games that a query selects."""
        rows = await self._store.fetch(query)
        return await self.summaries([row._mapping for row in rows], you)

    async def summaries(self, rows: Sequence[Mapping[str, Any]], you: str | None) -> list[Json]:
        """Return the summaries of some rows of the table `games`."""
        seats = ("white", "black", "creator")
        ids = {row[seat] for row in rows for seat in seats} - {None}
        identities = await self._players.by_ids(ids)
        ratings = await self._players.all_ratings(ids)

        def summaries() -> list[Json]:
            directories = (
                views.PlayerDirectory(identities, ratings.get((row["game"], row["pace"]), {}))
                for row in rows
            )
            return [
                views.game_summary(row, directory, you)
                for row, directory in zip(rows, directories, strict=True)
            ]

        result: list[Json] = await self._run_in_thread(summaries)
        return result

    async def record_text(self, game: OnlineGame) -> str:
        """Return the record of a game as text."""
        identities = await self._players.by_ids([p for p in (game.w, game.b) if p is not None])

        def name(player: str | None) -> str:
            return identities[player].name if player in identities else "?"

        day = datetime.fromtimestamp(game.created / 1000, UTC).date().isoformat()
        record = Record(game.gameplay, name(game.w), name(game.b), day, game.result)
        text: str = await self._run_in_thread(str, record)
        return text

    async def check_waiting_games(self, player: Player, lobby: bool) -> None:
        """Raise DamierError if a player has too many waiting games, in the lobby or in total."""
        g = games.c
        own_games = and_(g.creator == player.id, g.status == "waiting")
        query = select(func.count(), func.sum(case((g.open, 1), else_=0))).where(own_games)
        ((waiting, in_lobby),) = await self._store.fetch(query)
        if waiting >= MAX_WAITING_GAMES or (lobby and (in_lobby or 0) >= MAX_LOBBY_GAMES):
            raise DamierError(
                "too-many-tables", most=MAX_LOBBY_GAMES if lobby else MAX_WAITING_GAMES
            )
        await self.check_active_games(player)

    async def check_lobby_games(self, origins: Sequence[str]) -> None:
        """Raise DamierError if an address, given by its hashes, has too many games in the lobby."""
        g = games.c
        query = select(func.count()).where(g.open, g.origin.in_(origins))
        ((count,),) = await self._store.fetch(query)
        if count >= MAX_LOBBY_GAMES_PER_ADDRESS:
            raise DamierError("lobby-full", most=MAX_LOBBY_GAMES_PER_ADDRESS)

    async def check_active_games(self, player: Player) -> None:
        """Raise DamierError if a player has too many games in progress."""
        g = games.c
        own_games = or_(g.white == player.id, g.black == player.id)
        query = select(func.count()).where(own_games, g.status == "playing")
        ((count,),) = await self._store.fetch(query)
        if count >= MAX_ACTIVE_GAMES:
            raise DamierError("too-many-games", most=MAX_ACTIVE_GAMES)
