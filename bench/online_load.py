"""Load generator for online games: clients that play at a constant rate."""

import asyncio
from dataclasses import dataclass, field
from itertools import cycle
from time import time

from online_players import OnlineClient, ScriptedGame, scripts
from online_servers import ServerProcess

MOVES = 150  # of a script
SETUP_BATCH = 20  # games that are set up at the same time
PAUSE_BETWEEN_KILLS_S = 0.3  # between the reconnection of all clients and the next kill


@dataclass
class ClientGroup:
    """Clients of all games, and watchers."""

    tables: list[ScriptedGame] = field(default_factory=list)
    watchers: list[OnlineClient] = field(default_factory=list)

    @property
    def players(self) -> list[OnlineClient]:
        """The clients that play."""
        return [player for table in self.tables for player in (table.w, table.b)]

    async def enter(self, servers: list[str], games: int, watchers: int, first: int = 0) -> None:
        """Start games; the two clients of a game use different servers if there are several.

        Each client has its own IP address, numbered from `first`.
        """
        plays = cycle(scripts(MOVES))
        both = [servers, servers[::-1]]
        for k in range(games):
            pair = [OnlineClient(both[side], _address(first + 2 * k + side)) for side in (0, 1)]
            self.tables.append(ScriptedGame(next(plays), pair[0], pair[1]))
        for k in range(0, games, SETUP_BATCH):
            some = self.tables[k : k + SETUP_BATCH]
            await asyncio.gather(*(self._seat(table) for table in some))
        for k in range(watchers):
            watcher = OnlineClient(both[k % 2], _address(first + 2 * games + k))
            await watcher.follow(self.tables[0].game)
            watcher.stay()
            self.watchers.append(watcher)
        await self.back()

    async def _seat(self, table: ScriptedGame) -> None:
        await asyncio.gather(table.w.enter("White"), table.b.enter("Black"))
        await table.set_up()

    async def back(self) -> None:
        """Wait until all clients are connected."""
        await asyncio.gather(*(p.back.wait() for p in (*self.players, *self.watchers)))

    async def leave(self) -> None:
        """Disconnect all clients."""
        await asyncio.gather(*(player.leave() for player in (*self.players, *self.watchers)))


def _address(number: int) -> str:
    """Return a loopback address for a client, because rate limits are per address."""
    return f"127.1.{number // 250}.{number % 250 + 1}"


@dataclass
class MoveLoad:
    """Moves at a constant rate, with their latencies."""

    crowd: ClientGroup
    took: list[float] = field(default_factory=list)
    slipped: list[float] = field(default_factory=list)  # delays between due time and sending
    missed: int = 0  # moves for which no game was free
    failed: list[str] = field(default_factory=list)
    _running: set[asyncio.Task[None]] = field(default_factory=set)

    async def run(self, rate: float, seconds: float) -> None:
        """Start moves at a rate for some seconds, and wait for the last of them."""
        await self.start_moves(rate, seconds)
        await self.finish()

    async def start_moves(self, rate: float, seconds: float = 1e9) -> None:
        """Start moves at a rate for some seconds."""
        begin, tables = time(), cycle(self.crowd.tables)
        count = 0
        while (due := begin + count / rate) < begin + seconds:
            count += 1
            await asyncio.sleep(max(0.0, due - time()))
            for _ in self.crowd.tables:
                table = next(tables)
                if not table.busy:
                    self._begin(table, due)
                    break
            else:
                self.missed += 1

    async def finish(self) -> None:
        """Wait for all pending moves."""
        while self._running:
            await asyncio.wait(self._running)

    def _begin(self, table: ScriptedGame, due: float) -> None:
        table.busy = True
        task = asyncio.create_task(self._move(table, due))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _move(self, table: ScriptedGame, due: float) -> None:
        try:
            if table.over:
                await table.set_up()
                due = time()
            move = await table.step(due)
            assert move.arrived is not None
            self.took.append(move.arrived - due)
            self.slipped.append(move.sent - due)
        except Exception as error:
            self.failed.append(f"{table.game}: {error!r}")
        finally:
            table.busy = False

    def at(self, share: float) -> float:
        """Return the quantile of the latencies, in seconds."""
        took = sorted(self.took)
        return took[min(len(took) - 1, int(share * len(took)))] if took else float("inf")

    def good(self, late: float) -> bool:
        """Return whether all moves arrived, 99 % of them within `late` seconds."""
        return not self.missed and not self.failed and self.at(0.99) < late

    def summary(self) -> str:
        """Return the figures as a line."""
        slipped = sorted(self.slipped)[int(0.99 * len(self.slipped))] if self.slipped else 0.0
        return (
            f"{len(self.took)} turns, {1000 * self.at(0.5):.0f} ms median, "
            f"{1000 * self.at(0.99):.0f} ms 99th percentile, {1000 * self.at(1):.0f} ms longest "
            f"(sent late by {1000 * slipped:.0f} ms), {self.missed} missed, "
            f"{len(self.failed)} failed"
        )


async def kill_servers(
    crowd: ClientGroup, servers: list[ServerProcess], kills: int, rate: float
) -> tuple[MoveLoad, list[tuple[float, float]], list[float]]:
    """Kill servers (-9) under load, one after the other, and restart them.

    Return the moves, the period of each outage, and how long after each restart all clients were
    connected again.
    """
    moves = MoveLoad(crowd)
    task = asyncio.create_task(moves.start_moves(rate))
    outages: list[tuple[float, float]] = []
    returns: list[float] = []
    for server, _ in zip(cycle(servers), range(kills), strict=False):
        await asyncio.sleep(PAUSE_BETWEEN_KILLS_S)
        killed = time()
        server.kill()
        server.start(wait=False)
        await asyncio.sleep(0.05)  # so that clients notice the lost connection
        await crowd.back()
        outages.append((killed, time()))
        returns.append(outages[-1][1] - server.begun)
        await asyncio.to_thread(server.wait)
    await asyncio.sleep(PAUSE_BETWEEN_KILLS_S)
    task.cancel()
    await moves.finish()
    return moves, outages, returns
