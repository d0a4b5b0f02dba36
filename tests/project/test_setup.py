"""Dependencies: the lock file is complete, and an audit without an answer fails."""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import audit

ROOT = Path(__file__).parents[2]
LOCK = (ROOT / "requirements-dev.txt").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
LOCKED = [
    Requirement(line.removesuffix("\\").strip())
    for line in LOCK.splitlines()
    if re.match(r"[a-z]", line)
]


def wishes(texts: list[str]) -> Iterator[Requirement]:
    """Yield what some lines of pyproject.toml ask for; an extra may name another."""
    for wish in map(Requirement, texts):
        if wish.name == PROJECT["name"]:
            for extra in wish.extras:
                yield from wishes(EXTRAS[extra])
        else:
            yield wish


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13", "3.14"])
@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
def test_the_lock_holds_one_version_of_each_that_the_project_allows(
    python: str, system: str
) -> None:
    """Where this fails after a change of pyproject.toml, `make lock` mends it."""
    machine = {"python_version": python, "python_full_version": f"{python}.0"}
    machine["sys_platform"] = system
    found: dict[str, str] = {}
    for one in LOCKED:
        if one.marker is None or one.marker.evaluate(machine):
            assert one.name not in found
            found[one.name] = next(iter(one.specifier)).version
    for wish in (*wishes(PROJECT["dependencies"]), *wishes(EXTRAS["dev"])):
        assert wish.specifier.contains(found[canonicalize_name(wish.name)]), wish


def test_the_lock_names_no_place_and_holds_every_package_to_its_digest() -> None:
    assert len(LOCKED) > 50
    assert "://" not in LOCK
    assert "index" not in LOCK
    assert "--only-binary :all:" in LOCK  # nobody needs a compiler of C
    packages = re.split(r"^(?=[a-z])", LOCK, flags=re.MULTILINE)[1:]
    assert len(packages) == len(LOCKED)
    assert all("--hash=sha256:" in package for package in packages)


SAFE: dict[str, Any] = {"name": "h11", "version": "0.16.0", "vulns": []}
UNSAFE = {
    "name": "h11",
    "version": "0.14.0",
    "vulns": [{"id": "PYSEC-1", "fix_versions": ["0.16.0"], "aliases": [], "description": ""}],
}
UNSAFE_NODE = {"range": "<2", "severity": "high"}


def test_an_audit_reports_vulnerabilities() -> None:
    assert list(audit.unsafe_python({"dependencies": [SAFE]})) == []
    (found,) = audit.unsafe_python({"dependencies": [SAFE, UNSAFE]})
    assert found == "h11 0.14.0: PYSEC-1, fixed in 0.16.0"
    report = {"vulnerabilities": {"tool": UNSAFE_NODE}}
    assert list(audit.unsafe_node(report)) == ["tool <2: high"]
    assert list(audit.unsafe_node({"vulnerabilities": {}})) == []


@pytest.mark.parametrize(
    ("python", "node", "status"),
    [
        ({"dependencies": [SAFE]}, {"vulnerabilities": {}}, 0),
        ({"dependencies": [UNSAFE]}, {"vulnerabilities": {}}, 1),
        ({"dependencies": [SAFE]}, {"vulnerabilities": {"a": UNSAFE_NODE}}, 1),
        ({"dependencies": [SAFE, {"name": "numba", "skip_reason": "not found"}]}, {}, 2),
        ({"dependencies": []}, {"message": "405"}, 2),
        ({}, {"vulnerabilities": {}}, 2),
        ([], [], 2),
        ("no report", "no report", 2),
    ],
)
def test_an_audit_without_an_answer_fails_with_a_message(
    python: Any,
    node: Any,
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def printing(report: Any) -> tuple[str, ...]:
        text = report if isinstance(report, str) else json.dumps(report)
        return sys.executable, "-c", f"print({text!r})"

    monkeypatch.setattr(audit, "PYTHON", printing(python))
    monkeypatch.setattr(audit, "NODE", printing(node))
    assert audit.main() == status
    said = capsys.readouterr().out
    assert ("not audited" in said) == (status == 2)
    assert "Traceback" not in said


def test_an_audit_whose_program_is_missing_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(audit, "PYTHON", (str(tmp_path / "none"),))
    monkeypatch.setattr(audit, "NODE", (sys.executable, "-c", "raise SystemExit('no network')"))
    assert audit.main() == 2
    said = capsys.readouterr().out
    assert "cannot be run" in said
    assert "no network" in said


def test_make_knows_the_commands() -> None:
    for target in ("lock", "audit", "lowest"):
        done = subprocess.run(
            ["make", "--dry-run", "--silent", target], cwd=ROOT, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr
