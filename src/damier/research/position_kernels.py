"""Kernels that check positions given as arrays; a template, `rules` is a game's rules module."""

from damier.games.contract import RulesKernels
from damier.jit import Buffer, buffer, inlined, kernel, placeholder, popcount

rules: RulesKernels = placeholder()

# What positions of some rules have in common: the cells of the board, the maximum number of pawns
# of a side, the bits of the options, and their values.
CELLS, PAWNS, OPTIONS, WORD = range(4)
SHARED = 4


@kernel
def first_unknown(low: int, high: int, positions: Buffer, shared: Buffer, known: Buffer) -> int:
    """Return the first position of a range that is malformed or not known to be well-formed.

    `known` is a hash table of third words, plus 1; it has a free entry. Inside a move the third
    word is checked for the options alone.
    """
    for k in range(low, high):
        w, b, r = positions[3 * k], positions[3 * k + 1], positions[3 * k + 2]
        if not is_plausible(w, b, r, shared):
            return k
        if not r & rules.MIDTURN and known[place_of(r, known)] == 0:
            return k
    return high


@inlined
def is_plausible(w: int, b: int, r: int, shared: Buffer) -> bool:
    """Return whether the pawns are on the board, and the options are those of the rules."""
    if w < 0 or b < 0 or r < 0 or (w | b) & ~shared[CELLS]:
        return False
    if r & shared[OPTIONS] != shared[WORD]:
        return False
    both = w & b  # inside a move, these may mark cells
    if both and not r & rules.MIDTURN:
        return False
    return popcount(w ^ both) <= shared[PAWNS] and popcount(b ^ both) <= shared[PAWNS]


@kernel
def place_of(r: int, known: Buffer) -> int:
    """Return the index of a third word in a hash table, or of the entry where it belongs."""
    last = len(known) - 1
    at = (r ^ r >> 17 ^ r >> 31) & last
    while known[at] and known[at] != r + 1:
        at = (at + 1) & last
    return at


@kernel
def first_over(low: int, high: int, positions: Buffer) -> int:
    """Return the first position of a range in which the game is over, or `high`."""
    legal = buffer(rules.GROUPS)
    for k in range(low, high):
        if rules.legal(positions[3 * k], positions[3 * k + 1], positions[3 * k + 2], legal):
            return k
    return high
