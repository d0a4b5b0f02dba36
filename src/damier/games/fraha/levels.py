"""How levels 1 to 8 play it: measured, see docs/levels.md."""

from collections.abc import Mapping

from damier.games.levels import TOP, Level

LEVELS = (
    Level(depth=1, slips=120, overlooks=35),
    Level(depth=1, slips=34, overlooks=10),
    Level(depth=2, nodes=4_000, slips=48, overlooks=9),
    Level(depth=3, nodes=8_000, slips=48, overlooks=10),
    Level(depth=4, nodes=20_000, slips=26, overlooks=4),
    Level(nodes=800),
    Level(nodes=3_000),
    TOP,
)


def levels(options: Mapping[str, str]) -> tuple[Level, ...]:
    """Return how each level plays."""
    return LEVELS
