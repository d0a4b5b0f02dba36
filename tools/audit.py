"""Ask the advisory databases about everything that development installs: `make audit`.

It fails where something is known to be unsafe, and also where something could not be looked up: a
database that is silent has not said that all is well.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
LOCK = ROOT / "requirements-dev.txt"
# In an environment of its own: what it needs is nothing that damier needs.
PYTHON = (
    "uvx", "--quiet", "pip-audit>=2.7,<3", "--progress-spinner=off", "--format=json",
    "--disable-pip", "--require-hashes", f"--requirement={LOCK}",
)  # fmt: skip
NODE = ("npm", "audit", "--json")


class Silent(Exception):
    """A database was not reached, or what it says cannot be understood."""


def asked(command: Sequence[str]) -> Any:
    """Return what a command prints as JSON, whether or not it has found anything."""
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError as error:
        raise Silent(f"{command[0]} cannot be run: {error.strerror}") from None
    try:
        return json.loads(done.stdout)
    except ValueError:
        last = (done.stderr.strip() or "it printed nothing").splitlines()[-1]
        raise Silent(f"{command[0]} gave no report: {last}") from None


def unsafe_python(report: Any) -> Iterator[str]:
    """Tell what pip-audit has found."""
    packages = report["dependencies"]
    skipped = [package["name"] for package in packages if "skip_reason" in package]
    if skipped or not packages:
        raise Silent(f"{len(skipped)} of {len(packages)} packages could not be looked up")
    for package in packages:
        for found in package["vulns"]:
            mended = ", ".join(found["fix_versions"]) or "no version"
            yield f"{package['name']} {package['version']}: {found['id']}, mended in {mended}"


def unsafe_node(report: Any) -> Iterator[str]:
    """Tell what `npm audit` has found."""
    if "vulnerabilities" not in report:
        raise Silent(report.get("message") or "npm says neither yes nor no")
    for name, found in report["vulnerabilities"].items():
        yield f"{name} {found['range']}: {found['severity']}"


def main() -> int:
    """Print what is unsafe, and what nobody could tell; 0 if all is well."""
    bad = 0
    for what, command, unsafe in (
        ("Python", PYTHON, unsafe_python),
        ("Node", NODE, unsafe_node),
    ):
        try:
            found = list(unsafe(asked(command)))
        except (Silent, LookupError, TypeError, AttributeError) as error:
            reason = error if isinstance(error, Silent) else "its report has another form"
            print(f"{what}: not audited, for the advisory database gave no answer ({reason})")
            bad = 2
            continue
        for line in found:
            print(f"{what}: {line}")
        bad = max(bad, int(bool(found)))
        print(f"{what}: {len(found) or 'nothing'} known to be unsafe")
    return bad


if __name__ == "__main__":
    sys.exit(main())
