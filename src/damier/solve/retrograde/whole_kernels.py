"""Kernels of retrograde analysis for games all of whose positions are numbered.

A template: `rules` is a game's rules module, `space` the module that numbers its positions and
`move_kernels` iterates over a position's moves. A position is three parameters, so one function has
eight; a tuple of arrays and tables, created for each call, would cost 10 %.

Nearly all positions of these games are draws, so the analysis does not scan all positions again and
again: positions decided in n moves decide positions in n + 1, and only the positions one move
before them are visited. The rules decide whether such a position is lost, by its moves.

Threads share the values. In round n every reader treats a value of more than n moves as unknown, so
the order of the threads does not matter, and the result is the same for any number of threads.
"""

from damier.games.contract import RulesKernels
from damier.jit import Buffer, buffer, enlarged, kernel, placeholder
from damier.solve import move_kernels
from damier.solve.numbering import Store, Tables, WholeNumbering
from damier.solve.value_codes import code_of, distance_of, terminal_code, win_of

rules: RulesKernels = placeholder()
space: WholeNumbering = placeholder()

Known = tuple[Buffer, Store, Tables]  # the values to find, all arrays, the lookup tables

FAR = 1000  # moves: a distance that no position has


@kernel
def value_of_moves(
    w: int, b: int, r: int, n: int, store: Store, t: Tables, iterator: Buffer, lost_only: bool
) -> int:
    """Return the code that follows from a position's moves, with values of at most n moves.

    The position must not be finished. With `lost_only` the result is 0 as soon as one move does
    not lose.
    """
    side = r & 1
    shortest, longest, open_ = n + 2, -1, False
    move_kernels.begin(w, b, r, iterator)
    found, w, b, r = move_kernels.next_end(iterator)
    while found:
        code = space.probe_code(w, b, r, store, t)
        distance = distance_of(code)
        losing = False
        if code == 0 or distance > n:
            open_ = True
        elif win_of(code) == (1 if r & 1 == side else 0):
            shortest = min(shortest, distance + 1)
        else:
            longest = max(longest, distance + 1)
            losing = True
        if lost_only and not losing:
            return 0
        found, w, b, r = move_kernels.next_end(iterator)
    if shortest < n + 2:
        return code_of(shortest, 1)
    if open_:
        return 0
    return code_of(longest, 0)


@kernel
def value_of(
    w: int, b: int, r: int, store: Store, t: Tables, legal: Buffer, iterator: Buffer
) -> int:
    """Return the code of a position: of its end, or from its moves when all values are known."""
    judgement = rules.legal(w, b, r, legal)
    if judgement:
        return terminal_code(judgement, r & 1)
    return value_of_moves(w, b, r, FAR, store, t, iterator, False)


@kernel
def judge(low: int, high: int, word: int, values: Buffer, t: Tables) -> None:
    """Set the values of the finished positions in a range of numbers."""
    legal = buffer(rules.GROUPS)
    for number in range(low, high):
        w, b, r = space.position_of(number, word, t)
        if w & b:
            continue
        judgement = rules.legal(w, b, r, legal)
        if judgement and space.canonical(number, t):
            values[number] = terminal_code(judgement, r & 1)


@kernel
def expand(
    frontier: Buffer, low: int, high: int, n: int, word: int, seen: Buffer, known: Known
) -> tuple[Buffer, int]:
    """Decide positions in n + 1 moves from positions of the frontier, decided in n.

    Return the numbers decided and how many; two threads may return the same number.
    """
    values, store, t = known
    iterator, before = move_kernels.new_iterator(), buffer(3 * 4096)
    found, total = buffer(1024), 0
    for at in range(low, high):
        number = frontier[at]
        w, b, r = space.position_of(number, word, t)
        win = win_of(int(values[number]))
        count = space.parents(w, b, r, before, t)
        for k in range(count):
            w1, b1, r1 = before[3 * k], before[3 * k + 1], before[3 * k + 2]
            parent = space.number_of(w1, b1, r1, t)
            if parent < 0 or values[parent]:
                continue
            if total == len(found):
                found = enlarged(found)
            if win == (1 if r1 & 1 == r & 1 else 0):
                values[parent] = code_of(n + 1, 1)
                found[total] = parent
                total += 1
            elif seen[parent] != n + 1:
                seen[parent] = n + 1
                code = value_of_moves(w1, b1, r1, n, store, t, iterator, True)
                if code:
                    values[parent] = code
                    found[total] = parent
                    total += 1
    return found, total


@kernel
def settle(low: int, high: int, word: int, store: Store, values: Buffer, t: Tables) -> None:
    """Set the values of positions when the values of all their moves are known."""
    legal, iterator = buffer(rules.GROUPS), move_kernels.new_iterator()
    for number in range(low, high):
        if not space.canonical(number, t):
            continue
        w, b, r = space.position_of(number, word, t)
        values[number] = value_of(w, b, r, store, t, legal, iterator)


@kernel
def check(low: int, high: int, word: int, store: Store, t: Tables) -> int:
    """Return the first number whose value does not follow from its moves, or -1.

    If there is none, all values are proved: along a win or a loss the distance decreases, so play
    ends; a draw has a move to a draw and none to a win, so play can continue forever.
    """
    legal, iterator = buffer(rules.GROUPS), move_kernels.new_iterator()
    for number in range(low, high):
        if not space.canonical(number, t):
            continue
        w, b, r = space.position_of(number, word, t)
        if value_of(w, b, r, store, t, legal, iterator) != space.probe_code(w, b, r, store, t):
            return number
    return -1


@kernel
def census(low: int, high: int, values: Buffer, t: Tables, tally: Buffer) -> None:
    """Count positions by their codes, each with all its images."""
    for number in range(low, high):
        if space.canonical(number, t):
            tally[int(values[number])] += space.orbit(number, t)
