"""How many of Badia's lost positions stay lost in a game, where no position may be brought back.

    python bench/ban.py

The table leaves the ban (BA-11) aside. Each lost position begins a game of its own here, images of
each other counted once, and the win is proved in that game (`damier.solve.Forced`) or is not.
"""

import sys
from collections import Counter

import numpy as np

import damier
from damier.report.facts import position_of
from damier.solve import Forced, find


def main() -> int:
    rules = damier.game("badia")
    table = find(rules)
    assert table is not None
    codes = table.arrays["values"].array()
    lost = np.flatnonzero((codes % 2 == 1) & (codes > 1)).tolist()
    stay: Counter[str] = Counter()
    most = 0
    for done, number in enumerate(lost):
        if done % 500 == 0:
            print(f"\r{done:,} of {len(lost):,}", end="", file=sys.stderr, flush=True)
        position = position_of(rules, number)
        forced = Forced(damier.Game(position), table)
        value = forced.value_of(position)
        known = table.probe(position)
        assert known is not None
        if value.outcome == "draw":
            stay["are not proved"] += 1
        elif value.distance == known.distance:
            stay["are lost, as far from the end"] += 1
        else:
            stay["are lost, nearer to the end"] += 1
        most = max(most, forced.looks)
    print(f"\rof {len(lost):,} lost positions, in a game that begins there:")
    for what, count in stay.most_common():
        print(f"{count:,} {what} ({count / len(lost):.1%})")
    print(f"positions looked at for one proof: at most {most:,}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
