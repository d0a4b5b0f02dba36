"""Fanorona: pawns above all, the more so the fewer are left; then freedom and threats."""

from damier.games.fanorona import ALL as CELLS
from damier.games.fanorona import (
    APPROACH,
    BOARD_BIT,
    BOARDS,
    CAPTURE_FORCED,
    COUNT,
    COUNT_BIT,
    ENDGAME_BIT,
    SHIFT,
    STALL_BIT,
    STOP,
    WITHDRAW,
    along,
    row,
)
from damier.games.terms import WHITE, group_and_cell
from damier.jit import Buffer, kernel, popcount

# FA-1: where diagonals meet, and the border.
STRONG = tuple(
    sum(1 << i for i in range(b.size) if (i % b.files + i // b.files) % 2 == 0) for b in BOARDS
)
EDGE = tuple(
    sum(
        1 << i
        for i in range(b.size)
        if i % b.files in (0, b.files - 1) or i // b.files in (0, b.ranks - 1)
    )
    for b in BOARDS
)

_NAMES = ("pawn", "share", "strong", "edge", "steps", "captures", "their captures", "to move")
# Twice: where captures are free, and where they are forced, which makes another game.
NAMES = (*_NAMES, *(f"forced {name}" for name in _NAMES))
FORCED = len(_NAMES)
FUTILE_DEPTH, FUTILE_MARGIN = 2, 180
QUIET_TURNS = 2  # how far the quiet search goes
LATE = 3


def tables() -> tuple[int, ...]:
    """Return what `evaluate` looks up behind the weights: here nothing."""
    return ()


@kernel
def evaluate(w: int, b: int, r: int, weights: Buffer) -> int:
    """Return an estimate for the side to move, between turns."""
    own, enemy = (w, b) if r & 1 == WHITE else (b, w)
    board = (r >> BOARD_BIT) & 31
    empty = CELLS[board] & ~(w | b)
    n, m = popcount(own), popcount(enemy)
    steps, captures, threats = 0, 0, 0
    for axis in range(4):
        k = 4 * board + axis
        f, a, d, g, c, e = along(own, enemy, empty, k)
        steps += popcount(f) + popcount(g)
        captures += popcount(a | d) + popcount(c | e)
        f, a, d, g, c, e = along(enemy, own, empty, k)
        steps -= popcount(f) + popcount(g)
        threats += popcount(a | d) + popcount(c | e)
    strong, edge = STRONG[board], EDGE[board]
    k = FORCED if r & CAPTURE_FORCED else 0
    return (
        weights[k] * (n - m)
        + weights[k + 1] * ((n - m) * 100 // (n + m))
        + weights[k + 2] * (popcount(own & strong) - popcount(enemy & strong))
        + weights[k + 3] * (popcount(own & edge) - popcount(enemy & edge))
        + weights[k + 4] * steps
        + weights[k + 5] * captures
        + weights[k + 6] * threats
        + weights[k + 7]
    )


@kernel
def promise(w: int, b: int, r: int, step: int) -> int:
    """Rank captures by the pawns they take."""
    group, cell = group_and_cell(step)
    if group < APPROACH or group == STOP:
        return 0
    own, enemy = (w, b) if r & 1 == WHITE else (b, w)
    pawns = enemy & ~own
    d = group & 7
    if group < WITHDRAW:
        shift = SHIFT[4 * ((r >> BOARD_BIT) & 31) + (d & 3)]
        target = cell + shift if d < 4 else cell - shift
        return popcount(row(pawns, target, d, r))
    return popcount(row(pawns, cell, d ^ 4, r))


@kernel
def fingerprint(w: int, b: int, r: int) -> int:
    """Drop the count of turns without capture while no draw by it is near."""
    count = (r & COUNT) >> COUNT_BIT
    endgame, stall = (r >> ENDGAME_BIT) & 4095, (r >> STALL_BIT) & 4095
    if endgame and popcount(w) < 5 and popcount(b) < 5:
        return r
    if stall and count + 30 > stall:
        return r
    return r & ~COUNT


@kernel
def content(w: int, b: int, r: int, legal: Buffer) -> bool:
    """Tell whether the mover may leave the position as it stands: not if he must capture."""
    if not r & CAPTURE_FORCED:
        return True
    captures = 0
    for group in range(APPROACH, STOP):
        captures |= legal[group]
    return captures == 0


@kernel
def loud(w: int, b: int, r: int, legal: Buffer) -> bool:
    """Keep the captures; tell whether there are any."""
    captures = 0
    for group in range(APPROACH):
        legal[group] = 0
    for group in range(APPROACH, STOP):
        captures |= legal[group]
    return captures != 0
