"""Skill: strength gained by doubling the thinking effort, and the first level against chance."""

from __future__ import annotations

from collections.abc import Sequence

from damier.arena import elo_difference
from damier.lab import intervals
from damier.lab.intervals import Estimate
from damier.lab.matches import MatchResult, Runner, play_match
from damier.lab.report import Chart, Figure, ReportSection
from damier.position import Rules

FIRST_NODES, DOUBLINGS = 50, 10
CHANCE_SHARE = 0.1  # of the work, for the match against random moves
# Of the work that is left, for one doubling: each costs about twice as much as the one before.
STEP_SHARE = 0.5
BEGINNER, CHANCE = "level:1", "random"


def measure(rules: Rules, work: float, seed: int, run: Runner) -> list[MatchResult]:
    """Play the matches: the first level against random moves, then one for each doubling.

    They end when a doubling does not matter or when the work is done.
    """
    results = [play_match(rules, (BEGINNER, CHANCE), 0, CHANCE_SHARE * work, seed, run)]
    left = work - results[0].work
    for k in range(DOUBLINGS):
        nodes = FIRST_NODES << k
        players = f"engine:nodes={2 * nodes}", f"engine:nodes={nodes}"
        result = play_match(rules, players, 1.5 * nodes, STEP_SHARE * left, seed, run)
        left -= result.work
        results.append(result)
        if result.verdict != "stronger":
            break
    return results


def section(results: Sequence[MatchResult]) -> ReportSection:
    """Return the section on skill."""
    beginner, *doublings = results
    figures = [_score("beginner", beginner, players=CHANCE)]
    figures += [_score("doubling", result, **_nodes(result)) for result in doublings]
    mattering = [result for result in doublings if result.verdict == "stronger"]
    figures.append(
        Figure.measured(
            "doublings", Estimate(len(mattering), None, _pairs(doublings)), "count", "sequential"
        )
    )
    last = doublings[-1]
    if last.verdict == "equal":
        plateau = Estimate(_nodes(last)["nodes"], None, len(last.score.pairs))
        figures.append(Figure.measured("plateau", plateau, "count", "sequential"))
    unfinished = sum(result.score.unfinished for result in results)
    games = 2 * _pairs(results)
    figures.append(
        Figure.measured(
            "matches-unfinished", intervals.share(unfinished, games), "share", "sequential"
        )
    )
    data = {
        "steps": [
            [_nodes(result)["double"], result.score.mean, *result.score.interval]
            for result in doublings
        ]
    }
    return ReportSection("skill", tuple(figures), (Chart("skill", data),))


def _nodes(result: MatchResult) -> dict[str, int]:
    """Return the nodes of the two players of a doubling."""
    double, single = (int(who.rpartition("=")[2]) for who in (result.first, result.second))
    return {"nodes": single, "double": double}


def _pairs(results: Sequence[MatchResult]) -> int:
    return sum(len(result.score.pairs) for result in results)


def _score(name: str, result: MatchResult, **details: str | int) -> Figure:
    """Return the figure of a match, with the difference in Elo."""
    score = result.score
    estimate = Estimate(score.mean, score.interval, len(score.pairs))
    elo = elo_difference(score.mean)
    found = {"elo": None if abs(elo) == float("inf") else round(elo), "verdict": result.verdict}
    return Figure.measured(name, estimate, "share", "sequential", **details, **found)
