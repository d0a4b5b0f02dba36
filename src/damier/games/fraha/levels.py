"""Settings of levels 1 to 8; docs/levels.md describes how they were measured."""

from damier.games.levels import TOP_LEVEL, Level

LEVELS = (
    Level(depth=1, slips=120, overlooks=35),
    Level(depth=1, slips=34, overlooks=10),
    Level(depth=2, nodes=4_000, slips=48, overlooks=9),
    Level(depth=3, nodes=8_000, slips=48, overlooks=10),
    Level(depth=4, nodes=20_000, slips=26, overlooks=4),
    Level(nodes=800),
    Level(nodes=3_000),
    TOP_LEVEL,
)
