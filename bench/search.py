"""Benchmark of the search: nodes per second, depth in a second, latency by level, and stopping.

    python bench/search.py             print, and add a line to bench/results/search.jsonl
    python bench/search.py --signature write the node counts that test_search_data.py checks

Depths are those reached in a second on the named positions of bench/positions.json. The time of a
level is its slowest move in the first moves of a game against itself. Speed uses processor time,
which depends little on other load; the rest uses wall time.
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
PAGE_LEVEL = 2  # the page's default
LEVEL_MOVES = {PAGE_LEVEL: 30, 5: 30, 7: 20, 8: 8}  # levels and numbers of moves to time
NODES_A_SECOND = {"fanorona": 1.5e6}  # target
SECONDS = {PAGE_LEVEL: 0.5, 8: 3.0}  # target
STOP_SECONDS = 0.05  # target


def signature() -> dict[str, dict[str, int]]:
    """Return the nodes of a search of fixed depth on each position."""
    counts: dict[str, dict[str, int]] = {}
    for name, positions in POSITIONS.items():
        rules = damier.load_rules(name)
        warm(rules)
        engine = Engine(rules, expected_nodes=1 << 18)
        counts[name] = {
            label: engine.think(damier.Game(rules.position(text)), Limits(depth=SIGNED_DEPTH)).nodes
            for label, text in positions.items()
        }
    return counts


def speed(rules: damier.Rules, seconds: float) -> dict[str, Any]:
    """Return nodes per second over the named positions, and the depth on each."""
    limits = Limits(seconds=seconds)
    engine = Engine(rules, expected_nodes=limits.expected_nodes)
    engine.think(damier.Game(rules), limits)  # warm-up of the memory
    nodes, spent, depths = 0, 0.0, {}
    for label, text in POSITIONS[rules.name].items():
        began = process_time()
        result = engine.think(damier.Game(rules.position(text)), limits)
        spent += process_time() - began
        nodes += result.nodes
        depths[label] = result.depth
    return {"nodes_a_second": round(nodes / spent), "depths": depths}


def longest_answer(rules: damier.Rules, level: int, moves: int) -> float:
    """Return the time of a level's slowest move, in seconds."""
    player, game, longest = LevelPlayer(level, seed=1), damier.Game(rules), 0.0
    while game.ply < moves and game.result() is None:
        began = perf_counter()
        move = player.choose(game)
        longest = max(longest, perf_counter() - began)
        game = game.play(move)
    return longest


def longest_stop(rules: damier.Rules, times: int = 10) -> float:
    """Return the longest time from the stop signal to the end of a search, in seconds."""
    engine, longest = Engine(rules), 0.0
    for k in range(times):
        stop, set_at = Stop(), list[float]()

        def set_stop(stop: Stop = stop, set_at: list[float] = set_at) -> None:
            set_at.append(perf_counter())
            stop.set()

        timer = threading.Timer(0.1 + 0.013 * k, set_stop)
        timer.start()
        engine.think(damier.Game(rules), Limits(), multipv=True, stop=stop)
        longest = max(longest, perf_counter() - set_at[0])
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
        rules = damier.load_rules(name)
        warm(rules)
        results = speed(rules, args.seconds)
        results["stop_ms"] = round(1000 * longest_stop(rules), 1)
        results["answer_ms"] = {
            str(level): round(1000 * longest_answer(rules, level, moves))
            for level, moves in LEVEL_MOVES.items()
        }
        figures[name] = results
        target = NODES_A_SECOND.get(name)
        print(
            f"{name}: {results['nodes_a_second']:,} nodes/s",
            f"(to reach: {target:,.0f})" if target else "",
        )
        print(f"  depth in {args.seconds} s: {results['depths']}")
        print(f"  stops within {results['stop_ms']} ms (to reach: {1000 * STOP_SECONDS:.0f})")
        for level, milliseconds in results["answer_ms"].items():
            target = SECONDS.get(int(level))
            print(
                f"  level {level}: {milliseconds} ms", f"(to reach: {target} s)" if target else ""
            )
        sys.stdout.flush()
    store("search", figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
