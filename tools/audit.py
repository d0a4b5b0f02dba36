"""Audit of all development dependencies with the advisory databases: `make audit`.

It fails if a dependency is known to be vulnerable, and also if one could not be looked up, because
no answer does not mean that it is safe.
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
# pip-audit runs in its own environment, so that its dependencies are not damier's.
PYTHON = (
    "uvx",
    "--quiet",
    "pip-audit>=2.7,<3",
    "--progress-spinner=off",
    "--format=json",
    "--disable-pip",
    "--require-hashes",
    f"--requirement={LOCK}",
)
NODE = ("npm", "audit", "--json")


class DatabaseUnavailable(Exception):
    """A database was not reached, or its report cannot be read."""


def run_json(command: Sequence[str]) -> Any:
    """Return the JSON output of a command, whatever its exit status."""
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError as error:
        raise DatabaseUnavailable(f"{command[0]} cannot be run: {error.strerror}") from None
    try:
        return json.loads(done.stdout)
    except ValueError:
        last = (done.stderr.strip() or "it printed nothing").splitlines()[-1]
        raise DatabaseUnavailable(f"{command[0]} gave no report: {last}") from None


def unsafe_python(report: Any) -> Iterator[str]:
    """Yield the vulnerabilities in a report of pip-audit."""
    packages = report["dependencies"]
    skipped = [package["name"] for package in packages if "skip_reason" in package]
    if skipped or not packages:
        raise DatabaseUnavailable(
            f"{len(skipped)} of {len(packages)} packages could not be looked up"
        )
    for package in packages:
        for found in package["vulns"]:
            fixed = ", ".join(found["fix_versions"]) or "no version"
            yield f"{package['name']} {package['version']}: {found['id']}, fixed in {fixed}"


def unsafe_node(report: Any) -> Iterator[str]:
    """Yield the vulnerabilities in a report of `npm audit`."""
    if "vulnerabilities" not in report:
        raise DatabaseUnavailable(report.get("message") or "npm gave no result")
    for name, found in report["vulnerabilities"].items():
        yield f"{name} {found['range']}: {found['severity']}"


def main() -> int:
    """Print vulnerabilities and failed lookups; return 0 if there are none."""
    bad = 0
    for ecosystem, command, unsafe in (
        ("Python", PYTHON, unsafe_python),
        ("Node", NODE, unsafe_node),
    ):
        try:
            found = list(unsafe(run_json(command)))
        except (DatabaseUnavailable, LookupError, TypeError, AttributeError) as error:
            reason = (
                error if isinstance(error, DatabaseUnavailable) else "its report has another form"
            )
            print(f"{ecosystem}: not audited: the advisory database gave no answer ({reason})")
            bad = 2
            continue
        for line in found:
            print(f"{ecosystem}: {line}")
        bad = max(bad, int(bool(found)))
        print(f"{ecosystem}: {len(found) or 'nothing'} known to be unsafe")
    return bad


if __name__ == "__main__":
    sys.exit(main())
