"""Solver of Seega."""

from damier.position import Rules
from damier.solve.retrograde.tiered import TieredSolver
from damier.solve.tables.values import Metric

from .numbering import DRAWS, WINS


class SeegaSolver(TieredSolver):
    """Solver of Seega: solves the endings of phase 2."""

    def metric(self, ruleset: Rules) -> Metric:
        """Return the metric: moves to a capture."""
        return "capture"

    def limit(self, ruleset: Rules, a: int, b: int) -> int:
        """SE-10: return the number of moves without capture that ends a game, or 0."""
        return int(ruleset.options["stall"])

    def passes(self, a: int, b: int) -> tuple[tuple[str, int], ...]:
        """Return the arrays that a tier fills, with the attacker's goal for each."""
        return (("values", WINS),) if a == b else (("values", WINS), ("draws", DRAWS))


SOLVER = SeegaSolver()
