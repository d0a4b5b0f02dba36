"""How levels 1 to 8 play it: measured, see docs/levels.md."""

from collections.abc import Mapping

from damier.games.levels import TOP, Level

# Short and sharp: whoever sees two turns ahead and never slips draws, so all but the top slip.
LEVELS = (
    Level(depth=1, slips=250, overlooks=65),
    Level(depth=1, slips=150, overlooks=45),
    Level(depth=1, slips=120, overlooks=38),
    Level(depth=1, slips=60, overlooks=18),
    Level(depth=2, nodes=4_000, slips=47, overlooks=10),
    Level(depth=3, nodes=8_000, slips=29, overlooks=6),
    Level(depth=4, nodes=8_000, slips=13, overlooks=1),
    TOP,
)


def levels(options: Mapping[str, str]) -> tuple[Level, ...]:
    """Return how each level plays."""
    return LEVELS
