"""Print what puzzles there are, and whether their ratings rise with the level that solves them.

    python bench/puzzles.py [--again N]

The rank correlation (Spearman's) is of a puzzle's rating and the first level that solves it in at
least half of its tries, both as stored. With `--again N` levels 1 to 7 try every Nth puzzle anew
under other seeds, and the stored rating is compared with the rating that comes out of those, and
with the first level that solves it then. `surprise` is the median of how many turns look better
than the true one at first sight, among the easier half of puzzles and among the others.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from statistics import median

import damier
from damier.puzzles import Puzzle, puzzles
from damier.puzzles.difficulty import (
    SEEDS,
    Difficulty,
    Examiners,
    rank_correlation,
    solving_level,
)
from damier.puzzles.making import turns_of
from damier.puzzles.stored import file_of
from damier.search import warm


def counted(found: Sequence[str]) -> str:
    """Return how often each of some words occurs, the most frequent first."""
    return ", ".join(f"{word} {count}" for word, count in Counter(found).most_common())


def show(name: str, listed: Sequence[Puzzle]) -> None:
    """Print what the puzzles of a game are."""
    size = file_of(name).stat().st_size
    points = [puzzle.points for puzzle in listed]
    print(f"{name}: {len(listed)} puzzles, {size:,} bytes", flush=True)
    print(f"  kinds: {counted([puzzle.kind for puzzle in listed])}")
    print(f"  proof: {counted([puzzle.proof for puzzle in listed])}")
    print(f"  turns to find: {counted([str(puzzle.length) for puzzle in listed])}")
    print(f"  themes: {counted([theme for puzzle in listed for theme in puzzle.themes])}")
    print(f"  ratings: {min(points)} to {max(points)}, median {median(points):.0f}")
    levels = [solving_level(puzzle.solved) for puzzle in listed]
    print(f"  first level that solves: {counted([str(level) for level in sorted(levels)])}")
    half = len(listed) // 2
    easy, hard = (median(p.surprise for p in part) for part in (listed[:half], listed[half:]))
    print(f"  surprise: {easy:g} among the easier half, {hard:g} among the others")
    print(f"  rank correlation of rating and level: {rank_correlation(points, levels):.3f}")


def again(listed: Sequence[Puzzle]) -> None:
    """Let the levels try some puzzles under other seeds, and print how well that agrees."""
    found: list[Difficulty] = []
    examiners: dict[damier.Rules, Examiners] = {}
    for puzzle in listed:
        rules = puzzle.rules
        if rules not in examiners:
            warm(rules)
            rules.compile()
            examiners[rules] = Examiners(rules, range(SEEDS, 2 * SEEDS))
        found.append(examiners[rules].difficulty(puzzle.start, turns_of(puzzle)))
    points = [puzzle.points for puzzle in listed]
    ratings = rank_correlation(points, [one.rating.points for one in found])
    levels = rank_correlation(points, [solving_level(one.solved) for one in found])
    print(f"  other seeds, {len(listed)} puzzles: rating {ratings:.3f}, level {levels:.3f}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--again", type=int, metavar="N")
    args = parser.parse_args()
    for name in damier.GAMES:
        listed = puzzles(name)
        if listed:
            show(name, listed)
            if args.again:
                again(listed[:: args.again])
    return 0


if __name__ == "__main__":
    sys.exit(main())
