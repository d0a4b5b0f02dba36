"""Settings of levels 1 to 8; docs/levels.md describes how they were measured."""

from damier.games.levels import TOP_LEVEL, Level

# A player who looks two moves ahead without errors can draw, so all levels except the top one make
# errors.
LEVELS = (
    Level(depth=1, slips=250, overlooks=65),
    Level(depth=1, slips=150, overlooks=45),
    Level(depth=1, slips=120, overlooks=38),
    Level(depth=1, slips=60, overlooks=18),
    Level(depth=2, nodes=4_000, slips=47, overlooks=10),
    Level(depth=3, nodes=8_000, slips=29, overlooks=6),
    Level(depth=4, nodes=8_000, slips=13, overlooks=1),
    TOP_LEVEL,
)
