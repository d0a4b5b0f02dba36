"""What a drawing shows besides pawns, asked of the game's rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from damier import notation

if TYPE_CHECKING:
    from damier.position import Position


@dataclass(frozen=True)
class View:
    """A position as a reader sees it, all cells by name.

    `in_play` is the pawn whose turn is under way or the first one placed, `closed` the cells that
    it may not go back to, `resting` the pawns that their owner may not move next, `barred` the ways
    that are closed for a turn, `hands` the pawns still to be placed by White and by Black (None
    where nothing is ever placed).
    """

    pawns: dict[str, str]
    in_play: str
    closed: tuple[str, ...]
    resting: tuple[str, ...]
    barred: tuple[tuple[str, str], ...]
    hands: tuple[int, int] | None

    @classmethod
    def of(cls, position: Position) -> View:
        """Return what a position shows."""
        file, board, words = position.rules.file, position.rules.board, position.words
        pawns = {n: position.cell(n) for n in board.sorted_names(board.cells)}
        in_play = notation.last_arrival(board, position.begun)
        return cls(
            pawns={name: side for name, side in pawns.items() if side != "."},
            in_play=in_play,
            closed=tuple(board.sorted_names(position.white & position.black)),
            resting=tuple(board.sorted_names(file.resting(*words))),
            barred=tuple((board.names[i], board.names[j]) for i, j in file.barred(*words)),
            hands=file.hands(*words),
        )
