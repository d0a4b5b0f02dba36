"""Rate limits per player and per address, as token buckets."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from damier.errors import DamierError

MAX_BUCKETS = 50_000


@dataclass(frozen=True)
class Rate:
    """A burst size and a sustained rate per second."""

    burst: float
    per_second: float


RATES = {
    "identities": Rate(60, 60 / 3600),
    "renames": Rate(10, 10 / 3600),
    "exports": Rate(5, 5 / 3600),
    "games": Rate(30, 1 / 30),
    "acts": Rate(60, 10),
    "lists": Rate(200, 10),
    "messages": Rate(120, 20),
    "sockets": Rate(60, 2),  # of a player, or of an address without an identity
    "hellos": Rate(600, 50),  # of an address with a secret, which may be wrong
}
# "pending": of an address, before the first message.
MAX_CONNECTIONS_PER = {"player": 20, "address": 400, "pending": 200}
ADDRESS_FACTOR = 10  # an address may do more than a player: a whole school may share one


class RateLimitExceeded(DamierError):
    """A rate limit was exceeded; `seconds` is how long to wait before the next try."""

    def __init__(self, seconds: float) -> None:
        self.seconds = max(1, round(seconds + 0.5))
        super().__init__("too-fast", seconds=self.seconds)


class TokenBucket:
    """A token bucket."""

    __slots__ = ("tokens", "updated")

    def __init__(self, burst: float, now: float) -> None:
        self.tokens, self.updated = burst, now

    def take(self, rate: Rate, now: float) -> float:
        """Take a token and return 0.0, or return how many seconds to wait for one."""
        self.tokens = min(rate.burst, self.tokens + (now - self.updated) * rate.per_second)
        self.updated = now
        if self.tokens < 1:
            return (1 - self.tokens) / rate.per_second
        self.tokens -= 1
        return 0.0


class RateLimiter:
    """Token buckets of the players and addresses seen recently."""

    def __init__(self, now: Callable[[], float] = monotonic, factor: float = 1.0) -> None:
        """Create rate limits; `factor` multiplies them all, for load tests."""
        self._now, self._factor = now, factor
        self._buckets: OrderedDict[tuple[str, str], TokenBucket] = OrderedDict()

    def allow(self, operation: str, player: str, address: str = "") -> None:
        """Count an operation of a player and an address, or raise RateLimitExceeded."""
        self._allow(operation, player, 1)
        if address:
            self._allow(operation, f"@{address}", ADDRESS_FACTOR)

    def _allow(self, operation: str, client: str, factor: float) -> None:
        rate = self.rate(operation, factor)
        bucket = self._buckets.get((operation, client))
        if bucket is None:
            bucket = self._buckets[operation, client] = TokenBucket(rate.burst, self._now())
            if len(self._buckets) > MAX_BUCKETS:
                self._buckets.popitem(last=False)
        wait = bucket.take(rate, self._now())
        if wait:
            raise RateLimitExceeded(wait)

    def max_connections(self, of: str) -> float:
        """Return how many connections of a kind there may be at once."""
        return MAX_CONNECTIONS_PER[of] * self._factor

    def rate(self, operation: str, factor: float = 1.0) -> Rate:
        """Return the rate limit of an operation."""
        rate, factor = RATES[operation], factor * self._factor
        return Rate(rate.burst * factor, rate.per_second * factor)
