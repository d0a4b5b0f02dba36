"""What a position is worth: win, draw or loss (WDL) for the side to move, and how far that is.

Distances are to the end of the game (DTW, distance to win) or, where turns without capture are
counted, to the next capture that keeps the result (DTC, distance to conversion).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from damier.solve.codes import HOLDING, distance_of, win_of

Outcome = Literal["win", "draw", "loss"]
Metric = Literal["end", "capture"]


@dataclass(frozen=True)
class Value:
    """What a position is worth to the side to move.

    `distance` is the number of turns to the end when the winner hurries and the loser delays, or
    None for a draw. Where `to` is "capture", it is the number of turns to the next capture that
    keeps the win (or to the end, if that comes first), and None if a win needs no capture. `later`
    chooses between values that are otherwise alike: of a turn that captures it is the distance
    after it; of a draw, less is better.
    """

    outcome: Outcome
    distance: int | None = None
    to: Metric = "end"
    later: int = field(default=0, compare=False, repr=False)

    @property
    def rank(self) -> tuple[int, int, int]:
        """What to sort by: the best for the side to move first, that is lowest."""
        distance = 1 << 20 if self.distance is None else self.distance
        if self.outcome == "win":
            return 0, distance, self.later
        if self.outcome == "draw":
            return 1, 0, self.later
        return 2, -distance, -self.later

    def before(self, same_side: bool = False, captures: bool = False) -> Value:
        """Return what a turn that leads here is worth to the side that plays it."""
        outcome = self.outcome
        if not same_side:
            turned: dict[Outcome, Outcome] = {"win": "loss", "draw": "draw", "loss": "win"}
            outcome = turned[outcome]
        if self.distance is None:
            return Value(outcome, None, self.to, self.later if same_side else -self.later)
        if captures and self.to == "capture":
            return Value(outcome, 1, self.to, self.distance)
        return Value(outcome, self.distance + 1, self.to)


def value_of(code: int, metric: Metric = "end") -> Value:
    """Return what a code (see `damier.solve.codes`) means."""
    if code == 0:
        return Value("draw", None, metric)
    distance = distance_of(code)
    return Value(
        "win" if win_of(code) else "loss", None if distance == HOLDING else distance, metric
    )
