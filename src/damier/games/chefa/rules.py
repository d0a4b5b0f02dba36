"""Chefa: place four pawns, then step and swap until they stand in a line or a square.

Every function cites the rule it implements; see docs/rules/chefa.en.md.
"""

from damier.errors import DamierError
from damier.games.board import ORTHOGONAL, Board, toward
from damier.games.steps import Action, Note
from damier.games.terms import LINE, SQUARE, WHITE, choice, group_and_cell, step_of, won
from damier.jit import Buffer, kernel, lowest, popcount

NAME = "chefa"
PAWNS = 4
FIELDS = ("ko",)
COLOUR_SWAP = True

# CH-1
CENTRE = 1 << 12
BOARD = Board(5, 5, places={"unused": CENTRE})
ALL = BOARD.cells

# Steps: placing, by the cell; stepping and swapping in a direction, by the starting cell.
PLACE, STEP, SWAP = 0, 1, 5
GROUPS = 9
ONE_STEP_UNIQUE = True
FINAL = (1 << GROUPS) - 1  # every turn is one step
SHIFT = tuple(BOARD.shift(d) for d in ORTHOGONAL)
MASK = tuple(BOARD.mask(d) for d in ORTHOGONAL)

# The third word: bit 0 the side; the barred swap as a step, 0 for none; the options.
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
# The cells from the lowest of four pawns on: in a row, in a column, in a square.
ROW_OF_FOUR, COLUMN_OF_FOUR, SQUARE_OF_FOUR = 0b1111, 0x8421, 0b1100011
RIGHT_EDGE = COLUMN[4]


def board(r: int) -> Board:
    """Return the board: it is always the same."""
    return BOARD


def pawns(r: int) -> int:
    """Return how many pawns a side has at most."""
    return PAWNS


def start(r: int) -> tuple[int, int, int]:
    """CH-2: the board is empty."""
    return 0, 0, r


@kernel
def complete(own: int, r: int) -> int:
    """CH-6: return the reason for which a side's pattern is complete, or 0."""
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
    """CH-8: tell whether a position counts towards repetition: not before all pawns are placed."""
    return popcount(w | b) == 2 * PAWNS


@kernel
def legal(w: int, b: int, r: int, out: Buffer) -> int:
    """Return the judgement on a position, or 0 and in `out` the legal steps of each group."""
    side = r & 1
    own, enemy = (w, b) if side == WHITE else (b, w)
    reason = complete(enemy, r)  # first the mover's, then the opponent's
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
    return 0  # four pawns can always step or swap


@kernel
def put_moves(w: int, b: int, r: int, out: Buffer) -> None:
    """CH-4, CH-5, CH-7: put the steps and swaps of phase 2 into `out`, whatever has been won."""
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
        # CH-7: the opponent's pawn now stands where the swap began and would go the same way.
        ko = step
    w, b = (own, enemy) if r & 1 == WHITE else (enemy, own)
    r = (r & ~KO) | ko << KO_BIT
    if group == PLACE and r & LAST_MOVES and popcount(w | b) == 2 * PAWNS:  # CH-4
        return w, b, r
    return w, b, r ^ 1


def describe(w: int, b: int, r: int, step: int) -> Action:
    """Return what a step does."""
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
    """Return the third word with what the fields of a position's text say."""
    if fields[0] == "-":
        return r
    own, enemy = (w, b) if r & 1 == WHITE else (b, w)
    for d in range(4):
        seers = own & seeing(enemy, ALL & ~(w | b), d)
        for cell in range(25):
            word = r | step_of(SWAP + d, cell) << KO_BIT
            if seers >> cell & 1 and write_fields(w, b, word) == fields:
                return word
    raise DamierError("ko", text=fields[0])


def write_fields(w: int, b: int, r: int) -> list[str]:
    """Return the fields of a position's text."""
    return ["=".join(BOARD.names[cell] for cell in swap) for swap in barred(w, b, r)] or ["-"]


def barred(w: int, b: int, r: int) -> tuple[tuple[int, int], ...]:
    """CH-7: return the two cells of the swap that is barred, the mover's first."""
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
    """CH-7: tell whether a swap is barred by the ko."""
    return Note("ko-barred") if (tried.origin, tried.target) in barred(w, b, r) else None


def notes(w: int, b: int, r: int) -> list[Note]:
    """Return the swap that is barred."""
    return [Note("ko", {"one_cell": one, "other_cell": other}) for one, other in barred(w, b, r)]


def reminder(w: int, b: int, r: int) -> Note | None:
    """Return the swap that is barred."""
    return next(iter(notes(w, b, r)), None)
