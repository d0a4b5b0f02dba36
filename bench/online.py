"""How many games between people a server bears, and what is lost when it is killed.

    python bench/online.py [--games 500] [--watchers 500] [--rate 100] [--seconds 30] [--kills 200]
                           [--fault-games 50] [--only sqlite] [--port 8717] [--store]

Starts servers of its own: one process with SQLite, two with a PostgreSQL of the benchmark's own.
Every game is live and has two players with a WebSocket each, who play random turns by a script; all
watchers look at one of the games. Turns begin at a steady rate, whether or not those before have
come through, and a turn is timed from when it was due until the other player has it.

*Load*: at the given rate; then the rate is raised until turns come late: the figure at which it
breaks. *Faults*: under load a server process is killed (-9) and begun anew, again and again; each
player comes back by himself, asks for what he missed and sends again what was not acknowledged. At
the end all that players saw is compared with what is kept. The whole takes a quarter of an hour.
With `--store` lines are added to bench/results/online.jsonl.
"""

import argparse
import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import time

from measure import store
from online_audit import Audit, audit
from online_load import Crowd, Pace, killing
from online_servers import Process, database_of, serving

LATE = 0.1  # seconds: what a turn may take, for 99 in 100
STEP = 1.5  # how much faster each time, until it breaks
STEP_SECONDS = 6.0


@contextmanager
def cores(servers: list[Process]) -> Iterator[dict[str, float]]:
    """Measure how much of a core the servers use meanwhile."""
    found: dict[str, float] = {}
    before, began = [server.used() for server in servers], time()
    yield found
    used = sum(server.used() for server in servers) - sum(before)
    found["cores"] = round(used / (time() - began), 2)


async def load(kind: str, servers: list[Process], args: argparse.Namespace) -> bool:
    """Measure turns at the rate that is asked for, and find the rate that is too much."""
    crowd = Crowd()
    await crowd.enter([server.address for server in servers], args.games, args.watchers)
    await Pace(crowd).run(args.rate, 3)  # every connection and statement was used once
    pace = Pace(crowd)
    with cores(servers) as used:
        await pace.run(args.rate, args.seconds)
    memory = [round(server.memory()) for server in servers]
    print(
        f"{kind}: {args.games} games, {args.watchers} watchers of one, {args.rate:.0f} turns/s: "
        f"{pace.said()}; {used['cores']} cores, {' and '.join(map(str, memory))} MB", flush=True
    )  # fmt: skip
    best, broken, overload = 0.0, args.rate, (0.0, 0.0)
    if pace.good(LATE):
        best, broken, overload = await _break(kind, crowd, args)
    found = await audit(crowd.tables, [overload])
    print(f"{kind}: {found.said()}", flush=True)
    _complain(found, pace)
    await crowd.leave()
    if args.store:
        figures = {
            "turns": len(pace.took), "median": round(1000 * pace.at(0.5), 1),
            "p99": round(1000 * pace.at(0.99), 1), "longest": round(1000 * pace.at(1), 1),
            **used, "memory": memory, "good": best, "breaks": broken,
        }  # fmt: skip
        asked = {name: getattr(args, name) for name in ("games", "watchers", "rate", "seconds")}
        store("online", {"what": "load", "database": kind, **asked, **figures})
    return pace.good(LATE) and found.good and max(memory) < 600


async def _break(
    kind: str, crowd: Crowd, args: argparse.Namespace
) -> tuple[float, float | None, tuple[float, float]]:  # fmt: skip
    """Return the highest rate at which turns came in time, the next, and when that was tried.

    Whoever plays then is kept waiting, which his clock does not know: it counts as an outage.
    """
    best = rate = args.rate
    for _ in range(args.steps):
        rate = round(rate * STEP)
        pace, began = Pace(crowd), time()
        await pace.run(rate, STEP_SECONDS)
        print(f"{kind}: {rate:.0f} turns/s: {pace.said()}", flush=True)
        if not pace.good(LATE):
            return best, rate, (began, time())
        best = rate
    return best, None, (0.0, 0.0)


async def faults(kind: str, servers: list[Process], args: argparse.Namespace) -> bool:
    """Kill servers under load, one at a time, and check that nothing is lost."""
    crowd = Crowd()
    await crowd.enter([server.address for server in servers], args.fault_games, 0)
    pace, outages, returns = await killing(crowd, servers, args.kills, args.fault_rate)
    found = await audit(crowd.tables, outages)
    print(
        f"{kind}: {args.kills} kills under {args.fault_rate:.0f} turns/s of {args.fault_games} "
        f"games: {found.said()}; all players back after {sorted(returns)[len(returns) // 2]:.1f} s "
        f"median, {max(returns):.1f} s longest", flush=True
    )  # fmt: skip
    _complain(found, pace)
    await crowd.leave()
    if args.store:
        figures = {
            "kills": args.kills, "games": args.fault_games, "rate": args.fault_rate,
            "turns": found.turns, "lost": len(found.lost), "twice": len(found.twice),
            "others": len(found.others), "clocks": len(found.clocks),
            "worst_clock": round(found.worst_clock, 3), "back": round(max(returns), 2),
        }  # fmt: skip
        store("online", {"what": "faults", "database": kind, **figures})
    return found.good and not pace.failed and max(returns) < 5


def _complain(found: Audit, pace: Pace) -> None:
    """Name the first of what went wrong."""
    for what in (found.lost, found.twice, found.others, found.clocks, pace.failed):
        for line in what[:5]:
            print(f"  {line}")


def measure(args: argparse.Namespace) -> bool:
    """Measure all that is asked for; return whether every figure holds."""
    good = True
    for kind in args.only or ("sqlite", "postgresql"):
        ports = [args.port] if kind == "sqlite" else [args.port, args.port + 1]
        if args.games:
            with database_of(kind) as database, serving(database, ports) as servers:
                good &= asyncio.run(load(kind, servers, args))
        if args.kills:
            with database_of(kind) as database, serving(database, ports) as servers:
                good &= asyncio.run(faults(kind, servers, args))
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure online play.")
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--watchers", type=int, default=500)
    parser.add_argument("--rate", type=float, default=100)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--fault-games", type=int, default=50)
    parser.add_argument("--fault-rate", type=float, default=50)
    parser.add_argument("--only", action="append", choices=("sqlite", "postgresql"))
    parser.add_argument("--port", type=int, default=8717)
    parser.add_argument("--store", action="store_true")
    args = parser.parse_args()
    good = measure(args)
    print("every figure holds" if good else "not every figure holds")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
