"""Time limits of custom games' code: processor time, and a longer limit for code that waits."""

import sys
import time

import pytest

from damier.games import time_limits
from damier.games.time_limits import TimedOut, time_limit


def compute() -> None:
    """Compute without an end."""
    while True:
        pass


def wait() -> None:
    """Wait without an end, in short sleeps."""
    while True:
        time.sleep(0.01)


def test_code_that_computes_too_long_is_interrupted() -> None:
    with pytest.raises(TimedOut), time_limit(0.1):
        compute()


@pytest.mark.skipif(sys.platform != "linux", reason="a thread's processor time is unknown")
def test_a_busy_machine_makes_no_code_too_slow() -> None:
    with time_limit(0.1):
        time.sleep(0.3)  # the processor does other work


def test_code_that_waits_for_ever_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_limits, "MAX_WAIT", 2)
    with pytest.raises(TimedOut), time_limit(0.1):
        wait()
