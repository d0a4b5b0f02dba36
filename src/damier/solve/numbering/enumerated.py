"""Default numbering: a position's number is its index in the sorted list of all positions.

The list contains the positions between moves that are reachable from the start, up to the
symmetries that the rules preserve and, where the rules are the same for both colours, up to colour:
then White is always to move. It is part of the table, as an array of keys.

A key contains the pawns as a number in base 3 (a digit for each cell: empty, white, black) and the
index of the third word in the list `rests` of all third words. Where this exceeds 63 bits, a key is
three numbers instead: the index, White's pawns, Black's pawns.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from damier.games.board import map_cells
from damier.jit import Buffer, Runtime, kernel, lowest
from damier.kernels import hash_of
from damier.position import Rules
from damier.solve.numbering.restricted import RestrictedRules

VERSION = 2  # of the list format; `version_of` adds a digest of the rules
IGNORED: tuple[str, ...] = ()
ARRAYS = ("values", "keys")

MAX_RESTS = 100_000  # different third words
MAX_KEY = (1 << 63) - 1
CHUNK, CHUNK_SETS, CHUNK_CODES = 9, 1 << 9, 3**9  # cells looked up at once, their sets and codes
# Indices of `Tables[0]`: numbers in a key, symmetries, chunks of the board, chunks of its cells,
# whether colours are swapped, the range of the pawns' number, a mask for `slots`. Parameters of a
# restriction may follow (`damier.solve.restricted_moves`).
WIDTH, SYMMETRIES, CHUNKS, CODE_CHUNKS, SWAP, RADIX, LAST_SLOT = range(7)

# See the indices above; the image of each chunk under each symmetry; the number of each chunk; the
# digits of each code of 9 cells; the cells of each chunk of digits; the third words; a hash table
# of them; their images.
Tables = tuple[Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer]
Store = tuple[Buffer, Buffer]  # values and keys


class Rests:
    """List of the third words of positions, in the order in which they were found.

    It is closed under the symmetries. A word of a position with Black to move has images with
    White to move if the rules are the same for both colours.
    """

    def __init__(self, rules: Rules, words: Iterable[int] = ()) -> None:
        self._module, self._symmetries = rules.module, rules.board.symmetries
        self.words: list[int] = []
        self._images: dict[int, list[int]] = {}
        for word in words:
            self._append(word)

    def add(self, words: Iterable[int]) -> None:
        """Add words that are not listed, in increasing order, with their images."""
        for word in sorted(words):
            if word not in self._images:
                self._append(word)
                self.add(self._images[word])

    def _append(self, word: int) -> None:
        swap = bool(self._module.COLOUR_SWAP and word & 1)
        images = [self._module.transformed(word, to, swap) ^ swap for to in self._symmetries]
        self._images[word] = images
        self.words.append(word)

    def image_indices(self) -> list[int]:
        """Return for each word the indices of its images; raise KeyError if one is not listed."""
        index = {word: number for number, word in enumerate(self.words)}
        return [index[image] for word in self.words for image in self._images[word]]


class EnumeratedSpace:
    """Number space with one number for each position of the list."""

    def __init__(self, rules: Rules, rests: Rests, size: int) -> None:
        self.size = size
        self._rules, self._rests, self._image_indices = rules, rests, rests.image_indices()
        radix = 3 ** rules.board.cells.bit_count()
        self.packed = radix * max(1, len(rests.words)) <= MAX_KEY
        self.width = 1 if self.packed else 3
        self._radix = radix if self.packed else 1

    @property
    def lengths(self) -> dict[str, int]:
        """The numbers of items of the arrays whose length is not the number of positions."""
        return {"keys": self.width * self.size}

    def lookup(self, runtime: Runtime) -> Any:
        """Return the lookup tables for kernels of a runtime."""
        board, words = self._rules.board, self._rests.words
        chunks = -(-board.size // CHUNK)
        slots = [0] * (1 << (2 * len(words) + 1).bit_length())
        for number, word in enumerate(words):
            slot = hash_of(0, 0, word) & (len(slots) - 1)
            while slots[slot]:
                slot = (slot + 1) & (len(slots) - 1)
            slots[slot] = number + 1
        params = [0] * 7
        params[WIDTH], params[SYMMETRIES] = self.width, len(board.symmetries)
        params[CHUNKS], params[CODE_CHUNKS] = chunks, -(-board.cells.bit_count() // CHUNK)
        params[SWAP], params[RADIX] = int(self._rules.module.COLOUR_SWAP), self._radix
        params[LAST_SLOT] = len(slots) - 1
        if isinstance(self._rules, RestrictedRules):
            params += self._rules.parameters
        shape = _shape(board.symmetries, board.cells, board.size, self.packed)
        arrays = [params, *shape, words or [0], slots, self._image_indices or [0]]
        return tuple(runtime.array(values) for values in arrays)


@cache
def _shape(
    symmetries: tuple[tuple[int, ...], ...], cells: int, size: int, packed: bool
) -> tuple[list[int], list[int], list[int], list[int]]:
    """Return the lookup tables that depend on the board alone."""
    starts = range(0, size, CHUNK)
    maps = [
        map_cells(bits << start, to)
        for to in symmetries
        for start in starts
        for bits in range(CHUNK_SETS)
    ]
    if not packed:
        return maps, [0], [0], [0]
    existing = [cell for cell in range(size) if cells >> cell & 1]
    power = {cell: 3**rank for rank, cell in enumerate(existing)}
    powers = [
        sum(power.get(start + i, 0) for i in range(CHUNK) if bits >> i & 1)
        for start in starts
        for bits in range(CHUNK_SETS)
    ]
    digits = []
    for code in range(CHUNK_CODES):
        found = 0
        for i in range(CHUNK):
            code, digit = divmod(code, 3)
            found |= (digit & 1) << i | (digit >> 1) << (CHUNK + i)
        digits.append(found)
    spread = [
        sum(1 << cell for i, cell in enumerate(existing[start : start + CHUNK]) if bits >> i & 1)
        for start in range(0, len(existing), CHUNK)
        for bits in range(CHUNK_SETS)
    ]
    return maps, powers, digits, spread


def space_for(rules: Rules, header: Mapping[str, Any]) -> EnumeratedSpace:
    """Return the number space of a table; raise KeyError if its third words are impossible."""
    try:
        rests = Rests(rules, header["rests"])
    except Exception as error:  # the rules of a game may raise anything for such a word
        raise KeyError("rests") from error
    return EnumeratedSpace(rules, rests, int(header["positions"]))


@kernel
def rest_of(r: int, t: Tables) -> int:
    """Return the index of a third word, or -1 if no listed position has it."""
    last, rests, slots = t[0][LAST_SLOT], t[5], t[6]
    slot = hash_of(0, 0, r) & last
    while slots[slot]:
        if rests[slots[slot] - 1] == r:
            return slots[slot] - 1
        slot = (slot + 1) & last
    return -1


@kernel
def image(cells: int, symmetry: int, t: Tables) -> int:
    """Return the image of a set of cells under a symmetry."""
    chunks, maps = t[0][CHUNKS], t[1]
    at, found = symmetry * chunks * CHUNK_SETS, 0
    for _ in range(chunks):
        found |= maps[at + (cells & (CHUNK_SETS - 1))]
        cells >>= CHUNK
        at += CHUNK_SETS
    return found


@kernel
def least_image(cells: int, t: Tables) -> tuple[int, int]:
    """Return the least image of a set of cells, and the symmetries that give it, as bits."""
    best, symmetries = image(cells, 0, t), 1
    for symmetry in range(1, t[0][SYMMETRIES]):
        found = image(cells, symmetry, t)
        if found < best:
            best, symmetries = found, 1 << symmetry
        elif found == best:
            symmetries |= 1 << symmetry
    return best, symmetries


@kernel
def least_rest(b: int, rest: int, symmetries: int, t: Tables) -> tuple[int, int]:
    """Return the least image of Black's pawns and a third word under some symmetries."""
    image_indices, first = t[7], rest * t[0][SYMMETRIES]
    symmetry = lowest(symmetries)
    best_b, best_rest = image(b, symmetry, t), image_indices[first + symmetry]
    symmetries &= symmetries - 1
    while symmetries:
        symmetry = lowest(symmetries)
        symmetries &= symmetries - 1
        b1, rest1 = image(b, symmetry, t), image_indices[first + symmetry]
        if b1 < best_b or (b1 == best_b and rest1 < best_rest):
            best_b, best_rest = b1, rest1
    return best_b, best_rest


@kernel
def canonical(w: int, b: int, r: int, rest: int, t: Tables) -> tuple[int, int, int]:
    """Return the least image of a position, its third word as an index, given that of its own."""
    if t[0][SWAP] and r & 1:
        w, b = b, w
    w, symmetries = least_image(w, t)
    b, rest = least_rest(b, rest, symmetries, t)
    return w, b, rest


@kernel
def canonical_child(
    w: int, b: int, r: int, rest: int, last: Buffer, t: Tables
) -> tuple[int, int, int]:
    """Return the same; `last` holds the first set of the last call, its image and symmetries.

    It is 0 before the first call. Most moves of a position leave the other side's pawns in place.
    """
    if t[0][SWAP] and r & 1:
        w, b = b, w
    if last[0] != w or last[2] == 0:
        last[0] = w
        last[1], last[2] = least_image(w, t)
    b, rest = least_rest(b, rest, last[2], t)
    return last[1], b, rest


@kernel
def packed_key(w: int, b: int, rest: int, t: Tables) -> int:
    """Return the key of a canonical position as one number."""
    params, powers = t[0], t[2]
    key, at = rest * params[RADIX], 0
    for _ in range(params[CHUNKS]):
        key += powers[at + (w & (CHUNK_SETS - 1))] + 2 * powers[at + (b & (CHUNK_SETS - 1))]
        w >>= CHUNK
        b >>= CHUNK
        at += CHUNK_SETS
    return key


@kernel
def put_key(w: int, b: int, rest: int, keys: Buffer, at: int, t: Tables) -> None:
    """Write the key of a canonical position."""
    if t[0][WIDTH] == 1:
        keys[at] = packed_key(w, b, rest, t)
    else:
        keys[at], keys[at + 1], keys[at + 2] = rest, w, b


@kernel
def position_at(number: int, keys: Buffer, t: Tables) -> tuple[int, int, int]:
    """Return the position with a number."""
    params, _, _, digits, spread, rests, _, _ = t
    if params[WIDTH] == 3:
        return int(keys[3 * number + 1]), int(keys[3 * number + 2]), rests[int(keys[3 * number])]
    rest = int(keys[number]) // params[RADIX]
    code = int(keys[number]) - rest * params[RADIX]
    w, b, at = 0, 0, 0
    for _ in range(params[CODE_CHUNKS]):
        pair = digits[code % CHUNK_CODES]
        code //= CHUNK_CODES
        w |= spread[at + (pair & (CHUNK_SETS - 1))]
        b |= spread[at + (pair >> CHUNK)]
        at += CHUNK_SETS
    return w, b, rests[rest]


@kernel
def find_packed(key: int, keys: Buffer) -> int:
    """Return the index of a key of one number in a sorted list, or -1."""
    low, high = 0, len(keys)
    while low < high:
        middle = (low + high) // 2
        if int(keys[middle]) < key:
            low = middle + 1
        else:
            high = middle
    return low if low < len(keys) and int(keys[low]) == key else -1


@kernel
def find_wide(w: int, b: int, rest: int, keys: Buffer) -> int:
    """Return the index of a key of three numbers in a sorted list, or -1."""
    low, high = 0, len(keys) // 3
    while low < high:
        at = 3 * ((low + high) // 2)
        rest1, w1, b1 = int(keys[at]), int(keys[at + 1]), int(keys[at + 2])
        if rest1 == rest and w1 == w and b1 == b:
            return at // 3
        if rest1 < rest or (rest1 == rest and (w1 < w or (w1 == w and b1 < b))):
            low = at // 3 + 1
        else:
            high = at // 3
    return -1


@kernel
def probe_code(w: int, b: int, r: int, store: Store, t: Tables) -> int:
    """Return the code of a position between moves, or -1 if it is not listed."""
    rest = rest_of(r, t)
    if rest < 0 or w & b:
        return -1
    w, b, rest = canonical(w, b, r, rest, t)
    if t[0][WIDTH] == 1:
        number = find_packed(packed_key(w, b, rest, t), store[1])
    else:
        number = find_wide(w, b, rest, store[1])
    return int(store[0][number]) if number >= 0 else -1
