"""What is kept, in SQLite or PostgreSQL. All that is written goes through one queue a process.

Appends that wait at the same time are written in one transaction: a disk is asked to sync once for
all of them, and none is acknowledged before. SQLite runs in WAL mode with synchronous=FULL: with
NORMAL a power cut could take back what was acknowledged.
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
)  # fmt: skip
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from damier.online import events as e
from damier.online.database import events, games, lines, settings
from damier.online.events import Side
from damier.online.strength import rated_event
from damier.online.table import Lines, Table, after, due

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

CHANNEL = "damier"
MOST_BATCH = 200  # appends in a transaction
CHECK_SECONDS = 2.0
LOCKED_SECONDS = 5.0  # for another process to let go of SQLite's lock
PATIENCE = 10.0  # seconds for the database to do what it is asked
READERS = 2  # threads that read SQLite


class Away(Exception):
    """The database is full, locked or gone: whoever asks may try again."""


class Conflict(Exception):
    """Somebody else has written first."""


@dataclass
class Append:
    """Events to be written, and the table after them."""

    before: int  # the version that they follow; 0 for a new table
    table: Table
    events: Sequence[e.Event]
    act: str | None = None
    lines: Mapping[Side, Lines] | None = None
    rematch: Append | None = None
    done: asyncio.Future[Append] = field(init=False)

    def __post_init__(self) -> None:
        self.done = asyncio.get_running_loop().create_future()


def row_of(table: Table) -> dict[str, Any]:
    """Return what is looked for of a table."""
    return {
        "id": table.id,
        "version": table.version,
        "game": table.rules.name,
        "terms": table.terms.model_dump_json(),
        "pace": table.pace,
        "rated": table.terms.rated,
        "open": table.terms.open and table.status == "waiting",
        "creator": table.creator,
        "white": table.w,
        "black": table.b,
        "status": table.status,
        "to_move": table.to_move,
        "deadline": table.clock.deadline,
        "due": due(table),
        "turns": table.play.ply,
        "position": str(table.play.position),
        "winner": table.winner,
        "reason": table.reason or None,
        "created": table.created,
        "updated": table.updated,
    }


class Store:
    """The database: reads at once, and a queue of what is to be written."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._writes = _writing(url)
        self.postgresql = self._writes.dialect.name == "postgresql"
        # To read is one question and one answer: apart from what is written, without a transaction.
        # SQLite is asked in threads: step by step, each step would wait for one. After a start,
        # when everybody comes back at once, reading is most of the work.
        self._reads = _reading(url) if self.postgresql else None
        self._file = None if self.postgresql else _reading_file(url)
        self._threads = ThreadPoolExecutor(READERS, "reader")
        # SQLite lets one write at a time, and lets the others sleep and try again: to wait in turn
        # is quicker.
        self._pen = asyncio.Semaphore(8 if self.postgresql else 1)
        self._queue: asyncio.Queue[Append] = asyncio.Queue()
        self._writer: asyncio.Task[None] | None = None
        self.batches = 0  # transactions written, for figures

    async def open(self) -> None:
        """Begin to write."""
        self._writer = asyncio.create_task(self._write())

    async def close(self) -> None:
        """Write what waits, and end."""
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

    async def append(self, wanted: Append) -> Append:
        """Write events; return them as written, with what came of the game's end.

        Raises Conflict if the game has gone on meanwhile, Away if nothing can be written.
        """
        self._queue.put_nowait(wanted)
        return await wanted.done

    async def read(self, game: str, since: int = 0) -> list[tuple[e.Event, str | None]]:
        """Return the events of a game after a version, each with the act that led to it."""
        asked = (
            select(events.c.body, events.c.act)
            .where(events.c.game == game, events.c.version > since)
            .order_by(events.c.version)
        )
        rows = await self.rows(asked)
        return [(e.EVENT.validate_json(body), act) for body, act in rows]

    async def lines_of(self, table: Table) -> dict[Side, Lines]:
        """Return what the players of a game have planned for the position on the board."""
        if table.pace == "live":
            return {}
        c = lines.c
        asked = select(c.side, c.lines).where(c.game == table.id, c.ply == table.play.ply)
        rows = await self.rows(asked)
        return {side: tuple(tuple(line) for line in json.loads(kept)) for side, kept in rows}

    async def versions(self, ids: Sequence[str]) -> dict[str, int]:
        """Return how far games have gone."""
        rows = await self.rows(select(games.c.id, games.c.version).where(games.c.id.in_(ids)))
        return dict(list(rows))

    # ---- anything ----

    async def check(self) -> None:
        """See whether the database answers; raise Away if it does not, and soon."""
        try:
            async with asyncio.timeout(CHECK_SECONDS):
                await self.rows(select(settings.c.name).limit(1))
        except TimeoutError:
            raise Away from None

    async def rows(self, asked: Any) -> Sequence[Any]:
        """Return what is asked of the database, or raise Away."""
        with _away():
            async with asyncio.timeout(PATIENCE):
                if self._file is not None:
                    loop = asyncio.get_running_loop()
                    return await loop.run_in_executor(self._threads, _read, self._file, asked)
                try:
                    return await self._ask(asked)
                except DBAPIError as error:  # a connection of before the database was away
                    if not error.connection_invalidated:
                        raise
                    return await self._ask(asked)

    async def _ask(self, asked: Any) -> Sequence[Any]:
        assert self._reads is not None
        async with self._reads.connect() as connection:
            found: Sequence[Any] = (await connection.execute(asked)).all()
            return found

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """Give a connection that writes, or raise Away; for what is no event."""
        with _away():
            async with asyncio.timeout(PATIENCE), self._pen, self._writes.begin() as connection:
                yield connection

    # ---- the queue ----

    async def _write(self) -> None:
        while True:
            batch = [await self._queue.get()]
            while len(batch) < MOST_BATCH and not self._queue.empty():
                batch.append(self._queue.get_nowait())
            try:
                await self._write_batch(batch)
            finally:
                for _ in batch:
                    self._queue.task_done()

    async def _write_batch(self, batch: list[Append]) -> None:
        """Write appends together; if that fails, one by one, so that one cannot harm others."""
        if len(batch) > 1:
            try:
                await self._in_one(batch)
                return
            except Exception:
                pass
        for one in batch:
            try:
                await self._in_one([one])
            except Exception as error:
                if not one.done.done():
                    one.done.set_exception(error)

    async def _in_one(self, batch: list[Append]) -> None:
        # Two appends to one table: the second follows the first, so it waits for its own turn.
        now: dict[str, Append] = {}
        later: list[Append] = []
        for one in batch:
            (later.append(one) if one.table.id in now else now.setdefault(one.table.id, one))
        async with self.writing() as connection:
            written, late = await self._appended(connection, list(now.values()))
        self.batches += 1
        for one in written:
            if not one.done.done():
                one.done.set_result(one)
        for one in late:
            if not one.done.done():
                one.done.set_exception(Conflict())
        for one in later:
            await self._write_batch([one])

    async def _appended(
        self, connection: AsyncConnection, batch: list[Append]
    ) -> tuple[list[Append], list[Append]]:
        """Write appends to different tables; return those written and those that came late."""
        ids = [one.table.id for one in batch if one.before]
        asked = select(games.c.id, games.c.version).where(games.c.id.in_(ids)).order_by(games.c.id)
        if self.postgresql:
            asked = asked.with_for_update()
        found: dict[str, int] = dict(list(await connection.execute(asked))) if ids else {}
        written: list[Append] = []
        late: list[Append] = []
        for one in batch:
            (written if found.get(one.table.id, 0) == one.before else late).append(one)
        for one in written:
            if one.table.counts and any(isinstance(event, e.Ended) for event in one.events):
                await _rate(connection, one)
        every = [*written, *(one.rematch for one in written if one.rematch is not None)]
        if every:
            await self._insert(connection, every)
        return written, late

    async def _insert(self, connection: AsyncConnection, every: list[Append]) -> None:
        new = [row_of(one.table) for one in every if not one.before]
        if new:
            await connection.execute(insert(games), new)
        old = [row_of(one.table) for one in every if one.before and one.events]
        if old:
            values: dict[str, Any] = {name: bindparam(name) for name in old[0] if name != "id"}
            statement = update(games).where(games.c.id == bindparam("id_")).values(values)
            await connection.execute(statement, [{**row, "id_": row["id"]} for row in old])
        bodies = [
            {
                "game": one.table.id, "version": event.version,
                "act": one.act if at == 0 else None, "body": event.model_dump_json(),
            }
            for one in every
            for at, event in enumerate(one.events)
        ]  # fmt: skip
        if bodies:
            await connection.execute(insert(events), bodies)
        for one in every:
            if one.lines is not None:
                await _keep_lines(connection, one.table, one.lines)
        if self.postgresql:
            told = [
                {"channel": CHANNEL, "said": f"{one.table.id} {one.table.version}"} for one in every
            ]
            await connection.execute(text("SELECT pg_notify(:channel, :said)"), told)


async def keep_settings(connection: AsyncConnection, **values: str) -> None:
    """Keep what a database has once and for all, unless it has it already."""
    known = set((await connection.execute(select(settings.c.name))).scalars())
    rows = [{"name": name, "value": value} for name, value in values.items() if name not in known]
    if rows:
        await connection.execute(insert(settings), rows)


async def _keep_lines(
    connection: AsyncConnection, table: Table, kept: Mapping[Side, Lines]
) -> None:  # fmt: skip
    await connection.execute(delete(lines).where(lines.c.game == table.id))
    rows = [
        {"game": table.id, "side": side, "ply": table.play.ply, "lines": json.dumps(those)}
        for side, those in kept.items()
        if those
    ]
    if rows:
        await connection.execute(insert(lines), rows)


async def _rate(connection: AsyncConnection, one: Append) -> None:
    """Write what a rated game's end does to its players' ratings, and add the event."""
    rated = await rated_event(connection, one.table)
    if rated is not None:
        one.events = [*one.events, rated]
        one.table = after(one.table, rated)


class _away:
    """Calls what a database can do to its users by one name."""

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: object
    ) -> None:
        if isinstance(error, IntegrityError):
            raise Conflict from error
        if isinstance(error, SQLAlchemyError | OSError | TimeoutError):
            raise Away(str(error)) from error


def _reading(url: str) -> AsyncEngine:
    """Return connections that read PostgreSQL."""
    return create_async_engine(
        url, pool_size=8, max_overflow=0, isolation_level="AUTOCOMMIT", hide_parameters=True
    )


def _reading_file(url: str) -> Engine:
    """Return connections that read a database of SQLite's."""
    return create_engine(
        make_url(url).set(drivername="sqlite"),
        pool_size=READERS,
        connect_args={"timeout": LOCKED_SECONDS, "check_same_thread": False},
        isolation_level="AUTOCOMMIT",
        hide_parameters=True,
    )


def _read(file: Engine, asked: Any) -> Sequence[Any]:
    with file.connect() as connection:
        return connection.execute(asked).all()


def _writing(url: str) -> AsyncEngine:
    """Return connections that write; with SQLite there is never more than one."""
    if not url.startswith("sqlite"):
        return create_async_engine(
            url, pool_size=8, max_overflow=0, pool_pre_ping=True, hide_parameters=True
        )
    engine = create_async_engine(
        url,
        pool_size=1,
        max_overflow=0,
        connect_args={"timeout": LOCKED_SECONDS},
        hide_parameters=True,
    )

    @event.listens_for(engine.sync_engine, "connect")
    def _connected(connection: Any, _: object) -> None:
        connection.isolation_level = None  # transactions begin where we say
        cursor = connection.cursor()
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def _begun(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine
