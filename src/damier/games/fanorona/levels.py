"""Settings of levels 1 to 8; docs/levels.md describes how they were measured."""

from collections.abc import Mapping

from damier.games.levels import TOP_LEVEL, Level

FREE = (
    Level(depth=1, slips=90, overlooks=33),
    Level(depth=1, slips=60, overlooks=17),
    Level(depth=2, nodes=4_000, slips=42, overlooks=9),
    Level(depth=3, nodes=8_000, slips=34, overlooks=7),
    Level(depth=4, nodes=20_000, slips=28, overlooks=5),
    Level(nodes=700),
    Level(nodes=10_000),
    TOP_LEVEL,
)
# With forced captures a slip costs more.
FORCED = (
    Level(depth=1, slips=118, overlooks=37),
    Level(depth=1, slips=70, overlooks=20),
    Level(depth=2, nodes=4_000, slips=66, overlooks=19),
    Level(depth=2, nodes=4_000, slips=37, overlooks=9),
    Level(depth=3, nodes=8_000, slips=27, overlooks=6),
    Level(nodes=850),
    Level(nodes=12_000),
    TOP_LEVEL,
)


def levels(options: Mapping[str, str]) -> tuple[Level, ...]:
    """Return the settings of each level, which depend on whether captures are forced."""
    return FORCED if options["capture"] == "forced" else FREE
