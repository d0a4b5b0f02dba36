"""Published values of Fanorona's boards that are too big for a table, by proof search.

`python bench/proof.py 3x7 [PAWNS] [MINUTES]`: builds the endings with at most PAWNS pawns (7), then
asks with ever more turns whether the first player can force a win, until the answer is yes or the
time is up.
"""

import sys
import time

import numpy as np

from damier import game, jit
from damier.games import fanorona
from damier.solve import endings, prove
from damier.solve.solver import space_module

ANSWERS = ("not answered", "yes", "no")


def main(board: str, pawns: int, minutes: float) -> None:
    rules = game("fanorona", "international", board=board)
    numbers, memory = endings.size_of(rules, pawns)
    print(f"endings: {numbers:,} numbers, {memory / 1e6:.0f} MB", flush=True)
    solution = endings.solve_tiers(rules, pawns)
    print(f"endings solved in {solution.seconds:.1f} s", flush=True)
    space = space_module(rules, True)
    loops = jit.link(prove, rules=jit.link(fanorona), space=space)
    t = space.space_for(rules, solution.extra).lookup(True)
    words = rules.start().words
    found = np.zeros(4 << 24, np.int64)
    began = time.perf_counter()
    nodes, rate = 0, 200_000.0
    for depth in range(1, 60, 2):
        left = 60 * minutes - (time.perf_counter() - began)
        begun = time.perf_counter()
        most = max(1000, int(rate * left))
        answer, looked = loops.wins(*words, 0, depth, most, solution.store, t, found)
        spent = time.perf_counter() - begun
        if spent > 2:
            rate = looked / spent
        nodes += looked
        print(
            f"first player wins within {depth} turns: {ANSWERS[answer]} "
            f"({nodes:,} nodes, {time.perf_counter() - began:.0f} s)",
            flush=True,
        )
        if answer != prove.NO:
            return


if __name__ == "__main__":
    arguments = [*sys.argv[1:], "", "", ""][:3]
    main(arguments[0] or "3x7", int(arguments[1] or 7), float(arguments[2] or 10))
