"""How difficult a puzzle is, before anybody has seen it: levels 1 to 7 try it.

Each level tries it under many seeds: it has solved it if it plays every turn of the solver's. The
tries are games between levels, whose strength is known, and the puzzle, which wins those that it is
not solved in: its first rating comes out of them by Glicko-2, a period for each seed.
"""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import correlation

from damier.games.levels import LEVELS, STRENGTHS
from damier.history import Game
from damier.position import Position, Rules, Turn
from damier.ratings import LOSS, WIN, Rating
from damier.search import Engine, LevelPlayer, Limits

SEEDS = 64
TRIED = LEVELS[:-1]  # the top knows tables, and takes its time
SURE = 30.0  # the deviation of a level's rating, about what its 200 games of the ladder leave
AT_SIGHT = Limits(depth=1)


@dataclass(frozen=True)
class Difficulty:
    """A puzzle's first rating, how often each level solves it, and how surprising it is.

    `solved` is in hundredths. `surprise` is how many turns look better than the true one to who
    looks one turn ahead.
    """

    rating: Rating
    solved: tuple[int, ...]
    surprise: int


def strengths_of(rules: Rules) -> tuple[Rating, ...]:
    """Return the ratings of the levels in a game."""
    return tuple(Rating(points, SURE) for points in rules.folder.strengths or STRENGTHS)


class Examiners:
    """The levels of a game, who try its puzzles."""

    def __init__(self, rules: Rules, seeds: Sequence[int] = range(SEEDS)) -> None:
        self._seeds = seeds
        self._levels = [LevelPlayer(number, 0) for number in TRIED]
        self._ratings = strengths_of(rules)
        self._engine = Engine(rules, room=AT_SIGHT.room)

    def difficulty(self, position: Position, line: Sequence[Turn]) -> Difficulty:
        """Return how difficult a line is to find."""
        asked = _asked(position, line)
        tries = [self._tried(level, asked) for level in self._levels]
        rating = Rating()
        for k in range(len(self._seeds)):
            games = zip(self._ratings, tries, strict=False)
            rating = rating.after([(level, LOSS if found[k] else WIN) for level, found in games])
        solved = tuple(round(100 * sum(found) / len(found)) for found in tries)
        return Difficulty(rating, solved, self._surprise(*asked[0]))

    def _tried(self, level: LevelPlayer, asked: list[tuple[Game, Turn]]) -> list[bool]:
        """Return under which seeds a level finds every turn."""
        chances = [random.Random(f"{seed} {level.number}") for seed in self._seeds]
        found = [True] * len(chances)
        for game, turn in asked:
            if any(found):
                chosen = level.choices(game, chances)
                found = [f and words == turn.words for f, words in zip(found, chosen, strict=True)]
        return found

    def _surprise(self, game: Game, turn: Turn) -> int:
        """Return how many turns look better at first sight than the true one."""
        seen = {r.after: r.value for r in self._engine.think(game, AT_SIGHT, multipv=True).turns}
        return sum(value > seen[turn.words] for value in seen.values())


def solving_level(solved: Sequence[int]) -> int:
    """Return the first level that solves a puzzle in at least half of its tries; 8 if none does."""
    return next((n for n, part in zip(TRIED, solved, strict=True) if part >= 50), max(LEVELS))


def rank_correlation(some: Sequence[float], others: Sequence[float]) -> float:
    """Return Spearman's rank correlation of two series, in which ties share their rank."""
    return correlation(_ranks(some), _ranks(others))


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(values)
    ranks = {value: bisect_left(order, value) + bisect_right(order, value) for value in set(order)}
    return [float(ranks[value]) for value in values]


def _asked(position: Position, line: Sequence[Turn]) -> list[tuple[Game, Turn]]:
    """Return the games in which the solver has to find a turn, and the turn."""
    game, found = Game(position), []
    for k, turn in enumerate(line):
        if k % 2 == 0:
            found.append((game, turn))
        game = game.play(turn)
    return found
