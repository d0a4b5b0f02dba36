"""What the tables say of a game: counts, openings, the longest win, how sharp it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from damier.history import Game, Policy
from damier.jit import home_of
from damier.position import Position, Rules, Turn
from damier.solve import Table, Value, best_line, find, probe, probe_turns
from damier.solve.link import linked, space_module
from damier.solve.numbering import numbering_of
from damier.solve.retrograde import alike
from damier.solve.retrograde.workers import Workers
from damier.solve.tables import probing


@dataclass
class Facts:
    """What a page says of some rules."""

    rules: Rules
    start: Value
    openings: list[tuple[Turn, Value]]
    counts: dict[str, Any]
    longest: Position  # a position with the longest win
    line: list[Turn]  # that win
    longest_value: Value
    only: Position | None = None  # a drawn position with a single saving turn
    sharp: dict[str, int] = field(default_factory=dict)

    def total(self, what: str) -> int:
        """Return how many positions are won, drawn or lost for the side to move."""
        return sum(int(part[what]) for part in self.counts.values())

    def distances(self, what: str) -> dict[int, int]:
        """Return how many wins or losses there are of each distance."""
        found: dict[int, int] = {}
        for part in self.counts.values():
            for distance, count in part[what].items():
                found[int(distance)] = found.get(int(distance), 0) + count
        return dict(sorted(found.items()))


def kept(start: Value, openings: list[tuple[Turn, Value]]) -> int:
    """Return how many first turns keep the value of the start."""
    return sum(value.outcome == start.outcome for _, value in openings)


def facts_of(rules: Rules, workers: int | None = None) -> Facts:
    """Return what the table of some rules says; this looks at every position."""
    table = find(rules)
    start = probe(rules.start())
    if table is None or start is None:
        raise LookupError(rules)
    longest = longest_win(table, _without_ban(rules))
    value = probe(longest)
    facts = Facts(
        rules,
        start,
        probe_turns(Game(rules)),
        table.header["counts"],
        longest,
        best_line(Game(longest)),
        value if value is not None else start,
    )
    _sharpen(facts, table, workers)
    return facts


def _without_ban(rules: Rules) -> Rules:
    """Return rules with the same table where a turn may bring back a position, as it has it."""
    policy = Policy(rules.file)
    free = (other for other in alike(rules) if not policy.superko(other.word))
    return next(free, rules) if policy.superko(rules.word) else rules


def longest_win(table: Table, rules: Rules) -> Position:
    """Return the first position with the longest win, placing included."""
    codes = table.arrays["values"].array()
    return position_of(rules, int(np.where(codes % 2 == 0, codes, 0).argmax()))


def position_of(rules: Rules, number: int) -> Position:
    """Return the position that a table's number stands for."""
    numbers = numbering_of(rules).space_for(rules, {})
    space = space_module(rules, True)
    w, b, r = space.position_of(number, rules.word, numbers.lookup(home_of(space)))
    return Position(rules, int(w), int(b), int(r))


def _sharpen(facts: Facts, table: Table, workers: int | None) -> None:
    """Count, over all positions of play, how easily a draw is given away."""
    loops = linked(probing, facts.rules)
    _, store, t = table.kernel()
    word = facts.rules.word
    tally = np.zeros(4, np.int64)
    first = -1

    def piece(low: int, high: int) -> tuple[int, Any]:
        one = np.zeros(4, np.int64)
        return int(loops.sharpness(low, high, word, store, t, one)), one

    numbers: Any = numbering_of(facts.rules).space_for(facts.rules, table.header)
    _, low, high = numbers.ranges[0]
    with Workers(workers) as pool:
        for found, one in pool.run(piece, low, high, 50_000):
            tally += one
            if first < 0:
                first = found
    names = ("drawn", "single", "turns", "losing")
    facts.sharp = dict(zip(names, tally.tolist(), strict=True))
    facts.only = position_of(facts.rules, first) if first >= 0 else None
