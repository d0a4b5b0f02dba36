"""What a drawing shows besides pawns: read from a position's text, so that no rule is repeated."""

from __future__ import annotations

import re
from dataclasses import dataclass

from damier.rules import Position

_ARRIVAL = re.compile(r"-([a-z]\d+)")
_CELL = re.compile(r"[a-z]\d+")


@dataclass(frozen=True)
class View:
    """A position as a reader sees it, all cells by name.

    `marks` are pawns that their owner may not displace, `closed` the cells that the pawn in play
    may not go back to, `hands` the pawns still to be placed by White and by Black (None where
    nothing is ever placed), `drop` what waits to be put back by the side to move: "", "d" or "D".
    """

    pawns: dict[str, str]
    in_play: str
    closed: tuple[str, ...]
    marks: tuple[str, ...]
    ko: tuple[str, str] | None
    hands: tuple[int, int] | None
    drop: str
    passed: bool
    count: int

    @classmethod
    def of(cls, position: Position) -> View:
        """Return what a position shows."""
        rules, board = position.rules, position.rules.board
        fields = dict(zip(rules.file.FIELDS, rules.file.write_fields(*position.words), strict=True))
        drop = fields.get("drop", "-").strip("-")
        pawns = {n: position.cell(n) for n in board.sorted_names(board.cells)}
        return cls(
            pawns={name: side for name, side in pawns.items() if side != "."},
            in_play=_in_play(position.begun),
            closed=tuple(board.sorted_names(position.white & position.black)),
            marks=tuple(
                fields[f] for f in ("white-mark", "black-mark") if fields.get(f, "-") != "-"
            ),
            ko=_pair(fields.get("ko", "-")),
            hands=_hands(position, fields, drop),
            drop=drop,
            passed=fields.get("state") == "p",
            count=int(fields.get("count", "0")),
        )


def _in_play(begun: str) -> str:
    """Return the cell of the pawn whose turn is under way, or of the first one placed."""
    arrivals = _ARRIVAL.findall(begun)
    if arrivals:
        return str(arrivals[-1])
    placed = _CELL.match(begun)
    return placed[0] if placed else ""


def _pair(ko: str) -> tuple[str, str] | None:
    """Return the two cells of a barred swap."""
    first, equals, second = ko.partition("=")
    return (first, second) if equals else None


def _hands(position: Position, fields: dict[str, str], drop: str) -> tuple[int, int] | None:
    """Return how many pawns White and Black have still to place.

    A game that begins with pawns on its board has no hands; one whose text does not write them
    means what is missing on the board, less a pawn that waits to be put back.
    """
    if "white-hand" in fields:
        return int(fields["white-hand"]), int(fields["black-hand"])
    if position.rules.start().white:
        return None
    waiting = (int(bool(drop) and position.side == s) for s in "wb")
    white, black = (
        position.rules.pawns - pawns.bit_count() - less
        for pawns, less in zip((position.white, position.black), waiting, strict=True)
    )
    lifted = position.unfinished  # an enemy pawn that the mover is about to put
    return (white - (lifted and position.side == "b"), black - (lifted and position.side == "w"))
