"""Levels of play: limits of the search and rates of deliberate errors.

`DEFAULT_LEVELS` are the levels of a game that was not measured yet, and `LEVELS` their numbers,
which are the same in every game.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Level:
    """Settings of a level.

    `depth`, `nodes` and `seconds` limit the search. `slips` is the noise added to a move's value,
    in hundredths of the game's scale; `overlooks` is the probability of ignoring a move, in per
    cent. From level 3 on a win in one move is never ignored.
    """

    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    slips: int = 0
    overlooks: int = 0


TOP_LEVEL = Level(seconds=2.5)
DEFAULT_LEVELS = (
    Level(depth=1, slips=120, overlooks=35),
    Level(depth=1, slips=60, overlooks=20),
    Level(depth=2, nodes=4_000, slips=50, overlooks=10),
    Level(depth=3, nodes=8_000, slips=40, overlooks=8),
    Level(depth=4, nodes=20_000, slips=15, overlooks=2),
    Level(nodes=8_000),
    Level(nodes=60_000),
    TOP_LEVEL,
)
LEVELS = range(1, len(DEFAULT_LEVELS) + 1)
# Ratings of the levels in a game that was not measured, similar to those of the measured games.
# Level 4 has the initial rating of a new player.
DEFAULT_STRENGTHS = (900, 1100, 1300, 1500, 1680, 1850, 2000, 2200)
