"""Levels of play: how each looks less far than the search could, and errs.

`USUAL` are the levels of a game that was not measured yet, and `LEVELS` their numbers, which are
the same in every game.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Level:
    """How a level plays.

    `depth` and `nodes` limit the search, `seconds` that of level 8. `slips` is how far a turn is
    misjudged, in hundredths of the game's scale; `overlooks` the chance that a turn is not seen,
    in hundredths. From level 3 on a win in one is always seen.
    """

    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    slips: int = 0
    overlooks: int = 0


TOP = Level(seconds=2.5)
USUAL = (
    Level(depth=1, slips=120, overlooks=35),
    Level(depth=1, slips=60, overlooks=20),
    Level(depth=2, nodes=4_000, slips=50, overlooks=10),
    Level(depth=3, nodes=8_000, slips=40, overlooks=8),
    Level(depth=4, nodes=20_000, slips=15, overlooks=2),
    Level(nodes=8_000),
    Level(nodes=60_000),
    TOP,
)
LEVELS = range(1, len(USUAL) + 1)
# How many points of a rating each level has in a game that was not measured: about as many as in
# those that were. Level 4, in the middle, has as many as whoever has not played yet.
STRENGTHS = (900, 1100, 1300, 1500, 1680, 1850, 2000, 2200)
