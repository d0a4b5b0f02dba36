"""What the documents show is run: Python sessions and shell lines, with what they print."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
READMES = [ROOT / "README.md", ROOT / "README.fr.md"]
DOCUMENTS = [*READMES, ROOT / "docs" / "python.md", ROOT / "docs" / "train.md"]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_python_sessions(path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", path.read_text("utf-8"), re.DOTALL)
    assert blocks
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, path.name, str(path), 0)
    assert test.examples
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(test)
    assert runner.failures == 0


def shell_lines() -> list[tuple[str, str]]:
    """Return each shell line of the README, in either language, with what it prints."""
    text = "\n".join(path.read_text("utf-8") for path in READMES)
    blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    parts = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE)]
    return [(line, printed) for line, _, printed in (p.partition("\n") for p in parts if p)]


@pytest.mark.parametrize(("line", "printed"), shell_lines())
def test_shell_lines(line: str, printed: str) -> None:
    folder = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    environment["LANGUAGE"] = "en"
    done = subprocess.run(
        line, shell=True, capture_output=True, encoding="utf-8", env=environment, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    assert [x.rstrip() for x in done.stdout.splitlines()] == [
        x.rstrip() for x in printed.splitlines()
    ]


@pytest.mark.parametrize("name", ["reliability.md", "reliability.fr.md"])
def test_every_promise_names_tests_that_exist(name: str) -> None:
    """Both languages promise the same; what is promised has a test, and every test is there."""
    text = (ROOT / "docs" / name).read_text("utf-8")
    promised = re.split(r"^## ", text, flags=re.MULTILINE)[1:-1]
    promises = [promise for part in promised for promise in re.split("^- ", part, flags=re.M)[1:]]
    assert len(promises) == 30
    for promise in promises:
        named = re.findall(r"`(test_\w+\.py)`", promise)
        assert named, promise
        for test in named:
            assert any((ROOT / "tests").rglob(test)), test
    for command in re.findall(r"`python (bench/\w+\.py)", text):
        assert (ROOT / command).is_file()


def test_links_of_documents_lead_somewhere() -> None:
    for path in [*READMES, ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text("utf-8")):
            assert (path.parent / target).exists(), f"{path.name}: {target}"
