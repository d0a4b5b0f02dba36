"""Solver of Fanorona."""

from damier.position import Rules
from damier.solve.retrograde.tiered import TieredSolver
from damier.solve.tables.values import Metric

from . import rules

SMALL = 15  # maximum number of intersections of a board that is solved completely


class FanoronaSolver(TieredSolver):
    """Solver of Fanorona: solves small boards completely and the endings of other boards."""

    def metric(self, ruleset: Rules) -> Metric:
        """Return the metric: moves to the end, or to a capture if the options limit moves."""
        options = ruleset.options
        counted = options["endgame_draw"] != "0" or options["stall"] != "0"
        return "capture" if counted else "end"

    def whole(self, ruleset: Rules) -> bool:
        """Return whether the board is small enough to be solved completely."""
        return ruleset.board.size <= SMALL

    def default_pawns(self, ruleset: Rules) -> int:
        """Return the default number of pawns of the endings."""
        return 5

    def limit(self, ruleset: Rules, a: int, b: int) -> int:
        """FA-10, FA-11: return how many moves without capture make a draw in a tier, or 0."""
        counts = [int(ruleset.options["stall"])]
        if max(a, b) < rules.FEW:
            counts.append(int(ruleset.options["endgame_draw"]))
        return min((count for count in counts if count), default=0)


SOLVER = FanoronaSolver()
