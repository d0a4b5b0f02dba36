"""Arena: matches between players from random openings, each played twice with colours swapped.

A pair is the two games from one opening. Statistics are computed over pairs, because the two games
are not independent.
"""

from __future__ import annotations

import contextlib
import random
import threading
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from itertools import combinations
from math import log10, sqrt

from damier import jit
from damier.errors import DamierError
from damier.execution import Executor, Task, is_worker_process, open_executor
from damier.gameplay import Game
from damier.games.run_time_errors import located_errors
from damier.players import player
from damier.position import Position, Result, Rules
from damier.record import Record

__all__ = [
    "MAX_MOVES",
    "ArenaGame",
    "Match",
    "Score",
    "elo_difference",
    "expected_score",
    "opening",
    "play_pair",
    "run",
]

# An opening is OPENING_MOVES random moves. It is rejected if a search of OPENING_NODES nodes gives
# a side a winning chance above OPENING_CHANCE: decided positions do not distinguish the players.
OPENING_MOVES, OPENING_NODES, OPENING_CHANCE = 4, 50_000, 0.6
MAX_MOVES = 400  # a longer game stays unfinished and counts half a point for each player
MAX_ELO = 1000
# The 97.5 % quantile of the normal distribution, and its correction to Student's t: a
# series in 1 / (pairs - 1), from Abramowitz and Stegun, 26.7.5.
Z95, STUDENT = 1.96, (2.372, 2.823, 2.556)
SMALL_STUDENT = {1: 12.706, 2: 4.303}  # where the series is not accurate


@dataclass(frozen=True)
class ArenaGame:
    """One game of a match, in a form that can be sent between processes."""

    white: str
    black: str
    opening: int
    start: str
    moves: tuple[str, ...]
    winner: str | None
    agreed: str = ""  # the reason, if the rules did not end the game
    failure: str = ""  # the loser's error, if it did not play a legal move
    unfinished: bool = False  # whether it was stopped after MAX_MOVES moves

    def points(self, name: str) -> float:
        """Return a player's points: 1, ½ or 0; an unfinished game counts as a draw."""
        if self.winner is None:
            return 0.5
        return float((self.white if self.winner == "w" else self.black) == name)

    @property
    def loser(self) -> str:
        """Name of the loser, or ""."""
        return {"w": self.black, "b": self.white, None: ""}[self.winner]

    def record(self, rules: Rules, when: str) -> Record:
        """Return the game as a record."""
        position = rules.position(self.start)
        agreed = Result(self.winner, self.agreed) if self.agreed else None
        headers = {"Opening": str(self.opening)}
        if self.unfinished:
            headers["Unfinished"] = f"stopped after {MAX_MOVES} moves"
        game = Game(position).play(*self.moves)
        return Record(game, self.white, self.black, when, agreed, headers)


@dataclass
class Score:
    """Score of a player against another, with statistics.

    `unfinished` games count half a point for each player, like draws. `pairs` are the first
    player's points of each pair, halved: from 0 to 1.
    """

    first: str
    second: str
    wins: int = 0
    draws: int = 0
    losses: int = 0
    unfinished: int = 0
    pairs: list[float] = field(default_factory=list)

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.draws + self.losses + self.unfinished

    @property
    def mean(self) -> float:
        """The first player's points per game."""
        halves = self.draws + self.unfinished
        return (self.wins + halves / 2) / self.games if self.games else 0.5

    @property
    def result(self) -> str:
        """The numbers of games won, drawn, lost and, if any, unfinished (`*`)."""
        unfinished = f" *{self.unfinished}" if self.unfinished else ""
        return f"+{self.wins} ={self.draws} −{self.losses}{unfinished}"

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % confidence interval of the points per game."""
        n, mean = len(self.pairs), self.mean
        if not n:
            return 0.0, 1.0
        if self._variance:
            half = student_quantile(n - 1) * sqrt(self._variance / n)
            return max(0.0, mean - half), min(1.0, mean + half)
        # If all pairs are equal the variance is unknown: Wilson's interval for as many trials.
        centre = (mean + Z95**2 / (2 * n)) / (1 + Z95**2 / n)
        half = Z95 / (1 + Z95**2 / n) * sqrt(mean * (1 - mean) / n + Z95**2 / (4 * n * n))
        return max(0.0, centre - half), min(1.0, centre + half)

    @property
    def _variance(self) -> float:
        mean = sum(self.pairs) / len(self.pairs)
        return sum((pair - mean) ** 2 for pair in self.pairs) / max(1, len(self.pairs) - 1)

    def likelihood(self, elo_0: float, elo_1: float) -> float:
        """Return the log-likelihood ratio of two Elo differences, given the pairs.

        Pairs are modelled as normal with the observed variance; one drawn pair is added, so that
        equal pairs do not give certainty.
        """
        pairs = [*self.pairs, 0.5]
        n, mean = len(pairs), sum(pairs) / len(pairs)
        variance = max(sum((pair - mean) ** 2 for pair in pairs) / n, 1e-3)
        low, high = expected_score(elo_0), expected_score(elo_1)
        return n * (high - low) * (2 * mean - low - high) / (2 * variance)

    def is_decided(self, elo_0: float, elo_1: float, error: float = 0.05) -> bool:
        """Tell whether the sequential test has accepted one of the two differences."""
        if len(self.pairs) < 6:
            return False
        return abs(self.likelihood(elo_0, elo_1)) >= sequential_bound(error)

    def add(self, pair: tuple[ArenaGame, ...]) -> None:
        """Add the games of a pair."""
        unfinished = sum(game.unfinished for game in pair)
        self.add_points([game.points(self.first) for game in pair], unfinished)

    def add_points(self, points: Sequence[float], unfinished: int = 0) -> None:
        """Add the first player's points in the games of a pair."""
        self.wins += points.count(1.0)
        self.draws += points.count(0.5) - unfinished
        self.unfinished += unfinished
        self.losses += points.count(0.0)
        self.pairs.append(sum(points) / len(points))


def student_quantile(freedom: int) -> float:
    """Return the 97.5 % quantile of Student's distribution with these degrees of freedom."""
    if freedom in SMALL_STUDENT:
        return SMALL_STUDENT[freedom]
    return Z95 + sum(float(term / freedom**k) for k, term in enumerate(STUDENT, 1))


def sequential_bound(error: float) -> float:
    """Return the bound of a sequential test with this probability of either error."""
    from math import log

    return log((1 - error) / error)


def expected_score(elo: float) -> float:
    """Return the expected points per game at an Elo difference."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def elo_difference(mean: float) -> float:
    """Return the Elo difference that corresponds to the points per game."""
    if mean <= 0 or mean >= 1:
        return float("-inf") if mean <= 0 else float("inf")
    return -400 * log10(1 / mean - 1)


@dataclass(frozen=True)
class Match:
    """Round-robin match with `games` games per pairing."""

    rules: Rules
    players: tuple[str, ...]
    games: int
    seed: int = 1
    opening_moves: int = OPENING_MOVES
    test: tuple[float, float] | None = None  # early stop between these differences in Elo

    def __post_init__(self) -> None:
        if len(self.players) < 2 or len(set(self.players)) < len(self.players):
            raise DamierError("arena-players")
        if self.games < 1:
            raise DamierError("arena-games")
        if self.test is not None and not -MAX_ELO <= self.test[0] < self.test[1] <= MAX_ELO:
            raise DamierError("arena-test", most=MAX_ELO)
        for name in self.players:
            player(name)  # raises DamierError for an unknown player
        if "perfect" in self.players:
            from damier.solve.tables import find

            if find(self.rules) is None:
                raise DamierError("perfect-no-table", game=self.rules.name)


def opening(rules: Rules, seed: int, moves: int = OPENING_MOVES) -> Position:
    """Return an opening: the position after random moves with neither side ahead.

    The same seed gives the same opening. If none of twenty tries is balanced, return the most
    balanced one.
    """
    from damier.search.analysis import chance_of
    from damier.search.engine import Engine
    from damier.search.limits import Limits

    rng = random.Random(f"{seed} {rules!r}")
    engine = Engine(rules, expected_nodes=OPENING_NODES, compiled=jit.enabled())
    best, best_chance = rules.start(), 1.0
    for _ in range(20):
        game = Game(rules)
        for _ in range(moves):
            choices = game.legal_moves()
            if not choices:
                break
            game = game.play(rng.choice(choices))
        if game.result() or not game.legal_moves():
            continue
        result = engine.think(game, Limits(nodes=OPENING_NODES))
        chance = chance_of(rules, result.best.value)
        chance = max(chance, 1 - chance)
        if chance < best_chance:
            best, best_chance = game.position, chance
        if chance <= OPENING_CHANCE:
            return game.position
    return best


def play_pair(match: Match, first: str, second: str, number: int) -> tuple[ArenaGame, ...]:
    """Play an opening twice with colours swapped. Runs in a worker."""
    from damier.search import warm

    _prepare_process()
    if is_worker_process():
        warm(match.rules)
    with located_errors():
        return _play_pair(match, first, second, number)


def _play_pair(match: Match, first: str, second: str, number: int) -> tuple[ArenaGame, ...]:
    start = opening(match.rules, match.seed * 1_000_003 + number, match.opening_moves)
    pair = []
    for white, black in ((first, second), (second, first)):
        seed = match.seed * 7919 + 2 * number + (white == first)
        pair.append(_play_game(match, start, white, black, number, seed))
    return tuple(pair)


def _play_game(
    match: Match, start: Position, white: str, black: str, number: int, seed: int
) -> ArenaGame:
    """Play one game; a player that does not return a legal move loses."""
    with contextlib.ExitStack() as stack:
        seats = []
        for name in (white, black):
            made = player(name, seed)
            if hasattr(made, "close"):
                stack.callback(made.close)
            seats.append(made)
        game, agreed, winner, failure = Game(start), "", None, ""
        while game.result() is None and game.ply < MAX_MOVES:
            side = "wb".index(game.position.side)
            try:
                game = game.play(seats[side].choose(game))
            except (DamierError, OSError) as error:
                agreed, winner, failure = "abandoned", "bw"[side], str(error)
                break
        result = game.result()
        if result is not None:
            winner = result.winner
        unfinished = result is None and not agreed
    moves = tuple(move.text for move in game.moves_played)
    return ArenaGame(white, black, number, str(start), moves, winner, agreed, failure, unfinished)


def run(
    match: Match, workers: int | None = None, executor: Executor | None = None
) -> Generator[tuple[Score, tuple[ArenaGame, ...]], None, None]:
    """Play a match; after each pair, yield the score of its pairing and its games.

    Pairs come in the same order with every executor. By default they are played in local processes,
    with one worker in this process.
    """
    scores = {pairing: Score(*pairing) for pairing in combinations(match.players, 2)}
    tasks = (
        Task(f"{' – '.join(pairing)} {number}", play_pair, (match, *pairing, number))
        for number in range((match.games + 1) // 2)
        for pairing in scores
    )

    def score_of(task: Task) -> Score:
        _, first, second, _ = task.arguments
        return scores[first, second]

    def is_decided(task: Task) -> bool:
        return match.test is not None and score_of(task).is_decided(*match.test)

    with contextlib.ExitStack() as stack:
        if executor is None:
            executor = stack.enter_context(open_executor(workers))
        pairs = stack.enter_context(contextlib.closing(executor.map(tasks, skip=is_decided)))
        for task, pair in pairs:
            score_of(task).add(pair)
            yield score_of(task), pair


@cache
def _prepare_process() -> None:
    """Let the end of a worker process end the programs that it runs as players."""
    # Handlers of signals can be set in the main thread only; workers of Dask use another one.
    if is_worker_process() and threading.current_thread() is threading.main_thread():
        from damier.search import external

        external.kill_all_on_termination()


def today() -> str:
    """Return the date for a record."""
    return date.today().isoformat()
