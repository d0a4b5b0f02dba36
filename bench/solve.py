"""How long solving takes, and how fast tables answer: on all cores, with warm kernels.

`seconds` are by the clock, the best of three for the small games; `processor` is processor time
of all cores together, which a machine that others use does not change much; `peak_memory_mb` is the
most memory that the process had, its threads included. Every item is measured in a process of its
own, or the memory of one would be counted for the next. What has a target is printed with the ratio
of the figure to the target: 1 or less is reached.

`python bench/solve.py` measures the small games, Fanorona 3×5 and probing; with `endings` also the
endings of Fanorona 5×9 with 5 pawns and of Seega with 8, which take minutes.
"""

import json
import resource
import subprocess
import sys
import time
from typing import Any

import numpy as np

from damier import Rules, game
from damier.solve import retrograde, tables
from measure import best, calibrate, store

# Seconds to reach on 2 cores.
SMALL = {"fraha": 1.5, "chefa": 4.0, "badia": 3.0}
TIERED = {
    "fanorona 3x5": (game("fanorona", "international", board="3x5"), None, 15.0),
    "fanorona 5x9, 5 pawns": (game("fanorona"), 5, 300.0),
    "fanorona 5x9 international, 5 pawns": (game("fanorona", "international"), 5, 300.0),
    "seega, 8 pawns": (game("seega"), 8, 300.0),
}


def small(name: str) -> dict[str, Any]:
    rules = game(name)
    retrograde.solve(rules)
    seconds = min(retrograde.solve(rules).seconds for _ in range(3))
    begun = time.process_time()
    retrograde.solve(rules)
    cpu = time.process_time() - begun
    return {"seconds": round(seconds, 2), "processor": round(cpu, 2), **probing(rules)}


def tiered(rules: Rules, pawns: int | None) -> dict[str, Any]:
    retrograde.solve(rules, 3)  # compiles
    begun = time.process_time()
    seconds = retrograde.solve(rules, pawns).seconds
    cpu = time.process_time() - begun
    return {"seconds": round(seconds, 1), "processor": round(cpu, 1)}


def probing(rules: Rules) -> dict[str, float]:
    rules.compile()
    table = tables.find(rules)
    assert table is not None
    position = rules.start()
    words = np.array([position.words] * 200_000).T
    table.probe_many(*words)
    table.probe_children(position)
    batch = best(lambda: table.probe_many(*words), 5, time.process_time)
    many = 100
    one = best(lambda: [table.probe_children(position) for _ in range(many)], 9, time.process_time)
    return {"a_second": round(200_000 / batch), "with_turns_us": round(one / many * 1e6, 1)}


def measured(item: str) -> dict[str, Any]:
    """Measure an item in this process."""
    figures = small(item) if item in SMALL else tiered(*TIERED[item][:2])
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {**figures, "peak_memory_mb": round(peak / unit)}


def apart(item: str) -> dict[str, Any]:
    """Measure an item in a process of its own."""
    command = [sys.executable, __file__, "item", item]
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
    figures: dict[str, Any] = json.loads(out)
    return figures


def main() -> None:
    if sys.argv[1:2] == ["item"]:
        print(json.dumps(measured(sys.argv[2])))
        return
    items = SMALL | {name: target for name, (_, _, target) in TIERED.items()}
    if "endings" not in sys.argv:
        items = {name: items[name] for name in (*SMALL, "fanorona 3x5")}
    figures: dict[str, Any] = {"calibration": round(calibrate())}
    for item, target in items.items():
        found = figures[item] = apart(item)
        found["ratio"] = round(found["seconds"] / target, 2)
        print(item, found, f"to reach: {target} s, ratio {found['ratio']}", flush=True)
    figures["peak_memory_mb"] = max(figures[item]["peak_memory_mb"] for item in items)
    print("peak memory", figures["peak_memory_mb"], "MB")
    store("solve", figures)


if __name__ == "__main__":
    main()
