"""Positions given as rows of three words: their checks and their images under symmetries.

Compiled kernels trust what they are given: a third word with an impossible field could make them
read outside their tables. So rows of the caller are checked before they are used. Of the third word
it is checked that some position with it can be written as text and read again; whether it fits the
pawns of every other row is not, for speed.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from damier import jit
from damier.errors import DamierError
from damier.games.board import map_cells
from damier.games.static_checks import option_bits
from damier.games.time_limits import TimedOut, time_limit
from damier.position import Position, Rules
from damier.research import position_kernels

TEXT_LIMIT_S = 0.5  # for the text of a position; with impossible fields, it may never end

Positions = npt.NDArray[np.int64]


def start_positions(
    rules: Rules, starts: npt.ArrayLike | None, compiled: bool = False
) -> Positions:
    """Return starting positions as rows of three words; raise DamierError if one cannot be played.

    Each must be between moves, with the options of the rules, and not over.
    """
    if starts is None:
        return np.array([rules.start().words], np.int64)
    check = _check_of(rules, compiled)
    rows, bad = check.rows(starts)
    if not len(rows):
        raise DamierError("batch-shape", name="starts", found=rows.shape, shape=("n", 3))
    inside = rows[:, 2] & rules.module.MIDTURN != 0
    bad = min(bad, int(inside.argmax()) if inside.any() else len(rows))
    if bad == len(rows):
        bad = check.first_over(rows)
    if bad < len(rows):
        raise DamierError("batch-start", number=bad)
    return rows


def check_positions(rules: Rules, positions: npt.ArrayLike, compiled: bool = False) -> Positions:
    """Return positions as rows of three words; raise DamierError if one is malformed.

    They may be over, or inside a move.
    """
    rows, bad = _check_of(rules, compiled).rows(positions)
    if bad < len(rows):
        raise DamierError("batch-position", number=bad)
    return rows


def map_positions(rules: Rules, positions: npt.ArrayLike, symmetry: int) -> list[list[int]]:
    """Return the images of positions between moves under a symmetry of the board."""
    to = rules.board.symmetries[symmetry]
    return [
        [map_cells(w, to), map_cells(b, to), rules.module.transformed(r, to, False)]
        for w, b, r in np.asarray(positions).tolist()
    ]


class _Check:
    """Check of positions of some rules; it remembers the third words that were well-formed."""

    def __init__(self, rules: Rules, compiled: bool) -> None:
        self._rules, self._compiled = rules, compiled
        module = jit.link(rules.folder.module, compiled=compiled)
        self._kernels: Any = jit.link(position_kernels, compiled=compiled, rules=module)
        self._known = np.zeros(256, np.int64)
        self._shared = np.zeros(position_kernels.SHARED, np.int64)
        self._shared[position_kernels.CELLS] = rules.board.cells
        self._shared[position_kernels.PAWNS] = rules.module.pawns(rules.word)
        self._shared[position_kernels.OPTIONS] = sum(map(option_bits, rules.module.OPTIONS))
        self._shared[position_kernels.WORD] = rules.word

    def _flat(self, array: npt.NDArray[np.int64]) -> Any:
        flat = array.reshape(-1)
        return flat if self._compiled else memoryview(flat)  # type: ignore[arg-type]

    def rows(self, positions: npt.ArrayLike) -> tuple[Positions, int]:
        """Return positions as an array, and the index of the first malformed one or their number.

        Raise an error if they have another shape or type.
        """
        found = np.asarray(positions)
        if found.dtype.kind not in "iu" and found.size:
            raise TypeError(f"positions must be integers, not {found.dtype}")
        if found.ndim != 2 or found.shape[1] != 3:
            raise DamierError("batch-shape", name="positions", found=found.shape, shape=("n", 3))
        rows = np.ascontiguousarray(found, np.int64)  # words of 2**63 or more become negative
        at, flat, shared = 0, self._flat(rows), self._flat(self._shared)
        while at < len(rows):
            known = self._flat(self._known)
            at = self._kernels.first_unknown(at, len(rows), flat, shared, known)
            if at == len(rows) or not self._remember_word(*rows[at].tolist()):
                break
        return rows, at

    def first_over(self, rows: Positions) -> int:
        """Return the first position in which the game is over, or their number."""
        return int(self._kernels.first_over(0, len(rows), self._flat(rows)))

    def _remember_word(self, w: int, b: int, r: int) -> bool:
        """Remember a third word if the text of a position that has it is read as this position."""
        if not self._kernels.is_plausible(w, b, r, self._flat(self._shared)):
            return False
        try:
            with time_limit(TEXT_LIMIT_S):
                read = self._rules.position(str(Position(self._rules, w, b, r)))
        except (DamierError, LookupError, ValueError, TimedOut):
            return False
        if read.words != (w, b, r):
            return False
        words = [*(self._known[self._known != 0] - 1).tolist(), r]
        size = len(self._known) * (2 if 2 * len(words) > len(self._known) else 1)
        known = np.zeros(size, np.int64)
        flat = self._flat(known)
        for word in words:
            flat[self._kernels.place_of(word, flat)] = word + 1
        self._known = known  # replaced, because other threads may be reading it
        return True


@cache
def _check_of(rules: Rules, compiled: bool) -> _Check:
    return _Check(rules, compiled)
