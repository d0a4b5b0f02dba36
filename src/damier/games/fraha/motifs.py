"""Motifs of Fraha in explanations: the white pawns' shelter, and exile in a corner."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from damier.games.fraha.rules import immune

if TYPE_CHECKING:
    from damier.position import Move, Position


def motifs(position: Position, move: Move) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the motifs of a move in a position, with the details of their texts."""
    after, board = move.after, position.rules.board
    if after.over:
        return
    if position.side == "w":
        before, now = _immune(position), _immune(after)  # FR-6
        step = move.described[0]  # the displacement
        left = {cell for cell in before - now if after.cell(cell) == "w"}
        if step.origin in before and step.target not in now:
            left.add(str(step.target))
        if left:
            yield "left-shelter", {"cells": ", ".join(sorted(left))}
        if step.origin not in before and step.target in now:
            yield "enters-shelter", {"cells": str(step.target)}
        corners = {name for name in board.names if name[0] in "ae" and name[1] in "15"}
        exiled = [s.target for s in move.described if s.kind == "put" and s.target in corners]
        if exiled:  # FR-3: from a corner no step leads to the inner track
            yield "exiles", {"cell": str(exiled[0])}


def _immune(position: Position) -> set[str]:
    """Return the cells of the white pawns that cannot be teleported."""
    board = position.rules.board
    return {
        name
        for name, i in board.indices.items()
        if position.white >> i & 1 and immune(position.white, i)
    }
