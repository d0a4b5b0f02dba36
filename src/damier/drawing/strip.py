"""SVG picture of a line of play: a small board after each move, with the move below it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from damier.drawing.captions import caption
from damier.drawing.markup import escape
from damier.drawing.picture import Picture

if TYPE_CHECKING:
    from damier.position import Move, Position

MAX_COLUMNS = 8  # boards in a row
WIDTH, GAP, CAPTION = 120, 12, 18  # board width, gap between boards, height of the move's text
INK, PLATE = "#333333", "#fbfaf7"


def film(start: Position, moves: Iterable[Move], title: str) -> str:
    """Return the SVG text: the start, then the position after each move, with arrows for the move.

    The empty board is defined once and referenced for every position, which keeps the file small.
    """
    board = Picture(start, False, [], [], {})
    board.draw_board()
    wide, high = board.size()
    scale = WIDTH / wide
    frames: list[tuple[str, Position, list[tuple[str, str]]]] = [(caption(start)[0], start, [])]
    frames += [
        (f"{k}. {move}", move.after, [way for way in move.ways if way[0] != way[1]])
        for k, move in enumerate(moves, 1)
    ]
    columns = min(MAX_COLUMNS, len(frames))
    across, down = WIDTH + GAP, round(high * scale) + CAPTION + GAP
    width, height = GAP + columns * across, GAP + -(-len(frames) // columns) * down
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" font-family="system-ui, sans-serif" '
        f'text-anchor="middle">',
        f"<title>{escape(title)}</title>",
        board.definitions(),
        f'<defs><g id="{board.key}">',
        *board.parts,
        "</g></defs>",
        f'<rect width="{width}" height="{height}" fill="{PLATE}"/>',
    ]
    for k, (text, position, arrows) in enumerate(frames):
        frame = Picture(position, False, [], arrows, {})
        frame.key = board.key  # refer to the pawns that `board` defines
        frame.draw_pawns_and_marks()
        row, column = divmod(k, columns)
        place = f"translate({GAP + column * across} {GAP + row * down}) scale({scale:.3f})"
        size = 32 if len(text) < 20 else 26
        frame.label(wide / 2, high + 24, text, size, INK)
        parts += [f'<g transform="{place}">', f'<use href="#{board.key}"/>', *frame.parts, "</g>"]
    return "\n".join((*parts, "</svg>")) + "\n"
