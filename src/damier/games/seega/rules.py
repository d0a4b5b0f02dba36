"""Seega: fill the board two pawns at a time, then capture by sandwiching.

Functions cite the numbers of the rules they implement; see docs/rules/seega.en.md.
"""

from damier.errors import DamierError
from damier.games.board import ORTHOGONAL, Board
from damier.games.constants import (
    BLOCKED,
    CAPTURE,
    OWN_REASON,
    REPETITION,
    STALLED,
    WHITE,
    choice,
    group_and_cell,
    number,
    read_count,
    step_of,
    whole_number,
    won,
    won_by_majority,
)
from damier.games.steps import PASS as PASSING
from damier.games.steps import Action, Note
from damier.jit import Buffer, buffer, inlined, kernel, lowest, popcount

NAME = "seega"
FIELDS = ("white-hand", "black-hand", "state", "count")
REASONS, MATERIAL, BARRIER = ("material", "barrier"), OWN_REASON, OWN_REASON + 1
COLOUR_SWAP = True
CAPTURES = True

# SE-1, SE-13: constants that depend on the size have one value for each size, 5×5 first.
SIZES = (5, 7)
PAWNS = (12, 24)
BOARDS = tuple(Board(n, n, places={"refuge": 1 << n * n // 2}) for n in SIZES)
ALL = tuple(board.cells for board in BOARDS)
CENTRE = tuple(board.places["refuge"] for board in BOARDS)
# Two axes for each size, upward and to the right: the distance to the neighbour, and the cells that
# have a neighbour ahead or behind. Direction d + 2 is the opposite of direction d.
SHIFT = tuple(board.shift(d) for board in BOARDS for d in ORTHOGONAL[:2])
FORE = tuple(board.mask(d) for board in BOARDS for d in ORTHOGONAL[:2])
BACK = tuple(board.mask(d) for board in BOARDS for d in ORTHOGONAL[2:])
NOT_LAST_FILE, NOT_FIRST_FILE = FORE[1::2], BACK[1::2]
INNER_FILES = tuple(a & b for a, b in zip(NOT_LAST_FILE, NOT_FIRST_FILE, strict=True))

# Groups of steps. One group places a pawn on the cell. Four groups displace a pawn in a direction;
# the cell is where it starts. One group passes.
PLACE, DISPLACE, PASS = 0, 1, 5
GROUPS = 6
# False because a chain of captures may reach the same position as a single step.
ONE_STEP_UNIQUE = False
FINAL = 1 << PASS  # a capture may continue; a placement is followed by a second one

# Fields of the third word: the side to move (bit 0); the pawns in hand; the state; the count of
# moves without capture; inside a move, the cell plus 1 of the pawn that must continue capturing or
# of the first of two placed pawns; the options.
HAND_BIT, HAND_WIDTH = 1, 5
STATE_BIT, COUNT_BIT, MAX_COUNT, PAWN_BIT = 11, 13, (1 << 19) - 1, 32
HANDS, COUNT = 1023 << HAND_BIT, MAX_COUNT << COUNT_BIT
STATE, PLACING, PASSED = 3 << STATE_BIT, 1 << STATE_BIT, 2 << STATE_BIT
MIDTURN = 63 << PAWN_BIT
STALL_BIT, SIZE_BIT = 45, 57
OPTIONS = (
    choice("placement_captures", 38, "no", "yes"),
    choice("first_mover", 39, "last", "first"),
    choice("refuge", 40, "yes", "no"),
    choice("capture", 41, "forced", "free"),
    choice("chain", 42, "forced", "none"),
    choice("unblock", 43, "yes", "no"),
    choice("barrier", 44, "line", "off"),
    number("stall", STALL_BIT, 50, 4095),
    choice("size", SIZE_BIT, "5", "7"),
)
PLACEMENT_CAPTURES, FIRST_MOVES, NO_REFUGE = 1 << 38, 1 << 39, 1 << 40
CAPTURE_FREE, NO_CHAIN, NO_UNBLOCK, NO_BARRIER = 1 << 41, 1 << 42, 1 << 43, 1 << 44
PRESETS: dict[str, dict[str, str]] = {"leaflet": {}}

# SE-11: each row and column except those on the border, with the cells on either side of it.
_LINES = tuple(
    tuple(
        sum(
            1 << (across * n + along if row else along * n + across)
            for along in range(n)
            for across in ranges
        )
        for ranges in ((k,), range(k), range(k + 1, n))
    )
    for n in SIZES
    for row in (True, False)
    for k in range(1, n - 1)
)
LINES, ONE_SIDE, OTHER_SIDE = (tuple(line[k] for line in _LINES) for k in range(3))
FIRST_LINE = (0, 6, 16)  # index of the first line of each size, and the end


def board(r: int) -> Board:
    """SE-13: return the board."""
    return BOARDS[(r >> SIZE_BIT) & 1]


def pawns(r: int) -> int:
    """SE-1, SE-13: return how many pawns a side has at most."""
    return PAWNS[(r >> SIZE_BIT) & 1]


def start(r: int) -> tuple[int, int, int]:
    """SE-1: return the start: the board is empty and all pawns are in hand."""
    return 0, 0, r | PLACING | (33 * pawns(r)) << HAND_BIT


@kernel
def hand(r: int, side: int) -> int:
    """Return how many pawns a side has in hand."""
    return (r >> (HAND_BIT + HAND_WIDTH * side)) & 31


@kernel
def sandwiching(own: int, enemy: int, r: int) -> int:
    """SE-5: return the cells where a pawn captures when it arrives."""
    size = (r >> SIZE_BIT) & 1
    n = 5 + 2 * size
    if not r & NO_REFUGE:
        enemy &= ~CENTRE[size]
    inner = enemy & INNER_FILES[size]
    cells = (enemy & own >> n) >> n | (enemy & own << n) << n
    cells |= (inner & own >> 1) >> 1 | (inner & own << 1) << 1
    return cells & ALL[size]


@kernel
def captured(own: int, enemy: int, r: int, cell: int) -> int:
    """SE-5: return the enemy pawns captured by a pawn that has arrived on a cell."""
    size = (r >> SIZE_BIT) & 1
    n = 5 + 2 * size
    if not r & NO_REFUGE:
        enemy &= ~CENTRE[size]
    # The enemy pawn next to the cell, if an own pawn is on its far side.
    pawn = 1 << cell
    pawns = enemy & (pawn << n & own >> n | pawn >> n & own << n)
    return pawns | enemy & INNER_FILES[size] & (pawn << 1 & own >> 1 | pawn >> 1 & own << 1)


@kernel
def neighbours(cells: int, size: int) -> int:
    """Return the cells next to some cells."""
    n = 5 + 2 * size
    beside = (cells & NOT_FIRST_FILE[size]) >> 1 | (cells & NOT_LAST_FILE[size]) << 1
    return (cells >> n | cells << n | beside) & ALL[size]


@kernel
def can_step(own: int, w: int, b: int, r: int) -> bool:
    """SE-4: return whether one of a side's pawns has an empty neighbour."""
    size = (r >> SIZE_BIT) & 1
    return own & neighbours(ALL[size] & ~(w | b), size) != 0


@inlined
def fills_line(own: int, size: int) -> bool:
    """SE-11: return whether a side fills any row or column, those on the border included.

    Runs of 2, 4 and then all n cells are found for all cells at once.
    """
    n = 5 + 2 * size
    row, column = own & own >> 1, own & own >> n
    row, column = row & row >> 2, column & column >> 2 * n
    first_file = ALL[size] & ~NOT_FIRST_FILE[size]
    return (row & row >> (n - 4) & first_file | column & column >> n * (n - 4)) != 0


@kernel
def barrier(own: int, enemy: int, r: int) -> bool:
    """SE-11: return whether a side fills any line that has no enemy on one of its sides."""
    size = (r >> SIZE_BIT) & 1
    if not fills_line(own, size):  # nearly always
        return False
    for k in range(FIRST_LINE[size], FIRST_LINE[size + 1]):
        if divides(own, enemy, k):
            return True
    return False


@kernel
def divides(own: int, enemy: int, k: int) -> bool:
    """SE-11: return whether a side fills line `k`, with no enemy on one side of the line."""
    return not LINES[k] & ~own and not (enemy & ONE_SIDE[k] and enemy & OTHER_SIDE[k])


@kernel
def repeatable(w: int, b: int, r: int) -> bool:
    """Return whether a position counts for repetition: only when all pawns are placed."""
    return r & HANDS == 0


@kernel
def repeated(w: int, b: int, r: int) -> int:
    """SE-10: return the judgement on a position that occurs for the third time."""
    return won_by_majority(w, b, REPETITION)


@inlined
def ended(w: int, b: int, r: int) -> int:
    """SE-9, SE-10, SE-11: return the judgement that follows from the pawns on the board, or 0."""
    side = r & 1
    own, enemy = (w, b) if side == WHITE else (b, w)
    if own == 0:
        return won(1 - side, CAPTURE)
    if enemy == 0:
        return won(side, CAPTURE)
    if popcount(w) == 1 and popcount(b) == 1:
        return won_by_majority(w, b, MATERIAL)
    if not r & NO_BARRIER and (barrier(w, b, r) or barrier(b, w, r)):
        return won_by_majority(w, b, BARRIER)
    return 0


@inlined
def displacements(w: int, b: int, r: int, out: Buffer) -> int:
    """SE-4, SE-6, SE-7: write the legal displacements to `out`; return their union."""
    own, enemy = (w, b) if r & 1 == WHITE else (b, w)
    size = (r >> SIZE_BIT) & 1
    empty = ALL[size] & ~(w | b)
    catching = empty & sandwiching(own, enemy, r)
    movable, targets = own, empty
    if r & MIDTURN:
        movable, targets = 1 << (((r & MIDTURN) >> PAWN_BIT) - 1), catching
    elif not r & CAPTURE_FREE and own & neighbours(catching, size):
        targets = catching
    n = 5 + 2 * size
    up, down = movable & targets >> n, movable & targets << n
    right = movable & NOT_LAST_FILE[size] & targets >> 1
    left = movable & NOT_FIRST_FILE[size] & targets << 1
    out[DISPLACE], out[DISPLACE + 1], out[DISPLACE + 2], out[DISPLACE + 3] = up, right, down, left
    return up | right | down | left


@kernel
def frees(w: int, b: int, r: int, passer: int) -> bool:
    """SE-8: return whether the current move can end so that the player who passed can step.

    In a game, a blocked player's pawns cannot be captured, so one step is enough. Positions read
    from text may need more.
    """
    out = buffer(GROUPS)
    unfinished = [(w, b, r)]
    while len(unfinished) > 0:
        w, b, r = unfinished.pop()
        if not r & MIDTURN:
            if can_step(w if passer == WHITE else b, w, b, r):
                return True
            continue
        displacements(w, b, r, out)
        for d in range(4):
            if out[DISPLACE + d]:
                step = step_of(DISPLACE + d, lowest(out[DISPLACE + d]))
                unfinished.append(play(w, b, r, step))
    return False


@kernel
def keep_freeing(w: int, b: int, r: int, out: Buffer) -> int:
    """SE-8: remove the displacements that cannot free the player who passed from `out`.

    Return the union of the remaining displacements.
    """
    some = 0
    for group in range(DISPLACE, DISPLACE + 4):
        cells = out[group]
        while cells:
            cell = lowest(cells)
            cells &= cells - 1
            w2, b2, r2 = play(w, b, r, step_of(group, cell))
            if not frees(w2, b2, r2, 1 - (r & 1)):
                out[group] &= ~(1 << cell)
        some |= out[group]
    return some


@kernel
def legal(w: int, b: int, r: int, out: Buffer) -> int:
    """Return the judgement on a position, or 0; then `out` has the legal steps of each group."""
    for group in range(GROUPS):
        out[group] = 0
    size = (r >> SIZE_BIT) & 1
    if r & HANDS:  # SE-2
        out[PLACE] = ALL[size] & ~(w | b | CENTRE[size])
        return 0
    between = not r & MIDTURN
    state = r & STATE
    if between and state != PLACING:  # SE-12
        judgement = ended(w, b, r)
        if judgement:
            return judgement
    some = displacements(w, b, r, out)
    if state == PASSED:  # SE-8
        if some and not r & NO_UNBLOCK:
            some = keep_freeing(w, b, r, out)
        if not some:
            return won_by_majority(w, b, BLOCKED)
    if between and state != PLACING:
        stall = (r >> STALL_BIT) & 4095
        if stall and (r & COUNT) >> COUNT_BIT >= stall:  # SE-10
            return won_by_majority(w, b, STALLED)
    if not some:
        out[PASS] = 1
    return 0


@inlined
def placed(w: int, b: int, r: int, cell: int) -> tuple[int, int, int]:
    """SE-2: return the position after a placement."""
    side = r & 1
    own, enemy = (w, b) if side == WHITE else (b, w)
    own |= 1 << cell
    if r & PLACEMENT_CAPTURES:
        enemy &= ~captured(own, enemy, r, cell)
    w, b = (own, enemy) if side == WHITE else (enemy, own)
    r -= 1 << (HAND_BIT + HAND_WIDTH * side)
    if not r & MIDTURN:
        return w, b, r | (cell + 1) << PAWN_BIT
    r &= ~MIDTURN
    # SE-3: unless the option `first_mover` is `first`, the player who placed last moves next.
    if r & HANDS or r & FIRST_MOVES:
        r ^= 1
    return w, b, r


@kernel
def target_of(r: int, group: int, cell: int) -> int:
    """SE-4: return the cell that a displacement leads to."""
    d = group - DISPLACE
    shift = 1 if d & 1 else 5 + 2 * ((r >> SIZE_BIT) & 1)
    return cell + shift if d < 2 else cell - shift


@kernel
def play(w: int, b: int, r: int, step: int) -> tuple[int, int, int]:
    """Return the position after a legal step."""
    group, cell = group_and_cell(step)
    if group == PLACE:
        return placed(w, b, r, cell)
    count = min(((r & COUNT) >> COUNT_BIT) + 1, MAX_COUNT)
    if group == PASS:  # SE-8
        return w, b, ((r & ~(STATE | COUNT)) | PASSED | count << COUNT_BIT) ^ 1
    own, enemy = (w, b) if r & 1 == WHITE else (b, w)
    target = target_of(r, group, cell)
    own ^= (1 << cell) | (1 << target)
    caught = captured(own, enemy, r, target)
    enemy &= ~caught
    w, b = (own, enemy) if r & 1 == WHITE else (enemy, own)
    r &= ~(MIDTURN | COUNT)
    if not caught:
        r |= count << COUNT_BIT
    elif not r & NO_CHAIN:  # SE-7
        size = (r >> SIZE_BIT) & 1
        catching = ALL[size] & ~(w | b) & sandwiching(own, enemy, r)
        if neighbours(catching, size) >> target & 1:
            return w, b, r | (target + 1) << PAWN_BIT
    return w, b, (r & ~STATE) ^ 1


@kernel
def superfluous(r: int, step: int) -> bool:
    """SE-2: return whether a second placement repeats a pair that the other order already gives."""
    if step >= step_of(DISPLACE, 0) or not r & MIDTURN or r & PLACEMENT_CAPTURES:
        return False
    n = 7 if (r >> SIZE_BIT) & 1 else 5
    first, second = ((r & MIDTURN) >> PAWN_BIT) - 1, step
    return second % n * n + second // n < first % n * n + first // n


def describe(w: int, b: int, r: int, step: int) -> Action:
    """Return the action that a step performs."""
    group, cell = group_and_cell(step)
    if group == PASS:
        return PASSING
    takes = 0
    if group != PLACE or r & PLACEMENT_CAPTURES:
        after = play(w, b, r, step)
        takes = (b & ~after[1]) if r & 1 == WHITE else (w & ~after[0])
    if group == PLACE:
        return Action("place", target=cell, takes=takes)
    return Action("move", cell, target_of(r, group, cell), takes)


def hands(w: int, b: int, r: int) -> tuple[int, int]:
    """SE-2: return how many pawns each side has still to place."""
    return hand(r, 0), hand(r, 1)


def read_fields(w: int, b: int, r: int, fields: list[str]) -> int:
    """Return the third word with the values of the fields of a position's text."""
    hands = []
    for side, own in enumerate((w, b)):
        in_hand = whole_number(fields[side])
        if in_hand is None or in_hand % 2 or in_hand > pawns(r):
            raise DamierError("hand", field=FIELDS[side], text=fields[side], most=pawns(r))
        if popcount(own) + in_hand > pawns(r):
            raise DamierError("hand-pawns", field=FIELDS[side], most=pawns(r))
        hands.append(in_hand)
    state, count = fields[2], read_count(fields[3], MAX_COUNT)
    if state not in ("s", "p", "-"):
        raise DamierError("state", text=state)
    if any(hands) and state != "s":
        raise DamierError("state-hands", text=state)
    if state == "s" and count:
        raise DamierError("state-count", text=fields[3])
    if any(hands) and not hands[r & 1]:
        raise DamierError("hand-empty", field=FIELDS[r & 1])
    r |= (hands[0] | hands[1] << HAND_WIDTH) << HAND_BIT
    return r | "-sp".index(state) << STATE_BIT | count << COUNT_BIT


def write_fields(w: int, b: int, r: int) -> list[str]:
    """Return the fields of a position's text."""
    state = "-sp"[(r & STATE) >> STATE_BIT]
    return [str(hand(r, 0)), str(hand(r, 1)), state, str((r & COUNT) >> COUNT_BIT)]


def transformed(r: int, to: tuple[int, ...], swap: bool) -> int:
    """Return the third word under a symmetry of the board: hands follow their colours."""
    if swap:
        r = (r & ~HANDS) | (hand(r, 1) | hand(r, 0) << HAND_WIDTH) << HAND_BIT
    return r


def must(w: int, b: int, r: int) -> str:
    """SE-6, SE-8: return the obligation to capture or to free the opponent, or ""."""
    own, enemy = (w, b) if r & 1 == WHITE else (b, w)
    if r & HANDS or r & MIDTURN:
        return ""
    if r & STATE == PASSED and not r & NO_UNBLOCK:
        return "free"
    size = (r >> SIZE_BIT) & 1
    catching = ALL[size] & ~(w | b) & sandwiching(own, enemy, r)
    return "capture" if not r & CAPTURE_FREE and own & neighbours(catching, size) else ""


def shown(w: int, b: int, r: int, judgement: int) -> int:
    """SE-8, SE-11: return the lines that divide the board, or the blocked pawns."""
    reason = judgement >> 2
    if reason == BLOCKED:
        return b if r & 1 else w
    if reason != BARRIER:
        return 0
    size = (r >> SIZE_BIT) & 1
    cells = 0
    for k in range(FIRST_LINE[size], FIRST_LINE[size + 1]):
        if divides(w, b, k) or divides(b, w, k):
            cells |= LINES[k]
    return cells


def notes(w: int, b: int, r: int) -> list[Note]:
    """Return notes on the opponent's pass and on the number of moves without capture."""
    passed = [Note("passed")] if r & STATE == PASSED else []
    count = (r & COUNT) >> COUNT_BIT
    return [*passed, Note("count", {"count": count})] if count else passed


def reminder(w: int, b: int, r: int) -> Note | None:
    """SE-10: return a warning if the moves without capture will soon end the game."""
    count, most = (r & COUNT) >> COUNT_BIT, (r >> STALL_BIT) & 4095
    if most and 10 * count >= 7 * most:
        return Note("count-near", {"count": count, "most": most})
    return None
