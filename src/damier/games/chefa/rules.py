"""Chefa: place four pawns, then step and swap until they stand in a line or a square.

Functions cite the numbers of the rules they implement; see docs/rules/chefa.en.md.
"""

from damier.errors import DamierError
from damier.games.board import ORTHOGONAL, Board, toward
from damier.games.constants import LINE, SQUARE, WHITE, choice, group_and_cell, step_of, won
from damier.games.steps import Action, Note
from damier.jit import Buffer, kernel, lowest, popcount

NAME = "chefa"
PAWNS = 4
FIELDS = ("ko",)
COLOUR_SWAP = True

# CH-1
CENTRE = 1 << 12
BOARD = Board(5, 5, places={"unused": CENTRE})
ALL = BOARD.cells

# Groups of steps. One group places a pawn on the cell. Four groups step and four groups swap in a
# direction; the cell is where the pawn starts.
PLACE, STEP, SWAP = 0, 1, 5
GROUPS = 9
ONE_STEP_UNIQUE = True
FINAL = (1 << GROUPS) - 1  # every move is one step
SHIFT = tuple(BOARD.shift(d) for d in ORTHOGONAL)
MASK = tuple(BOARD.mask(d) for d in ORTHOGONAL)

# Fields of the third word: the side to move (bit 0); the swap that the ko forbids, as a step, or 0;
# the options.
KO_BIT = 1
KO = 1023 << KO_BIT
MIDTURN = 0
OPTIONS = (
    choice("first_mover", 11, "first", "last"),
    choice("line", 12, "gaps", "contiguous"),
)
LAST_MOVES, CONTIGUOUS = 1 << 11, 1 << 12
PRESETS = {"leaflet": {}, "fair": {"first_mover": "last"}}

# CH-6
ROW = tuple(31 << i // 5 * 5 for i in range(25))
COLUMN = tuple(0x108421 << i % 5 for i in range(25))
# Four pawns in a row, in a column and in a square, as bits relative to the lowest cell.
ROW_OF_FOUR, COLUMN_OF_FOUR, SQUARE_OF_FOUR = 0b1111, 0x8421, 0b1100011
RIGHT_EDGE = COLUMN[4]


def start(r: int) -> tuple[int, int, int]:
    """CH-2: return the start, an empty board."""
    return 0, 0, r


@kernel
def complete(own: int, r: int) -> int:
    """CH-6: return the reason for a win if a side's pattern is complete, or 0."""
    if popcount(own) != PAWNS:
        return 0
    low = lowest(own)
    in_row, in_column = own & ~ROW[low] == 0, own & ~COLUMN[low] == 0
    if r & CONTIGUOUS:
        in_row = in_row and own == ROW_OF_FOUR << low
        in_column = in_column and own == COLUMN_OF_FOUR << low
    if in_row or in_column:
        return LINE
    if own == SQUARE_OF_FOUR << low and not RIGHT_EDGE >> low & 1:
        return SQUARE
    return 0


@kernel
def seeing(enemy: int, empty: int, d: int) -> int:
    """CH-5: return the cells from which the first pawn in a direction is an enemy."""
    cells = 0
    seen = toward(enemy, SHIFT[d], MASK[d])
    for _ in range(4):
        cells |= seen
        seen = toward(seen & empty, SHIFT[d], MASK[d])
    return cells


@kernel
def repeatable(w: int, b: int, r: int) -> bool:
    """CH-8: return whether a position counts for repetition: only when all pawns are placed."""
    return popcount(w | b) == 2 * PAWNS


@kernel
def legal(w: int, b: int, r: int, out: Buffer) -> int:
    """Return the judgement on a position, or 0; then `out` has the legal steps of each group."""
    side = r & 1
    own, enemy = (w, b) if side == WHITE else (b, w)
    reason = complete(enemy, r)  # the side that has just moved is checked first
    if reason:
        return won(1 - side, reason)
    reason = complete(own, r)
    if reason:
        return won(side, reason)
    if popcount(own) < PAWNS:  # CH-3
        for group in range(GROUPS):
            out[group] = 0
        out[PLACE] = ALL & ~(w | b | CENTRE)
    else:
        put_moves(w, b, r, out)
    return 0  # four pawns always have a step or a swap, so no side is blocked


@kernel
def put_moves(w: int, b: int, r: int, out: Buffer) -> None:
    """CH-4, CH-5, CH-7: write the steps and swaps of phase 2 to `out`, even if the game is over."""
    own, enemy = (w, b) if r & 1 == WHITE else (b, w)
    empty = ALL & ~(w | b)
    out[PLACE] = 0
    for d in range(4):
        out[STEP + d] = own & toward(empty & ~CENTRE, SHIFT[d], MASK[d])  # CH-4
        out[SWAP + d] = own & seeing(enemy, empty, d)
    ko = (r & KO) >> KO_BIT
    if ko:  # CH-7
        group, cell = group_and_cell(ko)
        out[group] &= ~(1 << cell)


@kernel
def swap_partner(enemy: int, group: int, cell: int) -> int:
    """CH-5: return the cell of the enemy pawn that a pawn sees in the swap's direction."""
    cell += SHIFT[group - SWAP]
    while not enemy >> cell & 1:
        cell += SHIFT[group - SWAP]
    return cell


@kernel
def play(w: int, b: int, r: int, step: int) -> tuple[int, int, int]:
    """Return the position after a legal step."""
    group, cell = group_and_cell(step)
    own, enemy = (w, b) if r & 1 == WHITE else (b, w)
    ko = 0
    if group == PLACE:
        own |= 1 << cell
    elif group < SWAP:
        own ^= (1 << cell) | (1 << (cell + SHIFT[group - STEP]))
    else:
        exchange = (1 << cell) | (1 << swap_partner(enemy, group, cell))
        own ^= exchange
        enemy ^= exchange
        # CH-7: to swap back, the opponent's pawn would start on the same cell in the same
        # direction, so the forbidden step has the same number as this one.
        ko = step
    w, b = (own, enemy) if r & 1 == WHITE else (enemy, own)
    r = (r & ~KO) | ko << KO_BIT
    if group == PLACE and r & LAST_MOVES and popcount(w | b) == 2 * PAWNS:  # CH-4
        return w, b, r
    return w, b, r ^ 1


def describe(w: int, b: int, r: int, step: int) -> Action:
    """Return the action that a step performs."""
    group, cell = group_and_cell(step)
    if group == PLACE:
        return Action("place", target=cell)
    if group < SWAP:
        return Action("move", cell, cell + SHIFT[group - STEP])
    return Action("swap", cell, swap_partner(b if r & 1 == WHITE else w, group, cell))


def hands(w: int, b: int, r: int) -> tuple[int, int]:
    """CH-3: return how many pawns each side has still to place."""
    return PAWNS - popcount(w), PAWNS - popcount(b)


def read_fields(w: int, b: int, r: int, fields: list[str]) -> int:
    """Return the third word with the values of the fields of a position's text."""
    if fields[0] == "-":
        return r
    own, enemy = (w, b) if r & 1 == WHITE else (b, w)
    for d in range(4):
        origins = own & seeing(enemy, ALL & ~(w | b), d)
        for cell in range(25):
            with_ko = r | step_of(SWAP + d, cell) << KO_BIT
            if origins >> cell & 1 and write_fields(w, b, with_ko) == fields:
                return with_ko
    raise DamierError("ko", text=fields[0])


def write_fields(w: int, b: int, r: int) -> list[str]:
    """Return the fields of a position's text."""
    return ["=".join(BOARD.names[cell] for cell in swap) for swap in barred(w, b, r)] or ["-"]


def barred(w: int, b: int, r: int) -> tuple[tuple[int, int], ...]:
    """CH-7: return the two cells of the swap that the ko forbids, the mover's cell first."""
    ko = (r & KO) >> KO_BIT
    if not ko:
        return ()
    swap = describe(w, b, r, ko)
    return ((swap.origin, swap.target),)


def transformed(r: int, to: tuple[int, ...], swap: bool) -> int:
    """Return the third word under a symmetry of the board."""
    ko = (r & KO) >> KO_BIT
    if not ko:
        return r
    group, cell = group_and_cell(ko)
    d = SHIFT.index(to[cell + SHIFT[group - SWAP]] - to[cell])
    return (r & ~KO) | step_of(SWAP + d, to[cell]) << KO_BIT


def why(w: int, b: int, r: int, tried: Action) -> Note | None:
    """CH-7: explain that the ko forbids a swap."""
    return Note("ko-barred") if (tried.origin, tried.target) in barred(w, b, r) else None


def notes(w: int, b: int, r: int) -> list[Note]:
    """Return a note about the swap that the ko forbids, if any."""
    return [Note("ko", {"one_cell": own, "other_cell": other}) for own, other in barred(w, b, r)]


def reminder(w: int, b: int, r: int) -> Note | None:
    """Return a reminder of the swap that the ko forbids, if any."""
    return next(iter(notes(w, b, r)), None)
