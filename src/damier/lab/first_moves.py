"""First moves: the value of each, proved or searched, and which are balanced for a swap rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from damier.errors import DamierError
from damier.gameplay import Game
from damier.games.run_time_errors import located_errors
from damier.lab.exact import ExactValues
from damier.lab.intervals import Estimate
from damier.lab.report import EMPTY, Cell, Figure, Grid, Scalar
from damier.lab.samples import prepare
from damier.position import Move, Rules
from damier.search import Engine, Limits, ready
from damier.search.analysis import chance_of
from damier.search.root import MAX_ANALYSED

NODES = 200_000  # for all first moves together
BALANCED = 0.05  # distance of the winning chance from one half


def classes(rules: Rules, moves: Sequence[Move]) -> list[list[Move]]:
    """Return moves from the start in classes that symmetries of the start map to each other."""
    start = rules.start()
    own = [
        s for s in range(len(rules.board.symmetries)) if start.transformed(s).words == start.words
    ]
    found: dict[object, list[Move]] = {}
    for move in moves:
        image = min(move.after.transformed(symmetry).words for symmetry in own)
        found.setdefault(image, []).append(move)
    return list(found.values())


def search(rules: Rules) -> list[list[Any]]:
    """Return the first moves, one of each class: text, winning chance of a search, class size."""
    with located_errors():
        prepare(rules)
        game = Game(rules)
        try:
            moves = game.legal_moves(MAX_ANALYSED)
        except DamierError:  # too many
            return []
        engine = Engine(rules, expected_nodes=NODES, compiled=ready(rules))
        result = engine.think(game, Limits(nodes=NODES), multipv=True)
        chance = {root.after: chance_of(rules, root.value) for root in result.moves}
        found = [
            [group[0].text, round(chance[group[0].words], 4), len(group)]
            for group in classes(rules, moves)
        ]
    return sorted(found, key=lambda row: (-row[1], row[0]))


def figures(searched: Sequence[Sequence[Any]]) -> list[Figure]:
    """Return the number of first moves that a search finds balanced."""
    if not searched:
        return []
    whole = sum(count for _, _, count in searched)
    balanced = sum(count for _, chance, count in searched if abs(chance - 0.5) <= BALANCED)
    estimate = Estimate(balanced, None, whole)
    return [Figure.measured("balanced-searched", estimate, "count", "searched")]


def grid(searched: Sequence[Sequence[Any]], exact: ExactValues | None) -> Grid:
    """Return the value of every first move, up to symmetry, the best first."""
    known = {} if exact is None else {move.text: value for move, value in exact.openings}
    rows: list[tuple[tuple[Any, ...], Mapping[str, Scalar], tuple[Cell, ...]]] = []
    for text, chance, count in searched:
        proved = known.get(text)
        cells = EMPTY, EMPTY
        if proved is not None:
            outcome = "open" if proved.bound else proved.outcome
            distance = proved.distance if proved.to == "end" else None
            cells = Cell(f"lab.outcome.{outcome}", "text"), Cell(distance, "count")
        rank = (proved.rank if proved is not None else (), -chance, text)
        rows.append((rank, {"move": text}, (*cells, Cell(chance, "share"), Cell(count, "count"))))
    rows.sort(key=lambda row: row[0])
    columns = "proved", "distance", "chance", "alike"
    return Grid("first-moves", columns, tuple((about, cells) for _, about, cells in rows))
