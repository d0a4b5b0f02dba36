"""Kernels for games without their own numbering: enumeration and analysis of all positions.

A template: `rules` is a game's rules module, `space` its numbering and `move_kernels` iterates over
a position's moves. Keys of positions are described in `damier.solve.numbering.enumerated`.

A move in the graph is one number: twice the number of a position, plus 1 if the same side moves
again. The graph is first a list of the moves of each position in order, then a list of the moves
that lead to each position.
"""

from typing import Any

from damier.games.constants import DRAW
from damier.games.contract import RulesKernels
from damier.jit import Buffer, buffer, enlarged, kernel, placeholder, times
from damier.kernels import hash_of
from damier.solve import move_kernels
from damier.solve.numbering.enumerated import SWAP, SYMMETRIES, WIDTH, Tables
from damier.solve.value_codes import code_of, distance_of, terminal_code, win_of

rules: RulesKernels = placeholder()
space: Any = placeholder()

FAR = 1 << 20  # moves: a distance that no position has
RECENT = 1 << 16  # positions in which duplicates are recognised at once
SLOT_MASK = (1 << 32) - 1  # of a slot in the hash table that finds positions
# Problems that stop an enumeration.
TOO_MANY_STEPS, REPETITION_WINS, OVERLAP = 1, 2, 3


@kernel
def hash_of_key(keys: Buffer, at: int, width: int) -> int:
    """Return a hash of a key, below 2**31."""
    if width == 1:
        return hash_of(int(keys[at]), 0, 0)
    return hash_of(int(keys[at]), int(keys[at + 1]), int(keys[at + 2]))


@kernel
def same_key(a: Buffer, i: int, b: Buffer, j: int, width: int) -> bool:
    """Return whether two keys are equal."""
    for k in range(width):
        if a[i + k] != b[j + k]:
            return False
    return True


@kernel
def seen_recently(keys: Buffer, number: int, width: int, recent: Buffer) -> bool:
    """Return whether a key was found not long ago; if not, remember it."""
    slot = hash_of_key(keys, width * number, width) & (RECENT - 1)
    other = recent[slot] - 1
    if other >= 0 and same_key(keys, width * other, keys, width * number, width):
        return True
    recent[slot] = number + 1
    return False


@kernel
def expand(low: int, high: int, keys: Buffer, t: Tables) -> tuple[Buffer, int, Buffer, int, int]:
    """Find the positions that moves reach from some positions of a run.

    Return their keys, with duplicates, and how many; positions whose third word is not listed yet,
    three words each, and how many; and a problem, or 0.
    """
    width, size = t[0][WIDTH], 0
    found, strays, stray_count = buffer(1 << 12), buffer(3 << 4), 0
    recent, last = buffer(RECENT), buffer(3)
    legal, iterator = buffer(rules.GROUPS), move_kernels.new_iterator()
    move_kernels.configure(iterator, t[0])
    for number in range(low, high):
        w, b, r = space.position_at(number, keys, t)
        if rules.repeatable(w, b, r) and not rules.superko(r):
            outcome = rules.repeated(w, b, r) & 3
            if outcome != 0 and outcome != DRAW:
                return found, size, strays, stray_count, REPETITION_WINS
        if rules.legal(w, b, r, legal):
            continue
        move_kernels.begin(w, b, r, iterator)
        more, w, b, r = move_kernels.next_end(iterator)
        while more:
            if w & b:
                return found, size, strays, stray_count, OVERLAP
            rest = space.rest_of(r, t)
            if rest < 0:
                if 3 * stray_count + 3 > len(strays):
                    strays = enlarged(strays)
                at = 3 * stray_count
                strays[at], strays[at + 1], strays[at + 2] = w, b, r
                stray_count += 1
            else:
                if width * (size + 1) > len(found):
                    found = enlarged(found)
                w, b, rest = space.canonical_child(w, b, r, rest, last, t)
                space.put_key(w, b, rest, found, width * size, t)
                # Keys of one number are sorted faster than duplicates are found here.
                if width == 1 or not seen_recently(found, size, width, recent):
                    size += 1
            more, w, b, r = move_kernels.next_end(iterator)
        if not move_kernels.complete(iterator):
            return found, size, strays, stray_count, TOO_MANY_STEPS
    return found, size, strays, stray_count, 0


@kernel
def encode(words: Buffer, out: Buffer, t: Tables) -> None:
    """Write the keys of positions given by their three words; the third ones must be listed."""
    for number in range(len(words) // 3):
        w, b, r = int(words[3 * number]), int(words[3 * number + 1]), int(words[3 * number + 2])
        w, b, rest = space.canonical(w, b, r, space.rest_of(r, t), t)
        space.put_key(w, b, rest, out, t[0][WIDTH] * number, t)


@kernel
def decode(keys: Buffer, words: Buffer, t: Tables) -> None:
    """Write the three words of each position of a run."""
    for number in range(len(keys) // t[0][WIDTH]):
        at = 3 * number
        words[at], words[at + 1], words[at + 2] = space.position_at(number, keys, t)


@kernel
def fill(keys: Buffer, width: int, slots: Buffer) -> None:
    """Insert all keys into an empty hash table.

    A slot holds a number plus 1, or 0; its upper bits, as far as there are more than a number
    needs, are the lowest bits of the hash, so that other keys are rarely read.
    """
    size = len(keys) // width
    bits = number_bits(size)
    for number in range(size):
        hashed = hash_of_key(keys, width * number, width)
        slot = times(hashed, len(slots)) >> 31
        while slots[slot]:
            slot += 1
            if slot == len(slots):
                slot = 0
        slots[slot] = (hashed << bits | (number + 1)) & SLOT_MASK


@kernel
def number_bits(size: int) -> int:
    """Return the number of bits of the numbers from 0 to `size`."""
    bits = 0
    while size >> bits:
        bits += 1
    return bits


@kernel
def put_numbers(
    pending: Buffer, count: int, numbers: Buffer, keys: Buffer, width: int, slots: Buffer
) -> None:
    """Write the numbers of some keys, which must be listed, to `numbers`.

    The slots are read in a loop of their own, so that the processor waits for many at once.
    """
    bits = number_bits(len(keys) // width)
    mask = (1 << bits) - 1
    for k in range(count):
        slot = times(hash_of_key(pending, width * k, width), len(slots)) >> 31
        numbers[k] = slots[slot]
    for k in range(count):
        hashed = hash_of_key(pending, width * k, width)
        mark, found = hashed << bits & SLOT_MASK & ~mask, int(numbers[k])
        slot = times(hashed, len(slots)) >> 31
        while found & ~mask != mark or not same_key(
            keys, width * ((found & mask) - 1), pending, width * k, width
        ):
            slot += 1
            if slot == len(slots):
                slot = 0
            found = int(slots[slot])
        numbers[k] = (found & mask) - 1


@kernel
def link_moves(
    low: int, high: int, keys: Buffer, slots: Buffer, values: Buffer, left: Buffer, t: Tables
) -> tuple[Buffer, int]:
    """Judge finished positions in a range; return the moves of the others, and how many.

    `left` counts the moves of each position. The second result is -1 if a count does not fit.
    """
    width = t[0][WIDTH]
    moves, size, last = buffer(1 << 12), 0, buffer(3)
    # The keys of a position's moves, their numbers, and whether the same side moves again.
    pending, numbers, again = buffer(3 << 10), buffer(1 << 10), buffer(1 << 10)
    legal, iterator = buffer(rules.GROUPS), move_kernels.new_iterator()
    move_kernels.configure(iterator, t[0])
    for number in range(low, high):
        w, b, r = space.position_at(number, keys, t)
        judgement, side = rules.legal(w, b, r, legal), r & 1
        if judgement:
            values[number] = terminal_code(judgement, side)
            continue
        count = 0
        move_kernels.begin(w, b, r, iterator)
        more, w, b, r = move_kernels.next_end(iterator)
        while more:
            if count == len(again):
                pending, numbers, again = enlarged(pending), enlarged(numbers), enlarged(again)
            w, b, rest = space.canonical_child(w, b, r, space.rest_of(r, t), last, t)
            space.put_key(w, b, rest, pending, width * count, t)
            again[count] = 1 if r & 1 == side else 0
            count += 1
            more, w, b, r = move_kernels.next_end(iterator)
        if count >= 1 << 16:
            return moves, -1
        put_numbers(pending, count, numbers, keys, width, slots)
        while size + count > len(moves):
            moves = enlarged(moves)
        for k in range(count):
            moves[size + k] = 2 * numbers[k] + again[k]
        size += count
        left[number] = count
    return moves, size


@kernel
def count_parents(low: int, high: int, moves: Buffer, counts: Buffer) -> None:
    """Count the moves that lead to each position in a range."""
    for at in range(len(moves)):
        child = int(moves[at]) >> 1
        if low <= child < high:
            counts[child] += 1


@kernel
def ends_of(low: int, high: int, counts: Buffer, most: int) -> int:
    """Replace counts by the ends of the parts of a list; return the end of the range that fits.

    The parts of the positions from `low` on are adjacent, and at most `most` items in all.
    """
    total = 0
    for child in range(low, high):
        if total + int(counts[child]) > most:
            return child
        total += int(counts[child])
        counts[child] = total
    return high


@kernel
def put_parents(
    low: int, high: int, first: int, moves: Buffer, left: Buffer, starts: Buffer, parents: Buffer
) -> None:
    """Write the moves that lead to the positions in a range.

    `moves` are those of the positions from `first` on. Each part is filled from its end, so that
    `starts` holds its beginning at last.
    """
    parent, more = first, int(left[first])
    for at in range(len(moves)):
        while more == 0:
            parent += 1
            more = int(left[parent])
        more -= 1
        child = int(moves[at]) >> 1
        if low <= child < high:
            start = int(starts[child]) - 1
            starts[child] = start
            parents[start] = 2 * parent + (int(moves[at]) & 1)


# Values, numbers of undecided moves, and the list of moves that lead to the positions of a range:
# where each part starts, and the moves.
GraphArrays = tuple[Buffer, Buffer, Buffer, Buffer]


@kernel
def spread(
    low: int, high: int, first: int, end: int, frontier: Buffer, n: int, graph: GraphArrays
) -> tuple[Buffer, int]:
    """Decide positions from `low` to `high` in n + 1 moves from positions decided in n.

    The frontier is in the range from `first` to `end`, whose moves are in the graph. Return the
    positions decided, and how many. A position is lost when its last undecided move is found to
    lose; that one loses latest.
    """
    values, left, starts, parents = graph
    found, count = buffer(1024), 0
    for k in range(len(frontier)):
        number = int(frontier[k])
        win = win_of(int(values[number]))
        stop = int(starts[number + 1]) if number + 1 < end else len(parents)
        for at in range(int(starts[number]), stop):
            parent, same = int(parents[at]) >> 1, int(parents[at]) & 1
            if parent < low or parent >= high or values[parent]:
                continue
            if win == same:
                values[parent] = code_of(n + 1, 1)
            else:
                left[parent] -= 1
                if left[parent]:
                    continue
                values[parent] = code_of(n + 1, 0)
            if count == len(found):
                found = enlarged(found)
            found[count] = parent
            count += 1
    return found, count


@kernel
def orbit(w: int, b: int, r: int, t: Tables) -> int:
    """Return how many images a canonical position has, counting both colours if they are equal."""
    params, turned, same = t[0], t[7], 0
    rest = space.rest_of(r, t)
    for symmetry in range(params[SYMMETRIES]):
        if (
            space.image(w, symmetry, t) == w
            and space.image(b, symmetry, t) == b
            and turned[rest * params[SYMMETRIES] + symmetry] == rest
        ):
            same += 1
    return params[SYMMETRIES] // same * (2 if params[SWAP] else 1)


@kernel
def census(low: int, high: int, store: Any, t: Tables, tally: Buffer) -> None:
    """Count positions by their codes, each with all its images."""
    for number in range(low, high):
        w, b, r = space.position_at(number, store[1], t)
        tally[int(store[0][number])] += orbit(w, b, r, t)


@kernel
def check(low: int, high: int, store: Any, t: Tables) -> int:
    """Return the first number whose value does not follow from its moves, or -1.

    All positions that moves reach must be in the table. See `whole_kernels.check`.
    """
    legal, iterator = buffer(rules.GROUPS), move_kernels.new_iterator()
    move_kernels.configure(iterator, t[0])
    for number in range(low, high):
        w, b, r = space.position_at(number, store[1], t)
        judgement, side = rules.legal(w, b, r, legal), r & 1
        if judgement:
            if terminal_code(judgement, side) != store[0][number]:
                return number
            continue
        shortest, longest, draw = FAR, -1, False
        move_kernels.begin(w, b, r, iterator)
        found, w, b, r = move_kernels.next_end(iterator)
        while found:
            code = space.probe_code(w, b, r, store, t)
            if code < 0:
                return number
            if code == 0:
                draw = True
            elif win_of(code) == (1 if r & 1 == side else 0):
                shortest = min(shortest, distance_of(code) + 1)
            else:
                longest = max(longest, distance_of(code) + 1)
            found, w, b, r = move_kernels.next_end(iterator)
        expected = 0
        if shortest < FAR:
            expected = code_of(shortest, 1)
        elif not draw:
            expected = code_of(longest, 0)
        if expected != store[0][number]:
            return number
    return -1
