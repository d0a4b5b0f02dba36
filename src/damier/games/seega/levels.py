"""Settings of levels 1 to 8; docs/levels.md describes how they were measured."""

from damier.games.levels import TOP_LEVEL, Level

# A single slip can cost many pawns.
LEVELS = (
    Level(depth=1, slips=140, overlooks=40),
    Level(depth=1, slips=60, overlooks=20),
    Level(depth=2, nodes=4_000, slips=56, overlooks=12),
    Level(depth=3, nodes=8_000, slips=36, overlooks=7),
    Level(depth=4, nodes=20_000, slips=17, overlooks=3),
    Level(nodes=6_000),
    Level(nodes=100_000),
    TOP_LEVEL,
)
