"""Standalone SVG pictures of a board, without scripts or external references.

Each board lies on a plate of its own colour, so a picture is readable on light and dark pages.
Colour is never the only information: pawns differ in brightness, coloured cells have labels, and
the SVG title and description contain everything that the picture shows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING
from zlib import crc32

from damier.drawing.captions import caption, description
from damier.drawing.markup import escape
from damier.drawing.style import heat_colour, look
from damier.drawing.view import View
from damier.errors import DamierError
from damier.i18n import translate, translate_for_game

if TYPE_CHECKING:
    from damier.position import Position

# Lengths in SVG user units.
UNIT = 64  # side of a cell
MARGIN = 30  # width of the plate around the cells, with the coordinates
PAWN = 23  # radius of a pawn


def svg(
    position: Position,
    *,
    coordinates: bool = True,
    marked: Iterable[str] = (),
    moves: Iterable[tuple[str, str]] = (),
    heat: Mapping[str, tuple[str, float]] | None = None,
    title: str | None = None,
) -> str:
    """Return the board as a standalone SVG picture.

    `marked` cells are highlighted; `moves` are drawn as arrows from cell to cell. `heat` maps cells
    to a short label and a number from -1 (bad) to 1 (good), which selects the colour; the label
    gives the same information as text. `title` replaces the SVG title, which screen readers read
    first. Raise DamierError if a cell does not exist.
    """
    return Picture(position, coordinates, list(marked), list(moves), dict(heat or {})).text(title)


class Picture:
    """Builder of one SVG picture: collects the elements in `parts`."""

    def __init__(
        self,
        position: Position,
        coordinates: bool,
        marked: list[str],
        moves: list[tuple[str, str]],
        heat: dict[str, tuple[str, float]],
    ) -> None:
        self.position, self.board = position, position.rules.board
        self.view, self.look = View.of(position), look(position.rules.folder.look)
        self.coordinates, self.marked, self.moves, self.heat = coordinates, marked, moves, heat
        for name in (*marked, *heat, *(name for pair in moves for name in pair)):
            if name not in self.board.indices:
                raise DamierError("cell", name=name)
        self.margin = MARGIN if coordinates else 14
        if self.board.lines and not coordinates:
            self.margin = 2
        # Several pictures may be on one page, so the ids of gradients must be unique.
        self.key = f"d{crc32(f'{position!r}{marked}{moves}{heat}{coordinates}'.encode()):08x}"
        self.parts: list[str] = []

    def middle(self, name: str) -> tuple[float, float]:
        """Return the coordinates of the middle of a cell."""
        x, y = self.board.middles[self.board.names.index(name)]
        highest = max(self.board.middles[i][1] for i in self.board.indices.values())
        below = (self.board.extent[1] - highest) / 2
        return (
            self.margin + (x + 0.5) * UNIT,
            self.margin + (highest + below - y) * UNIT,
        )

    def add(self, tag: str, **attributes: object) -> None:
        """Add an element; underscores in attribute names become hyphens."""
        text = "".join(
            f' {key.replace("_", "-")}="{_number(value)}"' for key, value in attributes.items()
        )
        self.parts.append(f"<{tag}{text}/>")

    def label(self, x: float, y: float, text: str, size: float, fill: str, **more: object) -> None:
        """Add a text centred at a point; `more` are further attributes."""
        attributes = "".join(f' {key.replace("_", "-")}="{value}"' for key, value in more.items())
        self.parts.append(
            f'<text x="{_number(x)}" y="{_number(y + size * 0.35)}" font-size="{_number(size)}" '
            f'fill="{fill}"{attributes}>{escape(text)}</text>'
        )

    def text(self, title: str | None) -> str:
        """Draw everything and return the SVG text."""
        width, height = self.size()
        self.draw_board()
        self.draw_pawns_and_marks()
        body = "\n".join(self.parts)
        heading, *sentences = _title_and_description(self.position, self.heat, title)
        key = self.key
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img" '
            f'aria-labelledby="{key}t {key}s" font-family="system-ui, sans-serif" '
            f'text-anchor="middle">\n'
            f'<title id="{key}t">{escape(heading)}</title>\n'
            f'<desc id="{key}s">{escape(" ".join(sentences))}</desc>\n'
            f"{self.definitions()}\n{body}\n</svg>\n"
        )

    def size(self) -> tuple[int, int]:
        """Return the width and the height of the picture."""
        width, height = self.board.extent
        return round(width * UNIT) + 2 * self.margin, round(height * UNIT) + 2 * self.margin

    def definitions(self) -> str:
        """Return the `<defs>` element with a shaded pawn of each colour, for use by reference."""
        pawns = ""
        for side, light, dark, edge, ring in (
            ("w", "#ffffff", "#e2d8c3", "#5b5140", "#a99c80"),
            ("b", "#5a5f69", "#14161a", "#000000", "#7d8694"),
        ):
            pawns += (
                f'<radialGradient id="{self.key}{side}" cx=".38" cy=".32" r=".75">'
                f'<stop offset="0" stop-color="{light}"/><stop offset="1" stop-color="{dark}"/>'
                f'</radialGradient><g id="{self.key}{side}p">'
                f'<circle cx="1.5" cy="3" r="{PAWN}" fill-opacity=".28"/>'
                f'<circle r="{PAWN}" fill="url(#{self.key}{side})" stroke="{edge}" '
                f'stroke-width="1.5"/>'
                f'<circle r="{PAWN - 6}" fill="none" stroke="{ring}" stroke-width="1.3"/></g>'
            )
        return f"<defs>{pawns}</defs>"

    # The board

    def draw_board(self) -> None:
        """Draw the empty board."""
        width, height = self.size()
        self.add("rect", width=width, height=height, rx=14, fill=self.look.frame)
        if self.board.lines:
            self.draw_lines()
        else:
            self.draw_squares()
        if self.coordinates:
            self.draw_coordinates()

    def draw_coordinates(self) -> None:
        """Draw file letters below, rank numbers on the left, and the side to move in the corner."""
        board, half = self.board, self.margin / 2
        bottom = self.size()[1] - half
        for f in range(board.files):
            x, y = self.middle(board.names[f])[0], bottom
            if board.hexagonal:  # where the file would continue, to the lower right
                lowest = min(i for i in board.indices.values() if i % board.files == f)
                x, y = self.middle(board.names[lowest])
                x, y = x + 0.36 * UNIT, y + 0.68 * UNIT
            self.label(x, y, board.names[f][0], 16, self.look.ink)
        for r in range(board.ranks):
            first = next(i for i in board.indices.values() if i // board.files == r)
            x, y = self.middle(board.names[first])
            self.label(
                x - 0.7 * UNIT if board.hexagonal else half, y, str(r + 1), 16, self.look.ink
            )
        if self.position.result() is None:
            fill = f"url(#{self.key}{self.position.side})"
            self.add(
                "circle", cx=half, cy=bottom, r=8, fill=fill, stroke=self.look.ink, stroke_width=1.5
            )

    def draw_lines(self) -> None:
        """Draw a board of intersections."""
        board, inset = self.board, self.margin
        self.add(
            "rect",
            x=inset,
            y=inset,
            width=board.files * UNIT,
            height=board.ranks * UNIT,
            rx=10,
            fill=self.look.cell,
        )
        path = "".join(
            _path(self.middle(board.names[i]), self.middle(board.names[j])) for i, j in board.lines
        )
        self.add(
            "path",
            d=path,
            stroke=self.look.line,
            stroke_width=2.5,
            stroke_linecap="round",
            fill="none",
        )
        for name in board.indices:
            x, y = self.middle(name)
            if name in self.heat:
                fill, _ = heat_colour(self.heat[name][1])
                self.add("circle", cx=x, cy=y, r=29, fill=fill, stroke="#fff", stroke_width=2)
            else:
                self.add("circle", cx=x, cy=y, r=4.5, fill=self.look.line)

    def draw_squares(self) -> None:
        """Draw a board of squares, with the colours and signs of its places."""
        for name, i in self.board.indices.items():
            x, y = self.middle(name)
            place = self.board.place(i)
            fill = self.look.places.get(place)
            if fill is None:
                odd = not self.board.hexagonal and sum(divmod(i, self.board.files)) % 2
                fill = self.look.other if odd else self.look.cell
            if name in self.heat:
                fill, _ = heat_colour(self.heat[name][1])
            self.draw_square(name, fill)
            if place == "unused":
                self.draw_unused(x, y)
            elif place == "refuge":
                self.draw_refuge(x, y)

    def draw_square(self, name: str, fill: str) -> None:
        """Draw one cell: a square, an arrow, or the large centre that arrows point to."""
        i = self.board.indices[name]
        target = next((end for start, end in self.board.arrows if start == i), None)
        x, y = self.middle(name)
        if self.board.hexagonal:
            self.draw_hexagon(x, y, fill)
        elif target is not None:
            self.draw_arrow(name, self.board.names[target], fill)
        elif any(end == i for _, end in self.board.arrows):
            self.add(
                "circle", cx=x, cy=y, r=UNIT * 0.86, fill=fill, stroke="#fff5d6", stroke_width=3
            )
        else:
            side = UNIT - 3
            self.add(
                "rect", x=x - side / 2, y=y - side / 2, width=side, height=side, rx=5, fill=fill
            )

    def draw_hexagon(self, x: float, y: float, fill: str) -> None:
        """Draw one cell of a hexagonal board."""
        radius = (UNIT - 3) / math.sqrt(3)
        angles = [math.pi * (k / 3 + 1 / 6) for k in range(6)]
        points = [(x + radius * math.cos(a), y + radius * math.sin(a)) for a in angles]
        corners = " ".join(f"{_number(a)},{_number(b)}" for a, b in points)
        self.add("polygon", points=corners, fill=fill)

    def draw_crown(self, x: float, y: float, fill: str) -> None:
        """Draw the crown of a promoted pawn."""
        points = [(11, 8), (13, -7), (5, 0), (0, -10), (-5, 0), (-13, -7), (-11, 8)]
        self.add("path", d=_path(*((x + a, y + b) for a, b in points)) + "Z", fill=fill)

    def draw_arrow(self, name: str, to: str, fill: str) -> None:
        """Draw a cell as an arrow that points to another cell."""
        (x, y), (to_x, to_y) = self.middle(name), self.middle(to)
        distance = math.hypot(to_x - x, to_y - y)
        ahead = (to_x - x) / distance, (to_y - y) / distance
        half, tip = (UNIT - 6) / 2, UNIT * 0.98
        # Coordinates along the arrow and across it.
        points = [(-half, -half), (half, -half), (tip, 0), (half, half), (-half, half)]
        corners = " ".join(
            f"{_number(x + a * ahead[0] - c * ahead[1])},{_number(y + a * ahead[1] + c * ahead[0])}"
            for a, c in points
        )
        self.add(
            "polygon",
            points=corners,
            fill=fill,
            stroke=fill,
            stroke_width=4,
            stroke_linejoin="round",
        )

    def draw_unused(self, x: float, y: float) -> None:
        """Cross out a cell on which no pawn ever stands."""
        cross = _path((x - 14, y - 14), (x + 14, y + 14)) + _path(
            (x - 14, y + 14), (x + 14, y - 14)
        )
        self.add("path", d=cross, stroke="#c9ced8", stroke_width=4, stroke_linecap="round")

    def draw_refuge(self, x: float, y: float) -> None:
        """Draw a frame and the four diagonals of the refuge."""
        self.add(
            "rect",
            x=x - 25,
            y=y - 25,
            width=50,
            height=50,
            rx=4,
            fill="none",
            stroke="#f6dfb8",
            stroke_width=2.5,
        )
        corners = "".join(
            _path((x + 25 * a, y + 25 * b), (x + 8 * a, y + 8 * b))
            for a in (-1, 1)
            for b in (-1, 1)
        )
        self.add("path", d=corners, stroke="#f6dfb8", stroke_width=2.5)

    # Pawns, labels and signs on the board

    def draw_pawns_and_marks(self) -> None:
        """Draw pawns, highlighted cells, labels, signs and arrows."""
        self.draw_marked()
        for name, side in self.view.pawns.items():
            self.draw_pawn(name, side)
        for name in self.heat:
            self.draw_label(name)
        for name in self.view.closed:
            self.draw_star(name)
        for pair in self.view.barred:
            self.draw_barred(*pair)
        for start, end in self.moves:
            self.draw_move(start, end)

    def draw_marked(self) -> None:
        """Highlight the marked cells."""
        for name in self.marked:
            x, y = self.middle(name)
            if self.board.lines:
                self.add(
                    "circle",
                    cx=x,
                    cy=y,
                    r=29,
                    fill="#ffd84d",
                    fill_opacity=0.85,
                    stroke="#b57a00",
                    stroke_width=2,
                )
            else:
                self.add(
                    "rect",
                    x=x - 28,
                    y=y - 28,
                    width=56,
                    height=56,
                    rx=7,
                    fill="#ffd84d",
                    fill_opacity=0.8,
                    stroke="#9a6200",
                    stroke_width=3,
                )

    def draw_pawn(self, name: str, side: str) -> None:
        """Draw a pawn: with a golden ring if it is in play, a red dot if it may not move next."""
        x, y = self.middle(name)
        self.add("use", href=f"#{self.key}{side}p", x=x, y=y)
        if name in self.view.promoted:
            self.draw_crown(x, y, {"w": "#5b5140", "b": "#f2d98a"}[side])
        if name == self.view.in_play:
            self.add(
                "circle", cx=x, cy=y, r=PAWN - 1, fill="none", stroke="#f2b61f", stroke_width=6
            )
        if name in self.view.resting:
            self.add("circle", cx=x, cy=y, r=8, fill="#d8352a", stroke="#fff", stroke_width=2)

    def draw_star(self, name: str) -> None:
        """Draw a star on a cell that the pawn in play may not return to."""
        x, y = self.middle(name)
        points = []
        for k in range(10):
            r, angle = (15, 6.5)[k % 2], math.pi * (k / 5 - 0.5)
            points.append(f"{_number(x + r * math.cos(angle))},{_number(y + r * math.sin(angle))}")
        self.add(
            "polygon", points=" ".join(points), fill="#ffd84d", stroke="#8a5a00", stroke_width=1.5
        )

    def draw_barred(self, one: str, other: str) -> None:
        """Draw a dashed line with a prohibition sign between two cells of `View.barred`."""
        (x, y), (to_x, to_y) = self.middle(one), self.middle(other)
        red = {"stroke": "#d8352a", "stroke_width": 4, "stroke_linecap": "round"}
        self.add("path", d=_path((x, y), (to_x, to_y)), stroke_dasharray="3 9", **red)
        x, y = (x + to_x) / 2, (y + to_y) / 2
        self.add("circle", cx=x, cy=y, r=11, fill="#fff", **red)
        self.add("path", d=_path((x - 7, y - 7), (x + 7, y + 7)), **red)

    def draw_move(self, start: str, end: str) -> None:
        """Draw an arrow between two cells; raise DamierError if they are the same cell."""
        (x, y), (to_x, to_y) = self.middle(start), self.middle(end)
        distance = math.hypot(to_x - x, to_y - y)
        if not distance:
            raise DamierError("cell", name=f"{start}-{end}")
        a, c = (to_x - x) / distance, (to_y - y) / distance  # unit vector of the direction
        # The arrow starts inside the pawn and ends just before the middle of the target.
        tip = to_x - a * 6, to_y - c * 6
        neck = tip[0] - a * 17, tip[1] - c * 17
        shaft = _path((x + a * 14, y + c * 14), neck)
        left, right = ((neck[0] - k * c, neck[1] + k * a) for k in (11, -11))
        head = _path(tip, left, right) + "Z"
        for colour, outline in (("#ffffff", 4), ("#0b6b3a", 0)):
            self.add(
                "path", d=shaft, stroke=colour, stroke_width=6 + outline, stroke_linecap="round"
            )
            self.add(
                "path",
                d=head,
                fill=colour,
                stroke=colour,
                stroke_width=outline,
                stroke_linejoin="round",
            )

    def draw_label(self, name: str) -> None:
        """Write the heat label of a cell, on the pawn if there is one."""
        label, value = self.heat[name]
        x, y = self.middle(name)
        pawn = self.view.pawns.get(name)
        ink = {"w": "#1b1b1b", "b": "#ffffff", None: heat_colour(value)[1]}[pawn]
        size = min(20, (58 if pawn else 92) / max(1, len(label)))
        self.label(x, y, label, size, ink, font_weight=600)


def _path(*points: tuple[float, float]) -> str:
    """Return the SVG path data of a line through points."""
    return "M" + "L".join(f"{_number(x)} {_number(y)}" for x, y in points)


def _number(value: object) -> object:
    """Return a float as text with at most two decimals; return other values unchanged."""
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return value


def _title_and_description(
    position: Position, heat: dict[str, tuple[str, float]], title: str | None
) -> list[str]:
    """Return the SVG title, then the sentences of the SVG description."""
    first, *more = caption(position)
    sentences = [
        title
        or translate(
            "drawing.title", game=translate_for_game(position.rules.name, "name"), first=first
        )
    ]
    sentences += description(position)
    if title:
        sentences.append(first)
    sentences += more
    sentences += [translate("drawing.value", cell=n, label=label) for n, (label, _) in heat.items()]
    return sentences
