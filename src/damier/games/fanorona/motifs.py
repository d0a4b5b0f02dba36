"""Motifs of Fanorona in explanations: captures declined, and chains ended early."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from damier.position import Move, Position


def motifs(position: Position, move: Move) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the motifs of a move in a position, with the details of their texts."""
    steps = move.described
    if steps[-1].kind == "stop":  # FA-7
        yield "ends-chain", {}
    if not steps[0].takes and any(step.takes for step in position.steps()):  # FA-6
        yield "declines", {}
