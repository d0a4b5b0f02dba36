"""Restricted play: what it costs a side never to play moves of some form.

Restrictions derive from the structured steps of moves, so they exist for every game. A restricted
player keeps to the restriction as long as it has another move; its search does not know that the
restriction will hold later.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from damier.arena import MAX_MOVES, opening
from damier.errors import DamierError
from damier.execution import Task
from damier.gameplay import Game
from damier.games.run_time_errors import located_errors
from damier.lab import intervals
from damier.lab.intervals import Estimate
from damier.lab.matches import MatchResult, Runner, run_match
from damier.lab.report import Cell, Figure, Grid, Scalar
from damier.lab.restricted_values import RestrictedValue
from damier.lab.samples import forms, prepare
from damier.players import MAX_LISTED
from damier.position import Move, Rules
from damier.search import Engine, Limits, ready
from damier.search.root import SearchResult

NODES = 500  # of a search for a move
MIN_SHARE, MAX_SHARE = 0.005, 0.995  # of moves: a form that is rarer or more frequent is left out
SEED = 271_828


def restrictions(analyses: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the forms that are worth forbidding: some moves have them, and some have not.

    Of forms that the same moves have, the first is kept.
    """
    total: Counter[str] = Counter()
    for analysis in analyses:
        total.update(analysis["forms"])
    moves = sum(len(analysis["legal"]) for analysis in analyses)
    by_count: dict[int, str] = {}
    for form, count in sorted(total.items()):
        if MIN_SHARE * moves <= count <= MAX_SHARE * moves:
            by_count.setdefault(count, form)
    return sorted(by_count.values())


def play_pair(rules: Rules, form: str, number: int, seed: int) -> dict[str, Any]:
    """Play an opening twice; return the points of the side that is free, in each game.

    The other side never plays a move of a form, unless it has no other move.
    """
    with located_errors():
        prepare(rules)
        start = opening(rules, seed * SEED + number)
        pair = [_play(Game(start), form, side) for side in "wb"]
    return {
        "points": [points for points, _, _ in pair],
        "unfinished": sum(stopped for _, stopped, _ in pair),
        "moves": sum(moves for _, _, moves in pair),
    }


def _play(game: Game, form: str, restricted: str) -> tuple[float, bool, int]:
    """Return the free side's points, whether the game was stopped, and its moves."""
    rules = game.rules
    engines = [Engine(rules, expected_nodes=NODES, compiled=ready(rules)) for _ in range(2)]
    while game.result() is None and game.ply < MAX_MOVES:
        side = game.position.side
        only = _allowed_words(game, form) if side == restricted else None
        found: SearchResult = engines[side == "b"].think(
            game, Limits(nodes=NODES), contempt=True, only=only
        )
        game = game.play(found.best.move(game))
    result = game.result()
    if result is None or result.winner is None:
        return 0.5, result is None, game.ply
    return float(result.winner != restricted), False, game.ply


def _allowed_words(game: Game, form: str) -> set[tuple[int, int, int]] | None:
    """Return the positions after the moves that are allowed; None if all are."""
    try:
        moves: list[Move] = game.legal_moves(MAX_LISTED)
    except DamierError:  # too many moves to describe
        return None
    allowed = {move.words for move in moves if form not in forms(move.described)}
    return allowed or None


def measure(
    rules: Rules, found: Sequence[str], work: float, seed: int, run: Runner
) -> list[MatchResult]:
    """Play a match for each restriction; the first player of the result is the free one."""
    results = []
    for form in found:

        def task(number: int, form: str = form) -> Task:
            return Task(f"restricted {form} {number}", play_pair, (rules, form, number, seed))

        results.append(run_match("free", form, task, NODES, work / len(found), run))
    return results


def figures(
    results: Sequence[MatchResult], proved: Mapping[str, Sequence[RestrictedValue]]
) -> list[Figure]:
    """Return the figures: the free side's points, and the proved values of the restricted game.

    `proved` has for each form the values with one side restricted, as far as they are known.
    """
    found = []
    for result in results:
        form, score = result.second, result.score
        for value in proved.get(form, ()):
            text = f"lab.value.{value.winner or 'draw'}"
            details: dict[str, Scalar] = {"form": form, "restricted": value.restricted}
            found.append(
                Figure.proved("restricted-start", text, "text", "restricted-table", **details)
            )
        estimate = Estimate(score.mean, score.interval, len(score.pairs))
        details = {"form": form, "verdict": result.verdict}
        found.append(Figure.measured("restriction", estimate, "share", "restricted", **details))
        games = 2 * len(score.pairs)
        unfinished = intervals.share(score.unfinished, games)
        found.append(
            Figure.measured("restriction-unfinished", unfinished, "share", "restricted", form=form)
        )
    return found


def grid(found: Sequence[Figure]) -> Grid:
    """Return the ranking of the restrictions, the most costly first."""
    measured = [figure for figure in found if figure.name == "restriction"]
    ranked = sorted(measured, key=lambda figure: -float(figure.value or 0))
    known = {
        (figure.details["form"], figure.details["restricted"]): figure
        for figure in found
        if figure.name == "restricted-start"
    }
    rows = []
    for figure in ranked:
        form = figure.details["form"]
        values = (Cell.of(known.get((form, player))) for player in ("first", "second"))
        verdict = Cell(f"lab.match.{figure.details['verdict']}", "text")
        rows.append(({"form": form}, (*values, Cell.of(figure), verdict)))
    return Grid("restrictions", ("first", "second", "points", "verdict"), tuple(rows))
