"""Proof search: can a side force a win, or a draw, in so many turns, with a table at the leaves?

A template: `rules` stands for a game's file, `space` for the module that numbers its endings and
`walk` for the walk through a position's turns. For boards that are too big for a table of all
positions. A yes is a proof; a no only says that there is no way to it within that many turns. With
a table the count of turns without capture is left aside, so this is for rules without one; with
`damier.solve.no_table` in its place it is not.
"""

from damier.games.contract import RulesKernels
from damier.jit import Buffer, buffer, kernel, popcount, stand_in
from damier.kernels import hash_of
from damier.solve import walk
from damier.solve.codes import win_of
from damier.solve.numbering import Store
from damier.solve.numbering.tiered import Tables, TieredNumbering

rules: RulesKernels = stand_in()
space: TieredNumbering = stand_in()

Question = tuple[int, bool]  # the side that attacks, and whether a draw will do
Known = tuple[Store, Tables, Buffer]  # the table, and answers found so far to the same question

KIDS = 2048  # turns of a position, at most: with more it has no answer
UNKNOWN, YES, NO = 0, 1, 2
# Words of an entry in the table of what was found: three of the position, and in how many turns: of
# a yes that less than 0, of a no `NO` and that.
ENTRY = 4


@kernel
def put_kids(w: int, b: int, r: int, kids: Buffer, at: int, room: Buffer) -> int:
    """Put the positions that one turn reaches into `kids`, most captures first; return how many.

    Where they are too many it is -1.
    """
    count = 0
    walk.begin(w, b, r, room)
    found, w, b, r = walk.next_end(room)
    while found:
        if count == KIDS:
            return -1
        pawns = popcount(w | b)
        k = count
        while k > 0 and popcount(kids[at + 3 * k - 3] | kids[at + 3 * k - 2]) > pawns:
            for j in range(3):
                kids[at + 3 * k + j] = kids[at + 3 * k - 3 + j]
            k -= 1
        kids[at + 3 * k], kids[at + 3 * k + 1], kids[at + 3 * k + 2] = w, b, space.uncounted(r)
        count += 1
        found, w, b, r = walk.next_end(room)
    return count if walk.complete(room) else -1


@kernel
def answer_of(
    w: int, b: int, r: int, left: int, question: Question, known: Known, legal: Buffer
) -> int:
    """Return what rules, the table or an earlier visit say: whether the attacker wins in time."""
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
    """Return YES, NO, or UNKNOWN when the nodes ran out; and how many nodes were looked at.

    The question: can the attacker force, within `depth` turns, a win or an ending that is one, or
    with a draw that is at least one? The answers that `known` keeps are to one question only.
    """
    attacker, _ = question
    _, _, found = known
    legal, room = buffer(rules.GROUPS), walk.new_room()
    path = buffer(5 * (depth + 1))  # of each position on the path: its words, its kids, the next
    kids = buffer(3 * KIDS * (depth + 1))
    looked = 1
    answer = answer_of(w, b, r, depth, question, known, legal)
    if answer != UNKNOWN:
        return answer, looked
    path[0], path[1], path[2] = w, b, r
    path[3], path[4] = put_kids(w, b, r, kids, 0, room), 0
    if path[3] < 0:
        return UNKNOWN, looked
    ply = 0
    while True:
        at = 5 * ply
        attacking = path[at + 2] & 1 == attacker
        answer = UNKNOWN
        if path[at + 4] == path[at + 3]:
            answer = NO if attacking else YES
        else:
            k = 3 * KIDS * ply + 3 * path[at + 4]
            w, b, r = kids[k], kids[k + 1], kids[k + 2]
            path[at + 4] += 1
            looked += 1
            if looked > nodes:
                return UNKNOWN, looked
            one = answer_of(w, b, r, depth - ply - 1, question, known, legal)
            if one == UNKNOWN:
                ply += 1
                at = 5 * ply
                path[at], path[at + 1], path[at + 2] = w, b, r
                path[at + 3] = put_kids(w, b, r, kids, 3 * KIDS * ply, room)
                path[at + 4] = 0
                if path[at + 3] < 0:
                    return UNKNOWN, looked
                continue
            if one == (YES if attacking else NO):
                answer = one
        # Tell the positions before, as far as this decides them.
        while answer != UNKNOWN:
            at = 5 * ply
            w, b, r = path[at], path[at + 1], path[at + 2]
            slot = ENTRY * (hash_of(w, b, r) % (len(found) // ENTRY))
            found[slot], found[slot + 1], found[slot + 2] = w, b, r
            found[slot + 3] = ply - depth - 1 if answer == YES else NO + depth - ply
            if ply == 0:
                return answer, looked
            ply -= 1
            attacking = path[5 * ply + 2] & 1 == attacker
            if answer != (YES if attacking else NO):
                answer = UNKNOWN
