"""Motifs of Badia in explanations: a pawn that is lifted off the board."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from damier.position import Move, Position


def motifs(position: Position, move: Move) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the motifs of a move in a position, with the details of their texts."""
    for step in move.described:
        for cell, target in step.puts:
            if target is None:  # BA-9
                yield "lifts", {"cell": cell}
