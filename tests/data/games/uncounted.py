"""Fanorona in which moves without capture are not counted: for rules that do not ask for it."""

from damier.games.fanorona import rules as counted
from damier.games.fanorona.rules import (
    COUNT,
    FINAL,
    GROUPS,
    MIDTURN,
    OPTIONS,
    board,
    describe,
    legal,
    pawns,
    start,
)
from damier.games.fanorona.rules import play as play_counted
from damier.jit import kernel

__all__ = ["FINAL", "GROUPS", "MIDTURN", "OPTIONS", "board", "describe", "legal", "pawns", "start"]

NAME = "uncounted"
PRESETS = counted.PRESETS


@kernel
def play(w: int, b: int, r: int, step: int) -> tuple[int, int, int]:
    """Return the position after a legal step."""
    w, b, r = play_counted(w, b, r, step)
    return w, b, r & ~COUNT
