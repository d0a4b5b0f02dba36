"""Stable interfaces: they are as stored, and their names exist at run time."""

import difflib
import importlib
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import api_description
import command_description
import http_reference

ROOT = Path(__file__).parents[2]


STORED = [
    (api_description.DESCRIPTION, api_description.python_description, "api_description.py"),
    (command_description.DESCRIPTION, command_description.description, "command_description.py"),
    (http_reference.PAGE, http_reference.reference, "http_reference.py"),
]


@pytest.mark.parametrize(("path", "describe", "tool"), STORED, ids=["python", "commands", "http"])
def test_the_stable_interfaces_are_as_stored(
    path: Path, describe: Callable[[], str], tool: str
) -> None:
    """A difference that removes or changes a line breaks users: see docs/stability.md."""
    stored, current = path.read_text("utf-8").splitlines(), describe().splitlines()
    difference = "\n".join(difflib.unified_diff(stored, current, lineterm="", n=2))
    reason = f"run python tools/{tool}, and name what breaks in CHANGELOG.md"
    assert difference == "", f"{reason}\n{difference}"


def test_both_languages_list_the_same_stable_modules() -> None:
    modules = api_description.stable_modules()
    assert len(modules) == len(set(modules)) > 12
    french = (ROOT / "docs" / "stability.fr.md").read_text("utf-8")
    listed = french.partition("Les modules dont l’interface est stable")[2]
    assert set(modules) <= set(re.findall(r"`(damier[a-z_.]*)`", listed))


@pytest.mark.parametrize("name", api_description.stable_modules())
def test_every_public_name_exists(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__all__ == sorted(module.__all__, key=sort_key)
    for public in module.__all__:
        assert getattr(module, public) is not None


def sort_key(name: str) -> tuple[int, str]:
    """Order names as the linter does: constants, classes, functions."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)
