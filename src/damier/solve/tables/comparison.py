"""Comparison of two tables of one game: how many positions have another value."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from damier.solve.link import link_loops
from damier.solve.numbering import numbering_of
from damier.solve.tables import comparison_kernels
from damier.solve.tables.table import Table

PIECE = 100_000


@dataclass(frozen=True)
class Changes:
    """Positions that two tables have in common, and how many of them have another value.

    Positions are counted with their images where the numbering knows them. `distances` have the
    same outcome after another number of moves; None if the tables measure distances differently.
    """

    positions: int
    outcomes: int
    distances: int | None


def comparable(one: Table, other: Table) -> bool:
    """Tell whether two tables have positions on the same board with as many pawns."""
    boards = one.rules.board, other.rules.board
    return (
        one.rules.name == other.rules.name
        and boards[0].names == boards[1].names
        and one.rules.pawns == other.rules.pawns
    )


def compare(one: Table, other: Table, workers: int | None = None) -> Changes:
    """Compare the values of all positions of the first table with those of another one."""
    loops = link_loops(comparison_kernels, one.rules)
    _, store, t = one.kernel()
    _, other_store, other_t = other.kernel()
    options = sum(option.mask for option in one.rules.module.OPTIONS)
    second = other_store, other_t, options, other.rules.word

    def job(piece: tuple[Any, int, int, tuple[int, ...]]) -> Any:
        kernel, low, high, more = piece
        tally = np.zeros(3, np.int64)
        kernel(low, high, one.rules.word, store, t, second, *more, tally)
        return tally

    with ThreadPoolExecutor(workers) as pool:
        total = sum(pool.map(job, _pieces(one, loops)), np.zeros(3, np.int64))
    both, outcomes, distances = total.tolist()
    return Changes(both, outcomes, distances if one.metric == other.metric else None)


def _pieces(table: Table, loops: Any) -> Iterator[tuple[Any, int, int, tuple[int, ...]]]:
    """Yield the kernel for the table's numbering with ranges of numbers, and further arguments."""
    numbering: Any = numbering_of(table.rules)
    numbers = numbering.space_for(table.rules, table.header)
    if hasattr(numbering, "position_at"):
        ranges: list[Any] = [(loops.compare_listed, 0, numbers.size, ())]
    elif hasattr(numbering, "position_of"):
        ranges = [(loops.compare_whole, 0, numbers.size, ())]
    else:
        ranges = [
            (loops.compare_tier, low, low + numbers.sizes[tier], (tier[0] << 6 | tier[1],))
            for tier, low in numbers.starts.items()
        ]
    for kernel, low, end, more in ranges:
        for begin in range(low, end, PIECE):
            yield kernel, begin, min(begin + PIECE, end), more
