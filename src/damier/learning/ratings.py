"""Glicko-2 ratings of players and puzzles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import glicko2

WIN, DRAW, LOSS = 1.0, 0.5, 0.0
SCALE = 173.7178  # Glicko-2's own unit, in points
# A rating stays within these bounds. Outside of them the update may not converge or overflow.
MIN_POINTS, MAX_POINTS = 0.0, 4000.0
MIN_DEVIATION, MAX_DEVIATION = 1.0, 350.0  # at most that of a new player
MIN_VOLATILITY, MAX_VOLATILITY = 0.001, 1.0


class _Player(glicko2.Player):  # type: ignore[misc]  # the library has no types
    """The library's player, with the volatility of the paper.

    The library (2.1.0) puts the square of the rating where step 5.2 of Glickman's paper has that of
    the deviation.
    """

    def _f(self, x: float, delta: float, v: float, a: float) -> float:
        spread = (self.rd / SCALE) ** 2 + v + math.exp(x)
        pull = math.exp(x) * (delta**2 - spread) / (2 * spread**2)
        return float(pull - (x - a) / self._tau**2)


@dataclass(frozen=True)
class Rating:
    """Rating: points, rating deviation and volatility."""

    points: float = 1500.0
    deviation: float = MAX_DEVIATION
    volatility: float = 0.06

    def after(self, results: Sequence[tuple[Rating, float]]) -> Rating:
        """Return the rating after a period with these opponents and scores (0 to 1)."""
        player = _Player(self.points, self.deviation, self.volatility)
        if results:
            others, scores = zip(*results, strict=True)
            player.update_player(
                [other.points for other in others], [other.deviation for other in others], scores
            )
        else:
            player.did_not_compete()
        return Rating(
            min(max(player.rating, MIN_POINTS), MAX_POINTS),
            min(max(player.rd, MIN_DEVIATION), MAX_DEVIATION),
            min(max(player.vol, MIN_VOLATILITY), MAX_VOLATILITY),
        )

    def expected_score(self, other: Rating) -> float:
        """Return the expected score against an opponent, from 0 to 1."""
        spread = math.hypot(self.deviation, other.deviation) / SCALE
        weight = 1 / math.sqrt(1 + 3 * spread**2 / math.pi**2)
        return 1 / (1 + math.exp(-weight * (self.points - other.points) / SCALE))
