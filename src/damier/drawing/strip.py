"""A line of play as one SVG picture: a small board after each turn, the turn's text below."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from damier.drawing.picture import Picture
from damier.drawing.words import caption

if TYPE_CHECKING:
    from damier.position import Position, Turn

ACROSS = 8  # boards in a row
WIDTH, GAP, CAPTION = 120, 12, 18  # of a board, between boards, for a turn's text
INK, PLATE = "#333333", "#fbfaf7"


def film(start: Position, turns: Iterable[Turn], title: str) -> str:
    """Return the picture: the starting position, then each position with the way it came about.

    The board is drawn once and shown many times, so that a long line stays a small file.
    """
    board = Picture(start, False, [], [], {})
    board.draw_board()
    wide, high = board.size()
    scale = WIDTH / wide
    frames: list[tuple[str, Position, list[tuple[str, str]]]] = [(caption(start)[0], start, [])]
    frames += [
        (f"{k}. {turn}", turn.after, [way for way in turn.ways if way[0] != way[1]])
        for k, turn in enumerate(turns, 1)
    ]
    across, down = WIDTH + GAP, round(high * scale) + CAPTION + GAP
    width, height = GAP + ACROSS * across, GAP + -(-len(frames) // ACROSS) * down
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
    for k, (said, position, moves) in enumerate(frames):
        frame = Picture(position, False, [], moves, {})
        frame.key = board.key  # the same pawns
        frame.draw_standing()
        row, column = divmod(k, ACROSS)
        place = f"translate({GAP + column * across} {GAP + row * down}) scale({scale:.3f})"
        size = 32 if len(said) < 20 else 26
        frame.label(wide / 2, high + 24, said, size, INK)
        parts += [f'<g transform="{place}">', f'<use href="#{board.key}"/>', *frame.parts, "</g>"]
    return "\n".join((*parts, "</svg>")) + "\n"
