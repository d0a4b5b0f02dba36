"""Fixtures of the research tests."""

from collections.abc import Callable
from pathlib import Path

import pytest

import damier
from damier import GAMES, Rules, games

EXAMPLES = Path(__file__).parents[2] / "examples"
ExampleLoader = Callable[..., Rules]


@pytest.fixture
def example(own_registry: None) -> ExampleLoader:
    """Return a function like `load_rules` that also finds the example games, for one test."""

    def load(name: str, *presets: str) -> Rules:
        if name not in GAMES:
            games.load(EXAMPLES / name)
        return damier.load_rules(name, *presets)

    return load


@pytest.fixture
def tapatan(example: ExampleLoader) -> Rules:
    """Return the rules of the first example game."""
    return example("tapatan")
