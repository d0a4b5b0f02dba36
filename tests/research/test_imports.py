"""Importing damier loads none of the optional libraries."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def optional_modules() -> set[str]:
    """Return the modules of the libraries that extras install and damier alone does not need."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

    def names(requirements: list[str]) -> set[str]:
        found = (re.match(r"[A-Za-z0-9_.-]+", text) for text in requirements)
        return {re.sub(r"[-_.]+", "-", name[0]).lower() for name in found if name}

    extras = set().union(*map(names, project["optional-dependencies"].values()))
    wanted = extras - names(project["dependencies"]) - {"damier"}
    return {
        module
        for module, distributions in packages_distributions().items()
        for name in distributions
        if re.sub(r"[-_.]+", "-", name).lower() in wanted
    }


@pytest.mark.parametrize("code", ["import damier", "import damier.batch, damier.truth"])
def test_damier_loads_no_optional_library(code: str) -> None:
    optional = optional_modules()
    assert {
        "gymnasium",
        "pettingzoo",
        "pyspiel",
        "pyarrow",
        "sqlalchemy",
        "distributed",
    } <= optional
    code = f"import sys; {code}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "damier" in done.stdout.split()
    assert not optional & set(done.stdout.split())


def test_damier_alone_does_not_load_numpy() -> None:
    code = "import sys, damier; print('numpy' in sys.modules, 'damier.research' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
