"""Fanorona's positions as dense numbers, tier by tier, and the plain turns that lead to one.

A template, as `damier.kernels`. The rules are the same for both colours, so positions are numbered
from the mover's side: his pawns first. The count of turns since the last capture is no part of the
number. Where that count can end a game, a table holds the turns to the next winning capture: a
position with count c is won if they are no more than the turns left.
"""

from functools import cache
from typing import Any

from damier.games import fanorona as rules
from damier.games.terms import WHITE
from damier.jit import Buffer, buffer, kernel, lowest, popcount
from damier.solve.codes import code_of, distance_of, judged, win_of
from damier.solve.index import EVERY_TIER, Lookup, Pairs, pair_rank, tiers_of

VERSION = 1  # to be raised when the rules or the numbering change: old tables are refused then
IGNORED = ()  # options that change no position's value
MOST_PAWNS = 8  # endings with more would not fit in memory

# The pairs' tables; the most pawns in all that are held, and a side's; the metric.
Tables = tuple[Lookup, Buffer]
Store = Buffer  # the values


class Space(Pairs):
    """The tables that number positions of one board with at most so many pawns in all."""

    def __init__(self, ruleset: Any, pawns: int, metric: str) -> None:
        self.ruleset, self.pawns = ruleset, pawns
        super().__init__(ruleset.board, 0, tiers_of(ruleset.pawns, pawns, ruleset.board.size - 1))
        self.limits = [pawns, ruleset.pawns, 1 if metric == "capture" else 0]

    def lookup(self, compiled: bool) -> Any:
        """Return the tables for compiled or for plain kernels."""
        import numpy as np

        return super().lookup(compiled), np.array(self.limits) if compiled else self.limits


def space_for(ruleset: Any, header: Any) -> Space:
    """Return the numbering that a table uses."""
    return _space(ruleset, header.get("pawns") or EVERY_TIER, header.get("metric", "end"))


@cache
def _space(ruleset: Any, pawns: int, metric: str) -> Space:
    return Space(ruleset, pawns, metric)


def metric_of(ruleset: Any) -> str:
    """Return what distances count: turns to the end, or to a capture where a count matters."""
    options = ruleset.options
    counted = options["endgame_draw"] != "0" or options["stall"] != "0"
    return "capture" if counted else "end"


@kernel
def turns_left(w: int, b: int, r: int) -> int:
    """FA-10, FA-11: return how many turns may be played until the next capture at the latest."""
    count = (r & rules.COUNT) >> rules.COUNT_BIT
    endgame, stall = (r >> rules.ENDGAME_BIT) & 4095, (r >> rules.STALL_BIT) & 4095
    left = 1 << 20
    if endgame and popcount(w) < 5 and popcount(b) < 5:
        left = min(left, endgame - count)
    if stall:
        left = min(left, stall - count)
    return left


@kernel
def number_of(w: int, b: int, r: int, t: Tables) -> int:
    """Return the number of a position, or -1 if it has none."""
    white, black = popcount(w), popcount(b)
    if white == 0 or black == 0 or white + black > t[1][0] or max(white, black) > t[1][1]:
        return -1
    if r & 1 == WHITE:
        return pair_rank(w, b, t[0])[0]
    return pair_rank(b, w, t[0])[0]


@kernel
def probe_code(w: int, b: int, r: int, store: Store, t: Tables) -> int:
    """Return the code of a position between turns, its count included, or -1 if not held."""
    judgement = verdict(w, b, r)
    if judgement >= 0:
        return judgement
    number = number_of(w, b, r, t)
    if number < 0:
        return -1
    code = int(store[number])
    if t[1][2] and code and distance_of(code) > turns_left(w, b, r):
        return 0
    return code


@kernel
def verdict(w: int, b: int, r: int) -> int:
    """Return the code of a finished position, or -1."""
    out = buffer(rules.GROUPS)
    judgement = rules.legal(w, b, r, out)
    return judged(judgement, r & 1) if judgement else -1


@kernel
def lower_code(w: int, b: int, r: int, number: int, attacker: int, store: Store, t: Tables) -> int:
    """Return the code that a position with fewer pawns, just reached by a capture, counts for."""
    code = int(store[number])
    if code and t[1][2]:
        return code_of(0, win_of(code))
    return code


@kernel
def goal_code(judgement: int, side: int, attacker: int, t: Tables) -> int:
    """Return the code of a finished position for the side to move."""
    return judged(judgement, side)


@kernel
def parents(w: int, b: int, r: int, out: Buffer, legal: Buffer) -> int:
    """Put the positions from which a plain turn leads to a position into `out`."""
    side = 1 - (r & 1)  # who moved
    mover = w if side == WHITE else b
    count = 0
    empty = rules.ALL[(r >> rules.BOARD_BIT) & 31] & ~(w | b)
    for axis in range(4):
        k = 4 * ((r >> rules.BOARD_BIT) & 31) + axis
        shift = rules.SHIFT[k]
        for d in (axis, axis + 4):
            # Pawns that can go back against direction d.
            if d < 4:
                back = mover & rules.BACK[k] & (empty << shift)
            else:
                back = mover & rules.FORE[k] & (empty >> shift)
            while back:
                to = lowest(back)
                back &= back - 1
                from_ = to - shift if d < 4 else to + shift
                exchange = (1 << to) | (1 << from_)
                w1, b1 = (w ^ exchange, b) if side == WHITE else (w, b ^ exchange)
                judgement = rules.legal(w1, b1, r ^ 1, legal)
                if judgement == 0 and legal[rules.PLAIN + d] >> from_ & 1:
                    out[3 * count], out[3 * count + 1], out[3 * count + 2] = w1, b1, r ^ 1
                    count += 1
    return count


@kernel
def passing(w: int, b: int, r: int) -> bool:
    """Tell whether the side to move must pass: never in this game."""
    return False


@kernel
def attacker_of(a: int, b: int) -> int:
    """Return which side a search is for, White the mover: 2 for both, as always in this game."""
    return 2


PASS = 0  # never played


def limit(ruleset: Any, a: int, b: int) -> int:
    """FA-10, FA-11: return after how many turns without capture a tier's games are drawn, or 0."""
    counts = [int(ruleset.options["stall"])]
    if max(a, b) < 5:
        counts.append(int(ruleset.options["endgame_draw"]))
    return min((count for count in counts if count), default=0)


def passes(a: int, b: int) -> tuple[tuple[str, int], ...]:
    """Return the arrays that a tier's analysis fills, and what each is for: here one, values."""
    return (("values", 0),)


ARRAYS = ("values",)
