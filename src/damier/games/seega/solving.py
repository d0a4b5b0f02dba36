"""How Seega's second phase is solved: the endings, tier by tier, for who has to do something."""

from damier.position import Rules
from damier.solve.retrograde.tiered import Tiered
from damier.solve.tables.values import Metric

from .numbering import DRAWS, WINS


class _Seega(Tiered):
    def metric(self, ruleset: Rules) -> Metric:
        """Return what distances count: turns to a capture."""
        return "capture"

    def limit(self, ruleset: Rules, a: int, b: int) -> int:
        """SE-10: return after how many turns without capture a game is over, or 0."""
        return int(ruleset.options["stall"])

    def passes(self, a: int, b: int) -> tuple[tuple[str, int | None], ...]:
        """Return the arrays that a tier's analysis fills, and what the attacker looks for."""
        return (("values", WINS),) if a == b else (("values", WINS), ("draws", DRAWS))


ANALYSIS = _Seega()
