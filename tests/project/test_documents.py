"""Documents: their Python sessions and shell lines run and print what they show."""

import doctest
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import document_pictures

ROOT = Path(__file__).parents[2]
READMES = [ROOT / "README.md", ROOT / "README.fr.md"]
RESEARCH = ROOT / "docs" / "research"
DOCUMENTS = [
    *READMES,
    ROOT / "docs" / "python.md",
    ROOT / "docs" / "train.md",
    ROOT / "docs" / "research.md",
    *sorted(path for path in RESEARCH.glob("*.md") if not path.name.endswith(".fr.md")),
]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_python_sessions(path: Path, tmp_path: Path) -> None:
    """Each document has a process of its own: some libraries keep the output that they found."""
    blocks = re.findall(r"```python\n(.*?)```", path.read_text("utf-8"), re.DOTALL)
    assert doctest.DocTestParser().get_examples("\n".join(blocks))
    session = tmp_path / f"{path.name}.txt"
    session.write_text("\n".join(blocks), "utf-8")
    command = [sys.executable, "-m", "doctest", "-o", "ELLIPSIS", str(session)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_translated_pages_have_the_same_code() -> None:
    pages = [ROOT / "docs" / "research.md", *DOCUMENTS[-6:]]
    assert {page.stem for page in pages} > {"batch", "gymnasium", "openspiel", "pettingzoo"}
    for page in pages:
        english, french = (
            re.findall(r"```(?:python|py|sh)\n.*?```", path.read_text("utf-8"), re.DOTALL)
            for path in (page, page.with_suffix(".fr.md"))
        )
        assert english == french, page.name


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


def test_every_promise_names_tests_that_exist() -> None:
    """Both languages promise the same; what is promised has a test, and every test is there."""
    tests_of = {}
    for name in ("reliability.md", "reliability.fr.md"):
        text = (ROOT / "docs" / name).read_text("utf-8")
        promised = re.split(r"^## ", text, flags=re.MULTILINE)[1:-1]
        promises = [one for part in promised for one in re.split("^- ", part, flags=re.M)[1:]]
        assert len(promises) >= 30
        tests_of[name] = [re.findall(r"`(test_\w+\.py)`", promise) for promise in promises]
        for promise, tests in zip(promises, tests_of[name], strict=True):
            assert tests, promise
            for test in tests:
                assert any((ROOT / "tests").rglob(test)), test
        for command in re.findall(r"`python ((?:bench|tools)/\w+\.py)", text):
            assert (ROOT / command).is_file()
    english, french = tests_of.values()
    assert [set(tests) for tests in english] == [set(tests) for tests in french]


def test_documents_say_that_a_game_is_a_program() -> None:
    """Wherever a game from outside is loaded, its code runs with the user's rights."""
    outside = re.compile(r"--game\b|\./(mygame|monjeu)|\./hexapawn|damier\.games`")
    said = re.compile(r"runs\s+with\s+(your|the)\s+rights|tourne\s+avec\s+vos\s+droits")
    mentions = [
        path
        for path in [*READMES, *(ROOT / "docs").glob("*.md")]
        if path.stem not in ("design", "changelog") and outside.search(path.read_text("utf-8"))
    ]
    assert len(mentions) >= 9
    assert [path.name for path in mentions if not said.search(path.read_text("utf-8"))] == []


def test_links_of_documents_lead_somewhere() -> None:
    for path in [*READMES, ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text("utf-8")):
            assert (path.parent / target).exists(), f"{path.name}: {target}"


def test_pictures_show_the_figures_of_the_documents() -> None:
    for name, text in document_pictures.pictures().items():
        stored = (document_pictures.PICTURES / name).read_text("utf-8")
        assert stored == text, f"{name}: run python tools/document_pictures.py"
    panels = document_pictures.difficulty((ROOT / "docs" / "puzzles.md").read_text("utf-8"))
    assert {sum(bar.value for bar in bars) for bars in panels.values()} == {320}


def glossary_rows() -> list[list[str]]:
    """Return the rows of the glossary's tables of terms: English, French, code and meaning."""
    text = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    terms = [[cell.strip() for cell in row] for row in rows]
    return [row for row in terms if row[0] != "English" and set(row[0]) != {"-"}]


def test_the_glossary_is_complete_and_its_names_exist() -> None:
    rows = glossary_rows()
    assert len(rows) > 80
    assert len({row[0] for row in rows}) == len(rows)
    kinds = ("*.py", "*.json", "*.js")
    source = "\n".join(
        path.read_text("utf-8") for kind in kinds for path in (ROOT / "src").rglob(kind)
    )
    words = set(re.findall(r"[\w-]+", source))
    modules = {path.stem for path in (ROOT / "src").rglob("*.py")}
    for row in rows:
        assert len(row) == 4, row
        assert all(row), row
        for name in re.findall(r"`([^`]+)`", row[2]):
            if name.startswith("damier."):
                importlib.import_module(name)
            elif re.fullmatch(r"@?[A-Za-z][\w.-]*", name) and not re.fullmatch(r"@?[a-u]\d+", name):
                parts = set(re.findall(r"[\w-]+", name.removesuffix(".py")))
                assert parts <= words | modules, f"{row[0]}: {name} is not in the source"
