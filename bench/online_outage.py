"""Database outage during online games: a held lock (SQLite) or a stopped server (PostgreSQL)."""

import asyncio
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from time import time

from cluster import Cluster
from online_load import ClientGroup
from online_players import RequestRejected, ScriptedGame
from online_servers import ServerProcess

CLOCK_S, OUTAGE_S = 8.0, 12.0  # the clocks would run out during the outage
RETRY_S = 1.0  # between two attempts of a player


@contextmanager
def unavailable(database: str, cluster: Cluster | None) -> Iterator[None]:
    """Make it impossible to write a database during the block."""
    if cluster is not None:
        cluster.stop(signal.SIGQUIT)
        yield
        cluster.start()
        return
    with closing(sqlite3.connect(database.partition("///")[2], isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


@dataclass
class OutageReport:
    """Result of an outage."""

    refused: int = 0  # moves refused while it lasted
    flagged: list[str] = field(default_factory=list)  # games lost on time
    unpaused: list[str] = field(default_factory=list)  # games whose clocks got nothing back
    recovery_s: float = 0.0  # from the end of the outage until each game has had a move
    period: tuple[float, float] = (0.0, 0.0)

    @property
    def good(self) -> bool:
        """Whether nobody lost on time."""
        return not self.flagged and not self.unpaused and self.refused > 0

    def summary(self) -> str:
        """Return the report as a line."""
        return (
            f"{OUTAGE_S:.0f} s without the database, {CLOCK_S:.0f} s on each clock: "
            f"{self.refused} moves refused, {len(self.flagged)} games lost on time, "
            f"{len(self.unpaused)} without compensation, "
            f"all games continued {self.recovery_s:.1f} s after it"
        )


async def play_through_outage(
    clients: ClientGroup, servers: list[ServerProcess], database: str, cluster: Cluster | None
) -> OutageReport:
    """Let all players try to move while the database is unavailable, and continue afterwards."""
    report, tables = OutageReport(), clients.tables
    for table in tables:
        table.clock = {"kind": "live", "minutes": CLOCK_S / 60, "seconds": 0}
        await table.set_up()
    for _ in range(2):  # the first move of a side is free
        await asyncio.gather(*(table.step(time()) for table in tables))
    began = time()
    with unavailable(database, cluster):
        while time() < began + OUTAGE_S:
            report.refused += sum(await asyncio.gather(*map(_is_refused, tables)))
            await asyncio.sleep(RETRY_S)
    ended = time()
    for server in servers:
        while not await asyncio.to_thread(server.is_healthy):
            await asyncio.sleep(0.05)
    results = await asyncio.gather(
        *(table.step(time()) for table in tables), return_exceptions=True
    )
    report.recovery_s = time() - ended
    report.period = began, time()
    for table, result in zip(tables, results, strict=True):
        stored = (await table.w.ask("GET", f"games/{table.game}/events"))["events"]
        kinds = {event["kind"] for event in stored}
        if "flagged" in kinds or isinstance(result, BaseException):
            report.flagged.append(f"{table.game}: {result!r}")
        if "paused" not in kinds:
            report.unpaused.append(table.game)
    return report


async def _is_refused(table: ScriptedGame) -> bool:
    """Try the next move of a game; return whether it is refused, as it should be."""
    side, text = table.script[1][len(table.played)]
    mover = table.w if side == "w" else table.b
    try:
        await mover.act(table.game, {"kind": "turn", "turn": text})
    except RequestRejected as error:
        return bool(error.args[0] == "database-away")
    return False
