"""How fast the server answers many players while its engine thinks and someone asks unfairly.

    python bench/load.py [--players 200] [--seconds 20] [--thinkers 4] [--unfair 30] [--pause 0]
                         [--port 8900] [--store]

Starts a server of its own in another process. Each player, from an address of his own, plays random
turns of all games: a request for the steps, one for the game after the turn, and without `--pause`
no pause between two. The thinkers keep the engine busy with moves of level 8 and analyses. One more
asker keeps `--unfair` requests open at once: very long games, positions with very many turns and
long analyses. Printed: how long the players' requests took, in milliseconds, who was refused,
whether anyone starved, and, where the system tells, how much of a core the event loop took for a
request, which others who use the machine change least. With `--store` a line is added to
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
_MANY_TURNS = {
    "game": "fanorona",
    "options": {"board": "7x9", "turning": "no"},
    "start": "wwbbb.bbb/b...b..bb/bb...b..b/w.bb.bb.w/bw.b...bb/bb..b..b./w.bwbbb.b w 0",
}


def serve(port: int) -> tuple[subprocess.Popen[str], str]:
    command = [sys.executable, "-c", _SERVER, "web", "--port", str(port), "--no-browser"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    line = server.stdout.readline()
    return server, next(word for word in line.split() if word.startswith("http"))


def used(process: int) -> float | None:
    """Return the seconds that a process has used a core, where the system tells."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@dataclass
class Asker:
    """One connection from an address of its own: a client as light as can be."""

    server: str
    address: str
    took: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, body: Any) -> Any:
        """Return the answer to a request, or None if it is refused."""
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


async def player(asker: Asker, seed: int, end: float, pause: float) -> None:
    """Play random turns, asking what the page asks."""
    dice, names = random.Random(seed), list(GAMES)
    while perf_counter() < end:
        body: dict[str, Any] = {"game": names[seed % len(names)], "turns": []}
        state = await asker.post("state", body)
        while state and not state["result"] and len(body["turns"]) < 80 and perf_counter() < end:
            await asyncio.sleep(pause * (0.5 + dice.random()))
            begun: list[int] = []
            steps = state["steps"]
            while steps:
                step = dice.choice(steps)
                begun.append(step["step"])
                if step["turn"] is not None:
                    body["turns"].append(step["turn"])
                    break
                steps = step["then"]
                if steps is None:
                    found = await asker.post("state", {**body, "begun": begun})
                    steps = found and found["steps"]
            state = await asker.post("state", body)
        if state is None:
            await asyncio.sleep(1)


async def thinker(asker: Asker, seed: int, end: float) -> None:
    """Keep the engine busy."""
    for name in cycle(GAMES):
        if perf_counter() > end:
            return
        path, more = ("move", {"level": 8}) if seed % 2 else ("analysis", {"seconds": 2})
        if await asker.post(path, {"game": name, **more}) is None:
            await asyncio.sleep(1)


def long_game() -> dict[str, Any]:
    """Return a game that takes long to replay: one in which the pawns do not run out."""
    name = next(name for name in GAMES if not damier.game(name).file.CAPTURES)
    game, dice = damier.Game(damier.game(name)), random.Random(1)
    while game.ply < 1500:
        turn = dice.choice(list(game.position.iter_turns()))
        after = game.play(turn)
        game = game if after.over else after
    return {"game": name, "turns": [turn.text for turn in game.turns_played]}


async def unfair(asker: Asker, seed: int, end: float, long: dict[str, Any]) -> None:
    """Ask for what takes longest, again and again; each time a little different."""
    for k in range(seed, 1 << 30):
        if perf_counter() > end:
            return
        turns = long["turns"][: len(long["turns"]) - 7 * (k % 100)]
        path, body = (
            ("state", {**long, "turns": turns}),
            ("turns", _MANY_TURNS),
            ("analysis", {**_MANY_TURNS, "seconds": 20}),
            ("analysis", {"game": long["game"], "seconds": 5}),
        )[k % 4]
        if await asker.post(path, body) is None:
            await asyncio.sleep(0.1)


async def measure(server: int, address: str, args: argparse.Namespace) -> None:
    warming = Asker(address, "127.0.0.2")
    for name in GAMES:  # compiled before the clock starts
        while not (await warming.post("warm", {"game": name}))["ready"]:
            await asyncio.sleep(0.2)
    players = [Asker(address, f"127.0.1.{k}") for k in range(1, args.players + 1)]
    thinkers = [Asker(address, f"127.0.2.{k}") for k in range(1, args.thinkers + 1)]
    greedy = [Asker(address, "127.0.3.1") for _ in range(args.unfair)]
    long, before = long_game(), used(server)
    end = perf_counter() + args.seconds
    work = [
        *(player(asker, k, end, args.pause) for k, asker in enumerate(players)),
        *(thinker(asker, k, end) for k, asker in enumerate(thinkers)),
        *(unfair(asker, k, end, long) for k, asker in enumerate(greedy)),
    ]
    await asyncio.wait_for(asyncio.gather(*work), args.seconds + 60)
    after = used(server)
    took = sorted(time for asker in players for time in asker.took)
    at = [took[min(len(took) - 1, int(len(took) * share))] for share in (0.5, 0.99, 1)]
    print(
        f"{args.players} players, {args.thinkers} thinkers, {args.unfair} unfair requests at a "
        f"time, {args.seconds:.0f} s: {len(took)} requests of players, {at[0]:.0f} ms median, "
        f"{at[1]:.0f} ms 99th percentile, {at[2]:.0f} ms longest"
    )
    fewest = min(asker.statuses[200] for asker in players)
    print(f"fewest answers to one player: {fewest}{'' if fewest else ': starved'}")
    for name, askers in (("players", players), ("thinkers", thinkers), ("unfair", greedy)):
        statuses = sum((asker.statuses for asker in askers), Counter[int]())
        print(f"{name}: " + ", ".join(f"{n} times {s}" for s, n in sorted(statuses.items())))
    answered = sum(len(asker.took) for asker in (*players, *thinkers, *greedy))
    loop = None if before is None or after is None else 1000 * (after - before) / answered
    if loop is not None:
        print(f"event loop: {loop:.2f} ms of a core for each of {answered} requests")
    if args.store:
        asked = ("players", "thinkers", "unfair", "seconds", "pause")
        figures = {
            **{name: getattr(args, name) for name in asked},
            "requests": len(took),
            **dict(zip(("median", "p99", "longest"), (round(ms) for ms in at), strict=True)),
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
