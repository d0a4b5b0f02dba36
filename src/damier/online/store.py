"""Event store in SQLite or PostgreSQL. Each process writes events through one queue.

Appends that are pending at the same time share a transaction, hence one disk sync, and are
acknowledged only afterwards. SQLite runs in WAL mode with synchronous=FULL: with NORMAL a power cut
could lose acknowledged events.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    Connection,
    Engine,
    bindparam,
    create_engine,
    delete,
    event,
    insert,
    make_url,
    select,
    text,
    update,
)
from sqlalchemy.exc import (
    DBAPIError,
    IntegrityError,
    InterfaceError,
    OperationalError,
    SQLAlchemyError,
)
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from damier.online import events as e
from damier.online.database import events, games, lines, settings
from damier.online.events import Side
from damier.online.ratings import update_ratings
from damier.online.reducer import ConditionalLines, OnlineGame, apply, next_deadline

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

NOTIFY_CHANNEL = "damier"
MAX_BATCH = 200  # appends per transaction
SQLITE_LOCK_TIMEOUT_S = 5.0  # for another process to release the lock
QUERY_TIMEOUT_S = 10.0  # for any database operation
SQLITE_READER_THREADS = 2


class StoreUnavailable(Exception):
    """The database is full, locked or unreachable; the operation may be tried again."""


class VersionConflict(Exception):
    """Another process or request has stored events first."""


@dataclass
class EventAppend:
    """A request to append events to a game, with the game after them."""

    expected_version: int  # of the game before the events; 0 for a new game
    game: OnlineGame
    events: Sequence[e.GameEvent]
    action_key: str | None = None
    lines: Mapping[Side, ConditionalLines] | None = None
    rematch: EventAppend | None = None
    origin: str | None = None  # hash of the address that put a new game into the lobby
    result: asyncio.Future[EventAppend] = field(init=False)

    def __post_init__(self) -> None:
        self.result = asyncio.get_running_loop().create_future()


def game_row(game: OnlineGame) -> dict[str, Any]:
    """Return the row of a game in the table `games`."""
    return {
        "id": game.id,
        "version": game.version,
        "game": game.rules.name,
        "terms": game.setup.model_dump_json(),
        "pace": game.pace,
        "rated": game.setup.rated,
        "open": game.setup.open and game.status == "waiting",
        "creator": game.creator,
        "white": game.w,
        "black": game.b,
        "status": game.status,
        "to_move": game.to_move,
        "deadline": game.clock.deadline,
        "due": next_deadline(game),
        "turns": game.gameplay.ply,
        "position": str(game.gameplay.position),
        "winner": game.winner,
        "reason": game.reason or None,
        "created": game.created,
        "updated": game.updated,
        "origin": None,  # set when a game is created, removed when it is no longer in the lobby
        "listed": game.setup.open,
    }


class EventStore:
    """The database: immediate reads, and a queue of appends."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._writes = _write_engine(url)
        self.postgresql = self._writes.dialect.name == "postgresql"
        # A read is a single query, so reads use separate engines without transactions. SQLite is
        # read in threads, with one thread switch per query; the asynchronous driver needs several.
        # Reads are most of the work after a restart, when all clients reconnect.
        self._reads = _postgresql_read_engine(url) if self.postgresql else None
        self._file = None if self.postgresql else _sqlite_read_engine(url)
        self._threads = ThreadPoolExecutor(SQLITE_READER_THREADS, "reader")
        # SQLite allows one writer at a time; other writers poll its lock, which is slower than a
        # queue.
        self._write_slots = asyncio.Semaphore(8 if self.postgresql else 1)
        self._queue: asyncio.Queue[EventAppend] = asyncio.Queue()
        self._writer: asyncio.Task[None] | None = None
        self.last_write_failed = False
        self.batches = 0  # number of transactions, for tests

    async def open(self) -> None:
        """Start the writer."""
        self._writer = asyncio.create_task(self._write())

    async def close(self) -> None:
        """Write pending appends and close all connections."""
        if self._writer is not None:
            await self._queue.join()
            self._writer.cancel()
            with suppress(asyncio.CancelledError):
                await self._writer
        self._threads.shutdown()
        if self._file is not None:
            self._file.dispose()
        for engine in filter(None, (self._writes, self._reads)):
            await engine.dispose()

    # ---- events ----

    async def append(self, append: EventAppend) -> EventAppend:
        """Store events; return the append, with rating changes added at the end of a rated game.

        Raise VersionConflict if the game has another version, StoreUnavailable if writing fails.
        """
        self._queue.put_nowait(append)
        return await append.result

    async def read_events(
        self, game_id: str, since: int = 0, limit: int | None = None
    ) -> list[tuple[e.GameEvent, str | None]]:
        """Return the events of a game after a version, each with the key of its action."""
        query = (
            select(events.c.body, events.c.act)
            .where(events.c.game == game_id, events.c.version > since)
            .order_by(events.c.version)
            .limit(limit)
        )
        rows = await self.fetch(query)
        return [(e.GAME_EVENT.validate_json(body), act) for body, act in rows]

    async def conditional_lines(self, game: OnlineGame) -> dict[Side, ConditionalLines]:
        """Return the conditional moves of both sides for the current position."""
        if game.pace == "live":
            return {}
        c = lines.c
        query = select(c.side, c.lines).where(c.game == game.id, c.ply == game.gameplay.ply)
        rows = await self.fetch(query)
        return {side: tuple(tuple(line) for line in json.loads(text)) for side, text in rows}

    async def versions(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the versions of the games that exist among some ids."""
        rows = await self.fetch(select(games.c.id, games.c.version).where(games.c.id.in_(ids)))
        return dict(list(rows))

    # ---- other queries ----

    async def fetch(self, query: Any) -> Sequence[Any]:
        """Return the rows of a query, or raise StoreUnavailable."""
        with _DatabaseErrors():
            async with asyncio.timeout(QUERY_TIMEOUT_S):
                if self._file is not None:
                    loop = asyncio.get_running_loop()
                    return await loop.run_in_executor(self._threads, _fetch_all, self._file, query)
                try:
                    return await self._run_query(query)
                except DBAPIError as error:  # a pooled connection from before an outage
                    if not error.connection_invalidated:
                        raise
                    return await self._run_query(query)

    async def _run_query(self, query: Any) -> Sequence[Any]:
        assert self._reads is not None
        async with self._reads.connect() as connection:
            rows: Sequence[Any] = (await connection.execute(query)).all()
            return rows

    async def erase_deleted_data(self) -> None:
        """Empty SQLite's log, which keeps deleted data; PostgreSQL removes it when it vacuums."""
        if self._file is not None:
            await self.fetch(text("PRAGMA wal_checkpoint(TRUNCATE)"))

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncConnection]:
        """Open a write transaction for other data than events; raise StoreUnavailable."""
        try:
            with _DatabaseErrors():
                async with (
                    asyncio.timeout(QUERY_TIMEOUT_S),
                    self._write_slots,
                    self._writes.begin() as connection,
                ):
                    yield connection
        except StoreUnavailable:
            self.last_write_failed = True
            raise
        self.last_write_failed = False

    # ---- the queue ----

    async def _write(self) -> None:
        while True:
            batch = [await self._queue.get()]
            while len(batch) < MAX_BATCH and not self._queue.empty():
                batch.append(self._queue.get_nowait())
            try:
                await self._write_batch(batch)
            finally:
                for _ in batch:
                    self._queue.task_done()

    async def _write_batch(self, batch: list[EventAppend]) -> None:
        """Write appends in one transaction.

        If it fails, they are written one by one to isolate the faulty one, unless the database as a
        whole is unavailable: each attempt could take seconds.
        """
        if len(batch) > 1:
            try:
                await self._write_transaction(batch)
                return
            except Exception as error:
                if isinstance(error, StoreUnavailable) and _affects_every_append(error.__cause__):
                    _reject(batch, error)
                    return
        for append in batch:
            try:
                await self._write_transaction([append])
            except Exception as error:
                _reject([append], error)

    async def _write_transaction(self, batch: list[EventAppend]) -> None:
        # If a game has several appends, the first is written now and the others after it.
        first_appends: dict[str, EventAppend] = {}
        deferred: list[EventAppend] = []
        for append in batch:
            (
                deferred.append(append)
                if append.game.id in first_appends
                else first_appends.setdefault(append.game.id, append)
            )
        async with self.transaction() as connection:
            accepted, conflicts = await self._append_all(connection, list(first_appends.values()))
        self.batches += 1
        for append in accepted:
            if not append.result.done():
                append.result.set_result(append)
        for append in conflicts:
            if not append.result.done():
                append.result.set_exception(VersionConflict())
        for append in deferred:
            await self._write_batch([append])

    async def _append_all(
        self, connection: AsyncConnection, batch: list[EventAppend]
    ) -> tuple[list[EventAppend], list[EventAppend]]:
        """Write appends to different games; return those written and those in conflict."""
        ids = [append.game.id for append in batch if append.expected_version]
        query = select(games.c.id, games.c.version).where(games.c.id.in_(ids)).order_by(games.c.id)
        if self.postgresql:
            query = query.with_for_update()
        versions: dict[str, int] = dict(list(await connection.execute(query))) if ids else {}
        accepted: list[EventAppend] = []
        conflicts: list[EventAppend] = []
        for append in batch:
            (
                accepted
                if versions.get(append.game.id, 0) == append.expected_version
                else conflicts
            ).append(append)
        for append in accepted:
            if append.game.affects_ratings and any(
                isinstance(event, e.GameEnded) for event in append.events
            ):
                await _store_ratings(connection, append)
        appends = [
            *accepted,
            *(append.rematch for append in accepted if append.rematch is not None),
        ]
        if appends:
            await self._insert(connection, appends)
        return accepted, conflicts

    async def _insert(self, connection: AsyncConnection, appends: list[EventAppend]) -> None:
        new = [
            game_row(append.game) | {"origin": append.origin}
            for append in appends
            if not append.expected_version
        ]
        if new:
            await connection.execute(insert(games), new)
        old = [
            game_row(append.game) for append in appends if append.expected_version and append.events
        ]
        if old:
            values: dict[str, Any] = {name: bindparam(name) for name in old[0] if name != "id"}
            statement = update(games).where(games.c.id == bindparam("id_")).values(values)
            await connection.execute(statement, [{**row, "id_": row["id"]} for row in old])
        bodies = [
            {
                "game": append.game.id,
                "version": event.version,
                "act": append.action_key if index == 0 else None,
                "body": event.model_dump_json(),
            }
            for append in appends
            for index, event in enumerate(append.events)
        ]
        if bodies:
            await connection.execute(insert(events), bodies)
        for append in appends:
            if append.lines is not None:
                await _save_lines(connection, append.game, append.lines)
            elif append.game.pace != "live" and append.game.status in ("over", "aborted"):
                await _save_lines(connection, append.game, {})
        if self.postgresql:
            notifications = [
                {"channel": NOTIFY_CHANNEL, "payload": f"{append.game.id} {append.game.version}"}
                for append in appends
            ]
            await connection.execute(text("SELECT pg_notify(:channel, :payload)"), notifications)


async def insert_missing_settings(connection: AsyncConnection, **values: str) -> None:
    """Insert the settings that the database does not have yet."""
    known = set((await connection.execute(select(settings.c.name))).scalars())
    rows = [{"name": name, "value": value} for name, value in values.items() if name not in known]
    if rows:
        await connection.execute(insert(settings), rows)


def _affects_every_append(error: BaseException | None) -> bool:
    """Return whether a database error has nothing to do with the data of an append."""
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or isinstance(error, OperationalError | InterfaceError)
    return isinstance(error, OSError | TimeoutError)


def _reject(batch: Sequence[EventAppend], error: Exception) -> None:
    """Pass an error to those who wait for some appends."""
    for append in batch:
        if not append.result.done():
            append.result.set_exception(error)


async def _save_lines(
    connection: AsyncConnection, game: OnlineGame, text: Mapping[Side, ConditionalLines]
) -> None:
    await connection.execute(delete(lines).where(lines.c.game == game.id))
    rows = [
        {"game": game.id, "side": side, "ply": game.gameplay.ply, "lines": json.dumps(side_lines)}
        for side, side_lines in text.items()
        if side_lines
    ]
    if rows:
        await connection.execute(insert(lines), rows)


async def _store_ratings(connection: AsyncConnection, append: EventAppend) -> None:
    """Store the new ratings after a rated game and add their event to the append."""
    rating_event = await update_ratings(connection, append.game)
    if rating_event is not None:
        append.events = [*append.events, rating_event]
        append.game = apply(append.game, rating_event)


class _DatabaseErrors:
    """Context manager that turns database errors into VersionConflict and StoreUnavailable."""

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: object
    ) -> None:
        if isinstance(error, IntegrityError):
            raise VersionConflict from error
        if isinstance(error, SQLAlchemyError | OSError | TimeoutError):
            raise StoreUnavailable(str(error)) from error


def _postgresql_read_engine(url: str) -> AsyncEngine:
    """Return an engine that reads PostgreSQL."""
    return create_async_engine(
        url, pool_size=8, max_overflow=0, isolation_level="AUTOCOMMIT", hide_parameters=True
    )


def _sqlite_read_engine(url: str) -> Engine:
    """Return an engine that reads SQLite."""
    return create_engine(
        make_url(url).set(drivername="sqlite"),
        pool_size=SQLITE_READER_THREADS,
        connect_args={"timeout": SQLITE_LOCK_TIMEOUT_S, "check_same_thread": False},
        isolation_level="AUTOCOMMIT",
        hide_parameters=True,
    )


def _fetch_all(file: Engine, query: Any) -> Sequence[Any]:
    with file.connect() as connection:
        return connection.execute(query).all()


def _write_engine(url: str) -> AsyncEngine:
    """Return an engine that writes; with SQLite it has a single connection."""
    if not url.startswith("sqlite"):
        return create_async_engine(
            url, pool_size=8, max_overflow=0, pool_pre_ping=True, hide_parameters=True
        )
    engine = create_async_engine(
        url,
        pool_size=1,
        max_overflow=0,
        connect_args={"timeout": SQLITE_LOCK_TIMEOUT_S},
        hide_parameters=True,
    )

    @event.listens_for(engine.sync_engine, "connect")
    def _on_connect(connection: Any, _: object) -> None:
        connection.isolation_level = None  # transactions start with the explicit BEGIN below
        cursor = connection.cursor()
        # Deleted data is overwritten: names of deleted identities do not stay in the file.
        pragmas = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON")
        for pragma in pragmas:
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def _on_begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine
