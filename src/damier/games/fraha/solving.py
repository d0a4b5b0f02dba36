"""How Fraha is solved: the usual way."""

from damier.solve.retrograde.whole import Whole

# The shares of the time were measured with the default rules.
ANALYSIS = Whole((("judging", 0.03, 1_584_000), ("rounds", 0.97, 82_000)))
