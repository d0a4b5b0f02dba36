"""Draughts: capture every enemy pawn, or leave the other player without a move.

Pawns step diagonally ahead to an empty cell, or jump over an enemy pawn to the empty cell beyond
and capture it; jumping goes on as long as it can, and a player who can jump must. A pawn that ends
its step on the far rank is crowned: a king also goes back. Played as in English draughts, on 6 × 6,
or on 4 × 4, where all of it is soon solved.
"""

from damier.games.board import Board, toward
from damier.games.constants import BLOCKED, choice, group_and_cell, won
from damier.games.steps import Action
from damier.jit import Buffer, kernel

NAME = "draughts"
OPTIONS = (choice("size", 1, "6x6", "4x4"),)
PRESETS = {"small": {}, "tiny": {"size": "4x4"}}
CAPTURES = True
FIELDS = ("kings",)


def _dark(size: int) -> Board:
    """Return a board of the dark cells only; a half-turn exchanges the players, nothing else."""
    cells = sum(1 << i for i in range(size * size) if (i % size + i // size) % 2 == 0)
    return Board(size, size, cells, symmetry="none")


BOARDS = (_dark(6), _dark(4))
ALL = (BOARDS[0].cells, BOARDS[1].cells)
START = ((ALL[0] & 0xFFF, ALL[0] & 0xFFF << 24), (ALL[1] & 0xF, ALL[1] & 0xF << 12))
FAR = (0x3F << 30, 0x3F, 0xF << 12, 0xF)  # the far rank, by size and side
# Steps: one cell, or a jump, in four directions; the first two are ahead for White.
WAYS = ((-1, 1), (1, 1), (1, -1), (-1, -1))
STEP, JUMP, GROUPS = 0, 4, 8
FINAL = 0b1111
SHIFT = tuple(board.shift(way) for board in BOARDS for way in WAYS)
NEAR = tuple(board.mask(way) for board in BOARDS for way in WAYS)
BEYOND = tuple(board.mask((2 * x, 2 * y)) for board in BOARDS for x, y in WAYS)
# The third word: kings; inside a move, the cell of the pawn that jumps on.
KINGS_BIT, CELL_BIT, CHAIN = 2, 38, 1 << 44
KINGS, CELL = ((1 << 36) - 1) << KINGS_BIT, 63 << CELL_BIT
MIDTURN = CHAIN | CELL
REPETITION_BITS = KINGS  # the same pawns with other kings are another position


def board(r: int) -> Board:
    """Return the board."""
    return BOARDS[r >> 1 & 1]


def start(r: int) -> tuple[int, int, int]:
    """Return the start: the pawns on the ranks nearest to their players."""
    return *START[r >> 1 & 1], r


@kernel
def movers(own: int, other: int, k: int, group: int) -> int:
    """Return the pawns that can take a step of a group; `other` are the enemy pawns."""
    size = k >> 2
    empty = ALL[size] & ~(own | other)
    if group < JUMP:
        return own & toward(empty, SHIFT[k], NEAR[k])
    over = toward(other, SHIFT[k], NEAR[k])
    return own & over & toward(empty, 2 * SHIFT[k], BEYOND[k])


@kernel
def able(own: int, r: int, way: int) -> int:
    """Return the pawns that may go in a direction: kings, and all pawns ahead."""
    ahead = way < 2 if r & 1 == 0 else way >= 2
    return own if ahead else own & (r & KINGS) >> KINGS_BIT


@kernel
def legal(w: int, b: int, r: int, out: Buffer) -> int:
    """Return how the game has ended; or 0, and in `out` the legal steps of each group."""
    side, size = r & 1, r >> 1 & 1
    own, enemy = (w, b) if side == 0 else (b, w)
    jumps, steps = 0, 0
    for way in range(4):
        mine = able(own, r, way)
        if r & CHAIN:
            mine &= 1 << ((r & CELL) >> CELL_BIT)
        k = 4 * size + way
        out[STEP + way] = mine & movers(own, enemy, k, STEP)
        out[JUMP + way] = mine & movers(own, enemy, k, JUMP)
        steps |= out[STEP + way]
        jumps |= out[JUMP + way]
    if not steps | jumps:
        return won(1 - side, BLOCKED)
    if jumps:
        for way in range(4):
            out[STEP + way] = 0
    return 0


@kernel
def play(w: int, b: int, r: int, step: int) -> tuple[int, int, int]:
    """Return the position after a legal step."""
    group, cell = group_and_cell(step)
    side, size, way = r & 1, r >> 1 & 1, group & 3
    own, enemy = (w, b) if side == 0 else (b, w)
    kings = (r & KINGS) >> KINGS_BIT
    shift = SHIFT[4 * size + way]
    to = cell + (shift if group < JUMP else 2 * shift)
    own ^= 1 << cell | 1 << to
    if kings >> cell & 1:
        kings ^= 1 << cell | 1 << to
    crowned = FAR[2 * size + side] & ~kings & 1 << to
    if group >= JUMP:
        enemy &= ~(1 << cell + shift)
        kings &= ~(1 << cell + shift)
    after = r & ~(MIDTURN | KINGS) | (kings | crowned) << KINGS_BIT
    more = 0
    if group >= JUMP and not crowned:
        for onward in range(4):
            more |= able(own, after, onward) & movers(own, enemy, 4 * size + onward, JUMP)
    after = after | CHAIN | to << CELL_BIT if more >> to & 1 else after ^ 1
    return (own, enemy, after) if side == 0 else (enemy, own, after)


def describe(w: int, b: int, r: int, step: int) -> Action:
    """Return what a legal step does."""
    group, cell = group_and_cell(step)
    shift = SHIFT[4 * (r >> 1 & 1) + (group & 3)]
    if group < JUMP:
        return Action("move", cell, cell + shift)
    return Action("move", cell, cell + 2 * shift, takes=1 << cell + shift)


def promoted(w: int, b: int, r: int) -> int:
    """Return the kings."""
    return (r & KINGS) >> KINGS_BIT


def write_fields(w: int, b: int, r: int) -> list[str]:
    """Return the kings as text."""
    return [board(r).write_cells(promoted(w, b, r))]


def read_fields(w: int, b: int, r: int, fields: list[str]) -> int:
    """Return the third word with the kings of a text."""
    return r | board(r).read_cells(fields[0]) << KINGS_BIT
