"""Content of a drawing: pawns, and what the rules of the game add to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from damier import notation

if TYPE_CHECKING:
    from damier.position import Position


@dataclass(frozen=True)
class View:
    """Visible content of a position; cells are given by name.

    `hands` is None in games where no pawns are ever placed.
    """

    pawns: dict[str, str]  # side of the pawn on each occupied cell
    in_play: str  # cell of the pawn that an unfinished move moves or placed first, or ""
    closed: tuple[str, ...]  # cells that the pawn in play may not return to
    promoted: tuple[str, ...]  # pawns that are kings
    resting: tuple[str, ...]  # pawns that their owner may not move next
    barred: tuple[tuple[str, str], ...]  # pairs of cells between which a step is forbidden now
    hands: tuple[int, int] | None  # pawns that White and Black still have to place

    @classmethod
    def of(cls, position: Position) -> View:
        """Return the visible content of a position."""
        module, board, words = position.rules.module, position.rules.board, position.words
        pawns = {n: position.cell(n) for n in board.sorted_names(board.cells)}
        in_play = notation.last_arrival(board, position.begun)
        return cls(
            pawns={name: side for name, side in pawns.items() if side != "."},
            in_play=in_play,
            closed=tuple(board.sorted_names(position.white & position.black)),
            promoted=tuple(board.sorted_names(module.promoted(*words))),
            resting=tuple(board.sorted_names(module.resting(*words))),
            barred=tuple((board.names[i], board.names[j]) for i, j in module.barred(*words)),
            hands=module.hands(*words),
        )
