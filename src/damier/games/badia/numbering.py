"""Badia's positions between moves as dense numbers, and the predecessors of a position.

A kernel template, like `damier.kernels`. The rules are the same for both colours, so positions are
numbered from the mover's side. Numbers have three parts: play (arrangement and two marks), pending
drops, and placing. A drop is pending only if the centre and all arrows are occupied (BA-9).
"""

from functools import cache
from typing import Any

from damier.games.constants import WHITE, step_of
from damier.jit import Buffer, Runtime, buffer, kernel, lowest, popcount
from damier.solve.numbering.pairs import (
    WIDTH,
    Lookup,
    Pairs,
    cells_image,
    keepers_at,
    pair_of,
    pair_rank,
    rank_among,
    set_among,
)
from damier.solve.value_codes import terminal_code

from . import rules

VERSION = 1  # increased when rules or numbering change, so that old tables are rejected
IGNORED = ("repetition",)  # options that do not change the value of any position
ARRAYS = ("values",)
OUTSIDE = (1 << 25) - 1 & ~rules.CELLS
NOT_NORMAL = (1 << 25) - 1 & ~rules.NORMAL
INNER_FIVE = rules.ARROWS | rules.CENTRE  # occupied while a drop is pending
FIVE = rules.PAWNS
MARKS = 36  # pairs of marks: for each side one of five pawns or none
FILLS = 126  # ways to colour nine pawns, four of them the mover's
DROPS = 495 * FILLS * MARKS
HIGHER, LOWEST, TIED = 0, 1, 2  # pawns, compared with their images

# Lookup tables of play and of placing, and the first numbers of pending drops and of placing.
Tables = tuple[Lookup, Lookup, Buffer]
Store = Buffer  # the values


class BadiaSpace:
    """Number space of Badia's positions."""

    def __init__(self) -> None:
        self.play = Pairs(rules.BOARD, 0, [(FIVE, FIVE)])
        # In the order of the analysis: from the last placement to the first.
        tiers = [(a, b) for a in range(FIVE - 1, -1, -1) for b in (a + 1, a)]
        self.placing = Pairs(rules.BOARD, NOT_NORMAL, tiers)
        drops = MARKS * self.play.size
        placing = drops + DROPS
        self.size = placing + self.placing.size
        self.starts = [drops, placing]
        self.ranges = [("play", 0, drops), ("drops", drops, placing)] + [
            (
                "placing",
                placing + self.placing.starts[tier],
                placing + self.placing.starts[tier] + self.placing.sizes[tier],
            )
            for tier in tiers
        ]
        self.tiers = tiers

    def lookup(self, runtime: Runtime) -> Any:
        """Return the lookup tables for kernels of a runtime."""
        return self.play.lookup(runtime), self.placing.lookup(runtime), runtime.array(self.starts)


@cache
def space() -> BadiaSpace:
    """Return the number space, created once."""
    return BadiaSpace()


def space_for(rules: Any, header: Any) -> BadiaSpace:
    """Return the number space of a table, which is always the same."""
    return space()


@kernel
def mark_number(cells: int, mark: int) -> int:
    """Return which of a side's pawns is marked, from 1 in the order of the cells, or 0."""
    if mark == 0:
        return 0
    return popcount(cells & ((1 << mark) - 1))


@kernel
def mark_of(cells: int, number: int) -> int:
    """Return 1 more than the cell of a side's marked pawn, or 0."""
    if number == 0:
        return 0
    for _ in range(number - 1):
        cells &= cells - 1
    return lowest(cells) + 1


@kernel
def mark_image(mark: int, symmetry: int, permutations: Buffer) -> int:
    """Return the image of a mark under a symmetry."""
    return permutations[WIDTH * symmetry + mark - 1] + 1 if mark else 0


@kernel
def play_number(own: int, enemy: int, mine: int, other: int, t: Lookup) -> int:
    """Return the number of a position in play: two arrangements of five, two marks."""
    _, binomial, sets, classes, symmetries, firsts, keepers, permutations, tiers = t
    at = sets[FIVE] + rank_among(own, OUTSIDE, binomial)
    class_, symmetry = classes[at], symmetries[at]
    first = firsts[class_]
    enemy = cells_image(enemy, symmetry, permutations)
    mine = mark_image(mine, symmetry, permutations)
    other = mark_image(other, symmetry, permutations)
    best = MARKS * rank_among(enemy, first | OUTSIDE, binomial)
    best += 6 * mark_number(first, mine) + mark_number(enemy, other)
    keeping = keepers[class_]
    while keeping:
        g = lowest(keeping)
        keeping &= keeping - 1
        image = cells_image(enemy, g, permutations)
        number = MARKS * rank_among(image, first | OUTSIDE, binomial)
        number += 6 * mark_number(first, mark_image(mine, g, permutations))
        number += mark_number(image, mark_image(other, g, permutations))
        best = min(best, number)
    return MARKS * (class_ * tiers[3 * (32 * FIVE + FIVE) + 2]) + best


@kernel
def drop_number(own: int, enemy: int, mine: int, marked: bool, other: int, t: Lookup) -> int:
    """Return the number of a pending drop among drops: the lowest of all its images."""
    binomial, permutations = t[1], t[7]
    best = DROPS
    for g in range(8):
        own1, enemy1 = cells_image(own, g, permutations), cells_image(enemy, g, permutations)
        both = own1 | enemy1
        number = rank_among(both & rules.NORMAL, NOT_NORMAL, binomial) * FILLS
        number = (number + rank_among(own1, ~both & ((1 << 25) - 1), binomial)) * MARKS
        if marked:
            number += 30
        else:
            number += 6 * mark_number(own1, mark_image(mine, g, permutations))
        number += mark_number(enemy1, mark_image(other, g, permutations))
        best = min(best, number)
    return best


@kernel
def number_of(w: int, b: int, r: int, t: Tables) -> int:
    """Return the number of a position, or -1 if it has none."""
    side = r & 1
    own, enemy = (w, b) if side == WHITE else (b, w)
    mine, other = rules.mark(r, side), rules.mark(r, 1 - side)
    if r & rules.DROP:
        if popcount(own) != FIVE - 1 or popcount(enemy) != FIVE or INNER_FIVE & ~(w | b):
            return -1
        marked = (r & rules.DROP) >> rules.AIR_BIT == rules.MARKED
        return t[2][0] + drop_number(own, enemy, mine, marked, other, t[0])
    if popcount(own) == FIVE and popcount(enemy) == FIVE:
        return play_number(own, enemy, mine, other, t[0])
    behind = popcount(enemy) - popcount(own)
    if mine or other or (w | b) & NOT_NORMAL or popcount(own) == FIVE:
        return -1
    if behind < 0 or behind > 1:
        return -1
    return t[2][1] + pair_rank(own, enemy, t[1])[0]


@kernel
def position_of(number: int, word: int, t: Tables) -> tuple[int, int, int]:
    """Return the position with a number, White to move."""
    if number >= t[2][1]:
        number -= t[2][1]
        own = FIVE - 1
        # Tiers stand in falling order: (4, 5), (4, 4), (3, 4) …
        while own > 0 and number >= t[1][8][3 * (32 * (own - 1) + own)]:
            own -= 1
        enemy = own if number >= t[1][8][3 * (32 * own + own)] else own + 1
        w, b = pair_of(number, own, enemy, t[1])
        return w, b, word
    if number >= t[2][0]:
        number -= t[2][0]
        other = number % 6
        mine = number // 6 % 6
        number //= MARKS
        both = set_among(number // FILLS, 4, NOT_NORMAL, 25, t[0][1]) | INNER_FIVE
        w = set_among(number % FILLS, 4, ~both & ((1 << 25) - 1), 25, t[0][1])
        b = both ^ w
        word = rules.with_mark(word, 1, mark_of(b, other))
        if mine == 5:
            return w, b, word | rules.MARKED << rules.AIR_BIT
        return w, b, rules.with_mark(word, 0, mark_of(w, mine)) | rules.PLAIN << rules.AIR_BIT
    w, b = pair_of(number // MARKS, FIVE, FIVE, t[0])
    mine, other = mark_of(w, number // 6 % 6), mark_of(b, number % 6)
    return w, b, rules.with_mark(rules.with_mark(word, 0, mine), 1, other)


@kernel
def asymmetric(number: int, t: Tables) -> bool:
    """Return whether a number is in play and only the identity keeps the mover's pawns."""
    return number < t[2][0] and keepers_at(number // MARKS, FIVE, FIVE, t[0]) == 0


@kernel
def canonical(number: int, t: Tables) -> bool:
    """Return whether the position with a number is the representative of its images."""
    if asymmetric(number, t):
        return True
    w, b, r = position_of(number, 0, t)
    order = pawns_order(number, w, b, t)
    return number_of(w, b, r, t) == number if order == TIED else order == LOWEST


@kernel
def pawns_order(number: int, own: int, enemy: int, t: Tables) -> int:
    """Compare the pawns of a position in play, or with a pending drop, with their images.

    Return HIGHER if an image has a lower number whatever the marks, LOWEST if all images have
    higher numbers, TIED if a symmetry keeps the pawns or if they are not all placed.
    """
    if number >= t[2][1]:
        return TIED
    if number >= t[2][0]:
        return drop_order(own, enemy, t[0][7])
    order = LOWEST
    keeping = keepers_at(number // MARKS, FIVE, FIVE, t[0])
    while keeping:
        image = cells_image(enemy, lowest(keeping), t[0][7])
        keeping &= keeping - 1
        if image < enemy:
            return HIGHER
        if image == enemy:
            order = TIED
    return order


@kernel
def drop_order(own: int, enemy: int, permutations: Buffer) -> int:
    """Return the same for the pawns of a pending drop."""
    outer, order = (own | enemy) & rules.NORMAL, LOWEST
    for g in range(1, 8):
        own1 = cells_image(own, g, permutations)
        outer1 = (own1 | cells_image(enemy, g, permutations)) & rules.NORMAL
        if outer1 < outer or (outer1 == outer and own1 < own):
            return HIGHER
        if outer1 == outer and own1 == own:
            order = TIED
    return order


@kernel
def orbit(number: int, t: Tables) -> int:
    """Return how many positions a number represents: images under symmetries, both colours."""
    if asymmetric(number, t):
        return 16
    w, b, r = position_of(number, 0, t)
    if pawns_order(number, w, b, t) == LOWEST:
        return 16
    permutations = t[0][7]
    mine, other = rules.mark(r, 0), rules.mark(r, 1)
    same = 0
    for g in range(8):
        if (
            cells_image(w, g, permutations) == w
            and cells_image(b, g, permutations) == b
            and mark_image(mine, g, permutations) == mine
            and mark_image(other, g, permutations) == other
        ):
            same += 1
    # In the placing phase the counts show who moves; in play either colour may be to move.
    return (8 if number >= t[2][1] else 16) // same


@kernel
def probe_code(w: int, b: int, r: int, store: Store, t: Tables) -> int:
    """Return the code of a position between moves, or -1 if it has no number."""
    number = number_of(w, b, r, t)
    return int(store[number]) if number >= 0 else -1


@kernel
def judge(low: int, high: int, word: int, values: Buffer, t: Tables) -> None:
    """Set the values of finished positions of play in a range of whole arrangements.

    A mark blocks one pawn: if two pawns can move without marks, no mark ends the game.
    """
    legal = buffer(rules.GROUPS)
    for arrangement in range(low // MARKS, high // MARKS):
        w, b, r = position_of(MARKS * arrangement, word, t)
        judgement = rules.legal(w, b, r, legal)
        movable = 0
        for group in range(rules.GROUPS):
            movable |= legal[group]
        if judgement == 0 and movable & (movable - 1):
            continue
        for number in range(MARKS * arrangement, MARKS * arrangement + MARKS):
            w, b, r = position_of(number, word, t)
            judgement = rules.legal(w, b, r, legal)
            if judgement and canonical(number, t):
                values[number] = terminal_code(judgement, WHITE)


@kernel
def put_parents(
    enemy: int, own1: int, enemy1: int, mine1: int, r: int, out: Buffer, count: int
) -> int:
    """Add predecessors: the mover's earlier mark was on any pawn that has not moved, or none."""
    side = 1 - (r & 1)  # the side that moved
    word = rules.with_mark(rules.with_mark(r & ~rules.DROP, 1 - side, mine1), side, 0) ^ 1
    could = enemy1 & enemy | 1 << 62  # a pawn that has not moved, or none
    while could:
        mark = lowest(could) + 1
        could &= could - 1
        word1 = rules.with_mark(word, side, mark if mark < 32 else 0)
        w, b = (enemy1, own1) if side == WHITE else (own1, enemy1)
        out[3 * count], out[3 * count + 1], out[3 * count + 2] = w, b, word1
        count += 1
    return count


@kernel
def leads(own1: int, enemy1: int, r: int, mine1: int, step: int, own: int, enemy: int) -> bool:
    """Return whether a move that begins with a displacement leads to an arrangement."""
    side = 1 - (r & 1)
    word = rules.with_mark(rules.with_mark(r & ~rules.DROP, 1 - side, mine1), side, 0) ^ 1
    w, b = (enemy1, own1) if side == WHITE else (own1, enemy1)
    w, b, r2 = rules.play(w, b, word, step)
    after, moved = (b, w) if side == WHITE else (w, b)
    if r2 & rules.PUTTING:
        rest = own & ~after
        if moved != enemy or after & ~own or popcount(rest) != 1 or r & rules.DROP:
            return False
        return (rules.ARROWS if rules.mark(r2, side) != rules.C3 + 1 else ~rules.CENTRE) & rest != 0
    return moved == enemy and after == own and (r2 ^ r) & rules.DROP == 0


@kernel
def parents(w: int, b: int, r: int, out: Buffer, t: Tables) -> int:
    """Write the positions from which one move leads to a position to `out`; return how many.

    The mark shows which pawn was displaced. It came from a neighbouring cell, and may have moved a
    pawn of the other side. All possibilities are tried, and the rules decide which are legal.
    """
    side = r & 1
    own, enemy = (w, b) if side == WHITE else (b, w)
    mine, other = rules.mark(r, side), rules.mark(r, 1 - side)
    count = 0
    if not r & rules.DROP and not INNER_FIVE & ~(w | b):
        count = put_drops(own, enemy, r, out, count)
    if other == 0:
        return count
    to = other - 1
    for d in range(4):
        if not (rules.NEAR[d] | rules.FAR[d]) >> to & 1:
            continue
        from_ = rules.target_of(rules.DISPLACE + d, to)
        if enemy >> from_ & 1:
            continue
        enemy1 = enemy ^ (1 << to) ^ (1 << from_)
        step = step_of(rules.DISPLACE + (d + 2) % 4, from_)
        if r & rules.DROP:
            if not own >> from_ & 1:
                own1 = own | 1 << to
                marked = (r & rules.DROP) >> rules.AIR_BIT == rules.MARKED
                mine1 = to + 1 if marked else mine
                if leads(own1, enemy1, r, mine1, step, own, enemy):
                    count = put_parents(enemy, own1, enemy1, mine1, r, out, count)
            continue
        if not own >> from_ & 1 and leads(own, enemy1, r, mine, step, own, enemy):
            count = put_parents(enemy, own, enemy1, mine, r, out, count)
        # A pawn of the side to move may have come from where the other's pawn is now.
        sent = own & 1 << from_ if own >> from_ & 1 else own
        while sent:
            cell = lowest(sent)
            sent &= sent - 1
            own1 = own ^ (1 << cell) ^ (1 << to)
            mine1 = to + 1 if mine == cell + 1 else mine
            if leads(own1, enemy1, r, mine1, step, own, enemy):
                count = put_parents(enemy, own1, enemy1, mine1, r, out, count)
    return count


@kernel
def put_drops(own: int, enemy: int, r: int, out: Buffer, count: int) -> int:
    """Add the pending drops that may have led to a position."""
    side = r & 1
    mine = rules.mark(r, side)
    dropped = own & rules.NORMAL
    while dropped:
        cell = lowest(dropped)
        dropped &= dropped - 1
        own1 = own ^ 1 << cell
        word = r | rules.PLAIN << rules.AIR_BIT
        if mine == cell + 1:
            word = rules.with_mark(r, side, 0) | rules.MARKED << rules.AIR_BIT
        w, b = (own1, enemy) if side == WHITE else (enemy, own1)
        out[3 * count], out[3 * count + 1], out[3 * count + 2] = w, b, word
        count += 1
    return count
