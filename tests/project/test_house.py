"""Source conventions: one folder per game, unique class names, plain words, short files."""

import ast
import importlib
import pkgutil
import re
import sys
from functools import cache
from pathlib import Path

import pytest

import damier
from damier import GAMES

ROOT = Path(__file__).parents[2]
PACKAGE = Path(damier.__file__).parent
FOLDERS = [PACKAGE / "games" / name for name in GAMES]
# The one place outside their folders that names games: the order in which home shows them.
ORDER = PACKAGE / "games" / "__init__.py"
# Data makers and audits of particular games and rulesets: like benchmarks they name games.
GAME_TOOLS = {
    "animated_game.py",
    "document_pictures.py",
    "known_wins.py",
    "ladder.py",
    "lesson_ideas.py",
    "published_values.py",
    "superko_audit.py",
    "win_audit.py",
}


def sources(*suffixes: str) -> list[Path]:
    """Return the package's and the tools' files of some kinds that belong to no game."""
    found = [
        path
        for root in (PACKAGE, ROOT / "tools")
        for path in root.rglob("*")
        if path.suffix in suffixes and "node_modules" not in path.parts
    ]
    shared = [path for path in found if not any(path.is_relative_to(f) for f in FOLDERS)]
    return [path for path in shared if path.parent.name != "tools" or path.name not in GAME_TOOLS]


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


# Public classes that share a name on purpose, with the reason.
SHARED_CLASS_NAMES = {
    "Player": "the API's interface of anything that chooses moves, and a registered online player",
}


def test_public_classes_have_unique_names() -> None:
    """A class name has one meaning in the whole package, apart from the exceptions above."""
    modules: dict[str, list[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not _is_private(node.name):
                modules.setdefault(node.name, []).append(str(path.relative_to(PACKAGE)))
    shared = {name: found for name, found in modules.items() if len(found) > 1}
    assert shared.keys() == SHARED_CLASS_NAMES.keys(), shared


# Words that a reader of this field would not expect or search for, with what to write instead.
# Parts of names count: `the_asker` is found as well; words in capitals are parts of constants.
DISCOURAGED = {
    "anew": "again",
    "askers?": "client",
    "counts not": "does not count",
    "crew": "worker pool",
    "farewell": "close reason",
    "for ears": "screen-reader text",
    "forsaken": "abandoned",
    "say goodbye": "close the connection",
    "he|him|his|himself|she|her|hers|herself": "they, or a noun: the player, the opponent",
    "hindsight": "review",
    "kept from": "prevented from, hidden from",
    "let something": "allow, run, register",
    "lest|whilst|thereby|wherein|thereof|hitherto": "a word of today",
    "LEAST": "MIN",
    "MOST": "MAX",
    "parted": "disconnected",
    "stands in for|stand in for": "replaces, represents",
    "stumbled?": "failed",
    "tale": "game tree",
    "told": "notified, informed, given",
    "whoever": "a noun: the player, the caller, the client",
}
# Words of French that English prose does not contain.
FRENCH = re.compile(r"(?<![\w-])(les|des|une|est|dans|pour|avec|sans(?!-)|qui|du)(?![\w-])")


def prose() -> list[Path]:
    """Return the source files, the English documents, pages of rules and interface texts."""
    folders = ("src", "tests", "bench", "tools", "examples")
    code = [path for root in folders for path in _files(ROOT / root)]
    texts = (*PACKAGE.rglob("*.en.json"), *PACKAGE.rglob("*.en.md"))
    return [path for path in (*code, *documents(), *texts) if path != Path(__file__)]


def documents() -> list[Path]:
    """Return the English documents, and the files that describe the project to tools."""
    pages = (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"))
    found = [path for path in pages if not path.name.endswith(".fr.md")]
    return [*found, ROOT / "Makefile", ROOT / "pyproject.toml"]


@cache
def prose_texts() -> dict[Path, str]:
    """Return the content of these files.

    Code in the changelog and the glossary is left out: it includes names that were replaced.
    """
    texts = {path: path.read_text("utf-8") for path in prose()}
    for path, text in texts.items():
        if path.name in ("CHANGELOG.md", "glossary.md"):
            texts[path] = re.sub(r"`[^`\n]*`", "", text)
    return texts


def _files(root: Path) -> list[Path]:
    suffixes = (".py", ".js", ".mjs", ".css", ".html")
    return [path for path in root.rglob("*") if path.suffix in suffixes]


@pytest.mark.parametrize("word", DISCOURAGED)
def test_no_discouraged_word_is_used(word: str) -> None:
    flags = re.NOFLAG if word.isupper() else re.IGNORECASE
    pattern = re.compile(rf"(?<![^\W_])(?:{word})(?![^\W_])", flags)
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path, text in prose_texts().items()
        if pattern.search(text)
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found, f"write {DISCOURAGED[word]!r} instead of {word!r}: {found}"


def test_english_prose_contains_no_french() -> None:
    """The glossary translates terms; the documents in French have names of their own."""
    kinds = (".js", ".mjs", ".css", ".html", ".toml", ".md", "")
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path, text in prose_texts().items()
        if path.suffix in kinds and path.name != "glossary.md"
        for match in FRENCH.finditer(text)
    ]
    assert not found


# Functions that may be named by a participle: they return a changed copy, as `sorted` does, or a
# judgement, an attribute or a set of pawns; or the name is that of an interface.
PARTICIPLES = {
    *("barred", "promoted", "repeated", "shown", "transformed"),  # the contract of games
    *("captured", "drawn", "ended", "placed", "won"),  # rules and judgements
    *("enabled", "enlarged", "inlined"),  # kernels and their back ends
    *("lined", "measured", "proved"),  # constructors of Board and Figure
    *("done", "expired", "restricted", "uncounted", "_signed"),
}


def test_functions_are_not_named_by_a_participle() -> None:
    """`_kept` and `_described` do not say what a function does: `_load_checkpoint`, `_describe`."""
    irregular = "begun|chosen|done|drawn|found|held|kept|known|left|lost|made|met|seen|sent|shown"
    participle = re.compile(rf"_*(?:\w+ed|{irregular}|taken|told|used|won)")
    found: dict[str, list[str]] = {}
    for path in [*sources(".py"), *(p for folder in FOLDERS for p in folder.glob("*.py"))]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            is_property = any("property" in ast.unparse(one) for one in node.decorator_list)
            is_participle = participle.fullmatch(node.name) and "_" not in node.name.strip("_")
            if is_participle and not is_property:
                found.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    assert found.keys() <= PARTICIPLES | {"embed", "greed", "seed"}, found
    assert len(found) > len(PARTICIPLES) // 2


def test_every_suppressed_check_has_a_reason() -> None:
    """A comment such as `# noqa: SIM115` or `# fmt: skip` is followed by its reason."""
    bare = re.compile(r"# (noqa(: [A-Z]+\d+(, ?[A-Z]+\d+)*)?|fmt: (skip|off))\s*$")
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in prose()
        if path.suffix == ".py"
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if bare.search(line)
    ]
    assert not found


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


@pytest.mark.parametrize("path", sources(".py", ".js", ".css"), ids=lambda path: path.name)
def test_no_file_is_much_too_long(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= 620


def test_deleting_a_folder_deletes_a_game(tmp_path: Path) -> None:
    """Nothing else of the package knows it, so the others work without it."""
    import shutil
    import subprocess

    gone, *others = GAMES
    shutil.copytree(PACKAGE, tmp_path / "damier", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.rmtree(tmp_path / "damier" / "games" / gone)
    code = (
        "import damier; from damier.web.app import create_app; create_app();"
        "starts = (damier.load_rules(game).start() for game in damier.GAMES);"
        "print(*damier.GAMES, *(len(start.legal_moves()) for start in starts))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    counts = [str(len(damier.load_rules(name).start().legal_moves())) for name in others]
    assert done.stdout.split() == [*others, *counts], done.stderr
