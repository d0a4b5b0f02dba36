"""Installations of the package outside the checkout."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
TOOLS = Path(sys.executable).parent
OWN = ("PYTHON", "VIRTUAL_ENV", "GITHUB_", "NUMBA_", "DAMIER_")


def run(*command: object, **environment: str) -> str:
    """Run a command outside the checkout and return what it prints."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(OWN)}
    done = subprocess.run(
        list(map(str, command)),
        cwd="/",
        env={**inherited, **environment},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def build(target: Path, **environment: str) -> tuple[Path, Path]:
    """Build the package; return the wheel and the source distribution."""
    command = (TOOLS / "uv", "build", "--quiet", "--no-build-isolation")
    run(*command, "--python", sys.executable, "--out-dir", target, ROOT, **environment)
    (wheel,), (source,) = target.glob("*.whl"), target.glob("*.tar.gz")
    return wheel, source


def new_environment(folder: Path) -> Path:
    """Make an empty environment; return the folder of its programs."""
    run(TOOLS / "uv", "venv", "--quiet", "--python", sys.executable, folder)
    return folder / ("Scripts" if sys.platform == "win32" else "bin")


def install(programs: Path, requirement: str) -> None:
    """Install into an environment: from uv's cache or, the first time, from the network."""
    command = (TOOLS / "uv", "pip", "install", "--quiet", "--only-binary=:all:")
    target = ("--python", programs / "python")
    pins = ("--constraint", ROOT / "requirements-dev.txt", "--no-verify-hashes")
    try:
        run(*command, *target, *pins, "--offline", requirement)
    except AssertionError:
        run(*command, *target, *pins, requirement)
