"""Golden playthroughs are unchanged, and every game has its own."""

import pytest

from tests.support import golden


@pytest.mark.parametrize(("name", "preset"), golden.PLAYTHROUGHS)
def test_playthrough(name: str, preset: str) -> None:
    assert golden.path(name, preset).exists(), "run python -m tests.support.golden"
    assert golden.playthrough(name, preset) == golden.path(name, preset).read_text("utf-8")


def test_no_playthrough_is_left_over() -> None:
    expected = {golden.path(*one) for one in golden.PLAYTHROUGHS}
    assert set(golden.FOLDER.glob("*.txt")) == expected
