"""Numberings: positions as dense numbers, so that a table needs no keys.

A game's `numbering.py` implements the protocol `Numbering`. `pairs` numbers arrangements of pawns,
with one canonical representative for all images under the board's symmetries; `tiered` does so for
games in which pawns are captured. A game without its own numbering uses `enumerated`: a sorted list
of all reachable positions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, cast

from damier.games.contract import Words
from damier.jit import Buffer, Runtime
from damier.position import Rules

Store = Any  # arrays of a table in the form of kernels: one array, or a tuple of all
Tables = Any  # what a numbering looks up


class NumberSpace(Protocol):
    """Range of numbers of the positions of some rules."""

    @property
    def size(self) -> int:
        """The number of numbers."""
        ...

    def lookup(self, runtime: Runtime) -> Any:
        """Return the lookup tables for kernels of a runtime."""
        ...


class Numbering(Protocol):
    """Module that numbers positions for probing. All functions but `space_for` are kernels."""

    VERSION: int  # increased when rules or numbering change, so that old tables are rejected

    @property
    def IGNORED(self) -> tuple[str, ...]:
        """The options that do not change the value of any position."""
        ...

    @property
    def ARRAYS(self) -> tuple[str, ...]:
        """The names of a table's arrays; the first is `values`, with one code for each number."""
        ...

    def space_for(self, rules: Rules, header: Mapping[str, Any]) -> NumberSpace:
        """Return the number space of a table with this header."""
        ...

    def probe_code(self, w: int, b: int, r: int, store: Store, t: Tables) -> int:
        """Return the code of a position between moves, or -1 if it is not in the table."""
        ...


class WholeSpace(NumberSpace, Protocol):
    """Number space of all positions of a game."""

    @property
    def ranges(self) -> list[tuple[str, int, int]]:
        """The phases of the game: name, first number and end; the first one is play."""
        ...


class WholeNumbering(Numbering, Protocol):
    """Numbering of all positions of a game, for `retrograde.whole`."""

    def number_of(self, w: int, b: int, r: int, t: Tables) -> int:
        """Return the number of a position, or -1 if it has none."""
        ...

    def position_of(self, number: int, word: int, t: Tables) -> Words:
        """Return the canonical position with a number; `word` holds the options."""
        ...

    def canonical(self, number: int, t: Tables) -> bool:
        """Return whether a number belongs to a canonical position; others are not used."""
        ...

    def orbit(self, number: int, t: Tables) -> int:
        """Return how many positions a number represents."""
        ...

    def parents(self, w: int, b: int, r: int, out: Buffer, t: Tables) -> int:
        """Write the positions one move before a position to `out`; return how many."""
        ...


def numbering_of(rules: Rules) -> Numbering:
    """Return the numbering module of a game: its own or the default, `enumerated`."""
    from damier.solve.numbering import enumerated

    return cast(Numbering, rules.folder.numbering or enumerated)


def version_of(rules: Rules) -> int | str:
    """Return the version of rules and numbering that a table must have.

    A bundled game with its own numbering has only the number `VERSION`. For any other game the
    version ends with a digest of its rules, so that no table of other rules is ever used.
    """
    version = numbering_of(rules).VERSION
    if rules.folder.bundled and rules.folder.numbering is not None:
        return version
    return f"{version}-{rules.folder.digest}"


def key(rules: Rules) -> dict[str, str]:
    """Return the options that a table depends on, where they differ from the default."""
    ignored = numbering_of(rules).IGNORED
    return {name: value for name, value in rules.changed.items() if name not in ignored}
