"""Game clocks as pure values: every function takes the current time as an argument.

All times are server times in whole milliseconds. In a live game a side's first move costs nothing,
but it must be played within a time limit, otherwise the game is aborted. Network lag is deducted
from the cost of a move: the measured lag, at most `MAX_LAG_MS` and at most the side's lag reserve.
Each move refills the reserve a little, so that a player cannot gain time by being slow.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from damier.online.events import CorrespondenceClock, LiveClock, NoClock, Side

SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000  # in milliseconds
MAX_LAG_MS = 500  # deducted per move
MAX_LAG_RESERVE_MS = 1000
# A premove is free if it arrives this soon after the opponent's move, before any human reaction.
MAX_PREMOVE_MS = 300
LAG_REFILL_MS = 100  # per move
# Time limits for the first move of each side in a live game. Players from the lobby are present
# when the game starts; an invited friend may open the link later.
FIRST_MOVE_OPEN_MS, FIRST_MOVE_INVITED_MS = 60 * SECOND, 15 * MINUTE

ClockSettings = NoClock | LiveClock | CorrespondenceClock


@dataclass(frozen=True)
class SideClock:
    """The clock of one side."""

    left: int | None  # milliseconds; None without a clock
    reserve: int = MAX_LAG_RESERVE_MS  # lag that may still be deducted, in milliseconds
    has_moved: bool = False


@dataclass(frozen=True)
class Clock:
    """The clocks of both sides, the side to move, and since when it has been to move."""

    settings: ClockSettings
    w: SideClock
    b: SideClock
    first_move_ms: int = FIRST_MOVE_INVITED_MS
    to_move: Side | None = None
    move_started: int = 0

    @classmethod
    def initial(cls, settings: ClockSettings, open_: bool = False) -> Clock:
        """Return the clock of a game that has not started; `open_` games come from the lobby."""
        side_clock = SideClock(_initial_time(settings))
        return cls(
            settings, side_clock, side_clock, FIRST_MOVE_OPEN_MS if open_ else FIRST_MOVE_INVITED_MS
        )

    def side_clock(self, side: Side) -> SideClock:
        """Return the clock of a side."""
        return self.w if side == "w" else self.b

    @property
    def is_running(self) -> bool:
        """Whether the time of the side to move is running down."""
        if self.to_move is None or isinstance(self.settings, NoClock):
            return False
        return (
            isinstance(self.settings, CorrespondenceClock)
            or self.side_clock(self.to_move).has_moved
        )

    @property
    def deadline(self) -> int | None:
        """When the side to move runs out of time, before lag compensation; None if never."""
        if self.to_move is None or isinstance(self.settings, NoClock):
            return None
        left = self.side_clock(self.to_move).left if self.is_running else self.first_move_ms
        assert left is not None
        return self.move_started + left

    @property
    def latest_deadline(self) -> int | None:
        """When the side to move has run out of time even with the largest lag compensation."""
        deadline = self.deadline
        if deadline is None or self.to_move is None:
            return None
        return deadline + min(MAX_LAG_MS, self.side_clock(self.to_move).reserve)

    def time_left(self, side: Side, now: int) -> int | None:
        """Return the time left to a side at a given time; None without a clock."""
        left = self.side_clock(side).left
        if left is None or side != self.to_move or not self.is_running:
            return left
        return max(0, left - max(0, now - self.move_started))

    def move_cost(self, now: int, lag: int) -> tuple[int, int]:
        """Return the cost of a move played now, and the lag deducted from it."""
        elapsed = max(0, now - self.move_started)
        if self.to_move is None:
            return 0, 0
        allowed = max(0, min(lag, elapsed, MAX_LAG_MS, self.side_clock(self.to_move).reserve))
        return elapsed - allowed, allowed

    def is_overdue(self, now: int, lag: int) -> bool:
        """Return whether a move played now is too late."""
        deadline = self.deadline
        return deadline is not None and self.move_started + self.move_cost(now, lag)[0] >= deadline

    def start(self, side: Side | None, now: int) -> Clock:
        """Return the clock with a side to move from now on; None stops the clock."""
        return replace(self, to_move=side, move_started=now)

    def stop(self, now: int) -> Clock:
        """Return the clock, stopped with the time left to the side to move."""
        side = self.to_move
        if side is None:
            return self
        side_clock = replace(self.side_clock(side), left=self.time_left(side, now))
        stopped = replace(self, w=side_clock) if side == "w" else replace(self, b=side_clock)
        return stopped.start(None, now)

    def after_move(self, move_cost: int, lag: int, to_move: Side | None, now: int) -> Clock:
        """Return the clock after the side to move has played."""
        side = self.to_move
        if side is None:
            return self.start(to_move, now)
        side_clock, settings = self.side_clock(side), self.settings
        reserve = min(MAX_LAG_RESERVE_MS, side_clock.reserve - lag + LAG_REFILL_MS)
        left = side_clock.left
        if isinstance(settings, LiveClock) and left is not None and side_clock.has_moved:
            left = max(0, left - move_cost) + settings.seconds * SECOND
        after = SideClock(left, reserve, True)
        updated = replace(self, w=after) if side == "w" else replace(self, b=after)
        return updated.start(to_move, now)

    def extend(self, milliseconds: int) -> Clock:
        """Return the clock with more time for the side to move."""
        return replace(self, move_started=self.move_started + milliseconds)

    def both_have_moved(self) -> bool:
        """Return whether each side has played a move."""
        return self.w.has_moved and self.b.has_moved


def _initial_time(settings: ClockSettings) -> int | None:
    """Return the initial time of a side; None without a clock."""
    if isinstance(settings, LiveClock):
        # With an increment and no main time, the first increment is the initial time.
        return max(round(settings.minutes * MINUTE), settings.seconds * SECOND, SECOND)
    if isinstance(settings, CorrespondenceClock):
        return settings.days * DAY
    return None
