"""Positions of games that lose pawns as dense numbers, tier by tier: what such games share.

A tier is all positions with the same two counts of pawns. The rules are the same for both colours,
so positions are numbered from the mover's side: his pawns first. The count of turns since the last
capture is no part of the number.
"""

from functools import cache
from typing import Any, Protocol

from damier.games.terms import WHITE
from damier.jit import Buffer, Home, kernel, popcount
from damier.solve.numbering import Numbering, Store
from damier.solve.numbering.pairs import Lookup, Pairs, pair_rank, tiers_of

MOST_PAWNS = 8  # endings with more would not fit in memory
EVERY_TIER = 64  # pawns in all: no limit

# The pairs' tables; the most pawns in all that are held, and a side's; a word of the game's own.
Tables = tuple[Lookup, Buffer]


class TieredNumbering(Numbering, Protocol):
    """What a numbering of a game that loses pawns gives to be solved (`retrograde.tiered`).

    The functions are kernels. `t` is what `Tables` says; a search is for one side or for both.
    """

    AXES: int  # lines through a cell
    PLAIN: int  # the first group of turns that do not capture, one for each direction
    QUIET: bool  # those groups have nothing but turns that do not capture
    PASS: int  # the group of a pass

    def lower_code(
        self, w: int, b: int, r: int, number: int, attacker: int, store: Store, t: Tables
    ) -> int:
        """Return the code that a position with fewer pawns, just reached by a capture, counts."""
        ...

    def goal_code(self, judgement: int, side: int, attacker: int, t: Tables) -> int:
        """Return the code of a finished position for the side to move."""
        ...

    def attacker_of(self, a: int, b: int) -> int:
        """Return the side that a tier's analysis is for, White the mover: 2 for both."""
        ...

    def passing(self, w: int, b: int, r: int) -> bool:
        """Tell whether the side to move must pass."""
        ...

    def board_of(self, r: int) -> int:
        """Return the number of the board."""
        ...

    def uncounted(self, r: int) -> int:
        """Return the third word without the count of turns since the last capture."""
        ...


class Space(Pairs):
    """The tables that number positions of one board with at most so many pawns in all."""

    def __init__(self, ruleset: Any, pawns: int, word: int) -> None:
        self._limits = [pawns, ruleset.pawns, word]
        super().__init__(ruleset.board, 0, tiers_of(ruleset.pawns, pawns, ruleset.board.size - 1))

    def lookup(self, home: Home, word: int | None = None) -> Any:
        """Return the tables for the kernels that live somewhere, perhaps with another word."""
        limits = self._limits if word is None else [*self._limits[:2], word]
        return super().lookup(home), home.array(limits)


def space_of(ruleset: Any, header: Any, word: int = 0) -> Space:
    """Return the numbering that a table uses, made once, with a word of the game's own."""
    return _space(ruleset, header.get("pawns") or EVERY_TIER, word)


@cache
def _space(ruleset: Any, pawns: int, word: int) -> Space:
    return Space(ruleset, pawns, word)


@kernel
def number_of(w: int, b: int, r: int, t: Tables) -> int:
    """Return the number of a position, or -1 if it has none."""
    white, black = popcount(w), popcount(b)
    if white == 0 or black == 0 or white + black > t[1][0] or max(white, black) > t[1][1]:
        return -1
    if r & 1 == WHITE:
        return pair_rank(w, b, t[0])[0]
    return pair_rank(b, w, t[0])[0]
