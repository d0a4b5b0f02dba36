"""Fuzzer: `make fuzz MINUTES=5`, or `python tools/fuzz.py --minutes 5`.

It tests HTTP, online HTTP, WebSockets, raw bytes, the engine protocol, records, positions, moves,
options and table files with the generators of the tests. Each round prints its seed;
`make fuzz SEED=…` starts with that seed and repeats it. A failure is reported like a test failure,
minimised, and saved in tests/data/fuzz/found.json, from which the tests replay it. After fixing it,
move it to the other cases there.
"""

import argparse
import os
import random
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
FILES = (
    "tests/core/test_fuzz.py",
    "tests/search/test_engine_fuzz.py",
    "tests/web/test_web_fuzz.py",
    "tests/online/test_online_fuzz.py",
    "tests/online/test_raw_fuzz.py",
)


def main() -> int:
    """Run rounds until the time is over or a failure is found; return the exit status."""
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
            print(f"failure found; reproduce it with: make fuzz SEED={seed}", flush=True)
            return status
        rounds, seed = rounds + 1, seed + 1
    print(f"nothing found in {rounds} rounds")
    return 0


def _round(seed: int) -> int:
    """Run the fuzz tests once with a seed; return the exit status."""
    words = ["-q", "-x", "-p", "no:cacheprovider", "--no-header", "-k", "not once_found"]
    command = [sys.executable, "-m", "pytest", *words, f"--hypothesis-seed={seed}", *FILES]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, "DAMIER_FUZZ": "1"}).returncode


if __name__ == "__main__":
    sys.exit(main())
