"""Audit of Badia's lost positions under superko: how many can be proved lost in a game.

    python tools/superko_audit.py

The table ignores the superko ban (BA-11). Here a game begins at each lost position, one for all
symmetric images, and `damier.solve.SuperkoProver` tries to prove the win in that game.
"""

import sys
from collections import Counter

import numpy as np

import damier
from damier.report.facts import position_of
from damier.solve import SuperkoProver, find


def main() -> int:
    """Print how many lost positions are proved lost in a game."""
    rules = damier.load_rules("badia")
    table = find(rules)
    assert table is not None
    codes = table.arrays["values"].array()
    lost = np.flatnonzero((codes % 2 == 1) & (codes > 1)).tolist()
    counts: Counter[str] = Counter()
    max_nodes = 0
    for done, number in enumerate(lost):
        if done % 500 == 0:
            print(f"\r{done:,} of {len(lost):,}", end="", file=sys.stderr, flush=True)
        position = position_of(rules, number)
        prover = SuperkoProver(damier.Game(position), table)
        value = prover.value_of(position)
        known = table.probe(position)
        assert known is not None
        if value.outcome == "draw":
            counts["are not proved"] += 1
        elif value.distance == known.distance:
            counts["are lost, as far from the end"] += 1
        else:
            counts["are lost, nearer to the end"] += 1
        max_nodes = max(max_nodes, prover.nodes)
    print(f"\rof {len(lost):,} lost positions, in a game that begins there:")
    for outcome, count in counts.most_common():
        print(f"{count:,} {outcome} ({count / len(lost):.1%})")
    print(f"positions looked at for one proof: at most {max_nodes:,}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
