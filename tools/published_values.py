"""Verification of the published values of Fanorona's small boards.

    python tools/published_values.py BOARD [PAWNS] [MINUTES]

BOARD is a size such as 3x7, or `all` for all boards with a published value. The exit status is 1 if
one is contradicted. Boards of at most 15 intersections are solved whole. For the others, this
builds the endings with at most PAWNS pawns (7), then asks with increasing depth whether the
first player can force a win; if that is not found in MINUTES (10), whether the first player, and
the second, can force at least a draw. A yes is a proof, and two yeses to the last question prove a
draw; a no holds only for that number of moves.
"""

import sys
import time
from typing import Any

import numpy as np

from damier import load_rules
from damier.jit import runtime_of
from damier.solve import Table, retrograde
from damier.solve.link import link_loops
from damier.solve.tables import proof_kernels

CHUNK = 20_000_000  # nodes between two checks of the time
# Value for the first player with the preset `international`; by table also the distance in moves.
PUBLISHED = {
    "3x3": "win 11",
    "3x5": "win 11",
    "5x3": "win 13",
    "3x7": "win",
    "7x3": "win",
    "5x5": "draw",
}
BY_TABLE = ("3x3", "3x5", "5x3")
ANSWERS = ("not answered", "yes", "no")


def ask(question: str, search: Any, side: int, draw: bool, minutes: float) -> bool:
    """Search with an increasing number of moves; return whether the answer was yes in time."""
    found = np.zeros(4 << 24, np.int64)
    began = time.perf_counter()
    nodes = 0
    for depth in range(1, 60, 2):
        answer = proof_kernels.UNKNOWN
        while answer == proof_kernels.UNKNOWN and time.perf_counter() - began < 60 * minutes:
            # In chunks, to check the time. `found` keeps the results for the next chunk.
            answer, visited = search(side, draw, depth, found)
            nodes += visited
        seconds = time.perf_counter() - began
        print(f"{question} in {depth} moves: {ANSWERS[answer]} ({nodes:,} nodes, {seconds:.0f} s)")
        sys.stdout.flush()
        if answer != proof_kernels.NO:
            return bool(answer == proof_kernels.YES)
    return False


def by_table(board: str) -> str:
    """Solve a small board whole; return the value of its start."""
    rules = load_rules("fanorona", "international", board=board)
    solution = retrograde.solve(rules, None)
    value = Table(rules, solution.header, solution.arrays).probe(rules.start())
    assert value is not None
    print(f"{board}: {value.outcome} in {value.distance} moves ({solution.seconds:.0f} s)")
    return f"{value.outcome} {value.distance}"


def by_proof(board: str, pawns: int, minutes: float) -> str:
    """Return the value that a proof search finds for the first player, "" if it finds none."""
    rules = load_rules("fanorona", "international", board=board)
    size = retrograde.solver_for(rules).size(rules, pawns)
    assert size is not None
    numbers, memory = size
    print(f"{board}, endings: {numbers:,} numbers, {memory / 1e6:.0f} MB", flush=True)
    solution = retrograde.solve(rules, pawns)
    print(f"endings solved in {solution.seconds:.1f} s", flush=True)
    loops = link_loops(proof_kernels, rules)
    t = loops.space.space_for(rules, solution.header).lookup(runtime_of(loops))
    words = rules.start().words

    def search(side: int, draw: bool, depth: int, found: Any) -> Any:
        return loops.wins(*words, (side, draw), depth, CHUNK, (solution.store, t, found))

    if ask("the first player wins", search, 0, False, minutes):
        return "win"
    first = ask("the first player draws at least", search, 0, True, minutes)
    second = ask("the second player draws at least", search, 1, True, minutes)
    if first and second:
        return "draw"
    return "draw or win" if first else "draw or loss" if second else ""


def agrees(board: str, pawns: int, minutes: float) -> bool:
    """Return whether the computed value of a board is compatible with the published one."""
    published = PUBLISHED.get(board)
    value = by_table(board) if board in BY_TABLE else by_proof(board, pawns, minutes)
    if published is None:
        print(f"{board}: {value or 'not decided'}; no value is published")
        return True
    possible = value.split(" or ") if value else [published]
    if value == published:
        verdict = "as published"
    elif published in possible:
        verdict = f"not decided in this time; published: {published}"
    else:
        verdict = f"this CONTRADICTS what is published: {published}"
    print(f"{board}: {value or 'nothing found'}, {verdict}", flush=True)
    return published in possible


def main(board: str, pawns: int, minutes: float) -> int:
    """Verify one board or all; return the exit status."""
    boards = list(PUBLISHED) if board == "all" else [board]
    agreed = [agrees(one, pawns, minutes) for one in boards]
    return 0 if all(agreed) else 1


if __name__ == "__main__":
    arguments = [*sys.argv[1:], "", "", ""][:3]
    sys.exit(main(arguments[0] or "all", int(arguments[1] or 7), float(arguments[2] or 10)))
