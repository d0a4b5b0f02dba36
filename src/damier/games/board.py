"""Boards: cells and their names, neighbours as shifts and masks, symmetries, lines to draw."""

from collections.abc import Iterable, Mapping
from dataclasses import InitVar, dataclass, field
from functools import cached_property
from itertools import pairwise, product
from typing import Any, Self

from damier.deprecation import warn_deprecated
from damier.errors import DamierError
from damier.jit import kernel

Direction = tuple[int, int]  # files to the right, ranks up

# Opposite directions are half a list apart.
ORTHOGONAL: tuple[Direction, ...] = ((0, 1), (1, 0), (0, -1), (-1, 0))
HEXAGONAL: tuple[Direction, ...] = ((0, 1), (1, 1), (1, 0), (0, -1), (-1, -1), (-1, 0))
# Straight lines, each by one of its two directions.
AXES: tuple[Direction, ...] = ((0, 1), (1, 1), (1, 0), (-1, 1))

MAX_PLACES, MAX_FILES = 63, 21  # bits of an integer, and letters of the alphabet in use

ROW_HEIGHT = 3**0.5 / 2  # distance of two ranks of hexagons that are one unit wide

# A symmetry maps (file, rank), relative to the middle, to (a·file + b·rank, c·file + d·rank).
Matrix = tuple[int, int, int, int]
IDENTITY: Matrix = (1, 0, 0, 1)
SYMMETRIES: dict[str, Matrix] = {  # of squares and lines
    "left-right": (-1, 0, 0, 1),
    "up-down": (1, 0, 0, -1),
    "half-turn": (-1, 0, 0, -1),
    "diagonal": (0, 1, 1, 0),
    "antidiagonal": (0, -1, -1, 0),
    "quarter-turn": (0, 1, -1, 0),
}
HEXAGON_SYMMETRIES: dict[str, Matrix] = {
    "left-right": (-1, 1, 0, 1),
    "up-down": (1, -1, 0, -1),
    "half-turn": (-1, 0, 0, -1),
    "diagonal": (0, 1, 1, 0),
    "antidiagonal": (0, -1, -1, 0),
    "third-turn": (0, -1, 1, -1),
    "sixth-turn": (1, -1, 1, 0),
}


@kernel
def ahead(x: int, shift: int, mask: int) -> int:
    """Return the cells of the mask whose neighbour `shift` cells ahead is in x.

    `shift` belongs to a direction and `mask` is the set of cells with a neighbour there, so this
    tests all cells at once.
    """
    return (x >> shift) & mask


@kernel
def behind(x: int, shift: int, mask: int) -> int:
    """Return the cells of the mask whose neighbour `shift` cells behind is in x."""
    return (x << shift) & mask


@kernel
def toward(x: int, shift: int, mask: int) -> int:
    """Return the cells of the mask whose neighbour is in x: ahead or, if negative, behind."""
    return ahead(x, shift, mask) if shift > 0 else behind(x, -shift, mask)


@dataclass(frozen=True, eq=False)
class Board:
    """Description of a board, for the rules and for drawing.

    `cells` is the set of cells that exist, as bits; `lines` are joins between intersections (a
    board without any is made of squares); `places` are named sets of cells with a meaning;
    `arrows` point from a cell to a cell. `symmetry` says which symmetries of the board the rules
    preserve: "all", "none", or a tuple of names from `SYMMETRIES` (or `HEXAGON_SYMMETRIES`), which
    stand for all their combinations. Where pawns only go forward it is `("left-right",)`.

    The cells of a `hexagonal` board are hexagons: each rank lies half a cell further to the left
    than the one below it, so that the neighbours of a cell are in the directions of `HEXAGONAL`.
    """

    ranks: int
    files: int
    cells: int = 0
    lines: tuple[tuple[int, int], ...] = ()
    places: Mapping[str, int] = field(default_factory=dict)
    arrows: tuple[tuple[int, int], ...] = ()
    oriented: InitVar[bool] = False  # deprecated
    symmetry: str | tuple[str, ...] = "all"
    hexagonal: bool = False

    def __post_init__(self, oriented: bool) -> None:
        if not (_is_count(self.ranks) and _is_count(self.files)):
            raise DamierError("board-size", ranks=repr(self.ranks), files=repr(self.files))
        if self.size > MAX_PLACES or self.files > MAX_FILES:
            raise DamierError("board-large", most=MAX_PLACES, files=MAX_FILES)
        if self.cells in (0, None):
            object.__setattr__(self, "cells", (1 << self.size) - 1)
        if isinstance(self.symmetry, list):
            object.__setattr__(self, "symmetry", tuple(self.symmetry))
        self._check_cells()
        if oriented:
            warn_deprecated("Board(oriented=True)", 'Board(symmetry=("left-right",))')
            object.__setattr__(self, "symmetry", ("left-right",))
        names = () if self.symmetry in ("all", "none") else self.symmetry
        for name in names if isinstance(names, tuple) else (names,):
            if not isinstance(name, str) or name not in self._named:
                raise DamierError("board-symmetry", name=name, names=", ".join(self._named))

    def _check_cells(self) -> None:
        """Raise DamierError if the board names cells that are not in its rectangle."""
        named = {"cells": self.cells}
        try:
            named |= {f"places[{name!r}]": cells for name, cells in self.places.items()}
            pairs = {part: list(getattr(self, part)) for part in ("lines", "arrows")}
        except (AttributeError, TypeError) as error:
            raise DamierError("board-parts") from error
        for part, cells in named.items():
            if type(cells) is not int or cells < 0 or cells >> self.size:
                raise DamierError("board-cells", part=part, value=repr(cells)[:60], most=self.size)
        for part, found in pairs.items():
            for pair in found:
                fits = isinstance(pair, tuple) and len(pair) == 2
                if not fits or not all(type(c) is int and 0 <= c < self.size for c in pair):
                    raise DamierError("board-pairs", part=part, value=repr(pair)[:60])

    @property
    def _named(self) -> dict[str, Matrix]:
        """The symmetries of the grid, by name."""
        return HEXAGON_SYMMETRIES if self.hexagonal else SYMMETRIES

    @classmethod
    def lined(cls, ranks: int, files: int, diagonals: bool = True, **more: Any) -> Self:
        """Return a board of intersections, joined along ranks and files.

        Diagonals, if any, meet in a1 and in every second intersection from there. `more` are other
        arguments of `Board`, such as `symmetry`.
        """
        board = cls(ranks, files)
        masks = [(axis, board.mask(axis)) for axis in AXES]
        lines = tuple(
            (i, i + board.shift(axis))
            for i in range(board.size)
            for axis, mask in masks
            if mask >> i & 1 and (0 in axis or (diagonals and (i % files + i // files) % 2 == 0))
        )
        return cls(ranks, files, lines=lines, **more)

    @classmethod
    def hexagon(cls, side: int, **more: Any) -> Self:
        """Return a board of hexagons in the shape of a hexagon, with so many cells on each side."""
        if not _is_count(side):
            raise DamierError("board-size", ranks=repr(side), files=repr(side))
        files = 2 * side - 1
        spots = [(i % files, i // files) for i in range(files * files)]
        cells = sum(1 << i for i, (f, r) in enumerate(spots) if abs(f - r) < side)
        return cls(files, files, cells, hexagonal=True, **more)

    @property
    def axes(self) -> tuple[Direction, ...]:
        """The straight lines through a cell, each by one of its two directions."""
        return HEXAGONAL[:3] if self.hexagonal else AXES

    @property
    def size(self) -> int:
        """The number of places in the rectangle."""
        return self.ranks * self.files

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The name of each place: file, then rank."""
        return tuple(f"{chr(97 + i % self.files)}{i // self.files + 1}" for i in range(self.size))

    @cached_property
    def indices(self) -> dict[str, int]:
        """The place of each name of a cell that exists."""
        return {name: i for i, name in enumerate(self.names) if self.cells >> i & 1}

    @property
    def description(self) -> tuple[object, ...]:
        """What makes two boards equal: shape, cells, lines, places and symmetries."""
        symmetry = self.symmetry if isinstance(self.symmetry, str) else frozenset(self.symmetry)
        places = frozenset(self.places.items())
        return (*self.shape, self.lines, places, self.arrows, symmetry)

    @property
    def shape(self) -> tuple[int, int, int, bool]:
        """Ranks, files, cells as bits, and whether the cells are hexagons."""
        return self.ranks, self.files, self.cells, self.hexagonal

    @property
    def unused(self) -> int:
        """The cells on which no pawn ever stands, as bits."""
        return self.places.get("unused", 0)

    @cached_property
    def middles(self) -> tuple[tuple[float, float], ...]:
        """The middle of each place in cells, to the right and up from the lower left cell."""
        spots = [(float(i % self.files), float(i // self.files)) for i in range(self.size)]
        if not self.hexagonal:
            return tuple(spots)
        slanted = [(f - r / 2, r * ROW_HEIGHT) for f, r in spots]
        left = min(slanted[i][0] for i in self.indices.values())
        return tuple((x - left, y) for x, y in slanted)

    @cached_property
    def extent(self) -> tuple[float, float]:
        """The width and the height of the drawing in cells."""
        x, y = (max(self.middles[i][k] for i in self.indices.values()) for k in (0, 1))
        return (x + 1, y + 1 / ROW_HEIGHT) if self.hexagonal else (self.files, self.ranks)

    def place(self, i: int) -> str:
        """Return the name of the set of cells with a meaning that a place is in, or ""."""
        return next((name for name, cells in self.places.items() if cells >> i & 1), "")

    def bits(self, *names: str) -> int:
        """Return the named cells as bits."""
        found = 0
        for name in names:
            if name not in self.names:
                raise DamierError("cell", name=name)
            found |= 1 << self.names.index(name)
        return found

    def write_cells(self, cells: int) -> str:
        """Return some cells, given as bits, as one word for a field: `a1,c3`, or `-` for none."""
        return ",".join(self.sorted_names(cells)) or "-"

    def read_cells(self, text: str) -> int:
        """Return the cells of a field as bits; raise DamierError if it is not as it is written."""
        names = [] if text == "-" else text.split(",")
        for name in names:
            if name not in self.indices:
                raise DamierError("cell", name=name)
        cells = sum({1 << self.indices[name] for name in names})
        if self.write_cells(cells) != text:
            raise DamierError("cell-list", text=text, sorted=self.write_cells(cells))
        return cells

    def cell_order(self, cell: int) -> int:
        """Return the rank of a cell when cells are sorted by file, then rank."""
        return cell % self.files * self.ranks + cell // self.files

    def sorted_names(self, cells: int) -> list[str]:
        """Return the names of some cells, given as bits, by file and then by rank."""
        found = (i for i in range(self.size) if cells >> i & 1)
        return [self.names[i] for i in sorted(found, key=self.cell_order)]

    def shift(self, direction: Direction) -> int:
        """Return the difference between the numbers of a cell and its neighbour in a direction."""
        return direction[1] * self.files + direction[0]

    def mask(self, direction: Direction) -> int:
        """Return the cells that have a neighbour in that direction, on the full rectangle."""
        right, up = direction
        return sum(
            1 << i
            for i in range(self.size)
            if 0 <= i % self.files + right < self.files and 0 <= i // self.files + up < self.ranks
        )

    @cached_property
    def near(self) -> tuple[int, ...]:
        """For each place its neighbours as bits: along the lines, or sharing a side of a square.

        They are restricted to cells that exist.
        """
        joined = self.lines or tuple(
            (i, i + self.shift(axis))
            for axis in (HEXAGONAL[:3] if self.hexagonal else ORTHOGONAL[:2])
            for i in range(self.size)
            if self.mask(axis) >> i & 1
        )
        return tuple(
            self.cells
            & sum(1 << (b if a == i else a) for a, b in joined if i in (a, b))
            & -(self.cells >> i & 1)
            for i in range(self.size)
        )

    def rows(self, length: int) -> tuple[int, ...]:
        """Return all straight rows of so many cells, each as bits.

        They go along the lines; on squares, along ranks, files and diagonals.
        """
        found = []
        for i, axis in product(range(self.size), self.axes):
            cells = [i + k * self.shift(axis) for k in range(length)]
            pairs = list(pairwise(cells))
            if self.lines:
                straight = all(pair in self.lines for pair in pairs)
            else:
                straight = all(self.mask(axis) >> a & 1 for a, _ in pairs)
            if straight and all(self.cells >> cell & 1 for cell in cells):
                found.append(sum(1 << cell for cell in cells))
        return tuple(found)

    @cached_property
    def symmetries(self) -> tuple[tuple[int, ...], ...]:
        """The symmetries that the rules preserve, each as the image of every place."""
        return tuple(self.shape_symmetries[matrix] for matrix in self._preserved)

    @cached_property
    def _preserved(self) -> tuple[Matrix, ...]:
        """The combinations of the declared symmetries, of those that the shape has."""
        if self.symmetry == "all":
            return tuple(self.shape_symmetries)
        names = () if self.symmetry == "none" else self.symmetry
        declared = {self._named[name] for name in names}
        group = combinations(declared & self.shape_symmetries.keys())
        return tuple(matrix for matrix in self.shape_symmetries if matrix in group)

    @cached_property
    def shape_symmetries(self) -> dict[Matrix, tuple[int, ...]]:
        """The symmetries of the cells and lines, whatever the rules preserve.

        A place without a cell is mapped to itself.
        """
        found = {}
        for matrix in _HEXAGON_GROUP if self.hexagonal else _SQUARE_GROUP:
            to = self._image(matrix)
            if to is not None:
                found[matrix] = to
        return found

    def _image(self, matrix: Matrix) -> tuple[int, ...] | None:
        """Return the image of every place, or None if the mapping does not preserve the board.

        The image is moved so that it begins at the same file and rank as the board.
        """
        a, b, c, d = matrix
        spots = {i: (i % self.files, i // self.files) for i in self.indices.values()}
        images = {i: (a * f + b * r, c * f + d * r) for i, (f, r) in spots.items()}
        right, up = (
            min(spot[k] for spot in spots.values()) - min(image[k] for image in images.values())
            for k in (0, 1)
        )
        cells = {spot: i for i, spot in spots.items()}
        to = list(range(self.size))
        for i, (f, r) in images.items():
            if (f + right, r + up) not in cells:
                return None
            to[i] = cells[f + right, r + up]
        lines = {frozenset(line) for line in self.lines}
        return tuple(to) if lines == {frozenset((to[i], to[j])) for i, j in lines} else None

    def symmetry_names(self, preserved: Iterable[tuple[int, ...]]) -> tuple[str, ...]:
        """Return names whose combinations are as many of the given symmetries as possible."""
        kept = set(preserved)
        allowed = {matrix for matrix, to in self.shape_symmetries.items() if to in kept}
        group, names = {IDENTITY}, []
        for name, matrix in self._named.items():
            larger = combinations([*group, matrix])
            if matrix not in group and larger <= allowed:
                group = larger
                names.append(name)
        return tuple(names)


def _is_count(value: object) -> bool:
    """Tell whether a value is a whole number from 1 up."""
    return type(value) is int and value > 0


def combinations(matrices: Iterable[Matrix]) -> set[Matrix]:
    """Return all products of symmetries, with the identity."""
    found, factors = {IDENTITY}, list(matrices)
    waiting = [IDENTITY]
    while waiting:
        a, b, c, d = waiting.pop()
        for e, f, g, h in factors:
            product_ = (a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h)
            if product_ not in found:
                found.add(product_)
                waiting.append(product_)
    return found


_SQUARE_GROUP = tuple(
    (0, across, up, 0) if transposed else (across, 0, 0, up)
    for transposed, across, up in product((False, True), (1, -1), (1, -1))
)
_HEXAGON_GROUP = tuple(sorted(combinations(HEXAGON_SYMMETRIES.values()), key=IDENTITY.__ne__))


def map_cells(cells: int, to: tuple[int, ...]) -> int:
    """Return the image of a set of cells under a mapping of places."""
    return sum(1 << there for i, there in enumerate(to) if cells >> i & 1)
