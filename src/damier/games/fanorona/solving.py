"""How Fanorona is solved: small boards whole, of the others the endings, tier by tier."""

from damier.position import Rules
from damier.solve.retrograde.tiered import Tiered
from damier.solve.tables.values import Metric

from . import rules

SMALL = 15  # intersections of a board that is solved whole


class _Fanorona(Tiered):
    def metric(self, ruleset: Rules) -> Metric:
        """Return what distances count: turns to the end, or to a capture where a count matters."""
        options = ruleset.options
        counted = options["endgame_draw"] != "0" or options["stall"] != "0"
        return "capture" if counted else "end"

    def whole(self, ruleset: Rules) -> bool:
        """Tell whether the board is small enough to be solved whole."""
        return ruleset.board.size <= SMALL

    def usual_pawns(self, ruleset: Rules) -> int:
        """Return the pawns of the endings that are solved if nobody says how many."""
        return 5

    def limit(self, ruleset: Rules, a: int, b: int) -> int:
        """FA-10, FA-11: return after how many turns without capture a tier's games are drawn."""
        counts = [int(ruleset.options["stall"])]
        if max(a, b) < rules.FEW:
            counts.append(int(ruleset.options["endgame_draw"]))
        return min((count for count in counts if count), default=0)


ANALYSIS = _Fanorona()
