"""Matches between two players of different strength, as tasks that return JSON data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from damier import arena
from damier.arena import Match, Score, expected_score
from damier.execution import Task
from damier.lab.budget import NODES_PER_SECOND, cost
from damier.position import Rules

MAX_PAIRS = 400  # of a match
# Differences in Elo between which a sequential test decides.
EQUAL, STRONGER = 0.0, 50.0
OPENING_S = 2 * arena.OPENING_NODES / NODES_PER_SECOND  # work: some openings need a second try


@dataclass
class MatchResult:
    """Score of the first player of a match, and how the match ended.

    `verdict` is "stronger" or "equal" if the sequential test has decided, else "open".
    """

    first: str
    second: str
    score: Score
    work: float = 0.0
    verdict: str = field(default="open", init=False)

    def judge(self) -> None:
        """Set the verdict if the sequential test has decided and the interval agrees.

        Some pairs without any difference satisfy the test, but say little. Nothing is decided by
        games of which most have not ended.
        """
        score = self.score
        if not score.is_decided(EQUAL, STRONGER) or 2 * score.unfinished > score.games:
            return
        low, high = score.interval
        if score.likelihood(EQUAL, STRONGER) > 0:
            self.verdict = "stronger" if low > expected_score(EQUAL) else "open"
        else:
            self.verdict = "equal" if high < expected_score(STRONGER) else "open"


def play_pair(match: Match, first: str, second: str, number: int) -> dict[str, Any]:
    """Play an opening twice with colours swapped; return the first player's points and moves."""
    pair = arena.play_pair(match, first, second, number)
    return {
        "points": [game.points(first) for game in pair],
        "unfinished": sum(game.unfinished for game in pair),
        "moves": sum(len(game.moves) for game in pair),
    }


# Runs tasks, leaving out those for which the second argument is true.
Runner = Callable[[list[Task], Callable[[Task], bool]], Iterable[tuple[Task, Mapping[str, Any]]]]


def play_match(
    rules: Rules, players: tuple[str, str], nodes: float, budget: float, seed: int, run: Runner
) -> MatchResult:
    """Play a match between two players; `nodes` is the mean number of nodes for a move."""
    match = Match(rules, players, 2 * MAX_PAIRS, seed)
    name = " – ".join(players)

    def task(number: int) -> Task:
        return Task(f"match {name} {number}", play_pair, (match, *players, number))

    return run_match(*players, task, nodes, budget, run)


def run_match(
    first: str,
    second: str,
    task_of: Callable[[int], Task],
    nodes: float,
    budget: float,
    run: Runner,
) -> MatchResult:
    """Play pairs, at least one, until the sequential test has decided or the work is done.

    `task_of` returns the task that plays a pair, `budget` is the amount of work, and `nodes` the
    mean number of nodes for a move.
    """
    result = MatchResult(first, second, Score(first, second))

    def skip(task: Task) -> bool:
        return result.verdict != "open" or (result.work >= budget and result.work > 0)

    for _, pair in run([task_of(number) for number in range(MAX_PAIRS)], skip):
        result.score.add_points(pair["points"], pair["unfinished"])
        result.work += OPENING_S + cost(pair["moves"], int(pair["moves"] * nodes))
        result.judge()
    return result
