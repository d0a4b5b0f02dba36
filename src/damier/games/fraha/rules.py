"""Fraha: White builds a line on the outer track, Black a figure on the inner one.

Functions cite the numbers of the rules they implement; see docs/rules/fraha.en.md.
"""

from functools import cache

from damier.games.board import ORTHOGONAL, Board, toward
from damier.games.constants import (
    BLACK,
    LINE,
    OWN_REASON,
    STUCK,
    WHITE,
    choice,
    group_and_cell,
    won,
)
from damier.games.steps import Action, Note
from damier.jit import Buffer, inlined, kernel, lowest

NAME = "fraha"
PAWNS = 4
REASONS, FIGURE = ("figure",), OWN_REASON
COLOUR_SWAP = False  # FR-2: each colour has its own track and goal

# FR-1
_ALL = Board(5, 5)
OUTER = sum(1 << i for i in range(25) if i % 5 in (0, 4) or i // 5 in (0, 4))
INNER = sum(1 << i for i in range(25) if i % 5 in (1, 2, 3) and i // 5 in (1, 2, 3) and i != 12)
CELLS = OUTER | INNER
BOARD = Board(5, 5, places={"outer": OUTER, "inner": INNER, "unused": 1 << 12})

# Groups of steps. Four groups displace a pawn in a direction; the cell is where it starts. Four
# groups teleport the pawn that is next to the displaced pawn in a direction; the cell is where the
# teleported pawn is put.
DISPLACE, TELEPORT = 0, 4
GROUPS = 8
ONE_STEP_UNIQUE = True
FINAL = 0  # a displacement may be followed by teleportations
SHIFT = tuple(_ALL.shift(d) for d in ORTHOGONAL)
MASK = tuple(_ALL.mask(d) for d in ORTHOGONAL)

# Fields of the third word: the side to move (bit 0); the cell of the displaced pawn; the directions
# in which pawns are still to be teleported, as four bits; the options.
PAWN_BIT, TOUCHED_BIT = 1, 6
MIDTURN = 15 << TOUCHED_BIT
OPTIONS = (
    choice("first", 10, "white", "black"),
    choice("teleport", 11, "all", "one"),
    choice("line", 12, "straight", "track"),
)
BLACK_FIRST, TELEPORT_ONE, LINE_TRACK = 1 << 10, 1 << 11, 1 << 12
PRESETS: dict[str, dict[str, str]] = {"leaflet": {}}

# FR-6, FR-7: four consecutive cells of the outer track. LINES are those along one side.
_TRACK = (0, 1, 2, 3, 4, 9, 14, 19, 24, 23, 22, 21, 20, 15, 10, 5)
_FOURS = tuple(sum(1 << _TRACK[(i + k) % 16] for k in range(4)) for i in range(16))
_SIDES = (31, 31 << 20, 0x108421, 0x108421 << 4)
LINES = tuple(four for four in _FOURS if any(four & side == four for side in _SIDES))
LINES_ROUND_CORNERS = tuple(four for four in _FOURS if four not in LINES)
# FR-6: the rows that make the pawn on a border cell immune, two for each cell: from the cell to
# either corner of its side. A corner belongs to two sides; one is enough, because no black pawn can
# touch a pawn in a corner.
IMMUNITY = tuple(
    sum(1 << k for k in range(25) if side >> k & 1 and (k >= i if up else k <= i))
    for i in range(25)
    for up in (False, True)
    for side in ([s for s in _SIDES if s >> i & 1] or [0])[:1]
)
# FR-8
FIGURES = (
    BOARD.bits("b2", "c2", "d2", "c4"),
    BOARD.bits("b4", "c4", "d4", "c2"),
    BOARD.bits("b2", "b3", "b4", "d3"),
    BOARD.bits("d2", "d3", "d4", "b3"),
)


def start(r: int) -> tuple[int, int, int]:
    """FR-2: return the start, with each side on the corners of its track."""
    side = BLACK if r & BLACK_FIRST else WHITE
    corners = BOARD.bits("a1", "e1", "a5", "e5"), BOARD.bits("b2", "d2", "b4", "d4")
    return *corners, r | side


@inlined
def complete(w: int, b: int, r: int, side: int) -> int:
    """FR-7, FR-8: return the reason for a win if a side's pattern is complete, or 0."""
    if side == BLACK:
        for k in range(len(FIGURES)):
            if b == FIGURES[k]:
                return FIGURE
        return 0
    if w & INNER:
        return 0
    for k in range(len(LINES)):
        if w == LINES[k]:
            return LINE
    if r & LINE_TRACK:
        for k in range(len(LINES_ROUND_CORNERS)):
            if w == LINES_ROUND_CORNERS[k]:
                return LINE
    return 0


@inlined
def legal(w: int, b: int, r: int, out: Buffer) -> int:
    """Return the judgement on a position, or 0; then `out` has the legal steps of each group."""
    for group in range(GROUPS):
        out[group] = 0
    side = r & 1
    own, enemy = (w, b) if side == WHITE else (b, w)
    empty = CELLS & ~(w | b)
    touched = (r >> TOUCHED_BIT) & 15
    if touched:
        pawn = (r >> PAWN_BIT) & 31
        track = OUTER if side == WHITE else INNER  # of the mover, not of the teleported pawn
        while touched:
            d = lowest(touched)
            touched &= touched - 1
            others = enemy & ~(1 << (pawn + SHIFT[d]))
            out[TELEPORT + d] = empty & ~track if others & track else empty  # FR-5
        return 0
    reason = complete(w, b, r, 1 - side)  # the side that has just moved is checked first
    if reason:
        return won(1 - side, reason)
    reason = complete(w, b, r, side)
    if reason:
        return won(side, reason)
    track = OUTER if side == WHITE else INNER
    some = 0
    for d in range(4):  # FR-3
        out[DISPLACE + d] = own & toward(empty & track, SHIFT[d], MASK[d])
        some |= out[DISPLACE + d]
    return 0 if some else STUCK


@kernel
def immune(w: int, cell: int) -> bool:
    """FR-6: return whether a white pawn stands in a row of white pawns that ends in a corner."""
    below, above = IMMUNITY[2 * cell], IMMUNITY[2 * cell + 1]
    return below != 0 and (w & below == below or w & above == above)


@inlined
def play(w: int, b: int, r: int, step: int) -> tuple[int, int, int]:
    """Return the position after a legal step."""
    group, cell = group_and_cell(step)
    side = r & 1
    own, enemy = (w, b) if side == WHITE else (b, w)
    touched = (r >> TOUCHED_BIT) & 15
    if group < TELEPORT:  # FR-3
        pawn = cell + SHIFT[group]
        own ^= (1 << cell) | (1 << pawn)
        touched = 0
        for d in range(4):  # FR-4
            touched |= (toward(enemy, SHIFT[d], MASK[d]) >> pawn & 1) << d
        if side == BLACK:
            near = touched
            while near:
                d = lowest(near)
                near &= near - 1
                if immune(w, pawn + SHIFT[d]):
                    touched ^= 1 << d
        w, b = (own, enemy) if side == WHITE else (enemy, own)
        if touched and complete(w, b, r, side):  # FR-9
            touched = 0
        r |= pawn << PAWN_BIT
    else:  # FR-5
        pawn = (r >> PAWN_BIT) & 31
        enemy ^= (1 << (pawn + SHIFT[group - TELEPORT])) | (1 << cell)
        touched = 0 if r & TELEPORT_ONE else touched & ~(1 << (group - TELEPORT))
        w, b = (own, enemy) if side == WHITE else (enemy, own)
    r &= ~MIDTURN
    if touched:
        return w, b, r | touched << TOUCHED_BIT
    return w, b, (r & ~(31 << PAWN_BIT)) ^ 1


def describe(w: int, b: int, r: int, step: int) -> Action:
    """Return the action that a step performs."""
    return _describe((r >> PAWN_BIT) & 31, step)


@cache  # the teleportations of one move may be listed in a hundred orders
def _describe(pawn: int, step: int) -> Action:
    group, cell = group_and_cell(step)
    if group < TELEPORT:
        return Action("move", cell, cell + SHIFT[group])
    return Action("put", pawn + SHIFT[group - TELEPORT], cell)


def why(w: int, b: int, r: int, tried: Action) -> Note | None:
    """FR-5: explain that a second pawn of a side must not be put on the other side's track."""
    if tried.kind == "put" and CELLS & ~(w | b) & 1 << tried.target:
        return Note("one-visitor", {"cell": tried.target})
    return None
