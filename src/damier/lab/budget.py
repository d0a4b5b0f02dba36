"""Budget of an experiment: time and memory, and how many games they allow.

The number of games must not depend on the speed of the machine, because the same seed and budget
give the same report. So time is counted in work: moves and searched nodes, at the speed of a
reference machine with two cores.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from damier.errors import DamierError

DEFAULT_SECONDS, DEEP_SECONDS, MIN_SECONDS = 90.0, 7200.0, 5.0
DEFAULT_MEMORY = 4_000_000_000
CORES = 2  # of the reference machine
MOVE_S, NODES_PER_SECOND = 0.0012, 3_000_000  # measured by `damier lab` runs of the five games
POSITIONS_PER_SECOND = 500_000  # that a solver decides; bench/solve.py measures it
UNITS = {"s": 1, "m": 60, "min": 60, "h": 3600}
SIZES = {"MB": 10**6, "GB": 10**9, "Mo": 10**6, "Go": 10**9}


@dataclass(frozen=True)
class Settings:
    """Settings of an experiment; equal settings and rules give equal reports."""

    seed: int = 1
    seconds: float = DEFAULT_SECONDS
    memory: int = DEFAULT_MEMORY
    strengths: tuple[str, ...] = ("random", "level:1", "level:3", "level:5")
    solve: bool = True  # games that have no table yet, and compare tables
    against: tuple[str, ...] = ()  # the variants to compare; by default every option

    @property
    def compared(self) -> str:
        """The strength of the games under other rules: the second, because it plays faster."""
        return self.strengths[-2:][0]

    @property
    def work(self) -> float:
        """The core seconds of the reference machine."""
        return self.seconds * CORES

    @property
    def positions(self) -> int:
        """How many positions may be solved: a third of the time."""
        return int(self.seconds / 3 * POSITIONS_PER_SECOND)


def read_budget(text: str) -> tuple[float, int]:
    """Return the seconds and bytes of a budget such as "2m", "1h" or "90s,4GB"."""
    match = re.fullmatch(r"(\d{1,6})\s*(s|min|m|h)(?:,\s*(\d{1,6})\s*(MB|GB|Mo|Go))?", text.strip())
    if match is None:
        raise DamierError("lab-budget", text=text)
    seconds = float(int(match[1]) * UNITS[match[2]])
    memory = int(match[3]) * SIZES[match[4]] if match[3] else DEFAULT_MEMORY
    if seconds < MIN_SECONDS:
        raise DamierError("lab-budget-time", text=text, least=int(MIN_SECONDS))
    return seconds, memory


def cost(moves: int, nodes: int) -> float:
    """Return the work of some moves with so many searched nodes, in core seconds."""
    return moves * MOVE_S + nodes / NODES_PER_SECOND


def affordable(work: float, one: float, least: int, most: int) -> int:
    """Return how many times an amount of work covers the cost of one, within limits."""
    return max(least, min(most, int(work / max(one, 1e-6))))
