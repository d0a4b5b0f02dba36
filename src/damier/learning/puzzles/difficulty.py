"""Initial difficulty of puzzles, estimated from attempts of levels 1 to 7.

Each level tries a puzzle with many seeds and solves it if it plays every move of the solution. An
attempt counts as a game between a level, whose rating is known, and the puzzle, which wins if it is
not solved. Glicko-2 computes the puzzle's rating, with one rating period per seed.

Levels cannot distinguish the puzzles that none of them solves. These are searched further, and each
doubling of the nodes that a search needs raises the rating.
"""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log2
from statistics import correlation

from damier.gameplay import Game
from damier.games.levels import DEFAULT_STRENGTHS, LEVELS
from damier.learning.ratings import LOSS, WIN, Rating
from damier.position import Move, Position, Rules
from damier.search import Engine, LevelPlayer, Limits, RootMove, SearchResult

SEEDS = 64
TESTED_LEVELS = LEVELS[:-1]  # levels that attempt puzzles; level 8 uses tables and more time
LEVEL_DEVIATION = 30.0  # of a level's rating, after about 200 games of the ladder
SHALLOW_SEARCH = Limits(depth=1)
# The search for puzzles that no level solves, the nodes that count as the strength of a level, and
# the points of each doubling of them.
DEEP_SEARCH = Limits(nodes=1 << 20)
LEVEL_NODES, DOUBLING = 1 << 12, 40
POINTS_PER_MISJUDGED_MOVE = 5  # for each move that the largest search prefers to the solution
MAX_MISJUDGED_MOVES = 20


@dataclass(frozen=True)
class Difficulty:
    """Initial rating of a puzzle, success rate of each level, and surprise.

    `solved` is in per cent. `surprise` is the number of moves that a search of depth 1 prefers to
    the solution. `nodes` is the size of the search that solves a puzzle that no level solves, twice
    the largest one if that one does not solve it either.
    """

    rating: Rating
    solved: tuple[int, ...]
    surprise: int
    nodes: int | None = None


def level_ratings(rules: Rules) -> tuple[Rating, ...]:
    """Return the ratings of the levels in a game."""
    return tuple(
        Rating(points, LEVEL_DEVIATION) for points in rules.folder.strengths or DEFAULT_STRENGTHS
    )


class DifficultyEstimator:
    """Estimator of difficulty that lets the levels of a game attempt its puzzles."""

    def __init__(self, rules: Rules, seeds: Sequence[int] = range(SEEDS)) -> None:
        self._seeds = seeds
        self._levels = [LevelPlayer(number, 0) for number in TESTED_LEVELS]
        self._ratings = level_ratings(rules)
        self._engine = Engine(rules, expected_nodes=SHALLOW_SEARCH.expected_nodes)
        self._search = Engine(rules, expected_nodes=DEEP_SEARCH.expected_nodes)

    def difficulty(self, position: Position, line: Sequence[Move]) -> Difficulty:
        """Return the difficulty of a solution."""
        moves = _solver_moves(position, line)
        successes = [self._try_level(level, moves) for level in self._levels]
        rating = Rating()
        for k in range(len(self._seeds)):
            games = zip(self._ratings, successes, strict=False)
            rating = rating.after([(level, LOSS if solved[k] else WIN) for level, solved in games])
        rates = tuple(round(100 * sum(solved) / len(solved)) for solved in successes)
        nodes = None
        if solving_level(rates) not in TESTED_LEVELS:
            nodes, misjudged = self._measure_search(moves)
            extra = (
                DOUBLING * log2(max(1.0, nodes / LEVEL_NODES))
                + POINTS_PER_MISJUDGED_MOVE * misjudged
            )
            rating = replace(rating, points=rating.points + extra)
        return Difficulty(rating, rates, self._surprise(*moves[0]), nodes)

    def _measure_search(self, asked: list[tuple[Game, Move]]) -> tuple[int, int]:
        """Return the nodes that a search needs for a solution, and the moves it misjudges.

        A search has found a move when it prefers it at all greater depths. If one of the moves is
        not found, the number of moves that the search prefers to it is returned too.
        """
        most = 0
        for game, move in asked:
            needed, best = 0, game.position.words

            def note(result: SearchResult, move: Move = move) -> None:
                nonlocal needed, best
                if result.best.after == move.words != best:
                    needed = result.nodes
                best = result.best.after

            result = self._search.think(game, DEEP_SEARCH, report=note)
            if result.best.after != move.words:
                values = {r.after: r.value for r in self._values_of(game)}
                better = sum(value > values[move.words] for value in values.values())
                return 2 * (DEEP_SEARCH.nodes or 0), min(better, MAX_MISJUDGED_MOVES)
            most = max(most, needed)
        return most, 0

    def _values_of(self, game: Game) -> list[RootMove]:
        """Return the value of every move by the largest search."""
        return self._search.think(game, DEEP_SEARCH, multipv=True).moves

    def _try_level(self, level: LevelPlayer, asked: list[tuple[Game, Move]]) -> list[bool]:
        """Return for each seed whether a level finds every move of the solver."""
        generators = [random.Random(f"{seed} {level.number}") for seed in self._seeds]
        solved = [True] * len(generators)
        for game, move in asked:
            if any(solved):
                chosen = level.choices(game, generators)
                solved = [
                    before and words == move.words
                    for before, words in zip(solved, chosen, strict=True)
                ]
        return solved

    def _surprise(self, game: Game, move: Move) -> int:
        """Return how many moves a search of depth 1 prefers to the solution."""
        values = {
            r.after: r.value for r in self._engine.think(game, SHALLOW_SEARCH, multipv=True).moves
        }
        return sum(value > values[move.words] for value in values.values())


def solving_level(solved: Sequence[int]) -> int:
    """Return the lowest level that solves at least half of its attempts; 8 if none does."""
    return next(
        (n for n, part in zip(TESTED_LEVELS, solved, strict=True) if part >= 50), max(LEVELS)
    )


def rank_correlation(some: Sequence[float], others: Sequence[float]) -> float:
    """Return Spearman's rank correlation; ties share their rank."""
    return correlation(_ranks(some), _ranks(others))


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(values)
    ranks = {value: bisect_left(order, value) + bisect_right(order, value) for value in set(order)}
    return [float(ranks[value]) for value in values]


def _solver_moves(position: Position, line: Sequence[Move]) -> list[tuple[Game, Move]]:
    """Return the solver's moves, each with the game before it."""
    game, moves = Game(position), []
    for k, move in enumerate(line):
        if k % 2 == 0:
            moves.append((game, move))
        game = game.play(move)
    return moves
