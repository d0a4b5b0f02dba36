"""How fast the search is: nodes a second, depth in a second, answers by level, and stopping.

    python bench/search.py             print, and add a line to bench/results/search.jsonl
    python bench/search.py --signature write the node counts that tests/test_search_data.py checks

Depths are those reached in a second on the named positions of bench/positions.json. A level's
time is the longest of its answers along a game against itself, cut off after some turns. Speed is
by processor time, which others on the machine do not change much; the rest is by the clock.
"""

import argparse
import json
import sys
import threading
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import damier
from damier import files
from damier.search import Engine, Limits, Stop, warm
from damier.search.levels import LevelPlayer
from measure import calibrate, store

HERE = Path(__file__).parent
POSITIONS: dict[str, dict[str, str]] = json.loads((HERE / "positions.json").read_text("utf-8"))
SIGNATURE = HERE.parent / "tests" / "data" / "signature.json"
SIGNED_DEPTH = 4
PAGE_LEVEL = 2  # what the page offers at first
LEVEL_TURNS = {PAGE_LEVEL: 30, 5: 30, 7: 20, 8: 8}  # levels timed, and for how many turns
NODES_A_SECOND = {"fanorona": 1.5e6}  # to reach
SECONDS = {PAGE_LEVEL: 0.5, 8: 3.0}  # to reach
STOP_SECONDS = 0.05  # to reach


def signature() -> dict[str, dict[str, int]]:
    """Return the nodes that a search of fixed depth looks at, on each position."""
    found: dict[str, dict[str, int]] = {}
    for name, positions in POSITIONS.items():
        rules = damier.game(name)
        warm(rules)
        engine = Engine(rules, room=1 << 18)
        found[name] = {
            label: engine.think(damier.Game(rules.position(text)), Limits(depth=SIGNED_DEPTH)).nodes
            for label, text in positions.items()
        }
    return found


def speed(rules: damier.Rules, seconds: float) -> dict[str, Any]:
    """Return nodes a second over the named positions, and the depth reached on each."""
    limits = Limits(seconds=seconds)
    engine = Engine(rules, room=limits.room)
    engine.think(damier.Game(rules), limits)  # touches the memory for the first time
    nodes, spent, depths = 0, 0.0, {}
    for label, text in POSITIONS[rules.name].items():
        began = process_time()
        result = engine.think(damier.Game(rules.position(text)), limits)
        spent += process_time() - began
        nodes += result.nodes
        depths[label] = result.depth
    return {"nodes_a_second": round(nodes / spent), "depths": depths}


def longest_answer(rules: damier.Rules, level: int, turns: int) -> float:
    """Return how long the slowest of a level's answers took, in seconds."""
    player, game, longest = LevelPlayer(level, seed=1), damier.Game(rules), 0.0
    while game.ply < turns and game.result() is None:
        began = perf_counter()
        turn = player.choose(game)
        longest = max(longest, perf_counter() - began)
        game = game.play(turn)
    return longest


def longest_stop(rules: damier.Rules, times: int = 10) -> float:
    """Return how long, at most, a search went on after it was told to stop, in seconds."""
    engine, longest = Engine(rules), 0.0
    for k in range(times):
        stop, told = Stop(), list[float]()

        def tell(stop: Stop = stop, told: list[float] = told) -> None:
            told.append(perf_counter())
            stop.set()

        timer = threading.Timer(0.1 + 0.013 * k, tell)
        timer.start()
        engine.think(damier.Game(rules), Limits(), multipv=True, stop=stop)
        longest = max(longest, perf_counter() - told[0])
        timer.join()
    return longest


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--signature", action="store_true")
    parser.add_argument("--seconds", type=float, default=1.0)
    args = parser.parse_args()
    if args.signature:
        files.write_text(SIGNATURE, json.dumps(signature(), indent=1) + "\n")
        return 0
    figures: dict[str, Any] = {"calibration": round(calibrate())}
    for name in POSITIONS:
        rules = damier.game(name)
        warm(rules)
        found = speed(rules, args.seconds)
        found["stop_ms"] = round(1000 * longest_stop(rules), 1)
        found["answer_ms"] = {
            str(level): round(1000 * longest_answer(rules, level, turns))
            for level, turns in LEVEL_TURNS.items()
        }
        figures[name] = found
        aim = NODES_A_SECOND.get(name)
        print(
            f"{name}: {found['nodes_a_second']:,} nodes/s", f"(to reach: {aim:,.0f})" if aim else ""
        )
        print(f"  depth in {args.seconds} s: {found['depths']}")
        print(f"  stops within {found['stop_ms']} ms (to reach: {1000 * STOP_SECONDS:.0f})")
        for level, milliseconds in found["answer_ms"].items():
            aim = SECONDS.get(int(level))
            print(f"  level {level}: {milliseconds} ms", f"(to reach: {aim} s)" if aim else "")
        sys.stdout.flush()
    store("search", figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
