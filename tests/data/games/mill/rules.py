"""Mill: place four pawns each, then step; a new row of three takes an enemy pawn.

Who is left with one pawn loses, and so does who cannot step.
"""

from damier.games.board import ORTHOGONAL, Board, toward
from damier.games.constants import BLOCKED, CAPTURE, group_and_cell, read_count, won
from damier.games.steps import Action
from damier.jit import Buffer, kernel, popcount

NAME = "mill"
SIDE, PAWNS = 4, 4
BOARD = Board(SIDE, SIDE)
ALL = BOARD.cells
CAPTURES = True
FIELDS = ("placed",)
# Steps: placing, stepping in four directions, taking, which is a move's second step.
PLACE, MOVE, TAKE = 0, 1, 5
GROUPS = 6
SHIFT = tuple(BOARD.shift(d) for d in ORTHOGONAL)
MASK = tuple(BOARD.mask(d) for d in ORTHOGONAL)
# The third word: the side, how many moves of placing are over, whether a pawn is to be taken.
PLACED_BIT, TAKING = 1, 1 << 6
PLACED = 15 << PLACED_BIT
MIDTURN = TAKING
ROWS = tuple(0b111 * (1 << x + SIDE * y) for y in range(SIDE) for x in range(SIDE - 2)) + tuple(
    0x111 << x + SIDE * y for y in range(SIDE - 2) for x in range(SIDE)
)


def board(r: int) -> Board:
    return BOARD


def start(r: int) -> tuple[int, int, int]:
    return 0, 0, r


@kernel
def legal(w: int, b: int, r: int, out: Buffer) -> int:
    side = r & 1
    own, enemy = (b, w) if side else (w, b)
    for group in range(GROUPS):
        out[group] = 0
    if r & TAKING:
        out[TAKE] = enemy
        return 0
    placing = (r & PLACED) >> PLACED_BIT < 2 * PAWNS
    if placing:
        out[PLACE] = ALL & ~(w | b)
        return 0
    if popcount(own) < 2:
        return won(1 - side, CAPTURE)
    some = 0
    for d in range(4):
        out[MOVE + d] = own & toward(ALL & ~(w | b), SHIFT[d], MASK[d])
        some |= out[MOVE + d]
    return 0 if some else won(1 - side, BLOCKED)


@kernel
def rowed(own: int, cell: int) -> bool:
    """Tell whether a pawn stands in a row."""
    for row in ROWS:
        if row >> cell & 1 and own & row == row:
            return True
    return False


@kernel
def play(w: int, b: int, r: int, step: int) -> tuple[int, int, int]:
    group, cell = group_and_cell(step)
    side = r & 1
    own, enemy = (b, w) if side else (w, b)
    if group == TAKE:
        enemy ^= 1 << cell
        r = (r & ~TAKING) ^ 1
    else:
        if group == PLACE:
            own |= 1 << cell
            r += 1 << PLACED_BIT
        else:
            target = cell + SHIFT[group - MOVE]
            own ^= 1 << cell | 1 << target
            cell = target
        r = r | TAKING if rowed(own, cell) and enemy else r ^ 1
    w, b = (enemy, own) if side else (own, enemy)
    return w, b, r


def describe(w: int, b: int, r: int, step: int) -> Action:
    group, cell = group_and_cell(step)
    if group == TAKE:
        return Action("take", target=cell, takes=1 << cell)
    if group == PLACE:
        return Action("place", target=cell)
    return Action("move", cell, cell + SHIFT[group - MOVE])


def hands(w: int, b: int, r: int) -> tuple[int, int]:
    placed = (r & PLACED) >> PLACED_BIT
    return PAWNS - (placed + 1) // 2, PAWNS - placed // 2


def pawns(r: int) -> int:
    return PAWNS


def read_fields(w: int, b: int, r: int, fields: list[str]) -> int:
    return r | read_count(fields[0], 2 * PAWNS) << PLACED_BIT


def write_fields(w: int, b: int, r: int) -> list[str]:
    return [str((r & PLACED) >> PLACED_BIT)]
