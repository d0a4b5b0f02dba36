"""What all benchmarks share: a calibration loop, a line about the machine, a place for results."""

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
NODES = 400_000  # of a position, for the speed of a search


@kernel
def calibration(rounds: int) -> int:
    """Return something that takes a while: the same integer work on every machine."""
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
    """Return the shortest of some times, in seconds: others use the machine too.

    For work on one core, `time.process_time` leaves out when the process had to wait for it.
    """
    times = []
    for _ in range(repeats):
        begin = clock()
        action()
        times.append(clock() - begin)
    return min(times)


def calibrate() -> float:
    """Return how many million rounds of the calibration loop a second this machine does now."""
    import numba

    loop: Any = numba.njit(calibration)
    loop(1)
    return 50 / best(lambda: loop(50_000_000), clock=time.process_time)


def searched(name: str, clock: Callable[[], float] = time.process_time) -> list[float]:
    """Return how many nodes a search looks at on the named positions, and in how many seconds."""
    rules = damier.game(name)
    warm(rules)
    engine = Engine(rules, room=NODES, compiled=True)
    games = [damier.Game(rules.position(text)) for text in POSITIONS[name].values()]
    engine.think(games[0], Limits(nodes=NODES))  # touches the memory, and what compiles late does
    found, began = 0, clock()
    for game in games:
        found += engine.think(game, Limits(nodes=NODES)).nodes
    return [found, clock() - began]


def reached(name: str, seconds: float) -> int:
    """Return how deep a search looks at the first of the named positions in so many seconds."""
    rules = damier.game(name)
    position = rules.position(next(iter(POSITIONS[name].values())))
    engine = Engine(rules, compiled=True)
    return engine.think(damier.Game(position), Limits(seconds=seconds)).depth


def store(name: str, figures: dict[str, Any]) -> None:
    """Add a line to the results of a benchmark, with the version and the machine."""
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
