"""Benchmark of online games: throughput, latency, and losses when servers are killed.

    python bench/online.py [--games 500] [--watchers 500] [--rate 100] [--seconds 30] [--kills 200]
                           [--fault-games 50] [--outage-games 20] [--only sqlite] [--port 8717]
                           [--store]

It starts its own servers: one process with SQLite, two with a PostgreSQL cluster of its own. Every
game is live and has two clients with a WebSocket each, which play random moves from a script; all
watchers follow one of the games. Moves start at a constant rate, whether or not earlier ones have
arrived. The latency of a move is the time from its due time until the opponent has received it.

*Load*: the given rate; then the rate is raised until moves are late, which is the limit. *Faults*:
under load a server process is killed (-9) and restarted again and again. The clients reconnect, ask
for the events they missed and send unacknowledged moves again. At the end the events that clients
saw are compared with the stored ones. *Outage*: the database cannot be written for 12 seconds
while 8 seconds are left on all clocks; nobody may lose on time. The whole benchmark takes a quarter
of an hour. With `--store` lines are added to bench/results/online.jsonl.
"""

import argparse
import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import time

from cluster import Cluster
from measure import store
from online_audit import Audit, audit
from online_load import ClientGroup, MoveLoad, kill_servers
from online_outage import play_through_outage
from online_servers import ServerProcess, new_database, running_servers

MAX_P99_SECONDS = 0.1  # limit of the 99th percentile of the latency
RATE_FACTOR = 1.5  # by which the rate grows until moves are late
STEP_SECONDS = 6.0


@contextmanager
def cores(servers: list[ServerProcess]) -> Iterator[dict[str, float]]:
    """Measure the CPU cores that the servers use in the block."""
    result: dict[str, float] = {}
    before, began = [server.cpu_seconds() for server in servers], time()
    yield result
    used = sum(server.cpu_seconds() for server in servers) - sum(before)
    result["cores"] = round(used / (time() - began), 2)


async def load(kind: str, servers: list[ServerProcess], args: argparse.Namespace) -> bool:
    """Measure moves at the given rate, then find the limit; return whether the targets are met."""
    clients = ClientGroup()
    await clients.enter([server.address for server in servers], args.games, args.watchers)
    await MoveLoad(clients).run(args.rate, 3)  # warm-up of all connections and statements
    moves = MoveLoad(clients)
    with cores(servers) as used:
        await moves.run(args.rate, args.seconds)
    memory = [round(server.memory()) for server in servers]
    print(
        f"{kind}: {args.games} games, {args.watchers} watchers of one, {args.rate:.0f} turns/s: "
        f"{moves.summary()}; {used['cores']} cores, {' and '.join(map(str, memory))} MB",
        flush=True,
    )
    best, broken, overload = 0.0, args.rate, (0.0, 0.0)
    if moves.good(MAX_P99_SECONDS):
        best, broken, overload = await _find_limit(kind, clients, args)
    report = await audit(clients.tables, [overload])
    print(f"{kind}: {report.summary()}", flush=True)
    _print_failures(report, moves)
    await clients.leave()
    if args.store:
        figures = {
            "turns": len(moves.took),
            "median": round(1000 * moves.at(0.5), 1),
            "p99": round(1000 * moves.at(0.99), 1),
            "longest": round(1000 * moves.at(1), 1),
            **used,
            "memory": memory,
            "good": best,
            "breaks": broken,
        }
        settings = {name: getattr(args, name) for name in ("games", "watchers", "rate", "seconds")}
        store("online", {"what": "load", "database": kind, **settings, **figures})
    return moves.good(MAX_P99_SECONDS) and report.good and max(memory) < 600


async def _find_limit(
    kind: str, crowd: ClientGroup, args: argparse.Namespace
) -> tuple[float, float | None, tuple[float, float]]:
    """Return the highest good rate, the first bad rate, and the period of the latter.

    The audit treats that period as an outage, because clocks do not measure how long players wait.
    """
    best = rate = args.rate
    for _ in range(args.steps):
        rate = round(rate * RATE_FACTOR)
        pace, began = MoveLoad(crowd), time()
        await pace.run(rate, STEP_SECONDS)
        print(f"{kind}: {rate:.0f} turns/s: {pace.summary()}", flush=True)
        if not pace.good(MAX_P99_SECONDS):
            return best, rate, (began, time())
        best = rate
    return best, None, (0.0, 0.0)


async def faults(kind: str, servers: list[ServerProcess], args: argparse.Namespace) -> bool:
    """Kill servers under load, one at a time; return whether nothing was lost."""
    clients = ClientGroup()
    await clients.enter([server.address for server in servers], args.fault_games, 0)
    moves, outages, returns = await kill_servers(clients, servers, args.kills, args.fault_rate)
    report = await audit(clients.tables, outages)
    print(
        f"{kind}: {args.kills} kills under {args.fault_rate:.0f} turns/s of {args.fault_games} "
        f"games: {report.summary()}; "
        f"all players back after {sorted(returns)[len(returns) // 2]:.1f} s "
        f"median, {max(returns):.1f} s longest",
        flush=True,
    )
    _print_failures(report, moves)
    await clients.leave()
    if args.store:
        figures = {
            "kills": args.kills,
            "games": args.fault_games,
            "rate": args.fault_rate,
            "turns": report.moves,
            "lost": len(report.lost),
            "twice": len(report.twice),
            "others": len(report.others),
            "clocks": len(report.clocks),
            "worst_clock": round(report.worst_clock, 3),
            "back": round(max(returns), 2),
        }
        store("online", {"what": "faults", "database": kind, **figures})
    return report.good and not moves.failed and max(returns) < 5


async def outage(
    kind: str,
    servers: list[ServerProcess],
    database: str,
    cluster: Cluster | None,
    args: argparse.Namespace,
) -> bool:
    """Take the database away for longer than the clocks last; return whether nobody lost."""
    clients = ClientGroup()
    await clients.enter([server.address for server in servers], args.outage_games, 0)
    result = await play_through_outage(clients, servers, database, cluster)
    report = await audit(clients.tables, [result.period])
    print(f"{kind}: {args.outage_games} games, {result.summary()}; {report.summary()}", flush=True)
    for line in (*result.flagged[:5], *report.lost[:5], *report.twice[:5], *report.others[:5]):
        print(f"  {line}")
    await clients.leave()
    if args.store:
        figures = {
            "games": args.outage_games,
            "refused": result.refused,
            "flagged": len(result.flagged),
            "recovery": round(result.recovery_s, 2),
            "lost": len(report.lost),
        }
        store("online", {"what": "outage", "database": kind, **figures})
    return result.good and not (report.lost or report.twice or report.others)


def _print_failures(found: Audit, pace: MoveLoad) -> None:
    """Print the first failures of each kind."""
    for what in (found.lost, found.twice, found.others, found.clocks, pace.failed):
        for line in what[:5]:
            print(f"  {line}")


def measure(args: argparse.Namespace) -> bool:
    """Run the chosen measurements; return whether all targets are met."""
    good = True
    for kind in args.only or ("sqlite", "postgresql"):
        ports = [args.port] if kind == "sqlite" else [args.port, args.port + 1]
        if args.games:
            with new_database(kind) as (database, _), running_servers(database, ports) as servers:
                good &= asyncio.run(load(kind, servers, args))
        if args.kills:
            with new_database(kind) as (database, _), running_servers(database, ports) as servers:
                good &= asyncio.run(faults(kind, servers, args))
        if args.outage_games:
            with (
                new_database(kind) as (database, cluster),
                running_servers(database, ports) as servers,
            ):
                good &= asyncio.run(outage(kind, servers, database, cluster, args))
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
    parser.add_argument("--outage-games", type=int, default=20)
    parser.add_argument("--only", action="append", choices=("sqlite", "postgresql"))
    parser.add_argument("--port", type=int, default=8717)
    parser.add_argument("--store", action="store_true")
    args = parser.parse_args()
    good = measure(args)
    print("all targets are met" if good else "some targets are not met")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
