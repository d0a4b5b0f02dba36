"""Statistics of a solved game: outcome counts, openings, the longest win, sharpness."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from damier.gameplay import Game, HistoryPolicy
from damier.jit import runtime_of
from damier.position import Move, Position, Rules
from damier.solve import Table, Value, best_line, find, probe, probe_moves
from damier.solve.link import link_loops, space_module
from damier.solve.numbering import numbering_of
from damier.solve.retrograde import rules_sharing_table
from damier.solve.retrograde.thread_pool import ThreadPool
from damier.solve.tables import probe_kernels


@dataclass
class Facts:
    """Statistics of one set of rules."""

    rules: Rules
    start: Value
    openings: list[tuple[Move, Value]]  # first moves with their values
    counts: dict[str, Any]  # from the table's header
    longest: Position  # first position with the longest win
    line: list[Move]  # moves of that win
    longest_value: Value
    only_move_position: Position | None = None  # drawn position where only one move does not lose
    sharpness: dict[str, int] = field(default_factory=dict)  # see `_measure_sharpness`

    def total(self, what: str) -> int:
        """Return the number of positions that are "won", "drawn" or "lost" for the side to move."""
        return sum(int(part[what]) for part in self.counts.values())

    def distances(self, what: str) -> dict[int, int]:
        """Return the number of "wins" or "losses" by distance, in increasing order of distance."""
        totals: dict[int, int] = {}
        for part in self.counts.values():
            for distance, count in part[what].items():
                totals[int(distance)] = totals.get(int(distance), 0) + count
        return dict(sorted(totals.items()))


def count_best_openings(start: Value, openings: list[tuple[Move, Value]]) -> int:
    """Return the number of first moves that keep the outcome of the start."""
    return sum(value.outcome == start.outcome for _, value in openings)


def facts_of(rules: Rules, workers: int | None = None) -> Facts:
    """Compute the statistics of rules from their table; this examines every position.

    Raise LookupError if there is no table.
    """
    table = find(rules)
    start = probe(rules.start())
    if table is None or start is None:
        raise LookupError(rules)
    longest = longest_win(table, _without_superko(rules))
    value = probe(longest)
    facts = Facts(
        rules,
        start,
        probe_moves(Game(rules)),
        table.header["counts"],
        longest,
        best_line(Game(longest)),
        value if value is not None else start,
    )
    _measure_sharpness(facts, table, workers)
    return facts


def _without_superko(rules: Rules) -> Rules:
    """Return rules with the same table but without superko, because the table ignores history."""
    policy = HistoryPolicy(rules.module)
    free = (other for other in rules_sharing_table(rules) if not policy.superko(other.word))
    return next(free, rules) if policy.superko(rules.word) else rules


def longest_win(table: Table, rules: Rules) -> Position:
    """Return the first position with the longest win; positions of the placing phase count too."""
    codes = table.arrays["values"].array()
    return position_of(rules, int(np.where(codes % 2 == 0, codes, 0).argmax()))


def position_of(rules: Rules, number: int) -> Position:
    """Return the position with a number in the table."""
    numbers = numbering_of(rules).space_for(rules, {})
    space = space_module(rules, True)
    w, b, r = space.position_of(number, rules.word, numbers.lookup(runtime_of(space)))
    return Position(rules, int(w), int(b), int(r))


def _measure_sharpness(facts: Facts, table: Table, workers: int | None) -> None:
    """Count how easily draws are lost, in all positions outside the placing phase.

    Set `facts.sharpness`: drawn positions, those where only one of several moves keeps the draw,
    the moves in drawn positions, and the losing moves. Set `facts.only_move_position` to the first
    position where only one move keeps the draw, or None.
    """
    loops = link_loops(probe_kernels, facts.rules)
    _, store, t = table.kernel()
    word = facts.rules.word
    tally = np.zeros(4, np.int64)
    first = -1

    def piece(low: int, high: int) -> tuple[int, Any]:
        counts = np.zeros(4, np.int64)
        return int(loops.sharpness(low, high, word, store, t, counts)), counts

    numbers: Any = numbering_of(facts.rules).space_for(facts.rules, table.header)
    _, low, high = numbers.ranges[0]
    with ThreadPool(workers) as pool:
        for number, counts in pool.run(piece, low, high, 50_000):
            tally += counts
            if first < 0:
                first = number
    names = ("drawn", "single", "turns", "losing")
    facts.sharpness = dict(zip(names, tally.tolist(), strict=True))
    facts.only_move_position = position_of(facts.rules, first) if first >= 0 else None
