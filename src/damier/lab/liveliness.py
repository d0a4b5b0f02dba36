"""Liveliness: choice, errors, only moves, lead changes, drama, use of the board and of steps."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from damier.gameplay import Game
from damier.lab import intervals
from damier.lab.exact import ExactValues
from damier.lab.report import Chart, Figure, ReportSection
from damier.lab.samples import after_pass, drama, lead_changes
from damier.position import Position, Rules
from damier.search.analysis import FAULTS

OUTCOMES = {"loss": 0, "draw": 1, "win": 2}
PROBED = 4  # positions of a game whose moves are looked up in the table


def section(
    rules: Rules,
    games: Sequence[Mapping[str, Any]],
    analyses: Sequence[Mapping[str, Any]],
    who: str,
    exact: ExactValues | None,
    seed: int,
    more: Sequence[Figure] = (),
) -> ReportSection:
    """Return the section on liveliness, from games between players of strength `who`."""
    figures = _table_figures(games, who, exact, seed) if exact is not None else []
    figures += _sample_figures(rules, games, analyses, who)
    figures += more
    charts = []
    if any(analysis["lead"] for analysis in analyses):
        longest = max(analyses, key=lambda a: (lead_changes(a["lead"]), len(a["lead"])))
        charts.append(Chart("lead", {"lead": longest["lead"]}, {"strength": who}))
    return ReportSection("liveliness", tuple(figures), tuple(charts))


def _table_figures(
    games: Sequence[Mapping[str, Any]], who: str, exact: ExactValues, seed: int
) -> list[Figure]:
    """Return figures of positions that occur in the games, valued by the table.

    The values are proved; the positions are a sample. Positions of one game are not independent,
    so the intervals are those of means over games.
    """
    rng = random.Random(seed)
    spoiling: list[float] = []
    single: list[float] = []
    stuck: list[float] = []
    for sample in games:
        final = Game(exact.rules).play(*sample["moves"])
        shares, zugzwangs = [], []
        for ply in rng.sample(range(final.ply), min(PROBED, final.ply)):
            valued = exact.moves(final.at(ply))
            if len(valued) < 2 or any(value.bound for _, value in valued):
                continue
            best = valued[0][1].outcome
            passed = _outcome_after_pass(final.at(ply).position, exact)
            if passed is not None:
                zugzwangs.append(float(OUTCOMES[passed] > OUTCOMES[best]))
            if best != "loss":  # else nothing can be lost
                kept = sum(value.outcome == best for _, value in valued)
                shares.append((1 - kept / len(valued), float(kept == 1)))
        if zugzwangs:
            stuck.append(sum(zugzwangs) / len(zugzwangs))
        if shares:
            spoiling.append(sum(lost for lost, _ in shares) / len(shares))
            single.append(sum(only for _, only in shares) / len(shares))
    found = {"spoiling-moves": spoiling, "only-moves-exact": single, "zugzwang-exact": stuck}
    return [_share(name, values, "probed", strength=who) for name, values in found.items()]


def _outcome_after_pass(position: Position, exact: ExactValues) -> str | None:
    """Return the outcome for the side to move if it could pass; None if unknown."""
    passed = after_pass(position)
    value = None if passed is None else exact.table.probe(passed)
    if value is None:
        return None
    return {"win": "loss", "draw": "draw", "loss": "win"}[value.outcome]


def _share(name: str, values: Sequence[float], method: str, **details: str) -> Figure:
    """Return a figure with the mean over games of a share."""
    return Figure.measured(name, intervals.mean(values, 0.0, 1.0), "share", method, **details)


def _number(name: str, values: Sequence[float], who: str) -> Figure:
    """Return a figure with the mean over games of a number."""
    return Figure.measured(name, intervals.mean(values, 0.0), "number", "analysed", strength=who)


def _sample_figures(
    rules: Rules,
    games: Sequence[Mapping[str, Any]],
    analyses: Sequence[Mapping[str, Any]],
    who: str,
) -> list[Figure]:
    """Return the figures of the analyses."""
    dramas = [
        drama(analysis["lead"], game["winner"])
        for game, analysis in zip(games, analyses, strict=True)
        if game["winner"] is not None
    ]
    played = [analysis for analysis in analyses if analysis["legal"]]
    compared = [analysis["compared"] for analysis in played if analysis["compared"]]
    errors = [sum(lost / legal for legal, lost, _ in one) / len(one) for one in compared]
    single = [sum(good == 1 for _, _, good in one) / len(one) for one in compared]
    passes = [analysis["passes"] for analysis in played if analysis["passes"]]
    stuck = [sum(gain >= FAULTS["mistake"] for gain in one) / len(one) for one in passes]
    cells = [analysis["cells"] / rules.board.size for analysis in played]
    captures = [analysis["captures"] / len(analysis["legal"]) for analysis in played]
    return [
        _number("legal-moves", [sum(a["legal"]) / len(a["legal"]) for a in played], who),
        _share("losing-moves", errors, "compared", strength=who),
        _share("only-moves", single, "compared", strength=who),
        _share("zugzwang", stuck, "passed", strength=who),
        _number("lead-changes", [float(lead_changes(a["lead"])) for a in played], who),
        _share("drama", dramas, "drama", strength=who),
        _share("coverage", cells, "analysed", strength=who),
        _share("capturing", captures, "analysed", strength=who),
        *_kinds(played, who),
    ]


def _kinds(played: Sequence[Mapping[str, Any]], who: str) -> list[Figure]:
    """Return a figure for each kind of step, the most frequent first."""
    total: Counter[str] = Counter()
    for analysis in played:
        total.update(analysis["kinds"])
    return [
        _share(
            "step-kind",
            [a["kinds"].get(kind, 0) / sum(a["kinds"].values()) for a in played],
            "analysed",
            strength=who,
            kind=kind,
        )
        for kind, _ in sorted(total.items(), key=lambda pair: (-pair[1], pair[0]))
    ]
