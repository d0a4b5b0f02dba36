"""Kernels of proof search: whether a side can force a win, or a draw, within a number of moves.

A template: `rules` is a game's rules module, `space` the module that numbers its endings and
`move_kernels` iterates over a position's moves. It is for boards that are too large for a table of
all positions; a table of endings gives the values of leaves. A yes is a proof; a no only means that
there is no way within that number of moves. With a table the count of moves without capture is
ignored, so the rules must not have one; with `damier.solve.null_numbering` it is not ignored.
"""

from damier.games.contract import RulesKernels
from damier.jit import Buffer, buffer, kernel, placeholder, popcount
from damier.kernels import hash_of
from damier.solve import move_kernels
from damier.solve.numbering import Store
from damier.solve.numbering.tiered import Tables, TieredNumbering
from damier.solve.value_codes import win_of

rules: RulesKernels = placeholder()
space: TieredNumbering = placeholder()

Question = tuple[int, bool]  # the attacking side, and whether a draw is enough
Known = tuple[Store, Tables, Buffer]  # the table, and a hash table of answers to the same question

MAX_CHILDREN = 2048  # moves of a position; with more the answer is UNKNOWN
UNKNOWN, YES, NO = 0, 1, 2
# Words of an entry of the hash table: the position, and for d moves: -d - 1 for a yes within
# d moves, NO + d for a no within d moves.
ENTRY = 4


@kernel
def put_children(w: int, b: int, r: int, children: Buffer, at: int, iterator: Buffer) -> int:
    """Write the positions after each move to `children`, most captures first; return how many.

    Return -1 if they are too many.
    """
    count = 0
    move_kernels.begin(w, b, r, iterator)
    found, w, b, r = move_kernels.next_end(iterator)
    while found:
        if count == MAX_CHILDREN:
            return -1
        pawns = popcount(w | b)
        k = count
        while k > 0 and popcount(children[at + 3 * k - 3] | children[at + 3 * k - 2]) > pawns:
            for j in range(3):
                children[at + 3 * k + j] = children[at + 3 * k - 3 + j]
            k -= 1
        children[at + 3 * k], children[at + 3 * k + 1], children[at + 3 * k + 2] = (
            w,
            b,
            space.uncounted(r),
        )
        count += 1
        found, w, b, r = move_kernels.next_end(iterator)
    return count if move_kernels.complete(iterator) else -1


@kernel
def answer_of(
    w: int, b: int, r: int, left: int, question: Question, known: Known, legal: Buffer
) -> int:
    """Return the answer of the rules, the table or an earlier visit, else UNKNOWN."""
    attacker, draw = question
    store, t, found = known
    judgement = rules.legal(w, b, r, legal)
    if judgement:
        return YES if judgement & 3 == 1 + attacker else NO
    code = space.probe_code(w, b, r, store, t)
    if code >= 0:
        if code == 0:
            return YES if draw else NO
        return YES if (win_of(code) == 1) == (r & 1 == attacker) else NO
    if left == 0:
        return NO
    at = ENTRY * (hash_of(w, b, r) % (len(found) // ENTRY))
    if found[at] == w and found[at + 1] == b and found[at + 2] == r:
        if -left <= found[at + 3] + 1 <= 0:
            return YES
        if found[at + 3] >= NO + left:
            return NO
    return UNKNOWN


@kernel
def wins(
    w: int, b: int, r: int, question: Question, depth: int, nodes: int, known: Known
) -> tuple[int, int]:
    """Return YES, NO, or UNKNOWN if the nodes run out; and the number of nodes visited.

    The question is whether the attacker can force a win, or a won ending, within `depth` moves; or
    at least a draw if the question allows it. The hash table in `known` is for one question only.
    """
    attacker, _ = question
    _, _, found = known
    legal, iterator = buffer(rules.GROUPS), move_kernels.new_iterator()
    path = buffer(
        5 * (depth + 1)
    )  # for each position on the path: its words, number of children, next child
    children = buffer(3 * MAX_CHILDREN * (depth + 1))
    visited = 1
    answer = answer_of(w, b, r, depth, question, known, legal)
    if answer != UNKNOWN:
        return answer, visited
    path[0], path[1], path[2] = w, b, r
    path[3], path[4] = put_children(w, b, r, children, 0, iterator), 0
    if path[3] < 0:
        return UNKNOWN, visited
    ply = 0
    while True:
        at = 5 * ply
        attacking = path[at + 2] & 1 == attacker
        answer = UNKNOWN
        if path[at + 4] == path[at + 3]:
            answer = NO if attacking else YES
        else:
            k = 3 * MAX_CHILDREN * ply + 3 * path[at + 4]
            w, b, r = children[k], children[k + 1], children[k + 2]
            path[at + 4] += 1
            visited += 1
            if visited > nodes:
                return UNKNOWN, visited
            reply = answer_of(w, b, r, depth - ply - 1, question, known, legal)
            if reply == UNKNOWN:
                ply += 1
                at = 5 * ply
                path[at], path[at + 1], path[at + 2] = w, b, r
                path[at + 3] = put_children(w, b, r, children, 3 * MAX_CHILDREN * ply, iterator)
                path[at + 4] = 0
                if path[at + 3] < 0:
                    return UNKNOWN, visited
                continue
            if reply == (YES if attacking else NO):
                answer = reply
        # Propagate the answer to the positions before that it decides.
        while answer != UNKNOWN:
            at = 5 * ply
            w, b, r = path[at], path[at + 1], path[at + 2]
            slot = ENTRY * (hash_of(w, b, r) % (len(found) // ENTRY))
            found[slot], found[slot + 1], found[slot + 2] = w, b, r
            found[slot + 3] = ply - depth - 1 if answer == YES else NO + depth - ply
            if ply == 0:
                return answer, visited
            ply -= 1
            attacking = path[5 * ply + 2] & 1 == attacker
            if answer != (YES if attacking else NO):
                answer = UNKNOWN
