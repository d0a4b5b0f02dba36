"""Fuzz damier for some minutes: `make fuzz MINUTES=5`, or `python tools/fuzz.py --minutes 5`.

Over HTTP, the engine's lines, records, positions, turns, options, questions and table files, by the
generators of the tests. Each round has a seed, which is printed: `make fuzz SEED=…` begins with it
and does the same again. What fails is told as a test is, made as small as can be, and kept in
tests/data/fuzz/found.json: the tests replay it from then on, so mend it and give it a place among
the cases beside it.
"""

import argparse
import os
import random
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
FILES = ("tests/test_fuzz.py", "tests/test_fuzz_engine.py", "tests/test_web_fuzz.py")


def main() -> int:
    """Go round after round until the time is over or something is found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=None)
    args = parser.parse_args()
    seed = random.randrange(10**9) if args.seed is None else args.seed
    end = time.monotonic() + 60 * args.minutes
    rounds = 0
    while rounds == 0 or time.monotonic() < end:
        print(f"round {rounds + 1}, SEED={seed}", flush=True)
        status = _round(seed)
        if status:
            print(f"found something: make fuzz SEED={seed} does it again", flush=True)
            return status
        rounds, seed = rounds + 1, seed + 1
    print(f"nothing found in {rounds} rounds")
    return 0


def _round(seed: int) -> int:
    """Run the fuzz tests once by a seed; return the exit status."""
    words = ["-q", "-x", "-p", "no:cacheprovider", "--no-header", "-k", "not once_found"]
    command = [sys.executable, "-m", "pytest", *words, f"--hypothesis-seed={seed}", *FILES]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, "DAMIER_FUZZ": "1"}).returncode


if __name__ == "__main__":
    sys.exit(main())
