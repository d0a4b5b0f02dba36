"""Benchmark of solving and of table queries: on all cores, with compiled kernels.

`seconds` is wall time, the best of three for the small games; `processor` is the processor time of
all cores, which depends little on other load; `peak_memory_mb` is the peak memory of the process.
Every item runs in its own process, so that memory is counted separately. Items with a target are
printed with the ratio of figure to target: at most 1 is good.

`python bench/solve.py` measures the small games, Fanorona 3×5 and probing; with `endings` also the
endings of Fanorona 5×9 with 5 pawns and of Seega with 8, and Teeko, from its rules alone and with
its numbering, which take minutes. The times of Teeko include compiling.
`python bench/solve.py teeko` only compares its two processor times.
"""

import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from damier import Rules, games, load_rules
from damier.solve import retrograde, tables
from measure import best, calibrate, store

# Target seconds on 2 cores.
SMALL = {"fraha": 1.5, "chefa": 4.0, "badia": 3.0}
TIERED = {
    "fanorona 3x5": (load_rules("fanorona", "international", board="3x5"), None, 15.0),
    "fanorona 5x9, 5 pawns": (load_rules("fanorona"), 5, 300.0),
    "fanorona 5x9 international, 5 pawns": (load_rules("fanorona", "international"), 5, 300.0),
    "seega, 8 pawns": (load_rules("seega"), 8, 300.0),
}
TEEKO_FOLDER = Path(__file__).parents[1] / "tests" / "data" / "games" / "teeko"
TEEKO = {"teeko": 200.0, "teeko, numbered": 200.0}
MAX_RATIO = 3  # of the processor times from the rules alone and with a numbering


def small(name: str) -> dict[str, Any]:
    rules = load_rules(name)
    retrograde.solve(rules)
    seconds = min(retrograde.solve(rules).seconds for _ in range(3))
    begun = time.process_time()
    retrograde.solve(rules)
    cpu = time.process_time() - begun
    return {"seconds": round(seconds, 2), "processor": round(cpu, 2), **probing(rules)}


def tiered(rules: Rules, pawns: int | None) -> dict[str, Any]:
    retrograde.solve(rules, 4)  # compiles
    begun = time.process_time()
    seconds = retrograde.solve(rules, pawns).seconds
    cpu = time.process_time() - begun
    return {"seconds": round(seconds, 1), "processor": round(cpu, 1)}


def teeko(numbered: bool) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as directory:
        path = TEEKO_FOLDER
        if not numbered:
            path = Path(shutil.copy(path / "rules.py", Path(directory) / "teeko.py"))
        rules = load_rules(games.load(path).name)
        begun = time.process_time()
        solution = retrograde.solve(rules)
        cpu = time.process_time() - begun
    return {
        "seconds": round(solution.seconds, 1),
        "processor": round(cpu, 1),
        "numbers": len(solution.arrays["values"]),
    }


def probing(rules: Rules) -> dict[str, float]:
    rules.compile()
    table = tables.find(rules)
    assert table is not None
    position = rules.start()
    words = np.array([position.words] * 200_000).T
    table.probe_many(*words)
    table.probe_children(position)
    batch = best(lambda: table.probe_many(*words), 5, time.process_time)
    repeats = 100
    seconds = best(
        lambda: [table.probe_children(position) for _ in range(repeats)], 9, time.process_time
    )
    return {"a_second": round(200_000 / batch), "with_turns_us": round(seconds / repeats * 1e6, 1)}


def measure(item: str) -> dict[str, Any]:
    """Measure an item in this process."""
    if item in TEEKO:
        figures = teeko(item != "teeko")
    else:
        figures = small(item) if item in SMALL else tiered(*TIERED[item][:2])
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {**figures, "peak_memory_mb": round(peak / unit)}


def measure_in_process(item: str) -> dict[str, Any]:
    """Measure an item in a new process."""
    command = [sys.executable, __file__, "item", item]
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
    figures: dict[str, Any] = json.loads(out)
    return figures


def compare() -> None:
    """Print what solving a game from its rules alone costs, relative to its own numbering."""
    alone, numbered = (measure_in_process(item) for item in TEEKO)
    print(alone, numbered, sep="\n")
    ratio = alone["processor"] / numbered["processor"]
    print(f"from the rules alone {ratio:.2f} times as long; to reach: at most {MAX_RATIO}")


def main() -> None:
    if sys.argv[1:2] == ["item"]:
        print(json.dumps(measure(sys.argv[2])))
        return
    items = SMALL | {name: target for name, (*_, target) in TIERED.items()} | TEEKO
    if "teeko" in sys.argv:
        compare()
        return
    if "endings" not in sys.argv:
        items = {name: items[name] for name in (*SMALL, "fanorona 3x5")}
    figures: dict[str, Any] = {"calibration": round(calibrate())}
    for item, target in items.items():
        result = figures[item] = measure_in_process(item)
        result["ratio"] = round(result["seconds"] / target, 2)
        print(item, result, f"to reach: {target} s, ratio {result['ratio']}", flush=True)
    figures["peak_memory_mb"] = max(figures[item]["peak_memory_mb"] for item in items)
    print("peak memory", figures["peak_memory_mb"], "MB")
    store("solve", figures)


if __name__ == "__main__":
    main()
