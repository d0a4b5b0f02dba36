"""Tiered numbering: positions as dense numbers by counts of pawns, for games with captures.

A tier is all positions with the same two counts of pawns. The rules are the same for both colours,
so positions are numbered from the mover's side, with the mover's pawns first. The count of moves
since the last capture is not part of the number.
"""

from functools import cache
from math import comb
from typing import Any, Protocol

from damier.games.constants import WHITE
from damier.jit import Buffer, Runtime, kernel, popcount
from damier.solve.numbering import Numbering, Store
from damier.solve.numbering.pairs import Lookup, Pairs, pair_rank, tiers_of

MAX_SETS = 20_000_000  # sets of one side's pawns, which are listed in memory, 16 bytes each
EVERY_TIER = 64  # pawns in all: no limit

# Lookup tables of the pairs; then the greatest number of pawns in all, of a side, and a word that
# the game defines.
Tables = tuple[Lookup, Buffer]


def max_pawns(ruleset: Any) -> int:
    """Return the greatest number of pawns in all of endings that can be numbered."""
    cells, a_side, sets = ruleset.board.cells.bit_count(), int(ruleset.pawns), 0
    for count in range(1, a_side + 1):
        sets += comb(cells, count)
        if sets > MAX_SETS:
            return count
    return 2 * a_side


class TieredNumbering(Numbering, Protocol):
    """Numbering of a game with captures, for `retrograde.tiered`.

    The functions are kernels. `t` has the layout of `Tables`. An analysis is for one side, the
    attacker, or for both.
    """

    AXES: int  # lines through a cell
    PLAIN: int  # the first group of steps without capture, one group for each direction
    QUIET: bool  # whether those groups contain no captures at all
    PASS: int  # the group of the pass step

    def lower_code(self, w: int, b: int, r: int, number: int, store: Store, t: Tables) -> int:
        """Return the code of a position with fewer pawns that a capture has reached."""
        ...

    def goal_code(self, code: int, side: int, attacker: int, goal: int) -> int:
        """Return the code for an analysis of a lower or finished position with this code."""
        ...

    def quiet(self, w: int, b: int, r: int, legal: Buffer) -> bool:
        """Return whether no move of a position with these legal steps captures."""
        ...

    def attacker_of(self, a: int, b: int) -> int:
        """Return the side that a tier's analysis is for, with White to move; 2 for both."""
        ...

    def passing(self, w: int, b: int, r: int) -> bool:
        """Return whether the side to move must pass."""
        ...

    def board_of(self, r: int) -> int:
        """Return the number of the board."""
        ...

    def uncounted(self, r: int) -> int:
        """Return the third word without the count of moves since the last capture."""
        ...


class TieredSpace(Pairs):
    """Number space of the positions of one board with a limit of pawns in all."""

    def __init__(self, ruleset: Any, pawns: int, word: int) -> None:
        self._limits = [pawns, ruleset.pawns, word]
        super().__init__(ruleset.board, 0, tiers_of(ruleset.pawns, pawns, ruleset.board.size - 1))

    def lookup(self, runtime: Runtime, word: int | None = None) -> Any:
        """Return the lookup tables for kernels of a runtime; `word` replaces the game's word."""
        limits = self._limits if word is None else [*self._limits[:2], word]
        return super().lookup(runtime), runtime.array(limits)


def space_of(ruleset: Any, header: Any, word: int = 0) -> TieredSpace:
    """Return the number space of a table, created once, with the game's word."""
    return _space(ruleset, header.get("pawns") or EVERY_TIER, word)


@cache
def _space(ruleset: Any, pawns: int, word: int) -> TieredSpace:
    return TieredSpace(ruleset, pawns, word)


@kernel
def number_of(w: int, b: int, r: int, t: Tables) -> int:
    """Return the number of a position, or -1 if it has none."""
    white, black = popcount(w), popcount(b)
    if white == 0 or black == 0 or white + black > t[1][0] or max(white, black) > t[1][1]:
        return -1
    if r & 1 == WHITE:
        return pair_rank(w, b, t[0])[0]
    return pair_rank(b, w, t[0])[0]
