"""Published values of Fanorona's small boards: computed, and compared with what is published.

`python bench/proof.py BOARD [PAWNS] [MINUTES]`, such as 3x7, or `all` for all boards that have a
published value. The exit status is 1 if one is contradicted. Boards of at most 15 intersections are
solved whole. For the others, this builds the endings with at most PAWNS pawns (7), then asks with
ever more turns whether the first player can force a win; if that is not found in MINUTES (10),
whether the first player, and the second, can force at least a draw. A yes is a proof, both halves
of the last question prove a draw; a no holds for that number of turns only.
"""

import sys
import time
from typing import Any

import numpy as np

from damier import game
from damier.jit import home_of
from damier.solve import Table, retrograde
from damier.solve.link import linked
from damier.solve.tables import proof

PIECE = 20_000_000  # nodes
# What the first player can get, by the preset `international`; by a table also in how many turns.
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
    """Ask with ever more turns; return whether the answer was yes in time."""
    found = np.zeros(4 << 24, np.int64)
    began = time.perf_counter()
    nodes = 0
    for depth in range(1, 60, 2):
        answer = proof.UNKNOWN
        while answer == proof.UNKNOWN and time.perf_counter() - began < 60 * minutes:
            # Piece by piece, to look at the clock: what was found is kept for the next piece.
            answer, looked = search(side, draw, depth, found)
            nodes += looked
        seconds = time.perf_counter() - began
        print(f"{question} in {depth} turns: {ANSWERS[answer]} ({nodes:,} nodes, {seconds:.0f} s)")
        sys.stdout.flush()
        if answer != proof.NO:
            return bool(answer == proof.YES)
    return False


def by_table(board: str) -> str:
    """Solve a small board whole; return the value of its start."""
    rules = game("fanorona", "international", board=board)
    solution = retrograde.solve(rules, None)
    value = Table(rules, solution.header, solution.arrays).probe(rules.start())
    assert value is not None
    print(f"{board}: {value.outcome} in {value.distance} turns ({solution.seconds:.0f} s)")
    return f"{value.outcome} {value.distance}"


def by_proof(board: str, pawns: int, minutes: float) -> str:
    """Return what a proof search finds: a win or a draw of the first player, or what is left."""
    rules = game("fanorona", "international", board=board)
    size = retrograde.analysis_of(rules).size(rules, pawns)
    assert size is not None
    numbers, memory = size
    print(f"{board}, endings: {numbers:,} numbers, {memory / 1e6:.0f} MB", flush=True)
    solution = retrograde.solve(rules, pawns)
    print(f"endings solved in {solution.seconds:.1f} s", flush=True)
    loops = linked(proof, rules)
    t = loops.space.space_for(rules, solution.header).lookup(home_of(loops))
    words = rules.start().words

    def search(side: int, draw: bool, depth: int, found: Any) -> Any:
        return loops.wins(*words, (side, draw), depth, PIECE, (solution.store, t, found))

    if ask("the first player wins", search, 0, False, minutes):
        return "win"
    first = ask("the first player draws at least", search, 0, True, minutes)
    second = ask("the second player draws at least", search, 1, True, minutes)
    if first and second:
        return "draw"
    return "draw or win" if first else "draw or loss" if second else ""


def agrees(board: str, pawns: int, minutes: float) -> bool:
    """Compute the value of a board, and tell whether it does not contradict the published one."""
    published = PUBLISHED.get(board)
    value = by_table(board) if board in BY_TABLE else by_proof(board, pawns, minutes)
    if published is None:
        print(f"{board}: {value or 'not decided'}; no value is published")
        return True
    possible = value.split(" or ") if value else [published]
    if value == published:
        said = "as published"
    elif published in possible:
        said = f"not decided in this time; published: {published}"
    else:
        said = f"this CONTRADICTS what is published: {published}"
    print(f"{board}: {value or 'nothing found'}, {said}", flush=True)
    return published in possible


def main(board: str, pawns: int, minutes: float) -> int:
    boards = list(PUBLISHED) if board == "all" else [board]
    agreed = [agrees(one, pawns, minutes) for one in boards]
    return 0 if all(agreed) else 1


if __name__ == "__main__":
    arguments = [*sys.argv[1:], "", "", ""][:3]
    sys.exit(main(arguments[0] or "all", int(arguments[1] or 7), float(arguments[2] or 10)))
