"""The arena: players against players, from varied openings in pairs with colours changed.

A pair is one opening played twice; the statistics are made of pairs, because two games from one
opening are not independent.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import date
from itertools import combinations
from math import log10, sqrt
from multiprocessing import get_context, parent_process

from damier import jit, lang
from damier.errors import DamierError
from damier.history import Game
from damier.players import player
from damier.position import Position, Result, Rules
from damier.record import Record

# An opening is this many random turns, and is left out if a search of so many nodes gives one side
# a chance above this: from a decided position a pair of games tells nothing of the players.
OPENING_TURNS, OPENING_NODES, OPENING_CHANCE = 4, 50_000, 0.6
# A game that is not over by then counts as drawn.
LONGEST = 400
MOST_ELO = 1000
# The 95 % quantile of the normal distribution, and what Student's adds to it for few pairs: a
# series in 1 / (pairs - 1), from Abramowitz and Stegun, 26.7.5.
Z95, STUDENT = 1.96, (2.372, 2.823, 2.556)


@dataclass(frozen=True)
class Played:
    """One game of a match, as it comes back from where it was played."""

    white: str
    black: str
    opening: int
    start: str
    turns: tuple[str, ...]
    winner: str | None
    agreed: str = ""  # the reason, if the rules did not end the game
    failure: str = ""  # what the loser did instead of playing a turn

    def points(self, name: str) -> float:
        """Return what a player made of the game: 1, ½ or 0."""
        if self.winner is None:
            return 0.5
        return float((self.white if self.winner == "w" else self.black) == name)

    @property
    def loser(self) -> str:
        """Who lost, if anyone did."""
        return {"w": self.black, "b": self.white, None: ""}[self.winner]

    def record(self, rules: Rules, when: str) -> Record:
        """Return the game's record, which replays."""
        position = rules.position(self.start)
        agreed = Result(self.winner, self.agreed) if self.agreed else None
        headers = {"Opening": str(self.opening)}
        game = Game(position).play(*self.turns)
        return Record(game, self.white, self.black, when, agreed, headers)


@dataclass
class Score:
    """What one player has made against another, and what follows from it.

    `pairs` are the first player's points of each pair, halved: from 0 to 1.
    """

    first: str
    second: str
    wins: int = 0
    draws: int = 0
    losses: int = 0
    pairs: list[float] = field(default_factory=list)

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.draws + self.losses

    @property
    def mean(self) -> float:
        """The first player's points a game."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.5

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the points a game."""
        n, mean = len(self.pairs), self.mean
        if not n:
            return 0.0, 1.0
        if self._variance:
            quantile = Z95 + sum(term / (n - 1) ** k for k, term in enumerate(STUDENT, 1))
            half = quantile * sqrt(self._variance / n)
            return max(0.0, mean - half), min(1.0, mean + half)
        # All pairs alike say nothing of the spread: Wilson's interval for as many trials.
        centre = (mean + Z95**2 / (2 * n)) / (1 + Z95**2 / n)
        half = Z95 / (1 + Z95**2 / n) * sqrt(mean * (1 - mean) / n + Z95**2 / (4 * n * n))
        return max(0.0, centre - half), min(1.0, centre + half)

    @property
    def _variance(self) -> float:
        mean = sum(self.pairs) / len(self.pairs)
        return sum((pair - mean) ** 2 for pair in self.pairs) / max(1, len(self.pairs) - 1)

    def likelihood(self, elo_0: float, elo_1: float) -> float:
        """Return the log-likelihood ratio of two differences in Elo, given the pairs.

        Pairs are taken as normal, with the variance seen; one drawn pair is added, so that pairs
        all alike do not look certain.
        """
        pairs = [*self.pairs, 0.5]
        n, mean = len(pairs), sum(pairs) / len(pairs)
        variance = max(sum((pair - mean) ** 2 for pair in pairs) / n, 1e-3)
        low, high = expected(elo_0), expected(elo_1)
        return n * (high - low) * (2 * mean - low - high) / (2 * variance)

    def decided(self, elo_0: float, elo_1: float, error: float = 0.05) -> bool:
        """Tell whether the sequential test has accepted one of the two differences."""
        if len(self.pairs) < 6:
            return False
        return abs(self.likelihood(elo_0, elo_1)) >= log_odds(error)

    def add(self, pair: tuple[Played, ...]) -> None:
        """Add the games of a pair."""
        points = [game.points(self.first) for game in pair]
        self.wins += points.count(1.0)
        self.draws += points.count(0.5)
        self.losses += points.count(0.0)
        self.pairs.append(sum(points) / len(points))


def log_odds(error: float) -> float:
    """Return the bound of a sequential test with this chance of either error."""
    from math import log

    return log((1 - error) / error)


def expected(elo: float) -> float:
    """Return the points a game that a difference in Elo means."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def elo_of(mean: float) -> float:
    """Return the difference in Elo that points a game mean."""
    if mean <= 0 or mean >= 1:
        return float("-inf") if mean <= 0 else float("inf")
    return -400 * log10(1 / mean - 1)


@dataclass(frozen=True)
class Match:
    """What is to be played: each player against each other one, `games` games a pairing."""

    rules: Rules
    players: tuple[str, ...]
    games: int
    seed: int = 1
    opening_turns: int = OPENING_TURNS
    test: tuple[float, float] | None = None  # early stop between these differences in Elo

    def __post_init__(self) -> None:
        if len(self.players) < 2 or len(set(self.players)) < len(self.players):
            raise DamierError("arena-players")
        if self.games < 1:
            raise DamierError("arena-games")
        if self.test is not None and not -MOST_ELO <= self.test[0] < self.test[1] <= MOST_ELO:
            raise DamierError("arena-test", most=MOST_ELO)
        for name in self.players:
            player(name)  # refuses what it does not know
        if "perfect" in self.players:
            from damier.solve.tables import find

            if find(self.rules) is None:
                raise DamierError("perfect-no-table", game=self.rules.name)


def opening(rules: Rules, seed: int, turns: int = OPENING_TURNS) -> Position:
    """Return an opening: random turns after which neither side is ahead.

    The same seed gives the same opening. If none of twenty is level, the one nearest to it is
    taken.
    """
    from damier.search.analysis import chance_of
    from damier.search.engine import Engine
    from damier.search.limits import Limits

    drawn = random.Random(f"{seed} {rules!r}")
    engine = Engine(rules, room=OPENING_NODES, compiled=jit.enabled())
    best, best_chance = rules.start(), 1.0
    for _ in range(20):
        game = Game(rules)
        for _ in range(turns):
            choices = game.turns()
            if not choices:
                break
            game = game.play(drawn.choice(choices))
        if game.result() or not game.turns():
            continue
        result = engine.think(game, Limits(nodes=OPENING_NODES))
        chance = chance_of(rules, result.best.value)
        chance = max(chance, 1 - chance)
        if chance < best_chance:
            best, best_chance = game.position, chance
        if chance <= OPENING_CHANCE:
            return game.position
    return best


def play_pair(match: Match, first: str, second: str, number: int) -> tuple[Played, ...]:
    """Play one opening twice, with colours changed. Runs in a process of its own."""
    start = opening(match.rules, match.seed * 1_000_003 + number, match.opening_turns)
    pair = []
    for white, black in ((first, second), (second, first)):
        seed = match.seed * 7919 + 2 * number + (white == first)
        pair.append(_played(match, start, white, black, number, seed))
    return tuple(pair)


def _played(
    match: Match, start: Position, white: str, black: str, number: int, seed: int
) -> Played:
    """Play one game; who fails to answer with a legal turn loses."""
    with contextlib.ExitStack() as stack:
        seats = []
        for name in (white, black):
            made = player(name, seed)
            if hasattr(made, "close"):
                stack.callback(made.close)
            seats.append(made)
        game, agreed, winner, failure = Game(start), "", None, ""
        while game.result() is None and game.ply < LONGEST:
            side = "wb".index(game.position.side)
            try:
                game = game.play(seats[side].choose(game))
            except (DamierError, OSError) as error:
                agreed, winner, failure = "abandoned", "bw"[side], str(error)
                break
        result = game.result()
        if result is not None:
            winner = result.winner
        elif not agreed:
            agreed = "agreed"
    turns = tuple(turn.text for turn in game.turns_played)
    return Played(white, black, number, str(start), turns, winner, agreed, failure)


def run(match: Match, workers: int | None = None) -> Iterator[tuple[Score, tuple[Played, ...]]]:
    """Play a match; yield the score of a pairing and the games after each pair.

    The pairs come in the order in which they end. With one worker all is played in this process.
    """
    workers = workers or os.cpu_count() or 1
    scores = {pairing: Score(*pairing) for pairing in combinations(match.players, 2)}
    tasks = [(pairing, number) for number in range((match.games + 1) // 2) for pairing in scores]

    def over(score: Score) -> bool:
        return match.test is not None and score.decided(*match.test)

    if workers == 1:
        for pairing, number in tasks:
            if not over(scores[pairing]):
                pair = play_pair(match, *pairing, number)
                scores[pairing].add(pair)
                yield scores[pairing], pair
        return
    with _pool(match, workers) as pool:
        running: dict[Future[tuple[Played, ...]], tuple[str, str]] = {}
        left = iter(tasks)
        try:
            while True:
                while len(running) < workers:
                    task = next((t for t in left if not over(scores[t[0]])), None)
                    if task is None:
                        break
                    running[pool.submit(play_pair, match, *task[0], task[1])] = task[0]
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    score = scores[running.pop(future)]
                    pair = future.result()
                    score.add(pair)
                    yield score, pair
        finally:
            # First of all: what is shut down has forgotten its processes, and waits for them.
            for process in list((pool._processes or {}).values()):
                process.terminate()
            pool.shutdown(cancel_futures=True)


def _pool(match: Match, workers: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(
        workers, get_context("spawn"), initializer=_begin, initargs=(match.rules, lang.language())
    )


def _begin(rules: Rules, language: str) -> None:
    """Prepare a process: an interrupt is the parent's to handle, and it ends with its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    lang.use(language)
    from damier.search import warm

    warm(rules)


def _end_with_parent() -> None:
    """End this process as soon as the one that started it is there no more, however it ended."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def today() -> str:
    """Return the date for a record."""
    return date.today().isoformat()
