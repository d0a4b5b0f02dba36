"""Fanorona: capture every enemy pawn by moving up to a line of them, or away from it.

Functions cite the numbers of the rules they implement; see docs/rules/fanorona.en.md.
"""

from damier.games.board import AXES, Board, ahead, behind
from damier.games.constants import (
    BLOCKED,
    CAPTURE,
    OWN_REASON,
    STALLED,
    WHITE,
    choice,
    drawn,
    group_and_cell,
    number,
    read_count,
    won,
)
from damier.games.steps import STOP as STOPPING
from damier.games.steps import Action, Note
from damier.jit import Buffer, inlined, kernel, popcount

NAME = "fanorona"
FIELDS = ("count",)
REASONS, ENDGAME = ("endgame",), OWN_REASON
COLOUR_SWAP = True
CAPTURES = True

# FA-1: directions 0 to 3 are those of AXES; direction d + 4 is the opposite of direction d.
# The usual board is first. Constants that depend on the board have one value for each board.
BOARDS = (
    Board.lined(5, 9),
    *(
        Board.lined(ranks, files)
        for ranks in range(3, 22, 2)
        for files in range(3, 22, 2)
        if ranks * files <= 63 and (ranks, files) != (5, 9)
    ),
)
ALL = tuple(board.cells for board in BOARDS)
# The distance to the neighbour along each axis, and the cells that are joined by a line to a
# neighbour ahead or behind.
SHIFT = tuple(board.shift(axis) for board in BOARDS for axis in AXES)
FORE = tuple(
    sum(1 << i for i, j in board.lines if j - i == board.shift(axis))
    for board in BOARDS
    for axis in AXES
)
BACK = tuple(
    sum(1 << j for i, j in board.lines if j - i == board.shift(axis))
    for board in BOARDS
    for axis in AXES
)

# Groups of steps. Eight groups each displace a pawn in a direction without capture, with capture by
# approach, and with capture by withdrawal; the cell is where it starts. One group stops a chain.
PLAIN, APPROACH, WITHDRAW, STOP = 0, 8, 16, 24
GROUPS = 25
ONE_STEP_UNIQUE = True
FINAL = (1 << APPROACH) - 1  # plain steps

# Fields of the third word: the side to move (bit 0); inside a chain, the last direction plus 1 and
# the pawn's cell; the count of moves without capture; the options. The cells that the pawn has left
# in this move have both sides' bits set: they are empty, and the pawn must not return to them.
DIRECTION_BIT, PAWN_BIT, COUNT_BIT, MAX_COUNT = 1, 5, 11, (1 << 19) - 1
MIDTURN = 15 << DIRECTION_BIT
PAWN, COUNT = 63 << PAWN_BIT, MAX_COUNT << COUNT_BIT
BOARD_BIT, ENDGAME_BIT, STALL_BIT = 30, 38, 50
FEW = 5  # FA-10: if both sides have fewer pawns than this, fewer moves make a draw
OPTIONS = (
    choice("board", BOARD_BIT, *(f"{board.ranks}x{board.files}" for board in BOARDS)),
    choice("capture", 35, "free", "forced"),
    choice("turning", 36, "yes", "no"),
    choice("chain", 37, "free", "forced"),
    number("endgame_draw", ENDGAME_BIT, 10, 4095),
    number("stall", STALL_BIT, 100, 4095),
)
CAPTURE_FORCED, NO_TURNING, CHAIN_FORCED = 1 << 35, 1 << 36, 1 << 37
PRESETS: dict[str, dict[str, str]] = {
    "malagasy": {},
    "international": {"capture": "forced", "endgame_draw": "0", "stall": "0"},
}


def board(r: int) -> Board:
    """FA-1: return the board."""
    return BOARDS[(r >> BOARD_BIT) & 31]


def pawns(r: int) -> int:
    """FA-2: return how many pawns a side has at most."""
    return board(r).size // 2


def start(r: int) -> tuple[int, int, int]:
    """FA-2: return the start: each side fills its ranks.

    The colours alternate on the middle rank, around the empty centre.
    """
    files, half = board(r).files, pawns(r)
    low = board(r).ranks // 2 * files  # the first cell of the middle rank
    left = [low + i for i in range(files // 2)]
    white = (1 << low) - 1 | sum(1 << i for i in left[1::2])
    # The right half is the left half rotated by 180 degrees, with colours swapped.
    white |= sum(1 << (2 * half - i) for i in left[::2])
    return white, board(r).cells & ~(white | 1 << half), r


@kernel
def along(own: int, enemy: int, empty: int, k: int) -> tuple[int, int, int, int, int, int]:
    """FA-3, FA-4: return the pawns that can step along an axis, as six sets of cells.

    The first three sets: all that can step forward, those that capture by approach, and those that
    capture by withdrawal. The last three are the same for steps backward.
    """
    shift, fore, back = SHIFT[k], FORE[k], BACK[k]
    enemy_ahead, enemy_behind = ahead(enemy, shift, fore), behind(enemy, shift, back)
    forward, backward = own & ahead(empty, shift, fore), own & behind(empty, shift, back)
    return (
        forward,
        forward & ahead(enemy_ahead, shift, fore),
        forward & enemy_behind,
        backward,
        backward & behind(enemy_behind, shift, back),
        backward & enemy_ahead,
    )


@kernel
def put_steps(own: int, enemy: int, empty: int, r: int, out: Buffer) -> int:
    """FA-3, FA-4, FA-5: write all steps of some pawns to `out`; return the pawns that capture."""
    captures = 0
    for axis in range(4):
        k = 4 * ((r >> BOARD_BIT) & 31) + axis
        forward, approach, withdraw, backward, approach_back, withdraw_back = along(
            own, enemy, empty, k
        )
        out[PLAIN + axis] = forward & ~(approach | withdraw)
        out[APPROACH + axis] = approach
        out[WITHDRAW + axis] = withdraw
        out[PLAIN + 4 + axis] = backward & ~(approach_back | withdraw_back)
        out[APPROACH + 4 + axis] = approach_back
        out[WITHDRAW + 4 + axis] = withdraw_back
        captures |= approach | withdraw | approach_back | withdraw_back
    return captures


@kernel
def closed_direction(r: int) -> int:
    """FA-7: return the direction in which the capturing pawn must not continue, or -1."""
    return -1 if r & NO_TURNING else ((r & MIDTURN) >> DIRECTION_BIT) - 1


@kernel
def goes_on(pawn: int, enemy: int, empty: int, r: int) -> bool:
    """FA-7: return whether the capturing pawn can capture again."""
    for axis in range(4):
        k = 4 * ((r >> BOARD_BIT) & 31) + axis
        _, approach, withdraw, _, approach_back, withdraw_back = along(pawn, enemy, empty, k)
        if approach | withdraw and closed_direction(r) != axis:
            return True
        if approach_back | withdraw_back and closed_direction(r) != axis + 4:
            return True
    return False


@kernel
def legal(w: int, b: int, r: int, out: Buffer) -> int:
    """Return the judgement on a position, or 0; then `out` has the legal steps of each group."""
    side = r & 1
    own, enemy = (w, b) if side == WHITE else (b, w)
    empty = ALL[(r >> BOARD_BIT) & 31] & ~(w | b)
    if r & MIDTURN:
        put_steps(1 << ((r & PAWN) >> PAWN_BIT), enemy & ~own, empty, r, out)  # FA-7
        for d in range(8):
            out[PLAIN + d] = 0
        if closed_direction(r) >= 0:
            out[APPROACH + closed_direction(r)] = 0
            out[WITHDRAW + closed_direction(r)] = 0
        out[STOP] = 0 if r & CHAIN_FORCED else 1
        return 0
    if own == 0:  # FA-8
        return won(1 - side, CAPTURE)
    if enemy == 0:
        return won(side, CAPTURE)
    captures = put_steps(own, enemy, empty, r, out)
    out[STOP] = 0
    plain = 0
    for group in range(PLAIN, APPROACH):
        if captures and r & CAPTURE_FORCED:  # FA-6
            out[group] = 0
        plain |= out[group]
    if not captures and not plain:  # FA-9
        return won(1 - side, BLOCKED)
    count = (r & COUNT) >> COUNT_BIT
    if count:
        endgame, stall = endgame_limit(w, b, r), (r >> STALL_BIT) & 4095
        if endgame and count >= endgame:
            return drawn(ENDGAME)
        if stall and count >= stall:  # FA-11
            return drawn(STALLED)
    return 0


@kernel
def endgame_limit(w: int, b: int, r: int) -> int:
    """FA-10: return how many moves without capture make a draw if few pawns are left, or 0."""
    if popcount(w) < FEW and popcount(b) < FEW:
        return (r >> ENDGAME_BIT) & 4095
    return 0


@kernel
def row(enemy: int, cell: int, d: int, r: int) -> int:
    """FA-4: return the unbroken row of enemy pawns that begins next to a cell in a direction."""
    k = 4 * ((r >> BOARD_BIT) & 31) + (d & 3)
    pawns = 0
    pawn = 1 << cell
    while True:
        if d < 4:
            pawn = (pawn & FORE[k]) << SHIFT[k]
        else:
            pawn = (pawn & BACK[k]) >> SHIFT[k]
        if not pawn & enemy:
            return pawns
        pawns |= pawn


@inlined
def target_of(r: int, group: int, cell: int) -> int:
    """FA-3: return the cell that a displacement leads to."""
    d = group & 7
    shift = SHIFT[4 * ((r >> BOARD_BIT) & 31) + (d & 3)]
    return cell + shift if d < 4 else cell - shift


@inlined
def captured(own: int, enemy: int, r: int, step: int) -> int:
    """FA-4: return the enemy pawns that a capturing step takes.

    Cells with both sides' bits set are closed cells and hold no pawn.
    """
    group, cell = group_and_cell(step)
    d = group & 7
    if group < WITHDRAW:
        return row(enemy & ~own, target_of(r, group, cell), d, r)
    return row(enemy & ~own, cell, d ^ 4, r)


@kernel
def end_move(w: int, b: int, r: int) -> tuple[int, int, int]:
    """Return the position after the end of a move, without closed cells."""
    closed = w & b
    return w ^ closed, b ^ closed, (r & ~(MIDTURN | PAWN)) ^ 1


@kernel
def play(w: int, b: int, r: int, step: int) -> tuple[int, int, int]:
    """Return the position after a legal step."""
    group, cell = group_and_cell(step)
    if group == STOP:
        return end_move(w, b, r)
    side = r & 1
    own, enemy = (w, b) if side == WHITE else (b, w)
    target = target_of(r, group, cell)
    if group < APPROACH:  # FA-3
        own ^= (1 << cell) | (1 << target)
        count = min(((r & COUNT) >> COUNT_BIT) + 1, MAX_COUNT)
        r = ((r & ~COUNT) | count << COUNT_BIT) ^ 1
        return (own, enemy, r) if side == WHITE else (enemy, own, r)
    pawns = captured(own, enemy, r, step)
    own |= 1 << target
    enemy = (enemy & ~pawns) | 1 << cell  # the cell that the pawn has left is now closed
    w, b = (own, enemy) if side == WHITE else (enemy, own)
    r &= ~(MIDTURN | PAWN | COUNT)
    r |= ((group & 7) + 1) << DIRECTION_BIT | target << PAWN_BIT
    if goes_on(1 << target, enemy & ~own, ALL[(r >> BOARD_BIT) & 31] & ~(w | b), r):
        return w, b, r
    return end_move(w, b, r)


def describe(w: int, b: int, r: int, step: int) -> Action:
    """Return the action that a step performs."""
    group, cell = group_and_cell(step)
    if group == STOP:
        return STOPPING
    target = target_of(r, group, cell)
    if group < APPROACH:
        return Action("move", cell, target)
    own, enemy = (w, b) if r & 1 == WHITE else (b, w)
    return Action("move", cell, target, captured(own, enemy, r, step), by="AW"[group >= WITHDRAW])


def read_fields(w: int, b: int, r: int, fields: list[str]) -> int:
    """Return the third word with the values of the fields of a position's text."""
    return r | read_count(fields[0], MAX_COUNT) << COUNT_BIT


def write_fields(w: int, b: int, r: int) -> list[str]:
    """Return the fields of a position's text."""
    return [str((r & COUNT) >> COUNT_BIT)]


def must(w: int, b: int, r: int) -> str:
    """FA-6: return the obligation to capture, or ""."""
    out = [0] * GROUPS
    own, enemy = (w, b) if r & 1 == WHITE else (b, w)
    if not r & CAPTURE_FORCED or r & MIDTURN:
        return ""
    return "capture" if put_steps(own, enemy, board(r).cells & ~(w | b), r, out) else ""


def why(w: int, b: int, r: int, tried: Action) -> Note | None:
    """FA-7: explain how a pawn that has captured may continue."""
    if not r & MIDTURN or tried.kind != "move" or tried.origin != (r & PAWN) >> PAWN_BIT:
        return None
    if tried.target >= 0 and w & b & 1 << tried.target:
        return Note("closed", {"cell": tried.target})
    return Note("chain", {"cell": tried.origin})


def shown(w: int, b: int, r: int, judgement: int) -> int:
    """FA-9: return the blocked pawns."""
    return (b if r & 1 else w) if judgement >> 2 == BLOCKED else 0


def notes(w: int, b: int, r: int) -> list[Note]:
    """Return a note on the number of moves without capture."""
    count = (r & COUNT) >> COUNT_BIT
    return [Note("count", {"count": count})] if count else []


def reminder(w: int, b: int, r: int) -> Note | None:
    """FA-10, FA-11: return a warning if moves without capture will soon make a draw."""
    count, endgame, stall = (
        (r & COUNT) >> COUNT_BIT,
        endgame_limit(w, b, r),
        (r >> STALL_BIT) & 4095,
    )
    if endgame and count:
        return Note("count-near", {"count": count, "most": endgame})
    if stall and 10 * count >= 7 * stall:
        return Note("count-near", {"count": count, "most": stall})
    return None
