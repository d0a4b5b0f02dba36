"""Many players at many tables, who play at a steady rate while servers come and go."""

import asyncio
from dataclasses import dataclass, field
from itertools import cycle
from time import time

from online_players import Player, Table, scripts
from online_servers import Process

TURNS = 150  # of a script
AT_ONCE = 20  # tables that are set up at the same time
RUN_SECONDS = 0.3  # between everybody's return and the next kill


@dataclass
class Crowd:
    """All players, their tables, and who watches."""

    tables: list[Table] = field(default_factory=list)
    watchers: list[Player] = field(default_factory=list)

    @property
    def players(self) -> list[Player]:
        """All of them."""
        return [player for table in self.tables for player in (table.w, table.b)]

    async def enter(self, servers: list[str], games: int, watchers: int, first: int = 0) -> None:
        """Sit down at so many tables; the two players of each at different servers, if any.

        Each comes from an address of his own, the first from number `first` on.
        """
        plays = cycle(scripts(TURNS))
        both = [servers, servers[::-1]]
        for k in range(games):
            pair = [Player(both[side], _address(first + 2 * k + side)) for side in (0, 1)]
            self.tables.append(Table(next(plays), pair[0], pair[1]))
        for k in range(0, games, AT_ONCE):
            some = self.tables[k : k + AT_ONCE]
            await asyncio.gather(*(self._seat(table) for table in some))
        for k in range(watchers):
            watcher = Player(both[k % 2], _address(first + 2 * games + k))
            await watcher.follow(self.tables[0].game)
            watcher.stay()
            self.watchers.append(watcher)
        await self.back()

    async def _seat(self, table: Table) -> None:
        await asyncio.gather(table.w.enter("White"), table.b.enter("Black"))
        await table.set_up()

    async def back(self) -> None:
        """Wait until everybody is connected."""
        await asyncio.gather(*(p.back.wait() for p in (*self.players, *self.watchers)))

    async def leave(self) -> None:
        """Let everybody go."""
        await asyncio.gather(*(player.leave() for player in (*self.players, *self.watchers)))


def _address(number: int) -> str:
    """Return an address of this machine for a player: limits are for one address."""
    return f"127.1.{number // 250}.{number % 250 + 1}"


@dataclass
class Pace:
    """Turns at a steady rate, and how long each took."""

    crowd: Crowd
    took: list[float] = field(default_factory=list)
    slipped: list[float] = field(default_factory=list)  # how late they were sent
    missed: int = 0  # no table was free to play
    failed: list[str] = field(default_factory=list)
    _running: set[asyncio.Task[None]] = field(default_factory=set)

    async def run(self, rate: float, seconds: float) -> None:
        """Begin turns at a rate for so long, and wait for the last of them."""
        await self.go_on(rate, seconds)
        await self.finish()

    async def go_on(self, rate: float, seconds: float = 1e9) -> None:
        """Begin turns at a rate for so long."""
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
        """Wait for all turns under way."""
        while self._running:
            await asyncio.wait(self._running)

    def _begin(self, table: Table, due: float) -> None:
        table.busy = True
        task = asyncio.create_task(self._turn(table, due))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _turn(self, table: Table, due: float) -> None:
        try:
            if table.over:
                await table.set_up()
                due = time()
            turn = await table.step(due)
            assert turn.arrived is not None
            self.took.append(turn.arrived - due)
            self.slipped.append(turn.sent - due)
        except Exception as error:
            self.failed.append(f"{table.game}: {error!r}")
        finally:
            table.busy = False

    def at(self, share: float) -> float:
        """Return in how many seconds this share of the turns came through."""
        took = sorted(self.took)
        return took[min(len(took) - 1, int(share * len(took)))] if took else float("inf")

    def good(self, late: float) -> bool:
        """Tell whether all turns came through, and 99 in 100 within so many seconds."""
        return not self.missed and not self.failed and self.at(0.99) < late

    def said(self) -> str:
        """Return the times as a line."""
        slipped = sorted(self.slipped)[int(0.99 * len(self.slipped))] if self.slipped else 0.0
        return (
            f"{len(self.took)} turns, {1000 * self.at(0.5):.0f} ms median, "
            f"{1000 * self.at(0.99):.0f} ms 99th percentile, {1000 * self.at(1):.0f} ms longest "
            f"(sent late by {1000 * slipped:.0f} ms), {self.missed} missed, "
            f"{len(self.failed)} failed"
        )


async def killing(
    crowd: Crowd, servers: list[Process], kills: int, rate: float
) -> tuple[Pace, list[tuple[float, float]], list[float]]:
    """Kill servers (-9) under load, one after the other, and begin them anew.

    Returns the turns, from when to when each outage was, and how long after each new beginning
    everybody was back.
    """
    pace = Pace(crowd)
    going = asyncio.create_task(pace.go_on(rate))
    outages: list[tuple[float, float]] = []
    returns: list[float] = []
    for server, _ in zip(cycle(servers), range(kills), strict=False):
        await asyncio.sleep(RUN_SECONDS)
        killed = time()
        server.kill()
        server.start(wait=False)
        await asyncio.sleep(0.05)  # for those who were there to notice
        await crowd.back()
        outages.append((killed, time()))
        returns.append(outages[-1][1] - server.begun)
        await asyncio.to_thread(server.wait)
    await asyncio.sleep(RUN_SECONDS)
    going.cancel()
    await pace.finish()
    return pace, outages, returns
