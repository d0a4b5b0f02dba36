"""Clocks: how long a side has left. Nothing here knows what time it is: it is told.

All times are the server's, in whole milliseconds. A side's first turn of a live game is free, but
must come within some time, else the game is called off. Lag is let off from what a turn costs: as
much as was measured, at most `MOST_LAG`, and at most what a reserve holds that every turn fills up
a little, so that nobody gains by being slow.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from damier.online.events import DaysClock, LiveClock, NoClock, Side

SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000
MOST_LAG = 500  # a turn
FULL_RESERVE = 1000
REFILL = 100  # a turn
# For the first turn of each side in a live game: strangers wait for each other at the board,
# friends may have put the link away.
FIRST_OPEN, FIRST_FRIEND = 60 * SECOND, 15 * MINUTE

Settings = NoClock | LiveClock | DaysClock


@dataclass(frozen=True)
class Hand:
    """One side's part of a clock."""

    left: int | None
    reserve: int = FULL_RESERVE
    begun: bool = False  # has played a turn


@dataclass(frozen=True)
class Clock:
    """How long each side has left, who is to move, and since when."""

    settings: Settings
    w: Hand
    b: Hand
    first: int = FIRST_FRIEND
    moving: Side | None = None
    since: int = 0

    @classmethod
    def of(cls, settings: Settings, open_: bool = False) -> Clock:
        """Return the clock of a game that has not begun."""
        hand = Hand(_whole(settings))
        return cls(settings, hand, hand, FIRST_OPEN if open_ else FIRST_FRIEND)

    def hand(self, side: Side) -> Hand:
        """Return a side's part."""
        return self.w if side == "w" else self.b

    @property
    def counts(self) -> bool:
        """Whether time runs against who is to move."""
        if self.moving is None or isinstance(self.settings, NoClock):
            return False
        return isinstance(self.settings, DaysClock) or self.hand(self.moving).begun

    @property
    def deadline(self) -> int | None:
        """When the side to move must have played, lag aside."""
        if self.moving is None or isinstance(self.settings, NoClock):
            return None
        left = self.hand(self.moving).left if self.counts else self.first
        assert left is not None
        return self.since + left

    @property
    def due(self) -> int | None:
        """When it is certain that the side to move is too late, whatever its lag."""
        deadline = self.deadline
        if deadline is None or self.moving is None:
            return None
        return deadline + min(MOST_LAG, self.hand(self.moving).reserve)

    def left(self, side: Side, now: int) -> int | None:
        """Return how long a side has left at some time."""
        left = self.hand(side).left
        if left is None or side != self.moving or not self.counts:
            return left
        return max(0, left - max(0, now - self.since))

    def spent(self, now: int, lag: int) -> tuple[int, int]:
        """Return what a turn costs that comes now, and what of the time since is let off."""
        passed = max(0, now - self.since)
        if self.moving is None:
            return 0, 0
        allowed = max(0, min(lag, passed, MOST_LAG, self.hand(self.moving).reserve))
        return passed - allowed, allowed

    def too_late(self, now: int, lag: int) -> bool:
        """Tell whether the side to move has no time left for a turn that comes now."""
        deadline = self.deadline
        return deadline is not None and self.since + self.spent(now, lag)[0] >= deadline

    def go(self, side: Side | None, now: int) -> Clock:
        """Return the clock from now on, with this side to move."""
        return replace(self, moving=side, since=now)

    def played(self, spent: int, lag: int, to_move: Side | None, now: int) -> Clock:
        """Return the clock after a turn of the side to move."""
        side = self.moving
        if side is None:
            return self.go(to_move, now)
        hand, settings = self.hand(side), self.settings
        reserve = min(FULL_RESERVE, hand.reserve - lag + REFILL)
        left = hand.left
        if isinstance(settings, LiveClock) and left is not None and hand.begun:
            left = max(0, left - spent) + settings.seconds * SECOND
        after = Hand(left, reserve, True)
        moved = replace(self, w=after) if side == "w" else replace(self, b=after)
        return moved.go(to_move, now)

    def paused(self, milliseconds: int) -> Clock:
        """Return the clock as if so much time had not passed."""
        return replace(self, since=self.since + milliseconds)

    def both_begun(self) -> bool:
        """Tell whether each side has played a turn."""
        return self.w.begun and self.b.begun


def _whole(settings: Settings) -> int | None:
    """Return what a side has at first."""
    if isinstance(settings, LiveClock):
        # Who has seconds for each turn and nothing else has those of the first.
        return max(round(settings.minutes * MINUTE), settings.seconds * SECOND, SECOND)
    if isinstance(settings, DaysClock):
        return settings.days * DAY
    return None
