"""Comparison of `describe` with `play`: the pawns that a described step leaves on the board."""

from __future__ import annotations

from damier.games.constants import WHITE
from damier.games.contract import Words
from damier.games.steps import NOWHERE, Action


def differing_cells(words: Words, after: Words, action: Action) -> int:
    """Return the cells on which the board after a step is not as its description says, as bits.

    A cell with the bits of both sides is empty, and closed to the pawn in play. A cell on which a
    pawn meets another, which a later step sends elsewhere, is not compared.
    """
    white, black = words[0] & ~words[1], words[1] & ~words[0]
    own, enemy = (white, black) if words[2] & 1 == WHITE else (black, white)
    own, enemy = _declared_effect(action, own, enemy)
    white, black = (own, enemy) if words[2] & 1 == WHITE else (enemy, own)
    return ((white ^ after[0] & ~after[1]) | (black ^ after[1] & ~after[0])) & ~(own & enemy)


def _declared_effect(action: Action, own: int, enemy: int) -> tuple[int, int]:
    """Return the own and the enemy pawns after a step, according to its description."""
    kind, origin, target = action.kind, action.origin, action.target
    own, enemy = own & ~action.takes | action.flips, enemy & ~(action.takes | action.flips)
    for cell, to in action.puts:
        own, enemy = _move_pawn(own, enemy, cell, to)
    if kind == "put":
        enemy = enemy & ~(1 << origin) | 1 << target
    elif kind in ("place", "drop"):
        own |= 1 << target
    elif kind == "remove":
        own &= ~(1 << origin)
    elif kind in ("move", "swap"):
        own = own & ~(1 << origin) | 1 << target
        if kind == "swap":
            enemy = enemy & ~(1 << target) | 1 << origin
    elif kind == "take":
        enemy &= ~(1 << target)
    return own, enemy


def _move_pawn(own: int, enemy: int, cell: int, to: int) -> tuple[int, int]:
    """Return the pawns after the pawn on a cell was put elsewhere, or lifted."""
    there = 0 if to == NOWHERE else 1 << to
    if enemy >> cell & 1:
        return own, enemy & ~(1 << cell) | there
    return own & ~(1 << cell) | there, enemy
