"""Boards for a terminal, in box-drawing characters or ASCII.

White and Black differ by shape, not by ink: a filled disc is white on a dark terminal and black
on a light one, so a disc and a ring would be read the wrong way round half of the time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from damier.drawing.style import ansi_ground
from damier.drawing.view import View
from damier.drawing.words import caption
from damier.errors import DamierError
from damier.games.board import Board
from damier.lang import say

if TYPE_CHECKING:
    from damier.position import Position

# A corner where lines of weight 0 to 2 come from above, right, below and left, in base 3.
_CORNERS = " ╴╸╷┐┑╻┒┓╶─╾┌┬┭┎┰┱╺╼━┍┮┯┏┲┳╵┘┙│┤┥╽┧┪└┴┵├┼┽┟╁╅┕┶┷┝┾┿┢╆╈╹┚┛╿┦┩┃┨┫┖┸┹┞╀╃┠╂╉┗┺┻┡╄╇┣╊╋"


@dataclass(frozen=True)
class Glyphs:
    """The characters of a drawing, each one column wide."""

    pawns: dict[str, str]
    marked: dict[str, str]  # pawns that their owner may not displace
    closed: str
    unused: str
    refuge: str
    arrows: str  # up, right, down, left
    horizontal: str  # by weight
    vertical: str
    diagonals: str  # rising to the left, rising to the right
    corners: str


UNICODE = Glyphs(
    {"w": "○", "b": "◆"}, {"w": "◎", "b": "◈"}, "*", "▒", "╳", "↑→↓←", " ─━", " │┃", "╲╱", _CORNERS
)
ASCII = Glyphs(
    {"w": "O", "b": "X"}, {"w": "o", "b": "x"}, "*", "/", "+", "^>v<", " -=", " |#", "\\/",
    "".join(" +#"[2 if "2" in w else 1 if "1" in w else 0] for w in
            (f"{i // 27}{i // 9 % 3}{i // 3 % 3}{i % 3}" for i in range(81))),
)  # fmt: skip

# ANSI: a drawing in colour keeps its glyphs, so that nothing is lost where colours are not seen.
_RESET, _HIGHLIGHT = "\x1b[0m", "\x1b[48;5;133m"
_INK = {"w": "\x1b[1;38;5;231m", "b": "\x1b[1;38;5;16m", "": "\x1b[38;5;236m"}


def terminal(
    position: Position, *, colour: bool = False, marked: Iterable[str] = (), ascii: bool = False
) -> str:
    """Return a board for a terminal, with coordinates, and below it what it does not show.

    The `marked` cells, those of the last turn for instance, stand in brackets; the pawn of an
    unfinished turn in angle brackets. With `colour` ANSI colours are added, and nothing else
    changes. With `ascii` only ASCII is drawn; the caption is in the language in use.
    """
    board, view = position.rules.board, View.of(position)
    glyphs = ASCII if ascii else UNICODE
    brackets = dict.fromkeys(marked, "[]")
    for name in brackets:
        if name not in board.indices:
            raise DamierError("cell", name=name)
    if view.in_play:
        brackets[view.in_play] = "<>"
    canvas = _Canvas(board, glyphs, colour)
    if board.lines:
        _draw_lines(canvas)
    else:
        _draw_squares(canvas)
    for name, i in board.indices.items():
        pawn = view.pawns.get(name, "")
        if pawn:
            canvas.put(i, (glyphs.marked if name in view.resting else glyphs.pawns)[pawn], pawn)
        elif name in view.closed:
            canvas.put(i, glyphs.closed, "")
        if name in brackets:
            canvas.bracket(i, brackets[name])
    return "\n".join([*canvas.rows(), "", *_captions(position, view, glyphs)])


class _Canvas:
    """A grid of characters; each place of the board has its middle, four columns apart."""

    def __init__(self, board: Board, glyphs: Glyphs, colour: bool) -> None:
        self.board, self.glyphs, self.colour = board, glyphs, colour
        # Squares need room for their borders, intersections at the sides for brackets.
        self.left, self.top = (1, 0) if board.lines else (2, 1)
        width = 4 * board.files - 3 + 2 * self.left
        height = 2 * board.ranks - 1 + 2 * self.top
        self.cells = [[" "] * width for _ in range(height)]
        # Escape sequences: of the characters, and of what is behind them.
        self.inks = [[_INK[""] if board.lines else ""] * width for _ in range(height)]
        self.grounds = [[ansi_ground("line") if board.lines else ""] * width for _ in range(height)]

    def middle(self, i: int) -> tuple[int, int]:
        """Return the row and the column of a place's middle."""
        rank, file = divmod(i, self.board.files)
        return 2 * (self.board.ranks - 1 - rank) + self.top, 4 * file + self.left

    def put(self, i: int, glyph: str, ink: str, right: int = 0, down: int = 0) -> None:
        """Put a character at a place, or beside it."""
        row, column = self.middle(i)
        self.cells[row + down][column + right] = glyph
        self.inks[row + down][column + right] = _INK[ink]

    def bracket(self, i: int, pair: str) -> None:
        """Put brackets around a place."""
        row, column = self.middle(i)
        self.cells[row][column - 1], self.cells[row][column + 1] = pair[0], pair[1]
        self.inks[row][column - 1] = self.inks[row][column + 1] = _INK[""]
        self.grounds[row][column - 1 : column + 2] = [_HIGHLIGHT] * 3

    def ground(self, i: int) -> None:
        """Colour what is behind the three columns of a square."""
        row, column = self.middle(i)
        self.grounds[row][column - 1 : column + 2] = [ansi_ground(self.board.place(i))] * 3

    def rows(self) -> list[str]:
        """Return the rows with coordinates to the left and below."""
        board = self.board
        margin = len(str(board.ranks))
        ranks = {self.middle(r * board.files)[0]: r + 1 for r in range(board.ranks)}
        drawn = [f"{ranks.get(k, ''):>{margin}} {self._row(k)}" for k in range(len(self.cells))]
        files = [" "] * len(self.cells[0])
        for f in range(board.files):
            files[self.middle(f)[1]] = board.names[f][0]
        return [*drawn, " " * (margin + 1) + "".join(files).rstrip()]

    def _row(self, k: int) -> str:
        if not self.colour:
            return "".join(self.cells[k]).rstrip()
        styles = [g and g + i for g, i in zip(self.grounds[k], self.inks[k], strict=True)]
        drawn = ""
        for style, run in groupby(zip(styles, self.cells[k], strict=True), key=itemgetter(0)):
            glyphs = "".join(glyph for _, glyph in run)
            drawn += f"{style}{glyphs}{_RESET}" if style else glyphs
        return drawn


def _draw_lines(canvas: _Canvas) -> None:
    """Draw a board of intersections: each as the corner of the lines that meet there."""
    board, glyphs = canvas.board, canvas.glyphs
    arms = [[0, 0, 0, 0] for _ in range(board.size)]
    for i, j in board.lines:
        up, right = j // board.files - i // board.files, j % board.files - i % board.files
        if up and right:
            canvas.put(i, glyphs.diagonals[right > 0], "", 2 * right, -up)
        elif up:
            canvas.put(i, glyphs.vertical[1], "", 0, -1)
            arms[i][0] = arms[j][2] = 1
        else:
            for at in (1, 2, 3):
                canvas.put(i, glyphs.horizontal[1], "", at)
            arms[i][1] = arms[j][3] = 1
    for i in board.indices.values():
        canvas.put(i, _corner(glyphs, arms[i]), "")


def _draw_squares(canvas: _Canvas) -> None:
    """Draw a board of squares, with heavy lines where places of different meaning meet."""
    board, glyphs = canvas.board, canvas.glyphs

    def kind(rank: int, file: int) -> str | None:
        inside = 0 <= rank < board.ranks and 0 <= file < board.files
        i = rank * board.files + file
        return board.place(i) if inside and board.cells >> i & 1 else None

    def weight(one: str | None, other: str | None) -> int:
        if one is None and other is None:
            return 0
        return 1 if one == other or None in (one, other) else 2

    # Each line above and left of a place; one row and one column more than there are places.
    tops = {(r, f): weight(kind(r, f), kind(r + 1, f))
            for r in range(-1, board.ranks) for f in range(-1, board.files + 1)}  # fmt: skip
    lefts = {(r, f): weight(kind(r, f - 1), kind(r, f))
             for r in range(-1, board.ranks + 1) for f in range(board.files + 1)}  # fmt: skip
    for r in range(-1, board.ranks):
        row = 2 * (board.ranks - 1 - r)
        for f in range(board.files + 1):
            arms = [lefts[r + 1, f], tops[r, f], lefts[r, f], tops[r, f - 1]]
            canvas.cells[row][4 * f] = _corner(glyphs, arms)
            if f < board.files:
                canvas.cells[row][4 * f + 1 : 4 * f + 4] = glyphs.horizontal[tops[r, f]] * 3
            if r >= 0:
                canvas.cells[row + 1][4 * f] = glyphs.vertical[lefts[r, f]]
    _draw_places(canvas)


def _draw_places(canvas: _Canvas) -> None:
    """Draw what stands on places that have a meaning, and the arrows between them."""
    board, glyphs = canvas.board, canvas.glyphs
    for i in board.indices.values():
        canvas.ground(i)
        place = board.place(i)
        if place == "unused":
            for at in (-1, 0, 1):
                canvas.put(i, glyphs.unused, "", at)
        elif place == "refuge":
            canvas.put(i, glyphs.refuge, "")
    for i, j in board.arrows:
        (rank, file), (rank_to, file_to) = divmod(i, board.files), divmod(j, board.files)
        up, right = rank_to - rank, file_to - file
        way = (0 if up > 0 else 2) if up else (1 if right > 0 else 3)
        between = (rank + rank_to) // 2 * board.files + (file + file_to) // 2
        canvas.put(between, glyphs.arrows[way], "")


def _corner(glyphs: Glyphs, arms: list[int]) -> str:
    up, right, down, left = arms
    return glyphs.corners[27 * up + 9 * right + 3 * down + left]


def _captions(position: Position, view: View, glyphs: Glyphs) -> list[str]:
    """Return two lines: which glyph is whose and how many, and what the picture does not say."""
    pawns = list(view.pawns.values())
    legend = say(
        "drawing.legend",
        white_glyph=glyphs.pawns["w"], white=pawns.count("w"),
        black_glyph=glyphs.pawns["b"], black=pawns.count("b"),
    )  # fmt: skip
    return [legend, " ".join(caption(position))]
