"""Settings of levels 1 to 8; docs/levels.md describes how they were measured."""

from damier.games.levels import TOP_LEVEL, Level

# A win needs a long plan and an error of the opponent, so each level searches deeper or makes fewer
# errors than the level below.
LEVELS = (
    Level(depth=1, slips=100, overlooks=30),
    Level(depth=2, nodes=3_000, slips=54, overlooks=16),
    Level(depth=3, nodes=6_000, slips=46, overlooks=13),
    Level(depth=4, nodes=8_000, slips=35, overlooks=9),
    Level(depth=5, nodes=15_000, slips=42, overlooks=12),
    Level(depth=5, nodes=15_000, slips=16, overlooks=3),
    Level(depth=6, nodes=30_000, slips=6, overlooks=1),
    TOP_LEVEL,
)
