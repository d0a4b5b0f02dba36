"""How much of what one player, or one address, may do: buckets that fill up again by themselves."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from damier.errors import DamierError

MOST_BUCKETS = 50_000


@dataclass(frozen=True)
class Rate:
    """So many at once, and so many a second in the long run."""

    burst: float
    per_second: float


RATES = {
    "identities": Rate(60, 60 / 3600),
    "renames": Rate(10, 10 / 3600),
    "games": Rate(30, 1 / 30),
    "acts": Rate(60, 10),
    "lists": Rate(200, 10),
    "messages": Rate(120, 20),
    "sockets": Rate(60, 2),
}
CONNECTIONS = {"player": 20, "address": 400}
ADDRESS_TIMES = 10  # as much for an address as for a player: a school has one


class TooFast(DamierError):
    """Too much, too fast; `seconds` is how long to wait."""

    def __init__(self, seconds: float) -> None:
        self.seconds = max(1, round(seconds + 0.5))
        super().__init__("too-fast", seconds=self.seconds)


class Bucket:
    """What is left of an allowance."""

    __slots__ = ("left", "then")

    def __init__(self, burst: float, now: float) -> None:
        self.left, self.then = burst, now

    def take(self, rate: Rate, now: float) -> float:
        """Take one; return how long to wait if there is none, else 0."""
        self.left = min(rate.burst, self.left + (now - self.then) * rate.per_second)
        self.then = now
        if self.left < 1:
            return (1 - self.left) / rate.per_second
        self.left -= 1
        return 0.0


class Limits:
    """The allowances of everybody who was here lately."""

    def __init__(self, now: Callable[[], float] = monotonic, times: float = 1.0) -> None:
        """Make limits; with `times` they are so many times as wide: for tests under load."""
        self._now, self._times = now, times
        self._buckets: OrderedDict[tuple[str, str], Bucket] = OrderedDict()

    def allow(self, what: str, player: str, address: str = "") -> None:
        """Let somebody do something once, or raise TooFast."""
        self._allow(what, player, 1)
        if address:
            self._allow(what, f"@{address}", ADDRESS_TIMES)

    def _allow(self, what: str, who: str, times: float) -> None:
        rate = self.rate(what, times)
        bucket = self._buckets.get((what, who))
        if bucket is None:
            bucket = self._buckets[what, who] = Bucket(rate.burst, self._now())
            if len(self._buckets) > MOST_BUCKETS:
                self._buckets.popitem(last=False)
        wait = bucket.take(rate, self._now())
        if wait:
            raise TooFast(wait)

    def most(self, of: str) -> float:
        """Return how many connections a player or an address may have at once."""
        return CONNECTIONS[of] * self._times

    def rate(self, what: str, times: float = 1.0) -> Rate:
        """Return how much is allowed."""
        rate, times = RATES[what], times * self._times
        return Rate(rate.burst * times, rate.per_second * times)
