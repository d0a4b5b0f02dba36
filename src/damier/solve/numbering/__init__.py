"""The first room: positions as dense numbers, so that a table needs no keys.

A game says in its `numbering.py` how its positions are numbered; `Numbering` is what must stand
there. `pairs` numbers arrangements of pawns, with one canonical representative for all images under
the board's symmetries; `tiered` does so for games that lose pawns. A game without a numbering of
its own gets the default, `listed`: the positions that play reaches, in a sorted list.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, cast

from damier.games.contract import Words
from damier.jit import Buffer, Home
from damier.position import Rules

MOST_POSITIONS = 10_000_000  # listed in a table, where a game has no numbering of its own

Store = Any  # the arrays of a table as kernels take them: one array, or a tuple of all
Tables = Any  # what a numbering looks up


class Space(Protocol):
    """The numbers of some rules' positions."""

    @property
    def size(self) -> int:
        """How many numbers there are."""
        ...

    def lookup(self, home: Home) -> Any:
        """Return what the kernels that live somewhere look up."""
        ...


class Numbering(Protocol):
    """What a numbering gives to be probed. The functions but `space_for` are kernels."""

    VERSION: int  # to be raised when the rules or the numbering change: old tables are refused then

    @property
    def IGNORED(self) -> tuple[str, ...]:
        """The options that change no position's value."""
        ...

    @property
    def ARRAYS(self) -> tuple[str, ...]:
        """The arrays of a table; the first is `values`, with a code a number."""
        ...

    def space_for(self, rules: Rules, header: Mapping[str, Any]) -> Space:
        """Return the numbers that a table with this header uses."""
        ...

    def probe_code(self, w: int, b: int, r: int, store: Store, t: Tables) -> int:
        """Return the code of a position between turns, or -1 if it is not held."""
        ...


class WholeSpace(Space, Protocol):
    """The numbers of all positions of a game."""

    @property
    def ranges(self) -> list[tuple[str, int, int]]:
        """The parts of the game: a name, and the numbers from one to another; play is first."""
        ...


class WholeNumbering(Numbering, Protocol):
    """What a numbering of all positions of a game gives to be solved (`retrograde.whole`)."""

    def number_of(self, w: int, b: int, r: int, t: Tables) -> int:
        """Return the number of a position, or -1 if it has none."""
        ...

    def position_of(self, number: int, word: int, t: Tables) -> Words:
        """Return the canonical position with a number; `word` holds the options."""
        ...

    def canonical(self, number: int, t: Tables) -> bool:
        """Tell whether a number is that of a canonical position, not one that is never used."""
        ...

    def orbit(self, number: int, t: Tables) -> int:
        """Return how many positions a number stands for."""
        ...

    def value_at(self, w: int, b: int, r: int, store: Store, t: Tables) -> int:
        """Return the code of a position that has a number."""
        ...

    def parents(self, w: int, b: int, r: int, out: Buffer, t: Tables) -> int:
        """Put the positions one turn before a position into `out`; return their number."""
        ...


def numbering_of(rules: Rules) -> Numbering:
    """Return the numbering of a game: its own, or the list of the positions that play reaches."""
    from damier.solve.numbering import listed

    return cast(Numbering, rules.folder.numbering or listed)


def version_of(rules: Rules) -> int | str:
    """Return the version of rules and numbering that a table must have been made by.

    A game without a numbering of its own has no version that its author would raise: there it is
    a fingerprint of the sources of its rules.
    """
    if rules.folder.numbering is not None:
        return numbering_of(rules).VERSION
    folder = rules.folder
    file = Path(str(folder.module.__file__))
    whole = folder.part("rules") is not None
    sources = sorted(folder.directory.glob("*.py")) if whole else [file]
    digest = hashlib.sha256()
    for path in sources:
        if path.stem not in ("evaluation", "levels"):  # they change no value
            digest.update(path.read_bytes() + b"\0")
    return f"{numbering_of(rules).VERSION}-{digest.hexdigest()[:16]}"


def key(rules: Rules) -> dict[str, str]:
    """Return the options that a table depends on, where they differ from the default."""
    ignored = numbering_of(rules).IGNORED
    return {name: value for name, value in rules.changed.items() if name not in ignored}
