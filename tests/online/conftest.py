"""Fixtures of the tests of online games."""

from collections.abc import Iterator

import pytest

from damier.online import heartbeat
from damier.online.clock import DAY


@pytest.fixture(scope="module")
def no_outages() -> Iterator[None]:
    """Let servers of this process take no delay of a busy machine for an outage."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(heartbeat, "MIN_OUTAGE_MS", DAY)
        yield
