"""Audit of the puzzles: their counts, and whether their ratings agree with the levels.

    python tools/puzzle_audit.py [--again N]

The rank correlation (Spearman's) is between a puzzle's rating and the first level that solves it in
at least half of its tries, both as stored. With `--again N` levels 1 to 7 try every Nth puzzle
again with other seeds, and the stored rating is compared with the new rating and the new first
level. `surprise` is the median number of moves that look better than the solution at first sight,
in the easier half of the puzzles and in the harder half.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from statistics import median

import damier
from damier.learning.puzzles import Puzzle, puzzles
from damier.learning.puzzles.collection import puzzle_file
from damier.learning.puzzles.difficulty import (
    SEEDS,
    Difficulty,
    DifficultyEstimator,
    rank_correlation,
    solving_level,
)
from damier.learning.puzzles.generator import line_moves
from damier.search import warm


def count_words(found: Sequence[str]) -> str:
    """Return how often each word occurs, the most frequent first."""
    return ", ".join(f"{word} {count}" for word, count in Counter(found).most_common())


def print_summary(name: str, listed: Sequence[Puzzle]) -> None:
    """Print the summary of a game's puzzles."""
    size = puzzle_file(name).stat().st_size
    points = [puzzle.points for puzzle in listed]
    print(f"{name}: {len(listed)} puzzles, {size:,} bytes", flush=True)
    print(f"  kinds: {count_words([puzzle.kind for puzzle in listed])}")
    print(f"  proof: {count_words([puzzle.proof for puzzle in listed])}")
    print(f"  moves to find: {count_words([str(puzzle.length) for puzzle in listed])}")
    print(f"  themes: {count_words([theme for puzzle in listed for theme in puzzle.themes])}")
    print(f"  ratings: {min(points)} to {max(points)}, median {median(points):.0f}")
    levels = [solving_level(puzzle.solved) for puzzle in listed]
    print(f"  first level that solves: {count_words([str(level) for level in sorted(levels)])}")
    searched = [puzzle.points for puzzle in listed if puzzle.nodes is not None]
    print(f"  solved by no level: {len(searched)}, with {len(set(searched))} different ratings")
    ended = sum(puzzle.rest == 0 and puzzle.length == 1 for puzzle in listed)
    print(f"  won at once: {ended}")
    half = len(listed) // 2
    easy, hard = (median(p.surprise for p in part) for part in (listed[:half], listed[half:]))
    print(f"  surprise: {easy:g} among the easier half, {hard:g} among the others")
    print(f"  rank correlation of rating and level: {rank_correlation(points, levels):.3f}")


def rate_again(listed: Sequence[Puzzle]) -> None:
    """Let the levels try puzzles with other seeds and print the correlations."""
    found: list[Difficulty] = []
    estimator: dict[damier.Rules, DifficultyEstimator] = {}
    for puzzle in listed:
        rules = puzzle.rules
        if rules not in estimator:
            warm(rules)
            rules.compile()
            estimator[rules] = DifficultyEstimator(rules, range(SEEDS, 2 * SEEDS))
        found.append(estimator[rules].difficulty(puzzle.start, line_moves(puzzle)))
    points = [puzzle.points for puzzle in listed]
    ratings = rank_correlation(points, [one.rating.points for one in found])
    levels = rank_correlation(points, [solving_level(one.solved) for one in found])
    print(f"  other seeds, {len(listed)} puzzles: rating {ratings:.3f}, level {levels:.3f}")


def main() -> int:
    """Print the figures of every game."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--again", type=int, metavar="N")
    args = parser.parse_args()
    for name in damier.GAMES:
        listed = puzzles(name)
        if listed:
            print_summary(name, listed)
            if args.again:
                rate_again(listed[:: args.again])
    return 0


if __name__ == "__main__":
    sys.exit(main())
