"""How the house is kept: a game is one folder, text is read in one place, nothing is too long."""

import ast
import importlib
import pkgutil
import re
import sys
from pathlib import Path

import pytest

import damier
from damier import GAMES

ROOT = Path(__file__).parent.parent
PACKAGE = Path(damier.__file__).parent
FOLDERS = [PACKAGE / "games" / name for name in GAMES]
# The one place outside their folders that names games: the order in which home shows them.
ORDER = PACKAGE / "games" / "__init__.py"


def sources(*suffixes: str) -> list[Path]:
    """Return the package's and the tools' files of some kinds that belong to no game."""
    found = [
        path
        for root in (PACKAGE, ROOT / "tools")
        for path in root.rglob("*")
        if path.suffix in suffixes and "node_modules" not in path.parts
    ]
    return [path for path in found if not any(path.is_relative_to(f) for f in FOLDERS)]


def test_there_are_sources() -> None:
    assert len(sources(".py", ".js", ".css", ".json", ".html")) > 90


@pytest.mark.parametrize("game", GAMES)
def test_no_file_outside_its_folder_names_a_game(game: str) -> None:
    named = re.compile(rf"(?<![a-z]){game}", re.IGNORECASE)
    for path in sources(".py", ".js", ".css", ".json", ".html"):
        text = path.read_text("utf-8")
        if path == ORDER:
            text = re.sub(r"^ORDER = \(.*\)$", "", text, flags=re.MULTILINE)
        found = [n for n, line in enumerate(text.splitlines(), 1) if named.search(line)]
        assert not found, f"{path.relative_to(ROOT)}: lines {found}"


def test_no_file_outside_a_folder_cites_a_rule_of_a_game() -> None:
    """A rule has a number, and its number stands where the rule does."""
    numbered = re.compile(r"\b(FR|CH|BA|SE|FA)-\d")
    for path in sources(".py", ".js"):
        assert not numbered.search(path.read_text("utf-8")), path.relative_to(ROOT)


def test_only_the_notation_takes_cells_out_of_texts() -> None:
    shape = re.compile(r"\[a-[uz]\]\)?\\?\[?(\\d|1-9)")
    for path in sources(".py", ".js"):
        if path.name != "notation.py":
            assert not shape.search(path.read_text("utf-8")), path.relative_to(ROOT)


def test_no_module_reaches_for_another_s_private_names() -> None:
    for path in [*sources(".py"), *(p for folder in FOLDERS for p in folder.glob("*.py"))]:
        tree = ast.parse(path.read_text("utf-8"))
        modules = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.level or "damier" in (node.module or "")):
                taken = [alias.name for alias in node.names if _is_private(alias.name)]
                assert not taken, f"{path.relative_to(ROOT)}: {taken}"
                modules |= {alias.asname or alias.name for alias in node.names}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                reached = node.value.id in modules and _is_private(node.attr)
                assert not reached, f"{path.relative_to(ROOT)}: {node.value.id}.{node.attr}"


def test_no_public_name_is_both_a_module_and_something_else() -> None:
    for found in pkgutil.walk_packages(damier.__path__, "damier."):
        if not found.name.endswith("__main__"):
            module = importlib.import_module(found.name)
            parent, _, name = found.name.rpartition(".")
            assert getattr(sys.modules[parent], name) is module, found.name


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


@pytest.mark.parametrize("path", sources(".py", ".js", ".css"), ids=lambda path: path.name)
def test_no_file_is_much_too_long(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= 620


def test_deleting_a_folder_deletes_a_game(tmp_path: Path) -> None:
    """Nothing else of the package knows it, so the others go on without it."""
    import shutil
    import subprocess

    gone, *others = GAMES
    shutil.copytree(PACKAGE, tmp_path / "damier", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.rmtree(tmp_path / "damier" / "games" / gone)
    code = (
        "import damier; from damier.web.app import create_app; create_app();"
        "print(*damier.GAMES, *(len(damier.game(g).start().turns()) for g in damier.GAMES))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    counts = [str(len(damier.game(name).start().turns())) for name in others]
    assert done.stdout.split() == [*others, *counts], done.stderr
