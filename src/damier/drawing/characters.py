"""Board drawings for a terminal, in box-drawing characters or ASCII.

White and black pawns differ in shape, not in filling: a filled disc looks white on a dark terminal
and black on a light one, so a disc and a ring could be confused.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from damier.drawing.captions import caption
from damier.drawing.style import ansi_background
from damier.drawing.view import View
from damier.errors import DamierError
from damier.games.board import Board
from damier.i18n import translate

if TYPE_CHECKING:
    from damier.position import Position

# Corner characters. The index in base 3 has one digit for each line that meets in the corner, from
# above, right, below and left; the digit is the weight of the line, 0 to 2.
_CORNERS = " ╴╸╷┐┑╻┒┓╶─╾┌┬┭┎┰┱╺╼━┍┮┯┏┲┳╵┘┙│┤┥╽┧┪└┴┵├┼┽┟╁╅┕┶┷┝┾┿┢╆╈╹┚┛╿┦┩┃┨┫┖┸┹┞╀╃┠╂╉┗┺┻┡╄╇┣╊╋"


@dataclass(frozen=True)
class Glyphs:
    """Character set of a drawing; every character is one column wide."""

    pawns: dict[str, str]
    marked: dict[str, str]  # pawns that their owner may not move next
    promoted: dict[str, str]
    closed: str  # a cell that the pawn in play may not return to
    unused: str  # a cell on which no pawn ever stands
    refuge: str
    point: str  # an empty hexagon
    arrows: str  # up, right, down, left
    horizontal: str  # indexed by weight
    vertical: str  # indexed by weight
    diagonals: str  # rising to the left, rising to the right
    corners: str  # indexed as `_CORNERS`


UNICODE = Glyphs(
    {"w": "○", "b": "◆"},
    {"w": "◎", "b": "◈"},
    {"w": "⊛", "b": "❖"},
    "*",
    "▒",
    "╳",
    "·",
    "↑→↓←",
    " ─━",
    " │┃",
    "╲╱",
    _CORNERS,
)
ASCII = Glyphs(
    {"w": "O", "b": "X"},
    {"w": "o", "b": "x"},
    {"w": "@", "b": "%"},
    "*",
    "/",
    "+",
    ".",
    "^>v<",
    " -=",
    " |#",
    "\\/",
    "".join(
        " +#"[2 if "2" in w else 1 if "1" in w else 0]
        for w in (f"{i // 27}{i // 9 % 3}{i // 3 % 3}{i % 3}" for i in range(81))
    ),
)

# ANSI escape sequences. A coloured drawing has the same glyphs, so it is complete without colours.
_RESET, _HIGHLIGHT = "\x1b[0m", "\x1b[48;5;133m"
_INK = {"w": "\x1b[1;38;5;231m", "b": "\x1b[1;38;5;16m", "": "\x1b[38;5;236m"}


def terminal(
    position: Position, *, colour: bool = False, marked: Iterable[str] = (), ascii: bool = False
) -> str:
    """Return the board with coordinates, and a caption below it, as lines of text.

    `marked` cells, for example those of the last move, are in brackets; the pawn of an unfinished
    move is in angle brackets. `colour` adds ANSI colours and changes nothing else. With `ascii` the
    board contains only ASCII characters; the caption is in the language in use. Raise DamierError
    if a marked cell does not exist.
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
    if canvas.lines:
        _draw_lines(canvas)
    else:
        _draw_squares(canvas)
    for name, i in board.indices.items():
        pawn = view.pawns.get(name, "")
        if pawn:
            plain = glyphs.marked if name in view.resting else glyphs.pawns
            canvas.put(i, (glyphs.promoted if name in view.promoted else plain)[pawn], pawn)
        elif name in view.closed:
            canvas.put(i, glyphs.closed, "")
        if name in brackets:
            canvas.bracket(i, brackets[name])
    return "\n".join([*canvas.rows(), "", *_captions(position, view, glyphs)])


class _Canvas:
    """Grid of characters. The middles of neighbouring cells are four columns and two rows apart."""

    def __init__(self, board: Board, glyphs: Glyphs, colour: bool) -> None:
        self.board, self.glyphs, self.colour = board, glyphs, colour
        # Hexagons are drawn as points that are joined to their neighbours.
        self.lines = board.lines
        if board.hexagonal:
            self.lines = tuple(
                (i, j) for i in range(board.size) for j in range(i) if board.near[i] >> j & 1
            )
        # Squares need space for their borders, intersections a column on each side for brackets.
        self.left, self.top = (1, 0) if self.lines else (2, 1)
        width = round(4 * board.extent[0]) - 3 + 2 * self.left
        height = 2 * board.ranks - 1 + 2 * self.top
        self.cells = [[" "] * width for _ in range(height)]
        # Escape sequences of each character: foreground and background.
        self.inks = [[_INK[""] if self.lines else ""] * width for _ in range(height)]
        self.backgrounds = [
            [ansi_background("line") if self.lines else ""] * width for _ in range(height)
        ]

    def middle(self, i: int) -> tuple[int, int]:
        """Return the row and the column of the middle of a cell."""
        rank = i // self.board.files
        column = round(4 * self.board.middles[i][0])
        return 2 * (self.board.ranks - 1 - rank) + self.top, column + self.left

    def put(self, i: int, glyph: str, ink: str, right: int = 0, down: int = 0) -> None:
        """Write a character in the middle of a cell, or at an offset from it."""
        row, column = self.middle(i)
        self.cells[row + down][column + right] = glyph
        self.inks[row + down][column + right] = _INK[ink]

    def bracket(self, i: int, pair: str) -> None:
        """Write brackets around a cell and highlight it."""
        row, column = self.middle(i)
        self.cells[row][column - 1], self.cells[row][column + 1] = pair[0], pair[1]
        self.inks[row][column - 1] = self.inks[row][column + 1] = _INK[""]
        self.backgrounds[row][column - 1 : column + 2] = [_HIGHLIGHT] * 3

    def paint_background(self, i: int) -> None:
        """Set the background colour of the three columns of a square."""
        row, column = self.middle(i)
        self.backgrounds[row][column - 1 : column + 2] = [ansi_background(self.board.place(i))] * 3

    def rows(self) -> list[str]:
        """Return the rows, with rank numbers on the left and file letters below."""
        board = self.board
        margin = len(str(board.ranks))
        ranks = {self.middle(r * board.files)[0]: r + 1 for r in range(board.ranks)}
        rows = [f"{ranks.get(k, ''):>{margin}} {self._row(k)}" for k in range(len(self.cells))]
        if board.hexagonal:
            return self._with_slanted_files(rows, margin + 1)
        files = [" "] * len(self.cells[0])
        for f in range(board.files):
            files[self.middle(f)[1]] = board.names[f][0]
        return [*rows, " " * (margin + 1) + "".join(files).rstrip()]

    def _with_slanted_files(self, rows: list[str], margin: int) -> list[str]:
        """Return the rows with the letter of each file where it would continue, lower right."""
        board, rows = self.board, [*rows, "", ""]
        for file in range(board.files):
            lowest = min(i for i in board.indices.values() if i % board.files == file)
            row, column = self.middle(lowest)
            rows[row + 2] = f"{rows[row + 2]:<{margin + column + 2}}{board.names[file][0]}"
        return [row for k, row in enumerate(rows) if row or k < len(rows) - 2]

    def _row(self, k: int) -> str:
        if not self.colour:
            return "".join(self.cells[k]).rstrip()
        styles = [g and g + i for g, i in zip(self.backgrounds[k], self.inks[k], strict=True)]
        text = ""
        for style, run in groupby(zip(styles, self.cells[k], strict=True), key=itemgetter(0)):
            glyphs = "".join(glyph for _, glyph in run)
            text += f"{style}{glyphs}{_RESET}" if style else glyphs
        return text


def _draw_lines(canvas: _Canvas) -> None:
    """Draw a board of intersections, with a corner character where lines meet."""
    board, glyphs = canvas.board, canvas.glyphs
    arms = [[0, 0, 0, 0] for _ in range(board.size)]
    if board.hexagonal:
        _join_hexagons(canvas)
        return
    for i, j in board.lines:
        up, right = j // board.files - i // board.files, j % board.files - i % board.files
        if up and right:
            canvas.put(i, glyphs.diagonals[right > 0], "", 2 * right, -up)
        elif up:
            canvas.put(i, glyphs.vertical[1], "", 0, -1)
            arms[i][0] = arms[j][2] = 1
        else:
            for offset in (1, 2, 3):
                canvas.put(i, glyphs.horizontal[1], "", offset)
            arms[i][1] = arms[j][3] = 1
    for i in board.indices.values():
        canvas.put(i, _corner(glyphs, arms[i]), "")


def _join_hexagons(canvas: _Canvas) -> None:
    """Draw a point in each cell of a hexagonal board, and a line to each neighbour."""
    glyphs = canvas.glyphs
    for i, j in canvas.lines:  # j is below i, or to its left
        (row, column), (row_to, column_to) = canvas.middle(i), canvas.middle(j)
        if row == row_to:
            for offset in (-1, -2, -3):
                canvas.put(i, glyphs.horizontal[1], "", offset)
        else:
            right = (column_to - column) // 2
            canvas.put(i, glyphs.diagonals[right < 0], "", right, 1)
    for i in canvas.board.indices.values():
        canvas.put(i, glyphs.point, "")


def _draw_squares(canvas: _Canvas) -> None:
    """Draw a board of squares, with heavy lines between places of different kinds."""
    board, glyphs = canvas.board, canvas.glyphs

    def kind(rank: int, file: int) -> str | None:
        inside = 0 <= rank < board.ranks and 0 <= file < board.files
        i = rank * board.files + file
        return board.place(i) if inside and board.cells >> i & 1 else None

    def weight(first: str | None, second: str | None) -> int:
        if first is None and second is None:
            return 0
        return 1 if first == second or None in (first, second) else 2

    # Weights of the lines above and to the left of each cell. The ranges extend beyond the board by
    # one row and one column, for the outer border.
    tops = {
        (r, f): weight(kind(r, f), kind(r + 1, f))
        for r in range(-1, board.ranks)
        for f in range(-1, board.files + 1)
    }
    lefts = {
        (r, f): weight(kind(r, f - 1), kind(r, f))
        for r in range(-1, board.ranks + 1)
        for f in range(board.files + 1)
    }
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
    """Draw the backgrounds, the signs of unused cells and refuges, and the arrows."""
    board, glyphs = canvas.board, canvas.glyphs
    for i in board.indices.values():
        canvas.paint_background(i)
        place = board.place(i)
        if place == "unused":
            for offset in (-1, 0, 1):
                canvas.put(i, glyphs.unused, "", offset)
        elif place == "refuge":
            canvas.put(i, glyphs.refuge, "")
    for i, j in board.arrows:
        (rank, file), (rank_to, file_to) = divmod(i, board.files), divmod(j, board.files)
        up, right = rank_to - rank, file_to - file
        direction = (0 if up > 0 else 2) if up else (1 if right > 0 else 3)
        between = (rank + rank_to) // 2 * board.files + (file + file_to) // 2
        canvas.put(between, glyphs.arrows[direction], "")


def _corner(glyphs: Glyphs, arms: list[int]) -> str:
    """Return the corner character for the weights of the lines above, right, below and left."""
    up, right, down, left = arms
    return glyphs.corners[27 * up + 9 * right + 3 * down + left]


def _captions(position: Position, view: View, glyphs: Glyphs) -> list[str]:
    """Return two lines: the legend with the number of pawns, and the caption."""
    pawns = list(view.pawns.values())
    legend = translate(
        "drawing.legend",
        white_glyph=glyphs.pawns["w"],
        white=pawns.count("w"),
        black_glyph=glyphs.pawns["b"],
        black=pawns.count("b"),
    )
    return [legend, " ".join(caption(position))]
