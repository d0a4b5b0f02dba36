"""What all tests share: English, and no file of the user's touched."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from damier import lang


@pytest.fixture(autouse=True)
def _english_and_own_data(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    data: Path = tmp_path_factory.mktemp("data")
    monkeypatch.setenv("DAMIER_DATA_DIR", str(data))
    lang.use("en")
    yield
    lang.use(None)
