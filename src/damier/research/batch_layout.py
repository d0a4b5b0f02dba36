"""Layout of the arrays that batches share with their kernels."""

# State of a game: the state of its random number generator; the moves played; how often the
# position occurred before; the block of the arena with its history, that with its filter (0: no
# block), the size class of the history and the number of positions in it; whether the game is over.
STATE = 8
RANDOM, MOVES, EARLIER, BLOCK, FILTER_BLOCK, SIZE, ENTRIES, OVER = range(STATE)

# What is known of a game during a call: the key of a position that is still to be recorded, or 0;
# the result of `history_kernels.seen_parts`; whether the last step ended the game (TERMINATED or
# TRUNCATED); and the judgement. Games that are played together share no place.
TOGETHER = 32  # games that are played together; a power of 2
SCRATCH = 4
PENDING, SEEN, ENDED, JUDGEMENT = range(SCRATCH)
TERMINATED, TRUNCATED = 1, 2
JUDGE_ONLY = -1  # instead of a key: a position inside a move, whose steps superko may remove

# Settings: whether finished games restart; the number of moves after which a game is truncated, or
# 0; the board's cells; the number of observation planes without the shared one; the logarithm of
# the items of an entry; the bits of the number of a set of pawns, or 0 if positions are not
# numbered; whether histories have a filter; the number of starting positions; then these positions.
AUTO_RESET, MAX_MOVES, CELLS, PLANES, WIDTH, NUMBER_BITS, FILTER, STARTS, FIRST_START = range(9)

# An arena starts with the first free item; the number of items in blocks in use; the item up to
# which blocks may be allocated before free ones are collected; the first item that was never used;
# and, from FREE_BLOCKS on, the first free block of each size class. A free block starts with the
# next one. Arenas are longer than what they use: the system provides memory when it is used.
FREE, LIVE, LIMIT, UNUSED, FREE_BLOCKS = range(5)
ARENA_HEADER = 64
SMALLEST = 6  # size class of the first block of a game

# Numbers of sets of pawns, by parts of 9 cells: the table at (count * PARTS + part) * 512 has what
# a part adds if there are `count` pawns before it. Then come the sets by their numbers, if there is
# a filter.
MAX_NUMBERED_CELLS = 27
PART_BITS = 9
PARTS = MAX_NUMBERED_CELLS // PART_BITS
SETS = (MAX_NUMBERED_CELLS + 1) * PARTS << PART_BITS

MAX_WORD_CELLS = 30  # of a board whose positions fit in one item of 64 bits
