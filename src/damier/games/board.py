"""Boards: cells and their names, neighbours as shifts and masks, symmetries, and what to draw."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise, product
from typing import Self

from damier.jit import kernel

Direction = tuple[int, int]  # files to the right, ranks up

# Opposite directions are half a list apart.
ORTHOGONAL: tuple[Direction, ...] = ((0, 1), (1, 0), (0, -1), (-1, 0))
# Straight lines, each by one of its two directions.
AXES: tuple[Direction, ...] = ((0, 1), (1, 1), (1, 0), (-1, 1))


@kernel
def ahead(x: int, shift: int, mask: int) -> int:
    """Return the cells of the mask whose neighbour `shift` further on is in x.

    With the shift of a direction and the mask of the cells that have a neighbour there, this
    looks in that direction from all cells at once.
    """
    return (x >> shift) & mask


@kernel
def behind(x: int, shift: int, mask: int) -> int:
    """Return the cells of the mask whose neighbour `shift` back is in x."""
    return (x << shift) & mask


@kernel
def toward(x: int, shift: int, mask: int) -> int:
    """Return the cells of the mask whose neighbour is in x: ahead or, if negative, behind."""
    return ahead(x, shift, mask) if shift > 0 else behind(x, -shift, mask)


@dataclass(frozen=True, eq=False)
class Board:
    """The one description of a board, for the rules' tables and for every drawing of it.

    `cells` is the set of cells that exist, as bits; `lines` are joins between intersections (a
    board without any is made of squares); `places` are named sets of cells with a meaning;
    `arrows` point from a cell to a cell. On an `oriented` board up is not down: pawns that only go
    forward, say. Then only left and right are alike.
    """

    ranks: int
    files: int
    cells: int = 0
    lines: tuple[tuple[int, int], ...] = ()
    places: Mapping[str, int] = field(default_factory=dict)
    arrows: tuple[tuple[int, int], ...] = ()
    oriented: bool = False

    def __post_init__(self) -> None:
        if not self.cells:
            object.__setattr__(self, "cells", (1 << self.size) - 1)

    @classmethod
    def lined(cls, ranks: int, files: int, diagonals: bool = True) -> Self:
        """Return a board of intersections, joined along ranks and files.

        Diagonals, if any, meet in a1 and in every second intersection from there.
        """
        board = cls(ranks, files)
        masks = [(axis, board.mask(axis)) for axis in AXES]
        lines = tuple(
            (i, i + board.shift(axis))
            for i in range(board.size)
            for axis, mask in masks
            if mask >> i & 1 and (0 in axis or (diagonals and (i % files + i // files) % 2 == 0))
        )
        return cls(ranks, files, lines=lines)

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
    def unused(self) -> int:
        """The cells on which no pawn ever stands, as bits."""
        return self.places.get("unused", 0)

    def place(self, i: int) -> str:
        """Return the name of the set of cells with a meaning that a place is in, or ""."""
        return next((name for name, cells in self.places.items() if cells >> i & 1), "")

    def bits(self, *names: str) -> int:
        """Return the named cells as bits."""
        return sum(1 << self.names.index(name) for name in names)

    def cell_order(self, cell: int) -> int:
        """Return the rank of a cell when cells are sorted by file, then rank."""
        return cell % self.files * self.ranks + cell // self.files

    def sorted_names(self, cells: int) -> list[str]:
        """Return the names of some cells, given as bits, by file and then by rank."""
        found = (i for i in range(self.size) if cells >> i & 1)
        return [self.names[i] for i in sorted(found, key=self.cell_order)]

    def shift(self, direction: Direction) -> int:
        """Return how far a cell's neighbour in that direction is."""
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
        """For each place its neighbours as bits: along the lines, or beside it if there are none.

        Squares are neighbours if they share a side.
        """
        joined = self.lines or tuple(
            (i, i + self.shift(axis))
            for axis in ORTHOGONAL[:2]
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
        for i, axis in product(range(self.size), AXES):
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
        """The symmetries of the board, each as the place every place goes to."""
        ranks, files = self.ranks, self.files
        places = [(i % files, i // files) for i in range(self.size)]
        found = []
        for transposed in (False, True) if ranks == files else (False,):
            for flip_files, flip_ranks in product((False, True), repeat=2):
                to = [(r, f) if transposed else (f, r) for f, r in places]
                to = [(files - 1 - f if flip_files else f, r) for f, r in to]
                to = [(f, ranks - 1 - r if flip_ranks else r) for f, r in to]
                if not self.oriented or not (transposed or flip_ranks):
                    found.append(tuple(r * files + f for f, r in to))
        return tuple(to for to in found if self._keeps(to))

    def _keeps(self, to: tuple[int, ...]) -> bool:
        """Tell whether cells stay cells, and joined cells joined, when each goes to its place."""
        lines = {frozenset(line) for line in self.lines}
        return moved(self.cells, to) == self.cells and lines == {
            frozenset((to[a], to[b])) for a, b in lines
        }


def moved(cells: int, to: tuple[int, ...]) -> int:
    """Return a set of cells each of which goes to its place."""
    return sum(1 << there for i, there in enumerate(to) if cells >> i & 1)
