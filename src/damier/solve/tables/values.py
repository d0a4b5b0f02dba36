"""Value of a position: win, draw or loss (WDL) for the side to move, and the distance.

Distances are to the end of the game (DTW, distance to win) or, where moves without capture are
counted, to the next capture that keeps the result (DTC, distance to conversion).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from damier.solve.value_codes import HOLDING, distance_of, win_of

Outcome = Literal["win", "draw", "loss"]
Metric = Literal["end", "capture"]


@dataclass(frozen=True)
class Value:
    """Value of a position for the side to move.

    `distance` is the number of moves to the end when the winner hurries and the loser delays, or
    None for a draw. Where `to` is "capture", it is the number of moves to the next capture that
    keeps the win (or to the end, if that comes first), and None if a win needs no capture. `later`
    orders values that are otherwise equal: for a capture it is the distance after it; for a draw,
    less is better.

    `bound` is True where the rules forbid repetition and neither side's win is proved. Then there
    is no draw: `outcome` "draw" only means that no forced win is known.
    """

    outcome: Outcome
    distance: int | None = None
    to: Metric = "end"
    later: int = field(default=0, compare=False, repr=False)
    bound: bool = field(default=False, repr=False)

    @property
    def rank(self) -> tuple[int, int, int]:
        """The sort key; the best value for the side to move is the lowest."""
        distance = 1 << 20 if self.distance is None else self.distance
        if self.outcome == "win":
            return 0, distance, self.later
        if self.outcome == "draw":
            return 1, 0, self.later
        return 2, -distance, -self.later

    def before(self, same_side: bool = False, captures: bool = False) -> Value:
        """Return the value of a move that leads here, for the side that plays it."""
        outcome = self.outcome
        if not same_side:
            opposite: dict[Outcome, Outcome] = {"win": "loss", "draw": "draw", "loss": "win"}
            outcome = opposite[outcome]
        if self.distance is None:
            later = self.later if same_side else -self.later
            return Value(outcome, None, self.to, later, self.bound)
        if captures and self.to == "capture":
            return Value(outcome, 1, self.to, self.distance)
        return Value(outcome, self.distance + 1, self.to)


def value_of(code: int, metric: Metric = "end") -> Value:
    """Return the value of a code (see `damier.solve.value_codes`)."""
    if code == 0:
        return Value("draw", None, metric)
    distance = distance_of(code)
    return Value(
        "win" if win_of(code) else "loss", None if distance == HOLDING else distance, metric
    )
