"""Load benchmark of the HTTP server: many players, busy engine, one greedy client.

    python bench/load.py [--players 200] [--seconds 20] [--thinkers 4] [--unfair 30] [--pause 0]
                         [--port 8900] [--store]

It starts a server in another process. Each player, from its own address, plays random moves of all
games: a request for the steps, one for the game after the move, without a pause unless `--pause` is
given. The thinkers keep the engine busy with moves of level 8 and analyses. One greedy client keeps
`--unfair` requests open: very long games, positions with very many moves and long analyses. The
output has the latencies of the players in milliseconds, the rejected requests, whether any client
got no answer at all and, if the system provides it, the CPU time of the event loop per request,
which depends least on other load of the machine. With `--store` a line is added to
bench/results/load.jsonl.
"""

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from time import perf_counter
from typing import Any
from urllib.parse import urlsplit

import damier
from damier.games import GAMES
from measure import store

_SERVER = "import sys; from damier.cli import main; main(sys.argv[1:])"
_MANY_MOVES = {
    "game": "fanorona",
    "options": {"board": "7x9", "turning": "no"},
    "start": "wwbbb.bbb/b...b..bb/bb...b..b/w.bb.bb.w/bw.b...bb/bb..b..b./w.bwbbb.b w 0",
}


def serve(port: int) -> tuple[subprocess.Popen[str], str]:
    """Start a server; return its process and its address."""
    command = [sys.executable, "-c", _SERVER, "web", "--port", str(port), "--no-browser"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    line = server.stdout.readline()
    return server, next(word for word in line.split() if word.startswith("http"))


def cpu_seconds(process: int) -> float | None:
    """Return the CPU time of a process in seconds, or None if unknown."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@dataclass
class HttpClient:
    """Minimal HTTP client with one connection from its own address."""

    server: str
    address: str
    took: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, body: Any) -> Any:
        """Return the response to a request, or None if it is rejected."""
        where = urlsplit(self.server)
        if self.streams is None:
            self.streams = await asyncio.open_connection(
                where.hostname, where.port, local_addr=(self.address, 0), limit=1 << 24
            )
        reader, writer = self.streams
        content = json.dumps(body).encode()
        began = perf_counter()
        writer.write(
            f"POST /api/v1/{path} HTTP/1.1\r\nHost: {where.netloc}\r\nContent-Length: "
            f"{len(content)}\r\nContent-Type: application/json\r\n\r\n".encode()
            + content
        )
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(head.split("content-length:")[1].split()[0])
        answer = await reader.readexactly(length)
        self.took.append(1000 * (perf_counter() - began))
        status = int(head.split()[1])
        self.statuses[status] += 1
        return json.loads(answer) if status == 200 else None


async def player(client: HttpClient, seed: int, end: float, pause: float) -> None:
    """Play random moves with the requests that the page sends."""
    rng, names = random.Random(seed), list(GAMES)
    while perf_counter() < end:
        body: dict[str, Any] = {"game": names[seed % len(names)], "turns": []}
        state = await client.post("state", body)
        while state and not state["result"] and len(body["turns"]) < 80 and perf_counter() < end:
            await asyncio.sleep(pause * (0.5 + rng.random()))
            begun: list[int] = []
            steps = state["steps"]
            while steps:
                step = rng.choice(steps)
                begun.append(step["step"])
                if step["turn"] is not None:
                    body["turns"].append(step["turn"])
                    break
                steps = step["then"]
                if steps is None:
                    response = await client.post("state", {**body, "begun": begun})
                    steps = response and response["steps"]
            state = await client.post("state", body)
        if state is None:
            await asyncio.sleep(1)


async def thinker(client: HttpClient, seed: int, end: float) -> None:
    """Keep the engine busy."""
    for name in cycle(GAMES):
        if perf_counter() > end:
            return
        path, more = ("move", {"level": 8}) if seed % 2 else ("analysis", {"seconds": 2})
        if await client.post(path, {"game": name, **more}) is None:
            await asyncio.sleep(1)


def long_game() -> dict[str, Any]:
    """Return a long game, which is slow to replay: one without captures."""
    name = next(name for name in GAMES if not damier.load_rules(name).module.CAPTURES)
    game, rng = damier.Game(damier.load_rules(name)), random.Random(1)
    while game.ply < 1500:
        move = rng.choice(list(game.position.iter_legal_moves()))
        after = game.play(move)
        game = game if after.over else after
    return {"game": name, "turns": [move.text for move in game.moves_played]}


async def unfair(client: HttpClient, seed: int, end: float, long: dict[str, Any]) -> None:
    """Send the slowest requests repeatedly, each a little different."""
    for k in range(seed, 1 << 30):
        if perf_counter() > end:
            return
        moves = long["turns"][: len(long["turns"]) - 7 * (k % 100)]
        path, body = (
            ("state", {**long, "turns": moves}),
            ("turns", _MANY_MOVES),
            ("analysis", {**_MANY_MOVES, "seconds": 20}),
            ("analysis", {"game": long["game"], "seconds": 5}),
        )[k % 4]
        if await client.post(path, body) is None:
            await asyncio.sleep(0.1)


async def measure(server: int, address: str, args: argparse.Namespace) -> None:
    """Run all clients against a server and print the figures."""
    warming = HttpClient(address, "127.0.0.2")
    for name in GAMES:  # compile before the measurement
        while not (await warming.post("warm", {"game": name}))["ready"]:
            await asyncio.sleep(0.2)
    players = [HttpClient(address, f"127.0.1.{k}") for k in range(1, args.players + 1)]
    thinkers = [HttpClient(address, f"127.0.2.{k}") for k in range(1, args.thinkers + 1)]
    greedy = [HttpClient(address, "127.0.3.1") for _ in range(args.unfair)]
    long, before = long_game(), cpu_seconds(server)
    end = perf_counter() + args.seconds
    work = [
        *(player(client, k, end, args.pause) for k, client in enumerate(players)),
        *(thinker(client, k, end) for k, client in enumerate(thinkers)),
        *(unfair(client, k, end, long) for k, client in enumerate(greedy)),
    ]
    await asyncio.wait_for(asyncio.gather(*work), args.seconds + 60)
    after = cpu_seconds(server)
    took = sorted(time for client in players for time in client.took)
    times = [took[min(len(took) - 1, int(len(took) * share))] for share in (0.5, 0.99, 1)]
    print(
        f"{args.players} players, {args.thinkers} thinkers, {args.unfair} unfair requests at a "
        f"time, {args.seconds:.0f} s: {len(took)} requests of players, {times[0]:.0f} ms median, "
        f"{times[1]:.0f} ms 99th percentile, {times[2]:.0f} ms longest"
    )
    fewest = min(client.statuses[200] for client in players)
    print(f"fewest answers to one player: {fewest}{'' if fewest else ': starved'}")
    for name, clients in (("players", players), ("thinkers", thinkers), ("unfair", greedy)):
        statuses = sum((client.statuses for client in clients), Counter[int]())
        print(f"{name}: " + ", ".join(f"{n} times {s}" for s, n in sorted(statuses.items())))
    answered = sum(len(client.took) for client in (*players, *thinkers, *greedy))
    loop = None if before is None or after is None else 1000 * (after - before) / answered
    if loop is not None:
        print(f"event loop: {loop:.2f} ms of a core for each of {answered} requests")
    if args.store:
        settings = ("players", "thinkers", "unfair", "seconds", "pause")
        figures = {
            **{name: getattr(args, name) for name in settings},
            "requests": len(took),
            **dict(zip(("median", "p99", "longest"), (round(ms) for ms in times), strict=True)),
            "fewest": fewest,
            "loop": loop and round(loop, 2),
        }
        store("load", figures)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the server under load.")
    parser.add_argument("--players", type=int, default=200)
    parser.add_argument("--thinkers", type=int, default=4)
    parser.add_argument("--unfair", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--pause", type=float, default=0)
    parser.add_argument("--port", type=int, default=8900)
    parser.add_argument("--store", action="store_true")
    args = parser.parse_args()
    args.players, args.thinkers = min(args.players, 250), min(args.thinkers, 250)
    server, address = serve(args.port)
    try:
        asyncio.run(measure(server.pid, address, args))
    finally:
        server.terminate()
        server.wait(10)


if __name__ == "__main__":
    main()
