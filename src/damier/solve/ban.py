"""Badia's ban on repetition (BA-11) and the table: do wins stay wins?

The ban compares pawns and side to move, not marks. A win's distance falls with every turn, so no
position comes back with its marks; but the same pawns with other marks could. This looks for such
returns: from every lost position, all that its owner may play and one best answer to each. Where
the winner never has to bring back pawns that stood there before, the ban takes nothing from him,
and what it takes from the loser cannot help the loser.

A template, as `damier.kernels`.
"""

from damier.games import badia as rules
from damier.jit import Buffer, buffer, enlarged, kernel
from damier.kernels import hash_of
from damier.solve import badia as space
from damier.solve import walk
from damier.solve.badia import Store, Tables
from damier.solve.codes import distance_of, win_of

ENDS = 3 * 4096  # of turns' ends


@kernel
def put_ends(w: int, b: int, r: int, out: Buffer, legal: Buffer, room: Buffer) -> int:
    """Put the positions that one turn reaches into `out`; return how many."""
    if rules.legal(w, b, r, legal):
        return 0
    count = 0
    walk.begin(w, b, r, room)
    found, w, b, r = walk.next_end(room)
    while found:
        out[3 * count], out[3 * count + 1], out[3 * count + 2] = w, b, r
        count += 1
        found, w, b, r = walk.next_end(room)
    return count


@kernel
def seen_before(w: int, b: int, r: int, visited: Buffer, stamps: Buffer, stamp: int) -> bool:
    """Tell whether a position was met from this root already, and note it."""
    mask = len(stamps) - 1
    slot = hash_of(w, b, r) & mask
    while stamps[slot] == stamp:
        at = 3 * slot
        if visited[at] == w and visited[at + 1] == b and visited[at + 2] == r:
            return True
        slot = (slot + 1) & mask
    stamps[slot] = stamp
    at = 3 * slot
    visited[at], visited[at + 1], visited[at + 2] = w, b, r
    return False


@kernel
def returns(
    low: int, high: int, roots: Buffer, word: int, store: Store, t: Tables
) -> tuple[int, int]:
    """Return how many lost positions force the winner back to their own pawns, and the last.

    The winner's turn is the first of the best ones that do not bring back the root's pawns; counted
    are lost positions from which he may come to have no such turn.
    """
    legal, ends, answers = buffer(rules.GROUPS), buffer(ENDS), buffer(ENDS)
    room, stack = walk.new_room(), buffer(3 * 4096)
    visited, stamps = buffer(3 << 20), buffer(1 << 20)
    found, example = 0, -1
    for k in range(low, high):
        w0, b0, r0 = space.position_of(roots[k], word, t)
        side = r0 & 1
        bad = False
        stack[0], stack[1], stack[2] = w0, b0, r0
        top = 1
        while top:
            top -= 1
            w, b, r = stack[3 * top], stack[3 * top + 1], stack[3 * top + 2]
            count = put_ends(w, b, r, ends, legal, room)
            for e in range(count):
                w1, b1, r1 = ends[3 * e], ends[3 * e + 1], ends[3 * e + 2]
                # The winner plays until the loser has the turn again.
                while r1 & 1 != side:
                    n = put_ends(w1, b1, r1, answers, legal, room)
                    if n == 0:
                        break
                    best, chosen = 1 << 20, -1
                    for a in range(n):
                        w2, b2, r2 = answers[3 * a], answers[3 * a + 1], answers[3 * a + 2]
                        code = space.value_at(w2, b2, r2, store, t)
                        if code == 0 or win_of(code) == (0 if r2 & 1 != side else 1):
                            continue
                        if w2 == w0 and b2 == b0 and r2 & 1 == side and not r2 & rules.DROP:
                            continue
                        if distance_of(code) < best:
                            best, chosen = distance_of(code), a
                    if chosen < 0:
                        bad = True
                        break
                    at = 3 * chosen
                    w1, b1, r1 = answers[at], answers[at + 1], answers[at + 2]
                if r1 & 1 != side or seen_before(w1, b1, r1, visited, stamps, k + 1):
                    continue
                if 3 * top + 3 > len(stack):
                    stack = enlarged(stack)
                stack[3 * top], stack[3 * top + 1], stack[3 * top + 2] = w1, b1, r1
                top += 1
        if bad:
            found += 1
            example = roots[k]
    return found, example
