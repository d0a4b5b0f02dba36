"""Motifs of Seega in explanations: the refuge, and a player shut in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from damier.position import Move, Position


def motifs(position: Position, move: Move) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the motifs of a move in a position, with the details of their texts."""
    ways = [step for step in move.described if step.kind == "move"]
    if not ways:
        return
    board, options = position.rules.board, position.rules.options
    (centre,) = board.sorted_names(board.places["refuge"])
    begins, ends = (cell == centre for cell in (ways[0].origin, ways[-1].target))
    if options["refuge"] == "yes" and begins != ends:  # SE-5
        yield "left-refuge" if begins else "enters-refuge", {"cell": centre}
    after = move.after
    if not after.over and [step.kind for step in after.steps()] == ["pass"]:  # SE-8
        yield "shuts-in", {}
