"""Solver of Fraha: the default solver for whole games."""

from damier.solve.retrograde.whole import WholeSolver

# Stages: name, share of the time, numbers processed; measured with the default rules.
SOLVER = WholeSolver((("judging", 0.03, 1_584_000), ("rounds", 0.97, 82_000)))
