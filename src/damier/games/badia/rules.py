"""Badia: place five pawns around the board, then move, swap and push until they are one block.

Functions cite the numbers of the rules they implement; see docs/rules/badia.en.md.
"""

from damier.errors import DamierError
from damier.games.board import ORTHOGONAL, Board, toward
from damier.games.constants import BLOCKED, OWN_REASON, WHITE, choice, group_and_cell, won
from damier.games.steps import NOWHERE, Action, Note
from damier.jit import Buffer, kernel, popcount

NAME = "badia"
PAWNS = 5
FIELDS = ("white-mark", "black-mark", "drop")
REASONS, BLOCK = ("block",), OWN_REASON
COLOUR_SWAP = True

# BA-1
_RING = (0, 1, 2, 3, 4, 9, 14, 19, 24, 23, 22, 21, 20, 15, 10, 5)
_ARROWS = (2, 10, 14, 22)
C3 = 12
CENTRE = 1 << C3
ARROWS = sum(1 << i for i in _ARROWS)
NORMAL = sum(1 << i for i in _RING if i not in _ARROWS)
CELLS = NORMAL | ARROWS | CENTRE
BOARD = Board(
    5,
    5,
    CELLS,
    places={"normal": NORMAL, "arrow": ARROWS, "centre": CENTRE},
    arrows=tuple((i, C3) for i in _ARROWS),
)

# Groups of steps. One group places a pawn on the cell. Four groups displace a pawn in a direction;
# the cell is where it starts. One group puts a lifted pawn, an enemy's or the mover's own, on the
# cell.
PLACE, DISPLACE, PUT = 0, 1, 5
GROUPS = 6
ONE_STEP_UNIQUE = True
FINAL = 1 << PLACE  # after a displacement a lifted pawn may have to be put
# BA-2: neighbours along the ring are one place apart (NEAR). An arrow and the centre are two places
# apart, with no cell between them (FAR).
SHIFT = tuple(BOARD.shift(d) for d in ORTHOGONAL)
NEAR = tuple(
    sum(1 << i for i in _RING if BOARD.mask(d) >> i & 1 and i + BOARD.shift(d) in _RING)
    for d in ORTHOGONAL
)
FAR = tuple(
    sum(1 << i for i in (C3, *_ARROWS) if i + 2 * BOARD.shift(d) in (C3, *_ARROWS))
    & Board(5, 5).mask((2 * d[0], 2 * d[1]))
    for d in ORTHOGONAL
)

# Fields of the third word: the side to move (bit 0); the marks of White and Black, each the cell
# plus 1, or 0 for none; the lifted pawn, which its owner drops (DROP) or the mover puts (PUTTING);
# the options.
MARK_BIT, MARK_WIDTH = 1, 5
AIR_BIT = 11
NOBODY, PLAIN, MARKED = 0, 1, 2  # the lifted pawn: none, without a mark, with a mark
DROP, PUTTING = 3 << AIR_BIT, 12 << AIR_BIT
MIDTURN = PUTTING
OPTIONS = (choice("repetition", 15, "forbid", "draw"),)
MAY_RETURN = 1 << 15
PRESETS: dict[str, dict[str, str]] = {"leaflet": {}}

# BA-10: five consecutive cells of the ring contain exactly one arrow, unless the first and the last
# are arrows.
BLOCKS = tuple(
    sum(1 << _RING[(i + k) % 16] for k in range(5)) for i in range(16) if _RING[i] not in _ARROWS
)


def start(r: int) -> tuple[int, int, int]:
    """BA-3: return the start, an empty board."""
    return 0, 0, r


@kernel
def complete(own: int) -> bool:
    """BA-10: return whether five pawns form one block with one arrow."""
    for k in range(len(BLOCKS)):
        if own == BLOCKS[k]:
            return True
    return False


@kernel
def mark(r: int, side: int) -> int:
    """BA-6: return the cell of a side's mark plus 1, or 0 without a mark."""
    return (r >> (MARK_BIT + MARK_WIDTH * side)) & 31


@kernel
def with_mark(r: int, side: int, cell_and_1: int) -> int:
    """BA-6: return the third word with a new mark for a side: the cell plus 1, or 0."""
    shift = MARK_BIT + MARK_WIDTH * side
    return (r & ~(31 << shift)) | cell_and_1 << shift


@kernel
def repeatable(w: int, b: int, r: int) -> bool:
    """Return whether a position counts for repetition: only when all pawns are placed."""
    return popcount(w | b) == 2 * PAWNS - (1 if r & DROP else 0)


@kernel
def superko(r: int) -> bool:
    """BA-11: return whether a move must not repeat a position of the game."""
    return r & MAY_RETURN == 0


@kernel
def legal(w: int, b: int, r: int, out: Buffer) -> int:
    """Return the judgement on a position, or 0; then `out` has the legal steps of each group."""
    for group in range(GROUPS):
        out[group] = 0
    side = r & 1
    own, enemy = (w, b) if side == WHITE else (b, w)
    empty = CELLS & ~(w | b)
    if r & DROP:  # BA-9
        out[PUT] = empty
        return 0
    if r & PUTTING:  # BA-8 if the mover has just entered the centre, else BA-9
        out[PUT] = empty & (NORMAL | ARROWS if mark(r, side) == C3 + 1 else ARROWS)
        return 0
    if complete(enemy):  # the side that has just moved is checked first
        return won(1 - side, BLOCK)
    if complete(own):
        return won(side, BLOCK)
    if popcount(own) < PAWNS:  # BA-4
        out[PLACE] = empty & NORMAL
        return 0
    movable = own
    if mark(r, side):  # BA-6
        movable &= ~(1 << (mark(r, side) - 1))
    some = 0
    for d in range(4):  # BA-5
        target = empty | enemy
        out[DISPLACE + d] = movable & (
            toward(target, SHIFT[d], NEAR[d]) | toward(target, 2 * SHIFT[d], FAR[d])
        )
        some |= out[DISPLACE + d]
    return 0 if some else won(1 - side, BLOCKED)  # BA-12


@kernel
def target_of(group: int, cell: int) -> int:
    """BA-2: return the neighbour of a cell in the direction of a displacement."""
    d = group - DISPLACE
    return cell + SHIFT[d] if NEAR[d] >> cell & 1 else cell + 2 * SHIFT[d]


@kernel
def play(w: int, b: int, r: int, step: int) -> tuple[int, int, int]:
    """Return the position after a legal step."""
    group, cell = group_and_cell(step)
    side = r & 1
    own, enemy = (w, b) if side == WHITE else (b, w)
    if group == PLACE:  # BA-4
        own |= 1 << cell
        r ^= 1
    elif group == PUT:
        if r & DROP:  # BA-9: the owner's ordinary move follows
            own |= 1 << cell
            if r & DROP == MARKED << AIR_BIT:
                r = with_mark(r, side, cell + 1)
        else:
            enemy |= 1 << cell
            if (r & PUTTING) >> (AIR_BIT + 2) == MARKED:
                r = with_mark(r, 1 - side, cell + 1)
            r ^= 1
        r &= ~(DROP | PUTTING)
    else:
        target = target_of(group, cell)
        own ^= (1 << cell) | (1 << target)
        r = with_mark(r, side, target + 1)  # BA-6
        if not enemy >> target & 1:  # BA-7
            r ^= 1
        else:
            air = MARKED if mark(r, 1 - side) == target + 1 else PLAIN
            goes_to = -1
            if NORMAL >> target & 1:  # BA-7
                goes_to = cell
            elif target != C3 and not (own | enemy) >> C3 & 1:  # BA-9
                goes_to = C3
            enemy ^= 1 << target
            if goes_to >= 0:
                enemy |= 1 << goes_to
                if air == MARKED:
                    r = with_mark(r, 1 - side, goes_to + 1)
                r ^= 1
            else:
                if air == MARKED:
                    r = with_mark(r, 1 - side, 0)
                if target == C3 or ARROWS & ~(own | enemy):  # BA-8, BA-9
                    r |= air << (AIR_BIT + 2)
                else:
                    r = (r ^ 1) | air << AIR_BIT
    if side == WHITE:
        return own, enemy, r
    return enemy, own, r


def describe(w: int, b: int, r: int, step: int) -> Action:
    """Return the action that a step performs."""
    group, cell = group_and_cell(step)
    if group == PLACE:
        return Action("place", target=cell)
    if group == PUT:
        if r & DROP:
            return Action("drop", target=cell)
        return Action("put", mark(r, r & 1) - 1, cell)
    target = target_of(group, cell)
    if not (b if r & 1 == WHITE else w) >> target & 1:
        return Action("move", cell, target)
    if NORMAL >> target & 1:
        return Action("swap", cell, target)
    air = play(w, b, r, step)[2]
    if air & PUTTING:  # a separate step puts the lifted pawn
        return Action("move", cell, target)
    return Action("move", cell, target, puts=((target, NOWHERE if air & DROP else C3),))


def hands(w: int, b: int, r: int) -> tuple[int, int]:
    """BA-4: return how many pawns each side has still to place, not counting a lifted pawn."""
    white, black = PAWNS - popcount(w), PAWNS - popcount(b)
    lifted = -1
    if r & DROP:
        lifted = r & 1
    elif r & PUTTING:
        lifted = 1 - (r & 1)
    return white - (lifted == 0), black - (lifted == 1)


def read_fields(w: int, b: int, r: int, fields: list[str]) -> int:
    """Return the third word with the values of the fields of a position's text."""
    for side, own in enumerate((w, b)):
        if fields[side] != "-":
            cell = BOARD.indices.get(fields[side], -1)
            if cell < 0 or not own >> cell & 1:
                raise DamierError("mark", field=FIELDS[side], text=fields[side])
            r = with_mark(r, side, cell + 1)
    if fields[2] not in ("-", "d", "D"):
        raise DamierError("drop", text=fields[2])
    if fields[2] != "-":
        if popcount(b if r & 1 else w) == PAWNS:
            raise DamierError("drop-pawns", text=fields[2], most=PAWNS)
        if fields[2] == "D" and mark(r, r & 1):
            raise DamierError("drop-mark", field=FIELDS[r & 1])
    return r | ("-", "d", "D").index(fields[2]) << AIR_BIT


def write_fields(w: int, b: int, r: int) -> list[str]:
    """Return the fields of a position's text."""
    marks = [BOARD.names[mark(r, side) - 1] if mark(r, side) else "-" for side in (0, 1)]
    return [*marks, "-dD"[(r & DROP) >> AIR_BIT]]


def transformed(r: int, to: tuple[int, ...], swap: bool) -> int:
    """Return the third word under a symmetry of the board: marks follow their pawns."""
    marks = [to[mark(r, side) - 1] + 1 if mark(r, side) else 0 for side in (0, 1)]
    if swap:
        marks.reverse()
    return with_mark(with_mark(r, 0, marks[0]), 1, marks[1])


def resting(w: int, b: int, r: int) -> int:
    """BA-6: return the marked pawns, as bits."""
    return sum(1 << (mark(r, side) - 1) for side in (0, 1) if mark(r, side))


def why(w: int, b: int, r: int, tried: Action) -> Note | None:
    """BA-5, BA-6: explain that a pawn is marked.

    For a target with an enemy pawn the note is general, because pawns may enter such cells.
    """
    own, enemy = (w, b) if r & 1 == WHITE else (b, w)
    if tried.kind not in ("move", "swap") or not own >> tried.origin & 1:
        return None
    if tried.target >= 0 and own >> tried.target & 1 and tried.target != tried.origin:
        return None
    if mark(r, r & 1) == tried.origin + 1:
        return Note("marked", {"cell": tried.origin})
    if tried.target >= 0 and enemy >> tried.target & 1:
        return Note("illegal", {"cell": tried.origin})
    return None


def notes(w: int, b: int, r: int) -> list[Note]:
    """BA-9: return a note if the mover has to drop a lifted pawn."""
    return [Note("drop" if r & DROP == PLAIN << AIR_BIT else "drop-marked")] if r & DROP else []


def reminder(w: int, b: int, r: int) -> Note | None:
    """BA-6: return a reminder of the mover's marked pawn, if any."""
    if mark(r, r & 1) and not r & (DROP | PUTTING) and popcount(w | b) == 2 * PAWNS:
        return Note("marked", {"cell": mark(r, r & 1) - 1})
    return None
