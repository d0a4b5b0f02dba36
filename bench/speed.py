"""Benchmark of the rules: random games, steps and perft, on one core, after warm-up.

Times are processor time. Games are played to their end or 1,000 moves, without repetition rules.
"""

from time import process_time
from typing import Any

from damier import Rules, load_rules
from measure import best, calibrate, store

# Game, preset, random games to play, perft depth, and target in games per second.
MEASURED = [
    ("fraha", "leaflet", 30_000, 4, 120_000),
    ("chefa", "leaflet", 15_000, 5, 50_000),
    ("badia", "leaflet", 6_000, 8, 20_000),
    ("seega", "leaflet", 30_000, 2, 150_000),
    ("fanorona", "malagasy", 20_000, 5, 80_000),
    ("fanorona", "international", 40_000, 6, 150_000),
]


def measure(rules: Rules, games: int, depth: int) -> dict[str, float]:
    """Return the figures of one game."""
    rules.compile()
    start, loops = rules.start().words, rules.loops
    tally, scratch = loops.buffer(6), loops.buffer(6)
    loops.random_games(*start, games, 1000, 1, tally)  # warm-up; these games are counted
    seconds = best(lambda: loops.random_games(*start, games, 1000, 1, scratch), 9, process_time)
    paths = loops.perft(*start, depth)
    perft_seconds = best(lambda: loops.perft(*start, depth), 5, process_time)
    return {
        "games": round(games / seconds),
        "steps": round(int(tally[5]) / seconds),
        "perft": round(paths / perft_seconds),
        "turns_a_game": round(int(tally[4]) / games, 1),
    }


def main() -> None:
    """Print and store the figures."""
    figures: dict[str, Any] = {"calibration": round(calibrate(), 1)}
    print(f"calibration loop: {figures['calibration']} million rounds/s")
    print(f"{'':24} {'games/s':>9} {'aim':>9} {'steps/s':>12} {'perft':>8} {'positions/s':>13}")
    for name, preset, games, depth, target in MEASURED:
        row = measure(load_rules(name, preset), games, depth)
        figures[f"{name} {preset}"] = row
        print(
            f"{name + ' ' + preset:24} {row['games']:9,} {target:9,} {row['steps']:12,}"
            f" {depth:8} {row['perft']:13,}"
        )
    store("speed", figures)


if __name__ == "__main__":
    main()
