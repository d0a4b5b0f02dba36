"""Speed of the search: nodes a second, and the depth reached in a second, on named positions.

    python bench/search.py             print the table
    python bench/search.py --signature write the node counts that tests/test_search_data.py checks

The positions are in bench/positions.json.
"""

import argparse
import json
import sys
from pathlib import Path
from time import process_time

import damier
from damier.search import Engine, Limits, warm

HERE = Path(__file__).parent
POSITIONS: dict[str, dict[str, str]] = json.loads((HERE / "positions.json").read_text("utf-8"))
SIGNATURE = HERE.parent / "tests" / "data" / "signature.json"
SIGNED_DEPTH = 4


def signature() -> dict[str, dict[str, int]]:
    """Return the nodes that a search of fixed depth looks at, on each position."""
    found: dict[str, dict[str, int]] = {}
    for name, positions in POSITIONS.items():
        rules = damier.game(name)
        warm(rules)
        engine = Engine(rules, room=1 << 18)
        found[name] = {
            label: engine.think(damier.Game(rules.position(text)), Limits(depth=SIGNED_DEPTH)).nodes
            for label, text in positions.items()
        }
    return found


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--signature", action="store_true")
    parser.add_argument("--seconds", type=float, default=1.0)
    args = parser.parse_args()
    if args.signature:
        SIGNATURE.write_text(json.dumps(signature(), indent=1) + "\n", "utf-8")
        return 0
    print("| game | position | depth | nodes | nodes/s |\n|---|---|---:|---:|---:|")
    for name, positions in POSITIONS.items():
        rules = damier.game(name)
        warm(rules)
        limits = Limits(seconds=args.seconds)
        engine = Engine(rules, room=limits.room)
        engine.think(damier.Game(rules), limits)  # touches the memory for the first time
        for label, text in positions.items():
            began = process_time()
            thought = engine.think(damier.Game(rules.position(text)), limits)
            spent = process_time() - began
            speed = thought.nodes / spent / 1e6
            print(f"| {name} | {label} | {thought.depth} | {thought.nodes:,} | {speed:.2f} M |")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
