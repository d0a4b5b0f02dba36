"""How long solving takes, and how fast tables answer: on all cores, with warm kernels.

`seconds` are by the clock, the best of three for the small games; `processor` is processor time
of all cores together, which a machine that others use does not change much.

`python bench/solve.py` measures the small games, Fanorona 3×5 and probing; with `endings` also the
endings of Fanorona 5×9 with 5 pawns and of Seega with 8, which take minutes.
"""

import resource
import sys
import time
from typing import Any

import numpy as np

from damier import Rules, game
from damier.solve import endings, solver, tables
from measure import best, calibrate, store

# Seconds to reach on 2 cores.
SMALL = {"fraha": 1.5, "chefa": 4.0, "badia": 3.0}


def tiered(rules: Rules, pawns: int | None) -> float:
    return endings.solve_tiers(rules, pawns).seconds


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


def main() -> None:
    figures: dict[str, Any] = {"calibration": round(calibrate())}
    for name, target in SMALL.items():
        rules = game(name)
        solver.solve(rules)
        seconds = min(solver.solve(rules).seconds for _ in range(3))
        begun = time.process_time()
        solver.solve(rules)
        cpu = time.process_time() - begun
        figures[name] = {"seconds": round(seconds, 2), "processor": round(cpu, 2)}
        figures[name] |= probing(rules)
        print(name, figures[name], f"to reach: {target} s", flush=True)
    small = game("fanorona", "international", board="3x5")
    tiered(game("fanorona", "international", board="3x3"), None)
    begun = time.process_time()
    seconds = tiered(small, None)
    cpu = time.process_time() - begun
    figures["fanorona 3x5"] = {"seconds": round(seconds, 1), "processor": round(cpu, 1)}
    print("fanorona 3x5", figures["fanorona 3x5"], "to reach: 15 s", flush=True)
    if "endings" in sys.argv:
        for label, rules, pawns in (
            ("fanorona 5x9, 5 pawns", game("fanorona"), 5),
            ("fanorona 5x9 international, 5 pawns", game("fanorona", "international"), 5),
            ("seega, 8 pawns", game("seega"), 8),
        ):
            tiered(rules, 3)
            figures[label] = {"seconds": round(tiered(rules, pawns), 1)}
            print(label, figures[label], "to reach: 300 s", flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    figures["peak_memory_mb"] = round(peak / 1024)
    print("peak memory", figures["peak_memory_mb"], "MB")
    store("solve", figures)


if __name__ == "__main__":
    main()
