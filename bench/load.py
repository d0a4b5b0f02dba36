"""How fast the server answers 50 players while its engine thinks.

    python bench/load.py [--players 50] [--seconds 20] [--thinkers 4]

Starts a server of its own in another process. Each player plays random turns of all games with a
pause between two, as people do: a request for the steps, one for the game after the turn. The
thinkers keep the engine's queue busy with moves of level 8 and analyses. Printed: how long the
players' requests took, in milliseconds, and how often the engine answered.
"""

import argparse
import asyncio
import random
import subprocess
import sys
from time import perf_counter
from typing import Any

import httpx2 as httpx

from damier.games import GAMES

_SERVER = "import sys; from damier.cli import main; main(sys.argv[1:])"


def serve() -> tuple[subprocess.Popen[str], str]:
    command = [sys.executable, "-c", _SERVER, "web", "--port", "8900", "--no-browser"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    line = server.stdout.readline()
    return server, next(word for word in line.split() if word.startswith("http"))


async def timed(client: httpx.AsyncClient, body: dict[str, Any], took: list[float]) -> Any:
    began = perf_counter()
    answer = await client.post("/api/v1/state", json=body)
    took.append(1000 * (perf_counter() - began))
    answer.raise_for_status()
    return answer.json()


async def player(client: httpx.AsyncClient, seed: int, end: float, took: list[float]) -> None:
    """Play random turns, asking what the page asks."""
    dice = random.Random(seed)
    names = list(GAMES)
    await asyncio.sleep(5 * dice.random())  # people do not sit down all at once
    while perf_counter() < end:
        body: dict[str, Any] = {"game": names[seed % len(names)], "turns": []}
        state = await timed(client, body, took)
        while not state["result"] and len(body["turns"]) < 80 and perf_counter() < end:
            await asyncio.sleep(0.5 + dice.random())
            begun: list[int] = []
            steps = state["steps"]
            while True:
                step = dice.choice(steps)
                begun.append(step["step"])
                if step["turn"] is not None:
                    break
                steps = step["then"]
                if steps is None:
                    steps = (await timed(client, {**body, "begun": begun}, took))["steps"]
            body["turns"].append(step["turn"])
            state = await timed(client, body, took)


async def thinker(client: httpx.AsyncClient, seed: int, end: float, done: list[str]) -> None:
    """Keep the engine busy."""
    names = list(GAMES)
    while perf_counter() < end:
        name = names[(seed + len(done)) % len(names)]
        path, more = ("move", {"level": 8}) if seed % 2 else ("analysis", {"seconds": 2})
        answer = await client.post(f"/api/v1/{path}", json={"game": name, **more})
        done.append(str(answer.status_code))
        if answer.status_code == 503:
            await asyncio.sleep(float(answer.headers["retry-after"]))


async def measure(address: str, players: int, thinkers: int, seconds: float) -> None:
    limits = httpx.Limits(max_connections=players + thinkers + 10)
    async with httpx.AsyncClient(base_url=address, timeout=60, limits=limits) as client:
        for name in GAMES:  # compiled before the clock starts
            while not (await client.post("/api/v1/warm", json={"game": name})).json()["ready"]:
                await asyncio.sleep(0.2)
        await asyncio.gather(*(client.get("/api/v1/games") for _ in range(players)))  # connected
        took: list[float] = []
        done: list[str] = []
        end = perf_counter() + seconds
        await asyncio.gather(
            *(player(client, k, end, took) for k in range(players)),
            *(thinker(client, k, end, done) for k in range(thinkers)),
        )
    took.sort()
    at = [took[min(len(took) - 1, int(len(took) * share))] for share in (0.5, 0.99, 1)]
    print(
        f"{players} players, {thinkers} thinkers, {seconds:.0f} s: {len(took)} requests, "
        f"{at[0]:.1f} ms median, {at[1]:.1f} ms 99th percentile, {at[2]:.1f} ms longest; "
        f"{done.count('200')} engine answers, {done.count('503')} times busy"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the server under load.")
    parser.add_argument("--players", type=int, default=50)
    parser.add_argument("--thinkers", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=20)
    args = parser.parse_args()
    server, address = serve()
    try:
        asyncio.run(measure(address, args.players, args.thinkers, args.seconds))
    finally:
        server.terminate()
        server.wait(10)


if __name__ == "__main__":
    main()
