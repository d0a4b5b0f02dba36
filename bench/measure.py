"""Shared helpers of the benchmarks: calibration, timing and storage of results."""

import json
import os
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import damier
from damier import files
from damier.jit import kernel
from damier.search import Engine, Limits, warm

HERE = Path(__file__).parent
RESULTS = HERE / "results"
POSITIONS: dict[str, dict[str, str]] = json.loads((HERE / "positions.json").read_text("utf-8"))
NODES = 400_000  # per position, to measure the speed of a search


@kernel
def calibration(rounds: int) -> int:
    """Run a loop of integer operations, the same on every machine; return its result."""
    x = 1
    for _ in range(rounds):
        x = (x * 6364136223846793005 + 1442695040888963407) & 0x7FFFFFFFFFFFFFFF
        x ^= x >> 29
    return x


def best(
    action: Callable[[], object],
    repeats: int = 3,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Return the shortest time of some runs, in seconds, to reduce the effect of other load.

    For work on one core, `time.process_time` excludes waiting time.
    """
    times = []
    for _ in range(repeats):
        begin = clock()
        action()
        times.append(clock() - begin)
    return min(times)


def calibrate() -> float:
    """Return the current speed of this machine, in million rounds of the loop per second."""
    import numba

    loop: Any = numba.njit(calibration)
    loop(1)
    return 50 / best(lambda: loop(50_000_000), clock=time.process_time)


def measure_search(name: str, clock: Callable[[], float] = time.process_time) -> list[float]:
    """Return the nodes and seconds of a search of the named positions."""
    rules = damier.load_rules(name)
    warm(rules)
    engine = Engine(rules, expected_nodes=NODES, compiled=True)
    games = [damier.Game(rules.position(text)) for text in POSITIONS[name].values()]
    engine.think(games[0], Limits(nodes=NODES))  # warm-up of memory and kernels
    nodes, began = 0, clock()
    for game in games:
        nodes += engine.think(game, Limits(nodes=NODES)).nodes
    return [nodes, clock() - began]


def measure_depth(name: str, seconds: float) -> int:
    """Return the depth of a search of the first named position after some seconds."""
    rules = damier.load_rules(name)
    position = rules.position(next(iter(POSITIONS[name].values())))
    engine = Engine(rules, compiled=True)
    return engine.think(damier.Game(position), Limits(seconds=seconds)).depth


def store(name: str, figures: dict[str, Any]) -> None:
    """Append a line to the results of a benchmark, with version and machine."""
    line = {
        "version": damier.__version__,
        "date": time.strftime("%Y-%m-%d"),
        "machine": f"{platform.machine()} {_processor()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        **figures,
    }
    RESULTS.mkdir(exist_ok=True)
    files.append(RESULTS / f"{name}.jsonl", json.dumps(line) + "\n")


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in text.splitlines() if "model name" in line]
    return names[0] if names else platform.processor()
