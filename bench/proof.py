"""Published values of Fanorona's boards that are too big for a table, by proof search.

`python bench/proof.py BOARD [PAWNS] [MINUTES]`, such as 3x7: builds the endings with at most PAWNS
pawns (7), then asks with ever more turns whether the first player can force a win; if that is not
found in MINUTES (10), whether the first player, and the second, can force at least a draw. A yes is
a proof, both halves of the last question prove a draw; a no holds for that number of turns only.
"""

import sys
import time
from typing import Any

import numpy as np

from damier import game
from damier.solve import endings, prove
from damier.solve.solver import linked

PIECE = 20_000_000  # nodes
ANSWERS = ("not answered", "yes", "no")


def ask(question: str, search: Any, side: int, draw: bool, minutes: float) -> bool:
    """Ask with ever more turns; return whether the answer was yes in time."""
    found = np.zeros(4 << 24, np.int64)
    began = time.perf_counter()
    nodes = 0
    for depth in range(1, 60, 2):
        answer = prove.UNKNOWN
        while answer == prove.UNKNOWN and time.perf_counter() - began < 60 * minutes:
            # Piece by piece, to look at the clock: what was found is kept for the next piece.
            answer, looked = search(side, draw, depth, found)
            nodes += looked
        seconds = time.perf_counter() - began
        print(f"{question} in {depth} turns: {ANSWERS[answer]} ({nodes:,} nodes, {seconds:.0f} s)")
        sys.stdout.flush()
        if answer != prove.NO:
            return bool(answer == prove.YES)
    return False


def main(board: str, pawns: int, minutes: float) -> None:
    rules = game("fanorona", "international", board=board)
    numbers, memory = endings.size_of(rules, pawns)
    print(f"{board}, endings: {numbers:,} numbers, {memory / 1e6:.0f} MB", flush=True)
    solution = endings.solve_tiers(rules, pawns)
    print(f"endings solved in {solution.seconds:.1f} s", flush=True)
    loops = linked(prove, rules)
    t = loops.space.space_for(rules, solution.extra).lookup(True)
    words = rules.start().words

    def search(side: int, draw: bool, depth: int, found: Any) -> Any:
        return loops.wins(*words, side, draw, depth, PIECE, solution.store, t, found)

    if ask("the first player wins", search, 0, False, minutes):
        return
    for side, name in enumerate(("first", "second")):
        ask(f"the {name} player draws at least", search, side, True, minutes)


if __name__ == "__main__":
    arguments = [*sys.argv[1:], "", "", ""][:3]
    main(arguments[0] or "3x7", int(arguments[1] or 7), float(arguments[2] or 10))
